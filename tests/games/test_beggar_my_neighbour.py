"""Beggar My Neighbour, rule by rule: settings, the deal, the flip, taking the pile, the end, and the edge cases."""

from typing import Any

import pytest

from chautari import engine
from chautari.cards import UNSEEN, cards, pack, text
from chautari.engine import NOBODY, HandEnded, Moved, Position, Shuffled
from chautari.games.beggar_my_neighbour import GAME
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


def flipping(*stacks: str, pile: str = "", turn: int = 0, **facts: Any) -> Position[Any]:
    """The middle of a match with these stacks, seat 0 in turn."""
    lying = " | ".join(f"stack.{seat}: {stack}" for seat, stack in enumerate(stacks)) + f" | pile: {pile}"
    settings = {"players": len(stacks), **facts.pop("settings", {})}
    score = tuple(len(stack.split()) for stack in stacks)
    return table(
        "beggar_my_neighbour", lying, phase="play", turn=[turn], settings=settings, **{"score": score, **facts}
    )


# Settings, zones, facts ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "default", "allowed", "wrong"),
    [
        ("players", 2, (2, 10), (1, 11, "2")),
        ("packs", 0, (0, 1, 2), (3, -1)),
        ("ace_pays", 4, (0, 4), (1, 2, 3)),
        ("short_pay", "take", ("take", "pass_on"), ("pass", True)),
        ("collect", "in_order", ("in_order", "shuffled"), ("shuffle", None)),
        ("flip_limit", 0, (0, 10, 100_000), (9, 1, 100_001)),
    ],
)
def test_settings(name: str, default: object, allowed: tuple[object, ...], wrong: tuple[object, ...]) -> None:
    assert getattr(GAME.read_settings({}), name) == default
    for value in allowed:
        assert getattr(GAME.read_settings({name: value}), name) == value
    for value in wrong:
        assert bad_setting("beggar_my_neighbour", **{name: value}) == name


def test_zones() -> None:
    assert zones_declared("beggar_my_neighbour") == {"stack": ("none", True), "pile": ("all", True)}


def test_facts() -> None:
    assert public_facts("beggar_my_neighbour") == [
        "dealer", "packs", "creditor", "owed", "flips", "limit", "out", "score",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("players", "packs", "limit", "in_play", "in_force"),
    [
        (2, 0, 0, 1, 1000), (3, 0, 0, 1, 1000), (4, 0, 0, 2, 4000), (10, 0, 0, 2, 4000),
        (2, 2, 0, 2, 4000), (10, 1, 0, 1, 1000), (3, 2, 17, 2, 17), (4, 0, 100_000, 2, 100_000),
    ],
)  # fmt: skip
def test_settings_packs_and_limit_by_seats(players: int, packs: int, limit: int, in_play: int, in_force: int) -> None:
    start = begin("beggar_my_neighbour", text(pack(in_play)), players=players, packs=packs, flip_limit=limit)
    assert (fact(start, "packs"), fact(start, "limit"), fact(start, "dealer")) == (in_play, in_force, players - 1)
    assert sum(fact(start, "score")) == 52 * in_play


# The deal ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_deal_one_at_a_time_the_first_card_is_turned_first() -> None:
    start = begin("beggar_my_neighbour", text(pack()), players=3)
    assert [zone(start, f"stack.{seat}")[:8] for seat in range(3)] == ["AC 4C 7C", "2C 5C 8C", "3C 6C 9C"]
    assert (fact(start, "score"), start.turn, start.phase) == ([18, 17, 17], (0,), "play")


# The flip ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("court", "price"), [("AC", 4), ("KD", 3), ("QH", 2), ("JS", 1)])
def test_flip_a_court_asks_its_price_of_the_next_seat(court: str, price: int) -> None:
    after = do(flipping(f"{court} 2C", "3C 4C", "5C 6C"), "0 flip")
    assert (fact(after, "creditor"), fact(after, "owed"), after.turn, fact(after, "flips")) == (0, price, (1,), 1)


def test_flip_an_ace_is_plain_where_it_pays_nothing() -> None:
    after = do(flipping("AC 2C", "3C 4C", settings={"ace_pays": 0}), "0 flip")
    assert (fact(after, "creditor"), fact(after, "owed"), after.turn) == (None, 0, (1,))


def test_flip_a_plain_ace_pays_like_other_plain_cards() -> None:
    start = flipping("2C", "AC 3C", pile="QD", turn=1, creditor=0, owed=2, settings={"ace_pays": 0})
    assert (fact(do(start, "1 flip"), "owed"), do(start, "1 flip").turn) == (1, (1,))


def test_flip_plain_with_nothing_owed_passes_the_turn_to_the_next_with_cards() -> None:
    after = do(flipping("2C 3C", "", "4C", out=(1,)), "0 flip")
    assert (after.turn, zone(after, "pile"), fact(after, "score")) == ((2,), "2C", [1, 0, 1])


def test_flip_in_payment_the_payer_goes_on() -> None:
    after = do(flipping("2C", "3C 4C 5C", pile="KD", turn=1, creditor=0, owed=3), "1 flip")
    assert (fact(after, "owed"), after.turn, zone(after, "pile")) == (2, (1,), "KD 3C")


def test_flip_the_creditor_takes_a_pile_that_is_paid_and_has_the_turn() -> None:
    after = do(flipping("2C", "3C 4C", pile="9S JD", turn=1, creditor=0, owed=1), "1 flip")
    assert (zone(after, "stack.0"), zone(after, "pile"), after.turn) == ("2C 9S JD 3C", "", (0,))
    assert (fact(after, "creditor"), fact(after, "owed"), fact(after, "score")) == (None, 0, [4, 1])


def test_flip_shuffled_the_pile_alone_is_shuffled_and_goes_under() -> None:
    start = flipping("2C", "3C 4C", pile="9S JD", turn=1, creditor=0, owed=1, settings={"collect": "shuffled"})
    after = do(start, "1 flip", shuffles=["3C 9S JD"])
    assert zone(after, "stack.0") == "2C 3C 9S JD"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("0 turn", "UNKNOWN_ACTION"),
        ("1 turn", "UNKNOWN_ACTION"),
        ("0", "UNKNOWN_ACTION"),
        ("1 flip", "NOT_YOUR_TURN"),
        ("1 flip 2C", "NOT_YOUR_TURN"),
        ("0 flip 2C", "MALFORMED_ACTION"),
        ("0 flip 1", "MALFORMED_ACTION"),
    ],
)
def test_flip_refusals(line: str, code: str) -> None:
    assert refused(flipping("2C 3C", "4C 5C"), line) == code


def test_flip_is_the_only_option() -> None:
    start = flipping("2C 3C", "4C 5C")
    assert engine.legal(start, 0) == ["flip"]
    assert [option.verb for option in engine.options(start, 0)] == ["flip"]
    assert engine.legal(start, 1) == []


def test_time_out_flips() -> None:
    start = flipping("2C 3C", "4C 5C")
    assert do(start, "0 times out") == do(start, "0 flip")
    assert time_out(start, 1, engine.Script(())) is None


# The end ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_end_the_last_seat_wins_and_the_others_by_when_they_went_out() -> None:
    start = flipping("", "2C", "3C 4C", "", pile="9C", turn=1, out=(3, 0))
    over = do(start, "1 flip")
    assert result(over) == ([3, 2, 1, 4], [0, 0, 4, 0])
    assert (over.phase, fact(over, "out"), zone(over, "stack.2")) == ("over", [3, 0, 1], "3C 4C 9C 2C")


def test_end_with_shuffled_the_last_seat_shuffles_the_pile_it_takes() -> None:
    start = flipping("2C", "3C 4C", pile="9C", settings={"collect": "shuffled"})
    assert zone(do(start, "0 flip", shuffles=["2C 9C"]), "stack.1") == "3C 4C 2C 9C"


def test_end_at_the_limit_the_most_cards_win_and_the_pile_counts_for_nobody() -> None:
    start = flipping("2C 3C 4C", "5C 6C", "7C", "", pile="9C", turn=0, out=(3,), flips=9, limit=10)
    over = do(start, "0 flip")
    assert result(over) == ([1, 1, 3, 4], [2, 2, 1, 0])
    assert zone(over, "pile") == "9C 2C"


def test_end_at_the_limit_a_creditor_without_cards_is_not_out() -> None:
    start = flipping("KC", "5C 6C", "7C", "", out=(3,), flips=9, limit=10)
    over = do(start, "0 flip")
    assert result(over) == ([3, 1, 2, 4], [0, 2, 1, 0])
    assert (fact(over, "creditor"), fact(over, "owed"), fact(over, "out")) == (None, 0, [3])


def test_end_the_record() -> None:
    made = events(flipping("2C", "3C 4C", flips=30), "0 flip")
    assert HandEnded(1, {"flips": 31, "out": [0], "cards": [0, 3]}) in made


# Hidden ───────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_hidden_nobody_sees_a_stack_not_even_its_owner() -> None:
    start = flipping("2C 3C", "4C 5C", pile="9C")
    assert [seen(start, viewer, "stack.0") for viewer in (0, 1, None)] == [2, 2, 2]
    assert [seen(start, viewer, "pile") for viewer in (0, None)] == ["9C", "9C"]


def test_hidden_a_shuffled_pile_gives_away_no_order() -> None:
    start = flipping("2C", "3C 4C", pile="9S JD", turn=1, creditor=0, owed=1, settings={"collect": "shuffled"})
    for viewer in (0, 1, None):
        made = events(start, "1 flip", "3C 9S JD", viewer=viewer)
        shown = [event.cards for event in made if isinstance(event, (Moved, Shuffled))]
        assert shown == [cards("3C"), (UNSEEN,) * 3, (UNSEEN,) * 3]


def test_hidden_a_pile_in_order_lies_face_down_again() -> None:
    start = flipping("2C", "3C 4C", pile="9S JD", turn=1, creditor=0, owed=1)
    taken = [event for event in events(start, "1 flip") if isinstance(event, Moved)][-1]
    assert taken.landing == NOBODY


def test_hidden_the_deal_shows_nothing() -> None:
    made = engine.begin(GAME, GAME.read_settings({}), engine.Script([pack()])).events
    for event in engine.redact(made, 0):
        assert "AC" not in str(event)


# Edge cases ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_edge_1_a_seat_whose_last_card_is_a_court_is_not_out() -> None:
    after = do(flipping("JC", "2C 3C", "4C"), "0 flip")
    assert (fact(after, "out"), fact(after, "score"), after.turn) == ([], [0, 2, 1], (1,))
    paid = do(after, "1 flip")
    assert (zone(paid, "stack.0"), paid.turn, fact(paid, "out")) == ("JC 2C", (0,), [])


def test_edge_1_it_is_out_when_a_court_turns_up_in_the_payment() -> None:
    after = do(flipping("JC", "QC 3C", "4C"), "0 flip", "1 flip")
    assert (fact(after, "out"), fact(after, "creditor"), after.turn) == ([0], 1, (2,))


def test_edge_2_a_seat_whose_last_card_is_plain_is_out_at_once() -> None:
    after = do(flipping("2C", "3C", "4C"), "0 flip")
    assert (fact(after, "out"), zone(after, "pile"), after.turn) == ([0], "2C", (1,))


def test_edge_3_the_last_card_is_the_last_one_owed() -> None:
    after = do(flipping("2C", "3C", "4C", pile="JD", turn=1, creditor=0, owed=1), "1 flip")
    assert (zone(after, "stack.0"), fact(after, "out"), after.turn) == ("2C JD 3C", [1], (0,))


def test_edge_4_the_payers_last_card_is_a_court() -> None:
    after = do(flipping("2C", "QC", "4C", pile="JD", turn=1, creditor=0, owed=1), "1 flip")
    assert (fact(after, "creditor"), fact(after, "owed"), fact(after, "out"), after.turn) == (1, 2, [], (2,))


def test_edge_4_with_two_seats_the_payer_wins_if_the_old_creditor_has_no_card() -> None:
    over = do(flipping("", "QC", pile="JD", turn=1, creditor=0, owed=1), "1 flip")
    assert (result(over), zone(over, "stack.1")) == (([2, 1], [0, 2]), "JD QC")


def test_edge_4_where_no_other_seat_has_a_card_the_creditor_takes_the_pile() -> None:
    over = do(flipping("", "QC 2D", pile="JD", turn=1, creditor=0, owed=1), "1 flip")
    assert (result(over)[0], zone(over, "stack.1"), fact(over, "creditor")) == ([2, 1], "2D JD QC", None)


def test_edge_5_a_debt_is_replaced_and_never_added_to() -> None:
    after = do(flipping("2C", "JC 3C", "4C", pile="AD", turn=1, creditor=0, owed=4), "1 flip")
    assert (fact(after, "creditor"), fact(after, "owed"), after.turn) == (1, 1, (2,))


def test_edge_6_the_debt_may_come_round_to_the_seat_that_was_creditor() -> None:
    after = do(flipping("KC 2C 3C", "QC 5C", "JC 6C"), "0 flip", "1 flip", "2 flip")
    assert (fact(after, "creditor"), fact(after, "owed"), after.turn) == (2, 1, (0,))
    assert zone(do(after, "0 flip"), "stack.2") == "6C KC QC JC 2C"


PASS_ON = {"short_pay": "pass_on"}


def test_edge_7_with_pass_on_the_next_seat_owes_the_rest() -> None:
    start = flipping("2C", "3C", "4C 5C", "6C", pile="KD", turn=1, creditor=0, owed=3, settings=PASS_ON)
    after = do(start, "1 flip")
    assert (fact(after, "owed"), after.turn, fact(after, "out"), fact(after, "creditor")) == (2, (2,), [1], 0)


def test_edge_7_the_creditor_never_pays_itself() -> None:
    start = flipping("2C", "4C 5C", "3C", pile="KD", turn=2, creditor=0, owed=3, settings=PASS_ON)
    after = do(start, "2 flip")
    assert (fact(after, "owed"), zone(after, "stack.0"), after.turn, fact(after, "out")) == (0, "2C KD 3C", (0,), [2])


def test_edge_7_a_creditor_without_cards_is_not_passed_over() -> None:
    start = flipping("", "4C 5C", "3C", pile="KD", turn=2, creditor=0, owed=3, settings=PASS_ON)
    assert zone(do(start, "2 flip"), "stack.0") == "KD 3C"


def test_edge_7_with_take_the_creditor_takes_the_pile() -> None:
    start = flipping("2C", "3C", "4C 5C", "6C", pile="KD", turn=1, creditor=0, owed=3)
    after = do(start, "1 flip")
    assert (zone(after, "stack.0"), after.turn, fact(after, "out")) == ("2C KD 3C", (0,), [1])


@pytest.mark.parametrize("short_pay", ["take", "pass_on"])
def test_edge_8_with_two_seats_take_and_pass_on_are_the_same(short_pay: str) -> None:
    start = flipping("2C", "3C", pile="KD", turn=1, creditor=0, owed=3, settings={"short_pay": short_pay})
    assert zone(do(start, "1 flip"), "stack.0") == "2C KD 3C"


def test_edge_9_the_last_plain_card_of_the_other_seat_leaves_a_winner() -> None:
    over = do(flipping("2C", "3C", pile="9C TC"), "0 flip")
    assert (result(over), zone(over, "stack.1")) == (([2, 1], [0, 4]), "3C 9C TC 2C")


def test_edge_10_at_the_limit_a_pile_that_is_paid_for_is_taken_first() -> None:
    start = flipping("2C", "3C 4C", pile="9S JD", turn=1, creditor=0, owed=1, flips=9, limit=10)
    assert result(do(start, "1 flip")) == ([1, 2], [4, 1])


def test_edge_10_at_the_limit_the_last_seat_has_won() -> None:
    over = do(flipping("2C", "3C", pile="9C TC", flips=9, limit=10), "0 flip")
    assert result(over) == ([2, 1], [0, 4])


def test_edge_11_with_two_packs_equal_cards_are_alike() -> None:
    start = flipping("2C", "3C 3C", pile="JD JD", turn=1, creditor=0, owed=1, settings={"packs": 2})
    assert zone(do(start, "1 flip"), "stack.0") == "2C JD JD 3C"


CASELLA = (
    "---K---Q-KQAJ-----AAJ--J--", "----------Q----KQ-J-----KA"
)  # fmt: skip
"""Casella's deal, both stacks from the first card on; only the courts matter."""


def test_edge_12_casellas_deal_goes_on_to_the_limit() -> None:
    position = flipping(*_with_suits(CASELLA), settings={"flip_limit": 2000}, limit=2000)
    while not position.is_over:
        position = engine.act(position, position.turn[0], "flip", engine.Script(())).position
    assert (fact(position, "flips"), fact(position, "out")) == (2000, [])


def _with_suits(stacks: tuple[str, str]) -> list[str]:
    left = list(pack())
    found = []
    for stack in stacks:
        chosen = []
        for sign in stack:
            card = next(c for c in left if (c.rank == sign if sign != "-" else c.rank not in "AKQJ"))
            left.remove(card)
            chosen.append(card)
        found.append(text(chosen))
    return found
