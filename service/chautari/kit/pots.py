"""Pots: chips that were paid into a hand, and how they are divided among those who win it. Pure functions.

Source: pagat.com, "Poker betting", for side pots and uncalled chips; the rules of the TDA for odd chips.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from chautari.engine import Seat
from chautari.kit.totals import set_at


class Pot(NamedTuple):
    """One pot: its chips, and the seats that can win it, ascending."""

    amount: int
    seats: tuple[Seat, ...]


def uncalled(paid: Sequence[int]) -> tuple[int, ...]:
    """What is given back to each seat: to one that paid more than every other, the difference to the next highest."""
    second, most = sorted(paid)[-2:]
    return tuple([most - second if own == most else 0 for own in paid])


def side_pots(paid: Sequence[int], live: Collection[Seat]) -> list[Pot]:
    """The main pot first: a pot for each height that a live seat has paid up to, with what all paid towards it."""
    pots: list[Pot] = []
    below = 0
    seats = tuple(sorted([seat for seat in live if paid[seat]]))
    for height in sorted({paid[seat] for seat in seats}):
        if pots:
            seats = tuple([seat for seat in seats if paid[seat] >= height])
        up_to = sum([own if own < height else height for own in paid])
        pots.append(Pot(up_to - below, seats))
        below = up_to
    return pots


def share(amount: int, winners: Sequence[Seat]) -> dict[Seat, int]:
    """What each winner gets: equal parts, and of the odd chips one each to the first of them."""
    part, odd = divmod(amount, len(winners))
    return {seat: part + (place < odd) for place, seat in enumerate(winners)}


class Winnings(NamedTuple):
    """What became of the pots: of each its chips, the seats that could win it and those that did; the chips by seat."""

    pots: list[tuple[int, tuple[Seat, ...], tuple[Seat, ...]]]
    chips: tuple[int, ...]


def win_alone(paid: Sequence[int], winner: Seat) -> Winnings:
    """The one seat that is left wins all that was paid."""
    amount = sum(paid)
    return Winnings([(amount, (winner,), (winner,))], set_at((0,) * len(paid), winner, amount))


def win_pots(paid: Sequence[int], hands: Mapping[Seat, int], order: Sequence[Seat]) -> Winnings:
    """Each pot goes to the strongest of the `hands` that can win it, odd chips to the first of the winners in `order`.

    hands: of each live seat, a number that is greater for a better hand.
    """
    pots, chips = [], [0] * len(paid)
    for amount, seats in side_pots(paid, hands):
        best = max([hands[seat] for seat in seats])
        winners = tuple([seat for seat in seats if hands[seat] == best])
        pots.append((amount, seats, winners))
        if len(winners) == 1:
            chips[winners[0]] += amount
            continue
        for seat, won in share(amount, [seat for seat in order if seat in winners]).items():
            chips[seat] += won
    return Winnings(pots, tuple(chips))
