"""Bluff, rule by rule: settings, the deal, laying, passing, the window, its closing, and the numbered edge cases."""

from typing import Any

import pytest

from chautari import engine
from chautari.cards import cards, text
from chautari.engine import Dealt, HandEnded, Moved, Position, Said, Shuffled, Told
from chautari.games.bluff import GAME
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

FOUR = "hand.0: 7H 8S KD | hand.1: 7S 9H | hand.2: AC 2D 3C | hand.3: QS 5C"


def playing(lying: str = FOUR, players: int = 4, turn: int = 0, **facts: Any) -> Position[Any]:
    """Phase `play`: this seat is in turn, and leads unless a `rank` is said."""
    settings: dict[str, object] = {"players": players, **facts.pop("settings", {})}
    return table("bluff", lying, phase="play", turn=[turn], settings=settings, **facts)


def asked(lying: str, players: int = 4, turn: tuple[int, ...] = (1, 2, 3), **facts: Any) -> Position[Any]:
    """Phase `answer`: seat 0 has laid what lies in `laid.0`."""
    settings: dict[str, object] = {"players": players, **facts.pop("settings", {})}
    laid = next(part for part in lying.split("|") if part.strip().startswith("laid.0"))
    given = {"rank": "7", "laid_by": 0, "count": len(laid.split()) - 1, "lays": 1, **facts}
    return table("bluff", lying, phase="answer", turn=turn, settings=settings, **given)


# Settings ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "default", "allowed", "wrong"),
    [
        ("players", 4, (2, 6), (1, 7, "4", True)),
        ("packs", 1, (1, 2), (0, 3)),
        ("jokers", 0, (0, 4), (-1, 5, False)),
        ("form", "stay", ("stay", "up"), ("down", None)),
        ("max_cards", 4, (1, 8), (0, 9)),
        ("challengers", "all", ("all", "next"), ("none",)),
        ("window", "sealed", ("sealed", "first"), ("open",)),
        ("play_on", False, (False, True), (0, 1, "true")),
        ("lay_limit", 300, (50, 1000), (49, 1001)),
    ],
)
def test_settings(name: str, default: object, allowed: tuple[object, ...], wrong: tuple[object, ...]) -> None:
    assert getattr(GAME.read_settings({}), name) == default
    for value in allowed:
        assert getattr(GAME.read_settings({name: value}), name) == value
    for value in wrong:
        assert bad_setting("bluff", **{name: value}) == name


# Zones and facts ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_zones() -> None:
    assert zones_declared("bluff") == {
        "hand": ("owner", False), "laid": ("owner", True), "pile": ("none", True), "dead": ("none", True)
    }  # fmt: skip


def test_facts() -> None:
    assert public_facts("bluff") == [
        "dealer", "rank", "laid_by", "count", "passes", "lays", "answered", "challenger", "challenged", "honest",
        "revealed", "out", "score",
    ]  # fmt: skip


def test_facts_before_the_first_lay() -> None:
    start = begin("bluff", dealt())
    told = {name: fact(start, name) for name in public_facts("bluff")}
    assert told == {
        "dealer": 3, "rank": None, "laid_by": None, "count": 0, "passes": 0, "lays": 0, "answered": [],
        "challenger": None, "challenged": None, "honest": None, "revealed": [], "out": [], "score": [13, 13, 13, 13],
    }  # fmt: skip


# The deal ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_deal_1_the_last_seat_is_the_dealer() -> None:
    assert fact(begin("bluff", dealt(), players=6), "dealer") == 5


def test_deal_2_all_cards_are_dealt_one_at_a_time() -> None:
    script = engine.Script([cards(dealt("KS QS", "2C", "AH", players=5))])
    made = engine.begin(GAME, GAME.read_settings({"players": 5}), script).events
    dealing = next(event for event in made if isinstance(event, Dealt))
    assert [len(hand) for hand in dealing.hands] == [11, 11, 10, 10, 10]
    assert dealing.hands[0][:2] == bytes(cards("KS QS"))
    assert [hand[0] for hand in dealing.hands[1:3]] == list(cards("2C AH"))


@pytest.mark.parametrize(
    ("settings", "count"), [({}, 52), ({"packs": 2}, 104), ({"jokers": 4}, 56), ({"packs": 2, "jokers": 3}, 107)]
)
def test_deal_2_there_is_one_shuffle(settings: dict[str, int], count: int) -> None:
    outcome = dealt(packs=settings.get("packs", 1), jokers=settings.get("jokers", 0))
    assert sum(fact(begin("bluff", outcome, **settings), "score")) == count


@pytest.mark.parametrize(("form", "rank"), [("stay", None), ("up", "A")])
def test_deal_3_seat_0_is_in_turn(form: str, rank: str | None) -> None:
    start = begin("bluff", dealt(), form=form)
    assert (start.phase, start.turn, fact(start, "rank")) == ("play", (0,), rank)


# Laying ───────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_lay_puts_the_cards_down_in_the_order_named() -> None:
    after = do(playing(), "0 lay 7 KD 7H")
    assert (zone(after, "laid.0"), zone(after, "hand.0")) == ("KD 7H", "8S")


def test_lay_sets_rank_count_and_lays() -> None:
    after = do(playing(laid_by=2, passes=1, lays=5, count=3), "0 lay 7 7H KD")
    assert [fact(after, name) for name in ("rank", "laid_by", "count", "passes", "lays")] == ["7", 0, 2, 0, 6]
    assert (after.phase, fact(after, "score")) == ("answer", [1, 2, 3, 2])


def test_lay_clears_the_last_challenge() -> None:
    after = do(playing(challenger=1, challenged=2, honest=True, revealed=("7H",)), "0 lay 7 7H")
    assert [fact(after, name) for name in ("challenger", "challenged", "honest", "revealed")] == [None, None, None, []]


def test_lay_may_be_a_lie() -> None:
    assert do(playing(), "0 lay A KD").phase == "answer"


def test_lay_says_the_rank_that_stands() -> None:
    standing = playing(rank="9", laid_by=3)
    assert refused(standing, "0 lay 7 7H") == "RULE_BROKEN"
    assert do(standing, "0 lay 9 7H").phase == "answer"


@pytest.mark.parametrize(("most", "allowed"), [(2, False), (3, True)])
def test_lay_at_most_max_cards(most: int, allowed: bool) -> None:
    start = playing(settings={"max_cards": most})
    if allowed:
        assert do(start, "0 lay 7 7H 8S KD").phase == "answer"
    else:
        assert refused(start, "0 lay 7 7H 8S KD") == "RULE_BROKEN"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("0 lay", "MALFORMED_ACTION"),
        ("0 lay 7", "MALFORMED_ACTION"),
        ("0 lay 7H", "MALFORMED_ACTION"),
        ("0 lay 10 7H", "MALFORMED_ACTION"),
        ("0 lay X 7H", "MALFORMED_ACTION"),
        ("0 lay 7 7h", "MALFORMED_ACTION"),
        ("0 lay 7 ??", "MALFORMED_ACTION"),
        ("0 lay 7 7H QQ", "MALFORMED_ACTION"),
        ("0 lay 7 AS QQ", "MALFORMED_ACTION"),
        ("0 lay 7 7H 7H", "CARD_NOT_HELD"),
        ("0 lay 7 XX", "CARD_NOT_HELD"),
        ("0 lay 7 7S", "CARD_NOT_HELD"),
        ("0 challenge", "UNKNOWN_ACTION"),
        ("0 accept", "UNKNOWN_ACTION"),
        ("0 play 7H", "UNKNOWN_ACTION"),
        ("1 lay 7 7S", "NOT_YOUR_TURN"),
        ("1 lay", "NOT_YOUR_TURN"),
    ],
)
def test_lay_refusals(line: str, code: str) -> None:
    assert refused(playing(), line) == code


def test_lay_refuses_a_card_not_held_before_a_rank_or_a_number_not_allowed() -> None:
    standing = playing(rank="9", laid_by=3, settings={"max_cards": 1})
    assert refused(standing, "0 lay 7 7S") == "CARD_NOT_HELD"
    assert refused(standing, "0 lay 9 7H 8S 7S") == "CARD_NOT_HELD"


def test_lay_asks_every_other_seat_in_play() -> None:
    assert do(playing(), "0 lay 7 7H").turn == (1, 2, 3)
    assert do(playing(out=(2,), settings={"play_on": True}), "0 lay 7 7H").turn == (1, 3)


def test_lay_asks_only_the_next_seat_in_play() -> None:
    assert do(playing(settings={"challengers": "next"}), "0 lay 7 7H").turn == (1,)
    assert do(playing(out=(1,), settings={"challengers": "next", "play_on": True}), "0 lay 7 7H").turn == (2,)


# Passing ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_pass_hands_the_turn_on() -> None:
    after = do(playing(rank="9", laid_by=3, passes=0, count=1), "0 pass")
    assert (after.turn, fact(after, "passes"), fact(after, "rank")) == ((1,), 1, "9")


def test_pass_by_all_others_ends_the_round() -> None:
    """The pile is set aside behind what is dead already, and the seat of the last lay leads."""
    start = playing(FOUR + " | pile: 4C 4D | dead: XX", rank="9", laid_by=1, passes=2, settings={"jokers": 1})
    after = do(start, "0 pass")
    assert (zone(after, "pile"), zone(after, "dead"), after.turn) == ("", "XX 4C 4D", (1,))
    assert (fact(after, "rank"), fact(after, "passes"), fact(after, "laid_by")) == (None, 0, 1)


def test_pass_is_for_this_turn_only() -> None:
    after = do(
        playing(rank="9", laid_by=3), "0 pass", "1 lay 9 7S", "2 accept", "3 accept", "0 accept", "2 pass", "3 pass"
    )
    assert do(after, "0 lay 9 7H").phase == "answer"


def test_pass_is_refused_to_the_leader() -> None:
    assert refused(playing(), "0 pass") == "RULE_BROKEN"


def test_pass_is_refused_where_the_rank_goes_up() -> None:
    assert refused(playing(rank="9", settings={"form": "up"}), "0 pass") == "RULE_BROKEN"


@pytest.mark.parametrize(("line", "code"), [("0 pass 7H", "MALFORMED_ACTION"), ("1 pass", "NOT_YOUR_TURN")])
def test_pass_refusals(line: str, code: str) -> None:
    assert refused(playing(rank="9", laid_by=3), line) == code


# Answering ────────────────────────────────────────────────────────────────────────────────────────────────────────────

LAID = FOUR.replace("7H 8S KD", "8S KD") + " | laid.0: 7H | pile: 4C 4D"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("1 lay 7 7S", "UNKNOWN_ACTION"),
        ("1 pass", "UNKNOWN_ACTION"),
        ("0 lay 7 8S", "UNKNOWN_ACTION"),
        ("0 challenge", "NOT_YOUR_TURN"),
        ("0 accept", "NOT_YOUR_TURN"),
        ("1 challenge 0", "MALFORMED_ACTION"),
        ("1 accept 7H", "MALFORMED_ACTION"),
    ],
)
def test_answer_refusals(line: str, code: str) -> None:
    assert refused(asked(LAID), line) == code


def test_answer_cannot_be_changed() -> None:
    after = do(asked(LAID), "2 accept")
    assert refused(after, "2 challenge") == "NOT_YOUR_TURN"
    assert refused(after, "2 accept") == "NOT_YOUR_TURN"


def test_answer_only_seats_asked_may() -> None:
    start = asked(LAID, turn=(1,), settings={"challengers": "next"})
    assert refused(start, "2 challenge") == "NOT_YOUR_TURN"


def test_answered_tells_who_has_in_rising_order() -> None:
    after = do(asked(LAID), "3 challenge", "1 accept")
    assert (fact(after, "answered"), after.turn, after.phase) == ([1, 3], (2,), "answer")
    closed = do(after, "2 accept")
    assert fact(closed, "answered") == []


# The window ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_sealed_the_first_challenger_after_the_layer_counts() -> None:
    closed = do(asked(LAID), "3 challenge", "2 challenge", "1 accept")
    assert (fact(closed, "challenger"), fact(closed, "challenged")) == (2, 0)


def test_sealed_answers_are_not_heard() -> None:
    for answer in ("challenge", "accept"):
        assert Said(2, f"{answer}", "") in events(asked(LAID), f"2 {answer}")


def test_sealed_both_answers_look_the_same_to_all_others() -> None:
    for viewer in (0, 1, 3, None):
        one, other = (events(asked(LAID), f"2 {answer}", viewer=viewer) for answer in ("challenge", "accept"))
        assert one == other


def test_sealed_challenges_that_do_not_count_are_not_shown() -> None:
    """Nor does the record of the match count them."""
    start = asked(LAID, turn=(1, 2, 3), lays=50, settings={"lay_limit": 50})
    ended = next(
        event for event in events(do(start, "3 challenge", "1 challenge"), "2 accept") if isinstance(event, HandEnded)
    )
    assert ended.record["challenges"] == [0, 1, 0, 0]


def test_first_a_challenge_closes_the_window_at_once() -> None:
    start = asked(LAID, settings={"window": "first"})
    closed = do(start, "2 accept", "3 challenge")
    assert (closed.phase, fact(closed, "challenger"), fact(closed, "answered")) == ("play", 3, [])


def test_first_the_later_challenge_gets_what_fits_the_phase() -> None:
    closed = do(asked(LAID, settings={"window": "first"}), "3 challenge")
    assert refused(closed, "1 challenge") == "UNKNOWN_ACTION"


def test_first_without_a_challenge_it_closes_with_the_last_accept() -> None:
    start = do(asked(LAID, settings={"window": "first"}), "2 accept", "3 accept")
    assert start.phase == "answer"
    assert do(start, "1 accept").phase == "play"


def test_first_answers_are_heard() -> None:
    assert Said(2, "accept", "accept") in events(asked(LAID, settings={"window": "first"}), "2 accept")


def test_next_only_one_seat_answers() -> None:
    closed = do(asked(LAID, turn=(1,), settings={"challengers": "next"}), "1 challenge")
    assert (closed.phase, fact(closed, "challenger")) == ("play", 1)


# Closing ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

ALL_ACCEPT = ("1 accept", "2 accept", "3 accept")


def test_closing_1_the_laid_cards_go_to_the_end_of_the_pile() -> None:
    closed = do(asked(LAID), *ALL_ACCEPT)
    assert (zone(closed, "pile"), zone(closed, "laid.0")) == ("4C 4D 7H", "")


def test_closing_2_a_true_lay_gives_the_pile_to_the_challenger() -> None:
    closed = do(asked(LAID), "1 challenge", "2 accept", "3 accept")
    assert (zone(closed, "hand.1"), zone(closed, "pile")) == ("4C 4D 7H 9H 7S", "")
    assert [fact(closed, name) for name in ("challenger", "challenged", "honest", "revealed")] == [1, 0, True, ["7H"]]
    assert fact(closed, "score") == [2, 5, 3, 2]


def test_closing_2_a_lie_gives_the_pile_to_the_layer() -> None:
    closed = do(asked(LAID, rank="8"), "1 challenge", "2 accept", "3 accept")
    assert (zone(closed, "hand.0"), fact(closed, "honest")) == ("4C 4D KD 7H 8S", False)


def test_closing_2_the_cards_are_shown_in_the_order_named() -> None:
    start = asked("hand.0: 8S | hand.1: 9H | laid.0: KD 7H AC", players=2, turn=(1,))
    assert fact(do(start, "1 challenge"), "revealed") == ["KD", "7H", "AC"]


def test_closing_2_nothing_is_shown_without_a_challenge() -> None:
    closed = do(asked(LAID), *ALL_ACCEPT)
    assert [fact(closed, name) for name in ("challenger", "challenged", "honest", "revealed")] == [None, None, None, []]


def test_closing_3_a_layer_without_cards_is_out() -> None:
    start = asked(LAID.replace("hand.0: 8S KD | ", ""), out=(), settings={"play_on": True})
    assert fact(do(start, *ALL_ACCEPT), "out") == [0]


@pytest.mark.parametrize(("answer", "leader"), [("accept", 1), ("challenge", 1)])
@pytest.mark.parametrize(("said", "following"), [("7", "8"), ("9", "T"), ("K", "A")])
def test_closing_4_up_the_next_rank_and_the_next_seat(answer: str, leader: int, said: str, following: str) -> None:
    start = asked(LAID, rank=said, settings={"form": "up"})
    closed = do(start, f"2 {answer}", "1 accept", "3 accept")
    assert (fact(closed, "rank"), closed.turn) == (following, (leader,))


def test_closing_4_stay_unchallenged_the_rank_stays() -> None:
    closed = do(asked(LAID), *ALL_ACCEPT)
    assert (fact(closed, "rank"), closed.turn, closed.phase) == ("7", (1,), "play")


@pytest.mark.parametrize(("rank", "leader"), [("7", 0), ("8", 2)])
def test_closing_4_stay_the_winner_of_a_challenge_leads_a_new_round(rank: str, leader: int) -> None:
    closed = do(asked(LAID, rank=rank), "2 challenge", "1 accept", "3 accept")
    assert (fact(closed, "rank"), closed.turn) == (None, (leader,))


def test_closing_4_stay_a_winner_that_is_out_is_followed_by_the_next_seat() -> None:
    start = asked(LAID.replace("hand.0: 8S KD | ", ""), settings={"play_on": True})
    closed = do(start, "2 challenge", "1 accept", "3 accept")
    assert (fact(closed, "out"), closed.turn, fact(closed, "rank")) == ([0], (1,), None)


def test_closing_5_the_match_ends_when_a_seat_is_out() -> None:
    over = do(asked(LAID.replace("hand.0: 8S KD | ", "")), *ALL_ACCEPT)
    assert (over.phase, over.turn, fact(over, "rank"), zone(over, "pile")) == ("over", (), "7", "4C 4D 7H")
    assert refused(over, "1 accept") == "MATCH_OVER"


def test_closing_5_the_others_play_on_until_one_has_cards() -> None:
    lying = "hand.1: 9H 7S | hand.3: 2C | laid.0: 7H"
    start = asked(lying, turn=(1, 3), out=(2,), settings={"play_on": True})
    going_on = do(start, "1 accept", "3 accept")
    assert (going_on.phase, fact(going_on, "out")) == ("play", [2, 0])
    last = do(going_on, "1 lay 7 9H", "3 accept", "3 lay 7 2C", "1 accept")
    assert (last.phase, fact(last, "out")) == ("over", [2, 0, 3])
    assert result(last) == ([2, 4, 1, 3], [0, 1, 0, 0])


@pytest.mark.parametrize(("lays", "over"), [(49, False), (50, True)])
def test_closing_5_the_match_ends_at_the_lay_limit(lays: int, over: bool) -> None:
    closed = do(asked(LAID, lays=lays, settings={"lay_limit": 50}), *ALL_ACCEPT)
    assert closed.is_over == over


# End ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_end_those_out_are_placed_first_then_by_cards_held() -> None:
    start = asked(LAID, lays=50, settings={"lay_limit": 50})
    assert result(do(start, *ALL_ACCEPT)) == ([1, 1, 4, 1], [2, 2, 3, 2])
    start = asked("hand.0: 8S KD | hand.2: 9C | hand.3: QS 5C | laid.0: 7H", turn=(2, 3), lays=50, out=(1,),
                  settings={"lay_limit": 50, "play_on": True})  # fmt: skip
    assert result(do(start, "2 accept", "3 accept")) == ([3, 1, 2, 3], [2, 0, 1, 2])


def test_end_the_record_counts_lays_and_challenges() -> None:
    start = asked(LAID.replace("hand.0: 8S KD | ", ""), lays_of=(2, 1, 0, 1), challenges_of=(0, 0, 1, 0))
    before = do(start, "1 challenge", "2 accept")
    ended = next(event for event in events(before, "3 accept") if isinstance(event, HandEnded))
    assert ended.record == {"out": [0], "cards": [0, 5, 3, 2], "lays": [2, 1, 0, 1], "challenges": [0, 1, 1, 0]}


def test_end_hands_stay_hidden() -> None:
    over = do(asked(LAID.replace("hand.0: 8S KD | ", "")), *ALL_ACCEPT)
    assert [seen(over, 0, name) for name in ("hand.1", "pile", "dead")] == [2, 3, ""]


# Time-outs ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_time_out_a_leader_lays_its_first_card_and_says_its_rank() -> None:
    assert engine.timeout_action(playing("hand.0: 2S KD AH QD | hand.1: 5C"), 0) == "lay Q QD"


def test_time_out_a_leader_with_jokers_only_says_ace() -> None:
    assert engine.timeout_action(playing("hand.0: XX XX | hand.1: 5C", settings={"jokers": 2}), 0) == "lay A XX"


def test_time_out_in_a_round_passes() -> None:
    assert engine.timeout_action(playing(rank="9", laid_by=3), 0) == "pass"


@pytest.mark.parametrize(
    ("hand", "action"),
    [("KC 9S 9D", "lay 9 9D"), ("XX KC AH", "lay 9 XX"), ("XX 9S", "lay 9 9S"), ("KC 2D AH", "lay 9 KC")],
)
def test_time_out_up_lays_the_first_true_card_else_the_first(hand: str, action: str) -> None:
    start = playing(f"hand.0: {hand} | hand.1: 5C", rank="9", settings={"form": "up", "jokers": 1})
    assert engine.timeout_action(start, 0) == action


def test_time_out_accepts() -> None:
    assert engine.timeout_action(asked(LAID), 2) == "accept"
    assert engine.timeout_action(asked(LAID), 0) is None
    assert do(asked(LAID), "1 times out", "2 times out", "3 times out") == do(asked(LAID), *ALL_ACCEPT)


# Options ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_options_of_a_leader_are_any_rank_and_no_pass() -> None:
    (lay,) = engine.options(playing(), 0)
    rank, held = lay.choices
    assert (lay.verb, rank.values) == ("lay", tuple("A23456789TJQK"))
    assert (held.cards, held.low, held.high) == (cards("KD 7H 8S"), 1, 3)


def test_options_in_a_round_are_the_rank_that_stands_or_a_pass() -> None:
    lay, passing = engine.options(playing(rank="9", laid_by=3, settings={"max_cards": 2}), 0)
    assert (lay.choices[0].values, lay.choices[1].high, passing.verb) == (("9",), 2, "pass")


def test_options_up_are_without_a_pass() -> None:
    assert [option.verb for option in engine.options(playing(rank="9", settings={"form": "up"}), 0)] == ["lay"]


def test_options_in_the_window_are_the_two_words() -> None:
    assert engine.legal(asked(LAID), 2) == ["challenge", "accept"]
    assert engine.legal(asked(LAID), 0) == []


# Hidden ───────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_hidden_others_hear_the_rank_and_the_number() -> None:
    made = events(playing(), "0 lay 9 7H KD", viewer=2)
    assert made[0] == Said(0, "lay 9 ?? ??", "lay 9 ?? ??")
    assert text(next(event.cards for event in made if isinstance(event, Moved))) == "?? ??"


def test_hidden_the_layer_sees_what_it_laid_only_while_others_are_asked() -> None:
    start = do(playing(), "0 lay 9 7H KD")
    assert (seen(start, 0, "laid.0"), seen(start, 1, "laid.0")) == ("7H KD", 2)
    closed = do(start, *ALL_ACCEPT)
    assert (seen(closed, 0, "pile"), seen(closed, 1, "pile")) == (2, 2)


def test_hidden_only_the_taker_sees_the_rest_of_the_pile() -> None:
    before = do(asked(LAID), "1 challenge", "2 accept")
    for viewer, taken in ((1, "4C 4D 7H"), (0, "?? ?? ??"), (3, "?? ?? ??"), (None, "?? ?? ??")):
        moved = [event for event in events(before, "3 accept", viewer=viewer) if isinstance(event, Moved)]
        assert text(moved[-1].cards) == taken


def test_hidden_a_seat_is_not_told_again_what_it_laid() -> None:
    """It sees its cards as they leave `laid`, where it saw them, and not in the pile."""
    closing = events(do(asked(LAID), "1 accept", "2 accept"), "3 accept", viewer=0)
    assert next(event for event in closing if isinstance(event, Moved)).landing == engine.NOBODY


def test_hidden_cards_taken_have_no_mark_of_where_they_came_from() -> None:
    """Whoever takes the pile is not told its order, which would tell who laid what."""
    one, other = (asked(LAID.replace("4C 4D", pile)) for pile in ("4C 4D", "4D 4C"))
    before, twin = (do(start, "1 challenge", "2 accept") for start in (one, other))
    assert events(before, "3 accept", viewer=1) == events(twin, "3 accept", viewer=1)


def test_hidden_dead_cards_are_seen_by_nobody() -> None:
    start = playing(FOUR + " | pile: 4C 4D", rank="9", laid_by=1, passes=2)
    for viewer in (0, 1, 2, 3, None):
        moved = next(event for event in events(start, "0 pass", viewer=viewer) if isinstance(event, Moved))
        assert text(moved.cards) == "?? ??"


def test_hidden_who_doubts_is_a_secret_of_the_rules() -> None:
    made = events(asked(LAID), "2 challenge", viewer=2)
    assert [event.facts for event in made if isinstance(event, Told)] == [{"answered": [2]}]
    assert "doubting" not in engine.view(do(asked(LAID), "2 challenge"), 2).facts


def test_hidden_there_is_no_second_shuffle() -> None:
    closing = events(do(asked(LAID), "1 challenge", "2 accept"), "3 accept")
    assert not [event for event in closing if isinstance(event, Shuffled)]


# Edge cases ───────────────────────────────────────────────────────────────────────────────────────────────────────────

LAST = "hand.1: 7S 9H | hand.2: AC | laid.0: 7H | pile: 4C"


def test_edge_1_last_cards_undoubted_put_the_layer_out() -> None:
    assert fact(do(asked(LAST, players=3, turn=(1, 2)), "1 accept", "2 accept"), "out") == [0]


def test_edge_1_last_cards_doubted_and_true_put_the_layer_out() -> None:
    over = do(asked(LAST, players=3, turn=(1, 2)), "1 challenge", "2 accept")
    assert (fact(over, "out"), zone(over, "hand.1")) == ([0], "4C 7H 9H 7S")


def test_edge_1_last_cards_doubted_and_false_come_back() -> None:
    going_on = do(asked(LAST, players=3, turn=(1, 2), rank="8"), "1 challenge", "2 accept")
    assert (fact(going_on, "out"), zone(going_on, "hand.0"), going_on.phase) == ([], "4C 7H", "play")


def test_edge_2_a_layer_with_an_empty_hand_is_in_play_while_asked() -> None:
    start = do(playing("hand.0: 7H | hand.1: 7S 9H | hand.2: AC", players=3), "0 lay 7 7H")
    assert (fact(start, "out"), fact(start, "score")) == ([], [0, 2, 1])
    assert fact(do(start, "1 accept"), "out") == []


def test_edge_3_with_two_players_a_single_pass_ends_the_round() -> None:
    after = do(playing("hand.0: 7H | hand.1: 7S | pile: 4C", players=2, rank="9", laid_by=1), "0 pass")
    assert (fact(after, "rank"), after.turn, zone(after, "dead")) == (None, (1,), "4C")


def test_edge_4_the_round_goes_on_after_a_seat_went_out() -> None:
    """It ends when all in play have passed; then the next seat after the one that is out leads."""
    lying = LAST.replace("laid.0: 7H", "hand.3: KS | laid.0: 7H")
    start = do(asked(lying, settings={"play_on": True}), *ALL_ACCEPT)
    assert (fact(start, "rank"), start.turn) == ("7", (1,))
    two = do(start, "1 pass", "2 pass")
    assert (fact(two, "rank"), two.turn) == ("7", (3,))
    after = do(two, "3 pass")
    assert (fact(after, "rank"), after.turn, zone(after, "dead")) == (None, (1,), "4C 7H")


def test_edge_5_a_rank_that_is_dead_may_be_said_and_is_a_lie() -> None:
    start = playing("hand.0: 8S KD | hand.1: 9H | dead: 7C 7D 7H 7S", players=2)
    assert fact(do(start, "0 lay 7 8S", "1 challenge"), "honest") is False


def test_edge_6_five_kings_from_one_pack_are_allowed() -> None:
    start = playing("hand.0: KC KD KH KS 2C 3C | hand.1: 9H", players=2, settings={"max_cards": 8})
    assert fact(do(start, "0 lay K KC KD KH KS 2C", "1 challenge"), "honest") is False


def test_edge_6_a_joker_helps() -> None:
    start = playing("hand.0: KC KD KH KS XX 3C | hand.1: 9H", players=2, settings={"max_cards": 8, "jokers": 1})
    assert fact(do(start, "0 lay K KC KD KH KS XX", "1 challenge"), "honest") is True


def test_edge_7_jokers_alone_are_honest_with_any_rank() -> None:
    start = playing("hand.0: XX XX 3C | hand.1: 9H", players=2, settings={"jokers": 2})
    assert fact(do(start, "0 lay 5 XX XX", "1 challenge"), "honest") is True


def test_edge_8_one_wrong_card_among_four_is_a_lie() -> None:
    start = playing("hand.0: KC KD KH 3C 4C | hand.1: 9H", players=2)
    assert fact(do(start, "0 lay K KC KD KH 3C", "1 challenge"), "honest") is False


@pytest.mark.parametrize("rank", ["7", "8"])
def test_edge_9_up_a_challenge_changes_neither_rank_nor_turn(rank: str) -> None:
    start = asked(LAID, rank=rank, settings={"form": "up"})
    quiet, loud = do(start, *ALL_ACCEPT), do(start, "3 challenge", "1 accept", "2 accept")
    assert (fact(quiet, "rank"), quiet.turn) == (fact(loud, "rank"), loud.turn)


def test_edge_10_up_the_next_seat_goes_on_after_one_that_went_out() -> None:
    start = asked(LAST, players=3, turn=(1, 2), settings={"form": "up", "play_on": True})
    after = do(start, "1 accept", "2 accept")
    assert (fact(after, "out"), fact(after, "rank"), after.turn) == ([0], "8", (1,))


def test_edge_11_both_copies_must_be_held() -> None:
    one = playing("hand.0: 7H 3C | hand.1: 7H", players=2, settings={"packs": 2})
    assert refused(one, "0 lay 7 7H 7H") == "CARD_NOT_HELD"
    two = playing("hand.0: 7H 7H 3C | hand.1: 7S", players=2, settings={"packs": 2})
    assert zone(do(two, "0 lay 7 7H 7H"), "laid.0") == "7H 7H"


def test_edge_12_a_seat_out_at_the_lay_limit_is_placed_first() -> None:
    start = asked(LAST, players=3, turn=(1, 2), lays=50, settings={"lay_limit": 50, "play_on": True})
    assert result(do(start, "1 accept", "2 accept")) == ([1, 3, 2], [0, 2, 1])


def test_edge_13_the_first_lay_of_a_round_challenged() -> None:
    start = asked("hand.0: 8S | hand.1: 9H | laid.0: 7H 7D", players=2, turn=(1,))
    closed = do(start, "1 challenge")
    assert (zone(closed, "hand.1"), zone(closed, "pile")) == ("7D 7H 9H", "")


@pytest.mark.parametrize("answer", ["challenge", "accept"])
@pytest.mark.parametrize("window", ["sealed", "first"])
@pytest.mark.parametrize("challengers", ["all", "next"])
def test_edge_14_with_two_players_all_windows_are_the_same(challengers: str, window: str, answer: str) -> None:
    start = playing("hand.0: 7H 8S | hand.1: 9H 9D", players=2, settings={"challengers": challengers, "window": window})
    closed = do(start, "0 lay 7 7H", f"1 {answer}")
    plain = do(playing("hand.0: 7H 8S | hand.1: 9H 9D", players=2), "0 lay 7 7H", f"1 {answer}")
    assert (closed.zones, closed.facts, closed.turn) == (plain.zones, plain.facts, plain.turn)


def test_edge_15_sealed_the_window_stays_open_until_all_have_answered() -> None:
    start = do(asked(LAID), "1 accept", "2 challenge")
    assert (start.phase, start.turn) == ("answer", (3,))
    assert (fact(start, "challenger"), fact(start, "honest")) == (None, None)
