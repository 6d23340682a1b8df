"""Verbs that describe their options themselves, samplers beside a list, and time-outs that go on."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Annotated, Any

import pytest

from chautari import engine
from chautari.cards import Card, cards
from chautari.cli import scenarios
from chautari.engine import (
    OVER,
    Choice,
    Game,
    Held,
    Look,
    Option,
    Position,
    Record,
    Seat,
    Sees,
    Table,
    Turn,
    Zone,
    turn,
)
from chautari.engine import verb as verb_mark
from chautari.errors import Malformed


class Settings(engine.Settings, frozen=True):
    """A toy."""

    players: Annotated[int, engine.Range(2, 2)] = 2


class Facts(engine.Facts):
    """Whether the bell has been rung, and the scores."""

    rung: bool = False
    score: engine.BySeat[int] = (0, 0)


class Nothing(Record, frozen=True):
    """Nothing of note."""

    done: bool = True


def read(look: Look[Facts], settings: Settings, seat: Seat, words: Sequence[str]) -> list[Any]:
    """Any number of cards."""
    if not words:
        raise Malformed("MALFORMED_ACTION", "name cards", field="action")
    return [cards(" ".join(words))]


def singles(look: Look[Facts], settings: Settings, seat: Seat) -> list[str]:
    """The cards one by one."""
    return [f"lay {card}" for card in sorted(look.cards("hand", seat))]


def describe(look: Look[Facts], settings: Settings, seat: Seat) -> list[Option]:
    """One card, or several."""
    held = tuple(sorted(look.cards("hand", seat)))
    one, more = (Choice("cards", "cards", False, None, least, most, held) for least, most in ((1, 1), (2, len(held))))
    actions = tuple(singles(look, settings, seat))
    return [Option("lay", (one,), actions, actions[0]), Option("lay", (more,), None)]


@verb_mark(reads=read, lists=singles, describes=describe)
def lay(table: Table[Facts], settings: Settings, seat: Seat, some: Annotated[tuple[Card, ...], Held("hand")]) -> Turn:
    """Lays cards; the hand is over."""
    table.move(some, "hand", "pile", seat)
    return OVER


@verb_mark(free=True)
def ring(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Rings the bell, and goes on."""
    table.facts.rung = True
    return turn("play", seat)


def timed_out(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """Lays all cards, but not before the bell."""
    return " ".join(["lay", *map(str, look.cards("hand", seat))]) if look.facts.rung else "ring"


GAME: Game[Settings, Facts] = Game(
    key="toy", version=1, settings=Settings, facts=Facts,
    zones=[Zone("hand", Sees.OWNER, per_seat=True), Zone("pile", Sees.ALL, ordered=True)],
    deal=lambda table, settings: turn("play", 0),
    phases={"play": (lay, ring)}, end_hand=lambda table, settings: Nothing(),
    place=lambda look, settings: (1, 1), timeouts={"play": timed_out}, timeouts_go_on_after=("ring",),
    samplers={"lay": lambda look, settings, seat, random: "lay 2C 3C"}, trials=({},),
)  # fmt: skip


def start() -> Position[Any]:
    """Seat 0 holds 2C and 3C."""
    layout = GAME.layout(Settings())
    return Position(GAME, Settings(), layout, {**layout.empty, "hand.0": cards("3C 2C")}, Facts(), "play", 1, 0, 1)


def test_a_verb_may_describe_its_options_itself() -> None:
    assert engine.options(start(), 0)[:2] == describe(Look(start()), Settings(), 0)
    assert engine.legal(start(), 0) == ["lay 2C", "lay 3C", "ring"]


def test_a_sampler_adds_to_what_is_listed() -> None:
    random = Random(1)
    sampled = Counter(engine.sample(start(), 0, random) for _ in range(400))
    assert set(sampled) == {"lay 2C", "lay 3C", "lay 2C 3C", "ring"}


def test_a_time_out_may_take_two_actions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scenarios, "find_game", lambda key: GAME)
    monkeypatch.setattr(engine, "begin", lambda *args: engine.Step(start(), []))
    path = tmp_path / "rings.yaml"
    path.write_text("game: toy\nsteps: [{timeout: 0}, {see: {phase: over, pile: 3C 2C, rung: true}}]\n")
    assert scenarios.check_file(path) == []
    assert engine.timeout_action(start(), 0) == "ring"
