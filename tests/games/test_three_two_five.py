"""3-2-5, rule by rule: settings, the deal, the trump, settling, the play, the score, and the numbered edge cases."""

from typing import Any

import msgspec
import pytest

from chautari import engine
from chautari.cards import text
from chautari.engine import HandEnded, Moved, Position, Said, Shuffled
from chautari.games.three_two_five import GAME, PACK, debts_of
from tests.games.tables import (
    bad_setting,
    begin,
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

FRESH = text(PACK)
"""A deal in the card order: 8C 9C TC JC QC to seat 0 and so on."""


def choosing(outcome: str = FRESH, **settings: object) -> Position[Any]:
    """The first hand, five cards dealt, seat 0 to make the trump."""
    return begin("three_two_five", outcome, **settings)


def settling(last_over: tuple[int, int, int], **settings: object) -> Position[Any]:
    """The second hand, dealt by seat 0: seat 1 has the trump made, and all cards are dealt."""
    over = playing("AH", "9H TH", settings={"rounds": 3, **settings}, tricks=(4, 3, 2), target=(0, 0, 0))
    target = tuple(won - more for won, more in zip((5, 3, 2), last_over, strict=True))
    over = msgspec.structs.replace(over, facts=msgspec.structs.replace(over.facts, target=target))
    return do(do(over, "0 play AH", shuffles=[FRESH]), "1 trump S")


def pulling(hands: str = "hand.0: AS KS | hand.1: 8H 9H | hand.2: JD QD", **facts: Any) -> Position[Any]:
    """Phase `pull`: seat 0 pulls from seat 1."""
    given = {"debts": ((0, 1, 2),), "trump": "S", "target": (5, 3, 2), **facts}
    return table("three_two_five", hands, phase="pull", settings=given.pop("settings", None), **given)


def playing(hand: str, trick: str = "", **facts: Any) -> Position[Any]:
    """Seat 0 is in turn, the last of the trick or its leader; the others hold nothing that matters."""
    played = trick.split()
    given: dict[str, Any] = {"leader": (3 - len(played)) % 3, "trump": "S", **facts}
    if played:
        given.setdefault("led", played[0][1])
    settings = given.pop("settings", None)
    return table("three_two_five", f"hand.0: {hand} | trick: {trick}", phase="play", settings=settings, **given)


def may(position: Position[Any], seat: int = 0) -> str:
    """What this seat may name with the last verb of the phase."""
    return " ".join(action.partition(" ")[2] for action in engine.legal(position, seat))


# Settings, zones, facts ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "default", "allowed", "wrong"),
    [
        ("players", 3, (3,), (2, 4)),
        ("rounds", 3, (1, 10), (0, 11)),
        ("scoring", "over_under", ("over_under", "tricks"), ("points",)),
        ("goal", 0, (0,), (9, 51, -1, 10, 50)),
        ("settle", "pull", ("pull", "owe", "choice", "none"), ("skip", None)),
        ("give_back", "any", ("any", "same_suit"), ("suit",)),
        ("sevens", "low", ("low", "high"), (7,)),
        ("turn_up", False, (True, False), (1,)),
        ("no_trump", False, (True, False), ("N",)),
    ],
)
def test_settings(name: str, default: object, allowed: tuple[object, ...], wrong: tuple[object, ...]) -> None:
    assert getattr(GAME.read_settings({}), name) == default
    for value in allowed:
        assert getattr(GAME.read_settings({name: value}), name) == value
    for value in wrong:
        assert bad_setting("three_two_five", **{name: value}) == name


def test_a_goal_needs_scoring_by_tricks() -> None:
    assert GAME.read_settings({"goal": 10, "scoring": "tricks"}).goal == 10
    assert GAME.read_settings({"goal": 50, "scoring": "tricks"}).goal == 50
    assert bad_setting("three_two_five", goal=20, scoring="over_under") == "goal"
    assert bad_setting("three_two_five", goal=9, scoring="tricks") == "goal"


def test_zones() -> None:
    assert zones_declared("three_two_five") == {
        "hand": ("owner", False), "deck": ("none", True), "trick": ("all", True), "taken": ("none", True),
    }  # fmt: skip


def test_facts() -> None:
    assert public_facts("three_two_five") == [
        "dealer", "hand_no", "leader", "led", "trump", "turned", "target", "tricks", "debts", "pulled", "last_trick",
        "last_winner", "last_over", "score",
    ]  # fmt: skip


# The deal and the trump ───────────────────────────────────────────────────────────────────────────────────────────────


def test_the_pack_has_thirty_cards_two_of_them_sevens() -> None:
    assert len(PACK) == 30
    assert [card.text for card in PACK if card.rank == "7"] == ["7H", "7S"]
    assert not any(card.rank in "23456" for card in PACK)


def test_deal_2_blocks_of_five() -> None:
    start = choosing()
    assert zone(start, "hand.0") == text(sorted(PACK[:5]))
    assert zone(start, "hand.2") == text(sorted(PACK[10:15]))
    assert (start.phase, start.turn, len(start.zones["deck"]), fact(start, "leader")) == ("trump", (0,), 15, 0)


def test_deal_4_blocks_of_three_and_two() -> None:
    after = do(choosing(), "0 trump S")
    assert zone(after, "hand.0") == text(sorted(PACK[:5] + PACK[15:18] + PACK[24:26]))
    assert zone(after, "hand.2") == text(sorted(PACK[10:15] + PACK[21:24] + PACK[28:30]))
    assert (after.phase, after.turn, fact(after, "target")) == ("play", (0,), [5, 3, 2])


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ("trump N", "RULE_BROKEN"),
        ("trump X", "MALFORMED_ACTION"),
        ("trump s", "MALFORMED_ACTION"),
        ("trump", "MALFORMED_ACTION"),
        ("trump S S", "MALFORMED_ACTION"),
        ("turn", "UNKNOWN_ACTION"),
        ("play 8C", "UNKNOWN_ACTION"),
        ("pull", "UNKNOWN_ACTION"),
    ],
)
def test_trump_refusals(action: str, code: str) -> None:
    assert refused(choosing(), f"0 {action}") == code


def test_trump_options() -> None:
    assert engine.legal(choosing(), 0) == ["trump C", "trump D", "trump H", "trump S"]
    assert engine.legal(choosing(turn_up=True, no_trump=True), 0)[-2:] == ["trump N", "turn"]
    assert refused(choosing(turn_up=True), "0 turn S") == "MALFORMED_ACTION"
    assert refused(choosing(turn_up=True), "1 turn") == "NOT_YOUR_TURN"


def turned(three: str, **settings: object) -> Position[Any]:
    """The hand after `turn`, these three cards being next in the deck."""
    first = [card.text for card in PACK if card.text not in three.split()]
    outcome = " ".join([*first[:15], three, *first[15:]])
    return do(choosing(outcome, turn_up=True, **settings), "0 turn")


def test_turn_the_highest_of_three_cards_is_trump() -> None:
    after = turned("8S AD KC")
    assert (fact(after, "trump"), fact(after, "turned"), after.phase) == ("D", ["8S", "AD", "KC"], "play")
    assert {"8S", "AD", "KC"} <= set(zone(after, "hand.0").split())
    assert engine.view(after, None).facts["turned"] == ["8S", "AD", "KC"]


# Settling ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("last_over", "order", "debts"),
    [
        ((0, 0, 0), (1, 2, 0), ()),
        ((2, -1, -1), (1, 2, 0), ((0, 1, 1), (0, 2, 1))),
        ((2, -1, -1), (2, 0, 1), ((0, 2, 1), (0, 1, 1))),
        ((1, 2, -3), (1, 2, 0), ((1, 2, 2), (0, 2, 1))),
        ((5, -3, -2), (1, 2, 0), ((0, 1, 3), (0, 2, 2))),
        ((1, -1, 0), (1, 2, 0), ((0, 1, 1),)),
    ],
)
def test_debts(last_over: tuple[int, ...], order: tuple[int, ...], debts: tuple[tuple[int, ...], ...]) -> None:
    assert debts_of(last_over, order) == debts


def test_settle_comes_after_the_rest_is_dealt_and_before_the_first_lead() -> None:
    after = settling((2, -1, -1))
    assert (after.phase, after.turn, zone(after, "deck")) == ("pull", (0,), "")
    assert fact(after, "debts") == [[0, 1, 1], [0, 2, 1]]


def test_settle_none_makes_no_debts() -> None:
    after = settling((2, -1, -1), settle="none")
    assert (after.phase, after.turn, fact(after, "debts")) == ("play", (1,), [])


def test_pull_takes_the_first_card_of_the_shuffled_hand() -> None:
    after = do(pulling(), "0 pull", shuffles=["9H 8H"])
    assert (zone(after, "hand.0"), zone(after, "hand.1"), fact(after, "pulled")) == ("9H AS KS", "8H", "9H")
    assert (after.phase, after.turn, fact(after, "debts")) == ("give", (0,), [[0, 1, 2]])


def test_pull_is_seen_by_two_seats_only() -> None:
    for viewer, shown in ((0, "9H"), (1, "9H"), (2, "??"), (None, "??")):
        made = events(pulling(), "0 pull", "9H 8H", viewer=viewer)
        assert [event.cards[0].text for event in made if isinstance(event, Moved)] == [shown]
        assert all(card.text == "??" for event in made if isinstance(event, Shuffled) for card in event.cards)
    after = do(pulling(), "0 pull", shuffles=["9H 8H"])
    assert [engine.view(after, viewer).facts["pulled"] for viewer in (0, 1, 2, None)] == ["9H", "9H", None, None]


def test_give_any_card_and_the_third_seat_sees_that_one_went() -> None:
    giving = do(pulling(), "0 pull", shuffles=["9H 8H"])
    assert may(giving) == "9H AS KS"
    for viewer, shown in ((0, "AS"), (1, "AS"), (2, "??"), (None, "??")):
        made = events(giving, "0 give AS", viewer=viewer)
        assert [event.cards[0].text for event in made if isinstance(event, Moved)] == [shown]
    said = next(event for event in events(giving, "0 give AS", viewer=2) if isinstance(event, Said))
    assert said.text == "give ??"
    after = do(giving, "0 give AS")
    assert (zone(after, "hand.0"), zone(after, "hand.1"), fact(after, "pulled")) == ("9H KS", "8H AS", None)
    assert (after.phase, after.turn, fact(after, "debts")) == ("pull", (0,), [[0, 1, 1]])


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ("give", "MALFORMED_ACTION"),
        ("give XX", "MALFORMED_ACTION"),
        ("give 8H", "CARD_NOT_HELD"),
        ("give AS", "RULE_BROKEN"),
        ("skip", "UNKNOWN_ACTION"),
    ],
)
def test_give_refusals(action: str, code: str) -> None:
    giving = do(pulling(settings={"give_back": "same_suit"}), "0 pull", shuffles=["9H 8H"])
    assert may(giving) == "9H"
    assert refused(giving, f"0 {action}") == code


def test_skip_gives_up_one_pull() -> None:
    after = do(pulling(), "0 skip")
    assert (after.phase, fact(after, "debts")) == ("pull", [[0, 1, 1]])
    assert refused(after, "0 pull 1") == "MALFORMED_ACTION"
    after = do(after, "0 skip")
    assert (after.phase, after.turn, fact(after, "debts")) == ("play", (0,), [])


def test_owe_moves_the_targets_and_no_cards() -> None:
    after = settling((2, -1, -1), settle="owe")
    assert (after.phase, fact(after, "debts"), fact(after, "target")) == ("play", [], [0, 6, 4])


def test_choice_asks_the_debtor_once_for_each_debt() -> None:
    asked = settling((2, -2, 0), settle="choice")
    assert (asked.phase, asked.turn, engine.legal(asked, 1)) == ("settle", (1,), ["allow", "owe"])
    pulls = do(asked, "1 allow", "0 skip")
    assert (pulls.phase, pulls.turn, fact(pulls, "debts")) == ("pull", (0,), [[0, 1, 1]])
    assert do(pulls, "0 skip").phase == "play"
    owed = do(asked, "1 owe")
    assert (owed.phase, fact(owed, "debts"), fact(owed, "target")) == ("play", [], [0, 7, 3])


def test_choice_goes_on_to_the_next_debt() -> None:
    asked = settling((2, -1, -1), settle="choice")
    after = do(asked, "1 owe")
    assert (after.phase, after.turn) == ("settle", (2,))
    after = do(after, "2 allow", "0 skip")
    assert (after.phase, fact(after, "target")) == ("play", [1, 6, 3])


# The play ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("hand", "trick", "allowed"),
    [("8H AC 9S", "", "AC 8H 9S"), ("8H AC 9S", "TH JH", "8H"), ("8H AC 9S", "TD JH", "AC 8H 9S")],
)
def test_follow_suit(hand: str, trick: str, allowed: str) -> None:
    assert may(playing(hand, trick)) == allowed


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ("play", "MALFORMED_ACTION"),
        ("play 8C", "CARD_NOT_HELD"),
        ("play AC", "RULE_BROKEN"),
        ("pull", "UNKNOWN_ACTION"),
    ],
)
def test_play_refusals(action: str, code: str) -> None:
    assert refused(playing("8H AC", "TH JH"), f"0 {action}") == code


@pytest.mark.parametrize(
    ("trick", "card", "facts", "winner"),
    [
        ("TH JH", "8H", {}, 2),
        ("TH JC", "9H", {}, 1),
        ("TH JC", "8S", {}, 0),
        ("TH 9S", "8S", {}, 2),
        ("TH 8S", "AC", {"trump": "N"}, 1),
        ("7H 8H", "9H", {}, 0),
    ],
)
def test_who_wins(trick: str, card: str, facts: dict[str, Any], winner: int) -> None:
    after = do(playing(f"{card} KD", trick, **facts), f"0 play {card}")
    assert (fact(after, "last_winner"), after.turn, fact(after, "leader")) == (winner, (winner,), winner)
    assert zone(after, f"taken.{winner}") == f"{trick} {card}"
    assert fact(after, "last_trick") == [*trick.split(), card]


# The score ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def last_trick(**facts: Any) -> Position[Any]:
    """Seat 0 plays the last card of the hand, and wins."""
    return playing("AH", "9H TH", **{"tricks": (5, 2, 2), **facts})


def test_over_under() -> None:
    over = last_trick(settings={"rounds": 1}, hand_no=3, score=(-1, 2, -1))
    record = next(event for event in events(over, "0 play AH") if isinstance(event, HandEnded)).record
    assert record == {"hand_no": 3, "target": [5, 3, 2], "tricks": [6, 2, 2], "points": [1, -1, 0]}
    after = do(over, "0 play AH")
    assert (fact(after, "last_over"), result(after)) == ([1, -1, 0], ([2, 1, 3], [0, 1, -1]))
    assert (after.phase, after.turn) == ("over", ())
    assert refused(after, "0 play AH") == "MATCH_OVER"


def test_over_everything_stays_as_the_last_action_left_it() -> None:
    """The winner of the last trick would have led the next."""
    over = playing("8C", "9C TC", tricks=(5, 2, 2), settings={"rounds": 1}, hand_no=3, turned=("8S", "AD", "KC"))
    after = do(over, "0 play 8C")
    stays = {"leader": 2, "last_winner": 2, "led": None, "trump": "S", "turned": ["8S", "AD", "KC"], "dealer": 2,
             "hand_no": 3, "target": [5, 3, 2], "tricks": [5, 2, 3], "debts": []}  # fmt: skip
    assert {name: fact(after, name) for name in stays} == stays
    assert (zone(after, "taken.2"), zone(after, "trick")) == ("9C TC 8C", "")


def test_scoring_by_tricks() -> None:
    after = do(last_trick(settings={"rounds": 1, "scoring": "tricks"}, hand_no=3, score=(1, 2, 3)), "0 play AH")
    assert (fact(after, "last_over"), fact(after, "score")) == ([1, -1, 0], [7, 4, 5])


def test_the_next_hand() -> None:
    """The chooser deals, and targets go round."""
    after = do(last_trick(), "0 play AH", shuffles=[FRESH])
    assert (fact(after, "dealer"), after.turn, fact(after, "target"), fact(after, "hand_no")) == (0, (1,), [2, 5, 3], 2)
    assert (fact(after, "trump"), fact(after, "last_trick"), fact(after, "last_winner")) == (None, [], None)
    assert zone(after, "hand.1") == text(sorted(PACK[:5]))


def test_the_goal_ends_the_match() -> None:
    settings = {"rounds": 3, "scoring": "tricks", "goal": 15}
    assert do(last_trick(settings=settings, score=(9, 9, 0)), "0 play AH").is_over
    assert not do(last_trick(settings=settings, score=(8, 9, 0)), "0 play AH", shuffles=[FRESH]).is_over


# Time-outs ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_time_outs_of_the_trump_and_of_settling() -> None:
    assert fact(do(choosing(), "0 times out"), "trump") == "C"
    first = ["8S", "9S", "TD", "JD", "QC"]
    even = choosing(" ".join([*first, *(card for card in FRESH.split() if card not in first)]))
    assert fact(do(even, "0 times out"), "trump") == "D"
    asked = settling((2, -1, -1), settle="choice")
    assert do(asked, "1 times out").phase == "pull"
    giving = do(pulling(), "0 times out", shuffles=["9H 8H"])
    assert zone(do(giving, "0 times out"), "hand.1") == "8H 9H"


@pytest.mark.parametrize(
    ("hand", "facts", "played"),
    [
        ("8S AH KD", {}, "KD"),
        ("KC KD", {}, "KC"),
        ("7H 9S", {}, "7H"),
        ("7H 9S", {"settings": {"sevens": "high"}}, "9S"),
        ("7H 7S AS", {"settings": {"sevens": "high"}}, "AS"),
        ("7H 7S", {"settings": {"sevens": "high"}}, "7H"),
        ("7H 8D", {"settings": {"sevens": "high"}, "trump": "N"}, "7H"),
    ],
)
def test_time_out_plays_the_lowest_card_allowed(hand: str, facts: dict[str, Any], played: str) -> None:
    assert zone(do(playing(hand, **facts), "0 times out"), "trick") == played


# Edge cases ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_edge_1_one_over_by_two_and_two_short() -> None:
    assert debts_of((-1, 2, -1), (1, 2, 0)) == ((1, 2, 1), (1, 0, 1))


def test_edge_2_two_over_and_one_short() -> None:
    after = settling((-3, 1, 2))
    assert (fact(after, "debts"), after.turn) == ([[1, 0, 1], [2, 0, 2]], (1,))
    assert do(after, "1 skip").turn == (2,)


def test_edge_3_a_card_given_back_may_be_pulled_by_the_second_creditor() -> None:
    start = pulling(debts=((0, 1, 1), (2, 1, 1)))
    after = do(start, "0 pull", "0 give AS", "2 pull", shuffles=["9H 8H", "AS 8H"])
    assert (fact(after, "pulled"), after.turn) == ("AS", (2,))
    assert [engine.view(after, viewer).facts["pulled"] for viewer in (0, 1, 2)] == [None, "AS", "AS"]


def test_edge_4_the_same_card_may_go_back() -> None:
    giving = do(pulling(settings={"give_back": "same_suit"}), "0 pull", shuffles=["9H 8H"])
    assert zone(do(giving, "0 give 9H"), "hand.1") == "8H 9H"


def test_edge_5_the_debtor_holds_ten_cards_at_each_pull() -> None:
    after = settling((5, -3, -2))
    for debtor in (1, 1, 1, 2, 2):
        assert len(after.zones[f"hand.{debtor}"]) == 10
        hand = zone(after, f"hand.{debtor}")
        after = do(after, "0 pull", shuffles=[hand])
        after = do(after, "0 times out")
    assert after.phase == "play"


def test_edge_6_everyone_on_target() -> None:
    after = settling((0, 0, 0))
    assert (after.phase, after.turn, fact(after, "debts")) == ("play", (1,), [])


def test_edge_7_of_two_aces_turned_the_first_decides() -> None:
    assert fact(turned("KS AD AC"), "trump") == "D"


def test_edge_8_a_seven_turned_is_the_lowest() -> None:
    assert fact(turned("7S 8D 7H", sevens="high"), "trump") == "D"


def test_edge_9_a_high_seven_led_asks_for_trumps() -> None:
    after = do(playing("7H KD", settings={"sevens": "high"}, trump="D"), "0 play 7H")
    assert fact(after, "led") == "D"
    assert may(playing("8D AH 9S", "7H 9H", settings={"sevens": "high"}, trump="D", led="D")) == "8D"
    assert may(playing("7S AH 9S", "7H 9H", settings={"sevens": "high"}, trump="D", led="D")) == "7S"


def test_edge_9_a_high_seven_led_wins_but_against_the_other() -> None:
    facts = {"settings": {"sevens": "high"}, "trump": "D", "led": "D"}
    assert fact(do(playing("AD KC", "7H TD", **facts), "0 play AD"), "last_winner") == 1
    assert fact(do(playing("7S KC", "7H TD", **facts), "0 play 7S"), "last_winner") == 0


def test_edge_10_the_seven_of_hearts_is_no_heart() -> None:
    high = {"settings": {"sevens": "high"}}
    assert may(playing("7H AC", "TH JH", **high)) == "AC 7H"
    assert may(playing("7H 8H", "TH JH", **high)) == "8H"
    assert fact(do(playing("7H AC", "TH AS", **high), "0 play 7H"), "last_winner") == 0


def test_edge_11_without_trumps_the_suit_led_decides() -> None:
    start = do(choosing(no_trump=True), "0 trump N")
    assert (start.phase, fact(start, "trump")) == ("play", "N")
    high = {"settings": {"sevens": "high"}, "trump": "N"}
    assert may(playing("7H AC", "TH JH", **high)) == "7H"
    assert fact(do(playing("7S 9D", "8C 8S", **high), "0 play 7S"), "last_winner") == 1


def test_edge_12_owed_targets_may_leave_the_usual_range() -> None:
    after = settling((4, -2, -2), settle="owe")
    assert fact(after, "target") == [-2, 7, 5]
    over = last_trick(settings={"settle": "owe"}, target=(-2, 7, 5))
    after = do(over, "0 play AH", shuffles=[FRESH])
    assert (fact(after, "last_over"), fact(after, "debts")) == ([8, -5, -3], [[0, 1, 5], [0, 2, 3]])


def test_edge_13_two_seats_reach_the_goal() -> None:
    settings = {"rounds": 3, "scoring": "tricks", "goal": 10}
    after = do(last_trick(settings=settings, score=(4, 9, 0)), "0 play AH")
    assert result(after) == ([2, 1, 3], [10, 11, 2])
    assert seen(after, 1, "taken.0") == 3
