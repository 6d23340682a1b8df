"""A trump that one seat knows: who sees it, who may ask for it, and the card that lies face down."""

import pytest

from chautari.cards import Suit, cards, text
from chautari.engine import ALL, NOBODY, Script, Table, only
from chautari.kit.hidden_trump import knowers, no_asking, turn_up
from tests.games.tables import table


@pytest.mark.parametrize(
    ("trump", "chooser", "seen_by"), [(None, None, NOBODY), (None, 2, only(2)), ("H", 2, ALL), ("N", None, ALL)]
)
def test_the_chooser_knows_it_and_all_do_once_it_is_shown(trump: str | None, chooser: int | None, seen_by: int) -> None:
    assert knowers(trump, chooser) == seen_by


@pytest.mark.parametrize(
    ("led", "rule"), [(None, "LEADER_MAY_NOT_ASK"), ("H", "FOLLOW_SUIT"), ("C", None), ("S", None)]
)
def test_only_who_cannot_follow_suit_may_ask(led: Suit | None, rule: str | None) -> None:
    forbidden = no_asking(cards("7H QH 8D"), led)
    assert (forbidden and forbidden[0]) == rule


@pytest.mark.parametrize("lying", ["trump_card: 9S | trick: 7H 8H | hand.1: QD", "trick: 7H 8H | hand.1: QD 9S"])
def test_a_card_that_lies_for_it_goes_back_and_the_cards_played_are_counted(lying: str) -> None:
    draft = Table(table("twenty_nine", lying, phase="play"), Script(()))
    assert turn_up(draft, 1) == 2
    assert (text(draft.cards("hand", 1)), draft.count("trump_card")) == ("QD 9S", 0)
