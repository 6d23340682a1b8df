"""Kitti, rule by rule: settings, the deal, ranking, arranging, the rounds, the score, and the edge cases."""

from itertools import combinations
from random import Random
from typing import Any

import pytest

from chautari import engine
from chautari.cards import cards, pack, text
from chautari.engine import HandBegan, HandEnded, Moved, Position, Said
from chautari.games.kitti import GAME, has_won
from chautari.kit.records import best_first
from chautari.kit.three_cards import strength
from tests.engine.timeouts import time_out
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

NEXT = dealt("2C 2D 4C 4D 6C 6D 8C 8D KC", "2H 3S 4H 5S 6H 7S 8H 9S KH", players=2, each=9)
"""Another deal between two, with four pairs."""
OTHERS = dealt("AC KC QC JC TC 9C 7C 5C 3C", "AD KD QD JD TD 9D 7D 5D 3D", players=2, each=9)
"""Another deal between two, without any two of a rank in one hand."""


def arranging(*hands: str, **facts: Any) -> Position[Any]:
    """Phase `arrange` with these nine cards each; a hand with `/` in it is arranged already."""
    lying, turn = [], []
    for seat, hand in enumerate(hands):
        if "/" in hand:
            lying += [f"row{row}.{seat}: {held}" for row, held in enumerate(hand.split("/"), 1)]
        else:
            lying.append(f"hand.{seat}: {hand}")
            turn.append(seat)
    settings = {"players": len(hands), **facts.pop("settings", {})}
    arranged = tuple("/" in hand for hand in hands)
    return table("kitti", " | ".join(lying), phase="arrange", turn=turn, settings=settings, arranged=arranged, **facts)


def played(*rows: str, then: str = "", **facts: Any) -> Position[Any]:
    """A hand in which all have arranged so, seat 0 last; and the next deal where the match goes on."""
    hand = rows[0].replace("/", " ")
    start = arranging(" ".join(hand.split()), *rows[1:], **facts)
    try:
        return do(start, f"0 arrange {rows[0]}")
    except LookupError:
        players = len(rows)
        return do(start, f"0 arrange {rows[0]}", shuffles=[then or dealt(players=players, each=9)])


ROUNDS = {
    "000": ("AS AH AD / KS KH 2C / 9S 5D 3C", "QS QH QC / JD JC 4C / 8H 6D 2H"),
    "010": ("AS AH AD / TS TH 2C / 9S 5D 3C", "QS QH QC / JD JC 4C / 8H 6D 2H"),
    "001": ("AS AH AD / KS KH 2C / 8S 5D 3C", "QS QH QC / JD JC 4C / 9H 6D 2H"),
    "-01": ("AS KD 9C / KS QH 2C / 8S 5D 3C", "AD KC 9S / JD TC 4C / 9H 6D 2H"),
    "0--": ("AS AH AD / QS 5H 2C / 9S 4D 3C", "KS KH KC / QD 5C 2H / 9H 4C 3H"),
    "0-1": ("AS AH AD / QS 5H 2C / 8S 4D 3C", "KS KH KC / QD 5C 2H / 9H 4C 3H"),
    "---": ("AS KD 9C / QS 5H 2C / 8S 4D 3C", "AD KC 9S / QD 5C 2H / 8H 4C 3H"),
}
"""By the winner of each round, the rows of seats 0 and 1."""


# Settings ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "default", "allowed", "wrong"),
    [
        ("players", 4, (2, 5), (1, 6, "4", 4.0)),
        ("win", "two", ("two", "two_in_row", "most", "three"), ("one", 2)),
        ("two_three_five", False, (True, False), (235, None)),
        ("four_of_a_kind", False, (True, False), (4,)),
        ("four_pairs", False, (True, False), ("yes",)),
        ("salami", 2, (1, 5), (0, 6, True)),
        ("carry", True, (True, False), (1,)),
        ("target", 5, (0, 50), (-1, 51)),
        ("hands", 20, (1, 100), (0, 101)),
    ],
)
def test_settings(name: str, default: object, allowed: tuple[object, ...], wrong: tuple[object, ...]) -> None:
    assert getattr(GAME.read_settings({}), name) == default
    for value in allowed:
        assert getattr(GAME.read_settings({name: value}), name) == value
    for value in wrong:
        assert bad_setting("kitti", **{name: value}) == name


# Zones and facts ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_zones() -> None:
    assert zones_declared("kitti") == {
        "deck": ("none", True), "hand": ("owner", False), "row1": ("owner", True), "row2": ("owner", True),
        "row3": ("owner", True),
    }  # fmt: skip


def test_facts() -> None:
    assert public_facts("kitti") == ["dealer", "hand_no", "score", "stake", "arranged", "last"]
    start = begin("kitti", dealt(each=9))
    assert (fact(start, "stake"), fact(start, "arranged"), fact(start, "last")) == (1, [False] * 4, None)


def test_all_rows_lie_open_when_the_match_is_over() -> None:
    over = played(*ROUNDS["000"], settings={"hands": 1})
    assert [seen(over, None, f"row{row}.1") for row in (1, 2, 3)] == ["QS QH QC", "JD JC 4C", "8H 6D 2H"]
    assert fact(over, "arranged") == [True, True]
    assert seen(begin("kitti", FOUR, players=2, four_of_a_kind=True, hands=1), None, "deck") == 34


# The deal ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_deal_1_nine_cards_each_from_the_seat_after_the_dealer_on() -> None:
    start = begin("kitti", dealt("AC", "AD", "AH", players=3, each=9, then="KS"), players=3)
    assert all(f"A{suit}" in zone(start, f"hand.{seat}") for seat, suit in enumerate("CDH"))
    assert ([len(start.zones[f"hand.{seat}"]) for seat in range(3)], zone(start, "deck")[:2]) == ([9, 9, 9], "KS")
    assert (fact(start, "dealer"), fact(start, "hand_no")) == (2, 1)


def test_deal_4_all_seats_are_in_turn() -> None:
    start = begin("kitti", dealt(players=3, each=9), players=3)
    assert (start.turn, start.phase, engine.must_act(start)) == ((0, 1, 2), "arrange", (0, 1, 2))


FOUR = dealt("2C 2D 2H 2S 4C 5C 6C 7C 9D", "AC AD KH KC KD QS QH JS JH", players=2, each=9)
PAIRS = dealt("2C 2D 4C 4D 6C 6D 8C 8D KC", "2H 3S 4H 5S 6H 7S 8H 9S KH", players=2, each=9)


def test_deal_2_four_of_a_rank_end_the_hand_at_once() -> None:
    start = begin("kitti", FOUR, NEXT, players=2, four_of_a_kind=True)
    assert (fact(start, "hand_no"), fact(start, "score"), fact(start, "dealer")) == (2, [1, 0], 0)
    assert fact(start, "last") == {
        "hand_no": 1, "winner": 0, "how": "four", "rounds": [], "stake": 1, "change": [1, 0],
        "hands": ["9D 7C 6C 5C 4C 2S 2H 2D 2C", "AD AC KH KD KC QS QH JS JH"],
    }  # fmt: skip


def test_deal_2_the_highest_four_win() -> None:
    both = dealt("2C 2D 2H 2S AC AD AH AS 9D", "KH KC KD KS QS QH JS JH 3C", players=2, each=9)
    assert fact(begin("kitti", both, NEXT, players=2, four_of_a_kind=True), "last.winner") == 0
    both = dealt("2C 2D 2H 2S QC QD QH QS 9D", "KH KC KD KS AS TH JS JH 3C", players=2, each=9)
    assert fact(begin("kitti", both, NEXT, players=2, four_of_a_kind=True), "last.winner") == 1


def test_deal_3_four_pairs_are_dealt_again_by_the_same_dealer() -> None:
    start = begin("kitti", PAIRS, PAIRS, dealt(players=2, each=9), players=2, four_pairs=True)
    assert (fact(start, "hand_no"), fact(start, "stake"), fact(start, "dealer"), start.turn) == (1, 1, 1, (0, 1))
    assert fact(start, "last") is None
    assert sum(map(len, start.zones.values())) == 52


def test_deal_3_the_hand_begins_anew_for_its_viewers() -> None:
    happened = events(
        arranging("AS AH AD KS KH 2C 9S 5D 3C", ROUNDS["000"][1], settings={"four_pairs": True}),
        f"0 arrange {ROUNDS['000'][0]}", PAIRS, dealt(players=2, each=9), viewer=None,
    )  # fmt: skip
    assert [event.number for event in happened if isinstance(event, HandBegan)] == [2, 2]


@pytest.mark.parametrize(
    "hand",
    [
        "2C 2D 4C 4D 6C 6D 8C 8D 8H", "2C 2D 4C 4D 6C 6D 8C 9D TH", "2C 2D 2H 4C 4D 6C 6D 8H 9D",
        "2C 2D 2H 2S 4C 4D 6C 6D 8H",
    ],
)  # fmt: skip
def test_deal_3_three_or_four_of_a_rank_make_no_four_pairs(hand: str) -> None:
    deal = dealt(hand, "AC KC QC JC TC 9C 7C 5C 3C", players=2, each=9)
    assert begin("kitti", deal, players=2, four_pairs=True).turn == (0, 1)


# Arranging ────────────────────────────────────────────────────────────────────────────────────────────────────────────

NINE = "AS AH AD KS KH 2C 9S 5D 3C"


def test_arranging_lays_the_rows_in_the_order_named() -> None:
    after = do(arranging(NINE, "QS QH QC JD JC 4C 8H 6D 2H"), "0 arrange AD AH AS / 2C KS KH/3C 9S 5D")
    assert [zone(after, f"row{row}.0") for row in (1, 2, 3)] == ["AD AH AS", "2C KS KH", "3C 9S 5D"]
    assert (zone(after, "hand.0"), after.turn, fact(after, "arranged")) == ("", (1,), [True, False])


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("0 show", "UNKNOWN_ACTION"),
        ("1 arrange QS QH QC / JD JC 4C / 8H 6D 2H", "NOT_YOUR_TURN"),
        ("0 arrange", "MALFORMED_ACTION"),
        ("0 arrange AS AH AD KS KH 2C 9S 5D 3C", "MALFORMED_ACTION"),
        ("0 arrange AS AH AD KS / KH 2C / 9S 5D 3C", "MALFORMED_ACTION"),
        ("0 arrange AS AH AD / KS KH 2C / 9S 5D 3C /", "MALFORMED_ACTION"),
        ("0 arrange AS AH AD / KS KH 2C", "MALFORMED_ACTION"),
        ("0 arrange AS AH AD / KS KH 2C / 9S 5D 3c", "MALFORMED_ACTION"),
        ("0 arrange AS AH AD / KS KH 2C / 9S 5D XX", "MALFORMED_ACTION"),
        ("0 arrange AS AH AC / KS KH 2C / 9S 5D 3C", "CARD_NOT_HELD"),
        ("0 arrange AS AH AD / KS KH KS / 9S 5D 3C", "CARD_NOT_HELD"),
        ("0 arrange KS KH 2C / AS AH AD / 9S 5D 3C", "RULE_BROKEN"),
        ("0 arrange AS AH AD / 9S 5D 3C / KS KH 2C", "RULE_BROKEN"),
    ],
)
def test_refusals(line: str, code: str) -> None:
    assert refused(arranging(NINE, "QS QH QC / JD JC 4C / 8H 6D 2H"), line) == code


def test_options_are_the_nine_cards_in_three_threes_with_an_arrangement() -> None:
    (option,) = engine.options(arranging(NINE, "QS QH QC JD JC 4C 8H 6D 2H"), 0)
    (choice,) = option.choices
    assert (choice.type, choice.sizes, text(choice.cards)) == ("groups", (3, 3, 3), "2C 3C AD 5D AH KH AS 9S KS")
    assert option.example == "arrange AS AH AD / KS KH 9S / 5D 3C 2C"


# The rounds and the score ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("rounds", ROUNDS)
def test_a_round_goes_to_the_strongest_row_and_to_nobody_if_two_share_it(rounds: str) -> None:
    wanted = [None if winner == "-" else int(winner) for winner in rounds]
    assert fact(played(*ROUNDS[rounds]), "last.rounds") == wanted


@pytest.mark.parametrize(
    ("win", "won"),
    [
        ("two", {"000", "010", "001"}),
        ("two_in_row", {"000", "001"}),
        ("three", {"000"}),
        ("most", {"000", "010", "001", "0--"}),
    ],
)
def test_what_wins_a_hand(win: str, won: set[str]) -> None:
    winners = {name: fact(played(*rows, settings={"win": win}), "last.winner") for name, rows in ROUNDS.items()}
    assert {name for name, winner in winners.items() if winner == 0} == won
    assert {winner for name, winner in winners.items() if name not in won} == {None}


@pytest.mark.parametrize(
    ("rounds", "settings", "how", "score", "stake"),
    [
        ("010", {}, "win", [3, 0], 1),
        ("000", {}, "salami", [6, 0], 1),
        ("000", {"salami": 1}, "salami", [3, 0], 1),
        ("000", {"salami": 5}, "salami", [15, 0], 1),
        ("---", {}, "kitti", [0, 0], 4),
        ("---", {"carry": False}, "kitti", [0, 0], 1),
    ],
)
def test_the_score_and_the_next_stake(
    rounds: str, settings: dict[str, object], how: str, score: list[int], stake: int
) -> None:
    after = played(*ROUNDS[rounds], stake=3, settings={"target": 0, **settings})
    assert (fact(after, "last.how"), fact(after, "score"), fact(after, "stake")) == (how, score, stake)
    assert (fact(after, "last.stake"), fact(after, "last.change")) == (3, score)


def test_the_record_shows_the_rows_as_they_were_arranged() -> None:
    assert fact(played(*ROUNDS["000"]), "last.hands") == list(ROUNDS["000"])


def test_the_deal_passes_on_whatever_happened() -> None:
    for rounds in ("000", "---"):
        assert fact(played(*ROUNDS[rounds], dealer=1), "dealer") == 0


# End of match ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_match_ends_at_the_target() -> None:
    assert result(played(*ROUNDS["010"], score=(4, 3))) == ([1, 2], [5, 3])
    assert not played(*ROUNDS["010"], score=(3, 4)).is_over
    assert not played(*ROUNDS["010"], score=(40, 3), settings={"target": 0}).is_over


def test_the_match_ends_after_its_hands_and_equal_seats_share_a_place() -> None:
    over = played(*ROUNDS["---"], score=(3, 3), hand_no=20)
    assert (result(over), fact(over, "stake")) == (([1, 1], [3, 3]), 2)


# Time-outs ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def naive(hand: str) -> list[str]:
    """The automatic arrangement by trying every split, in the words of the page."""
    nine = best_first(cards(hand))
    best: tuple[Any, ...] = ()
    for one in combinations(range(9), 3):
        for two in combinations([place for place in range(9) if place not in one], 3):
            three = tuple(place for place in range(9) if place not in one + two)
            rows = [[nine[place] for place in row] for row in (one, two, three)]
            worth = [strength(row) for row in rows]
            if worth == sorted(worth, reverse=True):
                key = (worth, [-place for place in one], [-place for place in two])
                if not best or key > best[0]:
                    best = (key, rows)
    return [text(row) for row in best[1]]


@pytest.mark.parametrize("seed", range(12))
def test_the_automatic_arrangement(seed: int) -> None:
    ranks = "23456" if seed % 2 else "A23456789TJQK"
    nine = Random(seed).sample([card for card in pack() if card.rank in ranks], 9)
    after = do(arranging(text(nine), "QS QH QC / JD JC 4C / 8H 6D 2H", "KS KH KC KD AC AD AH AS 2H"), "0 times out")
    assert [zone(after, f"row{row}.0") for row in (1, 2, 3)] == naive(text(nine))


def test_the_automatic_arrangement_begins_with_a_two_three_five_where_it_is_best() -> None:
    start = arranging("2C 3D 5H AS AH AD 9C 7D 2S", "", settings={"two_three_five": True})
    after = do(start, "0 times out")
    assert [zone(after, f"row{row}.0") for row in (1, 2, 3)] == ["5H 3D 2S", "AS AH AD", "9C 7D 2C"]


def test_a_seat_that_has_arranged_has_no_clock() -> None:
    start = arranging(NINE, "QS QH QC / JD JC 4C / 8H 6D 2H")
    assert time_out(start, 1, lambda faces: faces) is None


# Hidden information ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_rows_are_unseen_until_the_last_seat_has_arranged() -> None:
    after = do(arranging(NINE, "QS QH QC JD JC 4C 8H 6D 2H"), f"0 arrange {ROUNDS['000'][0]}")
    for viewer, shown in ((0, "AS AH AD"), (1, 3), (None, 3)):
        assert seen(after, viewer, "row1.0") == shown


def test_others_hear_the_same_of_every_arrangement() -> None:
    start = arranging(NINE, "QS QH QC JD JC 4C 8H 6D 2H")
    lines = ("0 arrange AS AH AD / KS KH 2C / 9S 5D 3C", "0 arrange AS KS  9S/AH KH 2C/AD 5D 3C")
    for viewer in (1, None):
        assert events(start, lines[0], viewer=viewer) == events(start, lines[1], viewer=viewer)
    happened = events(start, lines[0], viewer=1)
    assert [event.told for event in happened if isinstance(event, Said)] == ["arrange ?? ?? ?? / ?? ?? ?? / ?? ?? ??"]
    assert [text(event.cards) for event in happened if isinstance(event, Moved)] == ["?? ?? ??"] * 3


def test_the_record_reaches_everybody() -> None:
    start = arranging(NINE, ROUNDS["000"][1], settings={"hands": 1})
    happened = events(start, f"0 arrange {ROUNDS['000'][0]}", viewer=None)
    assert [event.record["hands"] for event in happened if isinstance(event, HandEnded)] == [list(ROUNDS["000"])]


# Edge cases ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_edge_1_all_rounds_drawn_are_a_kitti() -> None:
    assert fact(played(*ROUNDS["---"], settings={"win": "most"}), "last.how") == "kitti"


def test_edge_1_one_round_won_and_two_drawn_win_only_with_most() -> None:
    assert fact(played(*ROUNDS["0--"]), "last.how") == "kitti"
    assert fact(played(*ROUNDS["0--"], settings={"win": "most"}), "last.how") == "win"


def test_edge_2_rounds_one_and_three_are_not_two_in_a_row() -> None:
    assert fact(played(*ROUNDS["010"], settings={"win": "two_in_row"}), "last.how") == "kitti"


def test_edge_3_with_most_equal_numbers_of_rounds_are_a_kitti() -> None:
    each_one = (
        "AS AH AD / TS TH 2C / 9S 5D 3C", "QS QH QC / JD JC 4C / 8H 6D 2H", "JS JH 9C / 9D 9H 2D / KC 7D 4D"
    )  # fmt: skip
    after = played(*each_one, settings={"win": "most"})
    assert (fact(after, "last.rounds"), fact(after, "last.how")) == ([0, 1, 2], "kitti")
    after = played(*ROUNDS["0-1"], settings={"win": "most"})
    assert (fact(after, "last.rounds"), fact(after, "last.how")) == ([0, None, 1], "kitti")


def test_edge_4_rows_of_equal_strength_may_stand_in_either_order() -> None:
    start = arranging("AS KD 9C AH KS 9D 8C 4C 2D", "QS QH QC / JD JC 4H / 8H 6D 2H")
    do(
        arranging("AS KD 9C AH KS 9D 8C 4C 2D", "QS QH QC JD JC 4H 8H 6D 2H"),
        "0 arrange AS KD 9C / AH KS 9D / 8C 4C 2D",
    )
    do(start, "0 arrange AH KS 9D / AS KD 9C / 8C 4C 2D", shuffles=[NEXT])


def test_edge_5_two_three_five_with_two_cards_of_a_suit_is_a_high_card_and_of_one_a_colour() -> None:
    settings = {"two_three_five": True}
    start = arranging("2C 3C 5H 6S 4D 7H AS KD JC", ROUNDS["000"][1], settings=settings)
    assert refused(start, "0 arrange 2C 3C 5H / 6S 4D 7H / AS KD JC") == "RULE_BROKEN"
    start = arranging("2C 3C 5C 6S 4D 7H AS KD JC", ROUNDS["000"][1], settings=settings)
    do(start, "0 arrange 2C 3C 5C / AS KD JC / 6S 4D 7H", shuffles=[NEXT])
    start = arranging("2C 3C 5C 6S 6D 6H AS KD JC", ROUNDS["000"][1], settings=settings)
    assert refused(start, "0 arrange 2C 3C 5C / 6S 6D 6H / AS KD JC") == "RULE_BROKEN"


def test_edge_6_a_two_three_five_stands_in_the_first_row_or_after_an_equal_one() -> None:
    settings = {"two_three_five": True}
    start = arranging("2C 3H 5D AS AH AD 9C 7D 4S", ROUNDS["000"][1], settings=settings)
    assert refused(start, "0 arrange AS AH AD / 2C 3H 5D / 9C 7D 4S") == "RULE_BROKEN"
    do(start, "0 arrange 2C 3H 5D / AS AH AD / 9C 7D 4S", shuffles=[NEXT])
    twice = arranging("2C 3H 5D 2S 3D 5H 9C 7D 4S", ROUNDS["000"][1], settings=settings)
    do(twice, "0 arrange 2C 3H 5D / 2S 3D 5H / 9C 7D 4S", shuffles=[NEXT])


def test_edge_7_two_seats_with_two_three_five_draw_the_round() -> None:
    rows = ("2S 3H 5D / KC KD 9S / JS 8H 4D", "2C 3D 5H / QH QD 7C / TH 8C 4S")
    after = played(*rows, settings={"two_three_five": True})
    assert fact(after, "last.rounds") == [None, 0, 0]
    plain = arranging("2S 3H 5D KC KD 9S JS 8H 4D", rows[1])
    assert refused(plain, f"0 arrange {rows[0]}") == "RULE_BROKEN"


@pytest.mark.parametrize(("suits", "others"), [("SSS", "HHH"), ("SHS", "HSH")])
def test_edge_8_ace_two_three_comes_after_ace_king_queen_and_before_king_queen_jack(suits: str, others: str) -> None:
    runs = ["AKQ", "A23", "KQJ"]
    for better, worse in combinations(runs, 2):
        one = " ".join(rank + suit for rank, suit in zip(better, suits, strict=True))
        other = " ".join(rank + suit for rank, suit in zip(worse, others, strict=True))
        after = played(f"{one} / 9C 9D 4C / 8C 6D 4D", f"{other} / TC TD 5D / 8D 7C 5C")
        assert fact(after, "last.rounds") == [0, 1, 1]


def test_edge_9_pairs_by_the_pair_then_the_third_card_and_before_high_cards() -> None:
    after = played("9S 9H AC / 8S 8H KC / 3D 3H 2D", "9C 9D KD / 8C 8D QD / AH JS 5C")
    assert fact(after, "last.rounds") == [0, 0, 0]


def test_edge_10_four_of_a_kind_may_be_split_where_they_do_not_win() -> None:
    start = begin("kitti", FOUR, players=2)
    assert zone(do(start, "0 arrange 2C 2D 2H / 5C 6C 7C / 9D 4C 2S"), "row3.0") == "9D 4C 2S"


def test_edge_11_four_of_a_kind_come_before_four_pairs() -> None:
    both = dealt("2C 2D 2H 2S 4C 5C 6C 7C 9D", "AC AD KH KC QS QH JS JH 3S", players=2, each=9)
    start = begin("kitti", both, OTHERS, players=2, four_of_a_kind=True, four_pairs=True)
    assert (fact(start, "last.how"), fact(start, "last.winner"), fact(start, "hand_no")) == ("four", 0, 2)


def test_edge_12_a_match_can_end_at_the_deal_without_any_action() -> None:
    over = begin("kitti", FOUR, players=2, four_of_a_kind=True, target=1)
    assert (result(over), fact(over, "arranged")) == (([1, 2], [1, 0]), [True, True])
    assert seen(over, None, "hand.1") == "AC KC AD KD JH QH KH JS QS"
    over = begin("kitti", FOUR, FOUR, FOUR, players=2, four_of_a_kind=True, hands=3)
    assert (fact(over, "score"), fact(over, "last.hand_no")) == ([2, 1], 3)


def test_edge_12_a_four_is_no_salami() -> None:
    assert fact(begin("kitti", FOUR, OTHERS, players=2, four_of_a_kind=True, salami=5), "score") == [1, 0]


def test_edge_13_with_three_every_hand_won_is_a_salami() -> None:
    assert fact(played(*ROUNDS["000"], settings={"win": "three"}), "last.how") == "salami"


def test_edge_14_one_seat_at_most_wins_a_hand() -> None:
    """Tried over every outcome of three rounds between three seats."""
    outcomes: list[int | None] = [0, 1, 2, None]
    for win in ("two", "two_in_row", "most", "three"):
        settings = GAME.read_settings({"players": 3, "win": win})
        for rounds in ((a, b, c) for a in outcomes for b in outcomes for c in outcomes):
            assert sum(has_won(seat, rounds, settings) for seat in range(3)) <= 1
