"""Folding: events, whole or cut for a viewer, make the next picture of a match from the last; no game is needed.

A picture holds what a view holds of zones, facts and turn. Cards that the viewer does not see are unseen cards.
"""

from typing import Any

import msgspec

from chautari.cards import UNSEEN, Card, unpack
from chautari.engine.events import (
    OUTSIDE,
    Dealt,
    Event,
    HandBegan,
    HandEnded,
    Hidden,
    MatchEnded,
    Moved,
    Put,
    SeatLeft,
    Shown,
    Shuffled,
    Take,
    Told,
    Turned,
)
from chautari.engine.viewers import NOBODY


class Picture(msgspec.Struct):
    """What is known of a match: by events alone. Mutable; `fold` writes to it."""

    zones: dict[str, tuple[Card, ...]] = {}
    facts: dict[str, Any] = {}
    phase: str = ""
    must: int = 0
    may: int = 0
    hands: int = 0
    left: tuple[int, ...] = ()
    result: MatchEnded | None = None
    last_hand: HandEnded | None = None


def fold(picture: Picture, events: list[Event], *, whole: bool = False) -> Picture:
    """Applies events to the picture, and returns it. `whole`: they are the journal's, not cut for a viewer."""
    for event in events:
        _fold(picture, event, whole)
    return picture


def _fold(picture: Picture, event: Event, whole: bool) -> None:
    zones = picture.zones
    match event:
        case Moved():
            landing = whole or event.landing != NOBODY
            if event.source != OUTSIDE:
                zones[event.source] = _without(zones[event.source], event.cards, event.take)
            cards = event.cards if landing else (UNSEEN,) * len(event.faces)
            lying = zones.get(event.target, ())
            zones[event.target] = (*cards, *lying) if event.put == Put.FIRST else (*lying, *cards)
        case Told():
            picture.facts.update(event.facts)
        case Turned():
            picture.phase, picture.must, picture.may = event.phase, event.must, event.may
        case Dealt():
            if event.source != OUTSIDE:
                zones[event.source] = zones[event.source][sum(map(len, event.hands)) :]
            for target, hand in zip(event.targets, event.hands, strict=True):
                zones[target] = zones.get(target, ()) + unpack(hand)
        case Shuffled() if event.zone is not None:
            known = zones.get(event.zone, ())
            reordered = UNSEEN in event.cards and len(known) == len(event.cards) and UNSEEN not in known
            zones[event.zone] = known if reordered else event.cards
        case Shown():
            if not whole:  # the journal knows the faces, and the order that a zone without one happens to have
                zones[event.zone] = unpack(event.faces)
        case Hidden() if not whole:
            zones[event.zone] = (UNSEEN,) * len(zones[event.zone])
        case HandBegan():
            picture.hands = event.number
            for name in () if event.keeps else zones:
                zones[name] = ()
        case SeatLeft():
            picture.left += (event.seat,)
        case MatchEnded():
            picture.result = event
        case HandEnded():
            picture.last_hand = event
        case _:
            pass


def _without(lying: tuple[Card, ...], cards: tuple[Card, ...], take: Take) -> tuple[Card, ...]:
    if take == Take.FIRST:
        return lying[len(cards) :]
    if take == Take.LAST:
        return lying[: len(lying) - len(cards)]
    left = list(lying)
    for card in cards:
        left.remove(card if card in left else UNSEEN)
    return tuple(left)
