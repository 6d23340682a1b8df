"""Runs and sets of cards, and how a hand is written down."""

from itertools import combinations

import pytest

from chautari.cards import JOKER, cards, pack, text
from chautari.kit.melds import fit_together, is_of_one_rank, is_pure_sequence, lay_run
from chautari.kit.records import written


@pytest.mark.parametrize("run", ["AC 2C 3C", "3C AC 2C", "QH KH AH", "7S 8S 9S TS", "TD JD QD KD AD"])
def test_consecutive_cards_of_one_suit_are_a_pure_sequence(run: str) -> None:
    assert is_pure_sequence(cards(run))


@pytest.mark.parametrize("none", ["KH AH 2H", "7H 8H 8H", "7H 8H 9D", "7H 8H TH", "7H 8H XX", "XX XX XX", "QH KH 2H"])
def test_no_pure_sequence(none: str) -> None:
    assert not is_pure_sequence(cards(none))


def test_two_cards_fit_together_where_a_third_makes_a_sequence_of_them() -> None:
    """Tried with every third card."""
    for one, other in combinations(pack(), 2):
        makes = any(is_pure_sequence((one, other, third)) for third in pack())
        assert fit_together(one, other) == fit_together(other, one) == makes


def test_equal_cards_and_jokers_do_not_fit() -> None:
    assert not fit_together(*cards("7H 7H"))
    assert not fit_together(*cards("7H XX"))
    assert not fit_together(*cards("XX XX"))


def test_of_one_rank() -> None:
    assert is_of_one_rank(cards("7H 7S 7H"))
    assert is_of_one_rank(cards("XX XX"))
    assert not is_of_one_rank(cards("7H 7S XX"))


@pytest.mark.parametrize(
    ("named", "high_ace", "laid"),
    [
        ("6H 4H 5H", False, "4H 5H 6H"),
        ("XX 7H 5H", False, "5H XX 7H"),
        ("XX 6H 5H", False, "5H 6H XX"),
        ("QH KH XX", False, "XX QH KH"),
        ("QH KH XX", True, "QH KH XX"),
        ("KH AH XX", True, "XX KH AH"),
        ("KH AH XX", False, None),
        ("AH XX XX 2H", False, "AH 2H XX XX"),
        ("XX AH XX 3H", True, "AH XX 3H XX"),
        ("JH XX KH XX", False, "XX JH XX KH"),
        ("JH XX KH XX", True, "JH XX KH XX"),
        ("QS KS AS", False, None),
        ("QS KS AS", True, "QS KS AS"),
        ("AS 2S 3S", True, "AS 2S 3S"),
        ("KS AS 2S", True, None),
        ("JS AS XX XX", True, "JS XX XX AS"),
        ("5H 8H XX", False, None),
        ("5H 8H XX XX", False, "5H XX XX 8H"),
        ("5H XX XX", False, None),
        ("5H 6H", False, None),
        ("5H 6H 7D", False, None),
        ("5H 5H XX", False, None),
        ("5H 5D XX", False, None),
        ("AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC XX", False, None),
    ],
)
def test_a_run_with_jokers(named: str, high_ace: bool, laid: str | None) -> None:
    run = lay_run(cards(named), high_ace=high_ace)
    assert (run and text(run)) == laid


def test_without_jokers_a_run_is_a_pure_sequence() -> None:
    hearts = [card for card in pack() if card.suit == "H"]
    for three in combinations(hearts, 3):
        assert (lay_run(three, high_ace=True) is not None) == is_pure_sequence(three)
        assert (lay_run(three) is not None) == (is_pure_sequence(three) and not {"K", "A"} <= {c.rank for c in three})


def test_a_hand_is_written_the_best_first() -> None:
    assert written([*cards("2D AC KH AS 2S TH"), JOKER]) == "AS AC KH TH 2S 2D XX"
    assert written(()) == ""
