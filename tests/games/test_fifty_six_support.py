"""Fifty-six (Support): settings, the two auctions, doubling, play, pay, and the numbered edge cases."""

from random import Random
from typing import Any

import pytest

from chautari import engine
from chautari.engine import Position
from chautari.games.fifty_six_support import GAME
from tests.games.gulan import may, may_play, packed, say, start
from tests.games.tables import bad_setting, do, fact, refused, result, table, zone

GAME_KEY = "fifty_six_support"


def opened(**settings: Any) -> Position[Any]:
    """The first seat is to speak."""
    return start(GAME_KEY, **settings)


def in_rounds(**settings: Any) -> Position[Any]:
    """The same, with plain numbers in rounds."""
    return opened(auction="rounds", **settings)


def playing(hand: str, trick: str = "", **facts: Any) -> Position[Any]:
    """Phase `play` with six players: seat 0 is in turn; seat 1 has bid 28 hearts."""
    played = trick.split()
    given: dict[str, Any] = {
        "bid": 28, "bidder": 1, "bid_suit": "H", "trump": "H", "cards": 8, "leader": (6 - len(played)) % 6, **facts
    }  # fmt: skip
    if played:
        given.setdefault("led", played[0][1])
    others = " | ".join(f"hand.{seat}: KS QS" for seat in range(1, 6))
    return table(GAME_KEY, f"hand.0: {hand} | trick: {trick} | {others}", phase="play", **given)


# Settings ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "default", "allowed", "wrong"),
    [
        ("players", 6, (4, 6, 8), (2, 3, 12)),
        ("pack", "usual", ("usual",), ("short", "long", "big")),
        ("auction", "suits", ("suits", "rounds"), ("open",)),
        ("first_must_bid", True, (True, False), (1,)),
        ("doubles", True, (True, False), ("off",)),
        ("redouble_factor", 3, (3, 4), (2, 5)),
        ("partner_from_honours", False, (True, False), (None,)),
        ("kott", "auto", ("auto", "all", "below_honours", "off"), ("on",)),
        ("senior_pay", "extra", ("none", "extra"), (True,)),
        ("kooli_count", 12, (5, 6, 12), (7,)),
        ("second_round", "bidders", ("bidders", "all", "off"), ("none",)),
    ],
)
def test_settings(name: str, default: object, allowed: tuple[object, ...], wrong: tuple[object, ...]) -> None:
    assert getattr(GAME.read_settings({}), name) == default
    for value in allowed:
        assert getattr(GAME.read_settings({name: value}), name) == value
    for value in wrong:
        assert bad_setting(GAME_KEY, **{name: value}) == name


@pytest.mark.parametrize("name", ["must_cut", "cut_with_face_down", "stages"])
def test_settings_of_the_concealed_games_do_not_exist(name: str) -> None:
    assert bad_setting(GAME_KEY, **{name: True}) == name


def test_packs_of_other_numbers_of_players() -> None:
    assert GAME.read_settings({"players": 4, "pack": "short"}).pack == "short"
    assert GAME.read_settings({"players": 8, "pack": "long"}).pack == "long"
    assert bad_setting(GAME_KEY, players=8, pack="short") == "pack"


def test_settings_that_the_auction_does_not_use_change_nothing() -> None:
    position = in_rounds(first_must_bid=False, doubles=True, partner_from_honours=False)
    assert refused(position, "0 pass") == "RULE_BROKEN"
    position = say(position, "0 bid 28", "1 pass", "3 pass", "5 pass")
    assert refused(position, "2 bid 29") == "RULE_BROKEN"
    assert refused(position, "2 double") == "UNKNOWN_ACTION"


# The auction of suits ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ("bid", "MALFORMED_ACTION"),
        ("bid 28", "MALFORMED_ACTION"),
        ("bid H", "MALFORMED_ACTION"),
        ("bid 28 29", "MALFORMED_ACTION"),
        ("bid H S", "MALFORMED_ACTION"),
        ("bid 28 X", "MALFORMED_ACTION"),
        ("bid 28 h", "MALFORMED_ACTION"),
        ("bid 28 H S", "MALFORMED_ACTION"),
        ("bid 028 H", "MALFORMED_ACTION"),
        ("bid 0 H", "MALFORMED_ACTION"),
        ("bid +0 H", "MALFORMED_ACTION"),
        ("bid +01 H", "MALFORMED_ACTION"),
        ("bid ++1 H", "MALFORMED_ACTION"),
        ("bid -1 H", "MALFORMED_ACTION"),
        ("bid + H", "MALFORMED_ACTION"),
        ("bid 27 H", "RULE_BROKEN"),
        ("bid H 57", "RULE_BROKEN"),
        ("bid +1 H", "RULE_BROKEN"),
        ("bid 28 V", "RULE_BROKEN"),
        ("pass", "RULE_BROKEN"),
        ("double", "RULE_BROKEN"),
        ("redouble", "RULE_BROKEN"),
        ("double 2", "MALFORMED_ACTION"),
        ("trump S", "UNKNOWN_ACTION"),
        ("place AC", "UNKNOWN_ACTION"),
    ],
)
def test_what_the_first_seat_may_not_say(action: str, code: str) -> None:
    assert refused(opened(), f"0 {action}") == code


@pytest.mark.parametrize(
    ("words", "bid", "suit"),
    [("30 H", 30, "H"), ("H 30", 30, "H"), ("+2 C", 30, "C"), ("C +2", 30, "C"), ("29 N", 29, "N"), ("V +28", 56, "V")],
)
def test_forms(words: str, bid: int, suit: str) -> None:
    position = say(opened(), "0 bid 28 S", f"1 bid {words}")
    assert [fact(position, name) for name in ("bid", "bid_suit", "bidder", "trump")] == [bid, suit, 1, None]
    assert (fact(position, "said")[1], fact(position, "calls")[1]) == (words, f"1 {words}")
    assert (fact(position, "stage"), fact(position, "round"), position.turn) == (1, 1, (2,))


def test_options_describe_two_forms() -> None:
    first = engine.options(opened(), 0)
    assert [[choice.values for choice in option.choices] for option in first if option.verb == "bid"] == [
        [tuple(map(str, range(28, 57))), tuple("CDHSN")], [tuple("CDHSN"), tuple(map(str, range(28, 57)))],
    ]  # fmt: skip
    assert [option.verb for option in first] == ["bid", "bid", "thani"]
    later = engine.options(say(opened(), "0 bid 54 H"), 1)
    number, suit = later[0].choices
    assert (number.values, suit.values) == (("55", "56", "+1", "+2"), tuple("CDHSNV"))
    assert [option.verb for option in later] == ["bid", "bid", "pass", "double", "thani"]
    assert [option.verb for option in engine.options(say(opened(), "0 bid 56 H"), 1)] == ["pass", "double", "thani"]


def test_samples_take_every_form() -> None:
    position = say(opened(), "0 bid 30 H")
    sampled = {engine.sample(position, 1, Random(seed)) for seed in range(200)}
    bids = {action.split()[1] for action in sampled if action and action.startswith("bid")}
    assert {"31", "+1"} <= bids
    assert bids & set("CDHSNV")


def test_round_the_table_until_all_others_have_passed() -> None:
    position = say(opened(), "0 bid 28 S", "1 pass", "2 bid 29 S", "3 pass", "4 pass", "5 pass", "0 pass")
    assert position.turn == (1,)
    after = do(position, "1 pass")
    assert [fact(after, name) for name in ("trump", "bidder", "bid", "leader")] == ["S", 2, 29, 0]
    assert (after.phase, after.turn) == ("play", (0,))


def test_a_double_starts_the_passes_anew() -> None:
    position = say(opened(), "0 bid 28 S", "1 pass", "2 pass", "3 double", "4 pass", "5 pass", "0 pass", "1 pass")
    assert position.turn == (2,)
    after = do(position, "2 pass")
    assert [fact(after, name) for name in ("factor", "doubler", "trump")] == [2, 3, "S"]


def test_partners_raise_each_other_freely_unless_set_otherwise() -> None:
    assert fact(say(opened(), "0 bid 28 S", "1 pass", "2 bid 29 S"), "bid") == 29
    strict = say(opened(partner_from_honours=True), "0 bid 28 S", "1 pass")
    assert refused(strict, "2 bid 39 S") == "RULE_BROKEN"
    assert refused(strict, "2 bid +11 S") == "RULE_BROKEN"
    assert fact(say(strict, "2 bid +12 S"), "bid") == 40


def test_double_and_redouble() -> None:
    position = say(opened(), "0 bid 28 S")
    assert not may(position, "redouble", 1)
    doubled = say(position, "1 double")
    assert (fact(doubled, "said")[1], may(doubled, "double", 2), may(doubled, "redouble", 2)) == ("double", False, True)
    assert not may(say(doubled, "2 pass"), "redouble", 3)
    over = say(doubled, "2 redouble")
    assert [fact(over, name) for name in ("factor", "doubler", "bidder", "trump")] == [3, 1, 0, "S"]
    assert (over.phase, over.turn, fact(over, "calls")[-1]) == ("play", (0,), "2 redouble")
    four = say(opened(redouble_factor=4), "0 bid 28 S", "1 double", "2 redouble")
    assert fact(four, "factor") == 4


def test_double_is_of_the_other_sides_bid() -> None:
    position = say(opened(), "0 bid 28 S", "1 pass")
    assert not may(position, "double", 2)
    assert not may(say(opened(doubles=False), "0 bid 28 S"), "double", 1)


def test_thani_ends_the_auction_and_forgets_a_double() -> None:
    position = say(opened(), "0 bid 28 S", "1 double", "2 thani")
    assert [fact(position, name) for name in ("bid", "bid_suit", "factor", "doubler", "trump", "out")] == [
        "thani", None, 1, None, "N", [0, 4],
    ]  # fmt: skip
    assert position.turn == (2,)
    assert refused(opened(thani=False), "0 thani") == "RULE_BROKEN"


def test_all_pass_where_nobody_has_to_bid() -> None:
    position = opened(first_must_bid=False)
    assert refused(position, "0 double") == "RULE_BROKEN"
    position = say(position, *(f"{seat} pass" for seat in range(6)))
    assert [fact(position, name) for name in ("bid", "bid_suit", "bidder", "trump")] == [28, "N", 0, "N"]
    assert (position.phase, position.turn) == ("play", (0,))
    late = say(opened(first_must_bid=False), *(f"{seat} pass" for seat in range(5)), "5 bid 28 C")
    assert say(late, *(f"{seat} pass" for seat in range(5))).phase == "play"


def test_a_bid_of_56_does_not_end_the_auction() -> None:
    position = say(opened(), "0 bid 56 S")
    assert engine.legal(position, 1) == ["pass", "double", "thani"]


# The auction in rounds ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ("bid", "MALFORMED_ACTION"),
        ("bid 28 S", "MALFORMED_ACTION"),
        ("bid +1", "MALFORMED_ACTION"),
        ("bid 028", "MALFORMED_ACTION"),
        ("bid H", "MALFORMED_ACTION"),
        ("bid 0", "RULE_BROKEN"),
        ("bid 27", "RULE_BROKEN"),
        ("bid 57", "RULE_BROKEN"),
        ("pass", "RULE_BROKEN"),
        ("double", "UNKNOWN_ACTION"),
        ("redouble", "UNKNOWN_ACTION"),
        ("trump S", "UNKNOWN_ACTION"),
    ],
)
def test_rounds_what_the_first_seat_may_not_say(action: str, code: str) -> None:
    assert refused(in_rounds(), f"0 {action}") == code


def test_rounds_options_are_plain_numbers() -> None:
    bid, thani = engine.options(in_rounds(), 0)
    assert ([choice.values for choice in bid.choices], thani.verb) == ([tuple(map(str, range(28, 57)))], "thani")


def naming() -> Position[Any]:
    """Seat 0 is to name the trump."""
    return say(in_rounds(), "0 bid 28", "1 pass", "3 pass", "5 pass", "2 pass", "4 pass", "0 pass")


def test_rounds_the_bidder_names_a_suit_that_he_holds() -> None:
    position = naming()
    held = {card.suit for card in position.zones["hand.0"]}
    assert engine.legal(position, 0) == [f"trump {suit}" for suit in "CDHS" if suit in held]
    position = table(GAME_KEY, "hand.0: JS 9S AH", phase="trump", settings={"auction": "rounds"}, bid=28, bidder=0)
    for action, code in (
        ("trump C", "RULE_BROKEN"),
        ("trump N", "RULE_BROKEN"),
        ("trump V", "MALFORMED_ACTION"),
        ("trump", "MALFORMED_ACTION"),
        ("trump S H", "MALFORMED_ACTION"),
        ("bid 40", "UNKNOWN_ACTION"),
    ):
        assert refused(position, f"0 {action}") == code
    assert refused(position, "1 trump S") == "NOT_YOUR_TURN"
    after = do(position, "0 trump H")
    assert (fact(after, "trump"), after.phase, zone(after, "hand.0")) == ("H", "play", "AH 9S JS")
    assert fact(after, "calls") == []


def test_rounds_after_thani_nothing_is_named() -> None:
    position = say(in_rounds(thani_trump="first_led"), "0 bid 28", "1 thani")
    assert (position.phase, position.turn, fact(position, "trump"), fact(position, "bid_suit")) == (
        "play",
        (1,),
        None,
        None,
    )


# Play, claims, pay ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("hand", "trick", "allowed"),
    [("QH 9C", "", "9C QH"), ("QH 9C AD", "QD KD", "AD"), ("QH 9C", "QD KD", "9C QH")],
)
def test_what_may_be_played(hand: str, trick: str, allowed: str) -> None:
    position = playing(hand, trick, bidder=0)
    assert may_play(position) == allowed
    for card in set(hand.split()) - set(allowed.split()):
        assert refused(position, f"0 play {card}") == "RULE_BROKEN"
    for action, code in (("reveal", "UNKNOWN_ACTION"), ("play JS", "CARD_NOT_HELD"), ("play", "MALFORMED_ACTION")):
        assert refused(position, f"0 {action}") == code


@pytest.mark.parametrize(
    ("settings", "open_"),
    [
        ({}, False),
        ({"kott": "all"}, True),
        ({"auction": "rounds"}, True),
        ({"auction": "rounds", "kott": "off"}, False),
        ({"kott": "below_honours"}, True),
    ],
)
def test_claims(settings: dict[str, Any], open_: bool) -> None:
    assert may(playing("QH 9C", bidder=0, settings=settings), "kott") == open_


def last_card(**facts: Any) -> Position[Any]:
    """Seat 0 plays the last card of the hand."""
    given = {"bidder": 2, "tricks": (2, 1, 1, 1, 1, 1), "points": (28, 0, 0, 0, 0, 0), **facts}
    return playing("QD", "KD QD KD QC KC", **given)


@pytest.mark.parametrize(
    ("facts", "paid"),
    [
        ({}, 1),
        ({"bid": 29}, 2),
        ({"factor": 2}, 2),
        ({"factor": 3, "bid": 29}, 6),
        ({"bid": 40}, 3),
        ({"bid": 48}, 4),
        ({"bid": 48, "settings": {"senior_pay": "none"}}, 3),
        ({"bid": 56}, 5),
        ({"bid": 56, "settings": {"senior_pay": "none"}}, 4),
        ({"factor": 2, "claim": "kott", "claimant": 1, "bidder": 1, "settings": {"kott": "all"}}, 8),
    ],
)
def test_everything_due_is_multiplied(facts: dict[str, Any], paid: int) -> None:
    after = do(last_card(**facts), "0 play QD", shuffles=[packed(GAME_KEY)])
    assert fact(after, "last_hand.paid") == paid


def test_the_next_hand_starts_without_double() -> None:
    after = do(last_card(factor=2, doubler=3), "0 play QD", shuffles=[packed(GAME_KEY)])
    assert [fact(after, name) for name in ("factor", "doubler", "bid_suit", "trump", "kooli")] == [
        1, None, None, None, [14, 10],
    ]  # fmt: skip


# Time-outs ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_time_outs() -> None:
    longest = table(GAME_KEY, "hand.0: JS 9S AH KH 9C", phase="bid", speakers=(0, 1, 2, 3, 4, 5), cards=8)
    assert fact(do(longest, "0 times out"), "calls") == ["0 28 H"]
    plain = table(GAME_KEY, "hand.0: JS", phase="bid", speakers=(0, 1, 2, 3, 4, 5), settings={"auction": "rounds"})
    assert fact(do(plain, "0 times out"), "calls") == ["0 28"]
    assert fact(do(opened(first_must_bid=False), "0 times out"), "calls") == ["0 pass"]
    named = table(GAME_KEY, "hand.0: JS 9S AH KH", phase="trump", settings={"auction": "rounds"}, bid=28, bidder=0)
    assert fact(do(named, "0 times out"), "trump") == "H"
    assert zone(do(playing("JC QH 9D"), "0 times out"), "trick") == "9D"


# Edge cases ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_edge_1_a_bid_over_a_doubled_bid_cancels_the_double() -> None:
    position = say(opened(), "0 bid 28 S", "1 double", "2 bid 29 H")
    assert [fact(position, name) for name in ("factor", "doubler", "bid")] == [1, None, 29]
    assert fact(say(position, "3 double"), "doubler") == 3


def test_edge_2_doubled_then_all_pass() -> None:
    position = say(opened(), "0 bid 28 S", "1 double", "2 pass", "3 pass", "4 pass", "5 pass", "0 pass")
    assert (position.phase, fact(position, "factor")) == ("play", 2)


def test_edge_3_noes_as_the_final_bid_are_played_without_trumps() -> None:
    position = say(opened(), "0 bid 28 S", "1 bid 29 V", "2 pass", "3 pass", "4 pass", "5 pass", "0 pass")
    assert (fact(position, "trump"), fact(position, "bid_suit")) == ("N", "V")


@pytest.mark.parametrize("over", ["V", "N"])
def test_edge_4_noes_need_a_suit_below_them(over: str) -> None:
    position = say(opened(), "0 bid 28 S", f"1 bid 29 {over}")
    assert refused(position, "2 bid 30 V") == "RULE_BROKEN"
    assert engine.options(position, 2)[0].choices[1].values == tuple("CDHSN")


def test_edge_5_a_raise_beyond_56() -> None:
    position = say(opened(), "0 bid 54 S")
    assert refused(position, "1 bid +3 H") == "RULE_BROKEN"
    assert fact(say(position, "1 bid +2 H"), "bid") == 56


@pytest.mark.parametrize(("points", "paid"), [(56, 8), (55, 10)])
def test_edge_6_56_bid_and_doubled(points: int, paid: int) -> None:
    after = do(last_card(bid=56, factor=2, points=(points, 0, 0, 0, 0, 0)), "0 play QD", shuffles=[packed(GAME_KEY)])
    assert fact(after, "last_hand.paid") == paid


def test_edge_7_paying_more_tables_than_one_has_is_a_slam() -> None:
    over = do(last_card(bid=56, factor=3, points=(56, 0, 0, 0, 0, 0), kooli=(14, 10)), "0 play QD")
    assert (fact(over, "kooli"), fact(over, "last_hand.paid"), fact(over, "last_hand.slam")) == ([24, 0], 12, 0)
    assert result(over) == ([1, 4, 1, 4, 1, 4], [1, 0, 1, 0, 1, 0])


def test_edge_8_a_doubled_bidder_may_raise_his_own_bid() -> None:
    position = say(opened(), "0 bid 28 S", "1 double", "2 pass", "3 pass", "4 pass", "5 pass")
    assert position.turn == (0,)
    after = say(position, "0 bid +1 S")
    assert [fact(after, name) for name in ("bid", "factor", "bidder")] == [29, 1, 0]


def test_edge_9_the_same_call_in_two_forms() -> None:
    one, other = (say(opened(), "0 bid 28 S", f"1 bid {words}") for words in ("30 H", "H +2"))
    assert fact(one, "said") != fact(other, "said")
    for name in ("bid", "bid_suit", "bidder", "factor"):
        assert fact(one, name) == fact(other, name)


def test_edge_10_rounds_the_first_bidder_is_asked_once_more_then_names_the_trump() -> None:
    position = say(in_rounds(), "0 bid 28", "1 pass", "3 pass", "5 pass", "2 pass", "4 pass")
    assert (position.turn, fact(position, "round")) == ((0,), 2)
    assert refused(position, "0 bid 39") == "RULE_BROKEN"
    assert (say(position, "0 pass").phase, say(position, "0 bid 40").phase) == ("trump", "trump")


def test_edge_11_a_trump_suit_of_one_card_stays_and_may_be_led() -> None:
    position = table(
        GAME_KEY, "hand.0: JS AH | hand.1: 9S", phase="trump", settings={"auction": "rounds"}, bid=28, bidder=0
    )
    after = do(position, "0 trump H")
    assert may_play(after) == "AH JS"


def test_edge_12_rounds_over_56_pass_or_thani() -> None:
    position = say(in_rounds(), "0 bid 56")
    assert engine.legal(position, 1) == ["pass", "thani"]
    assert [option.verb for option in engine.options(position, 1)] == ["pass", "thani"]
    assert say(in_rounds(thani=False), "0 bid 56").phase == "trump"
