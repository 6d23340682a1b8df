"""The engine: tables, zones, facts, turns, options, events and what each viewer may see of them. It knows no game."""

from random import Random

from chautari.engine.actions import POSITION, Among, Held, Several, read_number, refuse_unheld, verb
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
    decode_events,
    encode_events,
)
from chautari.engine.facts import SECRET, BySeat, Fact, Facts, Private, Record, Show, plain
from chautari.engine.fold import Picture, fold
from chautari.engine.game import Game, Placing
from chautari.engine.look import Look
from chautari.engine.options import Choice, Option, every_action, legal, options, sample
from chautari.engine.play import Step, act, begin, leave, must_act, sides_left, time_out, timeout_action
from chautari.engine.position import Position, Result, Unreadable, decode, encode
from chautari.engine.redact import redact
from chautari.engine.settings import Range, Setting, Settings, bad_setting
from chautari.engine.shuffles import FairStream, OutOfShuffles, Script, commitment
from chautari.engine.table import NotAPermutation, Shuffle, Table
from chautari.engine.turns import FINISHED, OVER, Turn, turn
from chautari.engine.view import View, ZoneView, view
from chautari.engine.viewers import ALL, NOBODY, Seat, Viewer, Viewers, can_see, only, seats_of
from chautari.engine.zones import Kind, Sees, Zone

__all__ = [
    "ALL",
    "FINISHED",
    "NOBODY",
    "OVER",
    "POSITION",
    "SECRET",
    "Among",
    "BySeat",
    "Choice",
    "Dealt",
    "Event",
    "Fact",
    "Facts",
    "FairStream",
    "Game",
    "HandBegan",
    "HandEnded",
    "Held",
    "Hidden",
    "Kind",
    "Look",
    "MatchEnded",
    "Moved",
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
    "Zone",
    "ZoneView",
    "act",
    "bad_setting",
    "begin",
    "can_see",
    "commitment",
    "decode",
    "decode_events",
    "encode",
    "encode_events",
    "every_action",
    "fold",
    "leave",
    "legal",
    "must_act",
    "only",
    "options",
    "plain",
    "read_number",
    "redact",
    "refuse_unheld",
    "sample",
    "seats_of",
    "sides_left",
    "time_out",
    "timeout_action",
    "turn",
    "verb",
    "view",
]  # fmt: skip
