"""Jutpatti, rule by rule: settings, the deal, drawing, throwing, the test for pairs, the end, and the edge cases."""

from typing import Any

import pytest

from chautari import engine
from chautari.cards import cards, pack, text
from chautari.engine import HandEnded, Moved, Position, Shown, Shuffled
from chautari.games.jutpatti import GAME, all_paired, lay_out
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

FIVE = "hand.0: 2C 3D 4H 5S 6C | hand.1: 7C 8D 9H TS JC | hand.2: AC KD QH 7S 8C | deck: 2D 2H 2S | turned: 5H"


def drawing(lying: str = FIVE, players: int = 3, turn: int = 0, **facts: Any) -> Position[Any]:
    """Phase `draw` of a hand of five cards, sixes being jokers unless `joker` says otherwise."""
    settings: dict[str, object] = {"players": players, "cards": 5, **facts.pop("settings", {})}
    return table("jutpatti", lying, phase="draw", turn=[turn], settings=settings, **{"joker": "6", **facts})


def throwing(lying: str = FIVE, players: int = 3, turn: int = 0, **facts: Any) -> Position[Any]:
    """Phase `throw` of a hand of five cards: this seat has taken one."""
    settings: dict[str, object] = {"players": players, "cards": 5, **facts.pop("settings", {})}
    return table("jutpatti", lying, phase="throw", turn=[turn], settings=settings, **{"joker": "6", **facts})


# Settings ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "default", "allowed", "wrong"),
    [
        ("players", 4, (2, 6), (1, 7, "4", 4.0)),
        ("cards", 7, (5, 7, 9, 11), (3, 6, 13, "7")),
        ("target", 1, (1, 3, 5), (0, 2, True)),
        ("jokers", "rank", ("rank", "card", "none"), ("suit", None)),
        ("throw_back", False, (True, False), (1, "true")),
        ("deck_runs", 20, (0, 100), (-1, 101)),
    ],
)
def test_settings(name: str, default: object, allowed: tuple[object, ...], wrong: tuple[object, ...]) -> None:
    assert getattr(GAME.read_settings({}), name) == default
    for value in allowed:
        assert getattr(GAME.read_settings({name: value}), name) == value
    for value in wrong:
        assert bad_setting("jutpatti", **{name: value}) == name


@pytest.mark.parametrize(
    ("players", "wanted", "number"),
    [(4, 11, 11), (5, 11, 9), (6, 11, 7), (5, 9, 9), (6, 9, 7), (6, 7, 7), (6, 5, 5), (2, 5, 5), (3, 9, 9)],
)
def test_cards_dealt_where_the_pack_is_too_small(players: int, wanted: int, number: int) -> None:
    start = begin("jutpatti", dealt(), players=players, cards=wanted)
    assert fact(start, "cards") == number
    assert {len(start.zones[f"hand.{seat}"]) for seat in range(players)} == {number}


# Zones and facts ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_zones() -> None:
    assert zones_declared("jutpatti") == {
        "hand": ("owner", False), "deck": ("none", True), "pile": ("all", True), "turned": ("all", True)
    }  # fmt: skip


def test_facts() -> None:
    assert public_facts("jutpatti") == ["dealer", "hand_no", "cards", "joker", "taken", "runs", "score", "last_hand"]


# The deal ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_deal_1_the_last_seat_deals_first() -> None:
    start = begin("jutpatti", dealt(), players=5)
    assert (fact(start, "hand_no"), fact(start, "dealer")) == (1, 4)


def test_deal_2_the_pack_is_shuffled() -> None:
    script = engine.Script([cards(dealt())])
    shuffled = [e for e in engine.begin(GAME, GAME.read_settings({}), script).events if isinstance(e, Shuffled)]
    assert [sorted(event.cards) for event in shuffled] == [list(pack())]


def test_deal_3_cards_are_dealt_one_at_a_time_from_the_dealers_neighbour() -> None:
    held = ("2C 3C 4C 5C 7C 8C 9C", "2D 3D 4D 5D 7D 8D 9D", "2H 3H 4H 5H 7H 8H 9H", "2S 3S 4S 5S 7S 8S 9S")
    start = begin("jutpatti", dealt(*held))
    assert [zone(start, f"hand.{seat}") for seat in range(4)] == list(held)


def test_deal_3_and_from_the_neighbour_of_whoever_deals_later() -> None:
    """Seat 1 has won, deals, and seat 2 gets the first card."""
    start = drawing("hand.1: 2C 2D 3C 3D 4C | deck: 4D AC", turn=1, settings={"target": 3})
    after = do(start, "1 draw deck", shuffles=[dealt("KS", "KH", "KD", players=3)])
    assert (fact(after, "dealer"), after.turn) == (1, (2,))
    assert ["KS" in zone(after, "hand.2"), "KH" in zone(after, "hand.0"), "KD" in zone(after, "hand.1")] == [True] * 3


@pytest.mark.parametrize(("jokers", "turned"), [("rank", "5H"), ("card", "5H"), ("none", "")])
def test_deal_4_the_next_card_is_turned_up(jokers: str, turned: str) -> None:
    start = begin("jutpatti", dealt(each=7, then="5H KS"), jokers=jokers)
    assert zone(start, "turned") == turned


def test_deal_5_the_rest_is_the_deck() -> None:
    start = begin("jutpatti", dealt(each=7, then="5H KS QD"))
    assert (zone(start, "deck")[:5], len(start.zones["deck"]), zone(start, "pile")) == ("KS QD", 23, "")
    assert (start.phase, start.turn, fact(start, "runs"), fact(start, "taken")) == ("draw", (0,), 0, None)


@pytest.mark.parametrize(
    ("jokers", "turned", "joker"),
    [
        ("rank", "5H", "6"),
        ("rank", "KD", "A"),
        ("rank", "AS", "2"),
        ("rank", "9C", "T"),
        ("card", "5H", "6H"),
        ("card", "KD", "AD"),
        ("none", "5H", None),
    ],
)
def test_the_joker_is_one_rank_above_the_card_turned_up(jokers: str, turned: str, joker: str | None) -> None:
    assert fact(begin("jutpatti", dealt(each=7, then=turned), jokers=jokers), "joker") == joker


# Drawing ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_draw_deck_takes_its_first_card() -> None:
    after = do(drawing(FIVE.replace("2D 2H 2S", "KC 2H 2S")), "0 draw deck")
    assert (zone(after, "hand.0"), zone(after, "deck")) == ("2C 6C KC 3D 4H 5S", "2H 2S")
    assert (after.phase, after.turn, fact(after, "taken")) == ("throw", (0,), None)


def test_draw_pile_takes_its_last_card() -> None:
    after = do(drawing(FIVE + " | pile: KC QC"), "0 draw pile")
    assert (zone(after, "hand.0"), zone(after, "pile"), fact(after, "taken")) == ("2C 6C QC 3D 4H 5S", "KC", "QC")
    assert (after.phase, after.turn) == ("throw", (0,))


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("0 throw 2C", "UNKNOWN_ACTION"),
        ("0 take deck", "UNKNOWN_ACTION"),
        ("1 throw 7C", "UNKNOWN_ACTION"),
        ("1 draw deck", "NOT_YOUR_TURN"),
        ("1 draw", "NOT_YOUR_TURN"),
        ("0 draw", "MALFORMED_ACTION"),
        ("0 draw deck pile", "MALFORMED_ACTION"),
        ("0 draw turned", "MALFORMED_ACTION"),
        ("0 draw Deck", "MALFORMED_ACTION"),
        ("0 draw 2D", "MALFORMED_ACTION"),
        ("0 draw pile", "RULE_BROKEN"),
    ],
)
def test_draw_refusals(line: str, code: str) -> None:
    assert refused(drawing(), line) == code


def test_draw_options_are_the_deck_and_a_pile_that_is_not_empty() -> None:
    assert engine.legal(drawing(), 0) == ["draw deck"]
    assert engine.legal(drawing(FIVE + " | pile: KC"), 0) == ["draw deck", "draw pile"]
    assert engine.legal(drawing(), 1) == []


# Throwing ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

SIX = FIVE.replace("5S 6C", "5S 6C KC")


def test_throw_puts_the_card_on_the_pile_and_hands_the_turn_on() -> None:
    after = do(throwing(SIX + " | pile: QC"), "0 throw 3D")
    assert (zone(after, "hand.0"), zone(after, "pile")) == ("2C 6C KC 4H 5S", "QC 3D")
    assert (after.phase, after.turn, fact(after, "taken")) == ("draw", (1,), None)


def test_throw_forgets_the_card_taken() -> None:
    assert fact(do(throwing(SIX, taken="KC"), "0 throw 3D"), "taken") is None


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("0 draw deck", "UNKNOWN_ACTION"),
        ("1 draw deck", "UNKNOWN_ACTION"),
        ("1 throw 7C", "NOT_YOUR_TURN"),
        ("0 throw", "MALFORMED_ACTION"),
        ("0 throw 2C 3D", "MALFORMED_ACTION"),
        ("0 throw XX", "MALFORMED_ACTION"),
        ("0 throw 7h", "MALFORMED_ACTION"),
        ("0 throw 10H", "MALFORMED_ACTION"),
        ("0 throw ??", "MALFORMED_ACTION"),
        ("0 throw H7", "MALFORMED_ACTION"),
        ("0 throw 7C", "CARD_NOT_HELD"),
        ("0 throw 5H", "CARD_NOT_HELD"),
        ("0 throw KC", "RULE_BROKEN"),
    ],
)
def test_throw_refusals(line: str, code: str) -> None:
    assert refused(throwing(SIX, taken="KC"), line) == code


def test_throw_back_is_a_setting() -> None:
    start = throwing(SIX, taken="KC", settings={"throw_back": True})
    assert zone(do(start, "0 throw KC"), "pile") == "KC"


@pytest.mark.parametrize(("throw_back", "held"), [(False, "2C 6C 3D 4H 5S"), (True, "2C 6C KC 3D 4H 5S")])
def test_throw_options_are_the_hand_but_for_the_card_taken(throw_back: bool, held: str) -> None:
    start = throwing(SIX, taken="KC", settings={"throw_back": throw_back})
    assert engine.legal(start, 0) == [f"throw {card}" for card in held.split()]


# When every card is in a pair ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("hand", "joker", "paired"),
    [
        ("2C 2D 3C 3D 4C 4D", None, True),
        ("2C 2D 3C 3D 4C 5D", None, False),
        ("2C 2D 2H 2S 4C 4D", None, True),
        ("2C 2D 2H 4S 4C 4D", None, False),
        ("2C 2D 2H 4S 6C 6D", "6", True),
        ("2C 2D 2H 2S 6C 6D", "6", True),
        ("2C 3D 4H 5S 6C 6D", "6", False),
        ("2C 2D 6H 6S 6C 6D", "6", True),
        ("2C 6D 6H 6S 4C 4D", "6", True),
        ("2C 6H 4C 4D", "6H", True),
        ("2C 6D 4C 4D", "6H", False),
        ("6C 6D 6S 6H 4C 4D", "6H", True),
        ("AC KD QH JS AS AH AD TC", "A", True),
    ],
)
def test_a_hand_is_paired(hand: str, joker: str | None, paired: bool) -> None:
    assert all_paired(cards(hand), joker) is paired


@pytest.mark.parametrize(
    ("hand", "joker", "pairs"),
    [
        ("6S 6D KC KD KH 2C 2S 6H", "6", "2C 2S KC KD KH 6D 6H 6S"),
        ("2C 2D 3C 3D 4C 4D", None, "2C 2D 3C 3D 4C 4D"),
        ("KS 2H AC AD", "K", "AC AD 2H KS"),
        ("6C 7D 6H 9S 6S 6D", "6", "7D 6C 9S 6D 6H 6S"),
        ("4S 4H 4D 4C 6H 9C", "6H", "4C 4D 4H 4S 9C 6H"),
        ("9S 9D 9C 2H 6D 6C", "6", "9C 9D 2H 6C 9S 6D"),
    ],
)
def test_laying_out(hand: str, joker: str | None, pairs: str) -> None:
    assert lay_out(cards(hand), joker) == pairs


# End of hand and match ────────────────────────────────────────────────────────────────────────────────────────────────

WINNING = "hand.0: 2C 2D 3C 3D 4C | hand.1: 7C 8D 9H TS JC | hand.2: AC KD QH 7S 8C | deck: 4D 2H 2S | turned: 5H"


def test_end_the_seat_whose_cards_are_all_paired_wins_at_once() -> None:
    over = do(drawing(WINNING), "0 draw deck")
    assert (over.phase, over.turn, result(over)) == ("over", (), ([1, 2, 2], [1, 0, 0]))
    assert fact(over, "last_hand") == {"hand_no": 1, "winner": 0, "pairs": "2C 2D 3C 3D 4C 4D"}
    assert refused(over, "0 throw 2C") == "MATCH_OVER"


def test_end_the_record_is_last_hand() -> None:
    ended = next(event for event in events(drawing(WINNING), "0 draw deck") if isinstance(event, HandEnded))
    assert (ended.number, ended.record) == (1, {"hand_no": 1, "winner": 0, "pairs": "2C 2D 3C 3D 4C 4D"})


def test_end_taken_keeps_its_value_when_the_match_is_over() -> None:
    start = drawing(WINNING.replace("deck: 4D", "pile: 4D | deck: 5C"))
    assert fact(do(start, "0 draw pile"), "taken") == "4D"


def test_end_at_the_target_the_match_is_over() -> None:
    start = drawing(WINNING, settings={"target": 3}, score=(2, 2, 1))
    assert result(do(start, "0 draw deck")) == ([1, 2, 3], [3, 2, 1])


def test_end_below_the_target_the_winner_deals_the_next_hand_at_once() -> None:
    after = do(drawing(WINNING, settings={"target": 3}, score=(1, 2, 2)), "0 draw deck", shuffles=[dealt(players=3)])
    assert (after.phase, after.turn, fact(after, "score")) == ("draw", (1,), [2, 2, 2])
    assert (fact(after, "dealer"), fact(after, "hand_no"), fact(after, "taken"), zone(after, "pile")) == (
        0,
        2,
        None,
        "",
    )


def test_end_a_drawn_hand_scores_nothing_and_the_seat_after_its_dealer_deals() -> None:
    start = throwing(SIX.replace("deck: 2D 2H 2S | ", ""), runs=1, dealer=0, settings={"target": 3, "deck_runs": 1})
    after = do(start, "0 throw 3D", shuffles=[dealt(players=3)])
    assert (fact(after, "dealer"), after.turn, fact(after, "score"), fact(after, "runs")) == (1, (2,), [0, 0, 0], 0)
    assert fact(after, "last_hand") == {"hand_no": 1, "winner": None, "pairs": None}


def test_end_a_drawn_hand_does_not_end_a_match_to_one() -> None:
    start = throwing(SIX.replace("deck: 2D 2H 2S | ", ""), runs=1, settings={"deck_runs": 1})
    assert do(start, "0 throw 3D", shuffles=[dealt(players=3)]).phase == "draw"


def test_end_two_drawn_hands_in_a_row_end_the_match() -> None:
    drawn = SIX.replace("deck: 2D 2H 2S | ", "")
    start = throwing(drawn, runs=1, drawn_hands=1, score=(1, 2, 2), settings={"target": 3, "deck_runs": 1})
    assert result(do(start, "0 throw 3D")) == ([3, 1, 1], [1, 2, 2])
    start = throwing(drawn, runs=1, drawn_hands=1, settings={"target": 3, "deck_runs": 1})
    assert result(do(start, "0 throw 3D")) == ([1, 1, 1], [0, 0, 0])


def test_end_a_hand_that_is_won_breaks_the_row_of_drawn_hands() -> None:
    won = do(drawing(WINNING, drawn_hands=1, settings={"target": 3, "deck_runs": 1}), "0 draw deck",
             shuffles=[dealt(players=3)])  # fmt: skip
    drawn = throwing(SIX.replace("deck: 2D 2H 2S | ", ""), runs=1, settings={"target": 3, "deck_runs": 1},
                     drawn_hands=won.facts.drawn_hands)  # fmt: skip
    assert not do(drawn, "0 throw 3D", shuffles=[dealt(players=3)]).is_over


# Remaking the deck ────────────────────────────────────────────────────────────────────────────────────────────────────

EMPTY = SIX.replace("deck: 2D 2H 2S | ", "") + " | pile: QC QD 9C"


def test_remake_all_of_the_pile_but_the_last_card_becomes_the_deck() -> None:
    after = do(throwing(EMPTY), "0 throw 3D", shuffles=["QD 9C QC"])
    assert (zone(after, "deck"), zone(after, "pile"), fact(after, "runs")) == ("QD 9C QC", "3D", 1)
    assert (after.phase, after.turn) == ("draw", (1,))


def test_remake_does_not_happen_while_the_deck_has_cards() -> None:
    assert fact(do(throwing(SIX + " | pile: QC QD 9C"), "0 throw 3D"), "runs") == 0


@pytest.mark.parametrize(("limit", "runs", "drawn"), [(1, 0, False), (1, 1, True), (20, 19, False), (20, 20, True)])
def test_remake_so_often_and_then_the_hand_is_drawn(limit: int, runs: int, drawn: bool) -> None:
    start = throwing(EMPTY, runs=runs, settings={"deck_runs": limit})
    after = do(start, "0 throw 3D", shuffles=[dealt(players=3) if drawn else "QD 9C QC"])
    assert (fact(after, "hand_no"), fact(after, "runs")) == ((2, 0) if drawn else (1, runs + 1))


def test_remake_without_a_limit() -> None:
    start = throwing(EMPTY, runs=500, settings={"deck_runs": 0})
    assert fact(do(start, "0 throw 3D", shuffles=["QD 9C QC"]), "runs") == 501


# Time-outs ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_time_out_draws_from_the_deck() -> None:
    start = drawing(FIVE + " | pile: KC")
    assert do(start, "0 times out") == do(start, "0 draw deck")
    assert time_out(start, 1, engine.Script(())) is None


@pytest.mark.parametrize(
    ("hand", "taken", "action"),
    [
        ("2C 3D 4H 5S 6C KC", None, "throw KC"),
        ("2C AD 4H 6S 6C 4C", None, "throw 2C"),
        ("AC AD 4H 6S 6C 4C", None, "throw 4H"),
        ("6D 6H 4C 4H 6S 6C", None, "throw 4H"),
        ("KC KD KH 2S 6C 6D", None, "throw KH"),
        ("KC KD KH 2S 6C 6D", "KH", "throw KD"),
        ("KC KD 2H 2S 6C 9D", "9D", "throw KD"),
        ("2C 2D 6C 6D 6H 9D", "9D", "throw 2D"),
        ("6C 6D 6H 9D", "9D", "throw 6H"),
        ("TC 9D 2H 2S", "TC", "throw 9D"),
    ],
)
def test_time_out_throws_the_highest_single(hand: str, taken: str | None, action: str) -> None:
    """Then the highest card that is no joker, then a joker; of one rank the last suit."""
    start = throwing(f"hand.0: {hand} | hand.1: 7C | deck: 7D", players=2, taken=taken)
    assert engine.timeout_action(start, 0) == action


def test_time_out_may_throw_back_where_that_is_allowed() -> None:
    lying = "hand.0: TC 9D 2H 2S | hand.1: 7C | deck: 7D"
    start = throwing(lying, players=2, taken="TC", settings={"throw_back": True})
    assert engine.timeout_action(start, 0) == "throw TC"


# Hidden ───────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_hidden_a_card_drawn_from_the_deck_is_known_to_its_drawer_alone() -> None:
    for viewer, face in ((0, "2D"), (1, "??"), (2, "??"), (None, "??")):
        moved = next(event for event in events(drawing(), "0 draw deck", viewer=viewer) if isinstance(event, Moved))
        assert text(moved.cards) == face


def test_hidden_a_card_taken_from_the_pile_was_seen_and_is_unseen_in_the_hand() -> None:
    start = drawing(FIVE + " | pile: KC")
    moved = next(event for event in events(start, "0 draw pile", viewer=2) if isinstance(event, Moved))
    assert (text(moved.cards), moved.landing) == ("KC", engine.NOBODY)
    assert seen(do(start, "0 draw pile"), 2, "hand.0") == 6


def test_hidden_a_remade_deck_has_no_order_to_see() -> None:
    for viewer in (0, 1, 2, None):
        made = events(throwing(EMPTY), "0 throw 3D", "QD 9C QC", viewer=viewer)
        assert text(next(event for event in made if isinstance(event, Shuffled)).cards) == "?? ?? ??"


def test_hidden_a_throw_does_not_tell_its_place_in_the_hand() -> None:
    one = throwing(SIX)
    other = throwing(SIX.replace("2C 3D 4H 5S 6C KC", "KC 6C 5S 4H 3D 2C"))
    for viewer in (0, 1, None):
        assert events(one, "0 throw 3D", viewer=viewer) == events(other, "0 throw 3D", viewer=viewer)


def test_hidden_only_the_winners_hand_is_shown_when_the_match_is_over() -> None:
    over = do(drawing(WINNING), "0 draw deck")
    assert (seen(over, 1, "hand.0"), seen(over, None, "hand.0")) == ("2C 3C 4C 2D 3D 4D", "2C 3C 4C 2D 3D 4D")
    assert [seen(over, viewer, "hand.2") for viewer in (0, 1, None)] == [5, 5, 5]
    shown = [event.zone for event in events(drawing(WINNING), "0 draw deck", viewer=1) if isinstance(event, Shown)]
    assert shown == ["hand.0"]


def test_hidden_no_hand_is_shown_after_a_drawn_hand() -> None:
    start = throwing(SIX.replace("deck: 2D 2H 2S | ", ""), runs=1, drawn_hands=1, settings={"deck_runs": 1})
    over = do(start, "0 throw 3D")
    assert [seen(over, None, f"hand.{seat}") for seat in range(3)] == [5, 5, 5]


def test_hidden_no_hand_is_shown_when_seats_leave_in_the_middle_of_one() -> None:
    """Seat 1 won the hand before; what it holds now is nobody's business."""
    going_on = do(drawing(WINNING, settings={"target": 3}), "0 draw deck", shuffles=[dealt(players=3)])
    left, made = engine.leave(going_on, 1, 2)
    assert left.is_over
    assert [seen(left, None, f"hand.{seat}") for seat in range(3)] == [5, 5, 5]
    assert not [event for event in made if isinstance(event, Shown)]


def test_hidden_between_two_hands_nothing_is_shown() -> None:
    made = events(drawing(WINNING, settings={"target": 3}), "0 draw deck", dealt(players=3))
    assert not [event for event in made if isinstance(event, Shown)]


# Edge cases ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_edge_1_the_first_turn_can_only_draw_from_the_deck() -> None:
    start = begin("jutpatti", dealt())
    assert engine.legal(start, 0) == ["draw deck"]
    assert refused(start, "0 draw pile") == "RULE_BROKEN"


def test_edge_2_after_the_last_card_of_the_deck_the_throw_stays_on_the_pile() -> None:
    start = drawing(FIVE.replace("2D 2H 2S", "KS") + " | pile: QC QD")
    after = do(start, "0 draw deck", "0 throw 3D", shuffles=["QD QC"])
    assert (zone(after, "deck"), zone(after, "pile")) == ("QD QC", "3D")
    assert engine.legal(after, 1) == ["draw deck", "draw pile"]


def test_edge_3_the_last_card_of_the_deck_may_win() -> None:
    over = do(drawing(WINNING.replace("4D 2H 2S", "4D")), "0 draw deck")
    assert (over.phase, fact(over, "runs")) == ("over", 0)


@pytest.mark.parametrize(("players", "wanted"), [(2, 11), (3, 11), (4, 11), (5, 9), (6, 7)])
def test_edge_4_at_least_six_cards_are_left_for_the_deck(players: int, wanted: int) -> None:
    assert len(begin("jutpatti", dealt(), players=players, cards=wanted).zones["deck"]) >= 6


def test_edge_5_another_card_of_the_rank_taken_may_go() -> None:
    start = throwing(SIX.replace("2C 3D", "KD 3D"), taken="KC")
    assert zone(do(start, "0 throw KD"), "pile") == "KD"


def test_edge_6_a_card_drawn_from_the_deck_may_be_thrown_at_once() -> None:
    assert zone(do(drawing(), "0 draw deck", "0 throw 2D"), "pile") == "2D"


def test_edge_7_a_joker_may_be_thrown_and_taken() -> None:
    after = do(throwing(SIX), "0 throw 6C", "1 draw pile")
    assert (fact(after, "taken"), "6C" in zone(after, "hand.1")) == ("6C", True)


def test_edge_7_a_joker_taken_is_a_joker() -> None:
    start = drawing("hand.0: 2C 2D 3C 3D 4C | hand.1: 7C | pile: 6C | deck: KS", players=2)
    assert do(start, "0 draw pile").is_over


def test_edge_8_the_card_turned_up_never_comes_back() -> None:
    after = do(throwing(EMPTY), "0 throw 3D", shuffles=["QD 9C QC"])
    assert zone(after, "turned") == "5H"
    assert not all_paired(cards("5C 9D"), "6")
    assert all_paired(cards("5C 5D"), "6")


def test_edge_9_with_card_the_others_of_the_rank_are_ordinary() -> None:
    assert all_paired(cards("6C 6D 6H 9C"), "6H")
    assert not all_paired(cards("6C 9C 6D TC"), "6H")


def test_edge_10_as_many_jokers_as_ranks() -> None:
    assert all_paired(cards("6C 6D 6H 6S 2C 3C 4C 5C"), "6")
    assert not all_paired(cards("6C 6D 6H 2C 3C 4C 5C 7C"), "6")


def test_edge_11_a_pair_stays_in_the_hand_and_may_be_thrown() -> None:
    start = throwing("hand.0: 2C 2D 3C 4D 9C TD | hand.1: 7C | deck: KS", players=2)
    assert zone(do(start, "0 throw 2C"), "hand.0") == "3C 9C 2D 4D TD"


def test_edge_12_drawing_from_the_pile_can_win() -> None:
    start = drawing(WINNING.replace("deck: 4D", "pile: 4D | deck: 5C"))
    assert fact(do(start, "0 draw pile"), "last_hand.winner") == 0


def test_edge_13_six_players_with_nine_are_dealt_seven_and_tested_for_eight() -> None:
    start = begin("jutpatti", dealt("2C 2D 3C 3D 4C 4D 5S", players=6, then="8H 5D"), players=6, cards=9)
    over = do(start, "0 draw deck")
    assert fact(over, "last_hand") == {"hand_no": 1, "winner": 0, "pairs": "2C 2D 3C 3D 4C 4D 5D 5S"}


def test_edge_14_with_two_seats_the_turn_goes_to_and_fro() -> None:
    start = throwing("hand.0: 2C 3D | hand.1: 7C 8D | deck: KS KD", players=2, settings={"cards": 5})
    after = do(start, "0 throw 3D", "1 draw pile", "1 throw 7C")
    assert after.turn == (0,)
