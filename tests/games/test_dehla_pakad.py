"""Dehla Pakad, rule by rule: settings, the deal, the trump, tricks, the middle, kots, dealers, and the edge cases."""

from collections.abc import Sequence
from typing import Any

import pytest

from chautari import engine
from chautari.cards import cards, text
from chautari.engine import Dealt, HandEnded, Moved, Position, Shuffled
from chautari.games.dehla_pakad import GAME
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

DEALT = ("AC 2C 3D 4D 5H", "KC 3C 6D 7D 8H", "QC 4C 8D 9D 9H", "JC 2S 3S 4S 2H")
"""Five cards each, dealt first to seat 0: seat 3 has one club."""


def playing(lying: str, turn: int = 0, leader: int = 0, trump: str | None = "S", **facts: Any) -> Position[Any]:
    """Phase `play`: this seat is in turn; with cards in `trick`, their suit is led."""
    settings = facts.pop("settings", {})
    trick = next((part.split()[1:] for part in lying.split("|") if part.strip().startswith("trick:")), [])
    given = {"leader": leader, "led": trick[0][1] if trick else None, "trump": trump, **facts}
    return table("dehla_pakad", lying, phase="play", turn=[turn], settings=settings, **given)


def last_trick(tens: tuple[int, int] = (0, 0), middle_tens: int = 0, **facts: Any) -> Position[Any]:
    """The last card of a hand is to be played; seat 0 wins the trick, and with it what lies in the middle."""
    lying = "hand.3: 2H | trick: AH 3H 4H | middle: 5H 6H 7H 8H"
    return playing(lying, turn=3, tens=tens, tricks=(3, 3, 3, 3), middle_tens=middle_tens, **facts)


def end(tens: tuple[int, int] = (0, 0), middle_tens: int = 0, over: bool = False, **facts: Any) -> Position[Any]:
    """After the last trick, which side 0 wins; `over`: the match is then."""
    return do(last_trick(tens, middle_tens, **facts), "3 play 2H", shuffles=[] if over else [dealt()])


def whole_tricks(position: Position[Any], *tricks: str) -> Position[Any]:
    """Whole tricks, the cards in the order played."""
    for trick in tricks:
        for card in trick.split():
            position = do(position, f"{position.turn[0]} play {card}")
    return position


REST = "6C 7C 8C 9C TC JC QC KC AC 6H 7H 8H 9H TH JH QH KH AH 6S 7S 8S 9S TS JS QS KS AS TD JD QD KD AD"
"""The deck of a hand whose first twenty cards are the twos to fives, and 6D to 9D."""

FIFTH = f"hand.3: 9D | trick: 6D 7D 8D | deck: {REST}"
"""The last card of the fifth trick is to be played; seat 3 will win it."""


# Settings ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "default", "allowed", "wrong"),
    [
        ("players", 4, (4,), (2, 3, 5, "4")),
        ("trump_making", "first_void", ("first_void", "chosen"), ("bid", None)),
        ("kots", 2, (1, 2, 3), (0, 4, "2")),
        ("max_hands", 40, (1, 40), (0, 41)),
    ],
)
def test_settings(name: str, default: object, allowed: Sequence[object], wrong: Sequence[object]) -> None:
    assert getattr(GAME.read_settings({}), name) == default
    for value in allowed:
        assert getattr(GAME.read_settings({name: value}), name) == value
    for value in wrong:
        assert bad_setting("dehla_pakad", **{name: value}) == name


def test_settings_the_difficulty_is_none() -> None:
    assert bad_setting("dehla_pakad", difficulty="hard") == "difficulty"


# Zones and facts ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_zones() -> None:
    assert zones_declared("dehla_pakad") == {
        "hand": ("owner", False), "deck": ("none", True), "trick": ("all", True), "middle": ("none", True),
        "taken": ("none", True),
    }  # fmt: skip


def test_facts() -> None:
    assert public_facts("dehla_pakad") == [
        "dealer", "hand_no", "leader", "led", "trump", "trump_maker", "trump_card", "holder", "middle_tens", "tens",
        "tricks", "last_trick", "last_winner", "kots", "row", "row_side", "last_hand", "score",
    ]  # fmt: skip


def test_teams() -> None:
    assert GAME.sides(GAME.read_settings({})) == ((0, 2), (1, 3))


# The deal ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_deal_seat_3_deals_first_and_seat_0_is_first() -> None:
    start = begin("dehla_pakad", dealt())
    assert (fact(start, "dealer"), fact(start, "hand_no"), fact(start, "leader"), start.turn) == (3, 1, 0, (0,))


def test_deal_1_one_shuffle() -> None:
    made = engine.begin(GAME, GAME.read_settings({}), engine.Script([cards(dealt())])).events
    assert [event.zone for event in made if isinstance(event, Shuffled)] == ["deck"]


def test_deal_2_five_cards_each_one_at_a_time() -> None:
    start = begin("dehla_pakad", dealt(*DEALT, then="7S"))
    assert [text(start.zones[f"hand.{seat}"]) for seat in range(4)] == list(DEALT)
    assert (len(start.zones["deck"]), zone(start, "deck")[:2]) == (32, "7S")


def test_deal_4_the_other_eight_one_at_a_time_from_the_dealers_neighbour() -> None:
    """Seat 3 wins the trick in which the trump was made; seat 0 is dealt to first all the same."""
    start = begin("dehla_pakad", dealt(*DEALT, then="7S 8S 9S TS JS"))
    made = events(whole_tricks(start, "3D 6D 8D"), "3 play 2S")
    dealing = next(event for event in made if isinstance(event, Dealt))
    assert dealing.targets == ("hand.0", "hand.1", "hand.2", "hand.3")
    assert [hand[0] for hand in dealing.hands] == list(cards("7S 8S 9S TS"))
    assert [len(hand) for hand in dealing.hands] == [8, 8, 8, 8]


# Making the trump: first_void ─────────────────────────────────────────────────────────────────────────────────────────


def test_first_void_play_starts_with_five_cards_and_no_trump() -> None:
    start = begin("dehla_pakad", dealt(*DEALT))
    assert (start.phase, fact(start, "trump"), len(start.zones["hand.2"])) == ("play", None, 5)


def test_first_void_the_first_card_thrown_off_makes_its_suit_trump() -> None:
    start = whole_tricks(begin("dehla_pakad", dealt(*DEALT)), "3D 6D 8D 2S")
    assert (fact(start, "trump"), fact(start, "trump_maker"), fact(start, "trump_card")) == ("S", 3, None)
    assert (fact(start, "last_winner"), start.turn) == (3, (3,))


def test_first_void_the_rest_is_dealt_when_that_trick_is_finished() -> None:
    before = begin("dehla_pakad", dealt("3D 4D 5H 6H 7H", "2S 3S 4S 5S 6S", "6D 7D 8D 9D TD", "JD QD KD AD 2H"))
    thrown = whole_tricks(before, "3D 2S")
    assert (fact(thrown, "trump"), len(thrown.zones["deck"])) == ("S", 32)
    finished = whole_tricks(thrown, "6D JD")
    assert (len(finished.zones["deck"]), len(finished.zones["hand.0"])) == (0, 12)


def test_first_void_a_later_seat_of_the_trick_must_follow() -> None:
    start = playing("hand.2: 5D 2S | hand.3: 9C | trick: 3D 4S", turn=2, trump="S", trump_maker=1)
    assert refused(start, "2 play 2S") == "RULE_BROKEN"


def test_first_void_trump_is_made_once() -> None:
    start = playing("hand.2: 9H | hand.3: 9C | trick: 3D 4S", turn=2, trump="S", trump_maker=1)
    after = do(start, "2 play 9H")
    assert (fact(after, "trump"), fact(after, "trump_maker")) == ("S", 1)


def test_first_void_after_five_tricks_of_following_a_card_is_drawn() -> None:
    """From all cards played; it stays where it was, and nobody made the trump."""
    lying = "middle: 2C 3C 4C 5C 2H 3H 4H 5H 2D 3D 4D 5D | taken.1: 2S 3S 4S 5S"
    start = playing(f"{FIFTH} | {lying}", turn=3, trump=None, tricks=(1, 1, 1, 1), holder=0)
    drawn = "4S 2C 3C 4C 5C 2H 3H 4H 5H 2D 3D 4D 5D 6D 7D 8D 9D 2S 3S 5S"
    after = do(start, "3 play 9D", shuffles=[drawn])
    assert [fact(after, name) for name in ("trump", "trump_card", "trump_maker")] == ["S", "4S", None]
    assert (zone(after, "taken.1"), len(after.zones["middle"]), len(after.zones["deck"])) == ("2S 3S 4S 5S", 16, 0)


def test_first_void_no_card_is_drawn_before_five_tricks_are_over() -> None:
    start = playing("hand.3: 9D | trick: 6D 7D 8D | deck: 6C 7C", turn=3, trump=None, tricks=(1, 1, 1, 0))
    assert fact(do(start, "3 play 9D"), "trump") is None


# Making the trump: chosen ─────────────────────────────────────────────────────────────────────────────────────────────


def test_chosen_the_seat_after_the_dealer_names_the_trump() -> None:
    start = begin("dehla_pakad", dealt(*DEALT), trump_making="chosen")
    assert (start.phase, start.turn, len(start.zones["hand.0"])) == ("trump", (0,), 5)
    assert engine.legal(start, 0) == ["trump C", "trump D", "trump H", "trump S"]


def test_chosen_the_rest_is_dealt_and_that_seat_leads() -> None:
    after = do(begin("dehla_pakad", dealt(*DEALT), trump_making="chosen"), "0 trump H")
    assert (after.phase, after.turn, fact(after, "trump"), fact(after, "trump_maker")) == ("play", (0,), "H", 0)
    assert ([len(after.zones[f"hand.{seat}"]) for seat in range(4)], zone(after, "deck")) == ([13] * 4, "")


def test_chosen_a_card_thrown_off_makes_no_trump() -> None:
    start = playing("hand.1: 9H | hand.2: 2D | trick: 3D", turn=1, settings={"trump_making": "chosen"})
    assert fact(do(start, "1 play 9H"), "trump") == "S"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("0 play AC", "UNKNOWN_ACTION"),
        ("1 play KC", "UNKNOWN_ACTION"),
        ("0 pass", "UNKNOWN_ACTION"),
        ("1 trump H", "NOT_YOUR_TURN"),
        ("0 trump", "MALFORMED_ACTION"),
        ("0 trump X", "MALFORMED_ACTION"),
        ("0 trump h", "MALFORMED_ACTION"),
        ("0 trump hearts", "MALFORMED_ACTION"),
        ("0 trump H S", "MALFORMED_ACTION"),
    ],
)
def test_chosen_refusals(line: str, code: str) -> None:
    assert refused(begin("dehla_pakad", dealt(*DEALT), trump_making="chosen"), line) == code


# Playing ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

TRICK = "hand.1: 9D 2S KC | hand.2: 2D | hand.3: 3D | trick: 5D"


def test_play_puts_the_card_on_the_trick() -> None:
    after = do(playing(TRICK, turn=1), "1 play 9D")
    assert (zone(after, "trick"), zone(after, "hand.1"), after.turn) == ("5D 9D", "KC 2S", (2,))


def test_play_the_leader_may_lead_anything_and_sets_led() -> None:
    start = playing("hand.0: 9D 2S KC | hand.1: 2D")
    assert engine.legal(start, 0) == ["play KC", "play 9D", "play 2S"]
    assert fact(do(start, "0 play KC"), "led") == "C"


def test_play_follows_suit() -> None:
    start = playing(TRICK, turn=1)
    assert refused(start, "1 play 2S") == "RULE_BROKEN"
    assert engine.legal(start, 1) == ["play 9D"]


def test_play_without_the_suit_led_anything_goes() -> None:
    start = playing(TRICK.replace("9D 2S", "9H 2S"), turn=1)
    assert engine.legal(start, 1) == ["play KC", "play 9H", "play 2S"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("1 trump S", "UNKNOWN_ACTION"),
        ("0 trump S", "UNKNOWN_ACTION"),
        ("2 play 2D", "NOT_YOUR_TURN"),
        ("1 play", "MALFORMED_ACTION"),
        ("1 play 9D 2S", "MALFORMED_ACTION"),
        ("1 play XX", "MALFORMED_ACTION"),
        ("1 play 9", "MALFORMED_ACTION"),
        ("1 play 2D", "CARD_NOT_HELD"),
        ("1 play 5D", "CARD_NOT_HELD"),
        ("1 play KC", "RULE_BROKEN"),
    ],
)
def test_play_refusals(line: str, code: str) -> None:
    assert refused(playing(TRICK, turn=1), line) == code


# The end of a trick ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("trick", "last", "trump", "winner"),
    [
        ("5D 9D 2D", "3D", "S", 1),
        ("5D 9D AD", "KD", "S", 2),
        ("5D 2S AD", "KD", "S", 1),
        ("5D 2S AD", "3S", "S", 3),
        ("5D AH KC", "QC", "S", 0),
        ("2S AH KS", "AS", "S", 3),
        ("TD JD 9D", "AS", "S", 3),
    ],
)
def test_trick_1_the_highest_trump_wins_else_the_highest_of_the_suit_led(
    trick: str, last: str, trump: str | None, winner: int
) -> None:
    after = do(playing(f"hand.3: {last} | hand.0: 2C | trick: {trick}", turn=3, trump=trump), f"3 play {last}")
    assert (fact(after, "last_winner"), after.turn, fact(after, "leader")) == (winner, (winner,), winner)


def test_trick_1_the_winner_is_counted_from_the_leader() -> None:
    start = playing("hand.1: 3D | hand.2: 2C | trick: 5D 9D 2D", turn=1, leader=2)
    assert fact(do(start, "1 play 3D"), "last_winner") == 3


def test_trick_2_the_cards_go_to_the_end_of_the_middle() -> None:
    start = playing("hand.3: 3D | trick: 5D TD 2D | middle: TC 2C 3C 4C", turn=3, middle_tens=1, tricks=(0, 0, 1, 0))
    after = do(start, "3 play 3D")
    assert (zone(after, "middle"), zone(after, "trick"), fact(after, "led")) == ("TC 2C 3C 4C 5D TD 2D 3D", "", None)
    assert (fact(after, "tricks"), fact(after, "last_trick")) == ([0, 1, 1, 0], ["5D", "TD", "2D", "3D"])
    assert (fact(after, "middle_tens"), fact(after, "tens")) == (2, [0, 0])


def test_trick_3_two_running_take_the_middle() -> None:
    start = playing("hand.3: 3D | trick: 5D TD 2D | middle: TC 2C 3C 4C | taken.1: AH", turn=3, middle_tens=1, holder=1,
                    tricks=(0, 1, 0, 0), tens=(1, 0))  # fmt: skip
    after = do(start, "3 play 3D")
    assert (zone(after, "middle"), zone(after, "taken.1")) == ("", "AH TC 2C 3C 4C 5D TD 2D 3D")
    assert (fact(after, "holder"), fact(after, "middle_tens"), fact(after, "tens")) == (None, 0, [1, 2])


def test_trick_3_otherwise_the_winner_holds() -> None:
    start = playing("hand.3: 3D | trick: 5D TD 2D", turn=3, holder=0, tricks=(1, 0, 0, 0))
    assert fact(do(start, "3 play 3D"), "holder") == 1


def test_trick_5_the_winner_leads() -> None:
    start = playing("hand.3: 3D | trick: 5D TD 2D", turn=3, tricks=(1, 0, 0, 0))
    after = do(start, "3 play 3D")
    assert (fact(after, "leader"), after.turn) == (1, (1,))


def test_a_take_is_no_first_of_a_pair() -> None:
    """Whoever wins three running takes after the second only, and after the fourth."""
    start = playing("hand.0: AC KC QC JC | hand.1: 2C 3C 4C 5C | hand.2: 2D 3D 4D 5D | hand.3: 2H 3H 4H 5H")
    after = whole_tricks(start, "AC 2C 2D 2H", "KC 3C 3D 3H")
    assert (len(after.zones["taken.0"]), fact(after, "holder")) == (8, None)
    after = whole_tricks(after, "QC 4C 4D 4H")
    assert (len(after.zones["taken.0"]), fact(after, "holder")) == (8, 0)
    after = whole_tricks(after, "JC 5C 5D 5H")
    assert (len(after.zones["taken.0"]), fact(after, "holder")) == (16, None)


# End of hand ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("tens", "dealer", "side"), [((3, 1), 0, 0), ((1, 3), 0, 1), ((2, 2), 0, 1), ((2, 2), 3, 0), ((4, 0), 3, 0)]
)
def test_end_1_more_tens_win_and_with_two_each_the_side_that_did_not_deal(
    tens: tuple[int, int], dealer: int, side: int
) -> None:
    after = end(tens=tens, dealer=dealer)
    assert (fact(after, "last_hand.side"), fact(after, "last_hand.tens")) == (side, list(tens))


def test_end_1_the_tens_of_the_last_middle_count() -> None:
    assert fact(end(tens=(1, 2), middle_tens=1, dealer=3), "last_hand") == {"side": 0, "tens": [2, 2], "kot": None}


@pytest.mark.parametrize(("side", "before", "after"), [(0, 3, 4), (1, 3, 1), (None, 0, 1)])
def test_end_2_the_row_grows_or_starts_afresh(side: int | None, before: int, after: int) -> None:
    ended = end(tens=(3, 1), row=before, row_side=side)
    assert (fact(ended, "row"), fact(ended, "row_side")) == (after, 0)


def test_end_3_four_tens_are_a_kot() -> None:
    ended = end(tens=(4, 0), row=2, row_side=0)
    assert (fact(ended, "kots"), fact(ended, "last_hand.kot"), fact(ended, "score")) == ([1, 0], "tens", [1, 0, 1, 0])
    assert (fact(ended, "row"), fact(ended, "row_side")) == (0, None)


def test_end_3_seven_hands_in_a_row_are_a_kot() -> None:
    ended = end(tens=(3, 1), row=6, row_side=0)
    assert (fact(ended, "kots"), fact(ended, "last_hand.kot"), fact(ended, "row")) == ([1, 0], "row", 0)


def test_end_3_six_in_a_row_are_none() -> None:
    ended = end(tens=(3, 1), row=5, row_side=0)
    assert (fact(ended, "kots"), fact(ended, "last_hand.kot"), fact(ended, "row")) == ([0, 0], None, 6)


@pytest.mark.parametrize(("kots", "over"), [(1, True), (2, False)])
def test_end_4_the_match_ends_with_enough_kots(kots: int, over: bool) -> None:
    ended = end(tens=(4, 0), over=over, settings={"kots": kots})
    assert ended.is_over is over
    if over:
        assert result(ended) == ([1, 3, 1, 3], [1, 0, 1, 0])


@pytest.mark.parametrize(("hand_no", "over"), [(3, True), (2, False)])
def test_end_4_the_match_ends_after_the_last_hand(hand_no: int, over: bool) -> None:
    ended = end(tens=(3, 1), over=over, hand_no=hand_no, kots=(0, 1), score=(0, 1, 0, 1), settings={"max_hands": 3})
    assert ended.is_over is over
    if over:
        assert result(ended) == ([3, 1, 3, 1], [0, 1, 0, 1])


def test_end_4_equal_kots_are_a_draw() -> None:
    ended = end(tens=(3, 1), over=True, hand_no=1, kots=(1, 1), score=(1, 1, 1, 1), settings={"max_hands": 1})
    assert result(ended) == ([1, 1, 1, 1], [1, 1, 1, 1])


def test_end_5_the_next_hand_is_dealt_and_starts_afresh() -> None:
    after = end(tens=(3, 1), dealer=0, holder=2, last_winner=2, trump_maker=1, trump_card="9S")
    assert (fact(after, "hand_no"), after.phase) == (2, "play")
    assert [len(after.zones[f"hand.{seat}"]) for seat in range(4)] == [5, 5, 5, 5]
    afresh = {"tens": [0, 0], "tricks": [0] * 4, "last_trick": [], "last_winner": None, "holder": None, "trump": None,
              "trump_maker": None, "trump_card": None, "led": None, "middle_tens": 0}  # fmt: skip
    assert {name: fact(after, name) for name in afresh} == afresh
    assert fact(after, "last_hand") == {"side": 0, "tens": [3, 1], "kot": None}


def test_end_the_record_is_last_hand() -> None:
    ended = next(e for e in events(last_trick(tens=(4, 0)), "3 play 2H", dealt()) if isinstance(e, HandEnded))
    assert (ended.number, ended.record) == (1, {"side": 0, "tens": [4, 0], "kot": "tens"})


def test_end_a_hand_lasts_thirteen_tricks_even_when_all_tens_are_taken() -> None:
    start = playing("hand.3: 3D 2H | hand.1: 4D | trick: 5D 9D 2D", turn=3, tens=(4, 0), tricks=(4, 4, 3, 0))
    assert fact(do(start, "3 play 3D"), "hand_no") == 1


@pytest.mark.parametrize(
    ("tens", "dealer", "following"),
    [
        ((3, 1), 0, 1),
        ((4, 0), 2, 3),
        ((3, 1), 3, 3),
        ((2, 2), 1, 1),
        ((4, 0), 3, 1),
        ((4, 0), 1, 3),
        ((1, 3), 0, 0),
        ((0, 4), 0, 2),
        ((0, 4), 1, 2),
    ],
)
def test_next_dealer(tens: tuple[int, int], dealer: int, following: int) -> None:
    after = end(tens=tens, dealer=dealer)
    first = (following + 1) % 4
    assert (fact(after, "dealer"), fact(after, "leader"), after.turn) == (following, first, (first,))


def test_next_trump_is_named_by_the_seat_after_the_dealer() -> None:
    after = end(tens=(3, 1), dealer=0, settings={"trump_making": "chosen"})
    assert (after.phase, after.turn) == ("trump", (2,))


def test_over_everything_stays_as_the_last_action_left_it() -> None:
    over = end(tens=(3, 1), over=True, dealer=0, hand_no=1, settings={"max_hands": 1})
    assert (over.phase, over.turn, fact(over, "trump"), fact(over, "last_winner")) == ("over", (), "S", 0)
    assert (fact(over, "led"), fact(over, "dealer"), fact(over, "hand_no")) == (None, 0, 1)
    assert zone(over, "taken.0") == "5H 6H 7H 8H AH 3H 4H 2H"
    assert refused(over, "0 play AH") == "MATCH_OVER"


# Time-outs ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("hand", "action"),
    [
        ("AC 2D 3D 4H 5H", "trump D"),
        ("AC 2D 3H 4H 5H", "trump H"),
        ("2S 3S 4H 5H AC", "trump H"),
        ("2S 3S 4S 5H AC", "trump S"),
    ],
)
def test_time_out_names_the_longest_suit(hand: str, action: str) -> None:
    start = begin("dehla_pakad", dealt(hand), trump_making="chosen")
    assert engine.timeout_action(start, 0) == action


@pytest.mark.parametrize(
    ("hand", "trick", "trump", "action"),
    [
        ("AD KD 9D 2C", "5D", "S", "play 9D"),
        ("AD KD 9D 2C", "5D", "D", "play 9D"),
        ("2S 3C 3H AD", "5H", "S", "play 3H"),
        ("2S 9C 8D", "5H", "S", "play 8D"),
        ("2S 3S", "5H", "S", "play 2S"),
        ("AC 2S 3D", "5H", "S", "play 3D"),
        ("3S 3D 3C", "5H", None, "play 3C"),
        ("3S 3D 9C", None, None, "play 3D"),
        ("AS AD TC", None, "D", "play TC"),
    ],
)
def test_time_out_plays_the_lowest_card_trumps_last(
    hand: str, trick: str | None, trump: str | None, action: str
) -> None:
    lying = f"hand.1: {hand} | hand.2: 2H" + (f" | trick: {trick}" if trick else "")
    assert engine.timeout_action(playing(lying, turn=1, trump=trump, leader=0 if trick else 1), 1) == action


def test_time_out_of_a_seat_without_a_clock_does_nothing() -> None:
    assert time_out(playing(TRICK, turn=1), 2, engine.Script(())) is None


# Hidden ───────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_hidden_a_seat_sees_its_hand_and_the_trick() -> None:
    start = playing(TRICK + " | middle: TC 2C 3C 4C | taken.3: 5C 6C 7C 8C | deck: AS", turn=1)
    names = ("hand.1", "hand.2", "trick", "middle", "taken.3", "deck")
    assert [seen(start, 1, name) for name in names] == ["KC 9D 2S", 1, "5D", 4, 4, 1]
    assert [seen(start, None, name) for name in names] == [3, 1, "5D", 4, 4, 1]


def test_hidden_a_partner_sees_no_more() -> None:
    assert seen(playing(TRICK, turn=1), 3, "hand.1") == 3


def test_hidden_what_is_taken_is_not_shown_again() -> None:
    start = playing("hand.3: 3D | trick: 5D TD 2D | middle: TC 2C 3C 4C", turn=3, holder=1, tricks=(0, 1, 0, 0))
    for viewer in (0, 1, None):
        swept = [event for event in events(start, "3 play 3D", viewer=viewer) if isinstance(event, Moved)]
        taken = next(event for event in swept if event.target == "taken.1")
        assert text(taken.cards) == "?? ?? ?? ?? ?? ?? ?? ??"


def test_hidden_the_order_of_the_lot_for_trump_is_seen_by_nobody() -> None:
    start = playing(FIFTH, turn=3, trump=None, tricks=(1, 1, 1, 1))
    made = events(start, "3 play 9D", "9D 6D 7D 8D", viewer=3)
    assert text(next(event for event in made if isinstance(event, Shuffled)).cards) == "?? ?? ?? ??"


def test_hidden_cards_stay_hidden_when_the_match_is_over() -> None:
    over = end(tens=(3, 1), over=True, hand_no=1, settings={"max_hands": 1})
    assert [seen(over, viewer, "taken.0") for viewer in (0, 2, None)] == [8, 8, 8]


# Edge cases ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("second", "winner"), [("9S", 2), ("2S", 1), ("AH", 1)])
def test_edge_1_the_first_thrower_makes_the_trump_and_the_second_may_throw_it(second: str, winner: int) -> None:
    start = playing(f"hand.1: 5S | hand.2: {second} | hand.3: 2D | trick: 3D", turn=1, trump=None)
    after = do(start, "1 play 5S", f"2 play {second}", "3 play 2D")
    assert (fact(after, "trump"), fact(after, "trump_maker"), fact(after, "last_winner")) == ("S", 1, winner)


def test_edge_2_the_thrown_card_beats_the_ace_of_the_thrower_s_partner() -> None:
    start = playing("hand.1: 5S | hand.2: 4D | hand.3: AD | trick: 3D", turn=1, trump=None)
    assert fact(do(start, "1 play 5S", "2 play 4D", "3 play AD"), "last_winner") == 1


def test_edge_3_trump_made_in_the_fifth_trick_needs_no_draw() -> None:
    start = playing(FIFTH.replace("9D", "2S"), turn=3, trump=None, tricks=(1, 1, 1, 1))
    after = do(start, "3 play 2S")
    assert (fact(after, "trump"), fact(after, "trump_maker"), fact(after, "trump_card")) == ("S", 3, None)
    assert (zone(after, "deck"), len(after.zones["hand.3"])) == ("", 8)


def test_edge_4_a_take_comes_before_the_deal() -> None:
    start = playing(FIFTH.replace("9D", "2S") + " | middle: 2C 3C 4C 5C", turn=3, trump=None, holder=3,
                    tricks=(0, 0, 0, 1))  # fmt: skip
    made = [event for event in events(start, "3 play 2S") if isinstance(event, Moved | Dealt)]
    assert [event.target if isinstance(event, Moved) else "dealt" for event in made] == [
        "trick", "middle", "taken.3", "dealt",
    ]  # fmt: skip


def test_edge_5_the_card_is_drawn_from_all_twenty_taken_or_not() -> None:
    """The fifth trick is the second running of seat 3, which takes all."""
    played = "2C 3C 4C 5C 2H 3H 4H 5H 2D 3D 4D 5D 2S 3S 4S 5S"
    start = playing(f"{FIFTH} | middle: {played}", turn=3, trump=None, holder=3, tricks=(1, 1, 1, 1))
    after = do(start, "3 play 9D", shuffles=[f"2H {played.replace('2H ', '')} 6D 7D 8D 9D"])
    assert (fact(after, "trump"), fact(after, "trump_card"), len(after.zones["taken.3"])) == ("H", "2H", 20)


@pytest.mark.parametrize("holder", [None, 0, 2])
def test_edge_6_the_winner_of_the_thirteenth_trick_takes_the_middle(holder: int | None) -> None:
    over = end(tens=(3, 0), middle_tens=1, over=True, holder=holder, hand_no=1, settings={"max_hands": 1})
    assert (zone(over, "taken.0"), zone(over, "middle"), fact(over, "tens")) == ("5H 6H 7H 8H AH 3H 4H 2H", "", [4, 0])
    assert fact(over, "holder") is None


def test_edge_6_only_its_own_four_cards_may_lie_there() -> None:
    start = playing("hand.3: 2H | trick: AH 3H 4H", turn=3, tens=(3, 1), tricks=(3, 3, 3, 3), settings={"max_hands": 1})
    assert zone(do(start, "3 play 2H"), "taken.0") == "AH 3H 4H 2H"


def test_edge_7_partners_winning_one_each_never_take() -> None:
    start = playing("hand.3: 3D | trick: 5D 9D AD", turn=3, holder=0, tricks=(1, 0, 0, 0))
    after = do(start, "3 play 3D")
    assert (fact(after, "holder"), len(after.zones["middle"])) == (2, 4)


def test_edge_8_two_tens_each_the_row_of_the_side_that_did_not_deal_grows() -> None:
    ended = end(tens=(2, 2), dealer=3, row=4, row_side=0)
    assert (fact(ended, "row"), fact(ended, "row_side")) == (5, 0)


def test_edge_9_four_tens_in_the_seventh_hand_are_one_kot() -> None:
    ended = end(tens=(4, 0), row=6, row_side=0, settings={"kots": 3})
    assert (fact(ended, "kots"), fact(ended, "last_hand.kot")) == ([1, 0], "tens")


def test_edge_10_a_kot_by_the_row_against_the_dealers_side_leaves_the_deal() -> None:
    ended = end(tens=(3, 1), row=6, row_side=0, dealer=1)
    assert (fact(ended, "last_hand.kot"), fact(ended, "dealer")) == ("row", 1)


def test_edge_11_kots_reached_in_the_last_hand_win_as_usual() -> None:
    ended = end(tens=(4, 0), over=True, hand_no=40, kots=(1, 1), score=(1, 1, 1, 1))
    assert result(ended) == ([1, 3, 1, 3], [2, 1, 2, 1])


def test_edge_12_the_seat_that_names_the_trump_may_not_pass() -> None:
    assert refused(begin("dehla_pakad", dealt(), trump_making="chosen"), "0 pass") == "UNKNOWN_ACTION"
