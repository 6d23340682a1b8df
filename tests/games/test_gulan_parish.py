"""Gulan Parish, what its games share: settings, the deal, the auction, the trump, play, claims, kooli and slams."""

from typing import Any

import pytest

from chautari import engine
from chautari.cards import cards, text
from chautari.engine import HandEnded, Moved, Position, Said, Shown
from chautari.games import find_game, page, wording
from tests.games.gulan import may, may_play, packed, say, start
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

CONCEALED = ("twenty_eight", "forty", "fifty_six")
FAMILY = (*CONCEALED, "fifty_six_support")


def one_stage(**settings: Any) -> Position[Any]:
    """Twenty-eight with one stage, at its first call: everything may be bid."""
    return start(stages="one", **settings)


def playing(hand: str, trick: str = "", others: str = "", **facts: Any) -> Position[Any]:
    """Phase `play` of Twenty-eight: seat 0 is in turn, leading or last; seat 1 has bid 14, hearts lie face down."""
    played = cards(trick)
    settings = {"stages": "one", **facts.pop("settings", {})}
    players = settings.get("players", 4)
    given: dict[str, Any] = {
        "bid": 14, "bidder": 1, "placer": 1, "cards": 8, "leader": (players - len(played)) % players, **facts
    }  # fmt: skip
    if played:
        given.setdefault("led", played[0].suit)
    if "trump_card" not in others and given.get("trump") is None and given["bid"] != "thani":
        others += " | trump_card: 8H"
    lying = f"hand.0: {hand} | trick: {trick} | {others}"
    return table("twenty_eight", lying, phase="play", settings=settings, **given)


# Settings, zones, facts ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("game", FAMILY)
@pytest.mark.parametrize(
    ("name", "allowed", "wrong"),
    [
        ("second_round", ("bidders", "all", "off"), ("none", None)),
        ("partner_from_honours", (True, False), (1,)),
        ("thani", (True, False), ("off",)),
        ("thani_trump", ("none", "first_led"), ("off",)),
        ("thani_partners", ("out", "play"), ("sit",)),
        ("kott", ("all", "below_honours", "off"), (True,)),
        ("kott_min_cards", (0, 3), (1, 2)),
        ("kott_pay", ("thani", "double"), ("bid",)),
        ("senior_pay", ("none", "extra"), (True,)),
        ("first_lead", ("seat", "aces"), ("ace",)),
        ("kooli_method", ("split", "neutral"), ("box",)),
        ("kooli_count", (5, 6, 12), (4, 7)),
        ("slams", (1, 5), (0, 6)),
        ("kunukku", ("bids", "slam", "off"), ("on",)),
        ("max_hands", (1, 200), (0, 201)),
        ("auction", ("rounds",), ("closed",)),
    ],
)
def test_settings(game: str, name: str, allowed: tuple[object, ...], wrong: tuple[object, ...]) -> None:
    for value in allowed:
        assert getattr(find_game(game).read_settings({name: value}), name) == value
    for value in wrong:
        assert bad_setting(game, **{name: value}) == name


@pytest.mark.parametrize("game", CONCEALED)
def test_defaults(game: str) -> None:
    settings = find_game(game).read_settings({})
    assert {setting.name: getattr(settings, setting.name) for setting in find_game(game).settings_declared} == {
        "players": 4 if game == "twenty_eight" else 6, "auction": "rounds", "second_round": "bidders",
        "partner_from_honours": True, "thani": True, "thani_trump": "none", "thani_partners": "out", "kott": "all",
        "kott_min_cards": 0, "kott_pay": "thani", "senior_pay": "extra" if game == "twenty_eight" else "none",
        "must_cut": True, "cut_with_face_down": False, "first_lead": "seat", "kooli_method": "split", "kooli_count": 6,
        "slams": 1, "kunukku": "bids", "max_hands": 100, **OWN.get(game, {}),
    }  # fmt: skip


OWN: dict[str, dict[str, object]] = {"twenty_eight": {"stages": "auto"}, "fifty_six": {"pack": "usual"}}


def test_three_players_keep_kooli_by_themselves_and_make_no_slams() -> None:
    assert bad_setting("twenty_eight", players=3, kooli_method="neutral") == "kooli_method"
    assert bad_setting("twenty_eight", players=3, slams=2) == "slams"
    assert find_game("twenty_eight").read_settings({"players": 3}).players == 3


@pytest.mark.parametrize("game", FAMILY)
def test_zones(game: str) -> None:
    zones = zones_declared(game)
    assert ("trump_card" in zones) == (game in CONCEALED)
    assert {name: zones[name] for name in ("hand", "deck", "trick", "taken")} == {
        "hand": ("owner", False), "deck": ("none", True), "trick": ("all", True), "taken": ("none", True),
    }  # fmt: skip


@pytest.mark.parametrize("game", FAMILY)
def test_facts(game: str) -> None:
    own = ["placer", "shown", "asker"] if game in CONCEALED else ["bid_suit", "factor", "doubler"]
    assert public_facts(game) == [
        "dealer", "hand_no", "first", "leader", "led", "stage", "round", "said", "calls", "bid", "bidder", "trump",
        "claim", "claimant", "challenger", "out", "points", "tricks", "last_trick", "last_winner", "last_hand",
        "kooli", "neutral", "box", "lead", "slams", "kunukku", "cast", "score", *own,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "kooli", "neutral", "lead", "slams"),
    [
        ({}, [6, 6], 0, 0, [0, 0]),
        ({"kooli_count": 5}, [5, 5], 0, 0, [0, 0]),
        ({"kooli_method": "neutral", "kooli_count": 12}, [0, 0], 12, 0, [0, 0]),
        ({"players": 3}, [6, 6, 6], 0, None, [0, 0, 0]),
    ],
)
def test_the_kooli_at_the_start(
    settings: dict[str, Any], kooli: list[int], neutral: int, lead: int | None, slams: list[int]
) -> None:
    position = start(**settings)
    assert [fact(position, name) for name in ("kooli", "neutral", "box", "lead", "slams")] == [
        kooli, neutral, None, lead, slams,
    ]  # fmt: skip
    assert fact(position, "score") == (kooli if settings.get("players") == 3 else [0, 0, 0, 0])


# Who is first, and the deal ───────────────────────────────────────────────────────────────────────────────────────────


def test_the_last_seat_deals_first() -> None:
    assert (fact(start(), "dealer"), fact(start(), "first"), fact(start(), "cast")) == (3, 0, [])


@pytest.mark.parametrize(("turned", "first"), [("AC", 3), ("7C AC", 0), ("7C 8C 9C AC", 2), ("7C 8C 9C TC JC AC", 0)])
def test_the_first_ace_makes_its_seat_the_first(turned: str, first: int) -> None:
    """The first card is turned up for the last seat."""
    pack = packed("twenty_eight")
    cast = " ".join([turned, *(card for card in pack.split() if card not in turned.split())])
    position = start("twenty_eight", cast, pack, first_lead="aces")
    assert (fact(position, "cast"), fact(position, "first"), fact(position, "dealer")) == (
        turned.split(), first, (first - 1) % 4,
    )  # fmt: skip
    assert (position.turn, fact(position, "leader")) == ((first,), first)
    assert zone(position, f"hand.{first}") == text(sorted(cards(pack)[:4]))


@pytest.mark.parametrize(
    ("game", "settings", "batch", "each", "deck"),
    [
        ("twenty_eight", {}, 4, 4, 16),
        ("twenty_eight", {"stages": "one"}, 4, 8, 0),
        ("twenty_eight", {"players": 2}, 4, 8, 16),
        ("twenty_eight", {"players": 3}, 4, 4, 12),
        ("twenty_eight", {"players": 6}, 3, 6, 0),
        ("twenty_eight", {"players": 6, "stages": "two"}, 3, 3, 18),
        ("forty", {}, 3, 6, 0),
        ("forty", {"players": 4}, 3, 9, 0),
        ("forty", {"players": 12}, 3, 3, 0),
        ("fifty_six", {}, 4, 8, 0),
        ("fifty_six", {"players": 4}, 4, 12, 0),
        ("fifty_six", {"players": 4, "pack": "short"}, 4, 8, 0),
        ("fifty_six", {"players": 8}, 3, 6, 0),
        ("fifty_six", {"players": 8, "pack": "long"}, 4, 8, 0),
        ("fifty_six", {"players": 12}, 4, 4, 0),
        ("fifty_six_support", {}, 4, 8, 0),
        ("fifty_six_support", {"players": 8}, 3, 6, 0),
    ],
)
def test_batches(game: str, settings: dict[str, Any], batch: int, each: int, deck: int) -> None:
    position = start(game, **settings)
    pack, players = cards(packed(game, **settings)), position.settings.players
    dealt = [pack[place : place + batch] for place in range(0, len(pack), batch)]
    for seat in range(players):
        hand = [card for turn in range(each // batch) for card in dealt[turn * players + seat]]
        assert zone(position, f"hand.{seat}") == text(sorted(hand))
    assert len(position.zones["deck"]) == deck


# The auction in rounds ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ("bid 13", "RULE_BROKEN"),
        ("bid 29", "RULE_BROKEN"),
        ("bid 0", "RULE_BROKEN"),
        ("bid 014", "MALFORMED_ACTION"),
        ("bid +14", "MALFORMED_ACTION"),
        ("bid", "MALFORMED_ACTION"),
        ("bid 14 H", "MALFORMED_ACTION"),
        ("pass", "RULE_BROKEN"),
        ("thani", "RULE_BROKEN"),
        ("pass 1", "MALFORMED_ACTION"),
        ("place 7C", "UNKNOWN_ACTION"),
        ("reveal", "UNKNOWN_ACTION"),
        ("decline", "UNKNOWN_ACTION"),
    ],
)
def test_what_the_first_seat_may_not_say(action: str, code: str) -> None:
    assert refused(start(), f"0 {action}") == code


@pytest.mark.parametrize(
    ("game", "lowest", "honours", "total"),
    [("twenty_eight", 14, 20, 28), ("forty", 20, 30, 40), ("fifty_six", 28, 40, 56)],
)
def test_floors(game: str, lowest: int, honours: int, total: int) -> None:
    position = start(game)
    assert engine.legal(position, 0)[0] == f"bid {lowest}"
    assert f"bid {total}" in engine.legal(position, 0)
    assert f"bid {total + 1}" not in engine.legal(position, 0)
    position = do(position, f"0 bid {lowest}")
    while fact(position, "round") == 1:
        position = do(position, f"{position.turn[0]} pass")
    assert (position.turn, engine.legal(position, 0)[0]) == ((0,), f"bid {honours}")


def test_rounds_a_pass_hands_the_chance_to_the_same_team() -> None:
    position = say(start("forty"), "0 bid 20", "1 pass", "3 pass", "5 bid 21", "2 pass", "4 pass")
    assert (fact(position, "round"), fact(position, "said")) == (2, [None] * 6)


def test_rounds_nobody_speaks_twice_in_a_round() -> None:
    """Bids of either side call up the other, until all have spoken."""
    position = say(start("forty"), "0 bid 20", "1 bid 21", "2 bid 30", "3 bid 31", "4 bid 32", "5 bid 33", "0 bid 34")
    assert fact(position, "round") == 2


def test_rounds_the_bidder_may_raise_himself_last() -> None:
    position = say(start(), "0 bid 14", "1 pass", "3 pass", "2 pass")
    assert (fact(position, "round"), position.turn) == (2, (0,))
    assert say(position, "0 bid 20").phase == "trump"


def test_rounds_the_second_round_is_of_those_who_bid() -> None:
    position = say(start(), "0 bid 14", "1 bid 15", "2 pass", "3 pass", "0 pass", "1 pass")
    assert position.phase == "trump"


def test_rounds_the_second_round_may_be_of_all() -> None:
    position = say(start(second_round="all"), "0 bid 14", "1 bid 15", "2 pass", "3 pass")
    position = say(position, "2 pass", "0 pass", "3 pass", "1 pass")
    assert position.phase == "trump"


def test_rounds_there_may_be_no_second_round() -> None:
    assert say(start(second_round="off"), "0 bid 14", "1 bid 15", "2 pass", "3 pass").phase == "trump"


def test_said_and_calls() -> None:
    position = say(one_stage(), "0 bid 14", "1 pass", "3 bid 15")
    assert fact(position, "said") == ["14", "pass", None, "15"]
    assert fact(position, "calls") == ["0 14", "1 pass", "3 15"]
    position = say(position, "2 thani")
    assert (fact(position, "said"), fact(position, "bid")) == (["14", "pass", "thani", "15"], "thani")


def test_over_a_partners_bid_honours_at_least() -> None:
    position = say(start(), "0 bid 14", "1 pass", "3 pass")
    assert engine.legal(position, 2)[0] == "bid 20"
    free = say(start(partner_from_honours=False), "0 bid 14", "1 pass", "3 pass")
    assert engine.legal(free, 2)[0] == "bid 15"


def test_three_players_have_no_partners() -> None:
    position = say(start(players=3), "0 bid 14", "1 bid 15")
    assert engine.legal(position, 2)[0] == "bid 16"
    assert say(position, "2 pass", "0 pass").turn == (1,)


def test_thani_ends_the_auction() -> None:
    position = say(one_stage(), "0 thani")
    assert (position.phase, position.turn, fact(position, "bidder")) == ("play", (0,), 0)
    assert refused(one_stage(thani=False), "0 thani") == "RULE_BROKEN"


def test_the_total_ends_the_stage_where_thani_is_not_open() -> None:
    assert say(start(), "0 bid 28").phase == "trump"
    assert say(one_stage(thani=False), "0 bid 28").phase == "trump"
    position = say(one_stage(), "0 bid 28")
    assert engine.legal(position, 1) == ["pass", "thani"]


# The open auction ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_open_goes_round_the_table_those_who_passed_as_well() -> None:
    position = start(auction="open", partner_from_honours=False)
    position = say(position, "0 bid 14", "1 pass", "2 pass", "3 bid 15", "0 pass", "1 bid 16", "2 pass", "3 pass")
    assert (position.phase, fact(position, "round"), fact(position, "stage")) == ("bid", 1, 1)
    assert say(position, "0 pass").phase == "trump"


def test_open_a_second_stage_ends_when_all_have_passed() -> None:
    position = say(start(auction="open"), "0 bid 14", "1 pass", "2 pass", "3 bid 15", "0 pass", "1 pass", "2 pass")
    hand = zone(position, "hand.3").split()
    position = do(position, f"3 place {hand[0]}")
    assert (position.phase, position.turn, fact(position, "stage"), fact(position, "said")) == (
        "bid",
        (0,),
        2,
        [None] * 4,
    )
    over = say(position, "0 pass", "1 pass", "2 pass", "3 pass")
    assert (over.phase, fact(over, "placer")) == ("play", 3)
    raised = say(position, "0 pass", "1 bid 24", "2 pass", "3 pass", "0 pass")
    assert (raised.phase, raised.turn, fact(raised, "placer")) == ("trump", (1,), None)


# Placing the trump ────────────────────────────────────────────────────────────────────────────────────────────────────


def placing() -> Position[Any]:
    """One stage, and seat 0 is to place its trump."""
    return say(one_stage(), "0 bid 14", "1 pass", "3 pass", "2 pass", "0 pass")


def test_place() -> None:
    position = placing()
    hand = zone(position, "hand.0").split()
    assert engine.legal(position, 0) == [f"place {card}" for card in hand]
    for action, code in (
        ("place", "MALFORMED_ACTION"),
        ("place XX", "MALFORMED_ACTION"),
        ("place QS", "CARD_NOT_HELD"),
        ("bid 20", "UNKNOWN_ACTION"),
    ):
        assert refused(position, f"0 {action}") == code
    after = do(position, f"0 place {hand[2]}")
    assert (after.phase, after.turn, fact(after, "placer"), fact(after, "trump")) == ("play", (0,), 0, None)
    assert [seen(after, viewer, "trump_card") for viewer in (0, 1, 2, 3, None)] == [hand[2], 1, 1, 1, 1]


def test_place_shows_nobody_the_card() -> None:
    position = placing()
    card = zone(position, "hand.0").split()[2]
    for viewer in (1, 2, None):
        made = events(position, f"0 place {card}", viewer=viewer)
        assert [str(event.cards[0]) for event in made if isinstance(event, Moved)] == ["??"]
        assert made[0] == Said(0, "place ??", "place ??")


# Play ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("hand", "trick", "facts", "allowed"),
    [
        ("7C QH KH", "", {}, "7C QH KH"),
        ("7C QH KH", "", {"bidder": 0, "placer": 0}, "7C"),
        ("QH KH", "", {"bidder": 0, "placer": 0}, "QH KH"),
        ("7C QH KH", "", {"bidder": 0, "placer": 0, "trump": "H"}, "7C QH KH"),
        ("7C 8D", "7D QD KD", {}, "8D"),
        ("7C QH", "7D QD KD", {}, "7C QH"),
        ("7C QH", "7D QD KD", {"trump": "H"}, "7C QH"),
        ("7C QH", "7D QD KD", {"trump": "H", "asker": 0}, "QH"),
        ("7C QS", "7D QD KD", {"trump": "H", "asker": 0}, "7C QS"),
        ("7C QH", "7D QD KD", {"trump": "H", "asker": 0, "settings": {"must_cut": False}}, "7C QH"),
        ("7C QH KH", "7D QD KD", {"trump": "H", "asker": 0, "bidder": 0, "placer": 0, "shown": "KH"}, "QH KH"),
    ],
)
def test_what_may_be_played(hand: str, trick: str, facts: dict[str, Any], allowed: str) -> None:
    position = playing(hand, trick, **facts)
    assert may_play(position) == allowed
    for card in set(hand.split()) - set(allowed.split()):
        assert refused(position, f"0 play {card}") == "RULE_BROKEN"


@pytest.mark.parametrize("must_cut", [True, False])
def test_cut_with_the_face_down_card(must_cut: bool) -> None:
    mine: dict[str, Any] = {"trump": "H", "asker": 0, "bidder": 0, "placer": 0, "shown": "KH"}
    strict: dict[str, Any] = {"settings": {"cut_with_face_down": True, "must_cut": must_cut}}
    assert may_play(playing("7C QH KH", "7D QD KD", **mine, **strict)) == "KH"
    assert may_play(playing("7C QH KH", "7H JH 9H", **mine, **strict)) == "QH KH"
    theirs: dict[str, Any] = {"trump": "H", "asker": 0, "shown": "KH", "settings": {"cut_with_face_down": True}}
    assert may_play(playing("7C QH", "7D QD KD", **theirs)) == "QH"


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ("play", "MALFORMED_ACTION"),
        ("play 7", "MALFORMED_ACTION"),
        ("play JS", "CARD_NOT_HELD"),
        ("play 8H", "CARD_NOT_HELD"),
        ("reveal 8H", "MALFORMED_ACTION"),
        ("decline", "UNKNOWN_ACTION"),
        ("pass", "UNKNOWN_ACTION"),
    ],
)
def test_play_refusals(action: str, code: str) -> None:
    assert refused(playing("7C 8D", "7D QD KD"), f"0 {action}") == code


@pytest.mark.parametrize(
    ("hand", "trick", "facts", "open_"),
    [
        ("7C QH", "7D QD KD", {}, True),
        ("7C QH", "7D QD KD", {"bidder": 0, "placer": 0}, True),
        ("7C QH", "7D QD KD", {"trump": "H"}, False),
        ("7C 8D", "7D QD KD", {}, False),
        ("7C 8D", "", {}, False),
        ("7C QH", "7D QD KD", {"bid": "thani", "placer": None}, False),
    ],
)
def test_reveal(hand: str, trick: str, facts: dict[str, Any], open_: bool) -> None:
    assert may(playing(hand, trick, **facts), "reveal") == open_


def test_reveal_shows_the_card_which_goes_back_to_its_placer() -> None:
    position = playing("7C QH", "7D QD KD", "hand.1: 9S")
    for viewer in (0, 1, 2, None):
        made = events(position, "0 reveal", viewer=viewer)
        assert next(event for event in made if isinstance(event, Moved)).cards == cards("8H")
        assert any(isinstance(event, Shown) for event in made) == (viewer != 1)
    after = do(position, "0 reveal")
    assert (fact(after, "trump"), fact(after, "shown"), fact(after, "asker"), after.turn) == ("H", "8H", 0, (0,))
    assert (zone(after, "hand.1"), zone(after, "trump_card"), fact(after, "placer")) == ("8H 9S", "", 1)
    assert fact(do(after, "0 play QH"), "asker") is None


def test_the_last_card_is_shown_by_the_rules() -> None:
    position = playing("9S", "", "hand.2: JS | hand.3: KS", tricks=(2, 2, 2, 1))
    made = events(position, "0 play 9S", viewer=None)
    assert cards("8H") in [event.cards for event in made if isinstance(event, Moved)]
    after = do(position, "0 play 9S")
    assert [fact(after, name) for name in ("trump", "shown", "asker")] == ["H", "8H", None]
    assert (zone(after, "hand.1"), after.turn, may_play(after, 1)) == ("8H", (1,), "8H")
    after = do(after, "1 play 8H", "2 play JS")
    assert fact(do(after, "3 play KS", shuffles=[packed("twenty_eight")]), "last_hand.points") == [0, 5, 0, 0]


@pytest.mark.parametrize(
    ("trick", "card", "facts", "winner"),
    [
        ("7D QD KD", "TD", {}, 0),
        ("7D JH KD", "QD", {}, 3),
        ("7D 9D JD", "AD", {}, 3),
        ("7D QH KD", "JD", {"trump": "H"}, 2),
        ("7D QH KD", "7H", {"trump": "H"}, 2),
        ("7D QH KD", "JD", {"trump": "N"}, 0),
    ],
)
def test_who_wins(trick: str, card: str, facts: dict[str, Any], winner: int) -> None:
    after = do(playing(f"{card} 7S", trick, "hand.1: 8S | hand.2: QS | hand.3: KS", **facts), f"0 play {card}")
    assert (fact(after, "last_winner"), after.turn) == (winner, (winner,))
    assert zone(after, f"taken.{winner}") == f"{trick} {card}"


# Thani ────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_thani_partners_sit_out_and_there_is_no_trump() -> None:
    position = say(one_stage(), "0 bid 14", "1 thani")
    assert [fact(position, name) for name in ("trump", "out", "leader", "placer")] == ["N", [3], 1, None]
    assert (position.phase, position.turn) == ("play", (1,))
    position = do(position, f"1 play {may_play(position, 1).split()[0]}", "2 times out")
    assert position.turn == (0,)


def test_thani_the_suit_led_first_may_be_trump() -> None:
    position = say(one_stage(thani_trump="first_led", thani_partners="play"), "0 bid 14", "1 thani")
    assert [fact(position, name) for name in ("trump", "out")] == [None, []]
    card = may_play(position, 1).split()[0]
    assert fact(do(position, f"1 play {card}"), "trump") == card[1]


THANI: dict[str, Any] = {"bid": "thani", "placer": None, "trump": "N", "out": (3,), "leader": 1, "led": "D"}


def test_thani_ends_with_the_first_trick_lost() -> None:
    """The three seats of the trick are 1, 2 and 0."""
    lost = do(
        playing("JD", "AD QD", "hand.1: 8S | hand.2: QS", **THANI), "0 play JD", shuffles=[packed("twenty_eight")]
    )
    assert (fact(lost, "last_hand.won"), fact(lost, "last_hand.paid"), fact(lost, "kooli")) == (False, 5, [11, 1])
    on = do(playing("7D 7S", "AD QD", "hand.1: 8S | hand.2: QS", **THANI), "0 play 7D")
    assert (on.phase, on.turn) == ("play", (1,))


def test_thani_is_won_with_the_last_trick() -> None:
    won = playing("7D", "AD QD", **THANI, tricks=(0, 7, 0, 0))
    after = do(won, "0 play 7D", shuffles=[packed("twenty_eight")])
    assert (fact(after, "last_hand.won"), fact(after, "last_hand.paid"), fact(after, "kooli")) == (True, 4, [2, 10])


def test_thani_a_partners_trick_loses_it() -> None:
    partner = {**THANI, "out": (), "settings": {"thani_partners": "play"}}
    lost = do(playing("7D", "AD QD JD", **partner), "0 play 7D", shuffles=[packed("twenty_eight")])
    assert (fact(lost, "last_winner"), fact(lost, "last_hand.won")) == (None, False)


# Claims ───────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("facts", "kott", "marukott"),
    [
        ({"bidder": 0}, True, False),
        ({"bidder": 2}, True, False),
        ({"bidder": 1}, False, True),
        ({"bidder": 0, "tricks": (1, 0, 2, 0)}, True, False),
        ({"bidder": 0, "tricks": (3, 1, 0, 0)}, False, False),
        ({"bidder": 1, "tricks": (1, 0, 0, 0)}, False, True),
        ({"bidder": 1, "tricks": (0, 1, 0, 0)}, False, False),
        ({"bidder": 0, "claim": "kott", "claimant": 2}, False, False),
        ({"bidder": 0, "bid": "thani"}, False, False),
        ({"bidder": 0, "settings": {"kott": "off"}}, False, False),
        ({"bidder": 0, "bid": 19, "settings": {"kott": "below_honours"}}, True, False),
        ({"bidder": 0, "bid": 20, "settings": {"kott": "below_honours"}}, False, False),
        ({"bidder": 0, "tricks": (5, 0, 0, 0), "settings": {"kott_min_cards": 3}}, True, False),
        ({"bidder": 0, "tricks": (6, 0, 0, 0), "settings": {"kott_min_cards": 3}}, False, False),
        ({"bidder": 0, "players": 3, "bid": 14}, True, False),
    ],
)
def test_claims(facts: dict[str, Any], kott: bool, marukott: bool) -> None:
    if facts.pop("players", 4) == 3:
        facts["settings"] = {"players": 3}
    position = playing("7C 8D", **facts)
    assert (may(position, "kott"), may(position, "marukott")) == (kott, marukott)


def test_a_claim_stands_and_the_same_seat_goes_on() -> None:
    after = do(playing("7C 8D", bidder=2), "0 kott")
    assert (fact(after, "claim"), fact(after, "claimant"), after.turn, after.phase) == ("kott", 0, (0,), "play")


LAST_BUT_ONE = "hand.1: 8S | hand.2: QS | hand.3: KS"


@pytest.mark.parametrize(
    ("claim", "bidder", "card", "won", "paid"),
    [
        ("kott", 0, "QD", False, 5),
        ("marukott", 1, "QD", True, 5),
    ],
)
def test_a_claim_fails_with_the_first_trick_lost(claim: str, bidder: int, card: str, won: bool, paid: int) -> None:
    """Seat 0 claimed, and its side loses the trick to seat 3."""
    position = playing(f"{card} 7S", "7D TD JD", LAST_BUT_ONE, bidder=bidder, claim=claim, claimant=0)
    after = do(position, f"0 play {card}", shuffles=[packed("twenty_eight")])
    record = {name: fact(after, f"last_hand.{name}") for name in ("claim", "won", "paid")}
    assert record == {"claim": claim, "won": won, "paid": paid}
    assert fact(after, "kooli") == [1, 11]


@pytest.mark.parametrize(
    ("claim", "bidder", "pay", "won", "paid"),
    [
        ("kott", 0, "thani", True, 4),
        ("marukott", 1, "thani", False, 4),
        ("kott", 0, "double", True, 2),
        ("marukott", 1, "double", False, 4),
    ],
)
def test_a_claim_succeeds_with_the_last_trick(claim: str, bidder: int, pay: str, won: bool, paid: int) -> None:
    position = playing(
        "JD", "7D TD AD", bidder=bidder, claim=claim, claimant=2, tricks=(4, 0, 3, 0), trump="H",
        settings={"kott_pay": pay},
    )  # fmt: skip
    after = do(position, "0 play JD", shuffles=[packed("twenty_eight")])
    assert (fact(after, "last_hand.won"), fact(after, "last_hand.paid")) == (won, paid)
    assert fact(after, "kooli") == [6 + paid, 6 - paid]


@pytest.mark.parametrize(("claim", "bidder", "won", "paid"), [("kott", 0, False, 4), ("marukott", 1, True, 2)])
def test_a_claim_that_fails_pays_twice_the_bid(claim: str, bidder: int, won: bool, paid: int) -> None:
    position = playing(
        "QD 7S", "7D TD JD", LAST_BUT_ONE, bidder=bidder, claim=claim, claimant=0, settings={"kott_pay": "double"}
    )
    after = do(position, "0 play QD", shuffles=[packed("twenty_eight")])
    assert (fact(after, "last_hand.won"), fact(after, "last_hand.paid")) == (won, paid)


@pytest.mark.parametrize(
    ("trick", "facts", "open_"),
    [
        ("7D TD JD", {"bidder": 1, "tricks": (0, 1, 0, 1)}, True),
        ("7D JD TD", {"bidder": 1, "tricks": (0, 1, 0, 1)}, False),
        ("", {"bidder": 1, "tricks": (0, 1, 0, 1)}, False),
        ("7D TD JD", {"bidder": 1, "tricks": (0, 0, 0, 0)}, False),
        ("7D TD JD", {"bidder": 1, "tricks": (0, 1, 1, 1)}, False),
        ("7D TD JD", {"bidder": 0, "tricks": (0, 1, 0, 1)}, True),
        ("7D TD JD", {"bidder": 1, "tricks": (0, 1, 0, 1), "claim": "kott", "claimant": 3}, False),
        ("7D TD JD", {"bidder": 1, "tricks": (0, 1, 0, 1), "bid": "thani"}, False),
        ("7D TD JD", {"bidder": 1, "tricks": (0, 1, 0, 1), "settings": {"kott": "off"}}, False),
        ("7D TD JD", {"bidder": 1, "tricks": (0, 3, 0, 3), "settings": {"kott_min_cards": 3}}, False),
        ("7D TD JD", {"bidder": 1, "tricks": (0, 3, 0, 2), "settings": {"kott_min_cards": 3}}, True),
        ("7D TD JD", {"bidder": 1, "tricks": (0, 1, 0, 1), "bid": 20, "settings": {"kott": "below_honours"}}, False),
    ],
)
def test_challenge(trick: str, facts: dict[str, Any], open_: bool) -> None:
    assert may(playing("QD 7S", trick, LAST_BUT_ONE, **facts), "challenge") == open_


def challenged(bidder: int) -> Position[Any]:
    """Seat 0 has challenged; seat 3 is winning the trick and answers."""
    position = playing("QD 7S", "7D TD JD", LAST_BUT_ONE, bidder=bidder, tricks=(0, 1, 0, 1))
    return do(position, "0 challenge")


@pytest.mark.parametrize(("bidder", "word", "wrong"), [(1, "kott", "marukott"), (0, "marukott", "kott")])
def test_answer(bidder: int, word: str, wrong: str) -> None:
    position = challenged(bidder)
    assert (position.phase, position.turn, fact(position, "challenger")) == ("answer", (3,), 0)
    assert engine.legal(position, 3) == [word, "decline"]
    assert refused(position, f"3 {wrong}") == "RULE_BROKEN"
    assert refused(position, "3 play KS") == "UNKNOWN_ACTION"
    after = do(position, f"3 {word}")
    assert (after.phase, after.turn, fact(after, "claim"), fact(after, "claimant")) == ("play", (0,), word, 3)


@pytest.mark.parametrize(("bidder", "won", "paid"), [(1, True, 1), (0, False, 2)])
def test_decline_ends_the_hand_at_the_pay_of_the_bid(bidder: int, won: bool, paid: int) -> None:
    after = do(challenged(bidder), "3 decline", shuffles=[packed("twenty_eight")])
    record = [fact(after, f"last_hand.{name}") for name in ("claim", "won", "paid")]
    assert record == [None, won, paid]
    assert (fact(after, "kooli"), fact(after, "hand_no")) == ([6 - paid, 6 + paid], 2)


def test_an_answer_is_not_tested_again() -> None:
    position = playing("QD 7S", "7D TD JD", LAST_BUT_ONE, bidder=1, tricks=(0, 2, 0, 3), settings={"kott_min_cards": 3})
    assert fact(do(position, "0 challenge", "3 kott"), "claim") == "kott"


# The end of a hand ────────────────────────────────────────────────────────────────────────────────────────────────────


def last_card(**facts: Any) -> Position[Any]:
    """Seat 0 plays the last card of the hand, the jack of diamonds, and wins five points."""
    given = {"trump": "S", "tricks": (2, 2, 2, 1), "points": (10, 8, 0, 5), "bidder": 2, **facts}
    return playing("JD", "AD QD TD", **given)


def after_hand(**facts: Any) -> Position[Any]:
    """The next hand, or the end of the match."""
    return do(last_card(**facts), "0 play JD", shuffles=[packed("twenty_eight")])


@pytest.mark.parametrize(
    ("bid", "wins", "loses", "plain_wins", "plain_loses"),
    [(14, 1, 2, 1, 2), (19, 1, 2, 1, 2), (20, 2, 3, 2, 3), (23, 2, 3, 2, 3), (24, 3, 4, 2, 3), (27, 3, 4, 2, 3),
     (28, 4, 5, 3, 4)],
)  # fmt: skip
def test_pay(bid: int, wins: int, loses: int, plain_wins: int, plain_loses: int) -> None:
    for pay, won, lost in (("extra", wins, loses), ("none", plain_wins, plain_loses)):
        settings = {"senior_pay": pay}
        gained = after_hand(bid=bid, points=(23, 0, 0, 0), settings=settings)
        assert (fact(gained, "last_hand.paid"), fact(gained, "kooli")) == (won, [6 + won, 6 - won])
        short = after_hand(bid=bid, points=(bid - 6, 0, 0, 0), settings=settings)
        assert (fact(short, "last_hand.paid"), fact(short, "kooli")) == (lost, [6 - lost, 6 + lost])


def test_the_sides_points_are_added_up() -> None:
    assert fact(after_hand(bid=15, points=(4, 8, 6, 5)), "last_hand.won")
    assert not fact(after_hand(bid=16, points=(4, 8, 6, 5)), "last_hand.won")
    assert fact(after_hand(bid=14, bidder=3, points=(0, 8, 0, 6)), "last_hand.won")


def test_the_record_of_a_hand() -> None:
    made = events(last_card(), "0 play JD", packed("twenty_eight"))
    record = {
        "bidder": 2, "bid": 14, "won": True, "claim": None, "paid": 1, "points": [15, 8, 0, 5], "slam": None,
    }  # fmt: skip
    assert next(event for event in made if isinstance(event, HandEnded)).record == record


def test_the_next_hand() -> None:
    after = after_hand(first=0, claim=None, challenger=3)
    assert [fact(after, name) for name in ("dealer", "first", "hand_no", "bid", "bidder", "trump", "placer")] == [
        0, 1, 2, None, None, None, None,
    ]  # fmt: skip
    assert [fact(after, name) for name in ("calls", "points", "tricks", "last_trick", "last_winner", "challenger")] == [
        [], [0] * 4, [0] * 4, [], None, None,
    ]  # fmt: skip
    assert after.turn == (1,)


# Kooli, slams, ear-rings ──────────────────────────────────────────────────────────────────────────────────────────────


def test_lead_counts_kooli_of_team_0() -> None:
    assert fact(after_hand(lead=-2), "lead") == -1
    assert fact(after_hand(bid=28, lead=1, kooli=(7, 5), points=(0, 0, 0, 0)), "lead") == -4


def test_a_slam_ends_a_match_of_one() -> None:
    after = do(last_card(kooli=(11, 1)), "0 play JD")
    assert (fact(after, "slams"), fact(after, "kooli"), fact(after, "lead")) == ([1, 0], [12, 0], 0)
    assert result(after) == ([1, 3, 1, 3], [1, 0, 1, 0])
    assert (fact(after, "kunukku"), fact(after, "last_hand.slam"), after.phase) == ([0, 1, 0, 1], 0, "over")


def test_after_a_slam_kooli_start_afresh() -> None:
    after = after_hand(kooli=(11, 1), settings={"slams": 2})
    assert [fact(after, name) for name in ("slams", "kooli", "lead", "score")] == [[1, 0], [6, 6], 0, [1, 0, 1, 0]]


@pytest.mark.parametrize(
    ("before", "facts", "kooli", "neutral", "box"),
    [
        (((0, 0), 6, None), {}, [5, 1], 0, 0),
        (((5, 1), 0, 0), {}, [4, 2], 0, 0),
        (((2, 4), 0, 1), {}, [1, 5], 0, 1),
        (((0, 6), 0, 1), {}, [5, 1], 0, 0),
        (((0, 0), 6, None), {"points": (0, 0, 0, 0)}, [2, 4], 0, 1),
    ],
)
def test_neutral(
    before: tuple[Any, ...], facts: dict[str, Any], kooli: list[int], neutral: int, box: int | None
) -> None:
    held, lying, holder = before
    after = after_hand(kooli=held, neutral=lying, box=holder, settings={"kooli_method": "neutral"}, **facts)
    assert [fact(after, name) for name in ("kooli", "neutral", "box")] == [kooli, neutral, box]


def test_neutral_the_box_given_is_a_slam_and_all_is_neutral_again() -> None:
    settings = {"kooli_method": "neutral", "slams": 2}
    after = after_hand(kooli=(0, 6), neutral=0, box=0, settings=settings)
    assert [fact(after, name) for name in ("slams", "kooli", "neutral", "box")] == [[1, 0], [0, 0], 6, None]


THREE: dict[str, Any] = {"settings": {"players": 3}, "tricks": (3, 2, 2), "leader": 1, "trump": "S", "lead": None}


def three(**facts: Any) -> Position[Any]:
    """Three players: seat 0 plays the last card and wins."""
    given = {**THREE, "points": (10, 8, 0), "bidder": 0, "kooli": (6, 6, 6), **facts}
    return playing("JD", "AD QD", **given)


def test_three_a_bidder_who_wins_is_paid_by_both() -> None:
    after = do(three(), "0 play JD", shuffles=[packed("twenty_eight", players=3)])
    assert (fact(after, "kooli"), fact(after, "score"), fact(after, "lead")) == ([8, 5, 5], [8, 5, 5], None)
    assert (fact(after, "last_hand.paid"), fact(after, "last_hand.slam"), fact(after, "kunukku")) == (1, None, [0] * 3)


def test_three_a_bidder_who_loses_pays_both_in_turn() -> None:
    after = do(three(bidder=1, kooli=(6, 3, 6)), "0 play JD")
    assert (fact(after, "kooli"), result(after)) == ([7, 0, 8], ([2, 3, 1], [7, 0, 8]))


def test_three_equal_kooli_share_a_place() -> None:
    over = do(three(settings={"players": 3, "max_hands": 1}, bid=20, points=(10, 8, 0)), "0 play JD")
    assert result(over) == ([3, 1, 1], [0, 9, 9])


RINGS: dict[str, Any] = {"kunukku": (1, 0, 1, 0), "hand_no": 5}


@pytest.mark.parametrize(
    ("facts", "kunukku"),
    [
        ({"ringed": (4, 0)}, [0, 0, 0, 0]),
        ({"ringed": (3, 0)}, [1, 0, 0, 0]),
        ({"ringed": (4, 0), "points": (0, 0, 0, 0)}, [1, 0, 1, 0]),
        ({"ringed": (4, 0), "bidder": 1}, [1, 0, 1, 0]),
        ({"ringed": (4, 0), "settings": {"kunukku": "slam"}}, [1, 0, 1, 0]),
    ],
)
def test_ear_rings_come_off_by_a_bid(facts: dict[str, Any], kunukku: list[int]) -> None:
    """In the hand after the slam from the whole team, later from the bidder alone."""
    assert fact(after_hand(**RINGS, **facts), "kunukku") == kunukku


@pytest.mark.parametrize(
    ("setting", "kunukku"), [("bids", [1, 1, 0, 1]), ("slam", [0, 1, 0, 1]), ("off", [1, 0, 1, 0])]
)
def test_ear_rings_at_a_slam(setting: str, kunukku: list[int]) -> None:
    """Seat 2 bid, team 0 wore them from an earlier hand and makes a slam; with `off` nothing is touched."""
    after = after_hand(**RINGS, ringed=(2, 0), kooli=(11, 1), settings={"slams": 2, "kunukku": setting})
    assert fact(after, "kunukku") == kunukku


# The end of the match ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("facts", "placing", "score"),
    [
        ({"slams": (1, 2)}, [3, 1, 3, 1], [1, 2, 1, 2]),
        ({"slams": (1, 1), "lead": -3, "kooli": (3, 9)}, [3, 1, 3, 1], [1, 1, 1, 1]),
        ({"slams": (0, 0), "lead": 2, "kooli": (8, 4)}, [1, 3, 1, 3], [0, 0, 0, 0]),
        ({"lead": -1, "kooli": (5, 7)}, [1, 1, 1, 1], [0, 0, 0, 0]),
    ],
)
def test_after_the_last_hand(facts: dict[str, Any], placing: list[int], score: list[int]) -> None:
    over = do(last_card(**facts, settings={"max_hands": 1, "slams": 3}), "0 play JD")
    assert (result(over), over.turn) == ((placing, score), ())
    assert refused(over, "0 play JD") == "MATCH_OVER"


def test_places_of_six() -> None:
    """Winners share the first place, the others the fourth."""
    settings = {"max_hands": 1}
    position = table(
        "forty", "hand.0: JD | trick: AD QD TD 7D 8D", phase="play", settings=settings, bid=20, bidder=1, cards=6,
        tricks=(1, 1, 1, 1, 1, 0), leader=1, led="D", trump="S", placer=1, points=(0, 9, 0, 0, 0, 0),
    )  # fmt: skip
    assert result(do(position, "0 play JD"))[0] == [1, 4, 1, 4, 1, 4]


# Time-outs ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_time_out_of_the_auction() -> None:
    position = do(start(), "0 times out")
    assert fact(position, "calls") == ["0 14"]
    assert fact(do(position, "1 times out"), "calls") == ["0 14", "1 pass"]


def test_time_out_places_the_lowest_card_of_the_longest_suit() -> None:
    position = table("twenty_eight", "hand.0: 9C JC QD TD AD 7H 8S", phase="trump", bid=14, bidder=0)
    assert zone(do(position, "0 times out"), "trump_card") == "QD"
    even = table("twenty_eight", "hand.0: JC 9C AD TD", phase="trump", bid=14, bidder=0)
    assert zone(do(even, "0 times out"), "trump_card") == "9C"


@pytest.mark.parametrize(
    ("hand", "trick", "facts", "played"),
    [
        ("JC 7H 9D", "", {}, "7H"),
        ("JC 7H 9D", "", {"trump": "H"}, "9D"),
        ("QC QD", "", {}, "QC"),
        ("7C QH", "", {"bidder": 0, "placer": 0}, "7C"),
        ("7C QH", "7D QD KD", {"trump": "H", "asker": 0}, "QH"),
    ],
)
def test_time_out_plays_the_lowest_card_allowed(hand: str, trick: str, facts: dict[str, Any], played: str) -> None:
    after = do(playing(hand, trick, "hand.1: 8S | hand.2: QS | hand.3: KS", **facts), "0 times out")
    assert (zone(after, "trick") or " ".join(fact(after, "last_trick"))).split()[-1] == played


def test_time_out_of_an_answer_declines() -> None:
    assert fact(do(challenged(1), "3 times out", shuffles=[packed("twenty_eight")]), "hand_no") == 2


# Edge cases ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_edge_1_the_first_bidder_alone_is_asked_once_more() -> None:
    position = say(one_stage(), "0 bid 14", "1 pass", "3 pass", "2 pass")
    assert (position.turn, fact(position, "round"), engine.legal(position, 0)[0]) == ((0,), 2, "bid 20")
    assert say(position, "0 pass").phase == "trump"


def test_edge_2_over_the_total_one_may_pass_or_say_thani() -> None:
    position = say(one_stage(), "0 bid 28")
    assert (position.turn, engine.legal(position, 1)) == ((1,), ["pass", "thani"])
    assert refused(position, "1 bid 28") == "RULE_BROKEN"


def test_edge_3_over_a_partner_at_honours_one_more_is_enough() -> None:
    position = say(one_stage(), "0 bid 20", "1 pass", "3 pass")
    assert engine.legal(position, 2)[0] == "bid 21"


def test_edge_4_a_bidder_with_nothing_but_trumps_may_lead_one() -> None:
    after = do(playing("QH KH", "", LAST_BUT_ONE, bidder=0, placer=0), "0 play QH")
    assert (fact(after, "trump"), fact(after, "led")) == (None, "H")


def test_edge_5_the_only_card_of_the_suit_led_lies_face_down() -> None:
    position = playing("7C 8C", "7H QH KH", bidder=0, placer=0)
    assert may_play(position) == "7C 8C"
    after = do(position, "0 reveal")
    assert may_play(after) == "8H"


def test_edge_6_the_asker_has_no_trump() -> None:
    after = do(playing("7C 8C", "7D QD KD"), "0 reveal")
    assert (may_play(after), fact(after, "trump")) == ("7C 8C", "H")


def test_edge_7_trump_led_and_shown_in_the_same_trick_goes_by_rank() -> None:
    position = playing("7C 8C", "7H JH KH", LAST_BUT_ONE)
    after = do(position, "0 reveal", "0 play 7C")
    assert (fact(after, "last_winner"), fact(after, "points")) == (2, [0, 0, 3, 0])


def test_edge_7_trumps_thrown_before_the_showing_do_not_cut() -> None:
    position = playing("7C 8C", "7D JH KD", LAST_BUT_ONE)
    assert fact(do(position, "0 reveal", "0 play 7C"), "last_winner") == 3
    cutting = playing("7H 8C", "7D JH KD", LAST_BUT_ONE)
    assert fact(do(cutting, "0 reveal", "0 play 7H"), "last_winner") == 0
    assert fact(do(cutting, "0 reveal", "0 play 7H"), "early") == 0


def test_edge_8_of_two_equal_jacks_the_first_wins() -> None:
    position = table(
        "forty", "hand.0: JD 7C | hand.2: 7S | trick: AD JD TD 7D 8D", phase="play", bid=20, bidder=1, placer=1,
        cards=6, leader=1, led="D", trump="S",
    )  # fmt: skip
    assert fact(do(position, "0 play JD"), "last_winner") == 2


def test_edge_9_a_claim_in_the_last_trick() -> None:
    position = last_card(tricks=(4, 0, 3, 0))
    after = do(position, "0 kott", "0 play JD", shuffles=[packed("twenty_eight")])
    assert (fact(after, "last_hand.claim"), fact(after, "last_hand.paid")) == ("kott", 4)


def test_edge_10_after_a_claim_the_duty_to_cut_remains() -> None:
    after = do(playing("7C QH", "7D QD KD", bidder=1), "0 reveal", "0 marukott")
    assert (may_play(after), fact(after, "asker")) == ("QH", 0)


def test_edge_11_a_bid_of_the_total_with_a_claim_is_settled_by_the_claim() -> None:
    after = after_hand(
        bid=28, claim="kott", claimant=2, points=(0, 9, 0, 9), kooli=(9, 9), settings={"kott_pay": "double"}
    )
    assert (fact(after, "last_hand.won"), fact(after, "last_hand.paid")) == (True, 8)


def test_edge_12_a_claim_made_in_a_trick_then_lost_ends_with_it() -> None:
    position = playing("QD 7S", "7D TD JD", LAST_BUT_ONE, bidder=0)
    after = do(position, "0 kott", "0 play QD", shuffles=[packed("twenty_eight")])
    assert (fact(after, "hand_no"), fact(after, "last_hand.won")) == (2, False)


def test_edge_13_the_challenger_still_plays_and_may_ask_first() -> None:
    position = playing("QC 7S", "7D TD JD", LAST_BUT_ONE, bidder=1, tricks=(0, 1, 0, 1))
    after = do(position, "0 challenge", "3 kott")
    assert (after.turn, may(after, "reveal")) == ((0,), True)
    assert do(after, "0 reveal", "0 play QC").turn == (3,)


def test_edge_14_the_seat_whose_turn_it_is_claims() -> None:
    position = playing("QD 7S", bidder=2)
    assert may(position, "kott")
    assert refused(position, "2 kott") == "NOT_YOUR_TURN"


def test_edge_15_nobody_pays_more_than_he_has() -> None:
    after = do(last_card(bid=28, kooli=(10, 2), points=(23, 0, 0, 0)), "0 play JD")
    assert (fact(after, "kooli"), fact(after, "last_hand.paid")) == ([12, 0], 4)


def test_edge_16_a_slam_in_the_last_hand_is_counted() -> None:
    over = do(last_card(kooli=(11, 1), slams=(0, 1), settings={"max_hands": 1, "slams": 3}), "0 play JD")
    assert (result(over), fact(over, "lead"), fact(over, "kooli")) == (([1, 1, 1, 1], [1, 1, 1, 1]), 0, [12, 0])


# Words ────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_words_of_the_family_come_between_the_game_and_what_all_share() -> None:
    support, forty = wording("fifty_six_support"), wording("forty")
    assert support.label("phases", "trump", "en") == "Naming the trump"
    assert forty.label("phases", "trump", "en") == "Placing the trump"
    assert support.value("auction", "suits", "en") == "Number and suit"
    assert support.value("auction", "rounds", "en") == forty.value("auction", "rounds", "en")
    assert forty.label("facts", "dealer", "ne") == wording("bluff").label("facts", "dealer", "ne")


@pytest.mark.parametrize("game", FAMILY)
def test_names_cards_and_terms_are_there_in_malayalam(game: str) -> None:
    words = wording(game)
    assert not words.titles["ml"].isascii()
    assert (words.cards("ml")["J"], words.cards("ml")["H"], words.cards("en")["J"]) == ("ഗുലാൻ", "ആഡ്യൻ", "jack")
    assert words.terms("ml")["kunukku"] == "കുണുക്ക്"
    assert words.about("settings", "kooli_count", "ml") == words.about("settings", "kooli_count", "en")


def test_the_page_of_the_family_follows_that_of_the_game() -> None:
    assert "\n## What the games of Gulan Parish share\n" in page("forty")
    assert "Gulan Parish" not in page("bluff")
