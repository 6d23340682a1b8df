"""Gulam Chor, rule by rule: settings, the deal, taking, the end, what is hidden, and the numbered edge cases."""

from random import Random
from typing import Any

import pytest

from chautari import engine
from chautari.cards import Card, cards, pack
from chautari.engine import ALL, NOBODY, Dealt, FairStream, HandEnded, Moved, Position, Said, Shuffled
from chautari.games.gulam_chor import GAME
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


def taking(lying: str, players: int = 3, turn: int = 0, source: int = 1, **facts: Any) -> Position[Any]:
    """The middle of a hand: seat `turn` takes from seat `source`."""
    settings: dict[str, object] = {"players": players, **facts.pop("settings", {})}
    return table("gulam_chor", lying, phase="take", turn=[turn], settings=settings, from_=source, **facts)


# Settings ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "default", "allowed", "wrong"),
    [
        ("players", 4, (2, 8), (1, 9, "4", True, None)),
        ("rounds", 5, (1, 50), (0, 51, "5")),
        ("odd_card", "named", ("named", "unseen", "joker"), ("queen", None)),
        ("rank", "J", tuple("A23456789TJQK"), (2, "10", "j", "X")),
        ("take_from", "next", ("next", "previous"), ("left", 1)),
        ("pairing", "rank", ("rank", "colour"), ("color", True)),
        ("packs", 1, (1, 2), (0, 3, "1")),
    ],
)
def test_settings(name: str, default: object, allowed: tuple[object, ...], wrong: tuple[object, ...]) -> None:
    assert getattr(GAME.read_settings({}), name) == default
    for value in allowed:
        assert getattr(GAME.read_settings({name: value}), name) == value
    for value in wrong:
        assert bad_setting("gulam_chor", **{name: value}) == name


def test_a_setting_that_is_unknown_is_refused() -> None:
    assert bad_setting("gulam_chor", jokers=1) == "jokers"


@pytest.mark.parametrize("odd_card", ["unseen", "joker"])
def test_the_rank_may_be_set_where_it_is_not_used(odd_card: str) -> None:
    assert GAME.read_settings({"odd_card": odd_card, "rank": "Q"}).rank == "Q"


# Zones and facts ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_zones() -> None:
    assert zones_declared("gulam_chor") == {"hand": ("owner", False), "aside": ("none", False), "pile": ("all", True)}


def test_facts() -> None:
    assert public_facts("gulam_chor") == ["dealer", "hand_no", "odd", "from", "out", "score", "last_hand"]


@pytest.mark.parametrize(
    ("settings", "odd"),
    [({}, "J"), ({"rank": "2"}, "2"), ({"odd_card": "joker"}, "XX"), ({"odd_card": "unseen"}, None)],
)
def test_odd_tells_the_rank_to_fear(settings: dict[str, object], odd: str | None) -> None:
    outcome = dealt(jokers=1 if odd == "XX" else 0)
    assert fact(begin("gulam_chor", outcome, **settings), "odd") == odd


# The deal ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_deal_1_seat_0_starts_the_first_hand_and_the_last_seat_deals() -> None:
    start = begin("gulam_chor", dealt(), players=5)
    assert (start.turn, fact(start, "dealer"), fact(start, "hand_no")) == ((0,), 4, 1)


def test_deal_1_the_start_moves_on_a_seat_a_hand_whoever_was_the_chor() -> None:
    last = taking("hand.0: JS 7H | hand.1: 7S", hand_no=1)
    after = do(last, "0 take", shuffles=["7S", dealt()])
    assert (after.turn, fact(after, "dealer"), fact(after, "hand_no"), fact(after, "last_hand.chor")) == ((1,), 0, 2, 0)


def test_deal_1_the_start_comes_round_again() -> None:
    last = taking("hand.0: JS 7H | hand.1: 7S", hand_no=3)
    after = do(last, "0 take", shuffles=["7S", dealt()])
    assert (after.turn, fact(after, "dealer")) == ((0,), 2)


@pytest.mark.parametrize(
    ("settings", "shuffled"),
    [
        ({}, pack()),
        ({"packs": 2}, pack(2)),
        ({"odd_card": "joker"}, pack(1, 1)),
        ({"odd_card": "joker", "packs": 2}, pack(2, 1)),
        ({"odd_card": "unseen"}, pack()),
    ],
)
def test_deal_2_all_cards_are_shuffled_once(settings: dict[str, object], shuffled: tuple[Card, ...]) -> None:
    given = []

    def shuffle(faces: tuple[Card, ...], /) -> list[Card]:
        given.append(faces)
        return Random(1).sample(faces, len(faces))

    engine.begin(GAME, GAME.read_settings(settings), shuffle)
    assert given == [shuffled]


def test_deal_3_the_first_card_of_the_rank_is_set_aside() -> None:
    start = begin("gulam_chor", dealt(before="KC 5D JH JC"))
    assert zone(start, "aside") == "JH"


def test_deal_3_the_rank_is_a_setting() -> None:
    assert zone(begin("gulam_chor", dealt(before="JH QS QC"), rank="Q"), "aside") == "QS"


def test_deal_3_unseen_sets_the_first_card_aside() -> None:
    assert zone(begin("gulam_chor", dealt(before="5D JH"), odd_card="unseen"), "aside") == "5D"


def test_deal_3_with_a_joker_nothing_is_set_aside() -> None:
    start = begin("gulam_chor", dealt(before="XX 5D", jokers=1), odd_card="joker")
    assert zone(start, "aside") == ""
    assert "XX" in zone(start, "hand.0")


def test_deal_4_the_rest_is_dealt_one_at_a_time_from_the_starter() -> None:
    script = engine.Script([cards(dealt("AC 3D 5H", "2C 4D 6H", "KS QS TS", players=3, before="JH"))])
    made = engine.begin(GAME, GAME.read_settings({"players": 3}), script).events
    dealing = next(event for event in made if isinstance(event, Dealt))
    assert dealing.targets == ("hand.0", "hand.1", "hand.2")
    assert [hand[:3] for hand in dealing.hands] == [bytes(cards(held)) for held in ("AC 3D 5H", "2C 4D 6H", "KS QS TS")]


def test_deal_4_goes_on_from_the_starter_in_a_later_hand() -> None:
    last = taking("hand.0: JS 7H | hand.1: 7S", settings={"odd_card": "joker"})
    outcome = dealt("XX", players=3, jokers=1)
    after = do(last, "0 take", shuffles=["7S", outcome])
    assert "XX" in zone(after, "hand.1")


def test_deal_5_pairs_are_thrown_seat_by_seat_from_the_starter() -> None:
    """Each seat's in the order of ranks, of suits within a rank."""
    script = engine.Script([cards(EIGHT)])
    start, made = engine.begin(GAME, GAME.read_settings({"players": 8}), script)
    thrown = [(event.source, " ".join(map(str, event.cards))) for event in made if isinstance(event, Moved)][1:]
    assert thrown == [("hand.0", "4D 4H 9C 9S KC KD"), ("hand.1", "2H 2S"), ("hand.2", "AC AD 8D 8H")]
    assert zone(start, "pile") == "4D 4H 9C 9S KC KD 2H 2S AC AD 8D 8H"
    assert zone(start, "hand.0") == "4S"


EIGHT = dealt(
    "9S 9C KD KC 4S 4D 4H", "2H 2S 3C 4C 5C 6C 7C", "AC AD 8D 8H 9D TD JD", "2C 3D 5H 6D 7D QD", "2D 3H 5D 6H TH QH",
    "3S 5S 6S TS QS KS", "8S 7S AS JS KH 9H", "7H AH 8C TC JC QC", players=8, before="JH",
)  # fmt: skip
"""Eight hands, seven cards or six, of which three have pairs."""


def test_deal_5_with_colour_black_pairs_come_before_red_ones() -> None:
    outcome = dealt("9D 9H 9S 9C", before="JH", each=12)
    assert "9C 9S 9D 9H" in zone(begin("gulam_chor", outcome, pairing="colour"), "pile")


def test_deal_5_a_hand_that_is_all_paired_is_out_in_the_order_from_the_starter() -> None:
    start = begin("gulam_chor", dealt(*PAIRED, "AC", "6C", "7C", "8C", "9C", players=7, before="JH"), players=7)
    assert fact(start, "out") == [0, 1]


PAIRED = ("2C 2D 2H 2S 3C 3D 3H 3S", "4C 4D 4H 4S 5C 5D 5H 5S")
"""Two hands of eight cards that the deal empties."""


def test_deal_5_the_joker_pairs_with_nothing() -> None:
    """Not even with a card of the same hand that is left alone."""
    start = begin("gulam_chor", dealt("XX 5C", players=8, jokers=1), odd_card="joker", players=8)
    assert "XX" in zone(start, "hand.0")
    assert "XX" not in zone(start, "pile")


def test_deal_6_the_first_turn_is_the_next_seats_if_the_starter_is_out() -> None:
    start = begin("gulam_chor", dealt(PAIRED[0], "4C", "AC", "6C", "7C", "8C", "9C", players=7, before="JH"), players=7)
    assert (fact(start, "out"), start.turn, fact(start, "from")) == ([0], (1,), 2)


def test_deal_6_a_hand_may_be_over_at_the_deal() -> None:
    """Seat 0 has all clubs and diamonds, thirteen pairs; seat 1 the rest, and the odd jack."""
    one, other = pack()[:26], [card for card in pack()[26:] if card.text != "JH"]
    outcome = dealt(" ".join(map(str, one)), " ".join(map(str, other)), players=2, before="JH")
    over = begin("gulam_chor", outcome, players=2, rounds=1)
    assert over.is_over
    assert fact(over, "last_hand") == {"hand_no": 1, "chor": 1, "card": "JS", "aside": "JH"}
    again = begin("gulam_chor", outcome, dealt(), players=2, rounds=2)
    assert (fact(again, "hand_no"), fact(again, "score")) == (2, [0, 1])


# Taking ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

THREE = "hand.0: 7H | hand.1: 7S 9H JS | hand.2: 9C"


def test_take_the_place_counts_in_the_shuffled_hand() -> None:
    after = do(taking(THREE), "0 take 3", shuffles=["9H 7S JS"])
    assert (zone(after, "hand.0"), zone(after, "hand.1")) == ("7H JS", "9H 7S")


def test_take_without_a_place_is_take_1() -> None:
    after = do(taking(THREE), "0 take", shuffles=["9H 7S JS"])
    assert zone(after, "hand.0") == "7H 9H"


def test_take_throws_the_pair_the_held_card_first() -> None:
    after = do(taking(THREE + " | pile: AC AD"), "0 take 2", shuffles=["9H 7S JS"])
    assert (zone(after, "pile"), zone(after, "hand.0")) == ("AC AD 7H 7S", "")


def test_take_shuffles_once_even_a_hand_of_one_card() -> None:
    made = events(taking("hand.0: 7H 8H | hand.1: 9S | hand.2: JS"), "0 take", "9S")
    assert [event for event in made if isinstance(event, Shuffled)] == [Shuffled(bytes(cards("9S")), "hand.1", NOBODY)]


def test_take_with_colour_a_red_and_a_black_card_do_not_pair() -> None:
    after = do(taking("hand.0: 7H | hand.1: 7S 9H", settings={"pairing": "colour"}), "0 take", shuffles=["7S 9H"])
    assert zone(after, "hand.0") == "7H 7S"


def test_take_with_colour_cards_of_one_colour_pair() -> None:
    after = do(taking("hand.0: 7H 7S | hand.1: 7D 9H", settings={"pairing": "colour"}), "0 take", shuffles=["7D 9H"])
    assert (zone(after, "hand.0"), zone(after, "pile")) == ("7S", "7H 7D")


def test_take_the_joker_pairs_with_nothing() -> None:
    after = do(taking("hand.0: 7H | hand.1: XX 9H", settings={"odd_card": "joker"}), "0 take", shuffles=["XX 9H"])
    assert zone(after, "hand.0") == "7H XX"


def test_take_next_the_turn_goes_to_the_seat_taken_from() -> None:
    after = do(taking(THREE), "0 take", shuffles=["9H 7S JS"])
    assert (after.turn, fact(after, "from")) == ((1,), 2)


def test_take_next_passes_over_seats_without_cards() -> None:
    start = taking("hand.0: 7H 8H | hand.2: 9S | hand.3: JS 9H", players=4, source=2, out=(1,))
    after = do(start, "0 take", shuffles=["9S"])
    assert (fact(after, "out"), after.turn, fact(after, "from")) == ([1, 2], (3,), 0)


def test_take_previous_the_turn_goes_to_the_seat_after_the_taker() -> None:
    start = taking("hand.0: 7H | hand.1: 8H | hand.2: 9S JS", source=2, settings={"take_from": "previous"})
    after = do(start, "0 take", shuffles=["9S JS"])
    assert (after.turn, fact(after, "from")) == ((1,), 0)


def test_take_previous_takes_from_the_nearest_seat_before_with_cards() -> None:
    start = taking("hand.0: 7H 8H | hand.1: 7S | hand.3: 9S JS", players=4, source=3, out=(2,),
                   settings={"take_from": "previous"})  # fmt: skip
    first = do(start, "0 take", shuffles=["9S JS"])
    second = do(first, "1 take", shuffles=["8H 9S 7H"])
    assert (second.turn, fact(second, "from")) == ((3,), 1)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("0 draw deck", "UNKNOWN_ACTION"),
        ("0", "UNKNOWN_ACTION"),
        ("0 TAKE", "UNKNOWN_ACTION"),
        ("1 throw 7H", "UNKNOWN_ACTION"),
        ("1 take", "NOT_YOUR_TURN"),
        ("1 take x", "NOT_YOUR_TURN"),
        ("7 take", "NOT_YOUR_TURN"),
        ("0 take 1 2", "MALFORMED_ACTION"),
        ("0 take x", "MALFORMED_ACTION"),
        ("0 take 01", "MALFORMED_ACTION"),
        ("0 take 00", "MALFORMED_ACTION"),
        ("0 take +1", "MALFORMED_ACTION"),
        ("0 take -1", "MALFORMED_ACTION"),
        ("0 take 1.0", "MALFORMED_ACTION"),
        ("0 take 1000000000", "MALFORMED_ACTION"),
        ("0 take ²", "MALFORMED_ACTION"),
        ("0 take १", "MALFORMED_ACTION"),
        ("0 take 7S", "MALFORMED_ACTION"),
        ("0 take 0", "RULE_BROKEN"),
        ("0 take 4", "RULE_BROKEN"),
        ("0 take 999999999", "RULE_BROKEN"),
    ],
)
def test_take_refusals(line: str, code: str) -> None:
    assert refused(taking(THREE), line) == code


def test_take_is_refused_when_the_match_is_over() -> None:
    over = do(taking("hand.0: JS 7H | hand.1: 7S", settings={"rounds": 1}), "0 take", shuffles=["7S"])
    assert refused(over, "0 take") == "MATCH_OVER"
    assert refused(over, "0 sing") == "MATCH_OVER"


def test_take_words_may_be_set_apart_by_any_number_of_blanks() -> None:
    assert zone(do(taking(THREE), "0   take   3 ", shuffles=["9H 7S JS"]), "hand.0") == "7H JS"


def test_options_are_the_places_held_out() -> None:
    start = taking(THREE)
    assert engine.legal(start, 0) == ["take 1", "take 2", "take 3"]
    (option,) = engine.options(start, 0)
    assert (option.verb, option.choices[0].name, option.choices[0].values) == ("take", "place", ("1", "2", "3"))
    assert option.choices[0].optional
    assert engine.options(start, 1) == []


# End of hand and match ────────────────────────────────────────────────────────────────────────────────────────────────


def test_end_the_last_seat_with_a_card_is_the_chor() -> None:
    last = taking("hand.0: JS 7H | hand.1: 7S | aside: JC", score=(1, 0, 1))
    made = events(last, "0 take", "7S", dealt())
    record = {"hand_no": 1, "chor": 0, "card": "JS", "aside": "JC"}
    assert HandEnded(1, record) in made
    after = do(last, "0 take", shuffles=["7S", dealt()])
    assert (fact(after, "score"), fact(after, "last_hand"), fact(after, "out")) == ([2, 0, 1], record, [])


def test_end_the_ace_of_clubs_was_set_aside() -> None:
    last = taking("hand.0: AS 7H | hand.1: 7S | aside: AC", settings={"rank": "A", "rounds": 1})
    assert fact(do(last, "0 take", shuffles=["7S"]), "last_hand.aside") == "AC"


def test_end_with_a_joker_nothing_was_set_aside() -> None:
    last = taking("hand.0: XX 7H | hand.1: 7S", settings={"odd_card": "joker", "rounds": 1})
    assert fact(do(last, "0 take", shuffles=["7S"]), "last_hand") == {
        "hand_no": 1,
        "chor": 0,
        "card": "XX",
        "aside": None,
    }


def test_end_the_match_is_over_after_the_last_round() -> None:
    last = taking("hand.0: JS 7H | hand.1: 7S | aside: JC", settings={"rounds": 3}, hand_no=3, score=(0, 2, 0))
    over = do(last, "0 take", shuffles=["7S"])
    assert (over.phase, over.turn, fact(over, "from"), fact(over, "odd")) == ("over", (), None, None)
    assert result(over) == ([2, 3, 1], [1, 2, 0])


def test_end_the_fewest_share_the_first_place_and_the_next_is_skipped() -> None:
    last = taking("hand.0: JS 7H | hand.1: 7S", settings={"rounds": 4}, hand_no=4, score=(0, 1, 2))
    assert result(do(last, "0 take", shuffles=["7S"])) == ([1, 1, 3], [1, 1, 2])


def test_time_out_takes_the_first_card() -> None:
    start = taking(THREE)
    assert engine.timeout_action(start, 0) == "take"
    assert do(start, "0 times out", shuffles=["9H 7S JS"]) == do(start, "0 take 1", shuffles=["9H 7S JS"])
    assert time_out(start, 1, engine.Script(())) is None


# Hidden ───────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_hidden_a_taken_card_is_known_to_the_two_seats_only() -> None:
    start = taking(THREE)

    def faces(viewer: int | None) -> str:
        made = events(start, "0 take 3", "9H 7S JS", viewer=viewer)
        return " ".join(map(str, next(event.cards for event in made if isinstance(event, Moved))))

    assert (faces(0), faces(1), faces(2), faces(None)) == ("JS", "JS", "??", "??")


def test_hidden_the_others_learn_it_when_it_is_thrown() -> None:
    made = events(taking(THREE), "0 take 2", "9H 7S JS", viewer=2)
    moved = [event for event in made if isinstance(event, Moved)]
    assert [" ".join(map(str, event.cards)) for event in moved] == ["??", "7H 7S"]


def test_hidden_the_order_of_a_fan_is_told_to_nobody() -> None:
    for viewer in (0, 1, 2, None):
        made = events(taking(THREE), "0 take 3", "9H 7S JS", viewer=viewer)
        fan = next(event for event in made if isinstance(event, Shuffled))
        assert {card.text for card in fan.cards} == {"??"}


def test_hidden_a_seat_is_shown_its_hand_sorted_and_counts_of_the_others() -> None:
    start = taking("hand.0: KS 7H 2C | hand.1: 7S 9H | aside: JC | pile: AC AD")
    assert [seen(start, 0, name) for name in ("hand.0", "hand.1", "aside", "pile")] == ["2C 7H KS", 2, 1, "AC AD"]
    assert [seen(start, None, name) for name in ("hand.0", "hand.1", "aside", "pile")] == [3, 2, 1, "AC AD"]


def test_hidden_the_card_set_aside_is_seen_by_nobody_when_dealt() -> None:
    script = engine.Script([cards(dealt())])
    made = engine.begin(GAME, GAME.read_settings({"odd_card": "unseen"}), script).events
    for viewer in (0, 3, None):
        aside = next(
            event for event in engine.redact(made, viewer) if isinstance(event, Moved) and event.target == "aside"
        )
        assert [card.text for card in aside.cards] == ["??"]


def test_hidden_cards_are_shown_when_the_match_is_over() -> None:
    last = taking("hand.0: JS 7H | hand.1: 7S | aside: JC", settings={"rounds": 1})
    over = do(last, "0 take", shuffles=["7S"])
    assert (seen(over, 2, "aside"), seen(over, None, "hand.0")) == ("JC", "JS")


def test_hidden_nothing_is_shown_between_two_hands() -> None:
    last = taking("hand.0: JS 7H | hand.1: 7S | aside: JC")
    made = events(last, "0 take", "7S", dealt(), viewer=2)
    assert not [event for event in made if type(event).__name__ == "Shown"]


def test_everybody_hears_which_place_was_chosen() -> None:
    assert events(taking(THREE), "0 take 3", "9H 7S JS", viewer=2)[0] == Said(0, "take 3", "take 3")


# Edge cases ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_edge_1_hands_need_not_be_equal() -> None:
    made = engine.begin(GAME, GAME.read_settings({}), engine.Script([cards(dealt())])).events
    dealing = next(event for event in made if isinstance(event, Dealt))
    assert dealing.targets == ("hand.0", "hand.1", "hand.2", "hand.3")
    assert [len(hand) for hand in dealing.hands] == [13, 13, 13, 12]


def test_edge_2_a_seat_may_be_out_after_the_deal_and_takes_no_turn() -> None:
    paired = "2C 2D 2H 2S 3C 3D 3H 3S 4C 4D 4H 4S"
    start = begin("gulam_chor", dealt("AC KC", "5D KD", "9H", paired, before="JH"))
    assert (fact(start, "out"), start.turn) == ([3], (0,))
    later = taking("hand.0: 7H 9S | hand.1: 8H | hand.2: 8S JS", players=4, turn=1, source=2, out=(3,))
    after = do(later, "1 take", shuffles=["JS 8S"])
    assert (after.turn, fact(after, "from")) == ((2,), 0)


def test_edge_3_a_take_can_empty_both_hands() -> None:
    start = taking("hand.0: 7H | hand.1: 7S | hand.2: 8S JS | hand.3: 8H", players=4)
    after = do(start, "0 take", shuffles=["7S"])
    assert (fact(after, "out"), after.turn, fact(after, "from")) == ([1, 0], (2,), 3)


def test_edge_3_the_next_taker_takes_from_the_nearest_seat_with_cards() -> None:
    start = taking("hand.0: 7H | hand.1: 7S | hand.2: 8S JS | hand.4: 8H", players=5, out=(3,))
    after = do(start, "0 take", shuffles=["7S"])
    assert (after.turn, fact(after, "from")) == ((2,), 4)


def test_edge_3_with_previous_the_turn_goes_on_after_the_taker() -> None:
    start = taking("hand.0: 7H | hand.1: 8H | hand.2: 8S JS | hand.3: 7S", players=4, source=3,
                   settings={"take_from": "previous"})  # fmt: skip
    after = do(start, "0 take", shuffles=["7S"])
    assert (fact(after, "out"), after.turn, fact(after, "from")) == ([3, 0], (1,), 2)


def test_edge_4_the_taker_may_be_left_as_the_chor() -> None:
    last = taking("hand.0: JS 7H | hand.1: 7S", settings={"rounds": 1})
    over = do(last, "0 take", shuffles=["7S"])
    assert (fact(over, "out"), fact(over, "last_hand.chor"), zone(over, "hand.0")) == ([1], 0, "JS")


@pytest.mark.parametrize("take_from", ["next", "previous"])
def test_edge_5_two_players_take_from_each_other(take_from: str) -> None:
    start = taking("hand.0: 7H | hand.1: 7S JS", players=2, settings={"take_from": take_from})
    after = do(start, "0 take", shuffles=["JS 7S"])
    assert (after.turn, fact(after, "from")) == ((1,), 0)


def test_edge_6_the_seat_taken_from_is_next_unless_it_is_out() -> None:
    start = taking("hand.0: 7H 9S | hand.1: 7S | hand.2: 9C JS")
    after = do(start, "0 take", shuffles=["7S"])
    assert (fact(after, "out"), after.turn) == ([1], (2,))


def test_edge_7_four_of_a_rank_are_two_pairs_and_three_leave_one() -> None:
    start = begin("gulam_chor", dealt("9S 9C 9D 9H 4H 4D 4S", before="JH", each=12))
    assert "9C 9D 9H 9S" in zone(start, "pile")
    assert "4D 4H" in zone(start, "pile")
    assert "4S" in zone(start, "hand.0")


def test_edge_7_with_three_jacks_left_the_first_two_by_suit_are_thrown() -> None:
    start = begin("gulam_chor", dealt("JS JD JH", before="JC", each=12))
    assert "JD JH" in zone(start, "pile")
    assert "JS" in zone(start, "hand.0")


def test_edge_8_with_colour_a_hand_may_keep_a_black_and_a_red_card_of_one_rank() -> None:
    start = begin("gulam_chor", dealt("9S 9D", "9C", "9H", before="JH"), pairing="colour")
    assert {"9D", "9S"} <= set(zone(start, "hand.0").split())


def test_edge_8_the_odd_card_has_the_rank_and_colour_of_the_card_set_aside() -> None:
    over = _played_out(begin("gulam_chor", dealt(before="JH"), rounds=1, pairing="colour"))
    assert (fact(over, "last_hand.aside"), fact(over, "last_hand.card")) == ("JH", "JD")


def test_edge_9_with_two_packs_one_of_eight_jacks_is_set_aside() -> None:
    start = begin("gulam_chor", dealt(before="JH 2C", packs=2), packs=2, rounds=1)
    ranks = [card.rank for lying in start.zones.values() for card in lying]
    assert (zone(start, "aside"), ranks.count("J")) == ("JH", 8)
    assert fact(_played_out(start), "last_hand.card")[0] == "J"


def test_edge_9_copies_of_one_card_pair() -> None:
    after = do(taking("hand.0: 7H | hand.1: 7H JS | hand.2: 9C", settings={"packs": 2}), "0 take", shuffles=["7H JS"])
    assert (zone(after, "hand.0"), zone(after, "pile")) == ("", "7H 7H")


def test_edge_10_the_match_is_played_to_the_end() -> None:
    last = taking("hand.0: JS 7H | hand.1: 7S", settings={"rounds": 4}, hand_no=3, score=(3, 0, 0))
    assert not do(last, "0 take", shuffles=["7S", dealt()]).is_over


def test_edge_11_nothing_bounds_a_hand() -> None:
    """The odd card goes back and forth two hundred times."""
    position = taking("hand.0: 7S | hand.1: 7H JS", players=2)
    for _ in range(100):
        position = do(position, "0 take", "1 take", shuffles=["JS 7H", "JS 7S"])
    assert (position.turn, fact(position, "hand_no"), zone(position, "hand.1")) == ((0,), 1, "7H JS")


def _played_out(position: Position[Any]) -> Position[Any]:
    """The end of the hand under way, everybody taking the first card of an unshuffled fan."""
    hand = fact(position, "hand_no")
    while not position.is_over and fact(position, "hand_no") == hand:
        position = engine.act(position, position.turn[0], "take", lambda faces: faces[::-1]).position
    return position


def test_the_viewers_of_a_pair_thrown_are_all() -> None:
    thrown = [event for event in events(taking(THREE), "0 take 2", "9H 7S JS") if isinstance(event, Moved)][1]
    assert (thrown.viewers, thrown.landing) == (ALL, ALL)


def test_nobody_is_taken_from_when_seats_have_left_and_the_match_is_over() -> None:
    settings = GAME.read_settings({"players": 2})
    shuffle = FairStream(match="m", game=GAME.key, version=1, secret=bytes(32), contributions=[None, None])
    position = engine.begin(GAME, settings, shuffle).position
    assert position.facts.from_ == 1
    assert engine.leave(position, 1).position.facts.from_ is None
