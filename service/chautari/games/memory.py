"""Memory: cards lie face down, each turn two are turned up for all to see, and a pair is kept.

Source: the list of games (seed 001) for the seats and for keeping every pair; general descriptions of Concentration for
going on after a pair and for pairs of one colour. Two cards that do not match lie open until the next is turned, so
that the rules need no clock; a hand ends when nobody has found a pair for long.
"""

from typing import Annotated, Literal

from chautari import engine
from chautari.cards import Card, pack
from chautari.engine import (
    OVER,
    SECRET,
    Among,
    At,
    BySeat,
    Game,
    Listed,
    Look,
    Range,
    Record,
    Seat,
    Sees,
    Table,
    Turn,
    Zone,
    turn,
)
from chautari.errors import Refusal
from chautari.kit.dealing import next_deals, rounds_are_over
from chautari.kit.placing import most_points
from chautari.kit.totals import add_to


class Settings(engine.Settings, frozen=True):
    """What a table agrees on."""

    players: Literal[2, 3, 4] = 2
    cards: Literal[16, 24, 32, 40, 52, 104] = 52
    match: Literal["rank", "colour"] = "rank"
    again: bool = True
    rounds: Annotated[int, Range(1, 5)] = 1


class LastHand(Record, frozen=True):
    """The record of a hand: the pairs kept in it, by seat, and the number of turns."""

    pairs: BySeat[int]
    turns: int


class Facts(engine.Facts):
    """What the table knows; the server remembers no card for anybody."""

    dealer: Seat = 0
    hand_no: int = 0
    up: tuple[Annotated[int, At("pos")], ...] = ()
    left: int = 0
    dry: int = 0
    score: BySeat[int] = ()
    turns: Annotated[int, SECRET] = 0


ZONES = (
    Zone("pos", Listed("up", Sees.ALL, Sees.NONE), indexes=lambda settings: settings.cards, kind=engine.Kind.BOARD),
    Zone("taken", Sees.ALL, per_seat=True, ordered=True, kind=engine.Kind.WON),
)


def opening(settings: Settings) -> Facts:
    """The last seat deals first."""
    return Facts(dealer=settings.players - 1, score=(0,) * settings.players)


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """The cards are shuffled and laid out face down; the dealer's neighbour begins."""
    facts = table.facts
    facts.hand_no += 1
    facts.up, facts.left, facts.dry, facts.turns = (), settings.cards, 0, 0
    table.lay_out(table.lot(cards_used(settings)), to="pos")
    return turn("first", table.after(facts.dealer))


def cards_used(settings: Settings) -> list[Card]:
    """Whole ranks from the ace up, so that every card has a partner; two packs for 104 cards."""
    packs = 2 if settings.cards == 104 else 1
    return [card for card in pack(packs) if card.low <= settings.cards // (4 * packs)]


def turnable(look: Look[Facts], settings: Settings, seat: Seat) -> list[int]:
    """The positions that hold a card, but for the one that the seat has just turned up."""
    lying = look.holders("pos")
    if look.phase == "second":
        lying.remove(look.facts.up[0])
    return lying


def why_not(look: Look[Facts], settings: Settings, seat: Seat, position: int) -> Refusal:
    """Why this position may not be turned."""
    if look.count("pos", position):
        return Refusal("ALREADY_UP", "you have just turned that card up: turn another")
    return Refusal("NO_CARD_THERE", f"the card at {position} has been taken: turn one that still lies there")


def turn_(
    table: Table[Facts], settings: Settings, seat: Seat, position: Annotated[int, At("pos"), Among(turnable, why_not)]
) -> Turn:
    """Turns up the first card, which turns down those that still lie open, or the second, which may make a pair."""
    facts = table.facts
    if table.phase == "first":
        facts.up = (position,)
        return turn("second", seat)
    first = facts.up[0]
    facts.up = (first, position)
    facts.turns += 1
    following = table.after(seat)
    if is_pair(table.cards("pos", first)[0], table.cards("pos", position)[0], settings):
        table.flush()  # all see both cards before they go
        for place in facts.up:
            table.draw("pos", to="taken", seat=place, to_seat=seat)
        facts.up, facts.left, facts.dry = (), facts.left - 2, 0
        facts.score = add_to(facts.score, seat)
        following = seat if settings.again else following
    else:
        facts.dry += 1
    return OVER if not facts.left or facts.dry == 2 * settings.cards else turn("first", following)


def is_pair(one: Card, other: Card, settings: Settings) -> bool:
    """Whether two cards match: in rank, and with `colour` in colour too."""
    return one.rank == other.rank and (settings.match == "rank" or one.red == other.red)


def end_hand(table: Table[Facts], settings: Settings) -> LastHand:
    """The pairs have been counted as they were taken; cards that still lie there count for nobody."""
    return LastHand(tuple(count // 2 for count in table.counts("taken")), table.facts.turns)


def timed_out(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """The lowest position that may be turned."""
    return f"turn {turnable(look, settings, seat)[0]}"


GAME = Game(
    key="memory",
    version=1,
    settings=Settings,
    facts=Facts,
    zones=ZONES,
    opening=opening,
    deal=deal,
    phases={"first": (turn_,), "second": (turn_,)},
    end_hand=end_hand,
    match_is_over=rounds_are_over,
    pass_deal=next_deals,
    place=most_points,
    timeouts={"first": timed_out, "second": timed_out},
    turn_seconds=30,
    trials=(
        {"players": 2, "cards": 16, "rounds": 2},
        {"players": 3, "cards": 24, "match": "colour", "again": False},
        {"players": 4, "cards": 32, "rounds": 2},
        {"players": 2, "cards": 40, "match": "colour"},
        {"players": 3, "cards": 52, "again": False},
        {"players": 4, "cards": 104},
    ),
)
