"""Last Card, rule by rule: what fits, powers, drawing, calling and catching, the end, and the numbered edge cases."""

from typing import Any

import msgspec
import pytest

from chautari import engine
from chautari.cards import cards, pack, text
from chautari.engine import Choice, HandEnded, Moved, Position, Told
from chautari.games.last_card import GAME
from tests.games.tables import (
    bad_setting,
    begin,
    dealt,
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


def moving(
    *hands: str, pile: str = "9H", deck: str = "AC AD AS KC KD QC QD JC JD TC TD 9C", seat: int = 0, suit: str = "",
    drawn: str | None = None, **facts: Any,
) -> Position[Any]:  # fmt: skip
    """The middle of a hand, this seat to move; the suit to follow is that of the top card unless it is given."""
    settings = {"players": max(2, len(hands)), **facts.pop("settings", {})}
    lying = [f"hand.{number}: {hand}" for number, hand in enumerate(hands)] + [f"pile: {pile}", f"deck: {deck}"]
    position = table(
        "last_card", " | ".join(lying), phase="drawn" if drawn else "play", turn=[seat], settings=settings,
        **{"to_move": seat, "suit": suit or cards(pile)[-1].suit, "drawn": drawn, **facts},
    )  # fmt: skip
    if position.facts.uncalled is None:
        return position
    return msgspec.structs.replace(position, may=engine.only(*[other for other in range(len(hands)) if other != seat]))


# Settings, zones, facts ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "default", "allowed", "wrong"),
    [
        ("players", 4, (2, 6), (1, 7, "4")),
        ("cards", 7, (5, 6, 7, 8), (4, 9)),
        ("packs", 1, (1, 2), (0, 3)),
        ("rounds", 1, (1, 20), (0, 21)),
        ("scoring", "points", ("points", "wins"), ("cards", None)),
        ("two", True, (True, False), (2, "true")),
        ("five", True, (True, False), (5, None)),
        ("ten", True, (True, False), (10, None)),
        ("jack", True, (True, False), (1, None)),
        ("seven", False, (True, False), (7, None)),
        ("stack", "same", ("none", "same", "any"), ("all", True)),
        ("draw", "one", ("one", "one_play", "until"), ("two", 1)),
        ("may_draw", "free", ("free", "unable"), ("never", False)),
        ("multi", False, (True, False), (2, None)),
        ("power_finish", True, (True, False), (0, None)),
        ("call_penalty", 2, (0, 1, 2, 5), (3, 4, -1)),
    ],
)
def test_settings(name: str, default: object, allowed: tuple[object, ...], wrong: tuple[object, ...]) -> None:
    assert getattr(GAME.read_settings({}), name) == default
    for value in allowed:
        assert getattr(GAME.read_settings({name: value}), name) == value
    for value in wrong:
        assert bad_setting("last_card", **{name: value}) == name


@pytest.mark.parametrize(("players", "count", "packs", "fine"), [
    (6, 7, 1, True), (6, 8, 1, False), (5, 8, 1, True), (6, 8, 2, True),
])  # fmt: skip
def test_settings_players_times_cards(players: int, count: int, packs: int, fine: bool) -> None:
    given: dict[str, object] = {"players": players, "cards": count, "packs": packs}
    if fine:
        assert GAME.read_settings(given).cards == count
    else:
        assert bad_setting("last_card", **given) == "cards"


def test_zones() -> None:
    assert zones_declared("last_card") == {
        "deck": ("none", True), "hand": ("owner", False), "pile": ("all", True),
    }  # fmt: skip


def test_facts() -> None:
    assert public_facts("last_card") == [
        "dealer", "hand_no", "suit", "way", "pending", "to_move", "uncalled", "drawn", "winners", "score",
    ]  # fmt: skip


# The deal ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_deal_one_at_a_time_and_the_next_card_is_turned_up() -> None:
    start = begin("last_card", text(pack()), players=3, cards=5)
    assert zone(start, "hand.0") == "AC 4C 7C TC KC"
    assert (zone(start, "pile"), len(start.zones["deck"]), fact(start, "suit")) == ("3D", 36, "D")
    facts = {
        name: fact(start, name) for name in ("dealer", "hand_no", "way", "pending", "to_move", "uncalled", "drawn")
    }
    assert facts == {"dealer": 2, "hand_no": 1, "way": 1, "pending": 0, "to_move": 0, "uncalled": None, "drawn": None}
    assert (start.phase, start.turn) == ("play", (0,))


def test_deal_an_ace_turned_up_has_its_own_suit() -> None:
    assert fact(begin("last_card", dealt(players=2, each=5, then="AS"), players=2, cards=5), "suit") == "S"


# What fits ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("card", "says"), [("3H", True), ("9C", True), ("AC C", True), ("3C", False), ("2C", False)])
def test_fits_an_ace_the_suit_or_the_rank(card: str, says: bool) -> None:
    start = moving(f"{card[:2]} 4S 4D", "5C")
    assert (f"play {card}" in engine.legal(start, 0)) == says
    if not says:
        assert refused(start, f"0 play {card}") == "RULE_BROKEN"


@pytest.mark.parametrize(
    ("stack", "settings", "fitting"),
    [
        ("none", {}, []),
        ("same", {}, ["2C", "2S"]),
        ("any", {}, ["2C", "5H", "2S"]),
        ("any", {"five": False}, ["2C", "2S"]),
    ],
)
def test_fits_on_a_pick_up_only_what_is_stacked(stack: str, settings: dict[str, object], fitting: list[str]) -> None:
    start = moving("2C 2S 5H 3H AH", "5C", pile="2H", pending=2, settings={"stack": stack, **settings})
    assert engine.legal(start, 0) == [*(f"play {card}" for card in fitting), "draw"]


# Playing ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_play_1_the_card_is_the_top_card_and_its_suit_is_to_follow() -> None:
    after = do(moving("9C 3D 4D", "5C 6C 7C"), "0 play 9C")
    assert (zone(after, "pile"), fact(after, "suit"), after.turn) == ("9H 9C", "C", (1,))


def test_play_1_an_ace_names_the_suit_to_follow() -> None:
    after = do(moving("AC 3D 4D", "5C 6C 7C"), "0 play AC S")
    assert (fact(after, "suit"), after.turn) == ("S", (1,))


@pytest.mark.parametrize(
    ("card", "settings", "turn", "pending"),
    [
        ("2H", {}, 1, 2), ("2H", {"two": False}, 1, 0), ("5H", {}, 1, 5), ("5H", {"five": False}, 1, 0),
        ("TH", {}, 2, 0), ("TH", {"ten": False}, 1, 0), ("JH", {}, 0, 0), ("JH", {"jack": False}, 1, 0),
        ("7H", {}, 1, 0), ("7H", {"seven": True}, 3, 0), ("3H", {}, 1, 0),
    ],
)  # fmt: skip
def test_play_2_powers(card: str, settings: dict[str, object], turn: int, pending: int) -> None:
    after = do(moving(f"{card} 3D 4D", "5C", "6C", "7C", settings=settings), f"0 play {card}")
    assert (after.turn, fact(after, "pending")) == ((turn,), pending)
    assert fact(after, "way") == (-1 if settings.get("seven") else 1)


def test_play_2_the_direction_holds_for_skips_too() -> None:
    assert do(moving("TH 3D 4D", "5C", "6C", "7C", way=-1), "0 play TH").turn == (2,)
    assert do(moving("3H 3D 4D", "5C", "6C", "7C", way=-1), "0 play 3H").turn == (3,)


MULTI = {"multi": True}


@pytest.mark.parametrize(
    ("line", "hand", "turn", "pending"),
    [
        ("play 2H 2C", "2H 2C 3D 4D", 1, 4),
        ("play 5H 5C 5D", "5H 5C 5D 3D 4D", 1, 15),
        ("play TH TC", "TH TC 3D 4D", 3, 0),
        ("play JH JC", "JH JC 3D 4D", 0, 0),
        ("play 7H 7C", "7H 7C 3D 4D", 1, 0),
        ("play 7H 7C 7S", "7H 7C 7S 3D 4D", 3, 0),
        ("play AH AC S", "AH AC 3D 4D", 1, 0),
    ],
)
def test_play_2_powers_of_several_cards(line: str, hand: str, turn: int, pending: int) -> None:
    after = do(moving(hand, "5C", "6C", "7C", settings={**MULTI, "seven": True}), f"0 {line}")
    assert (after.turn, fact(after, "pending")) == ((turn,), pending)


def test_play_4_who_is_left_with_one_card_and_has_not_called_can_be_caught() -> None:
    after = do(moving("3H 4D", "5C", "6C"), "0 play 3H")
    assert (fact(after, "uncalled"), after.turn, engine.must_act(after)) == (0, (0, 1, 2), (1,))
    assert fact(do(moving("3H 4D", "5C"), "0 play 3H last"), "uncalled") is None
    assert fact(do(moving("3H 4D", "5C", settings={"call_penalty": 0}), "0 play 3H"), "uncalled") is None


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("0 keep", "UNKNOWN_ACTION"),
        ("0 lay 3H", "UNKNOWN_ACTION"),
        ("1 play 5C", "NOT_YOUR_TURN"),
        ("1 catch", "NOT_YOUR_TURN"),
        ("0 play", "MALFORMED_ACTION"),
        ("0 play last", "MALFORMED_ACTION"),
        ("0 play H", "MALFORMED_ACTION"),
        ("0 play XX", "MALFORMED_ACTION"),
        ("0 play ??", "MALFORMED_ACTION"),
        ("0 play 3h", "MALFORMED_ACTION"),
        ("0 play 3H later", "MALFORMED_ACTION"),
        ("0 play 3H last last", "MALFORMED_ACTION"),
        ("0 play last 3H", "MALFORMED_ACTION"),
        ("0 play 3H H", "MALFORMED_ACTION"),
        ("0 play AC", "MALFORMED_ACTION"),
        ("0 play AC last", "MALFORMED_ACTION"),
        ("0 play AC last S", "MALFORMED_ACTION"),
        ("0 play AC X", "MALFORMED_ACTION"),
        ("0 play AC S S", "MALFORMED_ACTION"),
        ("0 play KH H", "MALFORMED_ACTION"),
        ("0 play 8S", "CARD_NOT_HELD"),
        ("0 play 3H 3H", "CARD_NOT_HELD"),
        ("0 play 3C", "RULE_BROKEN"),
        ("0 play 3H 3C", "RULE_BROKEN"),
        ("0 play 3H last", "RULE_BROKEN"),
        ("0 draw 1", "MALFORMED_ACTION"),
        ("0 call", "RULE_BROKEN"),
        ("0 catch", "RULE_BROKEN"),
        ("0 call now", "MALFORMED_ACTION"),
        ("0 catch 1", "MALFORMED_ACTION"),
    ],
)
def test_play_refusals(line: str, code: str) -> None:
    assert refused(moving("3H 3C AC KC", "5C 6C"), line) == code


@pytest.mark.parametrize(("line", "code"), [
    ("0 play 3C 3H", "RULE_BROKEN"), ("0 play 3H KC", "RULE_BROKEN"), ("0 play 3H AC H", "MALFORMED_ACTION"),
    ("0 play AC 3H H", "RULE_BROKEN"), ("0 play AC AC S", "CARD_NOT_HELD"),
])  # fmt: skip
def test_play_refusals_of_several_cards(line: str, code: str) -> None:
    assert refused(moving("3H 3C AC KC", "5C 6C", settings=MULTI), line) == code


def test_play_refusals_without_calls() -> None:
    start = moving("3H 4D", "5C", settings={"call_penalty": 0})
    assert refused(start, "0 play 3H last") == "MALFORMED_ACTION"
    assert refused(start, "0 call") == refused(start, "1 catch") == "UNKNOWN_ACTION"


def test_play_options() -> None:
    start = moving("3H 9C AC 4D", "5C")
    assert engine.legal(start, 0) == ["play 9C", "play 3H", *(f"play AC {suit}" for suit in "CDHS"), "draw"]
    plain, aces, draw = engine.options(start, 0)
    assert plain.choices == (Choice("cards", "cards", False, None, 1, 1, cards("9C 3H")),)
    assert aces.choices[1] == Choice("suit", "suit", False, ("C", "D", "H", "S"))
    assert draw.verb == "draw"


def test_play_options_with_the_call_where_it_leaves_one_card() -> None:
    start = moving("3H 4D", "5C")
    assert engine.legal(start, 0) == ["play 3H", "play 3H last", "draw"]
    assert engine.options(start, 0)[0].choices[1] == Choice("last", "word", True, ("last",))


def test_play_options_of_several_cards_are_described() -> None:
    start = moving("3H 3C 3S 4D", "5C", settings=MULTI)
    single, several, _ = engine.options(start, 0)
    assert single.actions == ("play 3H",)
    assert (several.actions, several.choices[0]) == (
        None, Choice("cards", "cards", False, None, 2, 3, cards("3C 3H 3S")),
    )  # fmt: skip


# Drawing ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_draw_takes_what_is_due_and_the_turn_is_over() -> None:
    after = do(moving("3C", "4C", pile="2H", pending=4), "0 draw")
    assert (zone(after, "hand.0"), fact(after, "pending"), after.turn) == ("AC 3C KC AD AS", 0, (1,))


def test_draw_one_takes_a_card_and_the_turn_is_over() -> None:
    after = do(moving("3C", "4C"), "0 draw")
    assert (zone(after, "hand.0"), after.turn, after.phase) == ("AC 3C", (1,), "play")


@pytest.mark.parametrize(("deck", "phase", "turn"), [("3H KC", "drawn", 0), ("KC 3H", "play", 1)])
def test_draw_one_play_a_card_that_fits_may_be_played(deck: str, phase: str, turn: int) -> None:
    after = do(moving("3C", "4C", deck=deck, settings={"draw": "one_play"}), "0 draw")
    assert (after.phase, after.turn, fact(after, "drawn")) == (phase, (turn,), "3H" if phase == "drawn" else None)


def test_draw_until_one_fits_and_that_is_played() -> None:
    after = do(moving("3C", "4C", deck="KC QC 3H 4H", settings={"draw": "until"}), "0 draw")
    assert (after.phase, fact(after, "drawn"), zone(after, "hand.0"), zone(after, "deck")) == (
        "drawn", "3H", "3C QC KC 3H", "4H",
    )  # fmt: skip
    assert refused(after, "0 keep") == "RULE_BROKEN"
    assert engine.legal(after, 0) == ["play 3H"]
    assert do(after, "0 play 3H").turn == (1,)


@pytest.mark.parametrize(("may_draw", "hand", "code"), [
    ("free", "3H 4C", None), ("unable", "3H 4C", "RULE_BROKEN"), ("unable", "3C 4C", None),
])  # fmt: skip
def test_draw_although_able(may_draw: str, hand: str, code: str | None) -> None:
    start = moving(hand, "4S", settings={"may_draw": may_draw})
    if code:
        assert refused(start, "0 draw") == code
        assert "draw" not in engine.legal(start, 0)
    else:
        assert do(start, "0 draw").turn == (1,)


def test_draw_a_pick_up_is_allowed_although_one_could_stack() -> None:
    start = moving("2C 3C", "4C", pile="2H", pending=2, settings={"may_draw": "unable"})
    assert len(do(start, "0 draw").zones["hand.0"]) == 4


def test_draw_is_refused_where_nothing_can_be_drawn_and_one_can_play() -> None:
    assert refused(moving("3H 4C", "4S", deck=""), "0 draw") == "RULE_BROKEN"


def test_draw_from_an_empty_deck_shuffles_the_pile_but_its_top_card() -> None:
    after = do(moving("3C", "4C", deck="", pile="5S 6S 9H", suit="S"), "0 draw", shuffles=["6S 5S"])
    assert (zone(after, "hand.0"), zone(after, "deck"), zone(after, "pile")) == ("3C 6S", "5S", "9H")
    assert fact(after, "suit") == "S"


def test_drawn_only_the_drawn_card_may_be_played() -> None:
    start = moving("3H 4H", "4C", drawn="3H", settings={"draw": "one_play"})
    assert refused(start, "0 play 4H") == "RULE_BROKEN"
    assert refused(start, "0 draw") == refused(start, "0 call") == "UNKNOWN_ACTION"
    assert engine.legal(start, 0) == ["play 3H", "play 3H last", "keep"]
    after = do(start, "0 play 3H last")
    assert (after.phase, fact(after, "drawn"), after.turn) == ("play", None, (1,))


def test_drawn_with_multi_the_drawn_card_comes_first() -> None:
    start = moving("3H 3C 4H", "4C", drawn="3H", settings={"draw": "one_play", **MULTI})
    assert refused(start, "0 play 3C 3H") == "RULE_BROKEN"
    assert zone(do(start, "0 play 3H 3C"), "pile") == "9H 3H 3C"


def test_keep_ends_the_turn() -> None:
    after = do(moving("3H 4H", "4C", drawn="3H", settings={"draw": "one_play"}), "0 keep")
    assert (after.phase, after.turn, fact(after, "drawn"), zone(after, "hand.0")) == ("play", (1,), None, "3H 4H")


# Calling and catching ─────────────────────────────────────────────────────────────────────────────────────────────────


def caught(*hands: str, seat: int = 1, uncalled: int = 0, **facts: Any) -> Position[Any]:
    """Seat 0 has one card and has not called; seat 1 is to move."""
    return moving(*hands, seat=seat, uncalled=uncalled, **facts)


def test_call_closes_the_window() -> None:
    after = do(caught("4D", "5C 6H", "6C"), "0 call")
    assert (fact(after, "uncalled"), after.turn, fact(after, "to_move")) == (None, (1,), 1)


@pytest.mark.parametrize(("seat", "penalty", "left"), [(1, 2, 3), (2, 2, 3), (2, 1, 2), (1, 5, 6)])
def test_catch_the_uncalled_seat_draws_the_penalty(seat: int, penalty: int, left: int) -> None:
    after = do(caught("4D", "5C 6H", "6C", settings={"call_penalty": penalty}), f"{seat} catch")
    assert (len(after.zones["hand.0"]), fact(after, "uncalled"), after.turn) == (left, None, (1,))


@pytest.mark.parametrize("line", ["1 play 6H", "1 draw"])
def test_call_the_window_is_closed_by_the_next_move(line: str) -> None:
    after = do(caught("4D", "5C 6H 7C", "6C"), line)
    assert (fact(after, "uncalled"), after.turn) == (None, (2,))


@pytest.mark.parametrize("line", ["0 catch", "1 call", "2 call", "2 play 6C", "2 draw", "0 play 4D", "0 draw"])
def test_call_refusals_while_the_window_is_open(line: str) -> None:
    assert refused(caught("4D", "5C 6H", "6C"), line) == "RULE_BROKEN"


def test_call_options_while_the_window_is_open() -> None:
    start = caught("4D", "5C 6H 7C", "6C")
    assert [engine.legal(start, seat) for seat in range(3)] == [["call"], ["play 6H", "draw", "catch"], ["catch"]]
    assert [engine.timeout_action(start, seat) for seat in range(3)] == [None, "draw", None]


# The end ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("settings", "score"),
    [
        ({}, [0, 20 + 20 + 20 + 20 + 20, 3 + 7 + 10 + 10]),
        ({"seven": True}, [0, 100, 3 + 20 + 20]),
        ({"two": False, "five": False, "ten": False, "jack": False}, [0, 20 + 2 + 5 + 10 + 10, 30]),
        ({"scoring": "wins"}, [1, 0, 0]),
    ],
)
def test_end_scoring(settings: dict[str, object], score: list[int]) -> None:
    start = moving("3H", "AC 2C 5C TC JC", "3C 7C QC KC", settings=settings)
    assert result(do(start, "0 play 3H"))[1] == score


def test_end_the_next_hand_is_dealt_at_once() -> None:
    start = moving("3H", "4C", "6C", settings={"rounds": 2, "cards": 5}, dealer=2, way=-1, turns=30, empty_draws=2)
    after = do(start, "0 play 3H", shuffles=[text(pack())])
    assert (fact(after, "dealer"), fact(after, "hand_no"), fact(after, "way"), after.turn) == (0, 2, 1, (1,))
    assert (fact(after, "winners"), fact(after, "score"), fact(after, "to_move")) == ([0], [0, 4, 6], 1)
    assert (after.facts.turns, after.facts.empty_draws) == (0, 0)


def test_end_of_the_match_nobody_is_to_move() -> None:
    over = do(moving("3H", "4C", settings={"scoring": "wins"}), "0 play 3H")
    assert (over.phase, fact(over, "to_move"), fact(over, "uncalled"), fact(over, "pending")) == ("over", None, None, 0)
    assert result(over) == ([1, 2], [1, 0])


def test_end_the_record() -> None:
    assert HandEnded(1, {"winner": 0, "points": [0, 14], "cards": [0, 2], "turns": 31}) in events(
        moving("3H", "4C KD", turns=30), "0 play 3H"
    )


def test_end_a_hand_of_400_turns_is_blocked_when_the_move_passes() -> None:
    over = do(moving("3H 4H", "6C", turns=399), "0 draw")
    assert (over.phase, fact(over, "winners"), result(over)[1]) == ("over", [None], [27, 6])
    assert do(moving("3H 4H 6D", "6C", turns=398), "0 play 3H").phase == "play"
    assert do(moving("JH 4H 6D", "6C", turns=399), "0 play JH").phase == "over"


def test_end_a_blocked_hand_counts_no_win() -> None:
    over = do(moving("3H 4H", "6C", turns=399, settings={"scoring": "wins"}), "0 draw")
    assert result(over) == ([1, 1], [0, 0])


def test_end_a_card_drawn_at_the_limit_is_still_decided_on() -> None:
    start = moving("3C 4C", "6C", deck="3H", turns=399, settings={"draw": "one_play"})
    assert do(start, "0 draw").phase == "drawn"
    assert do(start, "0 draw", "0 keep").phase == "over"


@pytest.mark.parametrize(
    ("hand", "settings", "action"),
    [
        ("3H 4H", {}, "draw"),
        ("4H 3C 2H", {"may_draw": "unable"}, "play 2H"),
        ("3C 4C", {"may_draw": "unable"}, "draw"),
        ("AS 4C 5C", {"may_draw": "unable"}, "play AS S"),
        ("AC 3H 5C", {"may_draw": "unable"}, "play AC C"),
        ("AC 3C", {"may_draw": "unable"}, "play AC C last"),
        ("3H 4C", {"may_draw": "unable"}, "play 3H last"),
        ("3H 4C", {"may_draw": "unable", "call_penalty": 0}, "play 3H"),
    ],
)
def test_time_out_draws_where_it_may_and_else_plays_its_first_card(
    hand: str, settings: dict[str, object], action: str
) -> None:
    start = moving(hand, "6C", settings=settings)
    assert engine.timeout_action(start, 0) == action
    do(start, "0 times out")


def test_time_out_makes_the_call_that_the_seat_owes_first() -> None:
    """Seat 0 is left with one card after a jack, and plays on."""
    start = moving("3H", "6C", seat=0, uncalled=0, settings={"may_draw": "unable"})
    called = do(start, "0 times out")
    assert (fact(called, "uncalled"), zone(called, "hand.0")) == (None, "3H")
    assert engine.timeout_action(called, 0) == "play 3H"


@pytest.mark.parametrize(("draw", "action"), [("one_play", "keep"), ("until", "play AS S last")])
def test_time_out_of_a_drawn_card(draw: str, action: str) -> None:
    assert engine.timeout_action(moving("AS 4C", "6C", drawn="AS", settings={"draw": draw}), 0) == action


# Hidden ───────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_hidden_the_drawn_card_is_known_to_its_seat_only() -> None:
    start = moving("3C", "4C", deck="3H KC", settings={"draw": "one_play"})
    for viewer, says in ((0, "3H"), (1, "??"), (None, "??")):
        made = events(start, "0 draw", viewer=viewer)
        assert [event.facts["drawn"] for event in made if isinstance(event, Told) and "drawn" in event.facts] == [says]
        assert [text(event.cards) for event in made if isinstance(event, Moved)] == [says]
        assert engine.view(do(start, "0 draw"), viewer).facts["drawn"] == says


def test_hidden_the_remade_deck_is_seen_by_nobody() -> None:
    after = do(moving("3C", "4C", deck="", pile="5S 6S 9H"), "0 draw", shuffles=["6S 5S"])
    assert [seen(after, viewer, "deck") for viewer in (0, 1, None)] == [1, 1, 1]


def test_hidden_a_hand_is_shown_sorted() -> None:
    assert seen(moving("KS 3C 4H", "5C"), 0, "hand.0") == "3C 4H KS"
    assert seen(moving("KS 3C 4H", "5C"), 1, "hand.0") == 3


# Edge cases ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_edge_1_a_call_with_the_last_but_one_card() -> None:
    called = do(moving("3H 4D", "5C 6C"), "0 play 3H last")
    assert (fact(called, "uncalled"), refused(called, "1 catch")) == (None, "RULE_BROKEN")
    assert refused(moving("3H", "5C"), "0 play 3H last") == "RULE_BROKEN"
    assert refused(moving("3H 4D 4C", "5C"), "0 play 3H last") == "RULE_BROKEN"


@pytest.mark.parametrize("card", ["JH", "TH"])
def test_edge_2_who_moves_again_cannot_play_the_last_card_before_the_call(card: str) -> None:
    after = do(moving(f"{card} 4H", "5C 6C"), f"0 play {card}")
    assert (after.turn, fact(after, "to_move"), fact(after, "uncalled")) == ((0, 1), 0, 0)
    assert refused(after, "0 play 4H") == "RULE_BROKEN"
    assert engine.legal(after, 0) == ["draw", "call"]
    assert len(do(after, "1 catch").zones["hand.0"]) == 3
    assert do(after, "0 call", "0 play 4H").phase == "over"


def test_edge_3_such_a_seat_may_draw_instead() -> None:
    after = do(moving("JH 4H", "5C 6C"), "0 play JH", "0 draw")
    assert (fact(after, "uncalled"), len(after.zones["hand.0"]), after.turn) == (None, 2, (1,))


def test_edge_4_a_caught_seat_must_call_again() -> None:
    start = do(moving("3H 4H", "5C 6C", deck="6H 7H AC KC"), "0 play 3H", "1 catch", "1 draw", "0 play 4H")
    assert fact(start, "uncalled") is None
    assert fact(do(start, "1 draw", "0 play 6H"), "uncalled") == 0


def test_edge_5_stacking() -> None:
    twos = do(moving("2H 3D 4D", "2C 3C 4C"), "0 play 2H", "1 play 2C")
    assert (fact(twos, "pending"), twos.turn) == (4, (0,))
    start = moving("2H 3D 4D", "5C 3C 4C")
    assert refused(do(start, "0 play 2H"), "1 play 5C") == "RULE_BROKEN"
    mixed = moving("2H 3D 4D", "5C 3C 4C", settings={"stack": "any"})
    assert fact(do(mixed, "0 play 2H", "1 play 5C"), "pending") == 7


def test_edge_6_an_ace_is_no_help_against_a_pick_up() -> None:
    start = moving("AH 3C", "4C", pile="2H", pending=2)
    assert refused(start, "0 play AH H") == "RULE_BROKEN"
    assert do(start, "0 draw").turn == (1,)


def test_edge_7_a_pick_up_larger_than_what_there_is() -> None:
    start = moving("3C", "4C", pile="6S 5H", deck="KC QC", pending=5)
    after = do(start, "0 draw", shuffles=["6S"])
    assert (zone(after, "hand.0"), fact(after, "pending"), zone(after, "pile")) == ("3C QC KC 6S", 0, "5H")


@pytest.mark.parametrize(("way", "hands"), [(1, [0, 3, 1]), (-1, [0, 1, 3])])
def test_edge_8_the_last_card_is_a_two(way: int, hands: list[int]) -> None:
    over = do(moving("2H", "4C", "6C", way=way, deck="3C 3D KC"), "0 play 2H")
    assert [len(over.zones[f"hand.{seat}"]) for seat in range(3)] == hands
    assert result(over)[1] == ([0, 10, 6] if way == 1 else [0, 4, 12])


def test_edge_9_a_two_without_power_is_worth_2() -> None:
    assert result(do(moving("3H", "2C", settings={"two": False}), "0 play 3H"))[1] == [0, 2]


def test_edge_10_after_an_ace_its_printed_suit_does_not_fit() -> None:
    start = do(moving("AC 3D 4D", "5C 6H AS 7D"), "0 play AC H")
    assert engine.legal(start, 1) == ["play 6H", *(f"play AS {suit}" for suit in "CDHS"), "draw"]


@pytest.mark.parametrize("turned", ["2S", "5S", "TS", "JS"])
def test_edge_11_the_card_turned_up_has_no_effect(turned: str) -> None:
    start = begin("last_card", dealt(players=2, each=5, then=turned), players=2, cards=5)
    assert (start.turn, fact(start, "pending"), fact(start, "suit")) == ((0,), 0, "S")


def test_edge_12_a_seven_with_two_players_and_with_three() -> None:
    assert do(moving("7H 3D 4D", "5C", settings={"seven": True}), "0 play 7H").turn == (0,)
    three = do(moving("3C", "7H 3D 4D", "5C", seat=1, settings={"seven": True}), "1 play 7H")
    assert (three.turn, fact(three, "way")) == ((0,), -1)


def test_edge_13_several_at_once_only_the_first_must_fit() -> None:
    after = do(moving("7H 7S 3D 4D", "5C", settings=MULTI), "0 play 7H 7S")
    assert (fact(after, "suit"), zone(after, "pile")) == ("S", "9H 7H 7S")
    assert do(moving("TH TS 3D 4D", "5C", settings=MULTI), "0 play TH TS").turn == (1,)


@pytest.mark.parametrize("may_draw", ["free", "unable"])
def test_edge_14_only_a_power_card_left_that_may_not_be_played(may_draw: str) -> None:
    start = moving("JH", "5C", settings={"power_finish": False, "may_draw": may_draw})
    assert refused(start, "0 play JH") == "RULE_BROKEN"
    assert engine.legal(start, 0) == ["draw"]
    assert len(do(start, "0 draw").zones["hand.0"]) == 2


def test_edge_14_several_power_cards_may_not_end_the_hand_either() -> None:
    start = moving("JH JC", "5C", settings={"power_finish": False, **MULTI})
    assert refused(start, "0 play JH JC") == "RULE_BROKEN"


def test_edge_15_empty_draws_in_a_row_block_the_hand() -> None:
    start = moving("3C", "4C", "6C", deck="")
    two = do(start, "0 draw", "1 draw")
    assert (two.phase, two.turn) == ("play", (2,))
    over = do(two, "2 draw")
    assert (over.phase, fact(over, "winners"), result(over)) == ("over", [None], ([1, 2, 3], [3, 4, 6]))


def test_edge_15_a_play_or_a_full_draw_breaks_the_row() -> None:
    start = moving("3C 4D", "4H 5C 7C", "6C", deck="", pile="9H")
    after = do(start, "0 draw", "1 play 4H", "2 draw", shuffles=["9H"])
    assert (zone(after, "hand.2"), after.facts.empty_draws) == ("6C 9H", 0)


def test_edge_15_a_draw_of_the_ace_of_clubs_is_not_empty() -> None:
    after = do(moving("3C", "4C", "6C", deck="AC", pile="9H"), "0 draw", "1 draw", "2 draw")
    assert (zone(after, "hand.0"), after.phase, after.turn) == ("AC 3C", "play", (0,))


def test_edge_16_until_and_nothing_fits() -> None:
    start = moving("3C", "4C", deck="KC QC", pile="9H", settings={"draw": "until"})
    after = do(start, "0 draw")
    assert (zone(after, "hand.0"), after.turn, after.phase, after.facts.empty_draws) == ("3C QC KC", (1,), "play", 0)


def test_edge_17_a_catch_after_the_window_closed() -> None:
    after = do(caught("4D", "5C 6H 7C", "6C"), "1 draw")
    assert refused(after, "1 catch") == "NOT_YOUR_TURN"
    assert refused(after, "2 catch") == "RULE_BROKEN"
