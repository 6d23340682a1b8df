"""The engine: tables, zones, facts, turns, options, events and what each viewer may see of them. It knows no game."""

from random import Random

from chautari.engine.actions import refuse_unheld
from chautari.engine.arguments import AMOUNT, Among, Groups, Held, Several, Words, read_number
from chautari.engine.events import (
    Dealt,
    Event,
    HandBegan,
    HandEnded,
    Hidden,
    MatchEnded,
    Moved,
    Put,
    Said,
    SeatLeft,
    Shown,
    Shuffled,
    Take,
    Told,
    Turned,
)
from chautari.engine.facts import SECRET, At, Board, BySeat, BySide, Fact, Facts, Private, Record, Show, Side, plain
from chautari.engine.fold import Picture, fold
from chautari.engine.game import Game, Placing
from chautari.engine.look import Look
from chautari.engine.marks import Rule, refusal_of, verb
from chautari.engine.options import Choice, Option, legal, options, sample
from chautari.engine.play import Step, act, begin, leave, must_act, sides_left, stop, timeout_action
from chautari.engine.position import NewerSchema, Position, Result, Unreadable, decode, encode
from chautari.engine.redact import redact
from chautari.engine.settings import Range, Setting, Settings, bad_setting
from chautari.engine.shuffles import FairStream, NotAPermutation, OutOfShuffles, Script, Shuffle, commitment, draw_seats
from chautari.engine.table import Table
from chautari.engine.turns import FINISHED, OVER, Turn, turn
from chautari.engine.view import View, ZoneView, pictured, view
from chautari.engine.viewers import ALL, NOBODY, Seat, Viewer, Viewers, can_see, only, seats_of
from chautari.engine.zones import Kind, Listed, Sees, Zone

__all__ = [
    "ALL",
    "AMOUNT",
    "FINISHED",
    "NOBODY",
    "OVER",
    "SECRET",
    "Among",
    "At",
    "Board",
    "BySeat",
    "BySide",
    "Choice",
    "Dealt",
    "Event",
    "Fact",
    "Facts",
    "FairStream",
    "Game",
    "Groups",
    "HandBegan",
    "HandEnded",
    "Held",
    "Hidden",
    "Kind",
    "Listed",
    "Look",
    "MatchEnded",
    "Moved",
    "NewerSchema",
    "NotAPermutation",
    "Option",
    "OutOfShuffles",
    "Picture",
    "Placing",
    "Position",
    "Private",
    "Put",
    "Random",
    "Range",
    "Record",
    "Result",
    "Rule",
    "Said",
    "Script",
    "Seat",
    "SeatLeft",
    "Sees",
    "Setting",
    "Settings",
    "Several",
    "Show",
    "Shown",
    "Shuffle",
    "Shuffled",
    "Side",
    "Step",
    "Table",
    "Take",
    "Told",
    "Turn",
    "Turned",
    "Unreadable",
    "View",
    "Viewer",
    "Viewers",
    "Words",
    "Zone",
    "ZoneView",
    "act",
    "bad_setting",
    "begin",
    "can_see",
    "commitment",
    "decode",
    "draw_seats",
    "encode",
    "fold",
    "leave",
    "legal",
    "must_act",
    "only",
    "options",
    "pictured",
    "plain",
    "read_number",
    "redact",
    "refusal_of",
    "refuse_unheld",
    "sample",
    "seats_of",
    "sides_left",
    "stop",
    "timeout_action",
    "turn",
    "verb",
    "view",
]  # fmt: skip
