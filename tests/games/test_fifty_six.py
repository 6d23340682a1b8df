"""Fifty-six: its packs, its bids, its pay, and the numbered edge cases."""

from typing import Any

import pytest

from chautari import engine
from chautari.engine import Position
from chautari.games.fifty_six import GAME
from chautari.kit.gulan_packs import PACKS
from chautari.kit.jack_nine import card_points
from tests.games.gulan import may_play, say, start
from tests.games.tables import bad_setting, do, fact, table, zone


def playing(hand: str, trick: str = "", others: str = "", **facts: Any) -> Position[Any]:
    """Phase `play` with six players: seat 0 is in turn; seat 1 has bid 28 and hearts lie face down."""
    played = trick.split()
    given: dict[str, Any] = {"bid": 28, "bidder": 1, "placer": 1, "cards": 8, "leader": (6 - len(played)) % 6, **facts}
    if played:
        given.setdefault("led", played[0][1])
    others = others or " | ".join(f"hand.{seat}: KS QS" for seat in range(1, 6))
    return table("fifty_six", f"hand.0: {hand} | trick: {trick} | {others}", phase="play", **given)


@pytest.mark.parametrize(
    ("players", "pack", "each"),
    [(4, "usual", 12), (4, "short", 8), (6, "usual", 8), (8, "usual", 6), (8, "long", 8), (12, "usual", 4)],
)
def test_packs(players: int, pack: str, each: int) -> None:
    position = start("fifty_six", players=players, pack=pack)
    assert [len(position.zones[f"hand.{seat}"]) for seat in range(players)] == [each] * players


@pytest.mark.parametrize(
    ("players", "pack"), [(6, "short"), (8, "short"), (12, "short"), (4, "long"), (6, "long"), (12, "long")]
)
def test_a_pack_for_another_number_of_players_is_refused(players: int, pack: str) -> None:
    assert bad_setting("fifty_six", players=players, pack=pack) == "pack"


def test_settings() -> None:
    assert [GAME.read_settings({"players": players}).players for players in (4, 6, 8, 12)] == [4, 6, 8, 12]
    assert [bad_setting("fifty_six", players=players) for players in (2, 3, 5, 10)] == ["players"] * 4
    assert bad_setting("fifty_six", pack="big") == "pack"


@pytest.mark.parametrize(
    ("bid", "extra", "wins"),
    [(28, "none", 1), (39, "none", 1), (40, "none", 2), (55, "none", 2), (56, "none", 3), (47, "extra", 2),
     (48, "extra", 3), (55, "extra", 3), (56, "extra", 4)],
)  # fmt: skip
def test_pay(bid: int, extra: str, wins: int) -> None:
    for points, paid in ((bid, wins), (bid - 1, wins + 1)):
        over = playing(
            "QD", "KD QD KD QC KC", bidder=0, bid=bid, tricks=(2, 1, 1, 1, 1, 1), points=(points, 0, 0, 0, 0, 0),
            trump="S", settings={"senior_pay": extra, "max_hands": 1},
        )  # fmt: skip
        assert fact(do(over, "0 play QD"), "last_hand.paid") == paid


# Edge cases ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_edge_1_of_two_equal_cards_the_first_wins_trumps_too() -> None:
    assert fact(do(playing("AD 9C", "AD KD QD TD KD", trump="S"), "0 play AD"), "last_winner") == 1
    assert fact(do(playing("9S 9C", "AD KD 9S TD KD", trump="S"), "0 play 9S"), "last_winner") == 3


def test_edge_2_an_action_names_a_card_not_a_copy() -> None:
    assert engine.legal(playing("JS JS 9C", trump="H"), 0)[:2] == ["play 9C", "play JS"]
    assert zone(do(playing("JS JS 9C", trump="H"), "0 play JS"), "hand.0") == "9C JS"
    position = table("fifty_six", "hand.0: JS JS 9C", phase="trump", bid=28, bidder=0, cards=3)
    after = do(position, "0 place JS")
    assert (zone(after, "hand.0"), zone(after, "trump_card")) == ("9C JS", "JS")


def test_edge_3_one_copy_face_down_the_other_follows_suit_and_is_not_led() -> None:
    mine: dict[str, Any] = {"bidder": 0, "placer": 0}
    assert may_play(playing("JS 9C", others="trump_card: JS", **mine)) == "9C"
    assert may_play(playing("JS AS", others="trump_card: JS", **mine)) == "AS JS"
    assert may_play(playing("JS 9C", "AS KS QS TS KS", others="trump_card: JS", **mine)) == "JS"


def test_edge_4_eight_players_speak_by_the_same_rule() -> None:
    position = start("fifty_six", players=8)
    position = say(position, "0 bid 28", "1 pass", "3 pass", "5 pass", "7 bid 29", "2 pass", "4 pass", "6 pass")
    assert (position.turn, fact(position, "round")) == ((0,), 2)


@pytest.mark.parametrize("pack", ["usual", "short", "long"])
def test_edge_5_there_are_56_points_in_every_pack(pack: str) -> None:
    assert card_points(PACKS[pack]) == 56
