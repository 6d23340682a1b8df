"""Blackjack, rule by rule: settings, bets, the deal, insurance, play, the house, the settlement, and the edge cases."""

from collections import Counter
from typing import Any

import pytest

from chautari import engine
from chautari.cards import UNSEEN, cards, pack, text
from chautari.engine import HandBegan, HandEnded, Moved, Position, Said, Told
from chautari.games.blackjack import GAME
from tests.games.matches import play
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
    table,
    zone,
    zones_declared,
)


def shoe(first: str, packs: int = 1) -> str:
    """An outcome of the shuffle that begins so; the rest is in the card order."""
    left = Counter(pack(packs))
    left.subtract(cards(first))
    return text([*cards(first), *sorted(left.elements())])


def dealt(first: str, *, bets: tuple[int, ...] = (), **settings: Any) -> Position[Any]:
    """The first round after the bets. The cards: one for each seat, the up card, one for each, the hole card …"""
    players = len(bets) or settings.pop("players", 1)
    settings = {"packs": 1, "players": players, "rounds": 2, **settings}
    start = begin("blackjack", shoe(first, settings["packs"]), **settings)
    return do(start, *[f"{seat} bet {amount}" for seat, amount in enumerate(bets or (10,) * players)])


def outcomes(position: Position[Any]) -> Any:
    """What became of the hands of the last round."""
    return fact(position, "last_hand.outcomes")


def change(position: Position[Any]) -> Any:
    """What the seats won or lost in the last round."""
    return fact(position, "last_hand.change")


# Settings, zones, facts ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "default", "allowed", "wrong"),
    [
        ("players", 3, (1, 7), (0, 8)),
        ("packs", 6, (1, 8), (0, 9)),
        ("rounds", 10, (1, 100), (0, 101)),
        ("chips", 1000, (10, 1_000_000), (0, 1_000_001)),
        ("min_bet", 10, (10, 200), (0, 1_000_001)),
        ("max_bet", 200, (10, 1_000_000), (0, 1_000_001)),
        ("bet_step", 10, (1, 5), (0, 1_000_001)),
        ("bet_order", "together", ("together", "in_turn"), ("any",)),
        ("must_bet", True, (True, False), (1,)),
        ("blackjack_pays", "3to2", ("3to2", "6to5", "2to1", "1to1"), ("3:2",)),
        ("soft17", "stand", ("stand", "hit"), (17,)),
        ("hole", "peek", ("peek", "late"), ("none",)),
        ("insurance", True, (True, False), (0,)),
        ("even_money", True, (True, False), (0,)),
        ("double", "any", ("any", "9to11", "10to11", "none"), ("11",)),
        ("double_after_split", True, (True, False), (0,)),
        ("split", "value", ("value", "rank", "none"), ("suit",)),
        ("max_hands", 4, (2, 4), (1, 5)),
        ("resplit_aces", False, (True, False), (1,)),
        ("hit_split_aces", False, (True, False), (1,)),
        ("surrender", False, (True, False), (1,)),
        ("charlie", 0, (0, 5, 6, 7), (4, 8)),
        ("cut", 75, (0, 90), (-1, 91)),
    ],
)
def test_settings(name: str, default: object, allowed: tuple[object, ...], wrong: tuple[object, ...]) -> None:
    assert getattr(GAME.read_settings({}), name) == default
    for value in allowed:
        assert getattr(GAME.read_settings({name: value}), name) == value
    for value in wrong:
        assert bad_setting("blackjack", **{name: value}) == name


def test_bets_and_chips_fit_together() -> None:
    assert bad_setting("blackjack", chips=9) == "chips"
    assert bad_setting("blackjack", min_bet=210) == "min_bet"
    assert bad_setting("blackjack", min_bet=15) == "min_bet"
    assert bad_setting("blackjack", max_bet=205) == "max_bet"


def test_zones() -> None:
    assert zones_declared("blackjack") == {
        "deck": ("none", True), "discard": ("all", True), "house": ("all", True), "hole": ("none", False),
        "hand": ("all", True),
    }  # fmt: skip
    start = begin("blackjack", shoe(""), packs=1, players=2, max_hands=3)
    assert [name for name in start.zones if name.startswith("hand")] == [
        "hand.0.1", "hand.0.2", "hand.0.3", "hand.1.1", "hand.1.2", "hand.1.3",
    ]  # fmt: skip


def test_facts() -> None:
    assert public_facts("blackjack") == [
        "button", "hand_no", "score", "stakes", "insured", "active", "out_at", "last_hand", "bets_hidden",
    ]  # fmt: skip


# 1. Bets ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_bets_are_made_together_and_unseen() -> None:
    start = begin("blackjack", shoe(""), packs=1, players=3)
    assert (start.phase, start.turn) == ("bet", (0, 1, 2))
    after = do(start, "1 bet 40")
    assert (after.turn, fact(after, "stakes"), fact(after, "score")) == ((0, 2), [[], [40], []], [1000] * 3)
    shown = [engine.view(after, viewer).facts["stakes"] for viewer in (0, 1, None)]
    assert shown == [[[], [], []], [[], [40], []], [[], [], []]]
    assert refused(after, "1 bet 40") == "NOT_YOUR_TURN"
    after = do(after, "0 bet 30", "2 bet 20")
    assert [engine.view(after, viewer).facts["stakes"] for viewer in (0, 1, None)] == [[[30], [40], [20]]] * 3


def test_a_bet_made_unseen_is_not_heard() -> None:
    start = begin("blackjack", shoe(""), packs=1, players=3, must_bet=False)
    one, other, none = (events(start, line, viewer=0) for line in ("1 bet 40", "1 bet 50", "1 sit"))
    assert one == other == none
    assert [event.text for event in one if isinstance(event, Said)] == [""]
    assert Told({"stakes": [[], [40], []]}) in events(start, "1 bet 40", viewer=1)


def test_bets_in_turn_are_open_and_go_from_the_button_on() -> None:
    start = begin("blackjack", shoe(""), packs=1, players=3, bet_order="in_turn")
    assert start.turn == (0,)
    after = do(start, "0 bet 40")
    assert (after.turn, engine.view(after, None).facts["stakes"]) == ((1,), [[40], [], []])
    assert refused(after, "2 bet 10") == "NOT_YOUR_TURN"


@pytest.mark.parametrize("line", ["bet", "bet x", "bet 010", "bet 10 10", "bet -10", "bet 1000000000", "sit 1"])
def test_bets_that_cannot_be_read(line: str) -> None:
    assert refused(begin("blackjack", shoe(""), packs=1), f"0 {line}") == "MALFORMED_ACTION"


@pytest.mark.parametrize("line", ["bet 0", "bet 5", "bet 15", "bet 210", "sit"])
def test_bets_that_break_a_rule(line: str) -> None:
    assert refused(begin("blackjack", shoe(""), packs=1), f"0 {line}") == "RULE_BROKEN"


def test_a_round_may_be_sat_out_where_the_table_allows_it() -> None:
    start = begin("blackjack", shoe("TC TD TH 9C"), packs=1, players=2, must_bet=False)
    after = do(start, "1 sit", "0 bet 10")
    assert [zone(after, name) for name in ("hand.0.1", "hand.1.1", "house")] == ["TC TH", "", "TD"]
    over = do(after, "0 stand")
    assert (outcomes(over), change(over)) == ([["win"], []], [10, 0])


def test_verbs_of_another_phase_are_unknown() -> None:
    start = begin("blackjack", shoe("TC TD 5H 9C"), packs=1, players=1)
    for verb in ("insure", "even", "decline", "stand", "hit", "double", "split", "surrender"):
        assert refused(start, f"0 {verb}") == "UNKNOWN_ACTION"
    after = do(start, "0 bet 10")
    for verb in ("bet 10", "sit", "insure", "decline"):
        assert refused(after, f"0 {verb}") == "UNKNOWN_ACTION"
    for verb in ("stand", "hit", "double", "split", "surrender"):
        assert refused(after, f"0 {verb} 1") == "MALFORMED_ACTION"


def test_options_tell_the_range_and_the_step() -> None:
    start = begin("blackjack", shoe(""), packs=1, players=1, must_bet=False)
    bet, sit = engine.options(start, 0)
    assert (bet.verb, bet.choices[0].low, bet.choices[0].high, bet.choices[0].step) == ("bet", 10, 200, 10)
    assert (sit.verb, bet.example) == ("sit", "")


# 2. The deal ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_deal_goes_round_the_house_in_between() -> None:
    after = dealt("2C 3C 4C 5D 6D 7D", bets=(20, 30))
    found = [zone(after, name) for name in ("hand.0.1", "hand.1.1", "house")]
    assert (found, fact(after, "score"), fact(after, "stakes")) == (["2C 5D", "3C 6D", "4C"], [980, 970], [[20], [30]])
    assert (zone(after, "hole"), len(after.zones["deck"])) == ("7D", 46)
    assert [seen(after, viewer, "hole") for viewer in (0, None)] == [1, 1]


def test_the_house_has_no_hole_card_where_it_is_taken_late() -> None:
    after = dealt("2C 4C 5D 7D", hole="late")
    assert (zone(after, "house"), zone(after, "hole")) == ("4C", "")


def test_the_cards_stay_on_the_table_through_the_next_bets() -> None:
    over = do(dealt("TC 9D TH 8D"), "0 stand")
    assert (over.phase, fact(over, "hand_no")) == ("bet", 2)
    assert [zone(over, name) for name in ("hand.0.1", "house", "hole")] == ["TC TH", "9D 8D", ""]
    after = do(over, "0 bet 10")
    assert zone(after, "discard") == "TC TH 9D 8D"
    assert not [event for event in events(over, "0 bet 10") if isinstance(event, HandBegan)]


def test_the_shoe_is_shuffled_once_enough_of_it_is_out() -> None:
    over = do(dealt("TC 9D TH 8D", cut=8), "0 stand")
    assert zone(do(over, "0 bet 10"), "discard") != ""
    over = do(dealt("TC 9D TH 8D", cut=7), "0 stand")
    after = do(over, "0 bet 10", shuffles=[shoe("2C 3C 4C 5C")])
    assert (zone(after, "discard"), zone(after, "hand.0.1"), len(after.zones["deck"])) == ("", "2C 4C", 48)
    over = do(dealt("2C 9D 2D 8D 2H 2S 3C 3D AC AD AH AS 3H", cut=25), *["0 hit"] * 9)
    assert zone(do(over, "0 bet 10", shuffles=[shoe("")]), "discard") == ""
    over = do(dealt("TC 9D TH 8D", cut=0, must_bet=False), "0 stand")
    assert zone(do(over, "0 sit", shuffles=[shoe("")]), "deck")[:2] == "AC"


# 3. Insurance ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_insurance_is_offered_to_all_at_once_when_the_house_shows_an_ace() -> None:
    after = dealt("TC TD AS 9C 9D KS", bets=(10, 25), bet_step=5)
    assert (after.phase, after.turn) == ("insure", (0, 1))
    after = do(after, "1 insure")
    assert (after.turn, fact(after, "insured"), fact(after, "score")) == ((0,), [0, 12], [990, 963])
    assert refused(after, "1 decline") == "NOT_YOUR_TURN"
    over = do(after, "0 decline")
    assert (outcomes(over), change(over), fact(over, "insured")) == ([["lose"], ["lose"]], [-10, -1], [0, 0])
    assert zone(over, "house") == "AS KS"


def test_insurance_is_lost_where_the_house_has_no_blackjack() -> None:
    over = do(dealt("TC AS 9C 8S", bets=(20,)), "0 insure", "0 stand")
    assert (outcomes(over), change(over)) == ([["push"]], [-10])


@pytest.mark.parametrize(
    ("first", "settings", "phase"),
    [("TC AS 9C 9S", {"insurance": False}, "play"), ("TC KS 9C 9S", {}, "play"), ("TC AS 9C 9S", {}, "insure")],
)
def test_when_insurance_is_offered(first: str, settings: dict[str, Any], phase: str) -> None:
    assert dealt(first, **settings).phase == phase


def test_even_money_is_for_a_blackjack() -> None:
    after = dealt("AC TC AS KC 9C KS", bets=(10, 10))
    assert refused(after, "1 even") == "RULE_BROKEN"
    over = do(after, "0 even", "1 decline")
    assert (outcomes(over), change(over)) == ([["even"], ["lose"]], [10, -10])
    assert refused(dealt("AC AS KC KS", even_money=False), "0 even") == "RULE_BROKEN"


# 4., 5. The look, and play ────────────────────────────────────────────────────────────────────────────────────────────


def test_a_blackjack_of_the_house_ends_the_round_at_once() -> None:
    over = dealt("TC KD 9C AD")
    assert (over.phase, outcomes(over), zone(over, "house")) == ("bet", [["lose"]], "KD AD")


def test_seats_play_in_order_and_finished_hands_are_passed_over() -> None:
    after = dealt("AC TC 5C 9D KC 9C 6C 8D", bets=(10, 10, 10))
    assert (after.turn, fact(after, "active"), after.phase) == ((1,), 1, "play")
    assert do(after, "1 stand").turn == (2,)


def test_the_button_moves_on_with_each_round() -> None:
    over = do(dealt("TC TD 9D 9H 9S 8D", bets=(10, 10), rounds=3), "0 stand", "1 stand")
    assert fact(over, "button") == 1
    after = do(over, "0 bet 10", "1 bet 10")
    assert zone(after, "hand.1.1").split()[0] == "AC"
    assert fact(after, "button") == 1


def test_hitting_finishes_a_hand_at_21_and_above() -> None:
    after = dealt("5C 9D 6C 8D TC", players=1)
    over = do(after, "0 hit")
    assert (outcomes(over), change(over)) == ([["win"]], [10])
    over = do(dealt("TC 9D 6C 8D TD"), "0 hit")
    assert (outcomes(over), change(over)) == ([["bust"]], [-10])


def test_doubling_takes_exactly_one_card() -> None:
    over = do(dealt("5C 9D 6C 8D 2C", bets=(20,)), "0 double")
    assert (outcomes(over), change(over), zone(over, "hand.0.1")) == ([["lose"]], [-40], "5C 6C 2C")


@pytest.mark.parametrize(
    ("double", "held", "allowed"),
    [("any", "TC 2C", True), ("9to11", "5C 4C", True), ("9to11", "5C 3C", False), ("9to11", "AC 8C", False),
     ("10to11", "5C 4C", False), ("10to11", "5C 5D", True), ("none", "5C 6C", False)],
)  # fmt: skip
def test_on_which_totals_a_hand_may_be_doubled(double: str, held: str, allowed: bool) -> None:
    one, two = held.split()
    after = dealt(f"{one} 9H {two} 8H", double=double)
    assert ("double" in engine.legal(after, 0)) is allowed
    if not allowed:
        assert refused(after, "0 double") == "RULE_BROKEN"


def test_what_else_keeps_a_hand_from_being_doubled() -> None:
    assert refused(do(dealt("2C 9D 3C 8D 4C"), "0 hit"), "0 double") == "RULE_BROKEN"
    assert refused(dealt("5C 9D 6C 8D", bets=(20,), chips=39), "0 double") == "RULE_BROKEN"
    split = do(dealt("8C 9D 8D 7D 3C 3D"), "0 split")
    assert "double" in engine.legal(split, 0)
    split = do(dealt("8C 9D 8D 7D 3C 3D", double_after_split=False), "0 split")
    assert refused(split, "0 double") == "RULE_BROKEN"
    assert "double" in engine.legal(dealt("8C 9D 8D 7D", double_after_split=False), 0)


def test_a_split_makes_two_hands_which_both_get_a_card_at_once() -> None:
    after = do(dealt("8C 9D 8D 7D 3C 4C", bets=(20,)), "0 split")
    assert [zone(after, f"hand.0.{k}") for k in (1, 2, 3)] == ["8C 3C", "8D 4C", ""]
    assert (fact(after, "stakes"), fact(after, "score"), fact(after, "active")) == ([[20, 20]], [960], 1)
    assert fact(do(after, "0 stand"), "active") == 2


@pytest.mark.parametrize(
    ("settings", "held"),
    [({"split": "none"}, "8C 8D"), ({"split": "rank"}, "TC KD"), ({}, "8C 9D"), ({"chips": 19}, "8C 8D")],
)
def test_what_keeps_a_hand_from_being_split(settings: dict[str, Any], held: str) -> None:
    one, two = held.split()
    assert refused(dealt(f"{one} 9H {two} 7H", **settings), "0 split") == "RULE_BROKEN"


def test_no_more_hands_than_the_table_allows() -> None:
    after = do(dealt("8C 9D 8D 7D 8H 8S", max_hands=2), "0 split")
    assert refused(after, "0 split") == "RULE_BROKEN"
    after = do(dealt("8C 9D 8D 7D 8H 8S 2C 3C", max_hands=3), "0 split", "0 split")
    assert [zone(after, f"hand.0.{k}") for k in (1, 2, 3)] == ["8C 2C", "8D 8S", "8H 3C"]


def test_surrender_gives_half_back() -> None:
    over = do(dealt("TC 9D 6C 8D", bets=(30,), surrender=True), "0 surrender")
    assert (outcomes(over), change(over), zone(over, "house")) == ([["surrender"]], [-15], "9D 8D")
    assert refused(dealt("TC 9D 6C 8D"), "0 surrender") == "RULE_BROKEN"
    assert refused(do(dealt("2C 9D 3C 8D 4C", surrender=True), "0 hit"), "0 surrender") == "RULE_BROKEN"
    assert refused(do(dealt("8C 9D 8D 7D 3C 4C", surrender=True), "0 split"), "0 surrender") == "RULE_BROKEN"


def test_a_charlie_wins_at_once() -> None:
    after = dealt("2C TD 2D 9D 2H 2S AC", charlie=5)
    over = do(after, "0 hit", "0 hit", "0 hit")
    assert (outcomes(over), change(over), zone(over, "house")) == ([["charlie"]], [10], "TD 9D")
    assert outcomes(do(dealt("2C TD 2D 9D 2H 5S TC", charlie=5), "0 hit", "0 hit", "0 hit")) == [["charlie"]]


# 6., 7. The house and the settlement ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("soft17", "house"), [("stand", "AD 6D"), ("hit", "AD 6D 3C")])
def test_the_house_at_a_soft_17(soft17: str, house: str) -> None:
    over = do(dealt("TC AD 9C 6D 3C", soft17=soft17, insurance=False), "0 stand")
    assert zone(over, "house") == house


@pytest.mark.parametrize(
    ("pays", "won"), [("3to2", 7), ("6to5", 6), ("2to1", 10), ("1to1", 5)]
)  # fmt: skip
def test_what_a_blackjack_wins(pays: str, won: int) -> None:
    over = dealt("AC 9D KC 8D", bets=(5,), blackjack_pays=pays, min_bet=5, bet_step=5)
    assert (outcomes(over), change(over)) == ([["blackjack"]], [won])


def test_late_the_house_takes_its_second_card_after_the_seats() -> None:
    over = do(dealt("TC TD 9C 5D", hole="late"), "0 stand")
    assert (zone(over, "house"), outcomes(over)) == ("TD 5D AC 2C", [["win"]])


def test_time_outs() -> None:
    start = begin("blackjack", shoe("TC AD 9C 8D"), packs=1, players=1)
    after = do(start, "0 times out")
    assert fact(after, "stakes") == [[10]]
    after = do(after, "0 times out")
    assert (after.phase, fact(after, "insured")) == ("play", [0])
    assert outcomes(do(after, "0 times out")) == [["push"]]
    start = begin("blackjack", shoe(""), packs=1, players=2, must_bet=False)
    assert fact(do(start, "0 times out"), "stakes") == [[], []]


@pytest.mark.parametrize("trial", range(len(GAME.trials)))
def test_chips_move_only_between_seats_and_house(trial: int) -> None:
    """What is staked is off the score, and a round changes the score by what its record says."""
    settings = GAME.read_settings(GAME.trials[trial])
    before = [settings.chips] * settings.players
    for moment in play(GAME, settings, 13, 3000):
        now = moment.position.facts
        for event in moment.events:
            if isinstance(event, HandEnded):
                before = [own + more for own, more in zip(before, event.record["change"], strict=True)]
        staked = [0] * settings.players
        if moment.position.phase in ("insure", "play"):
            staked = [sum(own) + more for own, more in zip(now.stakes, now.insured, strict=True)]
        assert [own + more for own, more in zip(now.score, staked, strict=True)] == before
        assert min(now.score) >= 0


# The end ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_seats_in_come_before_seats_out_and_then_chips_count() -> None:
    over = do(dealt("TC 9C TH 9D 8D KD", bets=(10, 20), chips=25, rounds=1), "0 stand", "1 stand")
    assert result(over) == ([1, 2], [15, 5])
    assert (fact(over, "out_at"), fact(over, "stakes"), fact(over, "active")) == ([None, 1], [[], []], None)


def test_one_seat_alone_plays_all_rounds() -> None:
    over = do(dealt("TC 9D TH 8D", rounds=1), "0 stand")
    assert result(over) == ([1], [1010])
    assert [zone(over, name) for name in ("hand.0.1", "house")] == ["TC TH", "9D 8D"]


def test_the_match_is_over_when_one_of_several_is_left() -> None:
    over = do(dealt("TC 9C TH 9D 8D KD", bets=(10, 20), chips=25, rounds=9), "0 stand", "1 stand")
    assert (over.is_over, fact(over, "hand_no")) == (True, 1)


# Edge cases ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_edge_1_two_blackjacks_push_and_insurance_is_paid_as_well() -> None:
    over = do(dealt("AC AS KC KS", bets=(20,)), "0 insure")
    assert (outcomes(over), change(over)) == ([["push"]], [20])


def test_edge_2_an_insured_blackjack_is_worth_even_money() -> None:
    insured = do(dealt("AC AS KC KS", bets=(20,)), "0 insure")
    even = do(dealt("AC AS KC KS", bets=(20,)), "0 even")
    assert change(insured) == change(even) == [20]


def test_edge_3_fractions_go_to_the_house() -> None:
    odd: dict[str, Any] = {"bets": (5,), "min_bet": 5, "bet_step": 5}
    assert fact(do(dealt("TC AS 9C 8S", **odd), "0 insure"), "insured") == [2]
    assert change(dealt("AC 9D KC 8D", **odd)) == [7]
    assert change(do(dealt("TC 9D 6C 8D", surrender=True, **odd), "0 surrender")) == [-3]


def test_edge_4_a_bet_of_one_cannot_be_insured() -> None:
    one: dict[str, Any] = {"bets": (1,), "min_bet": 1, "bet_step": 1}
    assert dealt("TC AS 9C 8S", **one).phase == "play"
    after = dealt("AC AS KC 8S", **one)
    assert after.phase == "insure"
    assert refused(after, "0 insure") == "RULE_BROKEN"


def test_edge_5_a_seat_without_chips_is_still_asked_for_even_money() -> None:
    broke: dict[str, Any] = {"bets": (10,), "chips": 10}
    assert dealt("TC AS 9C 8S", **broke).phase == "play"
    assert engine.legal(dealt("AC AS KC 8S", **broke), 0) == ["even", "decline"]
    assert engine.legal(dealt("8C 9D 8D 7D", **broke), 0) == ["stand", "hit"]


def test_edge_6_ten_and_king_are_split_by_value_and_make_no_blackjack() -> None:
    over = do(dealt("TC 9D KC 8D AC AD"), "0 split")
    assert (outcomes(over), change(over)) == ([["win", "win"]], [20])


def test_edge_7_split_aces_are_finished_with_one_card_each() -> None:
    after = do(dealt("AC TC 9D AD TD 8D 5C 6C", bets=(10, 10)), "0 split")
    assert (after.turn, [zone(after, f"hand.0.{k}") for k in (1, 2)]) == ((1,), ["AC 5C", "AD 6C"])


def test_edge_8_an_ace_drawn_to_a_split_ace_may_be_split_or_stood() -> None:
    after = do(dealt("AC 9D AD 8D AH 6C", resplit_aces=True), "0 split")
    assert engine.legal(after, 0) == ["stand", "split"]
    assert [refused(after, f"0 {verb}") for verb in ("hit", "double")] == ["RULE_BROKEN"] * 2
    assert do(after, "0 stand").phase == "bet"
    assert do(dealt("AC 9D AD 8D AH 6C", resplit_aces=True, max_hands=2), "0 split").phase == "bet"
    assert do(dealt("AC 9D AD 8D AH 6C", resplit_aces=True, chips=20), "0 split").phase == "bet"


def test_edge_8_split_aces_may_be_hit_and_doubled_where_the_table_allows_it() -> None:
    after = do(dealt("AC 9D AD 8D 5C 6C", hit_split_aces=True), "0 split")
    assert engine.legal(after, 0) == ["stand", "hit", "double"]
    after = do(dealt("AC 9D AD 8D AH 6C", hit_split_aces=True), "0 split")
    assert refused(after, "0 split") == "RULE_BROKEN"


def test_edge_9_a_hand_that_reaches_21_is_finished_by_itself() -> None:
    after = do(dealt("TC 9D KC 8D AC 5D"), "0 split")
    assert (fact(after, "active"), zone(after, "hand.0.2")) == (2, "KC 5D")


def test_edge_10_soft_totals_count_for_doubling() -> None:
    assert refused(dealt("AC 9D 8C 8D", double="9to11"), "0 double") == "RULE_BROKEN"
    assert refused(dealt("AC 9D AD 8D", double="10to11"), "0 double") == "RULE_BROKEN"


def test_edge_11_the_house_draws_nothing_where_all_are_bust() -> None:
    assert zone(do(dealt("TC 2D 6C 3D TD"), "0 hit"), "house") == "2D 3D"
    assert zone(do(dealt("TC 2D 6C TD", hole="late"), "0 hit"), "house") == "2D"
    over = do(dealt("TC AS 6C TD KD", hole="late"), "0 insure", "0 hit")
    assert (zone(over, "house"), change(over)) == ("AS KD", [0])


def test_edge_12_only_blackjacks_live() -> None:
    assert zone(dealt("AC 2D KC 3D"), "house") == "2D 3D"
    over = dealt("AC 2D KC 3D", hole="late")
    assert (zone(over, "house"), outcomes(over)) == ("2D 3D", [["blackjack"]])


def test_edge_13_a_late_blackjack_beats_whole_stakes() -> None:
    over = do(dealt("5C KD 6C TC AD", hole="late", bets=(20,)), "0 double")
    assert (outcomes(over), change(over)) == ([["lose"]], [-40])
    over = do(dealt("5C KD 6C AD", hole="late", bets=(20,), surrender=True), "0 surrender")
    assert (change(over), zone(over, "house")) == ([-10], "KD")
    assert outcomes(dealt("AC KD KC AD", hole="late")) == [["push"]]


def test_edge_14_the_discards_are_shuffled_when_the_next_card_is_needed() -> None:
    start = table(
        "blackjack", "discard: 2C 3C 4C | hand.0.1: 5C 6D | house: 9D | hole: 8D", phase="play",
        settings={"players": 1}, active=1, stakes=((10,),), endings=(("",),),
    )  # fmt: skip
    after = do(start, "0 hit", shuffles=["3C 4C 2C"])
    assert [zone(after, name) for name in ("hand.0.1", "deck", "discard")] == ["5C 6D 3C", "4C 2C", ""]


def test_edge_14_also_in_mid_deal() -> None:
    first, rest = "2C 3C 4C 5C 6C 7C", [card for card in pack() if card not in cards("2C 3C 4C 5C 6C 7C")]
    start = table(
        "blackjack", f"deck: {first} | discard: {text(rest)}", phase="bet", turn=(6,),
        settings={"players": 7, "packs": 1, "cut": 90}, hand_no=2, bets_hidden=True, stakes=((10,),) * 6 + ((),),
    )  # fmt: skip
    after = do(start, "6 bet 10", shuffles=[text(rest)])
    assert [zone(after, f"hand.{seat}.1").split()[0] for seat in range(7)] == [*first.split(), text(rest[:1])]
    assert (zone(after, "discard"), len(after.zones["deck"])) == ("", 52 - 16)


def test_no_card_left_at_all() -> None:
    start = table(
        "blackjack", "hand.0.1: 8C 8D | house: 3D | hole: 2D", phase="play", settings={"players": 1, "rounds": 1},
        active=1, stakes=((10,),), endings=(("",),), score=(500,),
    )  # fmt: skip
    assert [refused(start, f"0 {verb}") for verb in ("hit", "double", "split")] == ["RULE_BROKEN"] * 3
    over = do(start, "0 stand")
    assert (zone(over, "house"), outcomes(over)) == ("3D 2D", [["win"]])


def test_edge_15_all_sit() -> None:
    over = do(dealt("TC 9D TH 8D", must_bet=False, rounds=3), "0 stand", "0 sit")
    assert (outcomes(over), change(over), fact(over, "hand_no")) == ([[]], [0], 3)
    assert [zone(over, name) for name in ("hand.0.1", "house")] == ["", ""]
    assert zone(over, "discard") == "TC TH 9D 8D"


def test_edge_16_a_seat_below_the_least_bet_is_out_and_keeps_its_chips() -> None:
    over = do(dealt("TC 9C TH 9D 8D KD", bets=(10, 20), chips=25, rounds=1), "0 stand", "1 stand")
    assert result(over)[1] == [15, 5]


def test_edge_17_the_last_two_may_go_out_in_one_round() -> None:
    over = do(dealt("TC 9C TH 8D 8C KD", bets=(20, 20), chips=25, rounds=9), "0 stand", "1 stand")
    assert (result(over), fact(over, "out_at")) == (([1, 1], [5, 5]), [1, 1])


def test_edge_18_the_greatest_bet_is_a_multiple_of_the_step() -> None:
    start = begin("blackjack", shoe(""), packs=1, players=1, chips=45)
    assert engine.options(start, 0)[0].choices[0].high == 40
    assert refused(start, "0 bet 45") == "RULE_BROKEN"


# Hidden information ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_hole_card_is_not_sent_before_it_is_turned() -> None:
    start = begin("blackjack", shoe("TC 9D TH 8D"), packs=1, players=1)
    for viewer in (0, None):
        happened = events(start, "0 bet 10", viewer=viewer)
        moved = [event.cards for event in happened if isinstance(event, Moved) and event.target == "hole"]
        assert moved == [(UNSEEN,)]
        assert seen(do(start, "0 bet 10"), viewer, "hole") == 1
