"""Twenty-eight: its packs, the two stages of its auction, its pay, and the numbered edge cases."""

from typing import Any

import pytest

from chautari import engine
from chautari.cards import cards
from chautari.games.twenty_eight import GAME, PACKS
from chautari.kit.jack_nine import card_points
from tests.games.gulan import may, packed, say, start
from tests.games.tables import bad_setting, do, events, fact, refused, seen, table, zone


@pytest.mark.parametrize(
    ("name", "default", "allowed", "wrong"),
    [
        ("players", 4, (2, 3, 4, 6), (1, 5, 8)),
        ("stages", "auto", ("auto", "two", "one"), (2, None)),
        ("senior_pay", "extra", ("none", "extra"), (True,)),
    ],
)
def test_settings(name: str, default: object, allowed: tuple[object, ...], wrong: tuple[object, ...]) -> None:
    assert getattr(GAME.read_settings({}), name) == default
    for value in allowed:
        assert getattr(GAME.read_settings({name: value}), name) == value
    for value in wrong:
        assert bad_setting("twenty_eight", **{name: value}) == name


@pytest.mark.parametrize(("players", "count", "points"), [(2, 32, 28), (3, 24, 28), (4, 32, 28), (6, 36, 28)])
def test_packs(players: int, count: int, points: int) -> None:
    assert (len(PACKS[players]), card_points(PACKS[players])) == (count, points)


@pytest.mark.parametrize(
    ("settings", "two"),
    [({}, True), ({"players": 6}, False), ({"players": 6, "stages": "two"}, True), ({"stages": "one"}, False)],
)
def test_stages(settings: dict[str, Any], two: bool) -> None:
    assert bool(start("twenty_eight", **settings).zones["deck"]) == two


# The hand, in order ───────────────────────────────────────────────────────────────────────────────────────────────────


def placed(**settings: Any) -> Any:
    """Seat 0 has bid 14 and placed a card: stage 2 begins."""
    position = say(start("twenty_eight", **settings), "0 bid 14", "1 pass", "3 pass", "2 pass", "0 pass")
    return do(position, f"0 place {zone(position, 'hand.0').split()[0]}")


def test_hand_2_thani_needs_the_whole_hand() -> None:
    assert refused(start("twenty_eight"), "0 thani") == "RULE_BROKEN"
    assert say(start("twenty_eight"), "0 bid 28").phase == "trump"


def test_hand_4_the_other_half_goes_to_everybody_in_the_same_order() -> None:
    position = placed()
    pack = cards(packed("twenty_eight"))
    assert [len(position.zones[f"hand.{seat}"]) for seat in range(4)] == [7, 8, 8, 8]
    assert set(pack[20:24]) <= set(position.zones["hand.1"])
    assert position.zones["deck"] == ()


def test_hand_5_the_second_stage_begins_at_24_with_the_other_team() -> None:
    position = placed()
    assert [fact(position, name) for name in ("stage", "round", "said", "bid")] == [2, 1, [None] * 4, 14]
    assert position.turn == (1,)
    assert engine.legal(position, 1) == ["bid 24", "bid 25", "bid 26", "bid 27", "bid 28", "pass", "thani"]


def test_hand_5_one_round_the_bidder_last() -> None:
    position = say(placed(), "1 pass", "3 pass", "2 pass")
    assert position.turn == (0,)
    assert say(position, "0 pass").phase == "play"


def test_hand_6_the_card_stays_if_nobody_bids() -> None:
    position = say(placed(), "1 pass", "3 pass", "2 pass", "0 pass")
    assert (fact(position, "placer"), len(position.zones["trump_card"]), position.turn) == (0, 1, (0,))
    assert (fact(position, "stage"), fact(position, "round")) == (2, 1)


@pytest.mark.parametrize(
    "calls", [("1 bid 24", "2 pass", "0 pass", "3 pass"), ("1 pass", "3 pass", "2 pass", "0 bid 24")]
)
def test_hand_6_a_new_bid_sends_the_card_back_unseen(calls: tuple[str, ...]) -> None:
    position = say(placed(), *calls[:-1])
    for viewer in (1, 2, None):
        for event in events(position, calls[-1], viewer=viewer):
            assert not isinstance(event, engine.Shown)
            if isinstance(event, engine.Moved):
                assert str(event.cards[0]) == "??"
    after = say(position, calls[-1])
    bidder = fact(after, "bidder")
    assert (after.phase, after.turn, fact(after, "placer")) == ("trump", (bidder,), None)
    assert [len(after.zones[f"hand.{seat}"]) for seat in range(4)] == [8] * 4
    again = do(after, f"{bidder} place {zone(after, f'hand.{bidder}').split()[0]}")
    assert (again.phase, again.turn, fact(again, "placer")) == ("play", (0,), bidder)


def test_hand_6_after_thani_nothing_is_placed() -> None:
    position = say(placed(), "1 thani")
    assert (position.phase, position.turn, fact(position, "placer"), zone(position, "trump_card")) == (
        "play", (1,), None, "",
    )  # fmt: skip
    assert len(position.zones["hand.0"]) == 8


@pytest.mark.parametrize("auction", ["rounds", "open"])
def test_a_standing_28_leaves_only_thani_in_the_second_stage(auction: str) -> None:
    position = say(start("twenty_eight", auction=auction), "0 bid 28")
    position = do(position, f"0 place {zone(position, 'hand.0').split()[0]}")
    assert (position.phase, fact(position, "stage")) == ("bid", 2)
    assert engine.legal(position, position.turn[0]) == ["pass", "thani"]


def test_a_standing_28_skips_the_second_stage_without_thani() -> None:
    position = say(start("twenty_eight", thani=False), "0 bid 28")
    position = do(position, f"0 place {zone(position, 'hand.0').split()[0]}")
    assert (position.phase, fact(position, "placer"), len(position.zones["hand.1"])) == ("play", 0, 8)


def test_in_stage_2_the_placer_sees_his_card_and_nobody_else() -> None:
    position = placed()
    assert [seen(position, viewer, "trump_card") for viewer in (1, 2, 3, None)] == [1] * 4
    assert seen(position, 0, "trump_card") == zone(position, "trump_card")


# Edge cases ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_edge_1_three_passes_over_14() -> None:
    position = say(start("twenty_eight"), "0 bid 14", "1 pass", "3 pass", "2 pass")
    assert (position.turn, engine.legal(position, 0)[0]) == ((0,), "bid 20")
    assert fact(say(position, "0 bid 20"), "bidder") == 0


def test_edge_2_in_round_2_those_who_had_bid_the_other_team_first() -> None:
    position = say(start("twenty_eight"), "0 bid 14", "1 bid 15", "2 pass", "3 pass")
    assert (fact(position, "round"), position.turn) == (2, (0,))
    position = say(start("twenty_eight", partner_from_honours=False), "0 bid 14", "1 bid 15", "2 bid 16", "3 pass")
    assert (fact(position, "round"), position.turn) == (2, (1,))
    assert say(position, "1 pass", "0 pass", "2 pass").phase == "trump"


def test_edge_3_a_partner_may_overbid_from_20() -> None:
    position = say(start("twenty_eight"), "0 bid 14", "1 pass", "3 pass")
    assert refused(position, "2 bid 19") == "RULE_BROKEN"
    assert fact(say(position, "2 bid 20"), "bidder") == 2


def test_edge_4_after_24_in_stage_1_stage_2_needs_one_more() -> None:
    position = say(start("twenty_eight", second_round="off"), "0 bid 25", "1 pass", "3 pass", "2 pass")
    position = do(position, f"0 place {zone(position, 'hand.0').split()[0]}")
    assert engine.legal(position, 1)[0] == "bid 26"


@pytest.mark.parametrize(("tricks", "open_"), [((5, 0, 0, 0), True), ((6, 0, 0, 0), False)])
def test_edge_5_the_face_down_card_counts_as_left_to_play(tricks: tuple[int, ...], open_: bool) -> None:
    position = table(
        "twenty_eight", "hand.0: 7C 8D | trump_card: 8H", phase="play", settings={"kott_min_cards": 3}, bid=14,
        bidder=0, placer=0, cards=8, tricks=tricks,
    )  # fmt: skip
    assert may(position, "kott") == open_


def test_edge_6_two_players_play_one_against_one() -> None:
    position = say(start("twenty_eight", players=2), "0 bid 14", "1 pass", "0 pass")
    position = do(position, f"0 place {zone(position, 'hand.0').split()[0]}")
    assert [len(position.zones[f"hand.{seat}"]) for seat in range(2)] == [15, 16]
    position = do(say(position, "1 pass", "0 pass"), "0 times out", "1 times out")
    assert (len(fact(position, "last_trick")), sum(fact(position, "tricks"))) == (2, 1)


def test_edge_7_three_players_the_two_others_add_up_their_points() -> None:
    position = table(
        "twenty_eight", "hand.0: JD | trick: AD QD", phase="play", settings={"players": 3, "max_hands": 1}, bid=15,
        bidder=1, placer=1, cards=8, leader=1, led="D", trump="S", tricks=(3, 2, 2), points=(0, 14, 10),
    )  # fmt: skip
    after = do(position, "0 play JD")
    assert (fact(after, "last_trick"), fact(after, "last_hand.won"), fact(after, "kooli")) == (
        ["AD", "QD", "JD"], False, [8, 2, 8],
    )  # fmt: skip


def test_edge_8_six_players_bid_on_three_cards() -> None:
    position = start("twenty_eight", players=6, stages="two")
    assert ([len(position.zones[f"hand.{seat}"]) for seat in range(6)], len(position.zones["deck"])) == ([3] * 6, 18)
    assert refused(position, "0 thani") == "RULE_BROKEN"
