"""Andar Bahar, rule by rule: settings, the deal, betting, dealing to the sides, second bets, settling, edge cases."""

from typing import Any

import pytest

from chautari import engine
from chautari.cards import cards, pack, text
from chautari.engine import HandEnded, Moved, Position
from chautari.games.andar_bahar import GAME
from tests.games.tables import (
    bad_setting,
    begin,
    do,
    events,
    fact,
    public_facts,
    refused,
    result,
    seen,
    zone,
    zones_declared,
)


def shuffled(first: str) -> str:
    """An outcome that begins so: the middle card, and the cards for the sides."""
    rest = list(pack())
    for card in cards(first):
        rest.remove(card)
    return " ".join([first, text(rest)])


def opened(first: str, **settings: object) -> Position[Any]:
    """A match of two, or more, whose first round is dealt from these cards."""
    return begin("andar_bahar", shuffled(first), **{"players": 2, **settings})


NEXT = shuffled("QC KD KH QH")


# Settings ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "default", "allowed", "wrong"),
    [
        ("players", 4, (2, 6), (1, 7, "4")),
        ("chips", 100, (10, 10000), (9, 10001)),
        ("min_bet", 5, (1, 50), (0, 1001)),
        ("max_bet", 50, (5, 10000), (0, 10001)),
        ("rounds", 10, (1, 50), (0, 51)),
        ("first_side", "colour", ("colour", "andar", "bahar"), ("color", None)),
        ("payout", "even", ("even", "nine_tenths"), (0.9,)),
        ("second_bet", False, (True, False), (1, "true")),
    ],
)
def test_settings(name: str, default: object, allowed: tuple[object, ...], wrong: tuple[object, ...]) -> None:
    assert getattr(GAME.read_settings({}), name) == default
    for value in allowed:
        assert getattr(GAME.read_settings({name: value}), name) == value
    for value in wrong:
        assert bad_setting("andar_bahar", **{name: value}) == name


def test_the_smallest_bet_is_within_the_largest_and_the_chips() -> None:
    GAME.read_settings({"min_bet": 50, "max_bet": 50, "chips": 50})
    assert bad_setting("andar_bahar", min_bet=51) == "min_bet"
    assert bad_setting("andar_bahar", min_bet=20, chips=10, max_bet=100) == "min_bet"
    assert bad_setting("andar_bahar", max_bet=4) == "min_bet"


# Zones and facts ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_zones() -> None:
    assert zones_declared("andar_bahar") == {
        "deck": ("none", True), "middle": ("all", True), "andar": ("all", True), "bahar": ("all", True)
    }  # fmt: skip


def test_facts() -> None:
    assert public_facts("andar_bahar") == [
        "hand_no", "first_side", "side", "stake", "side2", "stake2", "last_card", "last_side", "last_count", "score",
    ]  # fmt: skip


# The deal ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_deal_the_first_card_is_the_middle_card_and_the_rest_is_the_deck() -> None:
    start = opened("7S 2H", players=3)
    assert (zone(start, "middle"), len(start.zones["deck"]), zone(start, "deck")[:2]) == ("7S", 51, "2H")
    assert (start.phase, start.turn, fact(start, "hand_no"), fact(start, "score")) == ("bet", (0, 1, 2), 1, [100] * 3)
    for name, value in (("side", None), ("side2", None), ("stake", 0), ("stake2", 0)):
        assert fact(start, name) == [value] * 3
    assert [fact(start, name) for name in ("last_card", "last_side", "last_count")] == [None] * 3


@pytest.mark.parametrize(
    ("middle", "first_side", "side"),
    [
        ("7C", "colour", "andar"), ("7S", "colour", "andar"), ("7D", "colour", "bahar"), ("7H", "colour", "bahar"),
        ("7H", "andar", "andar"), ("7S", "bahar", "bahar"),
    ],
)  # fmt: skip
def test_deal_which_side_gets_the_first_card(middle: str, first_side: str, side: str) -> None:
    start = opened(f"{middle} 2H 3H", first_side=first_side)
    assert fact(start, "first_side") == side
    over = do(
        opened(f"{middle} {'7D' if middle != '7D' else '7C'}", first_side=first_side, rounds=1), "0 pass", "1 pass"
    )
    assert (fact(over, "last_side"), len(over.zones[side])) == (side, 1)


# Betting ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_bet_moves_chips_to_the_stake_and_waits_for_the_others() -> None:
    after = do(opened("7S 2H 3H 4H"), "1 bet bahar 20")
    assert (fact(after, "score"), fact(after, "stake"), fact(after, "side")) == ([100, 80], [0, 20], [None, "bahar"])
    assert (after.turn, len(after.zones["deck"])) == ((0,), 51)


def test_a_pass_bets_nothing() -> None:
    after = do(opened("7S 2H 3H 4H"), "0 pass")
    assert (fact(after, "score"), fact(after, "stake"), fact(after, "side")) == ([100, 100], [0, 0], ["pass", None])


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("0 raise 5", "UNKNOWN_ACTION"),
        ("0 bet", "MALFORMED_ACTION"),
        ("0 bet andar", "MALFORMED_ACTION"),
        ("0 bet 10", "MALFORMED_ACTION"),
        ("0 bet 10 andar", "MALFORMED_ACTION"),
        ("0 bet middle 10", "MALFORMED_ACTION"),
        ("0 bet Andar 10", "MALFORMED_ACTION"),
        ("0 bet andar 010", "MALFORMED_ACTION"),
        ("0 bet andar 10.5", "MALFORMED_ACTION"),
        ("0 bet andar -5", "MALFORMED_ACTION"),
        ("0 bet andar 10 bahar 10", "MALFORMED_ACTION"),
        ("0 pass 5", "MALFORMED_ACTION"),
        ("0 bet andar 0", "RULE_BROKEN"),
        ("0 bet andar 4", "RULE_BROKEN"),
        ("0 bet andar 51", "RULE_BROKEN"),
        ("0 bet andar 999999999", "RULE_BROKEN"),
    ],
)
def test_refusals(line: str, code: str) -> None:
    assert refused(opened("7S 2H 3H 4H"), line) == code


def test_a_bet_cannot_be_changed() -> None:
    after = do(opened("7S 2H 3H 4H"), "0 bet andar 5")
    assert refused(after, "0 bet bahar 5") == "NOT_YOUR_TURN"
    assert refused(after, "0 pass") == "NOT_YOUR_TURN"


def test_options_are_the_sides_the_range_and_passing() -> None:
    bet, pass_ = engine.options(opened("7S 2H", chips=30), 1)
    side, amount = bet.choices
    assert (side.values, amount.low, amount.high, amount.step) == (("andar", "bahar"), 5, 30, 1)
    assert pass_.actions == ("pass",)


# Dealing and settling ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("first", "side", "count", "andar", "bahar"),
    [
        ("7S 7H 2H", "andar", 1, "7H", ""),
        ("7S 2H 7H 3H", "bahar", 2, "2H", "7H"),
        ("7S 2H 3H 7H", "andar", 3, "2H 7H", "3H"),
        ("7D 2H 3H 4H 7H", "andar", 4, "3H 7H", "2H 4H"),
    ],
)
def test_cards_go_to_the_sides_in_turn_until_one_matches(
    first: str, side: str, count: int, andar: str, bahar: str
) -> None:
    over = do(opened(first, rounds=1), "0 pass", "1 bet bahar 5")
    assert (fact(over, "last_card"), fact(over, "last_side"), fact(over, "last_count")) == (first[:2], side, count)
    assert (zone(over, "andar"), zone(over, "bahar"), len(over.zones["deck"])) == (andar, bahar, 51 - count)


def test_winning_bets_come_back_with_their_gain() -> None:
    after = do(opened("7S 2H 7H", players=3), "0 bet bahar 20", "2 bet andar 50", "1 pass", shuffles=[NEXT])
    assert (fact(after, "score"), fact(after, "stake")) == ([120, 100, 50], [0, 0, 0])
    assert (fact(after, "side"), fact(after, "hand_no"), zone(after, "andar"), zone(after, "bahar")) == (
        [None] * 3, 2, "", ""
    )  # fmt: skip


@pytest.mark.parametrize(
    ("first", "line", "score"),
    [("7S 7H", "andar 5", 104), ("7S 7H", "andar 19", 117), ("7S 2H 7H", "bahar 19", 119), ("7D 7H", "bahar 10", 109)],
)
def test_nine_tenths_on_the_side_of_the_first_card(first: str, line: str, score: int) -> None:
    over = do(opened(first, payout="nine_tenths", rounds=1), "1 pass", f"0 bet {line}")
    assert fact(over, "score") == [score, 100]


def test_the_record() -> None:
    start = do(opened("7S 2H 3H 7H", second_bet=True), "0 bet andar 20", "1 pass", "0 bet bahar 5")
    (ended,) = [event for event in events(start, "1 bet andar 8", NEXT) if isinstance(event, HandEnded)]
    assert ended.record == {
        "hand_no": 1, "card": "7S", "side": "andar", "count": 3, "sides": ["andar", "pass"], "stakes": [20, 0],
        "gains": [20, 0], "sides2": ["bahar", "andar"], "stakes2": [5, 8], "gains2": [-5, 8],
    }  # fmt: skip


def test_the_match_is_over_after_its_rounds() -> None:
    over = do(opened("7S 7H", rounds=1), "0 bet andar 10", "1 bet bahar 10")
    assert (result(over), over.is_over) == (([1, 2], [110, 90]), True)
    assert (fact(over, "hand_no"), fact(over, "first_side"), fact(over, "side"), fact(over, "stake")) == (
        1, "andar", ["andar", "bahar"], [0, 0]
    )  # fmt: skip


def test_the_match_is_over_when_nobody_can_bet() -> None:
    over = do(opened("7S 7H", chips=10), "0 bet bahar 10", "1 bet bahar 6")
    assert (result(over), fact(over, "hand_no")) == (([2, 1], [0, 4]), 1)


# Second bets ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_after_two_cards_without_a_match_all_may_bet_once_more() -> None:
    after = do(opened("7S 2H 3H 4H 7H", second_bet=True), "0 bet andar 20", "1 pass")
    assert (after.phase, after.turn, zone(after, "andar"), zone(after, "bahar")) == ("rebet", (0, 1), "2H", "3H")
    assert (fact(after, "side"), fact(after, "side2"), fact(after, "stake")) == (
        ["andar", "pass"],
        [None, None],
        [20, 0],
    )
    assert refused(after, "0 bet bahar 51") == "RULE_BROKEN"
    after = do(after, "1 bet bahar 30", "0 bet andar 10", shuffles=[NEXT])
    assert (fact(after, "last_side"), fact(after, "last_count"), fact(after, "score")) == ("bahar", 4, [70, 130])


def test_without_the_setting_there_is_one_betting() -> None:
    assert do(opened("7S 2H 3H 4H 7H", rounds=1), "0 pass", "1 pass").is_over


def test_if_nobody_has_chips_for_a_second_bet_the_dealing_goes_on() -> None:
    over = do(opened("7S 2H 3H 7H", chips=10, second_bet=True, rounds=1), "0 bet andar 10", "1 bet bahar 7")
    assert (fact(over, "side2"), fact(over, "score")) == ([None, None], [20, 3])


# Time-outs ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_time_out_passes_in_both_bettings() -> None:
    after = do(opened("7S 2H 3H 4H 7H", second_bet=True), "0 times out", "1 times out", "1 times out")
    assert (fact(after, "side"), fact(after, "side2"), after.turn) == (["pass", "pass"], [None, "pass"], (0,))


# Hidden information ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_only_the_deck_is_hidden() -> None:
    after = do(opened("7S 2H 3H 4H"), "0 bet andar 5")
    for viewer in (0, 1, None):
        assert (seen(after, viewer, "middle"), seen(after, viewer, "deck")) == ("7S", 51)
        assert engine.view(after, viewer).facts["stake"] == [5, 0]


def test_cards_are_shown_one_after_the_other_once_the_betting_is_over() -> None:
    start = opened("7S 2H 3H 7H")
    assert not [event for event in events(start, "0 pass", viewer=None) if isinstance(event, Moved)]
    dealt = [event for event in events(do(start, "0 pass"), "1 pass", NEXT, viewer=None) if isinstance(event, Moved)]
    assert [(text(event.cards), event.target) for event in dealt[:3]] == [
        ("2H", "andar"),
        ("3H", "bahar"),
        ("7H", "andar"),
    ]


# Edge cases ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_edge_1_the_first_card_matches() -> None:
    over = do(opened("7S 7H", second_bet=True, rounds=1), "0 pass", "1 pass")
    assert (over.is_over, fact(over, "last_count"), fact(over, "last_side")) == (True, 1, "andar")


def test_edge_2_the_second_card_matches() -> None:
    over = do(opened("7S 2H 7H", second_bet=True, rounds=1), "0 pass", "1 pass")
    assert (over.is_over, fact(over, "last_count"), fact(over, "last_side")) == (True, 2, "bahar")


def test_edge_3_the_latest_match_is_the_49th_card() -> None:
    others = [card for card in pack() if card.rank != "7"]
    start = begin("andar_bahar", f"7S {text(others)} 7C 7D 7H", players=2, rounds=1)
    over = do(start, "0 pass", "1 pass")
    assert (fact(over, "last_count"), fact(over, "last_side"), len(over.zones["deck"])) == (49, "andar", 2)


def test_edge_4_a_seat_with_too_few_chips_is_not_waited_for() -> None:
    after = do(opened("7S 7H", chips=10, players=3), "0 bet bahar 6", "1 pass", "2 pass", shuffles=[NEXT])
    assert (after.turn, fact(after, "score"), fact(after, "side")) == ((1, 2), [4, 10, 10], [None] * 3)
    assert refused(after, "0 pass") == "NOT_YOUR_TURN"


def test_edge_5_the_last_seat_with_chips_plays_on_alone() -> None:
    after = do(opened("7S 7H", chips=10), "0 bet bahar 10", "1 bet andar 10", shuffles=[NEXT])
    assert (after.turn, fact(after, "score")) == ((1,), [0, 20])
    assert fact(do(after, "1 pass", shuffles=[NEXT]), "hand_no") == 3


def test_edge_6_a_seat_that_bet_its_last_chips_is_not_in_the_second_betting() -> None:
    after = do(opened("7S 2H 3H 4H", chips=10, second_bet=True), "0 bet andar 10", "1 bet andar 5")
    assert (after.phase, after.turn) == ("rebet", (1,))


@pytest.mark.parametrize(("amount", "gain"), [(5, 4), (1, 0), (10, 9), (11, 9)])
def test_edge_7_nine_tenths_are_rounded_down(amount: int, gain: int) -> None:
    over = do(opened("7S 7H", payout="nine_tenths", min_bet=1, rounds=1), "1 pass", f"0 bet andar {amount}")
    assert fact(over, "score")[0] == 100 + gain


def test_edge_8_of_bets_on_both_sides_one_wins() -> None:
    start = do(opened("7S 2H 3H 4H 7H", second_bet=True, rounds=1), "0 bet andar 20", "1 pass")
    assert fact(do(start, "0 bet bahar 20", "1 pass"), "score") == [100, 100]


def test_edge_9_while_betting_is_open_the_last_side_is_that_of_the_round_before() -> None:
    after = do(opened("7S 7H"), "0 pass", "1 pass", shuffles=[NEXT])
    assert (fact(after, "last_side"), fact(after, "last_card"), zone(after, "middle")) == ("andar", "7S", "QC")


def test_edge_10_the_chips_are_the_limit_of_a_bet() -> None:
    assert refused(opened("7S 2H", chips=30), "0 bet andar 31") == "RULE_BROKEN"
    assert fact(do(opened("7S 2H", chips=30), "0 bet andar 30"), "score") == [0, 30]


def test_edge_11_the_third_card_goes_to_the_first_side_again() -> None:
    start = opened("7D 2H 3H 7H", second_bet=True, rounds=1)
    over = do(start, "0 pass", "1 pass", "0 bet bahar 10", "1 bet andar 10")
    assert (zone(over, "bahar"), fact(over, "last_side"), fact(over, "score")) == ("2H 7H", "bahar", [110, 90])
