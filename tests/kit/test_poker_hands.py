"""The best five of seven cards: against every five of them, a plain reading of five, and a second library."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest
from pokerkit import StandardHighHand

from chautari.cards import Card, cards, pack, text
from chautari.kit.poker_hands import Class, class_of, strength

FROM_THE_BEST = (
    "AS KS QS JS TS", "6H 5H 4H 3H 2H", "5H 4H 3H 2H AH", "AC AD AH AS 2C", "2C 2D 2H 2S AC", "AC AD AH 2C 2D",
    "KC KD KH AC AD", "AC KC QC JC 9C", "7C 5C 4C 3C 2C", "AC KD QH JS TC", "6C 5D 4H 3S 2C", "5C 4D 3H 2S AC",
    "AC AD AH 3S 2C", "2C 2D 2H AS KC", "AC AD 3H 3S 2C", "KC KD QH QS AC", "AC AD 4H 3S 2C", "2C 2D AH KS QC",
    "AC KD QH JS 9C", "7C 5D 4H 3S 2C",
)  # fmt: skip


def plain(hand: tuple[Card, ...]) -> tuple[object, ...]:
    """Five cards read as a rule book does: class, then ranks by how often they are there."""
    ranks = sorted((card.high for card in hand), reverse=True)
    if ranks == [14, 5, 4, 3, 2]:
        ranks = [5, 4, 3, 2, 1]
    counts = Counter(ranks)
    order = sorted(ranks, key=lambda rank: (counts[rank], rank), reverse=True)
    shape = sorted(counts.values(), reverse=True)
    straight = len(counts) == 5 and ranks[0] - ranks[4] == 4
    flush = len({card.suit for card in hand}) == 1
    named = {(4, 1): Class.FOUR, (3, 2): Class.FULL_HOUSE, (3, 1, 1): Class.THREE, (2, 2, 1): Class.TWO_PAIR,
             (2, 1, 1, 1): Class.PAIR}.get(tuple(shape), Class.HIGH_CARD)  # fmt: skip
    if straight or flush:
        named = Class.STRAIGHT_FLUSH if straight and flush else Class.STRAIGHT if straight else Class.FLUSH
    return named, order


def test_the_classes_from_the_best() -> None:
    found = [strength(cards(hand)) for hand in FROM_THE_BEST]
    assert found == sorted(set(found), reverse=True)
    assert class_of(found[0]) is Class.STRAIGHT_FLUSH
    assert class_of(found[-1]) is Class.HIGH_CARD


def test_suits_never_decide() -> None:
    assert strength(cards("AC KD QH JS 9C")) == strength(cards("AD KS QC JH 9D"))


@pytest.mark.parametrize(
    ("held", "named"),
    [
        ("QC KD AH 2S 3C", Class.HIGH_CARD),
        ("AC AD AH KC KD KH 2S", Class.FULL_HOUSE),
        ("AC AD KC KD QC QD JS", Class.TWO_PAIR),
        ("2C 3C 4C 5C 6D 7D 9C", Class.FLUSH),
        ("2C 3C 4C 5C 6C 7D 8D", Class.STRAIGHT_FLUSH),
        ("9C 8C 7C 6C 5D AC AD", Class.FLUSH),
        ("AC 2D 3H 4S 5C 5D 5H", Class.STRAIGHT),
    ],
)
def test_the_best_five_of_seven(held: str, named: Class) -> None:
    assert class_of(strength(cards(held))) is named


def test_of_three_pairs_the_best_card_left_counts() -> None:
    assert strength(cards("AC AD KC KD QC QD JS")) == strength(cards("AC AD KC KD QC"))


def _hold_to_brute_force(times: int, random: Random) -> None:
    hands = [tuple(random.sample(pack(), random.choice((5, 6, 7)))) for _ in range(times)]
    best = {strength(hand): max(map(plain, combinations(hand, 5))) for hand in hands}
    assert all(best[strength(hand)] == max(map(plain, combinations(hand, 5))) for hand in hands)
    assert [best[own] for own in sorted(best)] == sorted(best.values())


@pytest.mark.parametrize(
    ("better", "worse"), [("AC AD AH KC 9D", "AC AD AH KC 8D"), ("AC AD AH AS 3D", "AC AD AH AS 2D")]
)
def test_beside_aces_too_the_cards_left_count(better: str, worse: str) -> None:
    assert strength(cards(better)) > strength(cards(worse))


def test_it_is_the_best_of_all_fives() -> None:
    _hold_to_brute_force(800, Random(1))


@pytest.mark.soak
def test_it_is_the_best_of_all_fives_often() -> None:
    _hold_to_brute_force(100_000, Random(2))


def test_pokerkit_agrees() -> None:
    random = Random(3)
    for _ in range(300):
        board = random.sample(pack(), 9)
        one, other = ((*board[:5], *hole) for hole in (board[5:7], board[7:9]))
        theirs = [StandardHighHand.from_game(lower(hand[5:]), lower(hand[:5])) for hand in (one, other)]
        assert (strength(one) > strength(other)) == (theirs[0] > theirs[1])
        assert (strength(one) == strength(other)) == (theirs[0] == theirs[1])


def lower(hand: tuple[Card, ...]) -> str:
    """Cards as pokerkit writes them."""
    return "".join(card[0] + card[1].lower() for card in text(hand).split())


@pytest.mark.soak
def test_how_many_hands_of_five_there_are_of_each_class() -> None:
    assert Counter(class_of(strength(hand)) for hand in combinations(pack(), 5)) == {
        Class.STRAIGHT_FLUSH: 40, Class.FOUR: 624, Class.FULL_HOUSE: 3744, Class.FLUSH: 5108, Class.STRAIGHT: 10200,
        Class.THREE: 54912, Class.TWO_PAIR: 123552, Class.PAIR: 1098240, Class.HIGH_CARD: 1302540,
    }  # fmt: skip
