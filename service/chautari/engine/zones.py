"""Zones: the places where cards lie, who sees their faces, and how a client lays them out."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, Any, Final

from chautari.engine.viewers import ALL, NOBODY, Seat, Viewers

if TYPE_CHECKING:
    from chautari.engine.actions import Verb
    from chautari.engine.listing import Offer
    from chautari.engine.look import Look


class Sees(Enum):
    """Who sees the faces of a zone."""

    ALL = "all"
    OWNER = "owner"
    OTHERS = "others"
    """All seats but the owner, and nobody without a seat."""
    NONE = "none"


class Kind(StrEnum):
    """How a client lays a zone out; a closed set, so that it needs to know no game."""

    STOCK = "stock"
    PILE = "pile"
    HAND = "hand"
    TRICK = "trick"
    WON = "won"
    MELD = "meld"
    ROW = "row"
    BOARD = "board"
    ASIDE = "aside"


ViewersOf = Callable[["Look[Any]", Seat], Viewers]
"""Who sees the zone of this seat (or index) now: a function of what is public in the state."""


@dataclass(frozen=True, slots=True)
class Listed:
    """Who sees the zones whose seats (or indexes) a public fact lists: `then`; who sees the others: `otherwise`.

    For many zones of which few change: what an action costs does not grow with their number, as with a function.
    """

    fact: str
    then: Sees = Sees.ALL
    otherwise: Sees = Sees.NONE


@dataclass(frozen=True, slots=True)
class Zone:
    """A zone, or one for each seat (`hand.2`) or index (`pos.17`, `row.H`).

    sees      who sees the faces; the count is everybody's
    per_seat  one for each seat
    ordered   the order matters and is shown; an unordered zone is shown sorted
    kind      how a client lays it out; may be left out where the name is a kind, or `deck`
    at_end    who sees it once the match is over, where that differs
    indexes   where they are told apart by something else than seats: their names, in order, or what the settings make
              of them: names, or how many numbers from 0 there are; a rule names one by its number
    """

    name: str
    sees: Sees | Listed | ViewersOf
    per_seat: bool = False
    ordered: bool = False
    kind: Kind | None = None
    at_end: Sees | ViewersOf | None = None
    indexes: tuple[str, ...] | Callable[[Any], int | tuple[str, ...]] | None = None

    @property
    def laid_out_as(self) -> Kind:
        """The kind, declared or by its name."""
        return self.kind or (Kind.STOCK if self.name == "deck" else Kind(self.name))


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
    listed: tuple["Family", ...]
    """The zones whose viewers a fact lists."""
    opened_at_end: tuple[str, ...]
    """The zones whose viewers are others once the match is over, by full name."""
    empty: dict[str, tuple[()]] = field(default_factory=dict)
    verbs: "Mapping[str, Mapping[str, Verb]]" = field(default_factory=dict)
    """By phase, the verbs that exist, by key."""
    offers: "Mapping[str, tuple[Offer, ...]]" = field(default_factory=dict)
    """By phase, the same verbs, ready to be listed."""


def lay_out(
    zones: tuple[Zone, ...], players: int, settings: object, verbs: "Mapping[str, Mapping[str, Verb]]",
    offers: "Mapping[str, tuple[Offer, ...]]",
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
