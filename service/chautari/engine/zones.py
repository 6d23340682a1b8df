"""Zones: the places where cards lie, who sees their faces, and how a client lays them out."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, Any, Final

from chautari.engine.viewers import ALL, NOBODY, Seat, Viewers

if TYPE_CHECKING:
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
class Zone:
    """A zone, or one for each seat (`hand.2`) or index (`pos.17`).

    sees      who sees the faces; the count is everybody's
    per_seat  one for each seat
    ordered   the order matters and is shown; an unordered zone is shown sorted
    kind      how a client lays it out; may be left out where the name is a kind, or `deck`
    at_end    who sees it once the match is over, where that differs
    indexes   how many there are, by settings, where they are numbered by something else than seats
    """

    name: str
    sees: Sees | ViewersOf
    per_seat: bool = False
    ordered: bool = False
    kind: Kind | None = None
    at_end: Sees | ViewersOf | None = None
    indexes: Callable[[Any], int] | None = None

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
class Layout:
    """All zones of a match with these settings, in the order declared."""

    places: dict[str, Place]
    seats: range
    names: dict[str, tuple[str, ...]]
    """By zone: a full name for each seat or index; of a shared zone its one name, as often as one may ask for it."""
    shared: frozenset[str]
    """The zones of which there is one."""
    viewers: dict[str, Viewers | ViewersOf]
    """By full name, while the match goes on."""
    moving: tuple[Place, ...]
    """The places whose viewers may change while the match goes on."""
    empty: dict[str, tuple[()]] = field(default_factory=dict)


def lay_out(zones: tuple[Zone, ...], players: int, settings: object) -> Layout:
    """The places that these settings make of the declared zones."""
    places: dict[str, Place] = {}
    names: dict[str, tuple[str, ...]] = {}
    shared = frozenset(zone.name for zone in zones if not zone.per_seat and zone.indexes is None)
    most = max([players, *(zone.indexes(settings) for zone in zones if zone.indexes)])
    for zone in zones:
        count = players if zone.per_seat else zone.indexes(settings) if zone.indexes else 0
        own = [(f"{zone.name}.{number}", number) for number in range(count)]
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
        names=names,
        shared=shared,
        viewers={name: place.viewers for name, place in places.items()},
        moving=tuple(place for place in places.values() if callable(place.viewers)),
        empty=dict.fromkeys(places, ()),
    )


def _viewers(sees: Sees | ViewersOf, number: int, players: int) -> Viewers | ViewersOf:
    if not isinstance(sees, Sees):
        return sees
    everyone: Final = (1 << players) - 1
    return {Sees.ALL: ALL, Sees.NONE: NOBODY, Sees.OWNER: 1 << number if number >= 0 else NOBODY,
            Sees.OTHERS: everyone & ~(1 << number) if number >= 0 else NOBODY}[sees]  # fmt: skip
