"""What a viewer is sent, and what it may know: the measure of every test of secrets."""

from collections.abc import Iterator
from random import Random
from typing import Any, Final

import msgspec

from chautari import engine
from chautari.cards import UNSEEN, Card, find_card, pack, unpack
from chautari.engine import (
    Dealt,
    Event,
    HandEnded,
    Look,
    Moved,
    Position,
    Sees,
    Shown,
    Shuffled,
    Step,
    Told,
    Viewer,
    can_see,
    redact,
)
from chautari.errors import Malformed, Refusal
from tests.engine.journal import encode_events
from tests.engine.writable import every_action
from tests.games.matches import chance_of, unlisted


class Leak(AssertionError):
    """A viewer can tell two worlds apart that it must not."""


# What a viewer is sent ────────────────────────────────────────────────────────────────────────────────────────────────


def sent(position: Position[Any], viewer: Viewer) -> bytes:
    """The view of a state, the options and what the rules do for a seat that is absent, in their order."""
    options = [] if viewer is None else engine.options(position, viewer)
    absent = None if viewer is None else engine.timeout_action(position, viewer)
    return msgspec.json.encode((engine.view(position, viewer), options, absent), enc_hook=str)


def streamed(step: Step, viewer: Viewer) -> bytes:
    """The events of a step as they are cut for a viewer."""
    return encode_events(redact(step.events, viewer))


def answer(position: Position[Any], seat: int, line: str) -> tuple[object, ...]:
    """All that a seat is told when it tries an action: that it is accepted, or every word of the refusal."""
    try:
        engine.act(unlisted(position), seat, line, chance_of(position.game, position.settings.players, 1))
    except Refusal as refusal:
        return ("refused", refusal.reason, refusal.rule, refusal.message, refusal.values)
    except Malformed as error:
        return ("malformed", error.reason, error.field, error.message, error.values)
    return ("accepted",)


def probes(position: Position[Any], seat: int, random: Random) -> Iterator[str]:
    """Actions that a curious seat tries: of all that it could write a few, some of the many, and some without sense."""
    written = list(every_action(position))
    yield from random.sample(written, min(len(written), 10))
    for key in position.game.verbs:
        card = random.choice(_PACK)
        yield from (
            key,
            f"{key} {card}",
            f"{key} 7 {card}",
            f"{key} 7 {card} {card}",
            f"{key} XX",
            f"{key} 0",
            f"{key} 3 4",
        )


_PACK: Final = pack()


# Who may know what ────────────────────────────────────────────────────────────────────────────────────────────────────


def sees(position: Position[Any], name: str, viewer: Viewer) -> bool:
    """Whether a viewer may see the faces of a zone, by what the game declares of it."""
    place = position.layout.places[name]
    rule = place.zone.at_end if position.is_over and place.zone.at_end is not None else place.zone.sees
    match rule:
        case Sees.ALL:
            return True
        case Sees.NONE:
            return False
        case Sees.OWNER:
            return viewer == place.number
        case Sees.OTHERS:
            return viewer is not None and viewer != place.number
        case _ if callable(rule):
            return can_see(rule(Look(position), place.number), viewer)
        case _:
            return can_see(Look(position).viewers(name), viewer)


def unseen(position: Position[Any], viewer: Viewer) -> list[tuple[str, int]]:
    """Where the cards lie that a viewer does not see: zone, and number in it."""
    return [
        (name, number)
        for name, lying in position.zones.items() if not sees(position, name, viewer) for number in range(len(lying))
    ]  # fmt: skip


def faces(step: Step, viewer: Viewer) -> Iterator[tuple[Event, frozenset[Card]]]:
    """Each event that names cards to a viewer, with those cards. A Leak where it lets the viewer see a zone it may not.

    The words of an action do not count: they name a card only if a motion does.
    """
    for event in redact(step.events, viewer):
        match event:
            case Moved():
                shown, lie = [event.cards], [[event.source, event.target]]
            case Dealt():
                shown, lie = [unpack(hand) for hand in event.hands], [[target] for target in event.targets]
            case Shown():
                shown, lie = [unpack(event.faces)], [[event.zone]]
            case Shuffled():
                ordered = event.zone is not None and step.position.layout.places[event.zone].zone.ordered
                shown, lie = [event.cards], [[event.zone or ""] if ordered else []]
            case Told():
                yield event, frozenset(told_cards(_telling(step.position, event.facts)))
                continue
            case HandEnded():
                yield event, frozenset(told_cards(_telling(step.position, {"last_hand": event.record})))
                continue
            case _:
                continue
        for cards, places in zip(shown, lie, strict=True):
            named = frozenset(cards) - {UNSEEN}
            if named and not any(_may_see(step.position, place, viewer) for place in places):
                raise Leak(f"{event} shows {sorted(named)} to {viewer}")
            yield event, named


def _may_see(position: Position[Any], name: str, viewer: Viewer) -> bool:
    """As `sees`, but of a zone whose viewers change with the state, which may have changed within the step."""
    return name != "" and (
        sees(position, name, viewer) or not isinstance(position.layout.places[name].zone.sees, Sees)
    )  # fmt: skip


TELLING: Final[dict[str, frozenset[str]]] = {
    "bluff": frozenset({"revealed"}),
    "dehla_pakad": frozenset({"trump_card"}),
    "gulam_chor": frozenset({"last_hand"}),
    "jutpatti": frozenset({"last_hand"}),
    "leaky": frozenset(),
}
"""The facts (the record being `last_hand`) that show cards by the page of a game; of other games all facts may."""


def _telling(position: Position[Any], facts: dict[str, Any]) -> dict[str, Any]:
    """The facts among these that may show a card."""
    telling = TELLING.get(position.game.key, facts.keys())
    return {name: value for name, value in facts.items() if name in telling}


def told_cards(value: object) -> Iterator[Card]:
    """The cards that a fact or a record names, by themselves or in a text."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from told_cards(item)
    elif isinstance(value, str):
        yield from (card for word in value.split() if (card := find_card(word)) is not None)


def role(position: Position[Any], viewer: Viewer) -> str:
    """What a viewer is at the table."""
    if viewer is None:
        return "spectator"
    if viewer in position.left:
        return "left"
    if viewer in getattr(position.facts, "out", ()):
        return "out"
    if viewer in position.turn:
        return "in turn"
    side = next(side for side in position.game.sides(position.settings) if viewer in side)
    return "partner" if set(side) & set(position.turn) else "waiting"
