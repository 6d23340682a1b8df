"""In Between, rule by rule: settings, dealing posts, calling aces, betting, the pot, the end, and the edge cases."""

from typing import Any

import pytest

from chautari import engine
from chautari.cards import cards, pack, text
from chautari.engine import HandEnded, Moved, Position, Shuffled, Told
from chautari.games.in_between import GAME
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


def shuffled(first: str, packs: int = 1) -> str:
    """An outcome that begins so; the rest in the card order."""
    rest = list(pack(packs))
    for card in cards(first):
        rest.remove(card)
    return " ".join([first, text(rest)])


def betting(posts: str, deck: str, *, turn: int = 0, pile: str = "", **facts: Any) -> Position[Any]:
    """Phase `bet` of a seat between two, three or more with a pot of 20, or as `pot` and `score` say."""
    settings = {"players": 2, **facts.pop("settings", {})}
    players = int(settings["players"])
    facts = {"pot": 20, "score": (90,) * players, "limits": (1, 20), **facts}
    lying = f"posts: {posts} | deck: {deck} | pile: {pile}"
    return table("in_between", lying, phase="bet", turn=[turn], settings=settings, **facts)


def outcome(posts: str, third: str, line: str = "bet 10", **facts: Any) -> tuple[str, int]:
    """How a bet went, and what it paid."""
    after = do(betting(posts, f"{third} 5C 9C 5D 9D", **facts), f"0 {line}")
    return fact(after, "last_outcome"), fact(after, "last_paid")


# Settings ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "default", "allowed", "wrong"),
    [
        ("players", 4, (2, 8), (1, 9, "4")),
        ("chips", 100, (10, 10000), (9, 10001)),
        ("ante", 5, (1, 50), (0, 1001)),
        ("min_bet", 1, (1, 100), (0, 1001)),
        ("rounds", 5, (1, 50), (0, 51)),
        ("packs", 1, (1, 2), (0, 3)),
        ("aces", "high", ("high", "choice"), ("low",)),
        ("pairs", "guess", ("guess", "bonus", "redeal", "pass"), ("lose",)),
        ("neighbours", "pass", ("pass", "redeal", "lose"), ("guess", None)),
        ("post_pays", 2, (1, 2), (3, "1")),
        ("may_pass", True, (True, False), (1,)),
        ("first_round", "full", ("full", "half"), (True,)),
    ],
)
def test_settings(name: str, default: object, allowed: tuple[object, ...], wrong: tuple[object, ...]) -> None:
    assert getattr(GAME.read_settings({}), name) == default
    for value in allowed:
        assert getattr(GAME.read_settings({name: value, **({"ante": 5} if name == "chips" else {})}), name) == value
    for value in wrong:
        assert bad_setting("in_between", **{name: value}) == name


def test_two_antes_and_the_smallest_bet_are_within_the_chips() -> None:
    GAME.read_settings({"chips": 10, "ante": 5, "min_bet": 10})
    assert bad_setting("in_between", chips=10, ante=6) == "ante"
    assert bad_setting("in_between", chips=10, ante=1, min_bet=11) == "min_bet"
    assert bad_setting("in_between", ante=51) == "ante"


# Zones and facts ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_zones() -> None:
    assert zones_declared("in_between") == {"deck": ("none", True), "posts": ("all", True), "pile": ("all", True)}


def test_facts() -> None:
    assert public_facts("in_between") == [
        "round", "pot", "score", "ace", "limits", "last_seat", "last_outcome", "last_bet", "last_paid",
    ]  # fmt: skip


# The deal ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_deal_everybody_pays_the_ante_and_seat_0_has_two_posts() -> None:
    start = begin("in_between", shuffled("5H 9D"), players=3, ante=7)
    assert (fact(start, "pot"), fact(start, "score"), fact(start, "round")) == (21, [93, 93, 93], 1)
    assert (zone(start, "posts"), start.turn, start.phase, fact(start, "limits")) == ("5H 9D", (0,), "bet", [1, 21])
    assert [fact(start, name) for name in ("ace", "last_seat", "last_outcome", "last_bet", "last_paid")] == [None] * 5


def test_deal_two_packs() -> None:
    assert sum(map(len, begin("in_between", shuffled("5H 9D", 2), packs=2).zones.values())) == 104


# Betting ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("posts", "third", "went"),
    [
        ("5H 9D", "7S", ("won", 10)),
        ("9D 5H", "6S", ("won", 10)),
        ("5H 9D", "TS", ("lost", -10)),
        ("5H 9D", "4S", ("lost", -10)),
        ("5H 9D", "5S", ("post", -20)),
        ("5H 9D", "9S", ("post", -20)),
        ("JH AD", "KS", ("won", 10)),
        ("2H AD", "AS", ("post", -20)),
    ],
)
def test_a_bet(posts: str, third: str, went: tuple[str, int]) -> None:
    assert outcome(posts, third) == went


@pytest.mark.parametrize(
    ("third", "higher", "lower"),
    [("8S", ("won", 10), ("lost", -10)), ("6S", ("lost", -10), ("won", 10)), ("7C", ("post", -30), ("post", -30)),
     ("AS", ("won", 10), ("lost", -10))],
)  # fmt: skip
def test_a_bet_on_a_pair(third: str, higher: tuple[str, int], lower: tuple[str, int]) -> None:
    assert outcome("7H 7D", third, "bet higher 10") == higher
    assert outcome("7H 7D", third, "bet lower 10") == lower


def test_a_post_may_pay_singly_but_a_pair_pays_three_times() -> None:
    assert outcome("5H 9D", "5S", settings={"post_pays": 1}) == ("post", -10)
    assert outcome("7H 7D", "7S", "bet higher 10", settings={"post_pays": 1}) == ("post", -30)


def test_a_bet_moves_chips_and_cards() -> None:
    after = do(betting("5H 9D", "7S 2C TC 3C", pile="KD"), "0 bet 6")
    assert (fact(after, "pot"), fact(after, "score"), fact(after, "last_bet")) == (14, [96, 90], 6)
    assert (zone(after, "pile"), zone(after, "posts"), after.turn) == ("KD 5H 9D 7S", "2C TC", (1,))
    assert (fact(after, "last_seat"), fact(after, "limits")) == (0, [1, 14])


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("1 bet 5", "NOT_YOUR_TURN"),
        ("0 call high", "UNKNOWN_ACTION"),
        ("0 bet", "MALFORMED_ACTION"),
        ("0 bet 05", "MALFORMED_ACTION"),
        ("0 bet +5", "MALFORMED_ACTION"),
        ("0 bet 5 5", "MALFORMED_ACTION"),
        ("0 bet higher 5", "MALFORMED_ACTION"),
        ("0 bet between 5", "MALFORMED_ACTION"),
        ("0 bet 1000000000", "MALFORMED_ACTION"),
        ("0 bet 0", "RULE_BROKEN"),
        ("0 bet 21", "RULE_BROKEN"),
        ("0 bet 999999999", "RULE_BROKEN"),
        ("0 pass 1", "MALFORMED_ACTION"),
    ],
)
def test_refusals(line: str, code: str) -> None:
    assert refused(betting("5H 9D", "7S 2C TC"), line) == code


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("0 bet 5", "MALFORMED_ACTION"),
        ("0 bet 5 higher", "MALFORMED_ACTION"),
        ("0 bet higher", "MALFORMED_ACTION"),
        ("0 bet Higher 5", "MALFORMED_ACTION"),
        ("0 bet higher lower 5", "MALFORMED_ACTION"),
        ("0 bet higher 21", "RULE_BROKEN"),
    ],
)
def test_refusals_on_a_pair(line: str, code: str) -> None:
    assert refused(betting("7H 7D", "8S 2C TC"), line) == code


def test_passing() -> None:
    after = do(betting("5H 9D", "7S TC 2C"), "0 pass")
    assert [fact(after, name) for name in ("last_outcome", "last_bet", "last_paid", "pot")] == ["passed", 0, 0, 20]
    assert (zone(after, "pile"), zone(after, "posts")) == ("5H 9D", "7S TC")
    start = betting("5H 9D", "7S TC 2C", settings={"may_pass": False})
    assert refused(start, "0 pass") == "RULE_BROKEN"
    assert refused(start, "0 pass 1") == "MALFORMED_ACTION"


def test_options() -> None:
    bet, pass_ = engine.options(betting("5H 9D", "7S TC"), 0)
    (choice,) = bet.choices
    assert (choice.name, choice.low, choice.high, choice.step, pass_.actions) == ("amount", 1, 20, 1, ("pass",))
    (bet,) = engine.options(betting("7H 7D", "7S TC", settings={"may_pass": False}), 0)
    assert [choice.name for choice in bet.choices] == ["side", "amount"]
    assert (bet.choices[0].values, bet.example) == (("higher", "lower"), "bet higher 1")


@pytest.mark.parametrize(
    ("pot", "round_", "settings", "limits"),
    [
        (30, 1, {}, [1, 30]),
        (300, 1, {}, [1, 90]),
        (30, 1, {"min_bet": 8}, [8, 30]),
        (3, 1, {"min_bet": 8}, [3, 3]),
        (31, 1, {"first_round": "half"}, [1, 16]),
        (31, 2, {"first_round": "half"}, [1, 31]),
    ],
)
def test_limits(pot: int, round_: int, settings: dict[str, object], limits: list[int]) -> None:
    start = betting("5H 9D", "7S TC 2C", settings=settings, pot=pot, round=round_)
    assert fact(do(start, "0 pass"), "limits") == limits


# Calling an ace ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_first_ace_is_called_where_that_is_agreed() -> None:
    start = begin("in_between", shuffled("AD 9C 4H"), aces="choice")
    assert (start.phase, zone(start, "posts"), fact(start, "limits"), len(start.zones["deck"])) == (
        "ace",
        "AD",
        None,
        51,
    )
    assert engine.legal(start, 0) == ["call high", "call low"]
    low = do(start, "0 call low")
    assert (low.phase, zone(low, "posts"), fact(low, "ace")) == ("bet", "AD 9C", "low")
    assert fact(do(low, "0 bet 5"), "last_outcome") == "won"
    high = do(start, "0 call high")
    assert fact(do(high, "0 bet 5"), "last_outcome") == "lost"
    assert begin("in_between", shuffled("AD 9C 4H")).phase == "bet"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("0 call", "MALFORMED_ACTION"),
        ("0 call middle", "MALFORMED_ACTION"),
        ("0 call high low", "MALFORMED_ACTION"),
        ("0 bet 5", "UNKNOWN_ACTION"),
        ("0 pass", "UNKNOWN_ACTION"),
        ("1 call low", "NOT_YOUR_TURN"),
    ],
)
def test_calls_refused(line: str, code: str) -> None:
    assert refused(begin("in_between", shuffled("AD 9C 4H"), aces="choice"), line) == code


def test_what_was_called_is_forgotten_when_the_turn_is_over() -> None:
    start = do(begin("in_between", shuffled("AD 9C 4H 5C TC"), aces="choice"), "0 call low")
    assert fact(do(start, "0 pass"), "ace") is None


# Dealing posts ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("pairs", "told", "score"),
    [("bonus", ("bonus", 0, 2), [97, 95]), ("pass", ("pair", 0, 0), [95, 95])],
)
def test_a_pair_may_end_the_turn(pairs: str, told: tuple[object, ...], score: list[int]) -> None:
    start = begin("in_between", shuffled("7H 7D 2C TC"), players=2, pairs=pairs)
    assert tuple(fact(start, f"last_{name}") for name in ("outcome", "bet", "paid")) == told
    assert (fact(start, "score"), zone(start, "pile"), start.turn, fact(start, "last_seat")) == (
        score,
        "7H 7D",
        (1,),
        0,
    )


def test_a_bonus_is_at_most_the_pot() -> None:
    start = betting("5H 9D", "7S 8C 8D 2C TC 3D", pot=11, settings={"pairs": "bonus"})
    after = do(start, "0 bet 10")
    assert (fact(after, "last_outcome"), fact(after, "last_paid"), fact(after, "last_seat")) == ("bonus", 1, 1)


@pytest.mark.parametrize(("neighbours", "paid", "pot"), [("pass", 0, 10), ("lose", -8, 18)])
def test_neighbours_end_the_turn(neighbours: str, paid: int, pot: int) -> None:
    start = begin("in_between", shuffled("7H 8D 2C TC"), players=2, neighbours=neighbours, min_bet=8)
    assert (fact(start, "last_outcome"), fact(start, "last_paid"), fact(start, "last_bet")) == ("neighbours", paid, 0)
    assert (fact(start, "pot"), start.turn) == (pot, (1,))


def test_a_seat_loses_at_most_what_it_has_on_neighbours() -> None:
    settings = {"neighbours": "lose", "min_bet": 8, "players": 3}
    start = betting("5H 9D", "7S 8C 2C TC 3D", score=(90, 3, 5), settings=settings)
    after = do(start, "0 pass")
    assert (fact(after, "last_paid"), fact(after, "score"), after.turn) == (-3, [90, 0, 5], (2,))


def test_pairs_and_neighbours_may_be_dealt_again() -> None:
    start = begin("in_between", shuffled("7H 7D 8C 9C 2C TC"), players=2, pairs="redeal", neighbours="redeal")
    assert (zone(start, "posts"), zone(start, "pile"), start.turn) == ("2C TC", "7H 7D 8C 9C", (0,))
    assert fact(start, "last_seat") is None


def test_a_called_ace_may_be_dealt_again() -> None:
    start = begin("in_between", shuffled("AD 2C 5H 9D"), players=2, aces="choice", neighbours="redeal")
    after = do(start, "0 call low")
    assert (zone(after, "posts"), fact(after, "ace"), after.phase, after.turn) == ("5H 9D", None, "bet", (0,))


def test_with_fewer_than_three_cards_all_used_cards_are_shuffled_in() -> None:
    start = betting("5H 9D", "7S 2C TC", pile="KD")
    after = do(start, "0 bet 5", shuffles=["9D 2C 7S 5H TC KD"])
    assert (zone(after, "posts"), zone(after, "deck"), zone(after, "pile")) == ("9D 2C", "7S 5H TC KD", "")


# When a turn is over ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_next_turn_is_that_of_the_next_seat_with_chips() -> None:
    start = betting("5H 9D", "7S 2C TC 3C", score=(90, 0, 5, 5), settings={"players": 4})
    after = do(start, "0 pass")
    assert (after.turn, fact(after, "round")) == ((2,), 1)


def test_after_the_last_seat_a_new_round_begins_with_the_lowest_seat_with_chips() -> None:
    start = betting("5H 9D", "7S 2C TC 3C", turn=3, score=(0, 9, 5, 5), settings={"players": 4})
    after = do(start, "3 pass")
    assert (after.turn, fact(after, "round")) == ((1,), 2)


def test_after_the_last_round_the_match_is_over_and_the_pot_is_shared() -> None:
    start = betting("5H 9D", "7S 2C TC", turn=2, pot=20, score=(9, 0, 5), round=5, settings={"players": 3})
    over = do(start, "2 pass")
    assert (result(over), fact(over, "pot"), fact(over, "round")) == (([1, 3, 2], [19, 0, 15]), 0, 5)
    assert (zone(over, "posts"), fact(over, "limits"), fact(over, "ace")) == ("", None, None)


def test_what_cannot_be_shared_stays_in_the_pot() -> None:
    start = betting("5H 9D", "7S 2C TC", turn=2, pot=20, score=(9, 1, 5), round=5, settings={"players": 3})
    over = do(start, "2 pass")
    assert (fact(over, "score"), fact(over, "pot"), fact(over, "last_paid")) == ([15, 7, 11], 2, 0)


def test_with_one_seat_left_with_chips_the_match_is_over_at_once() -> None:
    over = do(betting("5H 9D", "TS 2C TC", score=(10, 70)), "0 bet 10")
    assert (result(over), fact(over, "pot")) == (([2, 1], [0, 100]), 0)


def test_each_turn_that_ends_within_one_action_is_told() -> None:
    start = betting("5H 9D", "7S 8S 4C 5C 2C TC 3D", score=(90, 90, 90), settings={"players": 3})
    told = [event.facts for event in events(start, "0 pass", viewer=None) if isinstance(event, Told)]
    assert [facts["last_seat"] for facts in told if "last_seat" in facts] == [0, 1, 2]


# Time-outs ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_time_out_passes_and_calls_an_ace_high() -> None:
    assert fact(do(betting("5H 9D", "7S 2C TC"), "0 times out"), "last_outcome") == "passed"
    start = begin("in_between", shuffled("AD 9C 4H"), aces="choice")
    assert fact(do(start, "0 times out"), "ace") == "high"


@pytest.mark.parametrize(
    ("posts", "line"),
    [("5H 9D", "bet 3"), ("7H 7D", "bet higher 3"), ("8H 8D", "bet lower 3"), ("AH AD", "bet lower 3")],
)
def test_a_time_out_bets_the_least_where_nobody_may_pass(posts: str, line: str) -> None:
    start = betting(posts, "2S 2C TC 3D", limits=(3, 20), settings={"may_pass": False})
    assert engine.timeout_action(start, 0) == line
    assert fact(do(start, "0 times out"), "last_bet") == 3


# Hidden information ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_nobody_sees_the_deck_before_or_after_a_shuffle() -> None:
    start = betting("5H 9D", "7S 2C TC", pile="KD 3D")
    assert [seen(start, viewer, "deck") for viewer in (0, 1, None)] == [3, 3, 3]
    for viewer in (0, None):
        happened = events(start, "0 bet 5", "9D 2C 7S 5H TC KD 3D", viewer=viewer)
        assert [text(event.cards) for event in happened if isinstance(event, Shuffled)] == ["?? ?? ?? ?? ?? ?? ??"]


def test_the_third_card_is_seen_only_once_it_is_turned() -> None:
    happened = events(betting("5H 9D", "7S 2C TC 3D"), "0 bet 5", viewer=None)
    first = next(event for event in happened if isinstance(event, Moved))
    assert (text(first.cards), first.source, first.target) == ("7S", "deck", "posts")


def test_the_record() -> None:
    """For each turn the posts, the call, bet, third card, outcome and chips paid; a redeal ends no turn."""
    cards = "AD 2C AH 9C 4H 7H 7D QS 5C 9H TC JC 6D 8D 9S"
    rules: dict[str, Any] = {"players": 2, "rounds": 2, "chips": 20, "aces": "choice", "neighbours": "redeal"}
    position = begin("in_between", shuffled(cards), **rules)
    for action in ("0 call low", "0 call high", "0 bet 3", "1 bet higher 4", "0 pass"):
        position = do(position, action)
    (ended,) = [event for event in events(position, "1 bet 2") if isinstance(event, HandEnded)]
    turns = [
        "0 AH 9C high - 3 4H lost -3",
        "1 7H 7D - higher 4 QS won 4",
        "0 5C 9H - - 0 - passed 0",
        "1 6D 8D - - 2 9S lost -2",
    ]
    assert ended.record == {"turns": turns, "round": 2, "chips": [17, 22], "pot": 1}


# Edge cases ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def called(ace: str, rest: str) -> Position[Any]:
    """Seat 0 has called its first post, an ace, and the deck goes on like this."""
    return do(begin("in_between", shuffled(f"AD {rest} 5S TS"), players=2, aces="choice"), f"0 call {ace}")


def test_edge_1_a_low_ace_and_another_ace_have_all_others_between_them() -> None:
    for third, went in (("2H", "won"), ("KH", "won"), ("AH", "post")):
        start = called("low", f"AC {third}")
        assert (start.phase, fact(start, "limits")) == ("bet", [1, 10])
        assert fact(do(start, "0 bet 5"), "last_outcome") == went
    assert fact(do(called("low", "9C AH"), "0 bet 5"), "last_outcome") == "post"


@pytest.mark.parametrize(("ace", "second", "over"), [("low", "2C", True), ("high", "KC", True), ("low", "KC", False)])
def test_edge_2_neighbours_of_an_ace(ace: str, second: str, over: bool) -> None:
    start = called(ace, f"{second} 5H 9D")
    assert (fact(start, "last_outcome") == "neighbours") == over


def test_edge_2_a_king_and_then_an_ace_are_neighbours() -> None:
    assert fact(begin("in_between", shuffled("KD AC 5H 9D"), aces="choice"), "last_outcome") == "neighbours"


def test_edge_3_an_ace_called_high_and_another_are_a_pair_on_which_higher_cannot_win() -> None:
    start = called("high", "AC KH")
    assert fact(do(start, "0 bet higher 5"), "last_outcome") == "lost"
    assert fact(do(start, "0 bet lower 5"), "last_outcome") == "won"


def test_edge_4_a_second_ace_is_high_and_nothing_is_called() -> None:
    for aces in ("high", "choice"):
        start = begin("in_between", shuffled("9D AC KH 5S TS"), aces=aces)
        assert (start.phase, fact(start, "ace")) == ("bet", None)
        assert fact(do(start, "0 bet 5"), "last_outcome") == "won"


def test_edge_5_a_third_ace_is_never_between() -> None:
    assert outcome("2H KD", "AS") == ("lost", -10)


def test_edge_6_lower_cannot_win_on_twos() -> None:
    assert {outcome("2H 2D", third, "bet lower 10")[0] for third in ("3S", "AS", "KS", "2S")} == {"lost", "post"}


def test_edge_7_a_seat_pays_at_most_what_it_has_and_is_out() -> None:
    start = betting("5H 9D", "5S 2C TC 3C", score=(7, 50, 50), limits=(1, 7), settings={"players": 3})
    after = do(start, "0 bet 7")
    assert (fact(after, "last_paid"), fact(after, "score"), after.turn) == (-7, [0, 50, 50], (1,))


def test_edge_8_an_emptied_pot_is_filled_before_the_next_turn() -> None:
    after = do(betting("5H 9D", "7S 2C TC 3C"), "0 bet 20")
    assert (fact(after, "pot"), fact(after, "score"), fact(after, "last_paid")) == (10, [105, 85], 20)


def test_edge_8_but_not_after_the_very_last_turn() -> None:
    over = do(betting("5H 9D", "7S 2C TC 3C", turn=1, round=5), "1 bet 20")
    assert (fact(over, "pot"), fact(over, "score")) == (0, [90, 110])


def test_edge_9_a_bonus_that_empties_the_pot_fills_it_too() -> None:
    start = betting("5H 9D", "7C 7S 2C TC 3C", pot=2, settings={"pairs": "bonus"})
    after = do(start, "0 pass")
    assert (fact(after, "last_outcome"), fact(after, "pot"), fact(after, "score")) == ("bonus", 10, [85, 87])


def test_edge_10_a_seat_whose_last_chips_are_the_ante_gets_no_turn() -> None:
    start = betting("5H 9D", "7S 2C TC 3C", score=(90, 4, 90), settings={"players": 3})
    after = do(start, "0 bet 20")
    assert (fact(after, "score"), fact(after, "pot"), after.turn) == ([105, 0, 85], 14, (2,))


def test_edge_10_in_a_new_round_the_turn_is_counted_from_seat_0_once_more() -> None:
    start = betting("5H 9D", "7S 2C TC 3C", turn=2, score=(4, 90, 90), settings={"players": 3})
    after = do(start, "2 bet 20")
    assert (fact(after, "round"), after.turn) == (2, (1,))


def test_edge_10_the_ante_may_end_the_round_or_the_match() -> None:
    start = betting("5H 9D", "7S 2C TC 3C", turn=1, score=(90, 90, 5), settings={"players": 3})
    assert (fact(do(start, "1 bet 20"), "round"), do(start, "1 bet 20").turn) == (2, (0,))
    last = betting("5H 9D", "7S 2C TC 3C", turn=1, score=(90, 90, 5), round=5, settings={"players": 3})
    over = do(last, "1 bet 20")
    assert (over.is_over, fact(over, "score"), fact(over, "pot")) == (True, [92, 112, 0], 1)
    alone = do(betting("5H 9D", "7S 2C TC", score=(10, 3), limits=(1, 10), pot=10), "0 bet 10")
    assert (alone.is_over, fact(alone, "score")) == (True, [23, 0])


def test_edge_11_half_a_pot_of_five_is_three() -> None:
    start = betting("5H 9D", "7S TC 2C", pot=5, settings={"first_round": "half"})
    assert fact(do(start, "0 pass"), "limits") == [1, 3]
    start = betting("5H 9D", "7S TC 2C", pot=5, settings={"first_round": "half", "min_bet": 4})
    assert fact(do(start, "0 pass"), "limits") == [3, 3]


def test_edge_12_three_cards_are_enough_for_a_turn() -> None:
    after = do(betting("5H 9D", "7S TC 2C", pile="KD"), "0 pass")
    assert (zone(after, "posts"), zone(after, "deck"), zone(after, "pile")) == ("7S TC", "2C", "KD 5H 9D")


def test_edge_12_in_a_redeal_the_posts_laid_aside_are_shuffled_in() -> None:
    start = betting("5H 9D", "7S 8C 2C 3D", pile="KD", settings={"neighbours": "redeal"})
    after = do(start, "0 pass", shuffles=["5H KD 9D 7S 8C 2C 3D"])
    assert (zone(after, "posts"), zone(after, "deck"), zone(after, "pile")) == ("5H KD", "9D 7S 8C 2C 3D", "")


def test_edge_13_no_posts_lie_out_when_the_deck_is_shuffled() -> None:
    start = betting("5H 9D", "7S 2C TC", pile="KD")
    happened = events(start, "0 bet 5", "9D 2C 7S 5H TC KD")
    (mixed,) = [event for event in happened if isinstance(event, Shuffled)]
    assert sorted(mixed.cards) == sorted(cards("5H 9D 7S 2C TC KD"))


def test_edge_14_all_turns_of_the_last_round_may_be_over_at_once() -> None:
    over = begin("in_between", shuffled("7H 8D 2C 3C"), players=2, rounds=1)
    assert (result(over), fact(over, "last_seat")) == (([1, 1], [100, 100]), 1)
    over = do(betting("5H 9D", "7S 8C 2C TC", round=5), "0 pass")
    assert (over.is_over, fact(over, "last_seat"), fact(over, "last_outcome")) == (True, 1, "neighbours")


def test_edge_15_no_chips_are_lost() -> None:
    """Along a match in which everybody bets the limit, over redeals and shuffles."""
    position = begin("in_between", shuffled("7H 7D 8C 9C 2C TC"), players=2, pairs="redeal", neighbours="redeal")
    while not position.is_over:
        assert sum(fact(position, "score")) + fact(position, "pot") == 200
        line = f"bet {position.facts.limits[1]}"
        position = engine.act(position, position.turn[0], line, lambda faces: faces[::-1]).position
    assert sum(fact(position, "score")) + fact(position, "pot") == 200
