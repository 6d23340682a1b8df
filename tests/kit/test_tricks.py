"""Tricks: what follows, what wins, what is lowest, and where the cards go."""

import pytest

from chautari.cards import Card, Suit, card, cards, text
from chautari.engine import Look, Script, Table
from chautari.kit.tricks import (
    lay_card,
    longest_suit,
    lowest_card,
    must_follow,
    next_in,
    seats_in,
    take_trick,
    trick_winner,
    winning_card,
)
from tests.games.tables import fact, table, zone


@pytest.mark.parametrize(
    ("hand", "led", "may"),
    [("7H 8S AH", "H", "7H AH"), ("7H 8S AH", "C", "7H 8S AH"), ("7H 8S AH", None, "7H 8S AH"), ("7H", "H", "7H")],
)
def test_must_follow(hand: str, led: Suit | None, may: str) -> None:
    assert text(must_follow(cards(hand), led)) == may


@pytest.mark.parametrize(
    ("trick", "trump", "winner"),
    [
        ("TH JH AH 9H", None, 2),
        ("TH AS JH", None, 2),
        ("TH 2S AH", "S", 1),
        ("TH 2S 3S AH", "S", 2),
        ("2S AH 3S", "S", 2),
        ("TH TH 9H", None, 0),
        ("TH 2S 2S", "S", 1),
    ],
)
def test_winning_card(trick: str, trump: Suit | None, winner: int) -> None:
    assert winning_card(cards(trick), trump) == winner


@pytest.mark.parametrize(("cuts_from", "winner"), [(0, 1), (1, 1), (2, 3), (4, 2)])
def test_a_trump_played_before_trumps_cut_is_a_plain_card(cuts_from: int, winner: int) -> None:
    assert winning_card(cards("TH 9S AH 2S"), "S", cuts_from=cuts_from) == winner
    assert winning_card(cards("TS 9S AS 2S"), "S", cuts_from=cuts_from) == 2


def low_wins(a_card: Card) -> int:
    """An order of its own."""
    return -a_card.high


def test_another_order_decides_who_wins_and_what_is_lowest() -> None:
    assert winning_card(cards("TH 2H AH"), None, low_wins) == 1
    assert lowest_card(cards("TH 2H 5H"), None, low_wins) == card("TH")


def test_the_lowest_card_is_no_trump_and_of_equal_ones_the_first_in_the_card_order() -> None:
    assert lowest_card(cards("2S 9H 9D AC"), "S") == card("9D")
    assert lowest_card(cards("3S 2S AS"), "S") == card("2S")


def test_seats_that_are_out_are_passed_over() -> None:
    position = table("call_break", phase="play")
    look = Look(position)
    assert seats_in(look, 2) == (2, 3, 0, 1)
    assert seats_in(look, 2, out=(0, 3)) == (2, 1)
    assert (next_in(look, 2), next_in(look, 2, out=(0, 3)), next_in(look, 3)) == (3, 1, 0)


def test_the_longest_suit_is_the_first_of_equal_ones() -> None:
    assert longest_suit(cards("9S TS 2H")) == "S"
    assert longest_suit(cards("9S TS 2H 3H 4D")) == "H"


def test_a_trick_taken_lies_with_its_winner_who_leads() -> None:
    """`take_trick`, as a game uses it."""
    before = table("call_break", "hand.0: 3H | trick: 2H AH 5S 4H | taken.2: 9C", phase="play", led="H", leader=1)
    draft = Table(before, Script(()))
    assert text(take_trick(draft, 2)) == "2H AH 5S 4H"
    assert draft.cards("taken", 2) == cards("9C 2H AH 5S 4H")
    facts = draft.facts
    assert (facts.leader, facts.led, facts.tricks, facts.last_winner) == (2, None, (0, 0, 1, 0), 2)
    assert facts.last_trick == ("2H", "AH", "5S", "4H")
    assert (zone(before, "trick"), fact(before, "leader")) == ("2H AH 5S 4H", 1)


def test_a_card_laid_leads_its_suit_or_joins_the_trick() -> None:
    draft = Table(table("call_break", "hand.0: 3H 4S | hand.1: 5C", phase="play"), Script(()))
    assert (text(lay_card(draft, 0, card("3H"))), draft.facts.led) == ("3H", "H")
    assert (text(lay_card(draft, 1, card("5C"))), draft.facts.led) == ("3H 5C", "H")
    assert (draft.cards("hand", 0), draft.cards("hand", 1)) == (cards("4S"), ())


def test_the_winner_of_a_trick_is_counted_from_its_leader() -> None:
    look = Look(table("call_break", "trick: 2H AH 5S 4H", phase="play", led="H", leader=2))
    assert (trick_winner(look), trick_winner(look, "S")) == (3, 0)
    three = Look(table("call_break", "trick: 2H AH 5S", phase="play", led="H", leader=2))
    assert (trick_winner(three, "S", out=(3,)), trick_winner(three, "S", cuts_from=3, out=(0,))) == (1, 3)
