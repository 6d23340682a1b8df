"""Dhumbal, rule by rule: settings, the deal, throwing, picking, calling, the score, the end, and the edge cases."""

from typing import Any

import pytest

from chautari import engine
from chautari.cards import cards, pack, text
from chautari.engine import HandEnded, Moved, Position, Shuffled, Told
from chautari.games.dhumbal import GAME
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

LYING = "hand.0: 7H 8H 9H 7S KD | hand.1: AC 2C 4D 5D 6S | hand.2: 3C 9C JC QC KC | deck: 2D TH 3S | offer: 5H"


def throwing(lying: str = LYING, players: int = 3, turn: int = 0, **facts: Any) -> Position[Any]:
    """Phase `throw` of a hand."""
    settings: dict[str, object] = {"players": players, **facts.pop("settings", {})}
    return table("dhumbal", lying, phase="throw", turn=[turn], settings=settings, **facts)


def picking(lying: str, players: int = 3, turn: int = 0, **facts: Any) -> Position[Any]:
    """Phase `pick` of a hand."""
    settings: dict[str, object] = {"players": players, **facts.pop("settings", {})}
    return table("dhumbal", lying, phase="pick", turn=[turn], settings=settings, **facts)


def called(*hands: str, caller: int = 0, then: str = dealt(each=7), **facts: Any) -> Position[Any]:
    """A hand that this seat has called, and the next hand dealt where the match goes on."""
    lying = " | ".join([*(f"hand.{seat}: {held}" for seat, held in enumerate(hands)), "deck: 9S TS", "offer: 9C"])
    players = facts.pop("players", len(hands))
    start = throwing(lying, players=players, turn=caller, **facts)
    try:
        return do(start, f"{caller} call")
    except LookupError:
        return do(start, f"{caller} call", shuffles=[then])


# Settings ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "default", "allowed", "wrong"),
    [
        ("players", 4, (2, 6), (1, 7, "4", 4.0)),
        ("cards", 5, (5, 7), (6, "5")),
        ("jokers", 0, (0, 2), (1, 3, False)),
        ("court_values", "rank", ("rank", "ten"), ("13", 10)),
        ("ace", "low", ("low", "both"), ("high",)),
        ("call_limit", 5, (1, 15), (0, 16)),
        ("tie", "counter", ("counter", "caller"), (True,)),
        ("penalty", 25, (0, 100), (-1, 101)),
        ("penalty_adds_hand", True, (True, False), (1, "true")),
        ("beater_zero", False, (True, False), (0,)),
        ("pick_from", "ends", ("ends", "any"), ("all",)),
        ("pick_needs_combo", False, (True, False), (None,)),
        ("reshuffles", 3, (0, 10), (-1, 11)),
        ("mode", "knockout", ("knockout", "first"), ("last",)),
        ("target", 100, (0, 500), (-1, 501)),
        ("fifty", False, (True, False), (50,)),
        ("starter", "next", ("next", "winner"), ("dealer",)),
        ("hands", 50, (1, 100), (0, 101)),
    ],
)
def test_settings(name: str, default: object, allowed: tuple[object, ...], wrong: tuple[object, ...]) -> None:
    assert getattr(GAME.read_settings({}), name) == default
    for value in allowed:
        assert getattr(GAME.read_settings({name: value}), name) == value
    for value in wrong:
        assert bad_setting("dhumbal", **{name: value}) == name


def test_settings_come_in_the_order_of_the_page() -> None:
    assert [setting.name for setting in GAME.settings_declared] == [
        "players", "cards", "jokers", "court_values", "ace", "call_limit", "tie", "penalty", "penalty_adds_hand",
        "beater_zero", "pick_from", "pick_needs_combo", "reshuffles", "mode", "target", "fifty", "starter", "hands",
    ]  # fmt: skip


# Zones and facts ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_zones() -> None:
    assert zones_declared("dhumbal") == {
        "deck": ("none", True), "offer": ("all", True), "thrown": ("all", True), "pile": ("all", True),
        "hand": ("owner", False),
    }  # fmt: skip


def test_facts() -> None:
    assert public_facts("dhumbal") == ["dealer", "hand_no", "score", "out", "renewals", "offer_run", "last"]


def test_the_record_is_told_when_the_hand_ends() -> None:
    start = throwing("hand.0: AC 2C | hand.1: KD 2D XX | deck: 9S | offer: 9C", players=2, settings={"hands": 1})
    record = {
        "hand_no": 1, "caller": 0, "beaten": False, "winners": [0], "values": [3, 15], "change": [0, 15],
        "hands": ["AC 2C", "KD 2D XX"],
    }  # fmt: skip
    happened = events(start, "0 call", viewer=None)
    assert HandEnded(1, record) in happened
    assert {"score": [0, 15], "last": record} in [event.facts for event in happened if isinstance(event, Told)]


def test_when_the_match_is_over_the_hands_lie_open() -> None:
    over = called("AC 2C", "KD QD", settings={"hands": 1})
    assert (seen(over, None, "hand.1"), seen(over, 1, "hand.0"), seen(over, None, "deck")) == ("QD KD", "AC 2C", 2)


# The deal ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_deal_1_and_2_the_first_seat_after_the_dealer_gets_the_first_card() -> None:
    start = begin("dhumbal", dealt("AC 2C", "AD 2D", "AH 2H", players=3, each=5, then="9S TS"), players=3)
    assert (fact(start, "dealer"), fact(start, "hand_no")) == (2, 1)
    assert all(f"A{suit}" in zone(start, f"hand.{seat}") for seat, suit in enumerate("CDH"))
    assert [len(start.zones[f"hand.{seat}"]) for seat in range(3)] == [5, 5, 5]


def test_deal_3_the_next_card_is_on_offer_and_the_rest_is_the_deck() -> None:
    start = begin("dhumbal", dealt(players=3, each=5, then="9S TS"), players=3)
    assert (zone(start, "offer"), fact(start, "offer_run")) == ("9S", False)
    assert zone(start, "deck").startswith("TS")
    assert len(start.zones["deck"]) == 52 - 15 - 1


def test_deal_1_with_jokers_54_cards_are_shuffled() -> None:
    start = begin("dhumbal", text(pack(jokers=2)), players=2, jokers=2, cards=7)
    assert sum(map(len, start.zones.values())) == 54


def test_deal_4_the_seat_after_the_dealer_starts_in_phase_throw() -> None:
    start = begin("dhumbal", dealt(players=3, each=5), players=3)
    assert (start.turn, start.phase) == ((0,), "throw")


# Values, sets and runs ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("hand", "rank", "ten"), [("AC 2D 9H TS", 22, 22), ("JC QD KH", 36, 30), ("XX XX AC", 1, 1), ("", 0, 0)]
)
def test_values(hand: str, rank: int, ten: int) -> None:
    for courts, worth in (("rank", rank), ("ten", ten)):
        over = called("", hand, settings={"hands": 1, "jokers": 2, "court_values": courts, "tie": "caller"})
        assert fact(over, "last.values") == [0, worth]


@pytest.mark.parametrize(
    ("hand", "thrown", "laid"),
    [
        ("7H 2C", "7H", "7H"),
        ("XX 2C", "XX", "XX"),
        ("7H 7S 7D 2C", "7S 7H", "7S 7H"),
        ("7H 7S 7D 7C", "7S 7H 7C 7D", "7S 7H 7C 7D"),
        ("XX XX 2C", "XX XX", "XX XX"),
        ("5H 6H 7H", "7H 5H 6H", "5H 6H 7H"),
        ("AH 2H 3H", "3H 2H AH", "AH 2H 3H"),
        ("9H TH JH QH KH", "KH JH QH TH 9H", "9H TH JH QH KH"),
        ("9H TH JH QH KH", "KH JH QH", "JH QH KH"),
        ("5H XX 8H XX", "XX 8H XX 5H", "5H XX XX 8H"),
    ],
)
def test_what_may_be_thrown_and_how_it_lies(hand: str, thrown: str, laid: str) -> None:
    start = throwing(f"hand.0: {hand} | deck: 2D | offer: 5D", players=2, settings={"jokers": 2})
    after = do(start, f"0 throw {thrown}")
    assert (zone(after, "thrown"), after.phase, after.turn) == (laid, "pick", (0,))
    assert zone(after, "offer") == "5D"


@pytest.mark.parametrize(
    "thrown", ["7H 8S", "7H 8H", "7H 7S 8H", "7H 8H TH", "7H 8H 9S", "7H XX", "XX XX 7H", "7H 7S XX", "KH AH QH"]
)
def test_what_may_not_be_thrown(thrown: str) -> None:
    start = throwing("hand.0: 7H 7S 8H 8S 9S TH QH KH AH XX XX | deck: 2D | offer: 5D", players=2)
    assert refused(start, f"0 throw {thrown}") == "RULE_BROKEN"


# Phases and actions ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("1 throw AC", "NOT_YOUR_TURN"),
        ("0 pick deck", "UNKNOWN_ACTION"),
        ("0", "UNKNOWN_ACTION"),
        ("0 call 5", "MALFORMED_ACTION"),
        ("0 call", "RULE_BROKEN"),
        ("0 throw", "MALFORMED_ACTION"),
        ("0 throw 7h", "MALFORMED_ACTION"),
        ("0 throw 10H", "MALFORMED_ACTION"),
        ("0 throw 7H ??", "MALFORMED_ACTION"),
        ("0 throw 7H / 7S", "MALFORMED_ACTION"),
        ("0 throw 5H", "CARD_NOT_HELD"),
        ("0 throw XX", "CARD_NOT_HELD"),
        ("0 throw 7H 7H", "CARD_NOT_HELD"),
        ("0 throw 7H AS", "CARD_NOT_HELD"),
        ("0 throw 7H 8H", "RULE_BROKEN"),
    ],
)
def test_refusals_in_phase_throw(line: str, code: str) -> None:
    assert refused(throwing(), line) == code


PICKING = "hand.0: KD | thrown: 7H 8H 9H | hand.1: AC | hand.2: 3C | deck: 2D TH 3S | offer: 4S 5S 6S | pile: JH"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("1 pick deck", "NOT_YOUR_TURN"),
        ("0 throw KD", "UNKNOWN_ACTION"),
        ("0 call", "UNKNOWN_ACTION"),
        ("0 pick", "MALFORMED_ACTION"),
        ("0 pick pile", "MALFORMED_ACTION"),
        ("0 pick Deck", "MALFORMED_ACTION"),
        ("0 pick 4s", "MALFORMED_ACTION"),
        ("0 pick 4S 6S", "MALFORMED_ACTION"),
        ("0 pick 7H", "CARD_NOT_HELD"),
        ("0 pick JH", "CARD_NOT_HELD"),
        ("0 pick XX", "CARD_NOT_HELD"),
        ("0 pick 5S", "RULE_BROKEN"),
    ],
)
def test_refusals_in_phase_pick(line: str, code: str) -> None:
    assert refused(picking(PICKING, offer_run=True), line) == code


def test_a_card_picked_moves_the_zones_on() -> None:
    after = do(picking(PICKING, offer_run=True), "0 pick 6S")
    assert (zone(after, "hand.0"), zone(after, "pile"), zone(after, "offer")) == ("KD 6S", "JH 4S 5S", "7H 8H 9H")
    assert (zone(after, "thrown"), after.phase, after.turn, fact(after, "offer_run")) == ("", "throw", (1,), True)


def test_the_deck_is_drawn_from_its_front() -> None:
    after = do(picking(PICKING), "0 pick deck")
    assert (zone(after, "hand.0"), zone(after, "pile"), zone(after, "deck")) == ("2D KD", "JH 4S 5S 6S", "TH 3S")


def test_picking_from_any_place_of_a_run() -> None:
    after = do(picking(PICKING, offer_run=True, settings={"pick_from": "any"}), "0 pick 5S")
    assert zone(after, "pile") == "JH 4S 6S"


@pytest.mark.parametrize(("thrown", "open_"), [("7H", False), ("7H 7S", True), ("7H 8H 9H", True)])
def test_picking_needs_a_combination_where_that_is_agreed(thrown: str, open_: bool) -> None:
    lying = f"hand.0: KD | thrown: {thrown} | hand.1: AC | hand.2: 3C | deck: 2D TH | offer: 4S"
    start = picking(lying, settings={"pick_needs_combo": True})
    assert ("pick 4S" in engine.legal(start, 0)) == open_
    assert "pick deck" in engine.legal(start, 0)
    if not open_:
        assert refused(start, "0 pick 4S") == "RULE_BROKEN"


def test_options_in_phase_throw() -> None:
    start = throwing()
    (option,) = engine.options(start, 0)
    assert (option.verb, option.choices[0].low, option.choices[0].high) == ("throw", 1, 5)
    assert text(option.choices[0].cards) == "KD 7H 8H 9H 7S"
    low = throwing("hand.0: AC 4C | deck: 2D | offer: 5D", players=2)
    assert [option.verb for option in engine.options(low, 0)] == ["call", "throw"]


def test_options_in_phase_pick_are_the_deck_and_the_cards_that_may_be_taken() -> None:
    options = engine.options(picking(PICKING, offer_run=True), 0)
    assert [(option.choices[0].type, option.actions) for option in options] == [
        ("word", ("pick deck",)),
        ("card", ("pick 4S", "pick 6S")),
    ]


# Forced moves ─────────────────────────────────────────────────────────────────────────────────────────────────────────

LAST_CARD = "hand.0: KD | thrown: 7H | hand.1: AC | hand.2: 3C | deck: 2D | offer: 4S | pile: JH QH"


def test_an_empty_deck_is_renewed_of_the_pile_and_the_offer_stays() -> None:
    after = do(picking(LAST_CARD), "0 pick deck", shuffles=["4S JH QH"])
    assert (zone(after, "deck"), zone(after, "pile"), zone(after, "offer")) == ("4S JH QH", "", "7H")
    assert (fact(after, "renewals"), after.turn) == (1, (1,))


def test_nobody_sees_the_order_of_the_new_deck() -> None:
    for viewer in (0, 1, None):
        happened = events(picking(LAST_CARD), "0 pick deck", "4S JH QH", viewer=viewer)
        assert [event.viewers for event in happened if isinstance(event, Shuffled)] == [0]
        assert "4S JH QH" not in [text(event.cards) for event in happened if isinstance(event, Shuffled)]


def test_the_deck_is_not_renewed_more_often_than_agreed() -> None:
    over = do(picking(LAST_CARD, renewals=3, settings={"hands": 1}), "0 pick deck")
    assert (over.is_over, fact(over, "last.caller"), fact(over, "renewals")) == (True, None, 3)


# End of hand, scoring ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_caller_that_is_not_beaten_scores_nothing_and_the_others_their_hands() -> None:
    after = called("AC 2C", "KD QD", "5H")
    assert fact(after, "last.change") == fact(after, "score") == [0, 25, 5]
    assert (fact(after, "last.winners"), fact(after, "last.beaten"), fact(after, "last.caller")) == ([0], False, 0)


@pytest.mark.parametrize(
    ("settings", "change"),
    [
        ({}, [28, 2, 13]),
        ({"penalty_adds_hand": False}, [25, 2, 13]),
        ({"penalty": 30}, [33, 2, 13]),
        ({"penalty": 0, "penalty_adds_hand": False}, [0, 2, 13]),
        ({"beater_zero": True}, [28, 0, 13]),
        ({"beater_zero": True, "court_values": "ten"}, [28, 0, 10]),
    ],
)
def test_a_beaten_caller_pays(settings: dict[str, object], change: list[int]) -> None:
    after = called("3C", "2D", "KH", settings=settings)
    assert (fact(after, "last.change"), fact(after, "last.winners"), fact(after, "last.beaten")) == (change, [1], True)


def test_with_ties_to_the_caller_only_less_beats_it() -> None:
    assert fact(called("3C", "3D", settings={"tie": "caller"}), "last.winners") == [0]
    assert fact(called("3C", "2D", settings={"tie": "caller"}), "last.winners") == [1]
    assert fact(called("3C", "3D"), "last.winners") == [1]


def test_of_those_that_beat_the_caller_the_lowest_win() -> None:
    after = called("5C", "4D", "2H AS", "AD 2D", settings={"beater_zero": True})
    assert (fact(after, "last.winners"), fact(after, "last.change")) == ([2, 3], [30, 4, 0, 0])


def test_without_a_call_the_lowest_win_and_everybody_scores() -> None:
    over = do(picking(LAST_CARD, settings={"reshuffles": 0, "hands": 1, "beater_zero": True}), "0 pick deck")
    assert (fact(over, "last.values"), fact(over, "last.change")) == ([15, 1, 3], [15, 1, 3])
    assert (fact(over, "last.winners"), fact(over, "last.hands")) == ([1], ["KD 2D", "AC", "3C"])


@pytest.mark.parametrize(
    ("before", "hand", "total"),
    [(40, "TD", 0), (90, "TD", 50), (40, "9D", 49), (50, "XX", 50), (45, "5D", 0), (0, "TD KD QD JD 4D", 0)],
)
def test_fifty_off_where_a_hand_brings_a_total_to_a_multiple_of_fifty(before: int, hand: str, total: int) -> None:
    after = called("", hand, score=(3, before), settings={"fifty": True, "jokers": 2, "tie": "caller"},
                   then=text(pack(jokers=2)))  # fmt: skip
    assert fact(after, "score") == [3, total]
    assert fact(after, "last.change")[1] == fact(after, "last.values")[1]


def test_a_seat_that_reaches_the_target_is_out() -> None:
    after = called("AC", "KD", "5H", score=(90, 90, 90))
    assert (fact(after, "out"), fact(after, "score")) == ([False, True, False], [90, 103, 95])
    assert (zone(after, "hand.1"), after.turn, fact(after, "dealer")) == ("", (2,), 0)


def test_with_first_nobody_drops_out_and_the_match_ends() -> None:
    over = called("AC", "KD", "5H", score=(96, 87, 10), settings={"mode": "first"})
    assert (fact(over, "out"), result(over)) == ([False] * 3, ([2, 3, 1], [96, 100, 15]))


# Who deals and starts next ────────────────────────────────────────────────────────────────────────────────────────────


def test_the_next_seat_in_deals_and_the_seat_after_it_starts() -> None:
    after = called("AC", "KD", "5H", "6H", dealer=0, out=(False, True, False, False), score=(0, 100, 0, 0))
    assert (fact(after, "dealer"), after.turn) == (2, (3,))
    assert zone(after, "hand.1") == ""


@pytest.mark.parametrize(
    ("hands", "caller", "dealer", "starts"),
    [
        (("AC", "KD", "5H"), 0, 2, 0),
        (("4C", "3D", "3H"), 0, 2, 1),
        (("3C", "3D", "4H"), 2, 2, 0),
        (("3C", "4D", "3H"), 1, 2, 2),
    ],
)
def test_the_winner_starts_where_that_is_agreed(hands: tuple[str, ...], caller: int, dealer: int, starts: int) -> None:
    after = called(*hands, caller=caller, dealer=dealer, settings={"starter": "winner"})
    assert after.turn == (starts,)


def test_without_a_call_the_winner_met_first_from_the_dealer_on_starts() -> None:
    lying = "hand.0: KD | thrown: 7H | hand.1: 3D | hand.2: 3C | deck: 2D | offer: 4S"
    for dealer, starts in ((0, 1), (1, 1), (2, 2)):
        start = picking(lying, dealer=dealer, settings={"starter": "winner", "reshuffles": 0})
        assert do(start, "0 pick deck", shuffles=[dealt()]).turn == (starts,)


def test_a_winner_that_is_out_does_not_start() -> None:
    after = called("4C", "3D", "4H", score=(0, 99, 0), dealer=2, settings={"starter": "winner"})
    assert (fact(after, "last.winners"), fact(after, "out")[1], fact(after, "dealer"), after.turn) == (
        [1],
        True,
        0,
        (2,),
    )


# End of match ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_match_ends_after_its_hands() -> None:
    over = called("AC", "KD", "5H", score=(7, 1, 2), hand_no=50)
    assert result(over) == ([1, 3, 1], [7, 14, 7])


def test_in_a_knockout_the_last_one_in_has_won() -> None:
    over = called("AC", "KD", score=(99, 95))
    assert result(over) == ([1, 2], [99, 108])


def test_those_out_are_placed_by_the_hand_and_then_by_the_score() -> None:
    over = called(
        "AC", "KD", "", "QD", "", score=(50, 99, 130, 99, 120), out=(False, False, True, False, True),
        out_in=(0, 0, 3, 0, 5), hand_no=6,
    )  # fmt: skip
    assert result(over) == ([1, 3, 5, 2, 4], [50, 112, 130, 111, 120])


# Time-outs ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("hand", "thrown"), [("KD QS KS", "KS"), ("TH JC QC", "QC"), ("AS AH XX", "AS"), ("XX", "XX"), ("9C 9D", "9D")]
)
def test_a_time_out_throws_the_highest_card_and_never_calls(hand: str, thrown: str) -> None:
    lying = f"hand.0: {hand} | hand.1: 2C | deck: 2D | offer: 5D"
    start = throwing(lying, players=2, settings={"court_values": "ten", "jokers": 2, "call_limit": 15})
    assert zone(do(start, "0 times out"), "thrown") == thrown


def test_a_time_out_picks_from_the_deck() -> None:
    assert zone(do(picking(PICKING), "0 times out"), "hand.0") == "2D KD"


# Hidden information ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_only_its_owner_sees_a_hand() -> None:
    assert [seen(throwing(), viewer, "hand.0") for viewer in (0, 1, None)] == ["KD 7H 8H 9H 7S", 5, 5]


def test_a_card_from_the_offer_is_seen_by_all_and_one_from_the_deck_by_its_taker() -> None:
    start = picking(PICKING)
    for viewer, face in ((0, "2D"), (1, "??"), (None, "??")):
        taken = [text(event.cards) for event in events(start, "0 pick deck", viewer=viewer) if isinstance(event, Moved)]
        assert taken[0] == face
    for viewer in (0, 1, None):
        taken = [text(event.cards) for event in events(start, "0 pick 4S", viewer=viewer) if isinstance(event, Moved)]
        assert taken[0] == "4S"


# Edge cases ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_edge_1_a_call_with_exactly_the_limit_is_allowed() -> None:
    start = throwing("hand.0: AC 4C | hand.1: KD | deck: 2D | offer: 5D", players=2, settings={"hands": 1})
    assert "call" in engine.legal(start, 0)
    assert "call" not in engine.legal(throwing("hand.0: 2C 4C | deck: 2D | offer: 5D", players=2), 0)


def test_edge_1_a_seat_that_is_low_after_its_pick_waits_a_round() -> None:
    start = throwing("hand.0: KC AC | hand.1: KD | deck: 2D | offer: 2H", players=2)
    after = do(start, "0 throw KC", "0 pick 2H")
    assert (refused(after, "0 call"), zone(after, "hand.0")) == ("NOT_YOUR_TURN", "AC 2H")


def test_edge_2_equal_hands_beat_the_caller_even_at_one() -> None:
    after = called("AC", "AD")
    assert (fact(after, "last.beaten"), fact(after, "last.change")) == (True, [26, 1])


def test_edge_2_two_beaters_may_share_the_lowest_value() -> None:
    assert fact(called("3C", "3D", "3H"), "last.winners") == [1, 2]


def test_edge_3_a_king_alone_is_no_call() -> None:
    start = throwing("hand.0: KC | deck: 2D | offer: 2H", players=2, settings={"court_values": "ten"})
    assert refused(start, "0 call") == "RULE_BROKEN"


def test_edge_4_jokers_only_are_worth_nothing_and_may_be_beaten_by_nothing() -> None:
    assert fact(called("XX", "XX", settings={"jokers": 2, "hands": 1}), "last.change") == [25, 0]


def test_edge_5_the_first_offer_is_a_single_card_that_may_be_taken() -> None:
    start = begin("dhumbal", dealt("KC", players=2, each=5, then="9S"), players=2)
    assert "9S" in zone(do(start, "0 throw KC", "0 pick 9S"), "hand.0")


def test_edge_6_queen_king_ace_is_a_run_only_with_both_and_king_ace_two_never() -> None:
    lying = "hand.0: QS KS AS 2S | deck: 2D | offer: 2H"
    assert refused(throwing(lying, players=2), "0 throw QS KS AS") == "RULE_BROKEN"
    both = throwing(lying, players=2, settings={"ace": "both"})
    assert zone(do(both, "0 throw AS QS KS"), "thrown") == "QS KS AS"
    assert refused(both, "0 throw KS AS 2S") == "RULE_BROKEN"


@pytest.mark.parametrize(
    ("thrown", "offer", "ends"),
    [("5H XX 7H", "5H XX 7H", "5H 7H"), ("6H XX 5H", "5H 6H XX", "5H XX"), ("KH XX QH", "XX QH KH", "KH XX")],
)
def test_edge_7_where_a_joker_lies_in_a_run(thrown: str, offer: str, ends: str) -> None:
    lying = f"hand.0: {thrown} | hand.1: 9C | deck: 2D 3D | offer: 2H"
    after = do(throwing(lying, players=2), f"0 throw {thrown}", "0 pick deck", "1 throw 9C")
    assert (zone(after, "offer"), fact(after, "offer_run")) == (offer, True)
    assert engine.legal(after, 1) == ["pick deck", *(f"pick {card}" for card in sorted(cards(ends)))]


def test_edge_8_any_card_of_a_set_may_be_taken() -> None:
    lying = "hand.0: 7H 7S 7D | hand.1: 9C | deck: 2D 3D | offer: 2H"
    after = do(throwing(lying, players=2), "0 throw 7H 7S 7D", "0 pick deck", "1 throw 9C")
    assert fact(after, "offer_run") is False
    assert zone(do(after, "1 pick 7S"), "pile") == "2H 7H 7D"


def test_edge_9_a_throw_is_on_offer_to_the_next_seat_only() -> None:
    after = do(throwing(), "0 throw KD", "0 pick deck", "1 throw 6S", "1 pick deck", "2 throw KC")
    assert (zone(after, "offer"), zone(after, "pile")) == ("6S", "5H KD")
    assert refused(after, "2 pick KD") == "CARD_NOT_HELD"


def test_edge_10_two_consecutive_cards_are_no_run() -> None:
    assert refused(throwing(), "0 throw 7H 8H") == "RULE_BROKEN"


def test_edge_11_all_seats_may_go_out_in_one_hand_and_the_lowest_is_first() -> None:
    over = called("3C", "3D", "KH", score=(80, 99, 90))
    assert (fact(over, "out"), result(over)) == ([True] * 3, ([3, 1, 2], [108, 102, 103]))


def test_edge_12_fifty_off_saves_a_seat_at_the_target() -> None:
    after = called("AC", "TD", score=(3, 90), settings={"fifty": True})
    assert (fact(after, "score"), fact(after, "out")) == ([3, 50], [False, False])


def test_edge_13_seats_that_are_out_keep_their_total_and_are_passed_over() -> None:
    start = throwing(
        "hand.0: AC | hand.2: KC | hand.3: QC | deck: 2D 3D 4D | offer: 2H", players=4, dealer=3,
        out=(False, True, False, False), score=(0, 120, 0, 0),
    )  # fmt: skip
    assert do(start, "0 throw AC", "0 pick deck").turn == (2,)
    after = do(start, "0 call", shuffles=[dealt()])
    assert (fact(after, "score"), fact(after, "last.values")[1], fact(after, "last.hands")[1]) == (
        [0, 120, 13, 12],
        0,
        "",
    )
    assert (fact(after, "dealer"), after.turn, len(after.zones["deck"])) == (0, (2,), 52 - 16)


def test_edge_14_without_a_target_everybody_plays_all_hands() -> None:
    after = called("AC", "KD", score=(400, 900), settings={"target": 0})
    assert (fact(after, "out"), after.is_over) == ([False, False], False)
    assert called("AC", "KD", hand_no=9, settings={"target": 0, "hands": 9}).is_over
    assert not called("AC", "KD", score=(0, 900), settings={"target": 0, "mode": "first"}).is_over


def test_edge_15_a_hand_that_the_deck_ends_was_called_by_nobody() -> None:
    over = do(picking(LAST_CARD, settings={"reshuffles": 0, "hands": 1}), "0 pick deck")
    assert (fact(over, "last.caller"), fact(over, "last.beaten")) == (None, False)
