"""Pots: chips that were paid into a hand, and how they are divided among those who win it. Pure functions.

Source: pagat.com, "Poker betting", for side pots and uncalled chips; the rules of the TDA for odd chips.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from chautari.engine import Seat


class Pot(NamedTuple):
    """One pot: its chips, and the seats that can win it, ascending."""

    amount: int
    seats: tuple[Seat, ...]


def uncalled(paid: Sequence[int]) -> tuple[int, ...]:
    """What is given back to each seat: to one that paid more than every other, the difference to the next highest."""
    second, most = sorted(paid)[-2:]
    return tuple(most - second if own == most else 0 for own in paid)


def side_pots(paid: Sequence[int], live: Collection[Seat]) -> list[Pot]:
    """The main pot first: a pot for each height that a live seat has paid up to, with what all paid towards it."""
    pots = []
    below = 0
    for height in sorted({paid[seat] for seat in live} - {0}):
        amount = sum([min(own, height) - min(own, below) for own in paid])
        pots.append(Pot(amount, tuple(sorted(seat for seat in live if paid[seat] >= height))))
        below = height
    return pots


def share(amount: int, winners: Sequence[Seat]) -> dict[Seat, int]:
    """What each winner gets: equal parts, and of the odd chips one each to the first of them."""
    part, odd = divmod(amount, len(winners))
    return {seat: part + (place < odd) for place, seat in enumerate(winners)}
