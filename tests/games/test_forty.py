"""Forty: its pack, its bids, its pay, and the numbered edge cases."""

from typing import Any

import pytest

from chautari import engine
from chautari.engine import Position
from chautari.games.forty import GAME, PACK
from chautari.kit.jack_nine import card_points
from tests.games.gulan import may, may_play, packed, say, start
from tests.games.tables import bad_setting, do, fact, result, table, zone


def playing(hand: str, trick: str = "", others: str = "", **facts: Any) -> Position[Any]:
    """Phase `play` with six players: seat 0 is in turn; seat 1 has bid 20 and hearts lie face down."""
    played = trick.split()
    given: dict[str, Any] = {"bid": 20, "bidder": 1, "placer": 1, "cards": 6, "leader": (6 - len(played)) % 6, **facts}
    if played:
        given.setdefault("led", played[0][1])
    others = others or " | ".join(f"hand.{seat}: 7S 8S" for seat in range(1, 6))
    return table("forty", f"hand.0: {hand} | trick: {trick} | {others}", phase="play", **given)


@pytest.mark.parametrize("players", [4, 6, 12])
def test_players(players: int) -> None:
    assert GAME.read_settings({"players": players}).players == players
    assert len(PACK) % players == 0


@pytest.mark.parametrize("players", [2, 3, 5, 8])
def test_other_numbers_of_players_are_refused(players: int) -> None:
    assert bad_setting("forty", players=players) == "players"


def test_the_pack_has_two_jacks_in_a_suit_and_40_points() -> None:
    assert (len(PACK), card_points(PACK)) == (36, 40)
    assert [card.text for card in PACK if card.rank == "J"] == ["JC", "JC", "JD", "JD", "JH", "JH", "JS", "JS"]


def test_thani_may_be_bid_at_any_time() -> None:
    position = start("forty")
    assert fact(say(position, "0 thani"), "out") == [2, 4]
    assert fact(say(position, "0 bid 20", "1 thani"), "out") == [3, 5]


@pytest.mark.parametrize(
    ("bid", "extra", "wins"),
    [(20, "none", 1), (29, "none", 1), (30, "none", 2), (39, "none", 2), (40, "none", 3), (34, "extra", 2),
     (35, "extra", 3), (39, "extra", 3), (40, "extra", 4)],
)  # fmt: skip
def test_pay(bid: int, extra: str, wins: int) -> None:
    for points, paid in ((bid, wins), (bid - 1, wins + 1)):
        over = playing(
            "QD", "AD 7D TD 8D KD", bidder=0, bid=bid, tricks=(1, 1, 1, 1, 1, 0), points=(points, 0, 0, 0, 0, 0),
            trump="S", settings={"senior_pay": extra, "max_hands": 1},
        )  # fmt: skip
        assert fact(do(over, "0 play QD"), "last_hand.paid") == paid


# Edge cases ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_edge_1_of_both_jacks_in_a_trick_the_first_is_higher() -> None:
    position = playing("JD 7C", "AD JD TD 7D 8D", trump="S")
    assert may_play(position) == "JD"
    assert fact(do(position, "0 play JD"), "last_winner") == 2


def test_edge_2_the_face_down_jack_and_the_other_are_equal() -> None:
    """Seat 0 asks, its jack comes back, and it is the second in the trick."""
    position = playing("7C 8C", "9H JH TH 7H 8H", others="trump_card: JH | hand.2: 7S", bidder=0, placer=0)
    after = do(position, "0 reveal", "0 play JH")
    assert fact(after, "last_winner") == 2
    first = playing("7C 8C", "9H TH AH 7H 8H", others="trump_card: JH | hand.0: 7C 8C", bidder=0, placer=0)
    assert fact(do(first, "0 reveal", "0 play JH"), "last_winner") == 0


def test_edge_3_the_other_jack_draws_only_the_queen() -> None:
    position = playing("JS QS AH", "JS QD QC 7S 8S", others="trump_card: 9S | hand.1: 7C", bidder=0, placer=0)
    assert may_play(position) == "JS QS"
    after = do(position, "0 play QS")
    assert (fact(after, "last_winner"), zone(after, "trump_card")) == (1, "9S")


@pytest.mark.parametrize(("tricks", "open_"), [((0,) * 12, True), ((1, *(0,) * 11), False)])
def test_edge_4_twelve_players_may_claim_only_before_the_first_card(tricks: tuple[int, ...], open_: bool) -> None:
    settings = {"players": 12, "kott_min_cards": 3}
    facts: dict[str, Any] = {"bid": 20, "bidder": 0, "placer": 0, "cards": 3, "tricks": tricks}
    position = table("forty", "hand.0: 7C 8D | trump_card: 8H", phase="play", settings=settings, **facts)
    assert may(position, "kott") == open_


def test_edge_5_places_with_six_players() -> None:
    over = playing("JD", "AD QD TD 7D 8D", trump="S", tricks=(1, 1, 1, 1, 1, 0), kooli=(10, 2))
    assert result(do(over, "0 play JD")) == ([1, 4, 1, 4, 1, 4], [1, 0, 1, 0, 1, 0])


def test_the_whole_hand_is_dealt_before_the_auction() -> None:
    position = start("forty", packed("forty", players=12), players=12)
    assert [len(position.zones[f"hand.{seat}"]) for seat in range(12)] == [3] * 12
    assert engine.legal(position, 0)[:2] == ["bid 20", "bid 21"]
