"""Poker, rule by rule: settings, blinds, betting, pots, showing, the button, the end, and the edge cases.

That final chips are right, hand by hand, is held against pokerkit in a file of its own.
"""

from collections.abc import Sequence
from copy import copy
from typing import Any

import msgspec
import pytest

from chautari import engine
from chautari.cards import cards
from chautari.engine import HandEnded, Moved, Position, Script
from chautari.games.poker import GAME, Facts, Settings
from tests.games.matches import play
from tests.games.tables import (
    bad_setting,
    dealt,
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

BOARD = "3H 9C 3D 7S 4H"
ACES, KINGS, QUEENS, JACKS = "AC AD", "KC KD", "QC QD", "JC JD"


def deal(*hands: str, stacks: Sequence[int] = (), board: str = BOARD, **settings: object) -> Position[Any]:
    """The first hand, with these cards of seats 0, 1 …, and chips where they are not all the same."""
    rules = copy(GAME)
    if stacks:

        def opening(settings: Settings) -> Facts:
            own = tuple(stacks)
            bought = own if settings.mode == "cash" else (0,) * len(own)
            score = tuple(has - cost for has, cost in zip(own, bought, strict=True))
            return msgspec.structs.replace(GAME.opening(settings), chips=own, bought=bought, score=score)

        rules.opening = opening
    chosen = rules.read_settings({"players": len(hands) or 3, **settings})
    outcome = dealt(*hands, players=chosen.players, each=2, then=board)
    return engine.begin(rules, chosen, Script([cards(outcome)])).position


def ended(position: Position[Any], *lines: str) -> Position[Any]:
    """As `do`, where the hand ends and another is dealt."""
    return do(position, *lines, shuffles=[dealt()])


def facts(position: Position[Any], *names: str) -> list[Any]:
    """Several facts."""
    return [fact(position, name) for name in names]


# Settings, zones, facts ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "default", "allowed", "wrong"),
    [
        ("players", 4, (2, 6), (1, 7)),
        ("limit", "no_limit", ("no_limit", "pot_limit", "fixed_limit"), ("none",)),
        ("mode", "cash", ("cash", "freezeout"), ("knockout",)),
        ("chips", 200, (2, 1_000_000), (1, 1_000_001)),
        ("small_blind", 1, (1, 2), (0, 10_001)),
        ("big_blind", 2, (1, 200), (0, 20_001)),
        ("ante", 0, (0, 10_000), (-1, 10_001)),
        ("hands", 20, (1, 200), (0, 201)),
        ("level_hands", 10, (1, 100), (0, 101)),
        ("raise_cap", 4, (0, 10), (-1, 11)),
        ("rebuy", False, (True, False), (1,)),
        ("muck", True, (True, False), ("yes",)),
    ],
)
def test_settings(name: str, default: object, allowed: tuple[object, ...], wrong: tuple[object, ...]) -> None:
    assert getattr(GAME.read_settings({}), name) == default
    for value in allowed:
        assert getattr(GAME.read_settings({name: value}), name) == value
    for value in wrong:
        assert bad_setting("poker", **{name: value}) == name


def test_blinds_and_chips_rise_in_their_order_and_a_freezeout_has_no_rebuy() -> None:
    assert bad_setting("poker", small_blind=3) == "small_blind"
    assert bad_setting("poker", chips=4, big_blind=5) == "big_blind"
    assert bad_setting("poker", mode="freezeout", rebuy=True) == "rebuy"
    assert GAME.read_settings({"small_blind": 5, "big_blind": 5, "chips": 5}).chips == 5


def test_zones() -> None:
    assert zones_declared("poker") == {
        "deck": ("none", True), "board": ("all", True), "muck": ("none", True), "hand": ("owner", False),
    }  # fmt: skip


def test_facts() -> None:
    assert public_facts("poker") == [
        "dealer", "hand_no", "small_blind", "big_blind", "ante", "small_blind_seat", "big_blind_seat", "chips", "score",
        "pot", "paid", "bets", "live", "to_match", "owes", "least", "most", "out", "last",
    ]  # fmt: skip


def test_only_what_was_shown_becomes_public_after_the_match() -> None:
    assert GAME.disclosure == "shown_only"


# The deal ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_deal_the_blinds_follow_the_button() -> None:
    start = deal(players=4)
    assert facts(start, "dealer", "small_blind_seat", "big_blind_seat", "bets") == [3, 0, 1, [1, 2, 0, 0]]
    assert (start.turn, start.phase) == ((2,), "preflop")
    assert facts(start, "pot", "to_match", "owes", "least", "most") == [3, 2, 2, 4, 200]


def test_deal_two_cards_each_one_at_a_time_after_the_button() -> None:
    start = deal(ACES, KINGS, QUEENS)
    assert [zone(start, f"hand.{seat}") for seat in range(3)] == [ACES, KINGS, QUEENS]
    assert zone(start, "deck").startswith(BOARD)
    assert [seen(start, viewer, "hand.0") for viewer in (0, 1, None)] == [ACES, 2, 2]


def test_deal_antes_are_no_part_of_the_bets() -> None:
    start = deal(players=3, ante=5)
    assert facts(start, "pot", "paid", "bets", "chips") == [18, [6, 7, 5], [1, 2, 0], [194, 193, 195]]


def test_a_seat_that_is_out_is_passed_over() -> None:
    start = deal(QUEENS, JACKS, KINGS, ACES, stacks=(20, 20, 20, 40))
    after = ended(do(start, "2 raise 20"), "3 call", "0 fold", "1 fold")
    assert facts(after, "out", "dealer", "small_blind_seat", "big_blind_seat") == [[False, False, True, False], 0, 1, 3]
    assert len(after.zones["hand.2"]) == 0
    assert after.turn == (0,)


@pytest.mark.parametrize(("hand", "blinds"), [(1, (1, 2, 1)), (2, (1, 2, 1)), (3, (2, 4, 2)), (5, (3, 6, 3))])
def test_in_a_freezeout_the_blinds_rise_with_each_level(hand: int, blinds: tuple[int, int, int]) -> None:
    position = deal(players=3, mode="freezeout", level_hands=2, ante=1)
    while position.hands < hand:
        position = do(position, f"{position.turn[0]} fold")
        position = ended(position, f"{position.turn[0]} fold")
    assert tuple(facts(position, "small_blind", "big_blind", "ante")) == blinds


# Verbs ────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_folded_hand_goes_to_the_muck_unseen() -> None:
    start = deal(ACES, KINGS, QUEENS)
    after = do(start, "2 fold")
    assert (zone(after, "muck"), zone(after, "hand.2"), after.turn) == (QUEENS, "", (0,))
    assert [seen(after, viewer, "muck") for viewer in (0, 2, None)] == [2, 2, 2]
    moved = [event for event in events(start, "2 fold", viewer=0) if isinstance(event, Moved)]
    assert all(card.text == "??" for event in moved for card in event.cards)


def test_a_round_goes_on_until_all_have_matched_and_the_big_blind_may_raise() -> None:
    after = do(deal(players=3), "2 call", "0 call")
    assert (after.turn, after.phase) == ((1,), "preflop")
    assert do(after, "1 raise 6").turn == (2,)
    flop = do(after, "1 check")
    assert (flop.phase, flop.turn, len(flop.zones["board"])) == ("flop", (0,), 3)
    assert facts(flop, "to_match", "bets", "owes", "least", "most") == [0, [0, 0, 0], 0, 2, 198]


def test_the_streets_lay_out_three_one_and_one() -> None:
    position = do(deal(ACES, KINGS, QUEENS), "2 call", "0 call", "1 check")
    found = [(position.phase, zone(position, "board"))]
    for _ in range(2):
        position = do(position, "0 check", "1 check", "2 check")
        found.append((position.phase, zone(position, "board")))
    assert found == [("flop", "3H 9C 3D"), ("turn", "3H 9C 3D 7S"), ("river", BOARD)]
    over = ended(position, "0 check", "1 check", "2 check")
    assert facts(over, "last.how", "last.change", "last.board") == ["showdown", [4, -2, -2], BOARD]


@pytest.mark.parametrize(
    "verb", ["fold 1", "check 0", "call 2", "bet", "bet x", "raise", "raise 4 4", "raise 04", "raise -4"]
)
def test_actions_that_cannot_be_read(verb: str) -> None:
    assert refused(deal(players=3), f"2 {verb}") == "MALFORMED_ACTION"


@pytest.mark.parametrize("verb", ["check", "bet 6", "raise 3", "raise 201", "raise 0"])
def test_what_breaks_a_rule_where_there_is_a_bet(verb: str) -> None:
    assert refused(deal(players=3), f"2 {verb}") == "RULE_BROKEN"


@pytest.mark.parametrize("verb", ["fold", "call", "raise 4", "bet 1", "bet 199"])
def test_what_breaks_a_rule_where_there_is_none(verb: str) -> None:
    assert refused(do(deal(players=3), "2 call", "0 call", "1 check"), f"0 {verb}") == "RULE_BROKEN"


def test_options_describe_the_totals() -> None:
    options = {option.verb: option for option in engine.options(deal(players=3), 2)}
    assert set(options) == {"fold", "call", "raise"}
    choice = options["raise"].choices[0]
    assert (choice.low, choice.high, choice.name) == (4, 200, "total")
    flop = do(deal(players=3), "2 call", "0 call", "1 check")
    assert [option.verb for option in engine.options(flop, 0)] == ["check", "bet"]


def test_time_outs() -> None:
    after = do(deal(players=3), "2 times out")
    assert fact(after, "live") == [True, True, False]
    after = do(after, "0 call", "1 times out")
    assert (after.phase, fact(after, "live")) == ("flop", [True, True, False])


# Pots and showing ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_uncalled_chips_go_back_and_each_pot_goes_to_the_best_that_can_win_it() -> None:
    start = deal(QUEENS, ACES, KINGS, stacks=(60, 20, 40))
    over = ended(start, "2 call", "0 raise 60", "1 call", "2 call")
    assert fact(over, "last.returned") == [20, 0, 0]
    assert fact(over, "last.pots") == [
        {"amount": 60, "seats": [0, 1, 2], "winners": [1]}, {"amount": 40, "seats": [0, 2], "winners": [2]},
    ]  # fmt: skip
    assert fact(over, "last.change") == [-40, 40, 0]


def test_with_folds_the_last_live_seat_takes_all_and_shows_nothing() -> None:
    over = ended(deal(players=3), "2 raise 10", "0 fold", "1 fold")
    assert facts(over, "last.how", "last.change", "last.returned") == ["folds", [-1, -2, 3], [0, 0, 8]]
    assert facts(over, "last.shown", "last.show_order", "last.board") == [["", "", ""], [], ""]
    assert fact(over, "last.pots") == [{"amount": 5, "seats": [2], "winners": [2]}]


def at_the_river(*hands: str, **settings: Any) -> Position[Any]:
    """Three seats that have only checked and called so far."""
    return do(deal(*hands, **settings), "2 call", "0 call", "1 check", *["0 check", "1 check", "2 check"] * 2)


def test_the_last_to_bet_on_the_river_shows_first() -> None:
    over = ended(at_the_river(KINGS, QUEENS, ACES), "0 check", "1 bet 4", "2 call", "0 call")
    assert fact(over, "last.show_order") == [1, 2]
    assert fact(over, "last.shown") == ["", "QD QC", "AD AC"]


def test_without_a_bet_on_the_river_the_first_after_the_button_shows_first() -> None:
    over = ended(at_the_river(KINGS, QUEENS, ACES), "0 check", "1 check", "2 check")
    assert fact(over, "last.show_order") == [0, 2]


def test_without_mucking_every_hand_is_shown() -> None:
    over = ended(at_the_river(ACES, QUEENS, KINGS, muck=False), "0 check", "1 check", "2 check")
    assert facts(over, "last.show_order", "last.shown") == [[0, 1, 2], ["AD AC", "QD QC", "KD KC"]]


def test_equal_hands_show() -> None:
    over = ended(at_the_river("AC KD", "AD KC", QUEENS, board="2H 3H 9S 9C JS"), "0 bet 2", "1 call", "2 fold")
    assert fact(over, "last.show_order") == [0, 1]


def test_where_at_most_one_has_chips_left_all_show_from_the_button_on() -> None:
    start = deal(ACES, QUEENS, KINGS, stacks=(20, 20, 50))
    over = ended(start, "2 raise 20", "0 call", "1 call")
    assert fact(over, "last.show_order") == [0, 1, 2]


def test_a_hand_beaten_only_by_one_that_paid_less_shows() -> None:
    start = deal(QUEENS, ACES, JACKS, KINGS, stacks=(60, 10, 60, 60))
    position = do(start, "2 raise 10", "3 call", "0 call", "1 call", "0 check", "2 check", "3 check")
    position = do(position, "0 check", "2 check", "3 check", "0 bet 4", "2 call")
    over = ended(position, "3 call")
    assert facts(over, "last.show_order", "last.change") == [[0, 1, 3], [-14, 30, -14, -2]]


def test_a_mucked_hand_stays_hidden_when_the_match_is_over() -> None:
    over = do(at_the_river(ACES, QUEENS, KINGS, hands=1), "0 check", "1 check", "2 check")
    assert [seen(over, None, f"hand.{seat}") for seat in range(3)] == [ACES, 2, 2]
    assert seen(over, 1, "hand.1") == QUEENS
    assert facts(over, "pot", "to_match", "owes", "least", "most", "paid", "bets") == [0] * 5 + [[0] * 3] * 2


def test_a_hand_that_is_broken_off_is_not_shown() -> None:
    after = ended(at_the_river(ACES, QUEENS, KINGS), "0 check", "1 check", "2 check")
    over = engine.leave(after, 1, 2).position
    assert [seen(over, None, f"hand.{seat}") for seat in range(3)] == [2, 2, 2]


# The button, rebuys, the end ──────────────────────────────────────────────────────────────────────────────────────────


def test_the_button_moves_to_the_next_seat() -> None:
    assert fact(ended(deal(players=3), "2 fold", "0 fold"), "dealer") == 0


def test_nobody_is_big_blind_twice_running_when_two_are_left() -> None:
    start = deal(QUEENS, ACES, KINGS, stacks=(40, 40, 40))
    after = ended(start, "2 fold", "0 raise 40", "1 call")
    assert facts(after, "out", "dealer", "big_blind_seat") == [[True, False, False], 1, 2]
    start = deal(QUEENS, KINGS, ACES, stacks=(20, 40, 40))
    after = ended(do(start, "2 raise 20", "0 call"), "1 fold")
    assert facts(after, "out", "dealer", "big_blind_seat") == [[True, False, False], 1, 2]


def test_a_rebuy_counts_against_the_score() -> None:
    after = do(deal(QUEENS, ACES, chips=20, rebuy=True), "1 raise 20", "0 call", shuffles=[dealt(players=2)])
    assert facts(after, "chips", "score", "out") == [[19, 38], [-21, 18], [False, False]]


def test_cash_is_placed_by_the_score() -> None:
    over = do(deal(players=3, hands=1), "2 fold", "0 fold")
    assert result(over) == ([3, 1, 2], [-1, 1, 0])


def test_a_freezeout_is_placed_by_who_lasted_longest_then_by_the_chips_before_the_hand() -> None:
    start = deal(QUEENS, ACES, KINGS, stacks=(30, 60, 20), mode="freezeout")
    over = do(start, "2 raise 20", "0 raise 30", "1 call")
    assert result(over) == ([2, 1, 3], [0, 110, 0])
    start = deal(QUEENS, ACES, KINGS, JACKS, stacks=(20, 60, 30, 60), mode="freezeout", hands=1)
    second = dealt("2C 7D", ACES, players=2, each=2, then=BOARD)
    over = do(start, "2 raise 30", "3 fold", "0 call", "1 call", "1 raise 60", "3 call", shuffles=[second])
    assert result(over) == ([4, 1, 3, 2], [0, 170, 0, 0])


@pytest.mark.parametrize("trial", range(len(GAME.trials)))
def test_chips_are_conserved_at_every_step(trial: int) -> None:
    settings = GAME.read_settings(GAME.trials[trial])
    for moment in play(GAME, settings, 12, 3000):
        now = moment.position.facts
        bought = sum(now.bought) if settings.mode == "cash" else settings.chips * settings.players
        assert sum(now.chips) + now.pot == bought
        assert min(now.chips) >= 0
        assert now.score == tuple(has - cost for has, cost in zip(now.chips, now.bought, strict=True))
        for event in moment.events:
            if isinstance(event, HandEnded):
                assert sum(event.record["change"]) == 0


# Edge cases ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_edge_1_with_two_the_button_acts_first_before_the_flop_and_last_after_it() -> None:
    start = deal(ACES, KINGS)
    assert facts(start, "dealer", "small_blind_seat", "big_blind_seat") == [1, 1, 0]
    assert start.turn == (1,)
    assert do(start, "1 call", "0 check").turn == (0,)
    assert zone(start, "hand.1") == KINGS


def test_edge_2_a_short_big_blind_is_called_in_full_and_wins_its_layer_only() -> None:
    start = deal(QUEENS, ACES, KINGS, stacks=(50, 1, 50))
    assert facts(start, "bets", "owes", "to_match") == [[1, 1, 0], 2, 2]
    position = do(start, "2 call", "0 call", *["0 check", "2 check"] * 2, "0 check")
    over = ended(position, "2 check")
    assert [pot["amount"] for pot in fact(over, "last.pots")] == [3, 2]
    assert fact(over, "last.change") == [-2, 2, 0]


def test_edge_3_a_short_small_blind_leaves_nothing_to_decide() -> None:
    over = begin_with((30, 1))
    assert facts(over, "last.how", "hand_no") == ["showdown", 2]


def begin_with(stacks: tuple[int, ...], *, shuffles: int = 2, **settings: object) -> Position[Any]:
    """A first hand in which nobody acts, and those after it."""
    rules = copy(GAME)
    rules.opening = lambda settings: msgspec.structs.replace(
        GAME.opening(settings), chips=stacks, bought=stacks, score=(0,) * len(stacks)
    )
    players = len(stacks)
    outcomes = [cards(dealt(QUEENS, ACES, players=players, then=BOARD))] * shuffles
    chosen = rules.read_settings({"players": players, "small_blind": 2, **settings})
    script = Script(outcomes)
    position = engine.begin(rules, chosen, script).position
    assert script.used == shuffles
    return position


def test_edge_4_a_short_all_in_does_not_reopen_the_betting() -> None:
    start = deal(players=3, stacks=(100, 17, 100))
    flop = do(start, "2 call", "0 call", "1 check")
    after = do(flop, "0 bet 10", "1 raise 15")
    assert fact(after, "least") == 25
    after = do(after, "2 call")
    assert facts(after, "owes", "least", "most") == [5, 0, 0]
    assert refused(after, "0 raise 25") == "RULE_BROKEN"


def test_edge_5_two_short_raises_that_make_a_full_one_reopen_it() -> None:
    start = deal(players=4, stacks=(100, 17, 22, 100))
    flop = do(start, "2 call", "3 call", "0 call", "1 check")
    after = do(flop, "0 bet 10", "1 raise 15", "2 raise 20", "3 call")
    assert facts(after, "owes", "least", "most") == [10, 30, 98]


def test_edge_6_the_step_is_the_size_of_the_last_full_raise() -> None:
    assert fact(do(deal(players=3), "2 raise 6"), "least") == 10


def test_edge_7_pot_limit_is_a_call_and_the_pot() -> None:
    start = deal(players=3, limit="pot_limit")
    assert facts(start, "least", "most") == [4, 7]
    assert facts(do(start, "2 raise 7"), "least", "most") == [12, 23]
    flop = do(start, "2 call", "0 call", "1 check")
    assert facts(flop, "least", "most") == [2, 6]


def test_edge_8_fixed_limit_goes_in_steps_up_to_the_cap() -> None:
    after = deal(players=3, limit="fixed_limit")
    for action in ("2 raise 4", "0 raise 6", "1 raise 8"):
        assert fact(after, "least") == fact(after, "most") == int(action.split()[-1])
        after = do(after, action)
    assert facts(after, "least", "most", "owes") == [0, 0, 4]
    assert refused(after, "2 raise 10") == "RULE_BROKEN"
    free = do(deal(players=3, limit="fixed_limit", raise_cap=0), "2 raise 4", "0 raise 6", "1 raise 8")
    assert fact(free, "least") == 10


def test_edge_8_fixed_limit_doubles_on_turn_and_river() -> None:
    flop = do(deal(players=3, limit="fixed_limit"), "2 call", "0 call", "1 check")
    assert facts(flop, "least", "most") == [2, 2]
    fourth = do(flop, "0 check", "1 check", "2 check")
    assert facts(fourth, "least", "most") == [4, 4]
    assert facts(do(fourth, "0 bet 4"), "least", "most") == [8, 8]


def test_edge_9_folded_chips_belong_to_the_pots_that_they_reach() -> None:
    start = deal(QUEENS, ACES, KINGS, stacks=(60, 20, 60))
    position = do(start, "2 raise 20", "0 call", "1 call", "0 bet 10", "2 raise 30")
    over = ended(position, "0 fold")
    assert [pot["amount"] for pot in fact(over, "last.pots")] == [60, 20]


def test_edge_10_the_odd_chip_goes_to_the_first_after_the_button() -> None:
    start = deal("AC KD", QUEENS, "AD KC", board="AH KS 9S 8C JS", big_blind=5, small_blind=5)
    position = do(
        start, "2 call", "0 check", "1 check", "0 check", "1 check", "2 check", "0 check", "1 check", "2 check"
    )
    over = ended(position, "0 check", "1 check", "2 check")
    assert fact(over, "last.change") == [3, -5, 2]


def test_edge_11_three_equal_hands_and_a_pot_of_eight() -> None:
    start = deal("2C 7D", "2D 7C", "2H 7H", "4C 4D", board="AH AS AD AC KS", stacks=(2, 2, 2, 10))
    over = ended(start, "2 call", "3 call", "0 call")
    assert fact(over, "last.change") == [0, 0, 0, 0]
    start = deal("2C 7D", "2D 7C", "2H 7H", "4C 4D", board="AH AS 9D 9C KS", stacks=(9, 9, 9, 9))
    position = do(start, "2 call", "3 call", "0 call", "1 check", "0 bet 7", "1 call", "2 call")
    over = ended(position, "3 fold")
    assert fact(over, "last.change") == [1, 1, 0, -2]


def test_edge_12_the_board_plays_for_all() -> None:
    start = deal("2C 7D", "2D 7C", "2H 7H", board="AH KH QH JH TH")
    over = ended(
        do(start, "2 call", "0 call", "1 check", *["0 check", "1 check", "2 check"] * 2),
        "0 check",
        "1 check",
        "2 check",
    )
    assert facts(over, "last.change", "last.show_order") == [[0, 0, 0], [0, 1, 2]]


def test_edge_13_the_big_blind_wins_without_acting() -> None:
    over = ended(deal(players=3), "2 fold", "0 fold")
    assert facts(over, "last.how", "last.returned", "last.change") == ["folds", [0, 1, 0], [-1, 1, 0]]


def test_edge_14_a_seat_whose_ante_takes_its_last_chip_is_all_in() -> None:
    start = deal(players=4, stacks=(50, 50, 50, 3), ante=3)
    assert facts(start, "live", "chips", "bets") == [[True] * 4, [46, 45, 47, 0], [1, 2, 0, 0]]
    assert do(start, "2 call").turn == (0,)


def test_edge_15_hands_in_which_nobody_can_act_follow_one_another() -> None:
    over = begin_with((2, 2), shuffles=1)
    assert result(over) == ([2, 1], [-2, 2])
    over = begin_with((4, 2), shuffles=2, hands=2)
    assert (result(over), fact(over, "last.hand_no")) == (([1, 1], [0, 0]), 2)


def test_edge_16_the_wheel_is_the_lowest_straight_and_does_not_go_round() -> None:
    start = deal("AC 2D", "KC QD", "6S 7H", board="3H 4S 5D 9C TS")
    position = do(start, "2 call", "0 call", "1 check", *["0 check", "1 check", "2 check"] * 2, "0 check", "1 check")
    assert fact(ended(position, "2 check"), "last.pots")[0]["winners"] == [2]
    start = deal("KC 2D", "9C 9D", "6S JH", board="QH AS 3D 7C TS")
    position = do(start, "2 call", "0 call", "1 check", *["0 check", "1 check", "2 check"] * 2, "0 check", "1 check")
    assert fact(ended(position, "2 check"), "last.pots")[0]["winners"] == [1]


def test_edge_17_a_raise_that_nobody_could_call_is_refused() -> None:
    start = deal(ACES, KINGS, stacks=(100, 30))
    after = do(start, "1 raise 30")
    assert facts(after, "owes", "least", "most") == [28, 0, 0]
    assert refused(after, "0 raise 60") == "RULE_BROKEN"


def test_edge_18_a_short_opening_bet_leaves_the_step() -> None:
    flop = do(deal(players=3, stacks=(7, 50, 50), big_blind=4, small_blind=2), "2 call", "0 call", "1 check")
    after = do(flop, "0 bet 3")
    assert facts(after, "to_match", "least") == [3, 7]


def test_edge_19_the_only_seat_with_chips_still_calls_a_higher_all_in() -> None:
    after = do(deal(ACES, KINGS, stacks=(100, 30)), "1 raise 30")
    assert after.turn == (0,)
    over = ended(after, "0 fold")
    assert fact(over, "last.change") == [-2, 2]
