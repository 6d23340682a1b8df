"""A view: all that one viewer needs to draw the table, and nothing that it may not know."""

from typing import Any

import msgspec

from chautari.cards import UNSEEN, Card
from chautari.engine.events import HandEnded
from chautari.engine.facts import plain
from chautari.engine.fold import Picture
from chautari.engine.layout import Layout
from chautari.engine.look import Look, viewers_at_end
from chautari.engine.position import Position, Result
from chautari.engine.viewers import Seat, Viewer, can_see, seats_of


class ZoneView(msgspec.Struct, frozen=True):
    """A zone as a viewer sees it. cards: sorted where the zone has no order; None where the faces are unseen."""

    name: str
    count: int
    cards: tuple[Card, ...] | None


class View(msgspec.Struct, frozen=True):
    """A match as one viewer sees it. The options of a seat are made apart, by `options`."""

    viewer: Viewer
    phase: str
    must: tuple[Seat, ...]
    may: tuple[Seat, ...]
    zones: tuple[ZoneView, ...]
    facts: dict[str, Any]
    hands: int
    left: tuple[Seat, ...]
    result: Result | None
    last_hand: HandEnded | None


def view(position: Position[Any], viewer: Viewer) -> View:
    """The match as a seat, or somebody without one (None), sees it."""
    look = Look(position)
    return View(
        viewer=viewer,
        phase=position.phase,
        must=seats_of(position.must),
        may=seats_of(position.may),
        zones=tuple([_zone(position, look, name, viewer) for name in position.layout.places]),
        facts=_facts(position, look, viewer),
        hands=position.hands,
        left=position.left,
        result=position.result,
        last_hand=position.last_hand,
    )


def pictured(picture: Picture, layout: Layout, viewer: Viewer) -> View:
    """The same from a picture that was folded of this viewer's own events: no position is looked at."""
    ended = picture.result
    return View(
        viewer=viewer,
        phase=picture.phase,
        must=seats_of(picture.must),
        may=seats_of(picture.may),
        zones=tuple([_pictured_zone(name, picture, layout) for name in layout.places]),
        facts=dict(picture.facts),
        hands=picture.hands,
        left=picture.left,
        result=None if ended is None else Result(ended.placing, ended.score, ended.aborted),
        last_hand=picture.last_hand,
    )


def _pictured_zone(name: str, picture: Picture, layout: Layout) -> ZoneView:
    cards = picture.zones.get(name, ())
    if UNSEEN in cards:
        return ZoneView(name, len(cards), None)
    return ZoneView(name, len(cards), cards if layout.places[name].zone.ordered else tuple(sorted(cards)))


def _zone(position: Position[Any], look: Look[Any], name: str, viewer: Viewer) -> ZoneView:
    cards = position.zones[name]
    viewers = viewers_at_end(look, name) if position.is_over else look.viewers(name)
    if not can_see(viewers, viewer):
        return ZoneView(name, len(cards), (UNSEEN,) * len(cards) if not cards else None)
    if not position.layout.places[name].zone.ordered:
        cards = tuple(sorted(cards))
    return ZoneView(name, len(cards), cards)


def _facts(position: Position[Any], look: Look[Any], viewer: Viewer) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    for fact in position.game.facts_declared:
        if fact.private is None or can_see(fact.private.viewers(look), viewer):
            facts[fact.name] = plain(getattr(position.facts, fact.field))
        elif not fact.secret:
            facts[fact.name] = plain(fact.private.shown_to(getattr(position.facts, fact.field), viewer))
    return facts
