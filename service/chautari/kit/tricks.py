"""Tricks: following suit, and who wins."""

from collections.abc import Callable, Sequence

from chautari.cards import Card


def must_follow(hand: Sequence[Card], led: str | None) -> list[Card]:
    """The cards of the hand that may be played: those of the suit led if it has any, else all; all when leading."""
    following = [card for card in hand if card.suit == led]
    return following or list(hand)


def winning_card(
    trick: Sequence[Card], trump: str | None = None, strength: Callable[[Card], int] = lambda card: card.high
) -> int:
    """The place in the trick of the card that wins: the highest trump, else the highest of the suit led.

    strength: orders the cards of one suit, ace high if left out; of equal cards the one played first wins.
    """
    led = trick[0].suit
    deciding = trump if trump is not None and any(card.suit == trump for card in trick) else led
    return max(
        (place for place, card in enumerate(trick) if card.suit == deciding),
        key=lambda place: (strength(trick[place]), -place),
    )
