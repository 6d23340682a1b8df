"""Totals: counts and points by seat, or by side, as facts hold them."""


def add_to(totals: tuple[int, ...], seat: int, points: int = 1) -> tuple[int, ...]:
    """The totals with so much more for this seat (or side)."""
    return (*totals[:seat], totals[seat] + points, *totals[seat + 1 :])
