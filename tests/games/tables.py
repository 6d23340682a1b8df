"""Tables set by hand: a position from text, actions as scenario files write them, and what is true afterwards.

start = table("jutpatti", "hand.0: 7H 8H | hand.1: AC | pile: QS", phase="draw")
after = do(start, "0 draw pile")
assert zone(after, "hand.0") == "7H 8H QS"
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import pytest

from chautari import engine
from chautari.cards import Card, cards, pack, text
from chautari.engine import Event, Position, Script, Sees, Viewer, plain
from chautari.errors import Malformed, Refusal
from chautari.games import find_game
from tests.engine.timeouts import time_out


def table(
    game: str, lying: str = "", *, phase: str, turn: Iterable[int] = (0,), settings: Mapping[str, object] | None = None,
    **facts: object,
) -> Position[Any]:  # fmt: skip
    """A state in the middle of the first hand: zones with `|` between them; facts not named are as at the opening."""
    rules = find_game(game)
    chosen = rules.read_settings(settings or {})
    layout = rules.layout(chosen)
    zones: dict[str, tuple[Card, ...]] = dict(layout.empty)
    for part in filter(None, (part.strip() for part in lying.split("|"))):
        name, _, held = part.partition(":")
        assert name in layout.places, f"there is no zone {name}"
        zones[name] = cards(held)
    if "hand_no" in rules.facts.__struct_fields__:
        facts = {"hand_no": 1, **facts}
    return Position(
        game=rules, settings=chosen, layout=layout, zones=zones, phase=phase, must=engine.only(*turn), may=0, hands=1,
        facts=msgspec.structs.replace(rules.opening(chosen), **facts),
    )  # fmt: skip


def begin(game: str, *shuffles: str, **settings: object) -> Position[Any]:
    """A match at its first turn, from the outcomes of the shuffles of its deal, each of which must be used."""
    rules = find_game(game)
    script = Script(map(cards, shuffles))
    position = engine.begin(rules, rules.read_settings(settings), script).position
    assert script.used == len(shuffles), "a shuffle was listed, and not made"
    return position


def dealt(
    *hands: str, players: int = 4, before: str = "", then: str = "", each: int = 0, packs: int = 1, jokers: int = 0
) -> str:  # fmt: skip
    """An outcome of a shuffle that deals hands which begin so, one card at a time; the first is dealt to first.

    before: what comes before the deal. each: how many cards a hand gets, if not as many as the longest. then: what
    comes after the deal. Places that this leaves open are filled in the card order.
    """
    left = list(pack(packs, jokers))
    chosen: dict[int, Card] = dict(enumerate(cards(before)))
    start = len(chosen)
    held = [cards(hand) for hand in hands]
    for seat, hand in enumerate(held):
        chosen |= {start + turn * players + seat: card for turn, card in enumerate(hand)}
    end = start + max([each, *map(len, held)]) * players
    chosen |= {end + place: card for place, card in enumerate(cards(then))}
    for card in chosen.values():
        left.remove(card)
    return text(chosen[place] if place in chosen else left.pop(0) for place in range(len(left) + len(chosen)))


def do(position: Position[Any], *lines: str, shuffles: Sequence[str] = ()) -> Position[Any]:
    """The position after these actions, `0 draw deck` or `0 times out`; each shuffle listed must be used."""
    script = Script(map(cards, shuffles))
    for line in lines:
        position = _step(position, line, script).position
    assert script.used == len(shuffles), "a shuffle was listed, and not made"
    return position


def events(position: Position[Any], line: str, *shuffles: str, viewer: Viewer | str = "all") -> list[Event]:
    """What one action makes happen, uncut or as one viewer may see it."""
    happened = _step(position, line, Script(map(cards, shuffles))).events
    return happened if isinstance(viewer, str) else engine.redact(happened, viewer)


def refused(position: Position[Any], line: str) -> str:
    """The code with which an action is refused; nothing has changed then."""
    before = engine.encode(position)
    with pytest.raises((Refusal, Malformed)) as caught:
        _step(position, line, Script(()))
    assert engine.encode(position) == before
    assert isinstance(caught.value, Refusal | Malformed)
    return caught.value.reason


def zone(position: Position[Any], name: str) -> str:
    """The cards of a zone as text; of a zone without order, in the card order."""
    lying = position.zones[name]
    return text(lying if position.layout.places[name].zone.ordered else sorted(lying))


def fact(position: Position[Any], name: str) -> Any:
    """A fact as JSON has it; `last_hand.chor` reaches into one that is an object."""
    name, *inner = name.split(".")
    value = plain(getattr(position.facts, next(f.field for f in position.game.facts_declared if f.name == name)))
    for key in inner:
        value = value[key]
    return value


def seen(position: Position[Any], viewer: Viewer, name: str) -> str | int:
    """What a viewer is shown of a zone: its cards as text, or their number where the faces are unseen."""
    shown = next(zone for zone in engine.view(position, viewer).zones if zone.name == name)
    return shown.count if shown.cards is None else text(shown.cards)


def result(position: Position[Any]) -> tuple[list[int], list[int]]:
    """The placing and the score of a match that is over."""
    assert position.result is not None, "the match goes on"
    return list(position.result.placing), list(position.result.score)


def public_facts(game: str) -> list[str]:
    """The facts of a game that are told to clients, in their order."""
    return [fact.name for fact in find_game(game).facts_declared if not fact.secret]


def zones_declared(game: str) -> dict[str, tuple[str, bool]]:
    """By zone, who sees it while the match goes on, and whether its order counts."""
    return {zone.name: (zone.sees.value if isinstance(zone.sees, Sees) else "by rule", zone.ordered)
            for zone in find_game(game).zones}  # fmt: skip


def bad_setting(game: str, **settings: object) -> str:
    """The setting that is refused of these."""
    with pytest.raises(Malformed) as caught:
        find_game(game).read_settings(settings)
    assert caught.value.reason == "BAD_SETTING"
    return caught.value.values["setting"]


def _step(position: Position[Any], line: str, script: Script) -> engine.Step:
    seat, _, action = line.partition(" ")
    if action == "times out":
        step = time_out(position, int(seat), script)
        assert step is not None, "no clock is running"
        return step
    return engine.act(position, int(seat), action, script)
