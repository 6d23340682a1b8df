"""Badam Satti, rule by rule: settings, the deal, laying, passing, the score, and the numbered edge cases."""

from itertools import pairwise
from typing import Any

import pytest

from chautari import engine
from chautari.cards import SUITS, cards, pack, text
from chautari.engine import HandEnded, Position, Said
from chautari.games.badam_satti import GAME, RUNS, opened_by
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


def playing(*hands: str, rows: str = "7H", turn: int = 0, **facts: Any) -> Position[Any]:
    """The middle of a hand: these hands, these cards laid, and open what fits then."""
    laid = cards(rows)
    settings = {"players": max(3, len(hands)), **facts.pop("settings", {})}
    ace = settings.get("ace", "low")
    fitting = {name for card in laid for name in opened_by(card, ace)} - {card.text for card in laid}
    lying = [f"hand.{seat}: {hand}" for seat, hand in enumerate(hands)]
    lying += [f"row.{suit}: {text(card for card in laid if card.suit == suit)}" for suit in SUITS]
    given = {
        "open_": tuple(sorted(fitting, key=lambda name: cards(name)[0])) if laid else ("7H",),
        "passes": (0,) * settings["players"],
    }
    return table(
        "badam_satti", " | ".join(lying), phase="play", turn=[turn], settings=settings, **{**given, **facts}
    )  # fmt: skip


FREE = {"passing": "free"}


# Settings, zones, facts ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "default", "allowed", "wrong"),
    [
        ("players", 4, (3, 4, 5, 6), (2, 7, "4")),
        ("rounds", 5, (1, 20), (0, 21)),
        ("scoring", "points", ("points", "cards", "wins"), ("win", None)),
        ("ace", "low", ("low", "high"), ("both", True)),
        ("passing", "unable", ("unable", "free"), ("never", False)),
        ("sevens_first", False, (True, False), (0, "true")),
        ("pass_penalty", 0, (0, 5), (-1, 6)),
    ],
)
def test_settings(name: str, default: object, allowed: tuple[object, ...], wrong: tuple[object, ...]) -> None:
    assert getattr(GAME.read_settings({}), name) == default
    for value in allowed:
        assert getattr(GAME.read_settings({name: value}), name) == value
    for value in wrong:
        assert bad_setting("badam_satti", **{name: value}) == name


def test_settings_a_pass_costs_nothing_where_wins_count() -> None:
    assert bad_setting("badam_satti", scoring="wins", pass_penalty=1) == "pass_penalty"
    assert GAME.read_settings({"scoring": "wins", "pass_penalty": 0}).scoring == "wins"
    assert GAME.read_settings({"scoring": "cards", "pass_penalty": 1}).pass_penalty == 1


def test_zones() -> None:
    assert zones_declared("badam_satti") == {"hand": ("owner", False), "row": ("all", True)}
    assert GAME.layout(GAME.read_settings({})).names["row"] == ("row.C", "row.D", "row.H", "row.S")


def test_facts() -> None:
    assert public_facts("badam_satti") == ["dealer", "hand_no", "open", "passes", "quiet", "winners", "score"]


# The deal ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_deal_one_at_a_time_from_the_dealers_neighbour() -> None:
    start = begin("badam_satti", text(pack()))
    assert zone(start, "hand.0") == text(pack()[0::4])
    assert (fact(start, "dealer"), fact(start, "hand_no"), fact(start, "open")) == (3, 1, ["7H"])
    assert (fact(start, "passes"), fact(start, "quiet"), fact(start, "winners")) == ([0] * 4, 0, [])


def test_deal_the_holder_of_the_seven_of_hearts_begins() -> None:
    for seat in range(4):
        hands = ["", "", "", ""]
        hands[seat] = "7H"
        assert begin("badam_satti", dealt(*hands, players=4)).turn == (seat,)


# Laying ───────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_play_the_card_goes_to_the_end_of_its_row() -> None:
    after = do(playing("6H 2C", "8H 2D", "2S", settings=FREE), "0 play 6H", "1 play 8H")
    assert (zone(after, "row.H"), zone(after, "hand.0"), fact(after, "quiet")) == ("7H 6H 8H", "2C", 0)


def test_play_first_only_the_seven_of_hearts_is_open_then_its_neighbours_and_the_sevens() -> None:
    start = playing("7H 2C", "6H 3C", "7S", rows="")
    assert engine.legal(start, 0) == ["play 7H"]
    assert fact(do(start, "0 play 7H"), "open") == ["7C", "7D", "6H", "8H", "7S"]


@pytest.mark.parametrize(("ace", "down", "up"), [("low", "65432A", "89TJQK"), ("high", "65432", "89TJQKA")])
def test_open_each_card_opens_the_next_away_from_the_seven(ace: str, down: str, up: str) -> None:
    for order in (down, up):
        for rank, following in pairwise(order):
            assert opened_by(cards(rank + "S")[0], ace) == [following + "S"]
        assert opened_by(cards(order[-1] + "S")[0], ace) == []
    assert opened_by(cards("7S")[0], ace) == ["6S", "8S"]
    assert sorted(RUNS[ace]) == sorted(down + "7" + up)


def test_open_the_card_order_has_the_ace_first_and_the_jack_after_the_ten() -> None:
    rows = "7H 8H 9H TH JH QH KH 6H 7C 6C 5C 4C 3C 2C 7S 8S 9S"
    start = playing("AH KD", "JC", "TD", rows=rows, settings={"ace": "high"})
    assert fact(start, "open") == ["8C", "7D", "AH", "5H", "6S", "TS"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("0 lay 6H", "UNKNOWN_ACTION"),
        ("1 play 8H", "NOT_YOUR_TURN"),
        ("0 play", "MALFORMED_ACTION"),
        ("0 play 6H 2C", "MALFORMED_ACTION"),
        ("0 play 6", "MALFORMED_ACTION"),
        ("0 play XX", "MALFORMED_ACTION"),
        ("0 play ??", "MALFORMED_ACTION"),
        ("0 play 8H", "CARD_NOT_HELD"),
        ("0 play 3S", "CARD_NOT_HELD"),
        ("0 play 2C", "RULE_BROKEN"),
        ("0 pass", "RULE_BROKEN"),
        ("0 pass 6H", "MALFORMED_ACTION"),
    ],
)
def test_refusals(line: str, code: str) -> None:
    assert refused(playing("6H 2C", "8H", "2S"), line) == code


def test_options_are_the_cards_that_may_be_laid() -> None:
    assert engine.legal(playing("8H 2C 7D 6H", "9H", "2S"), 0) == ["play 7D", "play 6H", "play 8H"]


# Passing ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_unable_seats_without_an_open_card_pass_by_themselves_and_it_is_said() -> None:
    start = playing("6H 2C", "2S", "5H", "9C")
    after = do(start, "0 play 6H")
    assert (after.turn, fact(after, "passes"), fact(after, "quiet")) == ((2,), [0, 1, 0, 0], 1)
    assert [event for event in events(start, "0 play 6H", viewer=3) if isinstance(event, Said)] == [
        Said(0, "play 6H", "play 6H"), Said(1, "pass", "pass"),
    ]  # fmt: skip


def test_free_nobody_passes_by_itself() -> None:
    after = do(playing("6H 2C", "2S", "5H", settings=FREE), "0 play 6H")
    assert (after.turn, fact(after, "passes"), engine.legal(after, 1)) == ((1,), [0, 0, 0], ["pass"])


def test_free_a_pass_counts_and_passes_the_turn() -> None:
    after = do(playing("6H 2C", "8H", "5H", settings=FREE), "0 pass")
    assert (after.turn, fact(after, "passes"), fact(after, "quiet")) == ((1,), [1, 0, 0], 1)


def test_free_nobody_passes_before_the_seven_of_hearts() -> None:
    assert refused(playing("7H 2C", "8H", "5H", rows="", settings=FREE), "0 pass") == "RULE_BROKEN"


def test_free_options_hold_the_pass_where_it_is_allowed() -> None:
    assert engine.legal(playing("6H 2C", "8H", "5H", settings=FREE), 0) == ["play 6H", "pass"]
    assert engine.legal(playing("6H 2C", "8H", "5H", settings=FREE, quiet=2), 0) == ["play 6H"]


# The end ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("settings", "passes", "score"),
    [
        ({}, (0, 0, 0), [0, 48, 11]),
        ({"ace": "high"}, (0, 0, 0), [0, 74, 11]),
        ({"pass_penalty": 3}, (1, 0, 2), [3, 48, 17]),
        ({"scoring": "cards"}, (0, 0, 0), [0, 6, 2]),
        ({"scoring": "cards", "pass_penalty": 5}, (2, 1, 0), [10, 11, 2]),
        ({"scoring": "wins"}, (1, 1, 1), [1, 0, 0]),
    ],
)
def test_scoring(settings: dict[str, object], passes: tuple[int, ...], score: list[int]) -> None:
    start = playing("8H", "AC TC JC QC KC AS", "2C 9C", passes=passes, settings={"rounds": 1, **settings})
    assert result(do(start, "0 play 8H"))[1] == score


def test_scoring_the_record_shows_the_cards_left() -> None:
    made = events(playing("8H", "KC AS AC", "2C 9C", passes=(1, 0, 2), settings={"rounds": 1}), "0 play 8H")
    points = {"winner": 0, "cards": ["", "AC KC AS", "2C 9C"], "passes": [1, 0, 2], "points": [0, 15, 11]}
    assert HandEnded(1, points) in made


def test_end_the_deal_moves_on_and_the_score_adds_up() -> None:
    start = playing("8H", "AC", "2C", score=(5, 6, 7), winners=(1,), dealer=2, settings={"rounds": 3}, hand_no=2)
    after = do(start, "0 play 8H", shuffles=[dealt("", "", "7H", players=3)])
    assert (fact(after, "dealer"), fact(after, "hand_no"), fact(after, "score")) == (0, 3, [5, 7, 9])
    assert (fact(after, "winners"), fact(after, "open"), zone(after, "row.H")) == ([1, 0], ["7H"], "")
    assert (after.turn, sum(len(cards) for cards in after.zones.values())) == ((0,), 52)


def test_end_what_the_last_hand_left_stays() -> None:
    over = do(playing("8H", "AC", "2C", quiet=1, passes=(0, 0, 1), settings={"rounds": 1}), "0 play 8H")
    assert (over.phase, fact(over, "open"), fact(over, "passes")) == ("over", ["7C", "7D", "6H", "9H", "7S"], [0, 0, 1])
    assert (fact(over, "quiet"), zone(over, "row.H"), zone(over, "hand.1")) == (0, "7H 8H", "AC")


@pytest.mark.parametrize(("scoring", "placing"), [("points", [3, 2, 1]), ("wins", [1, 2, 2])])
def test_end_the_lowest_points_or_the_most_wins_are_best(scoring: str, placing: list[int]) -> None:
    start = playing("8H", "AC", "2C", score=(2, 0, -2 if scoring == "points" else 0),
                    settings={"rounds": 1, "scoring": scoring})  # fmt: skip
    assert result(do(start, "0 play 8H"))[0] == placing


def test_time_out_lays_the_first_open_card_and_else_passes() -> None:
    start = playing("8H 6H 7S 2C", "2D", "3D", settings=FREE)
    assert engine.timeout_action(start, 0) == "play 6H"
    assert engine.timeout_action(playing("2C", "2D", "3D", settings=FREE), 0) == "pass"
    assert engine.timeout_action(playing("8H 6H 7S 2C", "2D", "3D", settings={"sevens_first": True}), 0) == "play 7S"
    assert engine.timeout_action(start, 1) is None


# Hidden ───────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_hidden_a_seat_sees_its_hand_sorted_and_the_rows() -> None:
    start = playing("8H 2C", "3D 2D", "9S", rows="7H 6H")
    assert [seen(start, 0, name) for name in ("hand.0", "hand.1", "row.H")] == ["2C 8H", 2, "7H 6H"]
    assert [seen(start, None, name) for name in ("hand.0", "hand.2")] == [2, 1]


def test_hidden_options_are_for_their_own_seat_only() -> None:
    start = playing("8H 2C", "6H", "9S", settings=FREE)
    assert engine.legal(start, 1) == []
    assert engine.options(start, 1) == []


# Edge cases ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_edge_1_the_first_card_is_the_seven_of_hearts_whatever_else_is_held() -> None:
    start = playing("7H 7C 7D 6H", "8H", "9S", rows="", settings={"sevens_first": True})
    assert engine.legal(start, 0) == ["play 7H"]
    assert refused(start, "0 play 7C") == "RULE_BROKEN"


def test_edge_2_after_it_its_neighbours_or_another_seven() -> None:
    assert engine.legal(playing("6H 8H 7C 5H 9H 6C", "2C", "2D"), 0) == ["play 7C", "play 6H", "play 8H"]


@pytest.mark.parametrize(
    ("ace", "rows", "fits"), [("low", "2S", "AS"), ("low", "QS", "KS"), ("high", "KS", "AS"), ("high", "3S", "2S")]
)
def test_edge_3_the_ends_of_a_row(ace: str, rows: str, fits: str) -> None:
    start = playing(f"{fits} 9C", "2C", "2D", rows=rows, settings={"ace": ace})
    assert engine.legal(start, 0) == [f"play {fits}"]
    assert fact(do(start, f"0 play {fits}"), "open") == []


def test_edge_4_a_full_row_has_nothing_open() -> None:
    start = playing("AS 2H", "7C", "2D", rows="7H 7S 6S 5S 4S 3S 2S 8S 9S TS JS QS KS")
    assert fact(do(start, "0 play AS"), "open") == ["7C", "7D", "6H", "8H"]


def test_edge_5_both_neighbours_of_a_seven_are_open_in_any_order() -> None:
    start = playing("8S 6S 2C", "9S", "2D", rows="7H 7S")
    assert engine.legal(start, 0) == ["play 6S", "play 8S"]
    assert fact(do(start, "0 play 8S"), "open") == ["7C", "7D", "6H", "8H", "6S", "9S"]


def test_edge_6_no_forced_passes_follow_the_last_card() -> None:
    over = do(playing("8H", "2C", "2D", settings={"rounds": 1}), "0 play 8H")
    assert (over.phase, fact(over, "passes")) == ("over", [0, 0, 0])


def test_edge_7_three_seats_pass_within_one_action() -> None:
    after = do(playing("6H 5H", "2C", "2D", "2S"), "0 play 6H")
    assert (after.turn, fact(after, "passes"), fact(after, "quiet")) == ((0,), [0, 1, 1, 1], 3)


def test_edge_8_who_can_play_may_not_pass_when_all_others_have() -> None:
    able = playing("6H 2C", "5H", "2D", "8H", settings=FREE, turn=3, quiet=3)
    assert refused(able, "3 pass") == "RULE_BROKEN"


def test_edge_8_who_cannot_play_passes_and_the_next_may_not() -> None:
    unable = do(playing("6H 2C", "5H", "2D", "9H", settings=FREE, turn=3, quiet=3), "3 pass")
    assert (fact(unable, "quiet"), unable.turn) == (4, (0,))
    assert refused(unable, "0 pass") == "RULE_BROKEN"


SEVENS = {"sevens_first": True}


def test_edge_9_sevens_go_first() -> None:
    start = playing("7C 8H", "2C", "2D", settings=SEVENS)
    assert refused(start, "0 play 8H") == "RULE_BROKEN"
    assert engine.legal(start, 0) == ["play 7C"]
    assert engine.legal(playing("7C 7D 8H", "2C", "2D", settings=SEVENS), 0) == ["play 7C", "play 7D"]
    assert engine.legal(playing("8H", "7C", "2D", settings=SEVENS), 0) == ["play 8H"]


def test_edge_10_with_free_passing_a_seven_may_be_kept() -> None:
    assert do(playing("7C 8H", "2C", "2D", settings={**SEVENS, **FREE}), "0 pass").turn == (1,)


def test_edge_11_the_longer_hands_sit_after_the_dealer_and_move_on() -> None:
    start = begin("badam_satti", dealt("7H", players=5), players=5, passing="free")
    assert [len(start.zones[f"hand.{seat}"]) for seat in range(5)] == [11, 11, 10, 10, 10]
    end = playing("8H", "2C", "2D", "3C", "4C", dealer=4)
    second = do(end, "0 play 8H", shuffles=[dealt("7H", players=5)])
    assert [len(second.zones[f"hand.{seat}"]) for seat in range(5)] == [10, 11, 11, 10, 10]


def test_edge_12_equal_scores_share_the_place() -> None:
    over = do(playing("8H", "2C", "2D", "3S", settings={"rounds": 1}), "0 play 8H")
    assert result(over) == ([1, 2, 2, 4], [0, 2, 2, 3])
