"""Facts that are bytes: kept as they are, told as a text in base64, open or secret."""

from base64 import b64decode
from typing import Annotated, Any, Literal

import pytest

from chautari import engine
from chautari.cards import pack
from chautari.engine import (
    OVER,
    SECRET,
    BySeat,
    Game,
    Picture,
    Record,
    Seat,
    Sees,
    Table,
    Told,
    Turn,
    Unreadable,
    Zone,
    fold,
    plain,
    redact,
    turn,
)
from chautari.kit.placing import most_points

MARKS = bytes(range(256))


class Settings(engine.Settings, frozen=True):
    """Two seats."""

    players: Literal[2] = 2


class Facts(engine.Facts):
    """What was written down so far."""

    open: bytes = b""
    hidden: Annotated[bytes, SECRET] = b""
    several: tuple[bytes, ...] = ()
    score: BySeat[int] = (0, 0)


class Kept(Record, frozen=True):
    """The record: how often was written."""

    times: int


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """Seat 0 begins."""
    table.shuffle("deck", fresh=pack())
    return turn("write", 0)


def write(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Every byte there is, once more; the second time it is over."""
    facts = table.facts
    facts.open, facts.hidden, facts.several = facts.open + MARKS, facts.hidden + MARKS[::-1], (b"", MARKS[:seat])
    return OVER if seat else turn("write", 1)


GAME: Game[Settings, Facts] = Game(
    key="minutes", version=1, settings=Settings, facts=Facts, zones=(Zone("deck", Sees.NONE, ordered=True),),
    opening=lambda _settings: Facts(), deal=deal, phases={"write": (write,)},
    end_hand=lambda _table, _settings: Kept(2), place=most_points, timeouts={"write": "write"},
    turn_seconds=30, trials=({},),
)  # fmt: skip


def begun() -> engine.Step:
    """The beginning; the deck in the card order."""
    return engine.begin(GAME, GAME.read_settings({}), lambda cards: cards)


def written(*seats: Seat) -> engine.Step:
    """What was made of the last of these seats' writing."""
    step = begun()
    for seat in seats:
        step = engine.act(step.position, seat, "write", lambda cards: cards)
    return step


@pytest.mark.parametrize(("value", "text"), [(b"", ""), (b"\x00\xff", "AP8="), ((b"a", b""), ["YQ==", ""])])
def test_bytes_are_plain_as_base64(value: Any, text: Any) -> None:
    assert plain(value) == text


def test_bytes_are_declared_as_text() -> None:
    assert [(fact.name, fact.type, fact.shape) for fact in GAME.facts_declared[:3]] == [
        ("open", "text", "one"),
        ("hidden", "text", "one"),
        ("several", "text", "list"),
    ]


@pytest.mark.parametrize("seats", [(), (0,), (0, 1)])
def test_a_state_keeps_the_bytes_as_they_are(seats: tuple[Seat, ...]) -> None:
    position = written(*seats).position
    again = engine.decode(GAME, engine.encode(position))
    assert again == position
    assert type(again.facts.open) is type(again.facts.hidden) is bytes
    assert again.facts.open == MARKS * len(seats)


def test_a_state_with_a_list_in_their_place_is_refused() -> None:
    """As one of before they were bytes."""
    position = written(0).position
    position.facts.hidden = (1, 2)
    with pytest.raises(Unreadable, match="damaged"):
        engine.decode(GAME, engine.encode(position))


def test_events_tell_the_bytes_as_text_and_keep_what_is_secret() -> None:
    position, events = written(0)
    for viewer in (0, 1, None):
        told = {name: value for event in redact(events, viewer) if isinstance(event, Told)
                for name, value in event.facts.items()}  # fmt: skip
        assert b64decode(told["open"]) == MARKS
        assert told["several"] == ["", ""]
        assert "hidden" not in told
        assert engine.view(position, viewer).facts["open"] == told["open"]
        assert "hidden" not in engine.view(position, viewer).facts


def test_the_events_alone_lead_to_the_bytes() -> None:
    picture = Picture()
    for step in (begun(), written(0), written(0, 1)):
        fold(picture, step.events, whole=True)
    facts = written(0, 1).position.facts
    assert picture.facts["open"] == plain(facts.open)
    assert picture.facts["hidden"] == plain(facts.hidden)
    assert picture.facts["several"] == plain(facts.several)
