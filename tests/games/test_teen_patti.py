"""Teen Patti, rule by rule: settings, the deal, betting, shows and side shows, the end, and the edge cases."""

from contextlib import suppress
from typing import Any

import pytest

from chautari import engine
from chautari.cards import cards, text
from chautari.engine import HandEnded, Look, Position, Shown
from chautari.errors import Refusal
from chautari.games.teen_patti import GAME, hand_strength
from tests.games.matches import play
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

HANDS = ("AS KD 9H", "7C 7D 2S", "QH JH 4C", "TS 8D 3C", "9C 6D 2H", "JS 5D 3H")
"""Of seats 0, 1 …; the pair of seat 1 is the best of them, then come 0, 2, 5, 3 and 4."""


def betting(
    players: int = 3, *, hands: tuple[str, ...] = HANDS, unseen: tuple[int, ...] = (), **facts: Any
) -> Position[Any]:
    """Phase `bet` with seat 0 in turn; all have paid 1, and have seen their cards but for the `unseen`."""
    settings = {"players": players, **facts.pop("settings", {})}
    start = {
        "live": (True,) * players,
        "seen": tuple(seat not in unseen for seat in range(players)),
        "shown_to": ((),) * players,
        "chips": (99,) * players,
        "score": facts.get("chips", (99,) * players),
        "paid": (1,) * players,
        "pot": players,
        "stake": 1,
    }
    lying = " | ".join(f"hand.{seat}: {hand}" for seat, hand in enumerate(hands[:players]))
    return table("teen_patti", lying, phase="bet", settings=settings, **{**start, **facts})


def ended(position: Position[Any], *lines: str, then: int = 1) -> Position[Any]:
    """As `do`, where the hand ends and another is dealt."""
    return do(position, *lines, shuffles=[dealt()] * then)


# Settings, zones, facts ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "default", "allowed", "wrong"),
    [
        ("players", 4, (2, 6), (1, 7)),
        ("chips", 100, (10, 100_000), (9, 100_001)),
        ("boot", 1, (1, 100), (0, 1001)),
        ("hands", 10, (1, 100), (0, 101)),
        ("variation", "classic", ("classic", "muflis", "ak47", "joker"), ("wild", 1)),
        ("a23", "second", ("second", "first", "lowest"), ("third",)),
        ("max_blind", 4, (0, 20), (-1, 21)),
        ("stake_limit", 0, (0, 100_000), (-1, 100_001)),
        ("pot_limit", 0, (0, 1_000_000), (-1, 1_000_001)),
        ("side_show", True, (True, False), (1,)),
        ("show_tie", "payer_loses", ("payer_loses", "split"), ("payer_wins",)),
        ("seen_may_show_blind", False, (True, False), (None,)),
    ],
)
def test_settings(name: str, default: object, allowed: tuple[object, ...], wrong: tuple[object, ...]) -> None:
    assert getattr(GAME.read_settings({}), name) == default
    for value in allowed:
        assert getattr(GAME.read_settings({name: value}), name) == value
    for value in wrong:
        assert bad_setting("teen_patti", **{name: value}) == name


def test_everybody_can_pay_the_first_boot() -> None:
    assert bad_setting("teen_patti", chips=20, boot=21) == "chips"
    assert bad_setting("teen_patti", boot=101) == "chips"
    assert GAME.read_settings({"chips": 20, "boot": 20}).boot == 20


def test_zones() -> None:
    assert zones_declared("teen_patti") == {
        "deck": ("none", True), "joker": ("all", False), "hand": ("by rule", False),
    }  # fmt: skip


def test_facts() -> None:
    assert public_facts("teen_patti") == [
        "dealer", "hand_no", "chips", "score", "pot", "stake", "live", "seen", "blinds", "paid", "out", "asker", "last",
        "shown_to",
    ]  # fmt: skip


def test_what_is_shown_after_the_match_only_is_kept_so() -> None:
    assert GAME.disclosure == "shown_only"


# The deal ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_deal_1_the_last_seat_deals_first() -> None:
    start = begin("teen_patti", dealt(), players=5)
    assert (fact(start, "dealer"), start.turn, start.phase, fact(start, "hand_no")) == (4, (0,), "bet", 1)


def test_deal_2_all_pay_the_boot_which_is_the_first_stake() -> None:
    start = begin("teen_patti", dealt(), players=3, boot=5)
    assert [fact(start, name) for name in ("pot", "stake", "chips", "paid")] == [15, 5, [95] * 3, [5] * 3]
    assert fact(start, "score") == fact(start, "chips")


def test_deal_3_three_cards_each_one_at_a_time() -> None:
    start = begin("teen_patti", dealt(*HANDS[:3], players=3, then="4H"), players=3)
    assert [zone(start, f"hand.{seat}") for seat in range(3)] == [text(sorted(cards(hand))) for hand in HANDS[:3]]
    assert (zone(start, "deck")[:2], zone(start, "joker")) == ("4H", "")


def test_deal_4_the_variation_joker_turns_a_card_up() -> None:
    start = begin("teen_patti", dealt(*HANDS[:3], players=3, then="4H 5C"), players=3, variation="joker")
    assert (zone(start, "joker"), zone(start, "deck")[:2], seen(start, None, "joker")) == ("4H", "5C", "4H")


def test_deal_5_a_pot_at_its_limit_is_shown_for_at_once() -> None:
    over = begin("teen_patti", dealt(*HANDS[:2], players=2), players=2, pot_limit=2, hands=1)
    assert (fact(over, "last.how"), fact(over, "last.winners")) == ("pot_limit", [1])
    assert begin("teen_patti", dealt(players=2), players=2, pot_limit=3).turn == (0,)


def test_the_next_seat_that_is_in_deals_and_the_seat_after_it_begins() -> None:
    start = betting(4, chips=(99, 0, 99, 99), out=(False, True, False, False), live=(True, False, True, True), dealer=0)
    after = ended(start, "0 pack", "2 pack")
    assert (fact(after, "dealer"), after.turn, fact(after, "live")) == (2, (3,), [True, False, True, True])
    assert [len(after.zones[f"hand.{seat}"]) for seat in range(4)] == [3, 0, 3, 3]
    assert fact(after, "chips") == [98, 0, 98, 102]


# Ranking ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def strengths(variation: str, *hands: str, joker: str = "", a23: str = "second") -> list[int]:
    settings = GAME.read_settings({"players": len(hands), "variation": variation, "a23": a23})
    start = betting(len(hands), hands=hands)
    look = Look(start)
    look.zones = {**start.zones, "joker": cards(joker)}
    return [hand_strength(look, settings, seat) for seat in range(len(hands))]


def test_classes_from_the_best() -> None:
    best = ("2C 2D 2H", "4D 3D 2D", "4D 3D 2C", "5S 3S 2S", "3H 3C 2S", "AC KD JH")
    assert strengths("classic", *best) == sorted(strengths("classic", *best), reverse=True)


@pytest.mark.parametrize(
    ("a23", "order"), [("second", "AKQ A23 KQJ 432"), ("first", "A23 AKQ KQJ 432"), ("lowest", "AKQ KQJ 432 A23")]
)
def test_the_place_of_ace_two_three(a23: str, order: str) -> None:
    hands = [" ".join(rank + suit for rank, suit in zip(run, "CDH", strict=True)) for run in order.split()]
    found = strengths("classic", *hands, a23=a23)
    assert found == sorted(set(found), reverse=True)
    found = strengths("muflis", *hands, a23=a23)
    assert found == sorted(set(found))
    wild, run = strengths("ak47", "4C 3D 2D", "QS JS TS", a23=a23)
    assert (wild > run) == (a23 != "lowest")


def test_muflis_turns_the_order_round() -> None:
    best, pair, worst = strengths("muflis", "5C 3D 2H", "3C 3D 2H", "AC AD AH")
    assert best > pair > worst


def test_ak47_makes_aces_kings_fours_and_sevens_wild() -> None:
    one, two = strengths("ak47", "AC KD 9H", "9C 9D 9S")
    assert one == two
    assert strengths("ak47", "AC KD 7H", "QC QD QH")[0] > strengths("ak47", "QC QD QH", "2C 3C 5C")[0]


# Verbs ────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_seeing_shows_the_hand_to_its_owner_alone_and_the_turn_goes_on() -> None:
    start = betting(unseen=(0,))
    assert [seen(start, viewer, "hand.0") for viewer in (0, 1, None)] == [3, 3, 3]
    after = do(start, "0 see")
    assert (seen(after, 0, "hand.0"), after.turn, fact(after, "seen")) == ("KD 9H AS", (0,), [True] * 3)
    assert [seen(after, viewer, "hand.0") for viewer in (1, None)] == [3, 3]
    assert not [event for event in events(start, "0 see", viewer=1) if isinstance(event, Shown)]


def test_a_blind_bet_is_the_new_stake_and_half_of_a_seen_one_is() -> None:
    after = do(betting(unseen=(0,)), "0 chaal 2", "1 chaal 6")
    assert [fact(after, name) for name in ("stake", "pot", "paid", "blinds")] == [3, 11, [3, 7, 1], [1, 0, 0]]
    assert (after.turn, fact(after, "chips")) == ((2,), [97, 93, 99])


def test_packing_passes_the_turn_and_the_last_live_seat_wins() -> None:
    after = do(betting(), "0 pack")
    assert (fact(after, "live"), after.turn) == ([False, True, True], (1,))
    over = ended(after, "1 pack")
    assert fact(over, "last") == {
        "hand_no": 1, "how": "packs", "winners": [2], "pot": 3, "change": [-1, -1, 2], "shown": ["", "", ""],
    }  # fmt: skip


def test_a_packed_hand_stays_with_its_owner() -> None:
    after = do(betting(), "0 pack")
    assert [seen(after, viewer, "hand.0") for viewer in (0, 1, None)] == ["KD 9H AS", 3, 3]


def test_a_show_compares_two_hands() -> None:
    over = ended(betting(2), "0 show")
    assert fact(over, "last") == {
        "hand_no": 1, "how": "show", "winners": [1], "pot": 4, "change": [-3, 3], "shown": ["AS KD 9H", "7D 7C 2S"],
    }  # fmt: skip


@pytest.mark.parametrize(("tie", "winners"), [("payer_loses", [1]), ("split", [0, 1])])
def test_equal_hands_in_a_show(tie: str, winners: list[int]) -> None:
    over = ended(betting(2, hands=("AS KD 9H", "AD KS 9C"), settings={"show_tie": tie}), "0 show")
    assert fact(over, "last.winners") == winners
    assert fact(over, "last.change") == ([-1, 1] if tie == "split" else [-3, 3])


def test_a_side_show_asks_the_live_seat_before() -> None:
    after = do(betting(4, live=(True, True, True, False)), "0 side_show")
    assert (after.phase, after.turn, fact(after, "asker")) == ("answer", (2,), 0)
    assert [fact(after, name) for name in ("pot", "stake", "paid")] == [6, 1, [3, 1, 1, 1]]


def test_a_side_show_shows_the_two_hands_to_the_two() -> None:
    after = do(betting(), "0 side_show", "2 accept")
    assert (seen(after, 2, "hand.0"), seen(after, 0, "hand.2")) == ("KD 9H AS", "4C JH QH")
    assert [seen(after, viewer, f"hand.{seat}") for viewer in (1, None) for seat in (0, 2)] == [3, 3, 3, 3]
    assert (fact(after, "live"), after.turn, fact(after, "asker")) == ([True, True, False], (1,), None)
    faces = [
        event.zone for event in events(do(betting(), "0 side_show"), "2 accept", viewer=1) if isinstance(event, Shown)
    ]
    assert faces == []


def test_the_asker_packs_where_its_hand_is_not_better() -> None:
    equal = betting(hands=("AS KD 9H", "7C 7D 2S", "AD KS 9C"))
    for start in (equal, betting(hands=("QS KD 9H", "7C 7D 2S", "AD KS 9C"))):
        assert fact(do(start, "0 side_show", "2 accept"), "live") == [False, True, True]


def test_a_refused_side_show_changes_nothing() -> None:
    after = do(betting(), "0 side_show", "2 refuse")
    assert (fact(after, "live"), after.turn, after.phase, fact(after, "asker")) == ([True] * 3, (1,), "bet", None)
    assert seen(after, 2, "hand.0") == 3


def test_what_a_side_show_has_shown_is_hidden_in_the_next_hand() -> None:
    after = ended(betting(), "0 side_show", "2 accept", "1 pack")
    assert [seen(after, 0, f"hand.{seat}") for seat in range(3)] == [3, 3, 3]
    after = do(after, "1 chaal 1", "2 see", "2 chaal 2", "0 see")
    assert [seen(after, 0, "hand.2"), seen(after, 2, "hand.0")] == [3, 3]


# Refusals ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("verb", ["see", "pack", "show", "side_show", "all_in"])
def test_verbs_of_betting_take_no_argument(verb: str) -> None:
    assert refused(betting(), f"0 {verb} 1") == "MALFORMED_ACTION"


@pytest.mark.parametrize("argument", ["", " 2 2", " -2", " 02", " two", " 1000000000", " 2.0", " +2", " ２"])
def test_a_bet_is_one_number(argument: str) -> None:
    assert refused(betting(), f"0 chaal{argument}") == "MALFORMED_ACTION"


@pytest.mark.parametrize("amount", [0, 1, 3, 5, 6])
def test_a_seen_bet_is_even_and_within_its_range(amount: int) -> None:
    assert refused(betting(), f"0 chaal {amount}") == "RULE_BROKEN"


def test_a_bet_that_the_seat_cannot_pay_is_refused() -> None:
    assert refused(betting(chips=(1, 99, 99)), "0 chaal 2") == "RULE_BROKEN"
    assert refused(betting(chips=(3, 99, 99)), "0 chaal 4") == "RULE_BROKEN"


def test_cards_are_looked_at_once() -> None:
    assert refused(betting(), "0 see") == "RULE_BROKEN"


@pytest.mark.parametrize(
    "start",
    [betting(), betting(2, unseen=(1,)), betting(2, chips=(1, 99))],
    ids=["three live", "seen against blind", "too few chips"],
)
def test_a_show_is_refused(start: Position[Any]) -> None:
    assert refused(start, "0 show") == "RULE_BROKEN"


@pytest.mark.parametrize(
    "start",
    [
        betting(settings={"side_show": False}),
        betting(2),
        betting(unseen=(0,)),
        betting(unseen=(2,)),
        betting(chips=(1, 99, 99)),
    ],
    ids=["switched off", "two live", "asker blind", "asked blind", "too few chips"],
)
def test_a_side_show_is_refused(start: Position[Any]) -> None:
    assert refused(start, "0 side_show") == "RULE_BROKEN"


def test_all_in_is_for_those_who_cannot_pay() -> None:
    assert refused(betting(chips=(2, 99, 99)), "0 all_in") == "RULE_BROKEN"
    assert fact(ended(betting(chips=(1, 99, 99)), "0 all_in"), "last.how") == "all_in"


def test_verbs_of_another_phase_are_unknown() -> None:
    assert [refused(betting(), f"0 {verb}") for verb in ("accept", "refuse")] == ["UNKNOWN_ACTION"] * 2
    asked = do(betting(), "0 side_show")
    for verb in ("see", "pack", "show", "side_show", "all_in", "chaal 2"):
        assert refused(asked, f"2 {verb}") == "UNKNOWN_ACTION"
    assert [refused(asked, f"2 {verb} 0") for verb in ("accept", "refuse")] == ["MALFORMED_ACTION"] * 2
    assert refused(asked, "0 accept") == "NOT_YOUR_TURN"


def test_options_tell_the_range_and_the_step() -> None:
    options = {option.verb: option for option in engine.options(betting(stake=4), 0)}
    choice = options["chaal"].choices[0]
    assert (choice.low, choice.high, choice.step) == (8, 16, 2)
    assert set(options) == {"chaal", "pack", "side_show"}
    assert {option.verb for option in engine.options(betting(chips=(1, 9, 9)), 0)} == {"pack", "all_in"}


# Forced moves, time, the end ──────────────────────────────────────────────────────────────────────────────────────────


def test_a_pot_at_its_limit_compares_all_hands_after_a_bet() -> None:
    over = ended(betting(settings={"pot_limit": 5}), "0 chaal 2")
    assert [fact(over, f"last.{name}") for name in ("how", "winners", "pot")] == ["pot_limit", [1], 5]
    assert fact(over, "last.shown") == ["AS KD 9H", "7D 7C 2S", "QH JH 4C"]


def test_a_side_show_is_not_asked_where_its_price_fills_the_pot() -> None:
    over = ended(betting(settings={"pot_limit": 5}), "0 side_show")
    assert (fact(over, "last.how"), fact(over, "asker")) == ("pot_limit", None)


def test_time_outs() -> None:
    assert fact(do(betting(), "0 times out"), "live") == [False, True, True]
    after = do(betting(), "0 side_show", "2 times out")
    assert (fact(after, "live"), after.turn) == ([True] * 3, (1,))


def test_the_most_chips_win() -> None:
    over = do(betting(settings={"hands": 1}), "0 pack", "1 pack")
    assert result(over) == ([2, 2, 1], [99, 99, 102])
    assert (fact(over, "pot"), fact(over, "stake")) == (0, 0)


def test_of_equal_chips_a_seat_that_is_in_comes_first_then_the_one_that_went_out_later() -> None:
    broke = betting(
        4, chips=(10, 0, 0, 0), paid=(1, 1, 0, 0), live=(True, True, False, False), pot=2,
        out=(False, False, True, True), out_in=(0, 0, 2, 3), hand_no=5,
    )  # fmt: skip
    over = do(broke, "0 chaal 2", "1 pack")
    assert result(over) == ([1, 2, 4, 3], [12, 0, 0, 0])
    assert fact(over, "out") == [False, True, True, True]


def test_hands_that_were_shown_last_are_open_when_the_match_is_over_and_no_others() -> None:
    over = do(do(betting(settings={"hands": 1}), "0 pack"), "1 show")
    assert [seen(over, None, f"hand.{seat}") for seat in range(3)] == [3, "7C 7D 2S", "4C JH QH"]
    packed = do(betting(settings={"hands": 1}), "0 pack", "1 pack")
    assert [seen(packed, None, f"hand.{seat}") for seat in range(3)] == [3, 3, 3]


def test_a_hand_that_is_broken_off_is_not_shown_for_what_was_shown_in_the_one_before() -> None:
    after = do(betting(2), "0 show", shuffles=[dealt(players=2)])
    over = engine.leave(after, 0).position
    assert (over.is_over, [seen(over, None, f"hand.{seat}") for seat in (0, 1)]) == (True, [3, 3])


@pytest.mark.parametrize("trial", range(len(GAME.trials)))
def test_chips_are_conserved_at_every_step(trial: int) -> None:
    settings = GAME.read_settings(GAME.trials[trial])
    for moment in play(GAME, settings, 11, 3000):
        facts = moment.position.facts
        assert sum(facts.chips) + facts.pot == settings.chips * settings.players
        assert min(facts.chips) >= 0
        assert facts.score == facts.chips
        for event in moment.events:
            if isinstance(event, HandEnded):
                assert sum(event.record["change"]) == 0


# Edge cases ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_edge_1_two_blind_seats_may_have_a_show_at_the_stake() -> None:
    over = ended(betting(2, unseen=(0, 1)), "0 show")
    assert (fact(over, "last.pot"), fact(over, "last.shown")) == (3, ["AS KD 9H", "7D 7C 2S"])
    assert fact(ended(betting(2, unseen=(0,)), "0 show"), "last.pot") == 3


def test_edge_2_a_seen_seat_asks_a_blind_one_only_by_the_setting() -> None:
    assert refused(betting(2, unseen=(1,)), "0 show") == "RULE_BROKEN"
    allowed = betting(2, unseen=(1,), settings={"seen_may_show_blind": True})
    assert fact(ended(allowed, "0 show"), "last.pot") == 4


def test_edge_3_the_nearest_live_seat_before_is_asked() -> None:
    assert do(betting(4, live=(True, True, True, False)), "0 side_show").turn == (2,)
    assert do(betting(4), "0 side_show").turn == (3,)


def test_edge_4_a_side_show_leaves_the_stake_and_costs_the_least_bet_even_if_refused() -> None:
    after = do(betting(stake=3), "0 side_show", "2 refuse")
    assert (fact(after, "stake"), fact(after, "paid")) == (3, [7, 1, 1])


def test_edge_5_after_an_accepted_side_show_of_three_a_show_is_possible() -> None:
    assert fact(ended(do(betting(), "0 side_show", "2 accept"), "1 show"), "last.how") == "show"


def test_edge_6_seeing_doubles_the_price_at_once() -> None:
    after = do(betting(unseen=(0,)), "0 see")
    assert refused(after, "0 chaal 1") == "RULE_BROKEN"
    assert fact(do(after, "0 chaal 2"), "stake") == 1


def test_edge_7_the_ranges_at_a_stake_of_four() -> None:
    assert amounts(betting(stake=4)) == [8, 10, 12, 14, 16]
    assert amounts(betting(stake=4, unseen=(0,))) == [4, 5, 6, 7, 8]


def amounts(start: Position[Any]) -> list[int]:
    """The bets that are accepted."""
    found = []
    for amount in range(30):
        with suppress(Refusal):
            do(start, f"0 chaal {amount}")
            found.append(amount)
    return found


def test_edge_8_a_seen_seat_with_odd_chips() -> None:
    assert amounts(betting(stake=4, chips=(9, 99, 99))) == [8]
    assert amounts(betting(stake=4, chips=(7, 99, 99))) == []
    assert engine.legal(betting(stake=4, chips=(7, 99, 99)), 0) == ["pack", "all_in"]


def test_edge_9_all_in_compares_all_hands_and_the_short_seat_can_win_everything() -> None:
    start = betting(hands=("AS AD 9H", *HANDS[1:]), unseen=(1, 2), chips=(1, 99, 99), pot=50)
    over = ended(start, "0 all_in")
    assert (fact(over, "last.winners"), fact(over, "last.pot")) == ([0], 51)
    assert "" not in fact(over, "last.shown")


def test_edge_10_seeing_may_leave_a_seat_unable_to_pay() -> None:
    after = do(betting(unseen=(0,), chips=(1, 99, 99)), "0 see")
    assert engine.legal(after, 0) == ["pack", "all_in"]


def test_edge_11_with_one_blind_bet_allowed_a_seat_is_shown_its_cards_at_its_next_turn() -> None:
    start = betting(2, unseen=(0, 1), settings={"max_blind": 1})
    after = do(start, "0 chaal 1", "1 chaal 1")
    assert (fact(after, "seen"), seen(after, 0, "hand.0"), seen(after, 1, "hand.1")) == ([True, False], "KD 9H AS", 3)
    assert fact(do(after, "0 chaal 2"), "seen") == [True, True]
    free = betting(2, unseen=(0, 1), blinds=(50, 50), settings={"max_blind": 0})
    assert fact(do(free, "0 chaal 1", "1 chaal 1"), "seen") == [False, False]


def test_edge_11_also_after_an_answer_and_a_pack() -> None:
    start = betting(4, unseen=(1,), blinds=(0, 1, 0, 0), settings={"max_blind": 1})
    assert fact(do(start, "0 side_show", "3 refuse"), "seen") == [True] * 4
    assert fact(do(start, "0 pack"), "seen") == [True] * 4


def test_edge_12_a_stake_at_its_limit_stays() -> None:
    assert amounts(betting(stake=4, settings={"stake_limit": 4})) == [8]
    assert amounts(betting(stake=4, unseen=(0,), settings={"stake_limit": 4})) == [4]
    assert amounts(betting(stake=4, settings={"stake_limit": 6})) == [8, 10, 12]
    assert amounts(betting(stake=5, unseen=(0,), settings={"stake_limit": 4})) == [5]


def test_edge_13_a_whole_match_may_run_without_an_action() -> None:
    hands = ("AS AD AH", "KC QD 2S", "KH QC 3S")
    shuffles = [dealt(*hands[first:], *hands[:first], players=3) for first in (0, 1, 2, 0, 1)]
    over = begin("teen_patti", *shuffles, players=3, boot=20, pot_limit=60)
    assert result(over) == ([1, 2, 2], [300, 0, 0])
    assert (fact(over, "last.how"), fact(over, "last.hand_no"), fact(over, "dealer")) == ("pot_limit", 5, 0)


def test_edge_14_the_odd_chip_goes_to_the_first_winner_after_the_dealer() -> None:
    for dealer, chips in ((1, [101, 102]), (0, [100, 103])):
        over = do(betting(2, hands=("AS KD 9H", "AD KS 9C"), pot=5, dealer=dealer,
                          settings={"show_tie": "split", "hands": 1}), "0 show")  # fmt: skip
        assert result(over)[1] == chips


def test_edge_15_the_card_turned_up_is_out_of_play() -> None:
    start = begin("teen_patti", dealt(players=2, each=3, then="9S"), players=2, variation="joker")
    assert "9S" not in zone(start, "deck")
    one, two = strengths("joker", "9C AD KH", "QS AC KC", joker="9S")
    assert one == two


def test_edge_16_one_wild_card() -> None:
    colour, sequence, pair = strengths("joker", "3C AS 9S", "3D AS KS", "3H AS 9D", joker="3S")
    assert [colour, sequence, pair] == strengths("classic", "AS KS 9S", "AS KS QS", "AS AD 9D")


def test_edge_17_a_live_seat_without_chips_goes_all_in_for_nothing() -> None:
    over = ended(betting(chips=(0, 99, 99)), "0 all_in")
    assert (fact(over, "last.how"), fact(over, "last.pot")) == ("all_in", 3)


def test_edge_18_a_seat_that_is_out_keeps_its_last_chips() -> None:
    start = betting(chips=(40, 4, 40), score=(40, 4, 40), settings={"boot": 5, "hands": 9}, stake=5)
    over = ended(start, "0 pack", "1 pack")
    assert (fact(over, "out"), fact(over, "score")) == ([False, True, False], [35, 4, 38])
