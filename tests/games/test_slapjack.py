"""Slapjack, rule by rule: settings, the deal, flips, slaps right, wrong and late, passing, the end, the edge cases."""

from collections.abc import Collection
from typing import Any

import msgspec
import pytest

from chautari import engine
from chautari.cards import UNSEEN, cards, pack, text
from chautari.engine import HandEnded, Moved, Position, Shuffled
from chautari.games.slapjack import GAME
from tests.engine.timeouts import time_out
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


def lying(
    *stacks: str, pile: str = "", flipper: int | None = 1, flipped: int = 0, flips: int = 5, good: bool | None = None,
    slow: Collection[int] = (), **facts: Any,
) -> Position[Any]:  # fmt: skip
    """The middle of a match: these stacks, a pile of which seat `flipped` turned the last card, and whose turn it is.

    slow: seats that may not slap the top card. flipper: None in the phase `slap`.
    """
    settings = {"players": len(stacks), "collect": "under", **facts.pop("settings", {})}
    held = [f"stack.{seat}: {stack}" for seat, stack in enumerate(stacks)]
    is_good = bool(pile) and cards(pile)[-1].rank == "J" if good is None else good
    given = {
        "flipper": flipper, "flips": flips, "last": flipped if pile else None, "flipped_by": flipped, "good": is_good,
        "score": tuple(len(stack.split()) for stack in stacks),
    }  # fmt: skip
    out_at = facts.get("out_at", (None,) * len(stacks))
    slapping = [s for s in range(len(stacks)) if pile and s not in slow and out_at[s] is None]
    must = slapping if flipper is None else [flipper]
    position = table(
        "slapjack", " | ".join([*held, f"pile: {pile}"]), phase="slap" if flipper is None else "play", turn=must,
        settings=settings, **{**given, **facts},
    )  # fmt: skip
    return msgspec.structs.replace(position, may=engine.only(*[seat for seat in slapping if seat not in must]))


# Settings, zones, facts ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "default", "allowed", "wrong"),
    [
        ("players", 4, (2, 8), (1, 9, "4")),
        ("packs", 1, (1, 2), (0, 3)),
        ("slap_on", "jacks", ("jacks", "jacks_pairs"), ("pairs", True)),
        ("penalty", "flipper", ("flipper", "pile", "none"), ("no", None)),
        ("collect", "shuffle", ("shuffle", "under"), ("shuffled", False)),
        ("slap_in", "once", ("once", "always"), ("never", 1)),
        ("cover", True, (True, False), (1, "true")),
        ("flip_limit", 1000, (10, 100_000), (9, 0, 100_001)),
    ],
)
def test_settings(name: str, default: object, allowed: tuple[object, ...], wrong: tuple[object, ...]) -> None:
    assert getattr(GAME.read_settings({}), name) == default
    for value in allowed:
        assert getattr(GAME.read_settings({name: value}), name) == value
    for value in wrong:
        assert bad_setting("slapjack", **{name: value}) == name


def test_zones() -> None:
    assert zones_declared("slapjack") == {"stack": ("none", True), "pile": ("all", True)}


def test_facts_and_that_a_card_is_good_is_none_of_them() -> None:
    assert public_facts("slapjack") == [
        "dealer", "flipper", "flips", "last", "slapped", "passed", "out_at", "score",
    ]  # fmt: skip


# The deal ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("packs", [1, 2])
def test_deal_one_at_a_time_and_seat_0_flips_first(packs: int) -> None:
    start = begin("slapjack", text(pack(packs)), packs=packs, players=3)
    assert zone(start, "stack.0").split()[:2] == [pack(packs)[0].text, pack(packs)[3].text]
    facts = {name: fact(start, name) for name in public_facts("slapjack") if name != "score"}
    assert facts == {"dealer": 2, "flipper": 0, "flips": 0, "last": None, "slapped": [], "passed": [],
                     "out_at": [None] * 3}  # fmt: skip
    assert (start.phase, start.turn, sum(fact(start, "score"))) == ("play", (0,), 52 * packs)


# Flips ────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_flip_puts_the_next_card_on_top_and_passes_the_turn() -> None:
    after = do(lying("2C 3C", "4C 5C", "6C", pile="9C", slapped=(2,), slow=[2]), "1 flip")
    assert (zone(after, "pile"), fact(after, "flips"), fact(after, "last")) == ("9C 4C", 6, 1)
    assert (fact(after, "slapped"), fact(after, "flipper"), fact(after, "score")) == ([], 2, [2, 1, 1])
    assert (after.turn, engine.must_act(after)) == ((0, 1, 2), (2,))


def test_flip_passes_over_seats_without_cards_or_out() -> None:
    after = do(lying("2C 3C", "4C 5C", "", "", pile="9C", out_at=(None, None, None, 3)), "1 flip")
    assert (fact(after, "flipper"), after.turn) == (0, (0, 1, 2))


def test_flip_only_the_flipper_has_a_clock() -> None:
    start = lying("2C 3C", "4C 5C", pile="9C")
    assert engine.timeout_action(start, 1) == "flip"
    assert engine.timeout_action(start, 0) is None


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("1 pass", "UNKNOWN_ACTION"),
        ("1 jump", "UNKNOWN_ACTION"),
        ("2 flip", "NOT_YOUR_TURN"),
        ("2 slap 5", "NOT_YOUR_TURN"),
        ("1 flip 1", "MALFORMED_ACTION"),
        ("0 flip 1", "MALFORMED_ACTION"),
        ("0 slap", "MALFORMED_ACTION"),
        ("0 slap x", "MALFORMED_ACTION"),
        ("0 slap 05", "MALFORMED_ACTION"),
        ("0 slap -5", "MALFORMED_ACTION"),
        ("0 slap 5 5", "MALFORMED_ACTION"),
        ("0 slap 1234567890", "MALFORMED_ACTION"),
        ("0 flip", "RULE_BROKEN"),
        ("0 slap 0", "RULE_BROKEN"),
        ("0 slap 6", "RULE_BROKEN"),
        ("0 slap 999999999", "RULE_BROKEN"),
        ("0 slap 4", "RULE_BROKEN"),
        ("0 slap 1", "RULE_BROKEN"),
    ],
)
def test_refusals(line: str, code: str) -> None:
    """Seat 2 has slapped the top card, flip 5; seat 1 is the flipper."""
    assert refused(lying("2C 3C", "4C 5C", "6C", pile="9C", slapped=(2,), slow=[2]), line) == code


def test_refusals_a_flipper_that_has_slapped() -> None:
    assert refused(lying("2C 3C", "4C 5C", pile="9C", slapped=(1,), slow=[1]), "1 slap 5") == "RULE_BROKEN"


def test_refusals_a_slap_where_nothing_lies() -> None:
    assert refused(lying("2C 3C", "4C 5C"), "1 slap 5") == "RULE_BROKEN"


def test_options() -> None:
    start = lying("2C 3C", "4C 5C", "6C", pile="9C", slapped=(2,), slow=[2])
    assert [engine.legal(start, seat) for seat in range(3)] == [["slap 5"], ["flip", "slap 5"], []]
    waiting = lying("2C 3C", "4C 5C", pile="JC", flipper=None)
    assert engine.legal(waiting, 0) == ["slap 5", "pass"]


# Slaps ────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_slap_good_the_pile_goes_under_the_stack_lowest_first() -> None:
    after = do(lying("2C 3C", "4C 5C", pile="9C TC JC"), "0 slap 5")
    assert (zone(after, "stack.0"), zone(after, "pile")) == ("2C 3C 9C TC JC", "")
    assert (fact(after, "last"), after.turn, fact(after, "flipper")) == (None, (1,), 1)


def test_slap_good_with_shuffle_stack_and_pile_are_shuffled_together() -> None:
    start = lying("2C 3C", "4C 5C", pile="9C JC", settings={"collect": "shuffle"})
    assert zone(do(start, "0 slap 5", shuffles=["JC 2C 9C 3C"]), "stack.0") == "JC 2C 9C 3C"


def test_slap_never_changes_the_order() -> None:
    after = do(lying("2C 3C", "4C 5C", "6C 7C", pile="JC", flipper=2, flipped=1), "0 slap 5")
    assert (after.turn, fact(do(after, "2 flip"), "flipper")) == ((2,), 0)


def test_slap_wrong_a_card_goes_under_the_stack_of_whoever_flipped() -> None:
    after = do(lying("2C 3C", "4C 5C", "6C 7C", pile="9C"), "2 slap 5")
    assert (zone(after, "stack.0"), zone(after, "stack.2"), fact(after, "slapped")) == ("2C 3C 6C", "7C", [2])
    assert after.turn == (0, 1)


def test_slap_wrong_on_ones_own_card_pays_the_next_that_is_in() -> None:
    start = lying("2C 3C", "4C 5C", "6C 7C", pile="9C", flipper=2, out_at=(None, 3, None))
    assert zone(do(start, "0 slap 5"), "stack.2") == "6C 7C 2C"


def test_slap_wrong_where_the_flipper_is_out_pays_the_next_that_is_in() -> None:
    start = lying("", "4C 5C", "6C 7C", pile="9C", out_at=(5, None, None))
    assert zone(do(start, "2 slap 5"), "stack.1") == "4C 5C 6C"


def test_slap_wrong_with_pile_the_card_goes_face_up_to_the_bottom() -> None:
    start = lying("2C 3C", "4C 5C", "6C 7C", pile="8C 9C", settings={"penalty": "pile"})
    after = do(start, "2 slap 5")
    assert (zone(after, "pile"), zone(after, "stack.2"), seen(after, None, "pile")) == ("6C 8C 9C", "7C", "6C 8C 9C")


def test_slap_wrong_with_none_costs_nothing() -> None:
    after = do(lying("2C 3C", "4C 5C", pile="9C", settings={"penalty": "none"}), "0 slap 5")
    assert (zone(after, "stack.0"), fact(after, "slapped"), after.turn) == ("2C 3C", [0], (1,))


@pytest.mark.parametrize("penalty", ["flipper", "pile", "none"])
def test_slap_wrong_without_cards_is_out_at_once(penalty: str) -> None:
    after = do(lying("2C 3C", "4C 5C", "", pile="9C", settings={"penalty": penalty}), "2 slap 5")
    assert (fact(after, "out_at"), after.turn) == ([None, None, 5], (0, 1))


@pytest.mark.parametrize(("slap_on", "good"), [("jacks", False), ("jacks_pairs", True)])
def test_slap_pairs_are_good_where_the_table_says_so(slap_on: str, good: bool) -> None:
    start = lying("2C 3C", "9D 5C", pile="4C 9C", settings={"slap_on": slap_on})
    after = do(start, "1 flip", "0 slap 6")
    assert (zone(after, "pile") == "") == good


def test_slap_late_changes_nothing() -> None:
    start = do(lying("2C 3C", "4C 5C", pile="9C JC"), "1 flip")
    assert refused(start, "0 slap 5") == "RULE_BROKEN"
    assert refused(do(lying("2C 3C", "4C 5C", "6C", pile="9C JC"), "2 slap 5"), "0 slap 5") == "NOT_YOUR_TURN"


# Waiting and passing ──────────────────────────────────────────────────────────────────────────────────────────────────

WAITS = {"cover": False}


def test_cover_false_the_flipping_waits_for_a_good_card() -> None:
    after = do(lying("2C 3C", "JC 5C", "6C", pile="9C", settings=WAITS), "1 flip")
    assert (after.phase, after.turn, engine.must_act(after), fact(after, "flipper")) == (
        "slap",
        (0, 1, 2),
        (0, 1, 2),
        None,
    )


def test_pass_the_flipping_goes_on_when_all_have() -> None:
    start = lying("2C 3C", "4C 5C", "6C", pile="JC", flipper=None, settings=WAITS)
    one = do(start, "2 pass", "0 pass")
    assert (fact(one, "passed"), one.turn, one.phase) == ([2, 0], (1,), "slap")
    after = do(one, "1 pass")
    assert (after.phase, after.turn, fact(after, "passed")) == ("play", (1,), [2, 0, 1])


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("1 flip", "UNKNOWN_ACTION"),
        ("0 pass 5", "MALFORMED_ACTION"),
        ("2 pass", "NOT_YOUR_TURN"),
        ("2 slap 5", "NOT_YOUR_TURN"),
        ("0 slap 4", "RULE_BROKEN"),
    ],
)
def test_refusals_while_a_good_card_waits(line: str, code: str) -> None:
    start = lying("2C 3C", "4C 5C", "6C", pile="JC", flipper=None, settings=WAITS, passed=(2,), slow=[2])
    assert refused(start, line) == code


def test_time_out_passes_while_a_good_card_waits() -> None:
    start = lying("2C 3C", "4C 5C", pile="JC", flipper=None, settings=WAITS)
    assert fact(do(start, "0 times out"), "passed") == [0]


# The end ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_end_the_last_seat_in_puts_the_pile_under_its_stack_and_wins() -> None:
    over = do(lying("", "4C 5C", pile="9C TC"), "0 slap 5")
    assert (zone(over, "stack.1"), zone(over, "pile"), result(over)) == ("4C 5C 9C TC", "", ([2, 1], [0, 4]))
    assert (fact(over, "flipper"), fact(over, "last"), fact(over, "slapped")) == (None, None, [])


def test_end_who_holds_all_the_cards_has_won_though_others_have_a_chance() -> None:
    left = [card.text for card in pack() if card.text not in ("JC", "2C")]
    start = lying(" ".join(left), "", pile="2C JC", flipper=0, flipped=1, ran_out=(0, 5))
    over = do(start, "0 slap 5")
    assert (over.phase, fact(over, "out_at"), result(over)) == ("over", [None, None], ([1, 2], [52, 0]))


def test_end_at_the_limit_the_most_cards_win_and_the_pile_counts_for_nobody() -> None:
    start = lying("2C 3C", "4C 5C 6C", "7C", pile="9C", flips=9, settings={"flip_limit": 10})
    over = do(start, "1 flip")
    assert (result(over), zone(over, "pile"), fact(over, "last")) == (([1, 1, 3], [2, 2, 1]), "9C 4C", 1)


def test_end_those_out_come_behind_the_later_the_better() -> None:
    start = lying("2C 3C", "4C 5C", "", "", "", pile="9C", flips=9, settings={"flip_limit": 10},
                  out_at=(None, None, 4, 7, 4))  # fmt: skip
    assert result(do(start, "1 flip"))[0] == [1, 2, 4, 3, 4]


def test_end_the_record() -> None:
    start = lying("", "4C 5C", pile="9C TC", piles=(1, 2))
    made = events(start, "0 slap 5")
    assert HandEnded(1, {"flips": 5, "out_at": [5, None], "cards": [0, 4], "piles": [1, 2]}) in made


def test_end_the_record_counts_the_piles_won() -> None:
    start = lying("2C", "4C 5C", pile="JC", flips=10, piles=(1, 2), settings={"flip_limit": 10}, flipper=None)
    made = events(start, "0 slap 10")
    assert HandEnded(1, {"flips": 10, "out_at": [None, None], "cards": [2, 2], "piles": [2, 2]}) in made


# Hidden ───────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_hidden_nobody_sees_a_stack_not_even_its_owner() -> None:
    start = lying("2C 3C", "4C 5C", pile="9C")
    assert [seen(start, viewer, "stack.0") for viewer in (0, 1, None)] == [2, 2, 2]


def test_hidden_a_card_for_a_wrong_slap_is_seen_by_nobody() -> None:
    start = lying("2C 3C", "4C 5C", "6C 7C", pile="9C")
    for viewer in (0, 2, None):
        moved = [event for event in events(start, "2 slap 5", viewer=viewer) if isinstance(event, Moved)]
        assert [event.cards for event in moved] == [(UNSEEN,)]


def test_hidden_the_order_of_a_shuffled_stack_is_told_to_nobody() -> None:
    start = lying("2C 3C", "4C 5C", pile="9C JC", settings={"collect": "shuffle"})
    for viewer in (0, 1, None):
        made = events(start, "0 slap 5", "JC 2C 9C 3C", viewer=viewer)
        assert [event.cards for event in made if isinstance(event, Shuffled)] == [(UNSEEN,) * 4]


def test_hidden_that_a_card_is_good_is_told_to_nobody() -> None:
    for card in ("JC", "4C"):
        made = events(lying("2C 3C", f"{card} 5C", pile="9C"), "1 flip", viewer=0)
        assert "good" not in str(made)


# Edge cases ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_edge_1_slapping_ones_own_card_is_allowed() -> None:
    assert zone(do(lying("2C 3C", "4C 5C", pile="JC"), "0 slap 5"), "stack.0") == "2C 3C JC"
    assert fact(do(lying("2C 3C", "4C 5C", pile="9C"), "0 slap 5"), "slapped") == [0]


def test_edge_2_a_wrong_slap_may_empty_a_stack_and_the_seat_is_in() -> None:
    after = do(lying("2C 3C", "4C 5C", "6C", pile="9C"), "2 slap 5")
    assert (fact(after, "out_at"), fact(after, "score"), after.facts.ran_out) == ([None] * 3, [3, 2, 0], (0, 0, 5))


def test_edge_3_a_penalty_gives_cards_again() -> None:
    start = lying("", "4C 5C", "6C 7C", pile="9C", ran_out=(5, 0, 0))
    after = do(start, "2 slap 5", "1 flip", "2 flip")
    assert (zone(after, "stack.0"), fact(after, "flipper")) == ("6C", 0)


def test_edge_4_the_flipper_may_lose_its_last_card() -> None:
    after = do(lying("2C 3C", "4C", "6C", pile="9C"), "1 slap 5")
    assert (fact(after, "flipper"), after.turn) == (2, (0, 2))


def test_edge_5_a_last_card_that_is_a_jack_and_slapped_by_another_leaves_its_seat_in() -> None:
    after = do(lying("2C 3C", "JC", "6C", pile="9C"), "1 flip", "0 slap 6")
    assert (fact(after, "out_at"), fact(after, "score")) == ([None] * 3, [4, 0, 1])


def test_edge_6_a_covered_jack_puts_out_those_who_had_run_out_before_it() -> None:
    start = lying("2C 3C", "4C 5C", "", pile="9C JC", ran_out=(0, 0, 3))
    after = do(start, "1 flip")
    assert (fact(after, "out_at"), zone(after, "pile")) == ([None, None, 6], "9C JC 4C")


def test_edge_6_the_flip_that_covers_it_stands_and_then_the_last_seat_wins() -> None:
    start = lying("", "4C 5C", pile="9C JC", ran_out=(3, 0))
    over = do(start, "1 flip")
    assert (zone(over, "stack.1"), result(over)[0], fact(over, "out_at")) == ("5C 9C JC 4C", [2, 1], [6, None])


def test_edge_6_who_runs_out_with_the_covering_card_stays_in() -> None:
    after = do(lying("2C 3C", "4C", pile="9C JC"), "1 flip")
    assert fact(after, "out_at") == [None, None]


def test_edge_7_a_jack_covers_a_jack() -> None:
    after = do(lying("2C 3C", "JD 5C", "", pile="9C JC", ran_out=(0, 0, 3)), "1 flip")
    assert fact(after, "out_at") == [None, None, 6]
    assert refused(after, "0 slap 5") == "RULE_BROKEN"
    assert zone(do(after, "0 slap 6"), "pile") == ""


def test_edge_8_nobody_has_cards_left() -> None:
    over = do(lying("", "4C", pile="9C", ran_out=(4, 0)), "1 flip")
    assert (over.phase, result(over)) == ("over", ([1, 1], [0, 0]))
    good = do(lying("", "JC", pile="9C", ran_out=(4, 0)), "1 flip")
    assert (good.phase, good.turn) == ("slap", (0, 1))
    assert zone(do(good, "0 slap 6"), "stack.0") == "9C JC"


def test_edge_8_all_pass_on_the_last_jack() -> None:
    good = do(lying("", "JC", "", pile="9C", ran_out=(4, 0, 0), out_at=(None, None, 2)), "1 flip", "0 pass", "1 pass")
    assert (good.phase, fact(good, "out_at"), result(good)) == ("over", [6, None, 2], ([2, 1, 3], [0, 2, 0]))


def test_edge_9_the_last_flip_is_a_jack() -> None:
    start = lying("2C 3C", "JC 4C", pile="9C", flips=9, settings={"flip_limit": 10})
    after = do(start, "1 flip")
    assert (after.phase, after.turn, fact(after, "flipper")) == ("slap", (0, 1), None)
    assert result(do(after, "0 slap 10")) == ([1, 2], [4, 1])
    assert result(do(after, "0 pass", "1 pass")) == ([1, 2], [2, 1])


def test_edge_10_a_card_on_which_all_have_passed_is_not_lost_again() -> None:
    start = lying("2C 3C", "4C 5C", "", pile="9C JC", flipper=None, settings=WAITS, ran_out=(0, 0, 5))
    after = do(start, "0 pass", "1 pass", "2 pass")
    assert (after.phase, after.turn, fact(after, "out_at")) == ("play", (1,), [None] * 3)
    assert refused(after, "1 slap 5") == "RULE_BROKEN"
    assert fact(do(after, "1 flip"), "out_at") == [None] * 3


PAIRS = {"slap_on": "jacks_pairs"}


def test_edge_11_the_first_card_of_a_new_pile_makes_no_pair() -> None:
    start = lying("2C 3C", "9D 5C", pile="JC", settings=PAIRS)
    after = do(start, "0 slap 5", "1 flip")
    assert fact(do(after, "0 slap 6"), "slapped") == [0]


def test_edge_11_a_card_put_under_the_pile_makes_no_pair() -> None:
    start = lying("2C 3C", "9D 5C", "9H 6C", pile="9C", settings={**PAIRS, "penalty": "pile"})
    after = do(start, "2 slap 5")
    assert zone(after, "pile") == "9H 9C"
    assert fact(do(after, "0 slap 5"), "slapped") == [2, 0]


def test_edge_11_what_lies_under_a_pair_may_change_later() -> None:
    start = lying("2C 3C", "9D 5C", "8H", pile="9C", settings={**PAIRS, "penalty": "pile"})
    after = do(start, "2 slap 5", "1 flip")
    assert zone(do(after, "0 slap 6"), "pile") == ""


def test_edge_12_a_wrong_slap_without_cards_loses_against_one_other_seat() -> None:
    assert result(do(lying("", "4C 5C", pile="9C"), "0 slap 5"))[0] == [2, 1]


def test_edge_13_with_always_nobody_is_out_for_missing_a_jack() -> None:
    start = lying("2C 3C", "4C 5C", "", pile="9C JC", ran_out=(0, 0, 3), settings={"slap_in": "always"})
    after = do(start, "1 flip")
    assert fact(after, "out_at") == [None] * 3
    assert fact(do(start, "0 slap 5"), "out_at") == [None] * 3


def test_edge_14_who_may_slap_never_has_to() -> None:
    start = lying("2C 3C", "4C 5C", "6C", pile="9C")
    assert (start.turn, engine.must_act(start)) == ((0, 1, 2), (1,))
    assert time_out(start, 2, engine.Script(())) is None
