"""Partners: four seats, of which those that sit opposite each other are a side."""

from typing import Any

from chautari.engine import Seat


def side_of(seat: Seat) -> int:
    """Seats 0 and 2 are side 0, seats 1 and 3 side 1."""
    return seat % 2


def is_on_side_of(other: Seat | None, seat: Seat) -> bool:
    """Whether a seat is the other or its partner; nobody's where there is no other."""
    return other is not None and side_of(seat) == side_of(other)


def two_sides(settings: Any) -> tuple[tuple[Seat, ...], ...]:
    """The seats of each side."""
    return (0, 2), (1, 3)
