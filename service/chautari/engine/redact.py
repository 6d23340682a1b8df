"""The one place where what a viewer gets is cut: an event becomes what this viewer may know of it.

A cut event is the same class with unseen faces in place of those that the viewer may not see; what is left out is
described at each case. Nothing else is ever sent.
"""

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
from chautari.engine.viewers import ALL, NOBODY, Viewer, bit_of, can_see

_UNSEEN = bytes((UNSEEN,))
_OPEN = frozenset((HandBegan, Turned, HandEnded, SeatLeft, MatchEnded))
"""What everybody may know as it is."""


def redact(events: list[Event], viewer: Viewer) -> list[Event]:
    """The events as this viewer may see them, in their order."""
    place = bit_of(viewer)
    return [seen for event in events if (seen := _cut(event, viewer, place)) is not None]


def _cut(event: Event, viewer: Viewer, place: int) -> Event | None:
    kind = type(event)
    if kind in _OPEN:
        return event
    if kind is Moved:
        return _cut_moved(event, place)  # type: ignore[arg-type]
    if kind is Told:
        return _cut_told(event, viewer)  # type: ignore[arg-type]
    if isinstance(event, Said):
        return event if event.seat == viewer else Said(event.seat, event.told, event.told)
    if isinstance(event, Dealt):
        viewers = tuple([_bare(v, viewer) for v in event.viewers])
        hands = tuple([hand if v else _UNSEEN * len(hand) for hand, v in zip(event.hands, viewers, strict=True)])
        return Dealt(event.source, event.targets, hands, viewers)
    if isinstance(event, Shuffled):
        seen = can_see(event.viewers, viewer)
        return Shuffled(event.faces if seen else _UNSEEN * len(event.faces), event.zone, _bare(event.viewers, viewer))
    if isinstance(event, (Shown, Hidden)):
        if not can_see(event.viewers, viewer):
            return None
        return Shown(event.zone, event.faces, ALL) if isinstance(event, Shown) else Hidden(event.zone, ALL)
    return event


def _cut_moved(event: Moved, place: int) -> Moved:
    """place: the bit of the viewer in a set of them."""
    if event.viewers == ALL and event.landing == ALL:
        return event
    seen = event.viewers & place
    faces = event.faces if seen else _UNSEEN * len(event.faces)
    landing = ALL if event.landing & place else NOBODY
    return Moved(faces, event.source, event.target, ALL if seen else NOBODY, landing, event.take, event.put)


def _cut_told(event: Told, viewer: Viewer) -> Told | None:
    if event.viewers == ALL:
        return event
    facts = event.facts if can_see(event.viewers, viewer) else event.instead
    return Told(facts) if facts else None


def _bare(viewers: int, viewer: Viewer) -> int:
    """Whether this viewer is among them, and not who else is."""
    return ALL if can_see(viewers, viewer) else NOBODY
