"""Memory, rule by rule: settings, the layout, the two cards of a turn, the end, and the numbered edge cases."""

from typing import Any

import msgspec
import pytest

from chautari import engine
from chautari.cards import UNSEEN, cards, pack, text
from chautari.engine import ALL, Dealt, HandEnded, Hidden, Kind, Moved, Position, Shown, Shuffled, Told
from chautari.games.memory import GAME, cards_used
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

LAID = "AC 2C AD 3C 4C AH AS 2D 3D 2H 4D 2S 3H 4H 3S 4S"
"""Sixteen cards: position 0 holds AC, 2 AD, 5 AH and 6 AS; 1 and 3 differ."""


def laid(lying: str = LAID, **settings: Any) -> Position[Any]:
    """A match that has just begun, sixteen cards on the table."""
    return begin("memory", lying, **{"cards": 16, **settings})


def near_the_end(**facts: Any) -> Position[Any]:
    """Two aces left, at 3 and 7, seat 0 in turn."""
    settings = {"cards": 16, **facts.pop("settings", {})}
    given = {"left": 2, "score": (3, 4), **facts}
    return table("memory", "pos.3: AC | pos.7: AD", phase="first", settings=settings, **given)


# Settings, zones, facts ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "default", "allowed", "wrong"),
    [
        ("players", 2, (2, 3, 4), (1, 5, "2")),
        ("cards", 52, (16, 24, 32, 40, 52, 104), (8, 48, 53)),
        ("match", "rank", ("rank", "colour"), ("suit", True)),
        ("again", True, (True, False), (1, None)),
        ("rounds", 1, (1, 5), (0, 6)),
    ],
)
def test_settings(name: str, default: object, allowed: tuple[object, ...], wrong: tuple[object, ...]) -> None:
    assert getattr(GAME.read_settings({}), name) == default
    for value in allowed:
        assert getattr(GAME.read_settings({name: value}), name) == value
    for value in wrong:
        assert bad_setting("memory", **{name: value}) == name


@pytest.mark.parametrize(("count", "last", "packs"), [
    (16, "4", 1), (24, "6", 1), (32, "8", 1), (40, "T", 1), (52, "K", 1), (104, "K", 2),
])  # fmt: skip
def test_settings_cards_are_whole_ranks_from_the_ace_up(count: int, last: str, packs: int) -> None:
    used = cards_used(GAME.read_settings({"cards": count}))
    assert (len(used), max(used, key=lambda card: card.low).rank) == (count, last)
    assert all(used.count(card) == packs for card in used)


def test_zones() -> None:
    assert zones_declared("memory") == {"pos": ("by rule", False), "taken": ("all", True)}
    assert [zone.laid_out_as for zone in GAME.zones] == [Kind.BOARD, Kind.WON]
    assert GAME.layout(GAME.read_settings({"cards": 104})).names["pos"][-1] == "pos.103"


def test_facts() -> None:
    assert public_facts("memory") == ["dealer", "hand_no", "up", "left", "dry", "score"]


# The deal ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_deal_the_outcome_is_laid_out_in_order() -> None:
    start = laid()
    assert [zone(start, f"pos.{position}") for position in (0, 1, 15)] == ["AC", "2C", "4S"]
    facts = {name: fact(start, name) for name in public_facts("memory")}
    assert facts == {"dealer": 1, "hand_no": 1, "up": [], "left": 16, "dry": 0, "score": [0, 0]}
    assert (start.phase, start.turn) == ("first", (0,))


# A turn ───────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_turn_first_the_same_seat_goes_on() -> None:
    after = do(laid(), "0 turn 1")
    assert (fact(after, "up"), after.phase, after.turn) == ([1], "second", (0,))


def test_turn_second_a_pair_is_kept_the_first_card_first_and_the_seat_goes_on() -> None:
    after = do(laid(), "0 turn 2", "0 turn 0")
    assert (zone(after, "taken.0"), zone(after, "pos.0"), zone(after, "pos.2")) == ("AD AC", "", "")
    assert (fact(after, "up"), fact(after, "left"), fact(after, "score")) == ([], 14, [1, 0])
    assert (after.phase, after.turn) == ("first", (0,))


def test_turn_second_a_pair_ends_the_dry_turns() -> None:
    after = do(laid(), "0 turn 1", "0 turn 3", "1 turn 0", "1 turn 2")
    assert (fact(after, "dry"), fact(after, "score"), after.turn) == (0, [0, 1], (1,))


def test_turn_second_without_again_the_turn_passes() -> None:
    after = do(laid(again=False), "0 turn 0", "0 turn 2")
    assert (after.turn, fact(after, "score")) == ((1,), [1, 0])


def test_turn_second_two_that_differ_stay_up_and_the_turn_passes() -> None:
    after = do(laid(), "0 turn 3", "0 turn 1")
    assert (fact(after, "up"), fact(after, "dry"), after.turn, after.phase) == ([3, 1], 1, (1,), "first")
    assert [seen(after, None, f"pos.{position}") for position in (1, 3, 4)] == ["2C", "3C", 1]


def test_turn_first_turns_the_open_cards_down_and_may_choose_one_of_them() -> None:
    start = do(laid(), "0 turn 3", "0 turn 1")
    fresh = do(start, "1 turn 4")
    assert [seen(fresh, 0, f"pos.{position}") for position in (1, 3, 4)] == [1, 1, "4C"]
    assert fact(do(start, "1 turn 3"), "up") == [3]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("0 take 2", "UNKNOWN_ACTION"),
        ("1 turn 2", "NOT_YOUR_TURN"),
        ("0 turn", "MALFORMED_ACTION"),
        ("0 turn 2 3", "MALFORMED_ACTION"),
        ("0 turn 16", "MALFORMED_ACTION"),
        ("0 turn 999999999", "MALFORMED_ACTION"),
        ("0 turn -1", "MALFORMED_ACTION"),
        ("0 turn 02", "MALFORMED_ACTION"),
        ("0 turn x", "MALFORMED_ACTION"),
        ("0 turn AC", "MALFORMED_ACTION"),
        ("0 turn 0", "RULE_BROKEN"),
        ("0 turn 2", "RULE_BROKEN"),
    ],
)
def test_turn_refusals(line: str, code: str) -> None:
    """Positions 0 and 2 are empty."""
    assert refused(do(laid(), "0 turn 0", "0 turn 2"), line) == code


def test_options_are_the_positions_that_may_be_turned() -> None:
    start = near_the_end()
    assert engine.legal(start, 0) == ["turn 3", "turn 7"]
    after = do(start, "0 turn 3")
    (option,) = engine.options(after, 0)
    assert (option.actions, option.choices[0].type, option.choices[0].values) == (("turn 7",), "position", ("7",))
    assert engine.legal(after, 1) == []


@pytest.mark.parametrize(("one", "other", "match", "pair"), [
    ("7H", "7S", "rank", True), ("7H", "8H", "rank", False), ("7H", "7S", "colour", False),
    ("7H", "7D", "colour", True), ("7C", "7S", "colour", True), ("7D", "8D", "colour", False),
    ("7H", "7H", "colour", True),
])  # fmt: skip
def test_match(one: str, other: str, match: str, pair: bool) -> None:
    start = table("memory", f"pos.0: {one} | pos.1: {other} | pos.2: KS", phase="first", left=3,
                  settings={"match": match, "cards": 104})  # fmt: skip
    after = do(start, "0 turn 0", "0 turn 1")
    assert (zone(after, "taken.0") != "") == pair


# The end ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_end_the_next_hand_is_laid_out_in_the_same_action() -> None:
    after = do(near_the_end(settings={"rounds": 2}, dealer=1), "0 turn 3")
    line, order = "0 turn 7", text(reversed(cards(LAID)))
    again = do(after, line, shuffles=[order])
    assert (fact(again, "hand_no"), fact(again, "dealer"), again.turn, again.phase) == (2, 0, (1,), "first")
    assert (fact(again, "left"), fact(again, "up"), fact(again, "score")) == (16, [], [4, 4])
    assert (zone(again, "taken.0"), zone(again, "pos.0")) == ("", "4S")


def test_end_the_record_counts_the_pairs_and_turns_of_the_hand() -> None:
    start = table("memory", "pos.3: AC | pos.7: AD | taken.1: 2C 2D 3C 3D", phase="first", left=2,
                  settings={"cards": 16}, score=(3, 4), turns=11)  # fmt: skip
    assert HandEnded(1, {"pairs": [1, 2], "turns": 12}) in events(do(start, "0 turn 3"), "0 turn 7")


def test_end_the_most_pairs_are_best_and_equal_seats_share_the_place() -> None:
    over = do(near_the_end(), "0 turn 3", "0 turn 7")
    assert (over.phase, result(over)) == ("over", ([1, 1], [4, 4]))


def test_end_the_last_two_cards_of_a_dry_end_stay_up() -> None:
    start = table("memory", "pos.3: AC | pos.7: 2D", phase="first", left=2, settings={"cards": 16}, dry=31)
    over = do(start, "0 turn 7", "0 turn 3")
    assert (over.phase, fact(over, "up"), fact(over, "dry"), fact(over, "left")) == ("over", [7, 3], 32, 2)


def test_time_out_turns_the_lowest_position_that_may_be_turned() -> None:
    start = near_the_end()
    assert engine.timeout_action(start, 0) == "turn 3"
    after = do(start, "0 times out")
    assert engine.timeout_action(after, 0) == "turn 7"
    assert engine.timeout_action(after, 1) is None


# Hidden ───────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_hidden_nobody_sees_a_card_that_lies_face_down_not_even_who_has_seen_it() -> None:
    after = do(laid(), "0 turn 1", "0 turn 3", "1 turn 0")
    for viewer in (0, 1, None):
        assert [seen(after, viewer, f"pos.{position}") for position in (0, 1, 3)] == ["AC", 1, 1]


def test_hidden_the_layout_is_sent_to_nobody() -> None:
    made = engine.begin(GAME, GAME.read_settings({"cards": 16}), engine.Script([cards(LAID)])).events
    for viewer in (0, 1, None):
        for event in engine.redact(made, viewer):
            if isinstance(event, Shuffled):
                assert {card.text for card in event.cards} == {"??"}
            if isinstance(event, Dealt):
                assert set(event.hands) == {bytes((UNSEEN,))}


def test_hidden_turning_shows_a_card_to_all_and_hides_the_others() -> None:
    made = events(do(laid(), "0 turn 1", "0 turn 3"), "1 turn 0", viewer=None)
    assert [event for event in made if isinstance(event, (Shown, Hidden))] == [
        Hidden("pos.1", ALL), Hidden("pos.3", ALL), Shown("pos.0", bytes(cards("AC")), ALL),
    ]  # fmt: skip


def test_hidden_a_pair_is_shown_before_it_is_taken() -> None:
    made = events(do(laid(), "0 turn 0"), "0 turn 2", viewer=1)
    shown = [event for event in made if isinstance(event, (Shown, Moved))]
    assert shown[0] == Shown("pos.2", bytes(cards("AD")), ALL)
    assert [text(event.cards) for event in shown if isinstance(event, Moved)] == ["AC", "AD"]
    assert [event.facts["up"] for event in made if isinstance(event, Told)] == [[0, 2], []]


# Edge cases ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_edge_1_any_two_of_four_are_a_pair_or_with_colour_those_of_one_colour() -> None:
    assert fact(do(laid(), "0 turn 0", "0 turn 5"), "score") == [1, 0]
    assert fact(do(laid(match="colour"), "0 turn 0", "0 turn 5"), "score") == [0, 0]
    assert fact(do(laid(match="colour"), "0 turn 0", "0 turn 6"), "score") == [1, 0]


@pytest.mark.parametrize("match", ["rank", "colour"])
def test_edge_2_with_two_packs_equal_cards_are_a_pair(match: str) -> None:
    start = begin("memory", text(pack(2)), cards=104, match=match)
    assert zone(do(start, "0 turn 0", "0 turn 1"), "taken.0") == "AC AC"


def test_edge_3_the_position_just_turned_up_is_refused_and_stays_up() -> None:
    after = do(laid(), "0 turn 0")
    assert refused(after, "0 turn 0") == "RULE_BROKEN"
    assert fact(after, "up") == [0]


def test_edge_4_an_emptied_position_and_one_that_there_is_not() -> None:
    start = begin("memory", text(pack()))
    taken = do(start, "0 turn 0", "0 turn 13")
    assert refused(taken, "0 turn 0") == "RULE_BROKEN"
    assert refused(taken, "0 turn 52") == "MALFORMED_ACTION"
    assert refused(taken, "0 turn 07") == "MALFORMED_ACTION"


def test_edge_5_a_seat_may_take_all_pairs_in_one_run() -> None:
    lines = [f"0 turn {position}" for position in (0, 2, 5, 6, 1, 7, 9, 11, 3, 8, 12, 14, 4, 10, 13, 15)]
    over = do(laid(players=3), *lines)
    assert result(over) == ([1, 2, 2], [8, 0, 0])


def test_edge_6_after_the_last_pair_nobody_is_in_turn() -> None:
    over = do(near_the_end(), "0 turn 3", "0 turn 7")
    assert (over.turn, refused(over, "0 turn 3")) == ((), "MATCH_OVER")


def test_edge_7_ties_share_a_place() -> None:
    start = table("memory", "pos.3: AC | pos.7: AD", phase="first", left=2, score=(2, 3, 2),
                  settings={"cards": 16, "players": 3})  # fmt: skip
    assert result(do(start, "0 turn 3", "0 turn 7"))[0] == [1, 1, 3]


def test_edge_8_the_same_two_cards_may_be_turned_again() -> None:
    after = do(laid(), "0 turn 1", "0 turn 3", "1 turn 1", "1 turn 3")
    assert (fact(after, "up"), fact(after, "dry"), after.turn) == ([1, 3], 2, (0,))


def test_edge_9_a_hand_ends_after_twice_as_many_dry_turns_as_cards_and_begins_again_at_0() -> None:
    position = laid(rounds=2)
    for number in range(31):
        position = do(position, f"{number % 2} turn 1", f"{number % 2} turn 3")
    assert (fact(position, "dry"), fact(position, "hand_no")) == (31, 1)
    position = do(position, "1 turn 1", "1 turn 3", shuffles=[LAID])
    assert (fact(position, "dry"), fact(position, "hand_no"), fact(position, "left")) == (0, 2, 16)


@pytest.mark.parametrize("match", ["rank", "colour"])
def test_edge_10_any_rest_can_be_paired_off(match: str) -> None:
    for count in (16, 24, 32, 40, 52, 104):
        used = cards_used(GAME.read_settings({"cards": count, "match": match}))
        kinds = [(card.rank, match == "colour" and card.red) for card in used]
        assert all(kinds.count(kind) % 2 == 0 for kind in kinds)


def test_a_state_of_104_cards_stays_small() -> None:
    start = begin("memory", text(pack(2)), cards=104, players=4)
    assert len(engine.encode(start)) < 400
    assert engine.decode(GAME, engine.encode(start)) == start
    assert len(msgspec.json.encode([engine.view(start, 0), engine.options(start, 0)])) < 16_384
