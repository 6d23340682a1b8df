"""Melds: runs and sets, and what of them fits together."""

from collections.abc import Collection, Sequence

from chautari.cards import JOKER, Card

ACE_LOW, ACE_HIGH, KING = 1, 14, 13


def is_sequence(ranks: Collection[int]) -> bool:
    """Whether these ranks, the ace being 1, follow one another: the ace before the 2 or after the K, never between."""
    if len(set(ranks)) < len(ranks):
        return False
    if max(ranks) - min(ranks) == len(ranks) - 1:
        return True
    high = [ACE_HIGH if rank == ACE_LOW else rank for rank in ranks]
    return max(high) - min(high) == len(ranks) - 1


def is_pure_sequence(cards: Sequence[Card]) -> bool:
    """Whether the cards are consecutive and of one suit, each standing for itself."""
    return JOKER not in cards and len({card.suit for card in cards}) == 1 and is_sequence([c.low for c in cards])


def fit_together(one: Card, other: Card) -> bool:
    """Whether a third card can make a sequence of one suit with these two: of one suit, one or two ranks apart."""
    return one.suit == other.suit and (0 < abs(one.low - other.low) < 3 or 0 < abs(one.high - other.high) < 3)


def is_of_one_rank(cards: Sequence[Card]) -> bool:
    """Whether all cards have the same rank; jokers are of one rank too."""
    return len({card.rank for card in cards}) == 1


def lay_run(cards: Sequence[Card], *, high_ace: bool = False) -> tuple[Card, ...] | None:
    """Three cards or more of one suit as a run, low end first, or None where they make none.

    Jokers stand for missing cards, but two cards are real. They fill gaps first; one left over goes on at the high end,
    or at the low end once the high end is a K, or an A with `high_ace`: an ace is then tried low first.
    """
    real = [card for card in cards if card is not JOKER]
    if len(cards) < 3 or not 2 <= len(set(real)) == len(real) or len({card.suit for card in real}) > 1:
        return None
    run = _fill({card.low: card for card in real}, len(cards), ACE_HIGH if high_ace else KING)
    if run is None and high_ace:
        run = _fill({card.high: card for card in real}, len(cards), ACE_HIGH)
    return run


def _fill(placed: dict[int, Card], length: int, highest: int) -> tuple[Card, ...] | None:
    """A run of this length on these places, jokers between them and beyond; None where that cannot be."""
    low, high = min(placed), max(placed)
    spare = length - (high - low + 1)
    above = min(spare, highest - high)
    lowest = low - (spare - above)
    if spare < 0 or lowest < ACE_LOW:
        return None
    return tuple([placed.get(place, JOKER) for place in range(lowest, high + above + 1)])
