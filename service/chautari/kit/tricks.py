"""Tricks: following suit, and who wins."""

from collections.abc import Callable, Sequence

from chautari.cards import Card, Suit


def must_follow(hand: Sequence[Card], led: Suit | None) -> Sequence[Card]:
    """The cards of the hand that may be played: those of the suit led if it has any, else all; all when leading."""
    return [card for card in hand if card.suit == led] or hand


def ace_high(card: Card) -> int:
    """The usual strength of a card within its suit: 2 is lowest, the ace highest."""
    return card.high


def winning_card(
    trick: Sequence[Card], trump: Suit | None = None, strength: Callable[[Card], int] = ace_high
) -> int:
    """The place in the trick of the card that wins: the highest trump, else the highest of the suit led.

    strength: orders the cards of one suit; of equal cards the one played first wins.
    """
    winning, best = 0, trick[0]
    for place, card in enumerate(trick):
        if card.suit == best.suit:
            if strength(card) > strength(best):
                winning, best = place, card
        elif card.suit == trump:
            winning, best = place, card
    return winning
