"""The layout of a match: what its settings make of its game's zones and verbs, made once for all matches alike."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from chautari.engine.actions import Verb
from chautari.engine.listing import Offer
from chautari.engine.viewers import ALL, NOBODY, Seat, Viewers
from chautari.engine.zones import Listed, Sees, ViewersOf, Zone


@dataclass(frozen=True, slots=True)
class Place:
    """One zone of a match: `hand.2`. `number` is its seat or index, −1 where the zone is shared."""

    name: str
    zone: Zone
    number: int
    viewers: Viewers | ViewersOf
    viewers_at_end: Viewers | ViewersOf


@dataclass(frozen=True, slots=True)
class Family:
    """The zones of one name whose viewers a fact lists; by number their full names, and who sees them then, or else."""

    fact: str
    names: tuple[str, ...]
    then: tuple[Viewers, ...]
    otherwise: tuple[Viewers, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """What the settings of a match make of its game: its zones, in the order declared, and its verbs."""

    places: dict[str, Place]
    seats: range
    rounds: tuple[tuple[Seat, ...], ...]
    """By seat, all seats in the order of play from this one on."""
    names: dict[str, tuple[str, ...]]
    """By zone: a full name for each seat or index; of a shared zone its one name, as often as one may ask for it."""
    shared: frozenset[str]
    """The zones of which there is one."""
    viewers: dict[str, Viewers | ViewersOf]
    """By full name, while the match goes on."""
    moving: tuple[str, ...]
    """The zones whose viewers are a function of the state, by full name."""
    listed: tuple[Family, ...]
    """The zones whose viewers a fact lists."""
    opened_at_end: tuple[str, ...]
    """The zones whose viewers are others once the match is over, by full name."""
    empty: dict[str, tuple[()]] = field(default_factory=dict)
    verbs: Mapping[str, Mapping[str, Verb]] = field(default_factory=dict)
    """By phase, the verbs that exist, by key."""
    offers: Mapping[str, tuple[Offer, ...]] = field(default_factory=dict)
    """By phase, the same verbs, ready to be listed."""


def lay_out(
    zones: tuple[Zone, ...], players: int, settings: object, verbs: Mapping[str, Mapping[str, Verb]],
    offers: Mapping[str, tuple[Offer, ...]],
) -> Layout:  # fmt: skip
    """The layout of these zones and verbs."""
    places: dict[str, Place] = {}
    names: dict[str, tuple[str, ...]] = {}
    shared = frozenset(zone.name for zone in zones if not zone.per_seat and zone.indexes is None)
    indexes = {zone.name: _indexes(zone, players, settings) for zone in zones}
    most = max(players, *map(len, indexes.values()))
    for zone in zones:
        own = [(f"{zone.name}.{index}", number) for number, index in enumerate(indexes[zone.name])]
        if zone.name in shared:
            own = [(zone.name, -1)]
        for name, number in own:
            viewers = _viewers(zone.sees, number, players)
            at_end = viewers if zone.at_end is None else _viewers(zone.at_end, number, players)
            places[name] = Place(name, zone, number, viewers, at_end)
        names[zone.name] = (zone.name,) * most if zone.name in shared else tuple(name for name, _ in own)
    return Layout(
        places=places,
        seats=range(players),
        rounds=tuple((*range(first, players), *range(first)) for first in range(players)),
        names=names,
        shared=shared,
        viewers={name: place.viewers for name, place in places.items()},
        moving=tuple(
            place.name
            for place in places.values()
            if callable(place.viewers) and not isinstance(place.zone.sees, Listed)
        ),
        listed=tuple(
            Family(
                zone.sees.fact,
                names[zone.name],
                tuple(_mask(zone.sees.then, number, players) for number in range(len(names[zone.name]))),
                tuple(_mask(zone.sees.otherwise, number, players) for number in range(len(names[zone.name]))),
            )
            for zone in zones
            if isinstance(zone.sees, Listed)
        ),
        opened_at_end=tuple(place.name for place in places.values() if place.zone.at_end is not None),
        empty=dict.fromkeys(places, ()),
        verbs=verbs,
        offers=offers,
    )


def _indexes(zone: Zone, players: int, settings: object) -> Collection[str | int]:
    """What tells the zones of a family apart; nothing where there is but one."""
    if callable(zone.indexes):
        made = zone.indexes(settings)
        return range(made) if isinstance(made, int) else made
    return zone.indexes or range(players if zone.per_seat else 0)


def _viewers(sees: Sees | Listed | ViewersOf, number: int, players: int) -> Viewers | ViewersOf:
    if isinstance(sees, Listed):
        fact, then, otherwise = sees.fact, _mask(sees.then, number, players), _mask(sees.otherwise, number, players)
        return lambda look, number: then if number in getattr(look.facts, fact) else otherwise
    return _mask(sees, number, players) if isinstance(sees, Sees) else sees


def _mask(sees: Sees, number: int, players: int) -> Viewers:
    everyone: Final = (1 << players) - 1
    return {Sees.ALL: ALL, Sees.NONE: NOBODY, Sees.OWNER: 1 << number if number >= 0 else NOBODY,
            Sees.OTHERS: everyone & ~(1 << number) if number >= 0 else NOBODY}[sees]  # fmt: skip
