"""What the rules may read of a state: zones, facts, seats. A `Look` never changes anything."""

from collections.abc import Container
from itertools import compress
from typing import TYPE_CHECKING, Generic

from chautari.cards import Card
from chautari.engine.facts import F
from chautari.engine.viewers import Seat, Viewers, seats_of

if TYPE_CHECKING:
    from chautari.engine.position import Position


class Look(Generic[F]):
    """A state as domains, viewers and samplers read it.

    facts: the facts; phase: of the last turn; players: how many seats; seats: all of them, in order; acting: the seats
    in turn, those that must and those that may; zones: the cards by full name, not to be written to. A zone is asked
    for by its name and, where there are several of it, the seat (or index).
    """

    __slots__ = ("_position", "facts", "layout", "phase", "players", "seats", "zones")

    def __init__(self, position: "Position[F]") -> None:
        self._position = position
        self.layout = layout = position.layout
        self.zones = position.zones
        self.facts: F = position.facts
        self.phase: str = position.phase
        self.seats = layout.seats
        self.players: int = position.settings.players

    @property
    def acting(self) -> tuple[Seat, ...]:
        """The seats in turn when this action began."""
        return seats_of(self._position.must | self._position.may)

    def name(self, zone: str, seat: Seat | None = None) -> str:
        """The full name of a zone: `hand` of seat 2 is `hand.2`."""
        if seat is not None:
            return self.layout.names[zone][seat]
        if zone not in self.layout.shared:
            raise TypeError(f"there is no one zone {zone}: name the seat or index")
        return zone

    def cards(self, zone: str, seat: Seat | None = None) -> tuple[Card, ...]:
        """The cards of a zone, in its order."""
        return self.zones[zone if seat is None else self.layout.names[zone][seat]]

    def count(self, zone: str, seat: Seat | None = None) -> int:
        """How many cards a zone holds."""
        return len(self.zones[zone if seat is None else self.layout.names[zone][seat]])

    def top(self, zone: str, seat: Seat | None = None) -> Card | None:
        """The last card of a zone, None where it is empty."""
        cards = self.cards(zone, seat)
        return cards[-1] if cards else None

    def counts(self, zone: str) -> tuple[int, ...]:
        """How many cards each seat has in its zone, by seat (or by index)."""
        return tuple(map(len, map(self.zones.__getitem__, self.layout.names[zone])))

    def holders(self, zone: str) -> list[Seat]:
        """The seats whose zone holds a card, ascending."""
        names = self.layout.names[zone]
        return list(compress(range(len(names)), map(self.zones.__getitem__, names)))

    def after(self, seat: Seat, among: Container[Seat] | None = None) -> Seat:
        """The next seat in the order of play; the nearest that is `among` these, which may be the seat itself."""
        players = self.players
        following = (seat + 1) % players
        if among is not None:
            for _ in range(players):
                if following in among:
                    return following
                following = (following + 1) % players
            raise LookupError("no seat is left to come next")
        return following

    def before(self, seat: Seat, among: Container[Seat] | None = None) -> Seat:
        """The seat before in the order of play; the nearest that is `among` these, which may be the seat itself."""
        players = self.players
        previous = (seat - 1) % players
        if among is not None:
            for _ in range(players):
                if previous in among:
                    return previous
                previous = (previous - 1) % players
            raise LookupError("no seat is left to come before")
        return previous

    def nearest(self, seat: Seat, among: Container[Seat]) -> Seat:
        """The seat itself if it is `among` these, else the next of them in the order of play."""
        return seat if seat in among else self.after(seat, among)

    def round_from(self, seat: Seat) -> tuple[Seat, ...]:
        """All seats in the order of play, this one first."""
        return self.layout.rounds[seat]

    def viewers(self, name: str) -> Viewers:
        """Who sees the faces of the zone with this full name while the match goes on."""
        viewers = self.layout.viewers[name]
        if isinstance(viewers, int):
            return viewers
        return viewers(self, self.layout.places[name].number)


def viewers_at_end(look: Look[F], name: str) -> Viewers:
    """Who sees the faces of the zone with this full name once the match is over."""
    place = look.layout.places[name]
    viewers = place.viewers_at_end
    return viewers if isinstance(viewers, int) else viewers(look, place.number)
