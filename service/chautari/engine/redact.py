"""The one place where what a viewer gets is cut: an event becomes what this viewer may know of it.

A cut event is the same class with unseen faces in place of those that the viewer may not see; what is left out is
described at each case. Nothing else is ever sent.
"""

from collections.abc import Callable
from typing import Any, Final

from chautari.cards import UNSEEN
from chautari.engine.events import (
    Dealt,
    Event,
    HandBegan,
    HandEnded,
    Hidden,
    MatchEnded,
    Moved,
    Said,
    SeatLeft,
    Shown,
    Shuffled,
    Told,
    Turned,
)
from chautari.engine.viewers import ALL, NOBODY, Viewer, bit_of

_UNSEEN: Final = bytes((UNSEEN,))


def redact(events: list[Event], viewer: Viewer) -> list[Event]:
    """The events as this viewer may see them, in their order."""
    place = bit_of(viewer)
    return [seen for event in events if (seen := _CUTS[type(event)](event, viewer, place)) is not None]


def _whole(event: Event, viewer: Viewer, place: int) -> Event:
    """What everybody may know as it is."""
    return event


def _cut_moved(event: Moved, viewer: Viewer, place: int) -> Moved:
    """place: the bit of the viewer in a set of them; here and below."""
    if event.viewers == ALL and event.landing == ALL:
        return event
    seen = event.viewers & place
    faces = event.faces if seen else _UNSEEN * len(event.faces)
    landing = ALL if event.landing & place else NOBODY
    return Moved(faces, event.source, event.target, ALL if seen else NOBODY, landing, event.take, event.put)


def _cut_told(event: Told, viewer: Viewer, place: int) -> Told | None:
    if event.viewers == ALL:
        return event
    facts = event.facts if event.viewers & place else event.instead
    return Told(facts) if facts else None


def _cut_said(event: Said, viewer: Viewer, place: int) -> Said:
    return event if event.seat == viewer else Said(event.seat, event.told, event.told)


def _cut_dealt(event: Dealt, viewer: Viewer, place: int) -> Dealt:
    viewers = tuple([ALL if v & place else NOBODY for v in event.viewers])
    hands = tuple([hand if v else _UNSEEN * len(hand) for hand, v in zip(event.hands, viewers, strict=True)])
    return Dealt(event.source, event.targets, hands, viewers)


def _cut_shuffled(event: Shuffled, viewer: Viewer, place: int) -> Shuffled:
    if event.viewers & place:
        return Shuffled(event.faces, event.zone, ALL)
    return Shuffled(_UNSEEN * len(event.faces), event.zone, NOBODY)


def _cut_shown(event: Shown, viewer: Viewer, place: int) -> Shown | None:
    return Shown(event.zone, event.faces, ALL) if event.viewers & place else None


def _cut_hidden(event: Hidden, viewer: Viewer, place: int) -> Hidden | None:
    return Hidden(event.zone, ALL) if event.viewers & place else None


_CUTS: Final[dict[type[Event], Callable[[Any, Viewer, int], Event | None]]] = {
    HandBegan: _whole,
    Shuffled: _cut_shuffled,
    Dealt: _cut_dealt,
    Moved: _cut_moved,
    Shown: _cut_shown,
    Hidden: _cut_hidden,
    Told: _cut_told,
    Said: _cut_said,
    Turned: _whole,
    HandEnded: _whole,
    SeatLeft: _whole,
    MatchEnded: _whole,
}
"""How each kind is cut; of one that is not here nobody is told anything."""
