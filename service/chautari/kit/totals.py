"""Totals: counts and points by seat, or by side, as facts hold them."""

from typing import TypeVar

T = TypeVar("T")


def add_to(totals: tuple[int, ...], seat: int, points: int = 1) -> tuple[int, ...]:
    """The totals with so much more for this seat (or side)."""
    changed = [*totals]
    changed[seat] += points
    return tuple(changed)


def set_at(values: tuple[T, ...], seat: int, value: T) -> tuple[T, ...]:
    """The values by seat (or side) with this one for that seat."""
    changed = [*values]
    changed[seat] = value
    return tuple(changed)
