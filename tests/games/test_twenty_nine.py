"""Twenty-nine, rule by rule: the deal, the auction, the trump, doubling, single hands, the play, pairs and pips."""

from typing import Any

import pytest

from chautari import engine
from chautari.cards import cards, text
from chautari.engine import Dealt, HandBegan, HandEnded, Moved, Position, Said, Shown, Shuffled
from chautari.games.twenty_nine import GAME, PACK
from tests.games.tables import (
    bad_setting,
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


def outcome(*hands: str) -> str:
    """A shuffle that deals these hands, the first to the seat dealt to first; open places in the card order."""
    left = list(PACK)
    places: dict[int, str] = {}
    for seat, hand in enumerate(hands):
        for turn, card in enumerate(cards(hand)):
            places[4 * turn + seat] = card.text
            left.remove(card)
    return " ".join([places[place] if place in places else left.pop(0).text for place in range(32)])


GOOD = outcome("JC 9C AC TC", "JD 9D AD TD", "JH 9H AH TH", "JS 9S AS TS")
"""A suit's four best cards to each seat, with the four worst of another to follow."""


def start(*shuffles: str, **settings: object) -> Position[Any]:
    script = engine.Script(map(cards, shuffles or (GOOD,)))
    position = engine.begin(GAME, GAME.read_settings(settings), script).position
    assert script.used == len(shuffles or (GOOD,))
    return position


def after_auction(*, bidder: int = 0, number: int = 16, **settings: object) -> Position[Any]:
    """Phase `trump`: everybody else has passed."""
    position = start(**settings)
    for seat in (0, 1, 2, 3):
        position = do(position, f"{seat} bid {number}" if seat == bidder else f"{seat} pass")
    return position


def playing(hand: str, trick: str = "", *, others: str = "", **facts: Any) -> Position[Any]:
    """Phase `play`: seat 0 is in turn, leading or last of the trick; seat 1 has bid 16 and chosen hearts."""
    played = cards(trick)
    given: dict[str, Any] = {"bid": 16, "bidder": 1, "target": 16, "hidden_trump": "H", "leader": (4 - len(played)) % 4}
    if played:
        given["led"] = played[0].suit
    settings = facts.pop("settings", None)
    lying = f"hand.0: {hand} | trick: {trick} | {others}"
    return table("twenty_nine", lying, phase="play", settings=settings, **{**given, **facts})


def may_play(position: Position[Any], seat: int = 0) -> str:
    """The cards that this seat may play."""
    return " ".join(action.split()[1] for action in engine.legal(position, seat) if action.startswith("play"))


def may(position: Position[Any], verb: str, seat: int = 0) -> bool:
    """Whether this seat may use the verb, as listed; and that trying says the same."""
    listed = verb in engine.legal(position, seat)
    if listed:
        do(position, f"{seat} {verb}")
    else:
        assert refused(position, f"{seat} {verb}") == "RULE_BROKEN"
    return listed


# Settings, zones, facts ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "default", "allowed", "wrong"),
    [
        ("players", 4, (4,), (3, 6)),
        ("min_bid", 16, (15, 16, 17), (14, 18)),
        ("first_must_bid", False, (True, False), (1,)),
        ("last_trick_point", False, (True, False), (0,)),
        ("seventh_card", False, (True, False), ("7",)),
        ("no_trump", "off", ("off", "plain", "reverse"), (False, "on")),
        ("doubles", False, (True, False), (2,)),
        ("single_hand", False, (True, False), (None,)),
        ("must_trump", True, (True, False), (0,)),
        ("early_trumps", "count", ("count", "plain"), ("off",)),
        ("pair", True, (True, False), (1,)),
        ("pair_min_bid", 15, (15, 21), (14, 22)),
        ("bonus_bid", 0, (0, 19, 24), (18, 25, 1)),
        ("redeal", "standard", ("standard", "off"), (True,)),
        ("pips", 6, (3, 12), (2, 13)),
        ("max_hands", 100, (1, 100), (0, 101)),
    ],
)
def test_settings(name: str, default: object, allowed: tuple[object, ...], wrong: tuple[object, ...]) -> None:
    assert getattr(GAME.read_settings({}), name) == default
    for value in allowed:
        assert getattr(GAME.read_settings({name: value}), name) == value
    for value in wrong:
        assert bad_setting("twenty_nine", **{name: value}) == name


def test_zones() -> None:
    assert zones_declared("twenty_nine") == {
        "hand": ("owner", False), "deck": ("none", True), "trump_card": ("by rule", True), "trick": ("all", True),
        "taken": ("none", True),
    }  # fmt: skip


def test_facts() -> None:
    assert public_facts("twenty_nine") == [
        "dealer", "hand_no", "redeals", "leader", "led", "bid", "bidder", "passed", "target", "hidden_trump", "trump",
        "asker", "stake", "doubler", "single", "out", "pair", "points", "tricks", "last_trick", "last_winner",
        "last_hand", "pips", "score",
    ]  # fmt: skip


# The deal ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_deal_1_the_pack_has_32_cards_and_28_points() -> None:
    assert (len(PACK), {card.rank for card in PACK}) == (32, set("J9ATKQ87"))


def test_deal_2_four_cards_each_one_at_a_time() -> None:
    position = start()
    assert (zone(position, "hand.0"), zone(position, "hand.3")) == ("AC 9C TC JC", "AS 9S TS JS")
    assert (len(position.zones["deck"]), position.turn, position.phase) == (16, (0,), "bid")


NO_POINTS_FIRST = outcome("7C 8C QC KC")


def test_deal_3_a_first_bidder_without_points() -> None:
    position = start(NO_POINTS_FIRST, NO_POINTS_FIRST, GOOD)
    assert (fact(position, "redeals"), fact(position, "hand_no"), fact(position, "dealer")) == (2, 1, 3)
    assert start(NO_POINTS_FIRST, redeal="off").turn == (0,)


def test_deal_3_cards_thrown_in_are_shown_to_nobody() -> None:
    script = engine.Script(map(cards, (NO_POINTS_FIRST, GOOD)))
    made = engine.begin(GAME, GAME.read_settings({}), script).events
    assert sum(isinstance(event, Dealt) for event in made) == 1
    for viewer in (0, None):
        shuffled = next(event for event in engine.redact(made, viewer) if isinstance(event, Shuffled))
        assert {card.text for card in shuffled.cards} == {"??"}


def test_deal_5_four_more_each() -> None:
    position = do(after_auction(), "0 trump C")
    assert (zone(position, "deck"), position.phase, position.turn) == ("", "play", (0,))
    assert [len(position.zones[f"hand.{seat}"]) for seat in range(4)] == [8] * 4


FOUR_JACKS = outcome("JC JD 9C AC JH JS", "9D TD")
NO_POINTS = outcome("JC 9C", "JD 9D 7C 8C", "7D 8D QD KD QC KC QH KH")


@pytest.mark.parametrize("bad", [FOUR_JACKS, NO_POINTS])
def test_deal_6_four_jacks_or_no_points_are_thrown_in(bad: str) -> None:
    position = start(bad)
    for line in ("0 bid 16", "1 pass", "2 pass", "3 pass"):
        position = do(position, line)
    made = events(position, "0 trump C", GOOD)
    assert [event for event in made if isinstance(event, HandBegan)] == [HandBegan(1)]
    assert sum(isinstance(event, Dealt) for event in made) == 1
    after = do(position, "0 trump C", shuffles=[GOOD])
    assert (after.phase, after.turn, fact(after, "redeals"), fact(after, "dealer")) == ("bid", (0,), 1, 3)
    assert [fact(after, name) for name in ("bid", "bidder", "target", "hidden_trump")] == [None] * 4


def test_deal_6_not_with_redeal_off() -> None:
    position = start(FOUR_JACKS, redeal="off")
    position = do(position, "0 bid 16", "1 pass", "2 pass", "3 pass", "0 trump C")
    assert (position.phase, fact(position, "redeals")) == ("play", 0)


def test_deal_6_doubling_is_void_too() -> None:
    position = start(FOUR_JACKS, doubles=True)
    position = do(position, "0 bid 16", "1 pass", "2 pass", "3 pass", "0 trump C", "1 double", "0 pass")
    after = do(position, "2 redouble", shuffles=[GOOD])
    assert (fact(after, "stake"), fact(after, "doubler"), fact(after, "redeals")) == (1, None, 1)


SEVENTH = outcome("JC 9C AC TC", "JD 9D AD TD 7C 8C QC KC", "JH 9H AH TH", "JS 9S AS TS")


def test_deal_7_the_seventh_card_lies_face_down() -> None:
    position = start(SEVENTH, seventh_card=True)
    position = do(position, "0 pass", "1 bid 16", "2 pass", "3 pass")
    assert fact(do(position, "1 trump C"), "hidden_trump") == "C"
    after = do(position, "1 trump 7")
    assert (zone(after, "trump_card"), fact(after, "hidden_trump"), len(after.zones["hand.1"])) == ("QC", "C", 7)
    for viewer, card, suit in ((1, "QC", "C"), (0, 1, None), (3, 1, None), (None, 1, None)):
        assert (seen(after, viewer, "trump_card"), engine.view(after, viewer).facts["hidden_trump"]) == (card, suit)
    moved = [event for event in events(position, "1 trump 7", viewer=0) if isinstance(event, Moved)]
    assert [event.cards[0].text for event in moved] == ["??"]


def test_deal_7_until_it_is_dealt_the_bidder_knows_no_suit() -> None:
    position = start(SEVENTH, seventh_card=True, doubles=True)
    position = do(position, "0 pass", "1 bid 16", "2 pass", "3 pass", "1 trump 7")
    assert [engine.view(position, viewer).facts["hidden_trump"] for viewer in (1, 0, None)] == ["7", None, None]


# The auction ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ("bid 15", "RULE_BROKEN"),
        ("bid 29", "RULE_BROKEN"),
        ("bid", "MALFORMED_ACTION"),
        ("bid 016", "MALFORMED_ACTION"),
        ("bid +16", "MALFORMED_ACTION"),
        ("bid 16 H", "MALFORMED_ACTION"),
        ("pass now", "MALFORMED_ACTION"),
        ("trump H", "UNKNOWN_ACTION"),
        ("double", "UNKNOWN_ACTION"),
        ("play JC", "UNKNOWN_ACTION"),
    ],
)
def test_bid_refusals(action: str, code: str) -> None:
    assert refused(start(), f"0 {action}") == code


@pytest.mark.parametrize(
    ("settings", "low", "high"), [({}, 16, 28), ({"min_bid": 15, "last_trick_point": True}, 15, 29)]
)
def test_bid_range(settings: dict[str, object], low: int, high: int) -> None:
    assert engine.legal(start(**settings), 0) == [*(f"bid {number}" for number in range(low, high + 1)), "pass"]


def test_bid_passes_are_left_out_and_partners_overbid() -> None:
    position = do(start(), "0 bid 16", "1 pass", "2 bid 17", "3 bid 18", "0 pass", "2 bid 20")
    assert (position.turn, fact(position, "passed"), fact(position, "target")) == (
        (3,),
        [True, True, False, False],
        None,
    )
    after = do(position, "3 pass")
    assert (after.phase, after.turn, fact(after, "target"), fact(after, "bidder")) == ("trump", (2,), 20, 2)


def test_bid_all_pass_and_the_next_player_deals() -> None:
    after = do(start(), "0 pass", "1 pass", "2 pass", "3 pass", shuffles=[GOOD])
    assert (fact(after, "dealer"), after.turn, fact(after, "hand_no"), fact(after, "redeals")) == (0, (1,), 1, 1)
    assert (fact(after, "passed"), fact(after, "leader")) == ([False] * 4, 1)


def test_bid_the_first_may_have_to_bid() -> None:
    position = start(first_must_bid=True)
    assert refused(position, "0 pass") == "RULE_BROKEN"
    assert "pass" not in engine.legal(position, 0)
    assert do(position, "0 bid 16", "1 pass", "2 pass", "3 pass").phase == "trump"


# The trump, doubling, the single hand ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ("trump 7", "RULE_BROKEN"),
        ("trump N", "RULE_BROKEN"),
        ("trump X", "MALFORMED_ACTION"),
        ("trump", "MALFORMED_ACTION"),
        ("bid 20", "UNKNOWN_ACTION"),
    ],
)
def test_trump_refusals(action: str, code: str) -> None:
    assert refused(after_auction(), f"0 {action}") == code


def test_trump_is_told_to_the_bidder_alone() -> None:
    position = after_auction()
    said = {viewer: events(position, "0 trump S", viewer=viewer)[0] for viewer in (0, 1, None)}
    assert said[0] == Said(0, "trump S", "")
    assert said[1] == said[None] == Said(0, "", "")
    after = do(position, "0 trump S")
    assert [engine.view(after, viewer).facts["hidden_trump"] for viewer in (0, 1, 2, None)] == ["S", None, None, None]


def test_trump_options_with_all_choices() -> None:
    position = after_auction(seventh_card=True, no_trump="plain")
    assert [action[-1] for action in engine.legal(position, 0)] == ["C", "D", "H", "S", "7", "N"]


def test_double_goes_to_both_opponents_and_then_the_rest_is_dealt() -> None:
    position = do(after_auction(bidder=1, doubles=True), "1 trump S")
    assert (position.phase, position.turn, len(position.zones["deck"])) == ("double", (2,), 16)
    position = do(position, "2 pass")
    assert (position.phase, position.turn) == ("double", (0,))
    assert do(position, "0 pass").phase == "play"
    doubled = do(position, "0 double")
    assert (doubled.phase, doubled.turn, fact(doubled, "stake"), fact(doubled, "doubler")) == ("redouble", (1,), 2, 0)


def test_redouble_by_the_bidder_or_the_partner() -> None:
    doubled = do(after_auction(bidder=1, doubles=True), "1 trump S", "2 double")
    assert fact(do(doubled, "1 redouble"), "stake") == 4
    asked = do(doubled, "1 pass")
    assert (asked.phase, asked.turn) == ("redouble", (3,))
    assert (fact(do(asked, "3 redouble"), "stake"), do(asked, "3 redouble").phase) == (4, "play")
    assert (fact(do(asked, "3 pass"), "stake"), do(asked, "3 pass").phase) == (2, "play")


def test_single_each_seat_is_asked_from_the_dealers_neighbour() -> None:
    position = do(after_auction(single_hand=True), "0 trump S")
    assert (position.phase, position.turn) == ("single", (0,))
    after = do(position, "0 pass", "1 pass", "2 pass")
    assert (after.phase, after.turn) == ("single", (3,))
    assert (do(after, "3 pass").phase, do(after, "3 pass").turn) == ("play", (0,))


def test_single_the_player_leads_and_the_partner_sits_out() -> None:
    after = do(after_auction(single_hand=True), "0 trump S", "0 pass", "1 single")
    assert (after.phase, after.turn, fact(after, "single"), fact(after, "out")) == ("play", (1,), 1, [3])
    assert (fact(after, "leader"), fact(after, "trump")) == (1, None)
    after = do(after, "1 play JD", "2 times out")
    assert after.turn == (0,)
    after = do(after, "0 times out")
    assert (after.turn, len(fact(after, "last_trick")), len(after.zones["hand.3"])) == ((1,), 3, 8)


def test_single_the_seventh_card_goes_back_unseen() -> None:
    position = start(SEVENTH, seventh_card=True, single_hand=True)
    position = do(position, "0 pass", "1 bid 16", "2 pass", "3 pass", "1 trump 7")
    made = events(position, "0 single", viewer=0)
    assert [event.cards[0].text for event in made if isinstance(event, Moved)] == ["??"]
    assert not any(isinstance(event, Shown) for event in made)
    after = do(position, "0 single")
    assert (len(after.zones["hand.1"]), zone(after, "trump_card")) == (8, "")
    assert [engine.view(after, viewer).facts["hidden_trump"] for viewer in (1, 0)] == ["C", None]


def test_single_nobody_may_ask() -> None:
    assert not may(playing("7C", "7D 8D QD", single=3, out=(1,), leader=2), "reveal")


# The play ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("hand", "trick", "facts", "allowed"),
    [
        ("7C 8D QH", "", {}, "7C 8D QH"),
        ("7C 8D QH", "", {"bidder": 0}, "7C 8D QH"),
        ("7C 8D QH", "7D QD KD", {}, "8D"),
        ("7C 8C QH", "7D QD KD", {}, "7C 8C QH"),
        ("7C 8C QH", "7D QD KD", {"trump": "H"}, "7C 8C QH"),
        ("7C 8C QH KH", "7D QD KD", {"trump": "H", "asker": 0}, "QH KH"),
        ("7C 8C QS", "7D QD KD", {"trump": "H", "asker": 0}, "7C 8C QS"),
        ("7C 8C QH", "7D QD KD", {"trump": "N", "hidden_trump": "N", "asker": 0}, "7C 8C QH"),
        ("7C QH", "7D QD KD", {"trump": "H", "asker": 0, "settings": {"must_trump": False}}, "7C QH"),
    ],
)
def test_what_may_be_played(hand: str, trick: str, facts: dict[str, Any], allowed: str) -> None:
    position = playing(hand, trick, **facts)
    assert may_play(position) == allowed
    for card in set(hand.split()) - set(allowed.split()):
        assert refused(position, f"0 play {card}") == "RULE_BROKEN"


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ("play", "MALFORMED_ACTION"),
        ("play 7", "MALFORMED_ACTION"),
        ("play JS", "CARD_NOT_HELD"),
        ("pass", "UNKNOWN_ACTION"),
        ("reveal 7C", "MALFORMED_ACTION"),
    ],
)
def test_play_refusals(action: str, code: str) -> None:
    assert refused(playing("7C 8D", "7D QD KD"), f"0 {action}") == code


@pytest.mark.parametrize(
    ("hand", "trick", "facts", "open_"),
    [
        ("7C QH", "7D QD KD", {}, True),
        ("7C QH", "7D QD KD", {"bidder": 0}, True),
        ("7C QH", "7D QD KD", {"trump": "H"}, False),
        ("7C QH", "7D QD KD", {"trump": "N"}, False),
        ("7C 8D", "7D QD KD", {}, False),
        ("7C 8D", "", {}, False),
    ],
)
def test_reveal(hand: str, trick: str, facts: dict[str, Any], open_: bool) -> None:
    assert may(playing(hand, trick, **facts), "reveal") == open_


def test_reveal_shows_the_trump_and_the_same_seat_goes_on() -> None:
    after = do(playing("7C QH", "7D QD KD"), "0 reveal")
    assert (fact(after, "trump"), fact(after, "asker"), after.turn) == ("H", 0, (0,))
    assert [engine.view(after, viewer).facts["hidden_trump"] for viewer in (0, 2, None)] == ["H", "H", "H"]
    assert fact(do(after, "0 play QH"), "asker") is None


def test_reveal_shows_the_seventh_card_which_goes_back() -> None:
    position = playing("7C QH", "7D QD KD", others="trump_card: 8H | hand.1: 9S")
    for viewer in (0, 1, 3, None):
        moved = next(event for event in events(position, "0 reveal", viewer=viewer) if isinstance(event, Moved))
        assert moved.cards == cards("8H")
    after = do(position, "0 reveal")
    assert (zone(after, "hand.1"), zone(after, "trump_card")) == ("8H 9S", "")
    assert (seen(after, 1, "hand.1"), seen(after, 0, "hand.1")) == ("8H 9S", 2)


@pytest.mark.parametrize(
    ("trick", "card", "facts", "winner"),
    [
        ("7D QD KD", "TD", {}, 0),
        ("7D 9D KD", "TD", {}, 2),
        ("7D QH KD", "TD", {}, 0),
        ("7D QH KD", "TD", {"trump": "H"}, 2),
        ("7D QH KD", "7H", {"trump": "H"}, 2),
        ("7D QH KD", "JH", {"trump": "H"}, 0),
        ("7D 9D KD", "TD", {"trump": "N", "hidden_trump": "N"}, 2),
        ("7D 9D KD", "JD", {"hidden_trump": "N", "settings": {"no_trump": "reverse"}}, 1),
        ("QD 9D KD", "8D", {"hidden_trump": "N", "settings": {"no_trump": "reverse"}}, 0),
        ("QD 9D KD", "8D", {"hidden_trump": "N", "settings": {"no_trump": "plain"}}, 2),
        (
            "8D 9D",
            "JD",
            {"hidden_trump": "N", "settings": {"no_trump": "reverse"}, "single": 0, "out": (2,), "leader": 1},
            0,
        ),
    ],
)
def test_who_wins(trick: str, card: str, facts: dict[str, Any], winner: int) -> None:
    after = do(playing(f"{card} 7S", trick, others="hand.1: 8S | hand.2: QS | hand.3: KS", **facts), f"0 play {card}")
    assert (fact(after, "last_winner"), after.turn) == (winner, (winner,))
    assert zone(after, f"taken.{winner}") == f"{trick} {card}"


def test_points_go_to_the_winners_side() -> None:
    after = do(playing("TD 7S", "JD 9D AD", points=(1, 2)), "0 play TD")
    assert (fact(after, "last_winner"), fact(after, "points"), fact(after, "tricks")) == (1, [1, 9], [0, 1, 0, 0])


# The pair ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

SHOWN: dict[str, Any] = {"trump": "H", "tricks_since": (1, 1)}


@pytest.mark.parametrize(
    ("hand", "facts", "open_"),
    [
        ("KH QH 7C", {}, True),
        ("KH 7C", {}, False),
        ("KD QD", {}, False),
        ("KH QH", {"tricks_since": (0, 3)}, False),
        ("KH QH", {"trump": None}, False),
        ("KH QH", {"trump": "N"}, False),
        ("KH QH", {"pair": 1}, False),
        ("KH QH", {"settings": {"pair": False}}, False),
        ("KH QH", {"bidder": 2, "bid": 18, "settings": {"pair_min_bid": 19}}, False),
        ("KH QH", {"bidder": 2, "bid": 19, "settings": {"pair_min_bid": 19}}, True),
        ("KH QH", {"bidder": 1, "bid": 18, "settings": {"pair_min_bid": 19}}, True),
    ],
)
def test_pair(hand: str, facts: dict[str, Any], open_: bool) -> None:
    assert may(playing(hand, **{**SHOWN, **facts}), "pair") == open_


@pytest.mark.parametrize(
    ("facts", "target"),
    [
        ({"target": 20}, 24),
        ({"target": 20, "bidder": 2}, 16),
        ({"target": 18, "bidder": 2}, 16),
        ({"target": 18, "bidder": 2, "settings": {"min_bid": 15}}, 15),
        ({"target": 27}, 28),
        ({"target": 27, "settings": {"last_trick_point": True}}, 29),
    ],
)
def test_pair_moves_the_target(facts: dict[str, Any], target: int) -> None:
    after = do(playing("KH QH 7C", "JC", **{**SHOWN, **facts}), "0 pair")
    assert (fact(after, "pair"), fact(after, "target"), after.turn) == (0, target, (0,))


# The score ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def last_card(**facts: Any) -> Position[Any]:
    """Seat 0 plays the last card of the hand, the jack of diamonds, and wins four points."""
    return playing("JD", "AD QD KD", **{"tricks": (2, 2, 2, 1), "points": (14, 10), "bidder": 0, **facts})


@pytest.mark.parametrize(
    ("facts", "pips"),
    [
        ({"target": 18}, [1, 0]),
        ({"target": 19}, [-1, 0]),
        ({"target": 18, "stake": 2}, [2, 0]),
        ({"target": 19, "stake": 4}, [-4, 0]),
        ({"target": 18, "bid": 20, "settings": {"bonus_bid": 20}}, [2, 0]),
        ({"target": 18, "bid": 19, "settings": {"bonus_bid": 20}}, [1, 0]),
        ({"target": 18, "bid": 20, "stake": 2, "settings": {"bonus_bid": 19}}, [4, 0]),
        ({"target": 19, "settings": {"last_trick_point": True}}, [1, 0]),
        ({"target": 10, "bidder": 3}, [0, 1]),
        ({"target": 11, "bidder": 3}, [0, -1]),
    ],
)
def test_pips(facts: dict[str, Any], pips: list[int]) -> None:
    after = do(last_card(**facts), "0 play JD", shuffles=[GOOD])
    assert (fact(after, "pips"), fact(after, "score")) == (pips, pips * 2)
    assert (fact(after, "dealer"), after.turn, fact(after, "hand_no"), fact(after, "redeals")) == (0, (1,), 2, 0)


def test_the_record_of_a_hand() -> None:
    made = events(last_card(target=18, stake=2), "0 play JD", GOOD)
    record = {"side": 0, "won": True, "worth": 2, "points": [18, 10]}
    assert next(event for event in made if isinstance(event, HandEnded)).record == record
    assert fact(do(last_card(target=18, stake=2), "0 play JD", shuffles=[GOOD]), "last_hand") == record


def test_a_single_hand_is_lost_with_the_first_trick_lost() -> None:
    lost = playing("AD 7S", "JD QD", single=0, out=(2,), leader=1, bidder=1, stake=4, others="hand.1: 8S | hand.3: QS")
    after = do(lost, "0 play AD", shuffles=[GOOD])
    assert (fact(after, "pips"), fact(after, "last_hand.worth"), fact(after, "last_hand.won")) == ([-3, 0], 3, False)


def test_a_single_hand_is_won_with_eight_tricks() -> None:
    won = playing("JD", "AD QD", single=0, out=(2,), leader=1, bidder=1, tricks=(7, 0, 0, 0))
    after = do(won, "0 play JD", shuffles=[GOOD])
    assert (fact(after, "pips"), fact(after, "last_hand.side")) == ([3, 0], 0)


@pytest.mark.parametrize(
    ("facts", "placing", "score"),
    [
        ({"target": 18, "pips": (5, 0)}, [1, 3, 1, 3], [6, 0, 6, 0]),
        ({"target": 18, "pips": (5, 0), "stake": 4}, [1, 3, 1, 3], [6, 0, 6, 0]),
        ({"target": 19, "pips": (-5, -3)}, [3, 1, 3, 1], [-6, -3, -6, -3]),
        ({"target": 18, "pips": (0, 2), "hand_no": 100}, [3, 1, 3, 1], [1, 2, 1, 2]),
        ({"target": 18, "pips": (0, 1), "hand_no": 100}, [1, 1, 1, 1], [1, 1, 1, 1]),
        ({"target": 18, "pips": (2, 0), "settings": {"pips": 3}}, [1, 3, 1, 3], [3, 0, 3, 0]),
    ],
)
def test_the_end_of_the_match(facts: dict[str, Any], placing: list[int], score: list[int]) -> None:
    after = do(last_card(**facts), "0 play JD")
    assert (result(after), after.turn) == ((placing, score), ())
    assert fact(after, "last_trick") == ["AD", "QD", "KD", "JD"]


# Time-outs ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_time_outs_before_the_play() -> None:
    assert fact(do(start(), "0 times out"), "passed")[0]
    assert fact(do(start(first_must_bid=True, min_bid=17), "0 times out"), "bid") == 17
    assert fact(do(after_auction(bidder=2), "2 times out"), "hidden_trump") == "H"
    doubling = do(after_auction(bidder=1, doubles=True), "1 trump S", "2 times out")
    assert doubling.turn == (0,)
    assert do(doubling, "0 double", "1 times out", "3 times out").phase == "play"
    assert do(after_auction(single_hand=True), "0 trump S", "0 times out").turn == (1,)


@pytest.mark.parametrize(
    ("hand", "facts", "played"),
    [
        ("JC 7H 9D", {"trump": "H"}, "9D"),
        ("JC 7H 9D", {}, "7H"),
        ("QC QD 8S 7S", {}, "7S"),
        ("KC TC 9C", {"hidden_trump": "N", "settings": {"no_trump": "reverse"}}, "KC"),
    ],
)
def test_time_out_plays_the_lowest_card_allowed(hand: str, facts: dict[str, Any], played: str) -> None:
    assert zone(do(playing(hand, **facts), "0 times out"), "trick") == played


# Edge cases ───────────────────────────────────────────────────────────────────────────────────────────────────────────

BEHIND = "hand.1: 8S KS | hand.2: QS 8C | hand.3: KC 9S"


@pytest.mark.parametrize(("early_trumps", "winner"), [("count", 2), ("plain", 3)])
def test_edge_1_a_trump_thrown_before_the_showing(early_trumps: str, winner: int) -> None:
    position = playing("7C QC", "7D JH KD", others=BEHIND, settings={"early_trumps": early_trumps})
    after = do(position, "0 reveal", "0 play 7C")
    assert fact(after, "last_winner") == winner


def test_edge_1_a_later_trump_beats_an_early_one_where_those_are_plain() -> None:
    position = playing("7H QC", "7D JH KD", others=BEHIND, settings={"early_trumps": "plain"})
    assert fact(do(position, "0 reveal", "0 play 7H"), "last_winner") == 0


def test_edge_1_in_the_next_trick_every_trump_counts() -> None:
    position = playing("7C 9H", "7D JH KD", others=BEHIND, settings={"early_trumps": "plain"})
    after = do(position, "0 reveal", "0 play 9H", "0 play 7C")
    assert (fact(after, "early"), fact(after, "tricks_since")) == (0, [1, 0])


@pytest.mark.parametrize("early_trumps", ["count", "plain"])
def test_edge_2_the_hidden_trump_is_led(early_trumps: str) -> None:
    position = playing("7C QC", "7H JH KH", others=BEHIND, settings={"early_trumps": early_trumps})
    after = do(position, "0 reveal")
    assert may_play(after) == "7C QC"
    assert fact(do(after, "0 play 7C"), "last_winner") == 2


def test_edge_3_nobody_asks() -> None:
    assert not may(playing("KH QH", trump=None, tricks_since=(0, 0)), "pair")
    assert fact(do(playing("JH 7C", "7D QD KD", others=BEHIND), "0 play JH"), "last_winner") == 3


def test_edge_4_asked_in_the_last_trick() -> None:
    position = playing("KH", "7D QD KD", tricks=(2, 2, 2, 1))
    assert not may(do(position, "0 reveal"), "pair")
    assert fact(do(position, "0 reveal", "0 play KH", shuffles=[GOOD]), "last_hand.points") == [0, 0]


def test_edge_5_a_pair_at_a_bid_of_16_changes_nothing() -> None:
    assert fact(do(playing("KH QH", **SHOWN, bidder=2), "0 pair"), "target") == 16
    assert not may(playing("KH QH", **SHOWN, bidder=2, settings={"pair_min_bid": 17}), "pair")


def test_edge_6_a_pair_of_the_others_at_26() -> None:
    assert fact(do(playing("KH QH", **SHOWN, bid=26, target=26), "0 pair"), "target") == 28
    lifted = playing("KH QH", **SHOWN, bid=26, target=26, settings={"last_trick_point": True})
    assert fact(do(lifted, "0 pair"), "target") == 29


def test_edge_7_no_pair_once_one_of_them_is_played() -> None:
    assert not may(playing("KH 7C", **SHOWN), "pair")


def test_edge_8_after_the_trick_of_the_showing_the_winner_may_declare_before_leading() -> None:
    position = playing("7H KH QH", "7D QD KD", others=BEHIND)
    after = do(position, "0 reveal", "0 play 7H")
    assert after.turn == (0,)
    assert may(after, "pair")
    lost = do(playing("7C KH QH", "7D QD KD", others=BEHIND, settings={"must_trump": False}), "0 reveal", "0 play 7C")
    assert (lost.turn, fact(lost, "tricks_since")) == ((3,), [0, 1])
    partner = do(lost, "3 play 9S")
    assert not may(partner, "pair")


def test_edge_9_the_highest_bid_ends_the_auction() -> None:
    after = do(start(), "0 pass", "1 bid 28")
    assert (after.phase, after.turn, fact(after, "target")) == ("trump", (1,), 28)
    assert do(start(last_trick_point=True), "0 bid 28").phase == "bid"
    assert do(start(last_trick_point=True), "0 bid 29").phase == "trump"


def test_edge_10_three_pass_and_the_fourth_may_bid_or_pass() -> None:
    position = do(start(), "0 pass", "1 pass", "2 pass")
    assert (position.phase, position.turn) == ("bid", (3,))
    assert do(position, "3 bid 16").phase == "trump"
    assert fact(do(position, "3 pass", shuffles=[GOOD]), "redeals") == 1


def test_edge_11_the_low_cards_win_before_anybody_has_asked() -> None:
    position = playing("7D 8C", "8D QD JD", others=BEHIND, hidden_trump="N", settings={"no_trump": "reverse"})
    assert fact(do(position, "0 play 7D"), "last_winner") == 0
    assert engine.view(position, 0).facts["hidden_trump"] is None


def test_edge_12_no_trumps_asked_for() -> None:
    after = do(
        playing("KH QH", "8D QD JD", others=BEHIND, hidden_trump="N", settings={"no_trump": "plain"}), "0 reveal"
    )
    assert (fact(after, "trump"), may_play(after)) == ("N", "QH KH")
    assert not may(after, "pair")


def test_edge_13_the_seventh_card_of_the_suit_led_need_not_follow() -> None:
    position = playing("7C 8C", "7H QH KH", others="trump_card: 9H", bidder=0)
    assert may_play(position) == "7C 8C"
    after = do(position, "0 reveal")
    assert may_play(after) == "9H"


def test_edge_13_who_asked_without_a_duty_to_trump_may_keep_it_back() -> None:
    """The duty to follow was met by having no card of the suit before asking; what is played then is free."""
    position = playing(
        "7C 8C", "7H QH KH", others="trump_card: 9H | hand.1: 8S | hand.2: 9S | hand.3: KS", bidder=0,
        settings={"must_trump": False},
    )  # fmt: skip
    after = do(position, "0 reveal")
    assert may_play(after) == "7C 8C 9H"
    assert zone(do(after, "0 times out"), "taken.3") == "7H QH KH 7C"


@pytest.mark.parametrize("must_trump", [True, False])
def test_edge_13_the_bidder_follows_with_a_seventh_card_that_another_has_asked_for(must_trump: bool) -> None:
    position = playing(
        "7C 8C", "7H", others="hand.1: 8S KS | hand.2: 9S | hand.3: KC | trump_card: 9H",
        settings={"must_trump": must_trump},
    )  # fmt: skip
    assert may_play(do(position, "0 play 7C"), 1) == "8S KS"
    assert may_play(do(position, "0 reveal", "0 play 7C"), 1) == "9H"


def test_edge_13_it_is_shown_by_the_rules_when_it_is_the_last_card() -> None:
    position = table(
        "twenty_nine", "hand.0: 9S | hand.2: JS | hand.3: KS | trump_card: 7H", phase="play", bid=16, bidder=1,
        target=16, hidden_trump="H", tricks=(2, 2, 2, 1), settings={"early_trumps": "plain"},
    )  # fmt: skip
    made = events(position, "0 play 9S", viewer=None)
    assert cards("7H") in [event.cards for event in made if isinstance(event, Moved)]
    after = do(position, "0 play 9S")
    assert (fact(after, "trump"), fact(after, "asker"), zone(after, "hand.1"), after.turn) == ("H", None, "7H", (1,))
    after = do(after, "1 play 7H", "2 play JS")
    assert fact(do(after, "3 play KS", shuffles=[GOOD]), "last_hand.points") == [0, 5]


def test_edge_14_a_single_hand_by_an_opponent_forgets_the_bid() -> None:
    after = do(after_auction(single_hand=True), "0 trump S", "0 pass", "1 single", "1 play JD", "2 times out")
    lost = playing("AD 7S", "JD QD", single=1, out=(3,), leader=1, bidder=0, others="hand.1: 8S | hand.2: QS")
    assert after.turn == (0,)
    won = do(lost, "0 play AD")
    assert (won.turn, fact(won, "pips")) == ((1,), [0, 0])


def test_edge_15_only_the_side_that_played_moves() -> None:
    after = do(last_card(target=19, pips=(-5, 5)), "0 play JD")
    assert (result(after), fact(after, "pips")) == (([3, 1, 3, 1], [-6, 5, -6, 5]), [-6, 5])
    assert text(after.zones["taken.0"]) == "AD QD KD JD"
