"""What facts and records are declared to be, by the types of their fields."""

from typing import Annotated, Any, Literal

import pytest

from chautari import engine
from chautari.cards import CardText, Rank
from chautari.engine import OVER, BySeat, BySide, Game, Record, Seat, Show, Side, Table, Turn, turn
from chautari.engine.facts import declared


class Pot(Record, frozen=True):
    """A record within a record."""

    amount: int
    winners: tuple[Seat, ...]


class Nothing(Record, frozen=True):
    """The record of a hand."""

    how: Literal["won", "lost"]
    winner: Side | None
    pots: tuple[Pot, ...]
    change: BySeat[int]


class Facts(engine.Facts):
    """One of each."""

    bid: int | Literal["all"] | None = None
    odd: Rank | Literal["XX"] | None = None
    joker: Rank | CardText | None = None
    calls: BySeat[Literal["high", ""] | None] = ()
    stakes: Annotated[BySeat[tuple[int, ...]], Show.HIDDEN] = ()
    bets: BySeat[tuple[int, ...]] = ()
    points: BySide[int] = ()
    debts: tuple[tuple[Seat, Seat, int], ...] = ()
    blocks: tuple[tuple[Seat, ...], ...] = ()
    last: Nothing | None = None


FACTS = {fact.name: fact for fact in declared(Facts)}


@pytest.mark.parametrize(
    ("name", "kind", "shape", "show"),
    [
        ("bid", "mixed", "one", "label"), ("odd", "text", "one", "label"), ("joker", "text", "one", "label"),
        ("calls", "text", "by_seat", "badge"), ("stakes", "int", "list_by_seat", "hidden"),
        ("bets", "int", "list_by_seat", "badge"), ("points", "int", "by_side", "label"),
        ("debts", "mixed", "list", "label"), ("blocks", "seat", "list", "badge"), ("last", "record", "one", "hidden"),
    ],
)  # fmt: skip
def test_a_fact_is_declared_by_its_type(name: str, kind: str, shape: str, show: str) -> None:
    assert (FACTS[name].type, FACTS[name].shape, FACTS[name].show) == (kind, shape, show)


def test_words_of_a_text_are_known_where_its_type_says_them() -> None:
    assert FACTS["bid"].words == ("all",)
    assert FACTS["odd"].words == ("A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "XX")
    assert FACTS["joker"].words == ("A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K")
    assert FACTS["calls"].words == ("high",)
    assert FACTS["bets"].words == ()


def test_a_record_is_declared_with_the_records_within_it() -> None:
    how, winner, pots, change = FACTS["last"].fields
    assert (how.type, how.words, how.optional) == ("text", ("won", "lost"), False)
    assert (winner.type, winner.optional) == ("side", True)
    assert (pots.type, pots.shape, [field.type for field in pots.fields]) == ("record", "list", ["int", "seat"])
    assert (change.type, change.shape) == ("int", "by_seat")


class Settings(engine.Settings, frozen=True):
    """A toy."""

    players: Annotated[int, engine.Range(2, 2)] = 2


def stop(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Ends the hand."""
    return OVER


def end_hand(table: Table[Facts], settings: Settings) -> Nothing:
    """Nothing of note."""
    return Nothing("won", None, (), (0, 0))


def game(end: Any) -> Game[Settings, Facts]:
    """A game whose hands end so."""
    return Game(
        key="toy", version=1, settings=Settings, facts=Facts, zones=[], deal=lambda table, settings: turn("play", 0),
        phases={"play": (stop,)}, end_hand=end, place=lambda look, settings: (1, 1), timeouts={"play": "stop"},
        trials=({},),
    )  # fmt: skip


def test_a_game_declares_the_record_that_it_returns() -> None:
    assert game(end_hand).record_declared == declared(Nothing)
    assert game(lambda table, settings: Nothing("won", None, (), (0, 0))).record_declared == ()
