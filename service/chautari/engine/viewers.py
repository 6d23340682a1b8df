"""Who sees something: a set of seats, and whether everybody else does too, as bits of one int.

Bit s stands for seat s, bit 30 for those who hold no seat. A viewer is a seat, or None for somebody without one, who
sees only what all see.
"""

from collections.abc import Iterable
from typing import Annotated, Final

Seat = Annotated[int, "seat"]
"""A chair in a match, 0 … n−1 in the order of play."""

Viewer = Seat | None
Viewers = int

ALL: Final[Viewers] = -1
NOBODY: Final[Viewers] = 0
_OUTSIDE: Final = 30


def only(*seats: Seat) -> Viewers:
    """These seats and nobody else."""
    if len(seats) == 1:
        return 1 << seats[0]
    mask = 0
    for seat in seats:
        mask |= 1 << seat
    return mask


def can_see(viewers: Viewers, viewer: Viewer) -> bool:
    """Whether this viewer is among them."""
    return bool(viewers >> (_OUTSIDE if viewer is None else viewer) & 1)


def bit_of(viewer: Viewer) -> int:
    """The bit that stands for a viewer in a set of them."""
    return 1 << (_OUTSIDE if viewer is None else viewer)


def seats_of(mask: int) -> tuple[Seat, ...]:
    """The seats whose bits are set, ascending."""
    return _SEATS[mask] if 0 <= mask < len(_SEATS) else tuple(seat for seat in range(_OUTSIDE) if mask >> seat & 1)


def _listed(masks: Iterable[int]) -> list[tuple[Seat, ...]]:
    return [tuple(seat for seat in range(12) if mask >> seat & 1) for mask in masks]


_SEATS: Final = _listed(range(1 << 8))
