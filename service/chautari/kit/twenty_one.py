"""Blackjack: what hands add up to, when the house draws, and what a hand wins. Pure functions.

Source: casino rules as generally published. Two to nine count their number, courts and tens ten, an ace 1, or 11 where
that does not bring the total above 21; such a total is soft.
"""

from collections.abc import Sequence
from typing import Final, Literal

from chautari.cards import ALL_CARDS, Card

BEST: Final = 21
Pays = Literal["3to2", "6to5", "2to1", "1to1"]
"""What a blackjack wins."""
Ending = Literal["", "stood", "surrender", "even", "charlie"]
"""How a hand was finished other than by its total; empty while it is not."""
Outcome = Literal["blackjack", "win", "push", "lose", "bust", "surrender", "even", "charlie"]


_VALUES: Final = tuple([min(card.low, 10) for card in ALL_CARDS])


def value(card: Card) -> int:
    """What a card counts, an ace 1."""
    return _VALUES[card]


def total(cards: Sequence[Card]) -> int:
    """What a hand adds up to."""
    values = [_VALUES[card] for card in cards]
    hard = sum(values)
    return hard + 10 if hard + 10 <= BEST and 1 in values else hard


def is_soft(cards: Sequence[Card]) -> bool:
    """Whether an ace of the hand counts 11."""
    return total(cards) != sum([_VALUES[card] for card in cards])


def are_alike(cards: Sequence[Card], by: Literal["value", "rank", "none"]) -> bool:
    """Whether these are two cards that count the same, or are of one rank, as is wanted for a split."""
    if len(cards) != 2 or by == "none":
        return False
    one, other = cards
    return one.rank == other.rank if by == "rank" else value(one) == value(other)


def is_natural(cards: Sequence[Card]) -> bool:
    """Whether these are 21 in two cards."""
    return len(cards) == 2 and total(cards) == BEST


def is_below_17(cards: Sequence[Card], *, hits_soft_17: bool) -> bool:
    """Whether the house draws: below 17, and at a soft 17 where it hits that."""
    return total(cards) < 17 or (hits_soft_17 and total(cards) == 17 and is_soft(cards))


def outcome_of(cards: Sequence[Card], house: Sequence[Card], ending: Ending, *, was_split: bool) -> Outcome:
    """What became of a hand, by the first that fits; 21 in two cards of a split is no blackjack."""
    if ending in ("surrender", "even", "charlie"):
        return ending
    own, theirs = total(cards), total(house)
    if own > BEST:
        return "bust"
    natural = own == BEST and len(cards) == 2 and not was_split
    if theirs == BEST and len(house) == 2:
        return "push" if natural else "lose"
    if natural:
        return "blackjack"
    if theirs > BEST or own > theirs:
        return "win"
    return "push" if own == theirs else "lose"


_PAYS: Final[dict[Pays, tuple[int, int]]] = {"3to2": (3, 2), "6to5": (6, 5), "2to1": (2, 1), "1to1": (1, 1)}


def gain(outcome: Outcome, stake: int, pays: Pays) -> int:
    """What a seat gets for a hand, its stake included; fractions go to the house."""
    match outcome:
        case "lose" | "bust":
            return 0
        case "push":
            return stake
        case "surrender":
            return stake // 2
        case "blackjack":
            times, by = _PAYS[pays]
            return stake + times * stake // by
        case "win" | "even" | "charlie":
            return 2 * stake
