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
    one = two = three = four = 0  # the ranks of which there are so many cards or more, as bits
    suits = dict.fromkeys("CDHS", 0)
    for card in cards:
        rank = 1 << card.high
        four |= three & rank
        three |= two & rank
        two |= one & rank
        one |= rank
        suits[card.suit] |= rank
    flush = max(suits.values(), key=int.bit_count)
    if flush.bit_count() < 5:
        flush = 0
    elif _top_of_straight(flush):
        return Class.STRAIGHT_FLUSH << _CLASS | _top_of_straight(flush)
    if four:
        return Class.FOUR << _CLASS | _highest(four, 1) << 4 | _highest(one ^ four, 1)
    best = _highest_bit(three)
    if best and two != best:
        return Class.FULL_HOUSE << _CLASS | _highest(best, 1) << 4 | _highest(two ^ best, 1)
    if flush:
        return Class.FLUSH << _CLASS | _highest(flush, 5)
    straight = _top_of_straight(one)
    if straight:
        return Class.STRAIGHT << _CLASS | straight
    if three:
        return Class.THREE << _CLASS | _highest(three, 1) << 8 | _highest(one ^ three, 2)
    pair = _highest_bit(two)
    if two != pair:
        pairs = pair | _highest_bit(two ^ pair)
        return Class.TWO_PAIR << _CLASS | _highest(pairs, 2) << 4 | _highest(one ^ pairs, 1)
    if two:
        return Class.PAIR << _CLASS | _highest(two, 1) << 12 | _highest(one ^ two, 3)
    return _highest(one, 5)


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


def _highest_bit(ranks: int) -> int:
    """The highest of these ranks, 0 of none."""
    return 1 << ranks.bit_length() >> 1


def _top_of_straight(ranks: int) -> int:
    """The highest rank of the best five in a row; 5 of A-2-3-4-5, 0 where there are none."""
    ranks |= ranks >> 13 & 2  # the ace also stands below the two
    ends = ranks & ranks << 1 & ranks << 2 & ranks << 3 & ranks << 4
    return ends.bit_length() - 1 if ends else 0
