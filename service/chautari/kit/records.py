"""Records: how a hand is written down once it is laid open."""

from collections.abc import Iterable

from chautari.cards import Card, text


def best_first(cards: Iterable[Card]) -> list[Card]:
    """Sorted A K Q … 2, jokers last; within a rank S H D C."""
    return sorted(cards, key=lambda card: (card.high, card), reverse=True)


def written(hand: Iterable[Card]) -> str:
    """The cards of a hand as a record holds them: `AS TH TC 2D`, the best first, `` where there are none."""
    return text(best_first(hand))
