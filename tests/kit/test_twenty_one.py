"""Totals of blackjack against brute force, when the house draws, and what hands win, line by line."""

from itertools import product
from random import Random

import pytest

from chautari.cards import Card, cards, pack
from chautari.kit.twenty_one import (
    BEST,
    Ending,
    Outcome,
    Pays,
    are_alike,
    gain,
    is_below_17,
    is_natural,
    is_soft,
    outcome_of,
    total,
)

COUNTS = {"A": (1, 11), "T": (10,), "J": (10,), "Q": (10,), "K": (10,)} | {str(n): (n,) for n in range(2, 10)}


def best_reading(hand: tuple[Card, ...]) -> tuple[int, bool]:
    """Every ace read both ways: the greatest total up to 21, or else the least, and whether an ace counts 11 in it."""
    totals = {sum(reading) for reading in product(*(COUNTS[card.rank] for card in hand))}
    best = max((one for one in totals if one <= BEST), default=min(totals))
    return best, best > min(totals)


def test_totals_are_the_best_of_all_readings() -> None:
    random = Random(1)
    for _ in range(3000):
        hand = tuple(random.sample(pack(2), random.randint(1, 9)))
        assert (total(hand), is_soft(hand)) == best_reading(hand)


@pytest.mark.parametrize(
    ("hand", "natural"), [("AS KD", True), ("TC AC", True), ("AS 9D", False), ("7C 7D 7H", False), ("AS", False)]
)
def test_a_natural_is_21_in_two_cards(hand: str, natural: bool) -> None:
    assert is_natural(cards(hand)) is natural


@pytest.mark.parametrize(
    ("hand", "stands", "hits"),
    [("TC 6D", True, True), ("TC 7D", False, False), ("AC 6D", False, True), ("AC 6D TH", False, False),
     ("AC 7D", False, False), ("AC 5D", True, True), ("TC 6D TH", False, False)],
)  # fmt: skip
def test_the_house_draws_below_17_and_at_a_soft_17_where_it_hits_that(hand: str, stands: bool, hits: bool) -> None:
    assert is_below_17(cards(hand), hits_soft_17=False) is stands
    assert is_below_17(cards(hand), hits_soft_17=True) is hits


@pytest.mark.parametrize(
    ("hand", "house", "ending", "was_split", "outcome"),
    [
        ("TC 6D", "AS KS", "surrender", False, "surrender"),
        ("AC KD", "AS KS", "even", False, "even"),
        ("2C 2D 3C 4D 5C", "AS KS", "charlie", False, "charlie"),
        ("TC 6D KH", "TS 6S TD", "", False, "bust"),
        ("AC KD", "AS KS", "", False, "push"),
        ("7C 7D 7H", "AS KS", "", False, "lose"),
        ("AC KD", "AS KS", "", True, "lose"),
        ("AC KD", "7S 7C 7D", "", False, "blackjack"),
        ("AC KD", "7S 7C 7D", "", True, "push"),
        ("TC 2D", "TS 6S TD", "stood", False, "win"),
        ("TC 9D", "TS 8S", "stood", False, "win"),
        ("TC 8D", "TS 8S", "stood", False, "push"),
        ("TC 7D", "TS 8S", "stood", False, "lose"),
    ],
)
def test_outcomes(hand: str, house: str, ending: Ending, was_split: bool, outcome: Outcome) -> None:
    assert outcome_of(cards(hand), cards(house), ending, was_split=was_split) == outcome


@pytest.mark.parametrize(
    ("outcome", "stake", "pays", "gets"),
    [
        ("lose", 5, "3to2", 0), ("bust", 5, "3to2", 0), ("push", 5, "3to2", 5), ("surrender", 5, "3to2", 2),
        ("win", 5, "3to2", 10), ("even", 5, "3to2", 10), ("charlie", 5, "3to2", 10), ("blackjack", 5, "3to2", 12),
        ("blackjack", 10, "3to2", 25), ("blackjack", 9, "6to5", 19), ("blackjack", 5, "2to1", 15),
        ("blackjack", 5, "1to1", 10),
    ],
)  # fmt: skip
def test_what_a_hand_gets(outcome: Outcome, stake: int, pays: Pays, gets: int) -> None:
    assert gain(outcome, stake, pays) == gets


@pytest.mark.parametrize(
    ("hand", "by_value", "by_rank"),
    [("KC QD", True, False), ("8C 8D", True, True), ("8C 9D", False, False), ("8C 8D 8H", False, False)],
)
def test_two_cards_are_alike_by_value_or_by_rank(hand: str, by_value: bool, by_rank: bool) -> None:
    held = cards(hand)
    assert (are_alike(held, "value"), are_alike(held, "rank"), are_alike(held, "none")) == (by_value, by_rank, False)
