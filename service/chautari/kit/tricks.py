"""Tricks: following suit, who wins, and what becomes of the cards."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Protocol

from chautari.cards import SUITS, Card, CardText, Suit
from chautari.engine import Look, Seat, Table
from chautari.kit.totals import add_to


def must_follow(hand: Sequence[Card], led: Suit | None) -> Sequence[Card]:
    """The cards of the hand that may be played: those of the suit led if it has any, else all; all when leading."""
    return [card for card in hand if card.suit == led] or hand


def ace_high(card: Card) -> int:
    """The usual strength of a card within its suit: 2 is lowest, the ace highest."""
    return card.high


def winning_card(
    trick: Sequence[Card], trump: str | None = None, strength: Callable[[Card], int] = ace_high, cuts_from: int = 0
) -> int:
    """The place in the trick of the card that wins: the highest trump, else the highest of the suit led.

    trump: a suit; anything else is none. strength: orders the cards of one suit; of equal cards the one played first
    wins. cuts_from: the place from which on trumps cut; a trump played earlier is only a card of its suit.
    """
    winning, suit, best = 0, trick[0].suit, strength(trick[0])
    for place, card in enumerate(trick):
        if card.suit == suit:
            own = strength(card)
            if own > best:
                winning, best = place, own
        elif card.suit == trump and place >= cuts_from:
            winning, suit, best = place, card.suit, strength(card)
    return winning


def lowest_card(cards: Iterable[Card], trump: str | None = None, strength: Callable[[Card], int] = ace_high) -> Card:
    """The weakest of these cards: trumps after all others, of equal ones the first in the card order."""
    return min(cards, key=lambda card: (card.suit == trump, strength(card), card))


def longest_suit(hand: Sequence[Card]) -> Suit:
    """The suit of which the hand holds most cards, among equals the first of C D H S."""
    suits = [card.suit for card in hand]
    return max(SUITS, key=suits.count)


def seats_in(look: Look[Any], leader: Seat, out: Collection[Seat] = ()) -> tuple[Seat, ...]:
    """The seats that play to the trick, in order, where those that are `out` sit out."""
    order = look.round_from(leader)
    return tuple([seat for seat in order if seat not in out]) if out else order


def next_in(look: Look[Any], seat: Seat, out: Collection[Seat] = ()) -> Seat:
    """The next of them after this seat."""
    following = (seat + 1) % look.players
    while following in out:
        following = look.after(following)
    return following


class TrickFacts(Protocol):
    """What the table knows of tricks, in every game that counts them by seat."""

    leader: Seat
    led: Suit | None
    tricks: tuple[int, ...]
    last_trick: tuple[CardText, ...]
    last_winner: Seat | None


def trick_winner(
    look: Look[Any], trump: str | None = None, strength: Callable[[Card], int] = ace_high, cuts_from: int = 0,
    out: Collection[Seat] = (),
) -> Seat:  # fmt: skip
    """The seat that wins the trick, or is winning it so far; see `winning_card`."""
    facts: TrickFacts = look.facts
    place = winning_card(look.cards("trick"), trump, strength, cuts_from)
    return seats_in(look, facts.leader, out)[place]


def begin_tricks(facts: TrickFacts, leader: Seat) -> None:
    """No trick has been played in this hand, and this seat will lead the first."""
    facts.leader, facts.led = leader, None
    facts.tricks = (0,) * len(facts.tricks)
    facts.last_trick, facts.last_winner = (), None


def lay_card(table: Table[Any], seat: Seat, card: Card) -> tuple[Card, ...]:
    """A card of the hand goes to the trick; the suit of the first is the one led. Returns the trick as it lies now."""
    facts: TrickFacts = table.facts
    table.play(card, "hand", to="trick", seat=seat)
    if facts.led is None:
        facts.led = card.suit
    return table.cards("trick")


def take_trick(table: Table[Any], winner: Seat) -> tuple[Card, ...]:
    """The finished trick goes to the cards `taken` by its winner, who leads the next; returns its cards."""
    facts: TrickFacts = table.facts
    trick = table.cards("trick")
    table.sweep("trick", to="taken", to_seat=winner)
    facts.tricks = add_to(facts.tricks, winner)
    facts.last_trick, facts.last_winner = tuple([card.text for card in trick]), winner
    facts.leader, facts.led = winner, None
    return trick
