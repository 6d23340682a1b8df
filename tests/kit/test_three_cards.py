"""The ranking of three cards, all 22 100 hands of it, against an order written out class by class."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from random import Random

import pytest

from chautari.cards import RANKS, SUITS, Card, Rank, card, cards, pack
from chautari.kit.three_cards import Aces, Class, class_of, strength, strength_with_wilds

HIGH_TO_LOW: tuple[Rank, ...] = ("A", *RANKS[:0:-1])
EVERY_HAND = list(combinations(pack(), 3))


def hand(text: str) -> tuple[Card, ...]:
    return cards(text)


def suited(ranks: str, suits: str) -> frozenset[Card]:
    return frozenset(card(rank + suit) for rank, suit in zip(ranks, suits, strict=True))


def runs(aces: Aces) -> list[str]:
    """The runs from the best, as ranks."""
    plain = [HIGH_TO_LOW[i : i + 3] for i in range(1, 11)]
    written = ["".join(run) for run in plain]
    return {
        "first": ["A23", "AKQ", *written],
        "second": ["AKQ", "A23", *written],
        "lowest": ["AKQ", *written, "A23"],
    }[aces]


def unpaired(aces: Aces) -> Iterator[str]:
    """Three different ranks that are no run, the best first."""
    no_runs = {frozenset(run) for run in runs(aces)}
    for ranks in combinations(HIGH_TO_LOW, 3):
        if frozenset(ranks) not in no_runs:
            yield "".join(ranks)


def from_the_best(aces: Aces) -> Iterator[set[frozenset[Card]]]:
    """Sets of equal hands, the best set first: the ranking as the rule pages write it."""
    every = [(a, b, c) for a in SUITS for b in SUITS for c in SUITS]
    one_suit = [suits for suits in every if len(set(suits)) == 1]
    mixed = [suits for suits in every if len(set(suits)) > 1]
    for rank in HIGH_TO_LOW:
        yield {suited(rank * 3, "".join(suits)) for suits in combinations(SUITS, 3)}
    for suits_allowed, written in ((one_suit, runs(aces)), (mixed, runs(aces)), (one_suit, list(unpaired(aces)))):
        for ranks in written:
            yield {suited(ranks, "".join(suits)) for suits in suits_allowed}
    for pair in HIGH_TO_LOW:
        for third in HIGH_TO_LOW:
            if third != pair:
                yield {
                    suited(pair * 2 + third, "".join([*two, one])) for two in combinations(SUITS, 2) for one in SUITS
                }
    for ranks in unpaired(aces):
        yield {suited(ranks, "".join(suits)) for suits in mixed}


@pytest.mark.parametrize("aces", ["first", "second", "lowest"])
def test_every_hand_stands_where_the_written_order_has_it(aces: Aces) -> None:
    by_strength: dict[int, set[frozenset[Card]]] = {}
    for one in EVERY_HAND:
        by_strength.setdefault(strength(one, aces=aces), set()).add(frozenset(one))
    assert [by_strength[key] for key in sorted(by_strength, reverse=True)] == list(from_the_best(aces))


def test_how_many_hands_there_are_of_each_class() -> None:
    assert Counter(class_of(strength(one)) for one in EVERY_HAND) == {
        Class.TRIAL: 52, Class.PURE_RUN: 48, Class.RUN: 720, Class.COLOUR: 1096, Class.PAIR: 3744,
        Class.HIGH_CARD: 16440,
    }  # fmt: skip


def test_two_three_five_of_three_suits_is_best_and_changes_nothing_else() -> None:
    best = [one for one in EVERY_HAND if class_of(strength(one, two_three_five=True)) is Class.TWO_THREE_FIVE]
    assert len(best) == 24
    assert all({c.rank for c in one} == {"2", "3", "5"} and len({c.suit for c in one}) == 3 for one in best)
    assert len({strength(one, two_three_five=True) for one in best}) == 1
    assert strength(best[0], two_three_five=True) > strength(hand("AS AH AD"))
    others = [one for one in EVERY_HAND if one not in set(best)]
    assert all(strength(one) == strength(one, two_three_five=True) for one in others)


def test_the_order_in_which_cards_are_named_means_nothing() -> None:
    assert strength(hand("3C AS 2D")) == strength(hand("AS 2D 3C")) == strength(hand("2D 3C AS"))


def test_king_ace_two_is_no_run() -> None:
    assert class_of(strength(hand("KC AC 2C"))) is Class.COLOUR
    assert class_of(strength(hand("KC AD 2C"))) is Class.HIGH_CARD


@pytest.mark.parametrize(
    ("wild", "held", "like"),
    [
        ("AK47", "AS KD 4H", "AC AD AH"),
        ("AK47", "7S KD 9H", "9C 9D 9S"),
        ("8", "8S AD 9D", "AD KD 9D"),
        ("8", "8S AD KD", "QD AD KD"),
        ("8", "8S AD 9C", "AD AS 9C"),
        ("8", "8S 9D 9C", "9D 9H 9C"),
        ("8", "8S 3D 2D", "AD 3D 2D"),
        ("8", "9S KD 4D", "9S KD 4D"),
    ],
)
def test_wild_cards_make_the_strongest_hand(wild: str, held: str, like: str) -> None:
    assert strength_with_wilds(hand(held), wild) == strength(hand(like))


def test_a_wild_card_goes_by_the_place_of_ace_two_three() -> None:
    assert strength_with_wilds(hand("8S 3D 2D"), "8", aces="lowest") == strength(hand("4D 3D 2D"), aces="lowest")


def test_wild_cards_are_as_good_as_the_best_of_all_readings() -> None:
    """Of one wild card and of two, over every reading that names no card twice."""
    for held in Random(5).sample(EVERY_HAND, 60):
        wild = held[0].rank
        fixed = [card for card in held if card.rank != wild]
        readings = [one for one in combinations(pack(), 3) if set(fixed) <= set(one)] if fixed else EVERY_HAND
        assert strength_with_wilds(held, wild) == max(map(strength, readings))
