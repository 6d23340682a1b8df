"""Call Break, rule by rule: settings, the deal, calling, what may be played, the score, and the numbered edge cases."""

from typing import Any

import msgspec
import pytest

from chautari import engine
from chautari.cards import cards, pack, text
from chautari.engine import Dealt, HandBegan, HandEnded, Moved, Position, Shuffled
from chautari.errors import Refusal
from chautari.games.call_break import GAME, points
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


def calling(turn: int = 0, **facts: Any) -> Position[Any]:
    """Phase `call`, all hands dealt."""
    lying = " | ".join(f"hand.{seat}: {text(pack()[seat::4])}" for seat in range(4))
    return table("call_break", lying, phase="call", turn=[turn], settings=facts.pop("settings", None), **facts)


def playing(hand: str, trick: str = "", **facts: Any) -> Position[Any]:
    """The middle of a trick: the last of its seats is 3, and seat 0 is in turn with this hand, or it leads."""
    played = cards(trick)
    settings: dict[str, object] = facts.pop("settings", {})
    given: dict[str, Any] = {"led": played[0].suit, "leader": 4 - len(played)} if played else {}
    others = "hand.1: 2C 3C | hand.2: 4C 5C | hand.3: 6C 7C"
    return table(
        "call_break", f"hand.0: {hand} | {others} | trick: {trick}", phase="play", settings=settings,
        **{"calls": (3, 3, 3, 3), **given, **facts},
    )  # fmt: skip


def may_play(position: Position[Any]) -> str:
    """The cards that seat 0 may play."""
    return " ".join(action.split()[1] for action in engine.legal(position, 0))


# Settings, zones, facts ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "default", "allowed", "wrong"),
    [
        ("players", 4, (4,), (3, 5, "4")),
        ("rounds", 5, (1, 20), (0, 21)),
        ("must_beat", "all", ("all", "trump", "off"), ("none", True)),
        ("min_call", 1, (1, 2), (0, 3)),
        ("max_call", 8, (8, 13), (7, 14)),
        ("min_total", 0, (0, 8, 9, 10, 11, 12), (1, 7, 13)),
        ("redeal", "off", ("off", "no_spade", "no_spade_or_court"), ("on", False)),
        ("break_spades", False, (True, False), (0, "false")),
        ("overtricks", "tenth", ("tenth", "none"), (None, 10)),
        ("over_limit", 0, (0, 1, 2), (3, -1, False)),
        ("bonus_call", False, (True, False), (1, None)),
    ],
)
def test_settings(name: str, default: object, allowed: tuple[object, ...], wrong: tuple[object, ...]) -> None:
    assert getattr(GAME.read_settings({}), name) == default
    for value in allowed:
        assert getattr(GAME.read_settings({name: value}), name) == value
    for value in wrong:
        assert bad_setting("call_break", **{name: value}) == name


def test_zones() -> None:
    assert zones_declared("call_break") == {
        "hand": ("owner", False), "trick": ("all", True), "taken": ("none", True),
    }  # fmt: skip


def test_facts() -> None:
    assert public_facts("call_break") == [
        "dealer", "hand_no", "leader", "led", "trump", "calls", "tricks", "spades_broken", "redeals", "last_trick",
        "last_winner", "last_points", "score",
    ]  # fmt: skip


def test_the_facts_at_the_start() -> None:
    start = begin("call_break", text(pack()))
    facts = {name: fact(start, name) for name in public_facts("call_break")}
    assert facts == {
        "dealer": 3, "hand_no": 1, "leader": 0, "led": None, "trump": "S", "calls": [None] * 4, "tricks": [0] * 4,
        "spades_broken": False, "redeals": 0, "last_trick": [], "last_winner": None, "last_points": None,
        "score": [0] * 4,
    }  # fmt: skip


# The deal ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_deal_2_thirteen_cards_one_at_a_time_from_the_dealers_neighbour() -> None:
    start = begin("call_break", text(pack()))
    assert zone(start, "hand.0") == text(sorted(pack()[0::4]))
    assert zone(start, "hand.3") == text(sorted(pack()[3::4]))
    assert (start.phase, start.turn) == ("call", (0,))


def test_deal_2_the_second_hand_begins_with_seat_1() -> None:
    end = playing("2S", "AH 3H 4H", settings={"rounds": 2}, leader=1, dealer=3, redeals=2)
    emptied = table_without_others(end)
    after = do(emptied, "0 play 2S", shuffles=[text(pack())])
    assert (fact(after, "dealer"), after.turn, fact(after, "leader")) == (0, (1,), 1)
    assert zone(after, "hand.1") == text(sorted(pack()[0::4]))
    assert (fact(after, "hand_no"), fact(after, "tricks"), fact(after, "calls")) == (2, [0] * 4, [None] * 4)
    assert fact(after, "redeals") == 0
    assert (fact(after, "spades_broken"), fact(after, "last_trick"), fact(after, "last_winner")) == (False, [], None)


def table_without_others(position: Position[Any]) -> Position[Any]:
    """The last card of the hand: the other three have none left."""
    zones = {**position.zones, "hand.1": (), "hand.2": (), "hand.3": ()}
    return msgspec.structs.replace(position, zones=zones)


NO_SPADE = dealt("AC KC QC JC TC 9C 8C 7C 6C 5C 4C 3C 2C")
NO_COURT = dealt("2S 3S 4S 5S 6S 7S 2H 3H 4H 2D 3D 4D 5D", "AS", "AH KS", "AD QS")
GOOD = dealt("AS", "KS", "QS", "JS")


def test_deal_3_a_hand_without_a_spade_is_thrown_in() -> None:
    start = begin("call_break", NO_SPADE, NO_SPADE, GOOD, redeal="no_spade")
    assert (fact(start, "redeals"), fact(start, "hand_no"), fact(start, "dealer")) == (2, 1, 3)
    assert "AS" in zone(start, "hand.0")


def test_deal_3_a_hand_without_court_cards_counts_only_where_set() -> None:
    assert fact(begin("call_break", NO_COURT, redeal="no_spade"), "redeals") == 0
    assert fact(begin("call_break", NO_COURT, GOOD, redeal="no_spade_or_court"), "redeals") == 1
    assert fact(begin("call_break", NO_SPADE, GOOD, redeal="no_spade_or_court"), "redeals") == 1
    assert fact(begin("call_break", NO_SPADE), "redeals") == 0


def test_deal_3_nobody_is_shown_the_cards_thrown_in() -> None:
    script = engine.Script(map(cards, (NO_SPADE, GOOD)))
    made = engine.begin(GAME, GAME.read_settings({"redeal": "no_spade"}), script).events
    assert sum(isinstance(event, Dealt) for event in made) == 1
    for viewer in (0, 1, None):
        thrown_in = next(event for event in engine.redact(made, viewer) if isinstance(event, Shuffled))
        assert {card.text for card in thrown_in.cards} == {"??"}


# Calling ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ("call 0", "RULE_BROKEN"),
        ("call 9", "RULE_BROKEN"),
        ("call 999999999", "RULE_BROKEN"),
        ("call 01", "MALFORMED_ACTION"),
        ("call +1", "MALFORMED_ACTION"),
        ("call", "MALFORMED_ACTION"),
        ("call 1 2", "MALFORMED_ACTION"),
        ("call three", "MALFORMED_ACTION"),
        ("call 1234567890", "MALFORMED_ACTION"),
        ("play 2C", "UNKNOWN_ACTION"),
        ("pass", "UNKNOWN_ACTION"),
    ],
)
def test_call_refusals(action: str, code: str) -> None:
    assert refused(calling(), f"0 {action}") == code
    assert refused(calling(), f"1 {action}") == (code if code == "UNKNOWN_ACTION" else "NOT_YOUR_TURN")


def test_call_goes_round_and_the_dealers_neighbour_leads() -> None:
    after = do(calling(), "0 call 1", "1 call 1", "2 call 8")
    assert (fact(after, "calls"), after.turn, after.phase) == ([1, 1, 8, None], (3,), "call")
    after = do(after, "3 call 2")
    assert (after.phase, after.turn, fact(after, "leader")) == ("play", (0,), 0)


def test_call_the_range_is_a_setting() -> None:
    position = calling(settings={"min_call": 2, "max_call": 13})
    assert engine.legal(position, 0) == [f"call {number}" for number in range(2, 14)]
    assert (refused(position, "0 call 1"), refused(position, "0 call 14")) == ("RULE_BROKEN", "RULE_BROKEN")


def test_call_too_small_a_sum_deals_again() -> None:
    position = calling(3, calls=(1, 2, 3, None), settings={"min_total": 10})
    assert do(position, "3 call 4").phase == "play"
    made = events(position, "3 call 3", GOOD)
    assert [event for event in made if isinstance(event, HandBegan)] == [HandBegan(1)]
    after = do(position, "3 call 3", shuffles=[GOOD])
    assert (after.phase, after.turn, fact(after, "calls"), fact(after, "redeals")) == ("call", (0,), [None] * 4, 1)


# What may be played ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("hand", "trick", "settings", "may"),
    [
        ("2C 3H 4S", "", {}, "2C 3H 4S"),
        ("2C 3H 4S", "", {"break_spades": True}, "2C 3H"),
        # with the suit led
        ("2H JH KH 4S", "TH QH", {}, "KH"),
        ("2H JH KH 4S", "TH AH", {}, "2H JH KH"),
        ("2H JH KH 4S", "TH 2S", {}, "2H JH KH"),
        ("2H JH KH 4S", "TH QC", {}, "JH KH"),
        ("2H JH KH 4S", "TH QH", {"must_beat": "trump"}, "2H JH KH"),
        ("2H JH KH 4S", "TH QH", {"must_beat": "off"}, "2H JH KH"),
        # without it
        ("2C 3S 9S", "TH QH", {}, "3S 9S"),
        ("2C 3S 9S", "TH 5S", {}, "9S"),
        ("2C 3S 9S", "TH TS", {}, "2C 3S 9S"),
        ("2C 3S 9S", "TH 5S", {"must_beat": "trump"}, "9S"),
        ("2C 3S 9S", "TH 5S", {"must_beat": "off"}, "2C 3S 9S"),
        ("2C 3D", "TH QH", {}, "2C 3D"),
        ("2C 3D", "TS QS", {}, "2C 3D"),
    ],
)
def test_what_may_be_played(hand: str, trick: str, settings: dict[str, object], may: str) -> None:
    position = playing(hand, trick, settings=settings)
    assert may_play(position) == may
    for card in hand.split():
        if card in may:
            do(position, f"0 play {card}", shuffles=[])
        else:
            assert refused(position, f"0 play {card}") == "RULE_BROKEN"


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ("play", "MALFORMED_ACTION"),
        ("play 2C 3H", "MALFORMED_ACTION"),
        ("play XX", "MALFORMED_ACTION"),
        ("play ??", "MALFORMED_ACTION"),
        ("play 9D", "CARD_NOT_HELD"),
        ("call 3", "UNKNOWN_ACTION"),
    ],
)
def test_play_refusals(action: str, code: str) -> None:
    assert refused(playing("2C 3H"), f"0 {action}") == code


@pytest.mark.parametrize(
    ("hand", "trick", "card", "rule"),
    [
        ("2C 4S", "", "4S", "SPADES_UNBROKEN"),
        ("2C 2H KH", "TH", "2C", "FOLLOW_SUIT"),
        ("2C 2H KH", "TH", "2H", "GO_HIGHER"),
        ("2C 2S", "TH", "2C", "TRUMP_HIGHER"),
    ],
)
def test_a_refusal_names_its_rule(hand: str, trick: str, card: str, rule: str) -> None:
    with pytest.raises(Refusal) as caught:
        do(playing(hand, trick, settings={"break_spades": True}), f"0 play {card}")
    assert caught.value.rule == rule


def test_the_trick_goes_to_its_winner_who_leads() -> None:
    after = do(playing("3S 9D", "AH 2H KH"), "0 play 3S")
    assert (zone(after, "taken.0"), zone(after, "trick"), after.turn) == ("AH 2H KH 3S", "", (0,))
    assert (fact(after, "tricks"), fact(after, "led"), fact(after, "leader")) == ([1, 0, 0, 0], None, 0)
    assert (fact(after, "last_trick"), fact(after, "last_winner")) == (["AH", "2H", "KH", "3S"], 0)
    assert (seen(after, 0, "taken.0"), seen(after, None, "taken.0")) == (4, 4)


def test_a_card_played_is_seen_by_all() -> None:
    made = [event for event in events(playing("3S 9D"), "0 play 9D") if isinstance(event, Moved)]
    assert [event.viewers for event in made] == [engine.ALL]


# The score ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("settings", "called", "won", "tenths"),
    [
        ({}, 3, 2, -30),
        ({}, 3, 3, 30),
        ({}, 3, 6, 33),
        ({"overtricks": "none"}, 3, 6, 30),
        ({"over_limit": 1}, 3, 4, 31),
        ({"over_limit": 1}, 3, 5, -30),
        ({"over_limit": 2}, 3, 5, 32),
        ({"over_limit": 2}, 3, 6, -30),
        ({"bonus_call": True}, 7, 8, 71),
        ({"bonus_call": True}, 8, 8, 130),
        ({"bonus_call": True}, 8, 13, 130),
        ({"bonus_call": True}, 8, 7, -80),
        ({"bonus_call": True, "max_call": 13}, 13, 13, 130),
        ({}, 8, 8, 80),
    ],
)
def test_score(settings: dict[str, object], called: int, won: int, tenths: int) -> None:
    assert points(GAME.read_settings(settings), called, won) == tenths


def ending(**facts: Any) -> Position[Any]:
    """Seat 0 plays the last card of the hand, and wins the trick."""
    return table_without_others(playing("AS", "2H 3H 4H", **facts))


def test_the_record_of_a_hand_and_its_points() -> None:
    last = ending(settings={"rounds": 1}, calls=(1, 4, 2, 3), tricks=(2, 4, 3, 3), score=(5, 0, -10, 0))
    record = next(event for event in events(last, "0 play AS") if isinstance(event, HandEnded)).record
    assert record == {"hand_no": 1, "calls": [1, 4, 2, 3], "tricks": [3, 4, 3, 3], "points": [12, 40, 21, 30]}
    after = do(last, "0 play AS")
    assert (fact(after, "last_points"), fact(after, "score")) == ([12, 40, 21, 30], [17, 40, 11, 30])
    assert (after.phase, after.turn, result(after)) == ("over", (), ([3, 1, 4, 2], [17, 40, 11, 30]))
    assert refused(after, "0 play AS") == "MATCH_OVER"


def test_the_match_goes_on_until_the_last_round() -> None:
    after = do(ending(settings={"rounds": 2}), "0 play AS", shuffles=[text(pack())])
    assert (after.phase, fact(after, "hand_no"), fact(after, "last_points")) == ("call", 2, [-30, -30, -30, -30])


# Time-outs ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_time_out_calls_the_lowest_number() -> None:
    assert fact(do(calling(), "0 times out"), "calls")[0] == 1
    assert fact(do(calling(settings={"min_call": 2}), "0 times out"), "calls")[0] == 2


@pytest.mark.parametrize(
    ("hand", "trick", "played"),
    [("AC 2S 9H 9D", "", "9D"), ("3S 2S", "", "2S"), ("2H JH KH", "TH", "JH"), ("AC 3S", "TH", "3S")],
)
def test_time_out_plays_the_lowest_card_allowed(hand: str, trick: str, played: str) -> None:
    after = do(playing(hand, trick), "0 times out")
    assert zone(after, "trick").split()[-1] == played


# Edge cases ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_edge_1_spades_led_must_be_beaten() -> None:
    assert may_play(playing("3S QS 2H", "TS JS")) == "QS"
    assert may_play(playing("3S 4S 2H", "TS JS")) == "3S 4S"


def test_edge_2_ruffed_by_an_earlier_seat_i_need_not_beat() -> None:
    assert may_play(playing("3H AH 2S", "TH 2S")) == "AH 3H"


def test_edge_3_without_a_higher_spade_anything_may_be_thrown() -> None:
    assert may_play(playing("3S 4C", "TH 5S")) == "4C 3S"


def test_edge_4_ruffed_twice() -> None:
    """The second spade is higher, or its player had no higher one; the highest wins."""
    assert may_play(playing("7S AS 4C", "TH 5S 6S")) == "AS 7S"
    assert fact(do(playing("2S 4C", "TH 5S 3S"), "0 play 2S"), "last_winner") == 2


def test_edge_5_with_trump_any_spade_follows_spades() -> None:
    assert may_play(playing("3S QS 2H", "TS JS", settings={"must_beat": "trump"})) == "3S QS"


def test_edge_6_only_spades_left_may_be_led_and_a_spade_thrown_breaks_them() -> None:
    position = playing("3S QS", settings={"break_spades": True})
    assert may_play(position) == "3S QS"
    assert fact(do(position, "0 play 3S"), "spades_broken")
    broken = do(playing("3S QS 9D", "TH 2H", settings={"break_spades": True}), "0 play 3S")
    assert fact(broken, "spades_broken")
    assert may_play(playing("3S 9D", spades_broken=True, settings={"break_spades": True})) == "9D 3S"


def test_edge_7_exactly_the_call_scores_the_call() -> None:
    assert points(GAME.read_settings({}), 5, 5) == 50


def test_edge_8_the_bonus_does_not_save_from_the_limit() -> None:
    assert points(GAME.read_settings({"bonus_call": True, "over_limit": 1}), 8, 10) == -80
    assert points(GAME.read_settings({"bonus_call": True, "over_limit": 1}), 8, 9) == 130


def test_edge_9_thirteen_called_and_won_has_no_special_rule() -> None:
    assert points(GAME.read_settings({"max_call": 13}), 13, 13) == 130
    assert points(GAME.read_settings({"max_call": 13}), 12, 13) == 121


@pytest.mark.parametrize("calls", ["1 1 1 1", "8 8 8 8", "3 3 3 4"])
def test_edge_10_calls_may_add_up_to_anything(calls: str) -> None:
    after = do(calling(), *(f"{seat} call {number}" for seat, number in enumerate(calls.split())))
    assert after.phase == "play"


def test_edge_11_a_hand_dealt_again_keeps_its_number_and_dealer() -> None:
    start = begin("call_break", GOOD, min_total=12)
    after = do(start, "0 call 1", "1 call 1", "2 call 1", "3 call 1", shuffles=[NO_SPADE])
    assert (fact(after, "hand_no"), fact(after, "dealer"), fact(after, "calls")) == (1, 3, [None] * 4)
    again = do(after, "0 call 1", "1 call 1", "2 call 1", "3 call 1", shuffles=[GOOD])
    assert (fact(again, "redeals"), again.turn) == (2, (0,))


def test_edge_12_ties_share_a_place() -> None:
    last = ending(settings={"rounds": 1}, calls=(1, 1, 1, 4), tricks=(0, 1, 1, 10))
    assert result(do(last, "0 play AS")) == ([2, 2, 2, 1], [10, 10, 10, 46])
