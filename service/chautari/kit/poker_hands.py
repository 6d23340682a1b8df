"""Hands of poker: how good the best five cards of up to seven are. Pure functions.

Source: pagat.com, "Poker hand ranking". From the best: straight flush, four of a kind, full house, flush, straight,
three of a kind, two pair, pair, high card. The ace is high, or low in A-2-3-4-5. Suits never decide.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import Final

from chautari.cards import Card


class Class(IntEnum):
    """The classes, the weakest first."""

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    THREE = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR = 7
    STRAIGHT_FLUSH = 8


_CLASS: Final = 20
"""Above the bits of five ranks, four bits each, is the class."""


def strength(cards: Sequence[Card]) -> int:
    """A number that is greater for the better of two hands, and the same for equal ones; `class_of` reads it.

    Of five, six or seven cards the best five count.
    """
    counts = [0] * 15
    suits = dict.fromkeys("CDHS", 0)
    ranks = 0
    for card in cards:
        counts[card.high] += 1
        suits[card.suit] |= 1 << card.high
        ranks |= 1 << card.high
    flush = max(suits.values(), key=int.bit_count)
    if flush.bit_count() < 5:
        flush = 0
    elif _top_of_straight(flush):
        return Class.STRAIGHT_FLUSH << _CLASS | _top_of_straight(flush)
    most = max(counts)
    if most == 4:
        four = counts.index(4)
        return Class.FOUR << _CLASS | four << 4 | _highest(ranks & ~(1 << four), 1)
    pairs = [rank for rank in range(14, 1, -1) if counts[rank] >= 2] if most > 1 else []
    three = next((rank for rank in pairs if counts[rank] == 3), 0)
    if three and len(pairs) > 1:
        return Class.FULL_HOUSE << _CLASS | three << 4 | next(rank for rank in pairs if rank != three)
    if flush:
        return Class.FLUSH << _CLASS | _highest(flush, 5)
    straight = _top_of_straight(ranks)
    if straight:
        return Class.STRAIGHT << _CLASS | straight
    if three:
        return Class.THREE << _CLASS | three << 8 | _highest(ranks & ~(1 << three), 2)
    if len(pairs) > 1:
        high, low = pairs[:2]
        return Class.TWO_PAIR << _CLASS | high << 8 | low << 4 | _highest(ranks & ~(1 << high | 1 << low), 1)
    if pairs:
        return Class.PAIR << _CLASS | pairs[0] << 12 | _highest(ranks & ~(1 << pairs[0]), 3)
    return _highest(ranks, 5)


def class_of(strength: int) -> Class:
    """The class of a hand, from its strength."""
    return Class(strength >> _CLASS)


def _highest(ranks: int, count: int) -> int:
    """The highest so many of these ranks, sixteen to a digit."""
    digits = 0
    for _ in range(count):
        rank = ranks.bit_length() - 1
        digits = digits << 4 | rank
        ranks ^= 1 << rank
    return digits


def _top_of_straight(ranks: int) -> int:
    """The highest rank of the best five in a row; 5 of A-2-3-4-5, 0 where there are none."""
    ranks |= ranks >> 13 & 2  # the ace also stands below the two
    ends = ranks & ranks << 1 & ranks << 2 & ranks << 3 & ranks << 4
    return ends.bit_length() - 1 if ends else 0
