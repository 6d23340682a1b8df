"""Hands that a seat stakes on against a house, at a table of blackjack with three hands a seat."""

from typing import Any

import pytest

from chautari.cards import text
from chautari.engine import Script, Table
from chautari.kit import staked_hands as kit
from tests.games.tables import table

SETTINGS = {"players": 2, "max_hands": 3, "chips": 100}


def at_a_table(lying: str = "", **facts: Any) -> tuple[Table[Any], Any]:
    position = table("blackjack", lying, phase="play", settings=SETTINGS, score=(100, 100), **facts)
    return Table(position, Script(())), position.settings


def test_the_hands_of_each_seat_have_names() -> None:
    draft, settings = at_a_table("hand.1.2: 8C 3D")
    assert kit.hand_names(settings) == ("0.1", "0.2", "0.3", "1.1", "1.2", "1.3")
    assert text(kit.cards_of(draft, settings, 1, 1)) == "8C 3D"


def test_hands_begin_where_there_is_a_stake() -> None:
    draft, _ = at_a_table(stakes=((), (10,)))
    kit.begin_hands(draft.facts)
    assert (draft.facts.score, draft.facts.endings) == ((100, 90), ((), ("",)))


def test_the_hand_in_play_gets_a_card() -> None:
    draft, settings = at_a_table("hand.0.2: 8C | deck: 5D 6D", stakes=((10, 10), ()), active=2)
    kit.draw_to(draft, settings, 0, 1)
    hand, cards = kit.in_play(draft, settings, 0)
    assert (hand, text(cards)) == (1, "8C 5D")


def test_a_finished_hand_is_told_from_the_others() -> None:
    draft, _ = at_a_table(endings=(("", ""), ("",)))
    kit.finish(draft, 0, 1, "stood")
    assert draft.facts.endings == (("", "stood"), ("",))


def test_doubling_stakes_as_much_again() -> None:
    draft, _ = at_a_table(stakes=((), (10, 20)))
    kit.double_stake(draft, 1, 1)
    assert (draft.facts.stakes, draft.facts.score) == (((), (10, 40)), (100, 80))


def test_a_split_makes_a_hand_of_the_second_card_and_both_get_one() -> None:
    draft, settings = at_a_table(
        "hand.1.1: 8C 8D | hand.1.2: 3H 4H | deck: 2S 5S 9S", stakes=((), (10, 20)), endings=((), ("", "stood"))
    )
    kit.split_hand(draft, settings, 1, 0)
    assert [text(kit.cards_of(draft, settings, 1, hand)) for hand in range(3)] == ["8C 2S", "3H 4H", "8D 5S"]
    assert (draft.facts.stakes[1], draft.facts.endings[1]) == ((10, 20, 10), ("", "stood", ""))
    assert draft.facts.score == (100, 90)


def test_hands_of_split_aces_begin_with_an_ace() -> None:
    draft, settings = at_a_table("hand.0.1: AC 2D | hand.0.2: KC AD | hand.1.1: AS 3S", stakes=((5, 5), (5,)))
    held = [(0, 0), (0, 1), (1, 0)]
    assert [kit.is_of_split_aces(draft, s, kit.cards_of(draft, settings, s, h)) for s, h in held] == [
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(("price", "rule"), [(0, None), (100, None), (101, "TOO_FEW_CHIPS")])
def test_what_costs_more_than_the_chips_is_refused(price: int, rule: str | None) -> None:
    draft, _ = at_a_table()
    refusal = kit.too_few(draft, 0, price)
    assert (refusal and refusal[0]) == rule


@pytest.mark.parametrize(("stake", "rule"), [(1, "HALF_IS_NOTHING"), (2, None), (200, None), (202, "TOO_FEW_CHIPS")])
def test_half_a_stake_may_be_insured(stake: int, rule: str | None) -> None:
    draft, settings = at_a_table(stakes=((stake,), ()))
    refusal = kit.why_no_insurance(draft, settings, 0)
    assert (refusal and refusal[0]) == rule


def test_an_insurance_takes_half_the_stake_rounded_down() -> None:
    draft, _ = at_a_table(stakes=((), (15,)), insured=(0, 0))
    kit.insure_half(draft, 1)
    assert (draft.facts.insured, draft.facts.score) == ((0, 7), (100, 93))


def test_the_house_has_to_beat_what_is_neither_over_21_nor_settled() -> None:
    draft, settings = at_a_table(
        "hand.0.1: KC 9C 5D | hand.0.2: AC KD | hand.1.1: AS QS",
        stakes=((5, 5), (5,)), endings=(("", "stood"), ("",)),
    )  # fmt: skip
    assert kit.hands_to_beat(draft, settings, [0, 1]) == [False, True]  # 21 of a split is no blackjack
    draft.facts.endings = (("", "charlie"), ("even",))
    assert kit.hands_to_beat(draft, settings, [0, 1]) == []


@pytest.mark.parametrize(
    ("lying", "hits", "house"),
    [
        ("house: KC 6C | deck: 2D 9D", False, "KC 6C 2D"),
        ("house: AC 6C | deck: 2D 9D", False, "AC 6C"),
        ("house: AC 6C | deck: 2D 9D", True, "AC 6C 2D"),
        ("house: 2C 3C | deck: 4D", False, "2C 3C 4D"),
    ],
)
def test_the_house_draws_to_17_as_far_as_there_are_cards(lying: str, hits: bool, house: str) -> None:
    draft, _ = at_a_table(lying)
    kit.house_draws(draft, hits_soft_17=hits)
    assert text(draft.cards("house")) == house


def test_what_became_of_the_hands_of_a_seat() -> None:
    draft, settings = at_a_table(
        "house: KC 8C | hand.0.1: AC KD | hand.0.2: 9D 8D | hand.1.1: AS QS",
        stakes=((5, 5), (5,)), endings=(("stood", "stood"), ("",)),
    )  # fmt: skip
    assert kit.outcomes_of(draft, settings, 0) == ("win", "lose")
    assert kit.outcomes_of(draft, settings, 1) == ("blackjack",)
