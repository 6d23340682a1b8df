"""Hands of three cards and their ranking, as Kitti and Teen Patti compare them: pure functions.

Source: pagat.com on three-card hands. From the best: a trial (three of a rank), a pure run (of one suit), a run, a
colour (one suit), a pair, a high card. Suits never decide, so hands of equal ranks and class are equal.
"""

from collections.abc import Collection, Sequence
from enum import IntEnum
from functools import cache
from typing import Final, Literal

from chautari.cards import Card, pack

Aces = Literal["first", "second", "lowest"]
"""Where A-2-3 stands among the runs: before A-K-Q, right after it, or after 4-3-2."""


class Class(IntEnum):
    """The classes, the weakest first."""

    HIGH_CARD = 0
    PAIR = 1
    COLOUR = 2
    RUN = 3
    PURE_RUN = 4
    TRIAL = 5
    TWO_THREE_FIVE = 6
    """2, 3 and 5 of three suits; only where it is asked for."""


_TOP_RUNS: Final[dict[Aces, dict[tuple[int, ...], int]]] = {
    "first": {(14, 3, 2): 16, (14, 13, 12): 15},
    "second": {(14, 13, 12): 16, (14, 3, 2): 15},
    "lowest": {(14, 13, 12): 15, (14, 3, 2): 3},
}
"""The place among the runs of those with an ace; that of any other is its highest card."""


def strength(hand: Sequence[Card], *, aces: Aces = "second", two_three_five: bool = False) -> int:
    """A number that is greater for the better of two hands, and the same for equal ones; `class_of` reads it."""
    one, two, three = hand
    place = one.high << 8 | two.high << 4 | three.high
    if one.suit == two.suit == three.suit:
        return _of_one_suit(aces)[place]
    if two_three_five and {one.high, two.high, three.high} == {2, 3, 5} and len({c.suit for c in hand}) == 3:
        return Class.TWO_THREE_FIVE << 12
    return _mixed(aces)[place]


def strength_with_wilds(hand: Sequence[Card], wild: Collection[str], *, aces: Aces = "second") -> int:
    """As `strength`, where cards of these ranks are wild: each is read as what makes the hand strongest.

    Three wild cards are a trial of aces, two and another card a trial of its rank; one stands for any card of the pack
    but the other two.
    """
    fixed = [card for card in hand if card.rank not in wild]
    if len(fixed) == 3:
        return strength(hand, aces=aces)
    if len(fixed) == 2:
        return max([strength((*fixed, card), aces=aces) for card in pack() if card not in fixed])
    return Class.TRIAL << 12 | (fixed[0].high if fixed else 14)


def class_of(strength: int) -> Class:
    """The class of a hand, from its strength."""
    return Class(strength >> 12)


@cache
def _mixed(aces: Aces) -> list[int]:
    """The strength of three ranks that are not all of one suit: at the place of their numbers, sixteen to a digit."""
    return [_rank_hand((a, b, c), aces, one_suit=False) for a in range(16) for b in range(16) for c in range(16)]


@cache
def _of_one_suit(aces: Aces) -> list[int]:
    """The same of three ranks of one suit."""
    return [_rank_hand((a, b, c), aces, one_suit=True) for a in range(16) for b in range(16) for c in range(16)]


def _rank_hand(ranks: tuple[int, ...], aces: Aces, *, one_suit: bool) -> int:
    ranks = tuple(sorted(ranks, reverse=True))
    high, middle, low = ranks
    if high == low:
        return Class.TRIAL << 12 | high
    if high == middle or middle == low:
        return Class.PAIR << 12 | middle << 4 | (low if high == middle else high)
    run = _TOP_RUNS[aces].get(ranks) or (high if high - low == 2 else 0)
    if run:
        return (Class.PURE_RUN if one_suit else Class.RUN) << 12 | run
    return (Class.COLOUR if one_suit else Class.HIGH_CARD) << 12 | high << 8 | middle << 4 | low
