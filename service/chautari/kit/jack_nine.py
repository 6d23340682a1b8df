"""Jack and nine: the ranks of the games in which the jack is best and the nine second, and what the cards count."""

from collections.abc import Iterable, Sequence
from typing import Final

from chautari.cards import ALL_CARDS, SUITS, Card, Rank, card

_LOW_TO_HIGH: Final[tuple[Rank, ...]] = ("6", "7", "8", "Q", "K", "T", "A", "9", "J")
_STRENGTH: Final = [_LOW_TO_HIGH.index(card.rank) if card.rank in _LOW_TO_HIGH else -1 for card in ALL_CARDS]
_POINTS: Final = [{"J": 3, "9": 2, "A": 1, "T": 1}.get(card.rank, 0) for card in ALL_CARDS]


def jack_high(card: Card) -> int:
    """The strength of a card within its suit: J 9 A T K Q 8 7 6 from high to low."""
    return _STRENGTH[card]


def jack_low(card: Card) -> int:
    """The same order turned upside down: 6 7 8 Q K T A 9 J from high to low."""
    return -jack_high(card)


def card_points(cards: Iterable[Card]) -> int:
    """What these cards count: a jack 3, a nine 2, an ace and a ten 1 each."""
    return sum([_POINTS[card] for card in cards])


def is_thrown_in(hand: Sequence[Card]) -> bool:
    """Whether a hand holds all four jacks, or no points."""
    return [card.rank for card in hand].count("J") == 4 or not card_points(hand)


def pack_of(ranks: str) -> tuple[Card, ...]:
    """A pack with these ranks in each suit, as often as they are named: `JJ9` has two jacks of a suit and one nine."""
    return tuple(sorted(card(rank + suit) for suit in SUITS for rank in ranks))
