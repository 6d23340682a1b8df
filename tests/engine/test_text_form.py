"""The text form of actions: blanks, numbers, words and cards, and the order in which codes come."""

from typing import Any

import pytest

from chautari import engine
from chautari.cards import pack
from chautari.engine import Position, Said, Script
from chautari.engine.arguments import read_number
from chautari.errors import Malformed, Refusal
from chautari.games import find_game


def start(key: str, **settings: object) -> Position[Any]:
    """The first turn of a match whose pack is not shuffled."""
    game = find_game(key)
    return engine.begin(game, game.read_settings(settings), in_order).position


def in_order(given: Any) -> Any:
    """A shuffle that leaves the card order."""
    return given


def said(position: Position[Any], seat: int, action: str) -> str:
    """An action that is accepted, as the journal writes it."""
    first = engine.act(position, seat, action, in_order).events[0]
    assert isinstance(first, Said)
    return first.text


def code(position: Position[Any], seat: int, action: str) -> str:
    """The code with which an action is refused."""
    with pytest.raises((Refusal, Malformed)) as caught:
        engine.act(position, seat, action, Script(()))
    return str(caught.value.reason)


@pytest.mark.parametrize(
    "action", ["draw deck", "draw  deck", "  draw deck", "draw deck   ", "draw\tdeck", "\t draw \t deck \t"]
)
def test_how_many_blanks_there_are_does_not_matter(action: str) -> None:
    assert said(start("jutpatti"), 0, action) == "draw deck"


@pytest.mark.parametrize("action", ["", " ", "\t \t"])
def test_no_word_at_all_is_an_unknown_action(action: str) -> None:
    assert code(start("jutpatti"), 0, action) == "UNKNOWN_ACTION"


@pytest.mark.parametrize(
    "action", ["Draw deck", "draws deck", "throw AC", "draw\ndeck", "draw\u00a0deck", "draw\u3000deck", "\x00", "ड्र"]
)
def test_a_word_is_taken_to_the_letter(action: str) -> None:
    assert code(start("jutpatti"), 0, action) == "UNKNOWN_ACTION"


@pytest.mark.parametrize("action", ["draw", "draw deck deck", "draw Deck", "draw 7H", "draw deck\n", "draw deck\u00a0"])
def test_an_argument_that_is_missing_superfluous_or_unreadable_is_malformed(action: str) -> None:
    assert code(start("jutpatti"), 0, action) == "MALFORMED_ACTION"


SIGNED_AND_PADDED = ["-1", "+1", "01", "00", "1.0", "1e0", "1_0", "0x1", "one", "1234567890", "0000000001", "1\n"]
DIGITS_ELSEWHERE = ["\u0661", "\u00b2", "\u0967"]


@pytest.mark.parametrize("number", SIGNED_AND_PADDED + DIGITS_ELSEWHERE)
def test_a_number_has_digits_only_and_no_leading_zero(number: str) -> None:
    assert read_number(number) is None
    assert code(start("gulam_chor"), 0, f"take {number}") == "MALFORMED_ACTION"


@pytest.mark.parametrize("number", ["0", "999999999", "52"])
def test_a_number_that_can_be_read_and_is_out_of_range_breaks_a_rule(number: str) -> None:
    assert read_number(number) == int(number)
    assert code(start("gulam_chor"), 0, f"take {number}") == "RULE_BROKEN"


def test_an_argument_with_a_default_may_be_left_out() -> None:
    position = start("gulam_chor")
    assert said(position, 0, "take") == "take"
    assert engine.act(position, 0, "take", in_order).position == engine.act(position, 0, "take 1", in_order).position


@pytest.mark.parametrize("card", ["7h", "10H", "H7", "7", "H", "7HH", "1H", "??", "7♥", "XX"])
def test_a_card_is_a_rank_and_a_suit(card: str) -> None:
    position = engine.act(start("jutpatti"), 0, "draw deck", in_order).position
    assert code(position, 0, f"throw {card}") == "MALFORMED_ACTION"


def test_a_joker_can_be_read_where_the_game_may_have_one() -> None:
    assert code(start("bluff"), 0, "lay A XX") == "CARD_NOT_HELD"
    assert code(start("bluff"), 0, "lay A ??") == "MALFORMED_ACTION"


def test_cards_that_are_named_twice_must_be_held_twice() -> None:
    position = start("bluff", players=2)
    card = position.zones["hand.0"][0]
    assert code(position, 0, f"lay A {card} {card}") == "CARD_NOT_HELD"
    game = find_game("bluff")
    one_pack_after_the_other = Script([pack() + pack()])
    twice = engine.begin(game, game.read_settings({"players": 2, "packs": 2}), one_pack_after_the_other).position
    card = twice.zones["hand.0"][0]
    assert said(twice, 0, f"lay A {card} {card}") == f"lay A {card} {card}"
    assert code(twice, 0, f"lay A {card} {card} {card}") == "CARD_NOT_HELD"


def test_codes_come_in_their_order() -> None:
    position = start("bluff", max_cards=1)
    mine, other = position.zones["hand.0"][:2], position.zones["hand.1"][0]
    laid = engine.act(position, 0, f"lay 7 {mine[0]}", in_order).position
    assert code(laid, 0, "lay") == "UNKNOWN_ACTION"
    assert code(position, 1, "lay") == "NOT_YOUR_TURN"
    assert code(position, 0, f"lay 1 {other}") == "MALFORMED_ACTION"
    assert code(position, 0, f"lay 7 {mine[0]} {mine[1]} {other}") == "CARD_NOT_HELD"
    assert code(position, 0, f"lay 7 {mine[0]} {mine[1]}") == "RULE_BROKEN"
    over = engine.leave(position, 1, 2, 3).position
    assert code(over, 9, "") == "MATCH_OVER"


@pytest.mark.parametrize("seat", [-1, -4, 1, 4, 30, 31, 64])
def test_a_seat_that_is_not_in_turn_or_not_there_is_refused(seat: int) -> None:
    position = start("jutpatti")
    before = engine.encode(position)
    assert code(position, seat, "draw deck") == "NOT_YOUR_TURN"
    assert engine.encode(position) == before
    assert (engine.legal(position, seat), engine.options(position, seat)) == ([], [])


def test_others_hear_no_card_that_they_do_not_see() -> None:
    position = start("bluff")
    card = position.zones["hand.0"][0]
    laid = engine.act(position, 0, f"lay 7 {card}", in_order)
    assert laid.events[0] == Said(0, f"lay 7 {card}", "lay 7 ??")
    answered = engine.act(laid.position, 1, "accept", in_order)
    assert answered.events[0] == Said(1, "accept", "")
    drawn = engine.act(start("jutpatti"), 0, "draw deck", in_order).position
    thrown = engine.act(drawn, 0, f"throw {drawn.zones['hand.0'][0]}", in_order).events[0]
    assert isinstance(thrown, Said)
    assert thrown.text == thrown.told
