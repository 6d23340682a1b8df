"""The maal's family, sets with wild cards, and what they count; sets are held to what a wild card could stand for."""

from collections.abc import Sequence
from itertools import combinations, combinations_with_replacement
from random import Random

import pytest

from chautari.cards import JOKER, Card, card, cards, pack, text
from chautari.kit.maal import (
    choose_sets,
    count_points,
    dublees,
    family_of,
    is_dublee,
    is_pure,
    is_set,
    pure_sets,
    split_into_sets,
)
from chautari.kit.melds import is_pure_sequence


@pytest.mark.parametrize(
    ("maal", "poplu", "jhiplu", "alter"),
    [("7H", "8H", "6H", "7D"), ("KC", "AC", "QC", "KS"), ("AD", "2D", "KD", "AH"), ("2S", "3S", "AS", "2C")],
)
def test_the_family_of_a_maal(maal: str, poplu: str, jhiplu: str, alter: str) -> None:
    family = family_of(card(maal))
    assert text(family[:4]) == f"{maal} {poplu} {jhiplu} {alter}"
    assert family.wild == {*cards(f"{poplu} {jhiplu} XX"), *(c for c in pack() if c.rank == maal[0])}


@pytest.mark.parametrize(
    ("group", "pure"),
    [
        ("7H 7H 7H", True), ("7H 8H 9H", True), ("9H 7H 8H", True), ("AC 2C 3C", True), ("QC KC AC", True),
        ("KC AC 2C", False), ("7H 7H 8H", False), ("7H 7D 7S", False), ("XX XX XX", False), ("7H 8H XX", False),
    ],
)  # fmt: skip
def test_pure_sets(group: str, pure: bool) -> None:
    assert is_pure(cards(group)) == pure


def test_dublees() -> None:
    assert is_dublee(cards("7H 7H"))
    assert not is_dublee(cards("7H 7D"))
    assert not is_dublee(cards("XX XX"))
    assert text(dublees(cards("7H XX 2C 7H XX 2C 7H AS"))) == "2C 7H"


def could_be(group: Sequence[Card], wild: frozenset[Card]) -> bool:
    """Whether wild cards could be made such cards that the three are a sequence, or one rank in three suits."""
    plain = tuple(card for card in group if card not in wild)
    if is_pure(tuple(group)) or len(plain) < 2:
        return True
    stands_for = [(one,) for one in pack()] if len(plain) == 2 else [()]
    return any(is_pure_sequence((*plain, *more)) or is_trial((*plain, *more)) for more in stands_for)


def is_trial(three: Sequence[Card]) -> bool:
    return len({card.rank for card in three}) == 1 and len({card.suit for card in three}) == 3


def test_a_group_is_a_set_where_its_wild_cards_can_stand_for_one() -> None:
    """Every group of these ranks, copies of a card and man cards among them."""
    wild = family_of(card("8D")).wild
    some = [*(c for c in pack() if c.rank in "A2348QK"), JOKER]
    for group in combinations_with_replacement(some, 3):
        assert is_set(group, wild) == could_be(group, wild), group


@pytest.mark.parametrize(
    ("group", "makes"),
    [
        ("9C 9D JS", True), ("9C 9C JS", False), ("9C TC JS", True), ("9C QC JS", False), ("KC AC JS", True),
        ("AC 2C JS", True), ("KC 2C JS", False), ("QC JS JD", True), ("2S 9H XX", False), ("2S XX JS", True),
        ("5H 5D 5S", True), ("5H 5D 5D", False), ("5H 6D 7H", False), ("QH AH TC", False), ("QH AH XX", True),
    ],
)  # fmt: skip
def test_sets_with_wild_cards(group: str, makes: bool) -> None:
    """The maal is the JC: every jack is wild, and the TC and QC."""
    if "TC" not in group and "QC" not in group:
        assert is_set(cards(group), family_of(card("JC")).wild) == makes
    else:
        assert is_set(cards(group), frozenset(cards("JC JD JH JS XX"))) == makes


def test_every_pure_set_of_a_hand_is_found() -> None:
    for seed in range(20):
        hand = Random(seed).sample([*pack(3, 3)], 22)
        found = {tuple(sorted(group)) for group in pure_sets(hand)}
        assert found == {tuple(sorted(group)) for group in combinations(hand, 3) if is_pure(group)}
        assert len(found) == len(pure_sets(hand))


def test_sets_are_chosen_that_the_hand_holds_at_once() -> None:
    hand = cards("5H 6H 7H 8H 9H TH 2C 3S KD")
    chosen = choose_sets(hand, pure_sets(hand), 2)
    assert chosen is not None
    assert sorted(card for group in chosen for card in group) == sorted(cards("5H 6H 7H 8H 9H TH"))
    assert choose_sets(hand, pure_sets(hand), 3) is None
    twice = cards("5H 6H 7H 5H 6H 7H")
    assert choose_sets(twice, pure_sets(twice), 2) == [cards("5H 6H 7H")] * 2


def can_be_split(hand: Sequence[Card], wild: frozenset[Card]) -> bool:
    """Whether a hand of seven is two sets and a card, by trying every way."""
    for last in range(7):
        rest = [card for place, card in enumerate(hand) if place != last]
        for one in combinations(range(6), 3):
            group = tuple(rest[place] for place in one)
            other = tuple(rest[place] for place in range(6) if place not in one)
            if is_set(group, wild) and is_set(other, wild):
                return True
    return False


def test_a_hand_is_split_into_sets_wherever_it_can_be() -> None:
    wild = family_of(card("8D")).wild
    few = [c for c in pack(3, 3) if c.low < 6 or c.low == 8]
    outcomes = set()
    for seed in range(400):
        hand = Random(seed).sample(few, 7)
        sets = split_into_sets(hand, wild)
        assert (sets is not None) == can_be_split(hand, wild), hand
        outcomes.add(sets is not None)
        if sets is not None:
            assert [len(group) for group in sets] == [3, 3, 1]
            assert all(is_set(group, wild) for group in sets[:2])
            assert sorted(c for group in sets for c in group) == sorted(hand)
    assert outcomes == {True, False}


def test_thirteen_cards_are_split_into_four_sets_and_one_card() -> None:
    wild = family_of(card("JC")).wild
    sets = split_into_sets(cards("9C 9D JD TC JC QC 5S 6S JS KH KD KC 2S"), wild)
    assert sets is not None
    assert [len(group) for group in sets] == [3, 3, 3, 3, 1]
    assert split_into_sets(cards("9C 9D 2D 3C 7C 4H 5S 6S 8S KH KD KC 2S"), wild) is None


@pytest.mark.parametrize(
    ("held", "points"),
    [
        ("", 0), ("7H", 3), ("7H 7H", 7), ("8H", 2), ("8H 8H", 5), ("8H 8H 8H", 10), ("6H 6H 6H", 10),
        ("7D", 5), ("7D 7D", 15), ("7D 7D 7D", 25), ("XX", 5), ("XX XX", 15), ("XX XX XX", 25), ("7C 7S", 0),
        ("6H 7H 8H", 10), ("6H 7H 8H 6H 7H 8H", 30), ("7H 7H 8H 6H", 13), ("7H 8H", 5),
        ("7H 8H 8H 8H 6H 6H 6H", 23), ("6H 7H 8H 7D XX 2C", 20),
    ],
)  # fmt: skip
def test_what_maal_counts(held: str, points: int) -> None:
    assert count_points(cards(held), (), family_of(card("7H")), alter=True) == (points, 0)


def test_without_alter_the_alter_is_a_joker_like_others() -> None:
    assert count_points(cards("7D 7D 7H"), (), family_of(card("7H")), alter=False) == (3, 0)


@pytest.mark.parametrize(
    ("shown", "with_alter", "without"),
    [("2C", 5, 5), ("7C", 10, 10), ("8H", 20, 20), ("6H", 20, 20), ("7D", 30, 10), ("2C 8H 7S", 35, 35)],
)
def test_what_tunnelas_count(shown: str, with_alter: int, without: int) -> None:
    """Their cards are no maal besides."""
    held = [card for card in cards(shown) for _ in range(3)]
    for alter, points in ((True, with_alter), (False, without)):
        assert count_points(held, cards(shown), family_of(card("7H")), alter=alter) == (0, points)
