"""Sequence, rule by rule: the board, settings, chips and jacks, rows, swaps and throws, the end, the edge cases."""

from itertools import pairwise
from typing import Any

import msgspec
import pytest

from chautari import engine
from chautari.cards import card, pack, text
from chautari.engine import HandEnded, Position, Show
from chautari.games.sequence import BOARD, CORNERS, GAME, PRINTS, SEGMENTS, SPACES, WHERE, bits, rows_of
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


def board(**chips: str) -> tuple[str, ...]:
    """A board with chips: `board(t0="01 02", t1="55")`."""
    lying = dict.fromkeys(SPACES, ".")
    for team, spaces in chips.items():
        lying |= dict.fromkeys(spaces.split(), team[1])
    return tuple("".join(lying[f"{row}{column}"] for column in range(10)) for row in range(10))


def playing(
    hand: str, *others: str, deck: str = "2C 3C 4C 5C", pile: str = "", seat: int = 0, **facts: Any
) -> Position[Any]:  # fmt: skip
    """The middle of a match, seat 0 in turn with this hand; chips as `t0`, `t1`, `t2`; rows counted from them."""
    settings = {"players": 1 + max(1, len(others)), **facts.pop("settings", {})}
    chips = board(**{name: facts.pop(name) for name in ("t0", "t1", "t2") if name in facts})
    held = [hand, *others] if others else [hand, "9H"]
    lying = [f"hand.{number}: {cards}" for number, cards in enumerate(held)] + [f"deck: {deck}", f"pile: {pile}"]
    position = table("sequence", " | ".join(lying), phase="play", turn=[seat], settings=settings, chips=chips, **facts)
    chosen = GAME.read_settings(settings)
    rows = tuple(rows_of(position.facts, chosen, team) for team in range(len(position.facts.rows)))
    return msgspec.structs.replace(position, facts=msgspec.structs.replace(position.facts, rows=rows))


def spaces(position: Position[Any], name: str, seat: int = 0) -> str:
    """The spaces open to a card."""
    return " ".join(line.split()[2] for line in engine.legal(position, seat) if line.startswith(f"play {name} "))


def chips(position: Position[Any]) -> dict[str, str]:
    """What lies on the board, by space."""
    return {
        f"{row}{column}": mark
        for row, line in enumerate(fact(position, "chips"))
        for column, mark in enumerate(line)
        if mark != "."
    }


# The board ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_board_every_card_but_the_jacks_twice_and_four_corners() -> None:
    found = {str(face): len(where) for face, where in WHERE.items()}
    assert found.pop("XX") == 4
    assert found == {str(face): 2 for face in pack() if face.rank != "J"}
    assert [SPACES[space] for space in CORNERS] == ["00", "09", "90", "99"]


def test_board_the_lower_half_is_the_upper_turned_by_half_a_circle() -> None:
    assert PRINTS[::-1] == PRINTS


@pytest.mark.parametrize(
    ("space", "shows"),
    [("01", "AS"), ("19", "2C"), ("26", "QH"), ("44", "8C"), ("46", "AD"), ("70", "4C"), ("98", "AS")],
)
def test_board_spaces_are_row_then_column(space: str, shows: str) -> None:
    assert PRINTS[SPACES.index(space)].text == shows


def test_board_has_192_segments() -> None:
    assert len(set(SEGMENTS)) == 192
    assert all(segment.bit_count() == 5 for segment in SEGMENTS)


def test_board_is_told_to_clients() -> None:
    declared = {declared.name: declared for declared in GAME.facts_declared}
    assert (declared["chips"].show, declared["chips"].board) == (Show.BOARD, BOARD)
    assert (BOARD.columns, BOARD.cells[:3], BOARD.prints[:3]) == (10, ("00", "01", "02"), ("XX", "AS", "2S"))
    assert (declared["team"].type, declared["rows"].shape) == ("side", "by_side")


# Settings, zones, facts ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "default", "allowed", "wrong"),
    [
        ("players", 2, (2, 3, 4, 6, 8, 9, 10, 12), (1, 5, 7, 11, 13, "2")),
        ("teams", 0, (0, 2), (1, 4)),
        ("hand_size", 0, (0, 3, 9), (1, 2, 10)),
        ("rows", 0, (0, 1, 2), (3, -1)),
        ("corners", "free", ("free", "plain", "jokers"), ("none", True)),
        ("one_eyed", "remove", ("remove", "replace"), ("take", None)),
        ("protect", False, (True, False), (0, "no")),
        ("draw", "after", ("after", "before"), ("never", 1)),
        ("dead_cards", "no", ("no", "one", "any"), (False, "two")),
        ("reshuffles", 1, (0, 1, 2, 3), (4, True)),
    ],
)
def test_settings(name: str, default: object, allowed: tuple[object, ...], wrong: tuple[object, ...]) -> None:
    assert getattr(GAME.read_settings({}), name) == default
    for value in allowed:
        assert getattr(GAME.read_settings({name: value}), name) == value
    for value in wrong:
        assert bad_setting("sequence", **{name: value}) == name


@pytest.mark.parametrize(("players", "teams"), [(2, 3), (3, 2), (4, 3), (8, 3), (9, 2), (10, 3)])
def test_settings_teams_must_be_equal(players: int, teams: int) -> None:
    assert bad_setting("sequence", players=players, teams=teams) == "teams"


@pytest.mark.parametrize(("players", "size", "fine"), [
    (8, 9, True), (9, 8, True), (9, 9, False), (10, 7, True), (10, 8, False), (12, 6, True), (12, 7, False),
])  # fmt: skip
def test_settings_at_most_72_cards_are_dealt(players: int, size: int, fine: bool) -> None:
    if fine:
        assert GAME.read_settings({"players": players, "hand_size": size}).hand_size == size
    else:
        assert bad_setting("sequence", players=players, hand_size=size) == "hand_size"


def test_zones() -> None:
    assert zones_declared("sequence") == {"deck": ("none", True), "hand": ("owner", False), "pile": ("all", True)}


def test_facts() -> None:
    assert public_facts("sequence") == [
        "dealer", "team", "target", "chips", "rows", "swapped", "reshuffles_left", "score",
    ]  # fmt: skip


# The deal ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("players", "settings", "size", "teams", "target"),
    [
        (2, {}, 7, 2, 2), (3, {}, 6, 3, 1), (4, {}, 5, 2, 2), (6, {}, 5, 2, 2), (8, {}, 4, 2, 2), (9, {}, 4, 3, 1),
        (10, {}, 3, 2, 2), (12, {}, 3, 2, 2), (6, {"teams": 3}, 5, 3, 1), (12, {"teams": 3, "rows": 2}, 3, 3, 2),
        (4, {"rows": 1, "hand_size": 9}, 9, 2, 1),
    ],
)  # fmt: skip
def test_deal_by_seats(players: int, settings: dict[str, object], size: int, teams: int, target: int) -> None:
    start = begin("sequence", text(pack(2)), players=players, **settings)
    assert [len(start.zones[f"hand.{seat}"]) for seat in range(players)] == [size] * players
    assert (fact(start, "team"), fact(start, "target")) == ([seat % teams for seat in range(players)], target)
    assert (fact(start, "rows"), fact(start, "dealer"), start.turn) == ([0] * teams, players - 1, (0,))
    assert fact(start, "chips") == ["." * 10] * 10


def test_deal_one_card_at_a_time_and_with_jokers_108_cards() -> None:
    start = begin("sequence", text(pack(2, jokers=4)), corners="jokers", players=4)
    assert (zone(start, "hand.0"), len(start.zones["deck"])) == ("AC 3C 5C 7C 9C", 88)
    assert fact(start, "reshuffles_left") == 1


def test_deal_with_draw_before_the_first_seat_draws_at_once() -> None:
    start = begin("sequence", text(pack(2)), draw="before")
    assert [len(start.zones[f"hand.{seat}"]) for seat in (0, 1)] == [8, 7]


# Playing ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_play_a_card_puts_a_chip_on_a_space_that_shows_it() -> None:
    start = playing("AS 2S")
    assert spaces(start, "AS") == "01 98"
    after = do(start, "0 play AS 98")
    assert (chips(after), zone(after, "pile"), zone(after, "hand.0"), after.turn) == ({"98": "0"}, "AS", "2C 2S", (1,))


def test_play_a_two_eyed_jack_goes_on_any_empty_space() -> None:
    start = playing("JC", t0="33", t1="44")
    assert set(spaces(start, "JC").split()) == {*SPACES} - {"33", "44", "00", "09", "90", "99"}
    assert chips(do(start, "0 play JC 55"))["55"] == "0"


@pytest.mark.parametrize(("corners", "open_"), [("free", False), ("plain", True), ("jokers", True)])
def test_play_a_two_eyed_jack_on_a_corner(corners: str, open_: bool) -> None:
    assert ("00" in spaces(playing("JD", settings={"corners": corners}), "JD").split()) == open_


def test_play_a_one_eyed_jack_takes_a_chip_of_another_team() -> None:
    start = playing("JH", t0="33", t1="44 55")
    assert spaces(start, "JH") == "44 55"
    assert chips(do(start, "0 play JH 44")) == {"33": "0", "55": "1"}


def test_play_a_one_eyed_jack_with_replace_goes_on_any_space_but_an_own_chip() -> None:
    start = playing("JS", t0="33", t1="44", settings={"one_eyed": "replace"})
    assert set(spaces(start, "JS").split()) == {*SPACES} - {"33", "00", "09", "90", "99"}
    assert chips(do(start, "0 play JS 44")) == {"33": "0", "44": "0"}
    assert chips(do(start, "0 play JS 45")) == {"33": "0", "44": "1", "45": "0"}


@pytest.mark.parametrize(("corners", "taken"), [("plain", True), ("jokers", False)])
def test_play_a_one_eyed_jack_on_a_chip_in_a_corner(corners: str, taken: bool) -> None:
    assert spaces(playing("JH", t1="00 44", settings={"corners": corners}), "JH") == ("00 44" if taken else "44")


def test_play_a_one_eyed_jack_with_replace_may_take_an_empty_jokers_corner() -> None:
    start = playing("JH", t1="00", settings={"corners": "jokers", "one_eyed": "replace"})
    assert {"09", "90", "99"} <= set(spaces(start, "JH").split())
    assert "00" not in spaces(start, "JH").split()


def test_play_a_joker_goes_on_an_empty_corner_only() -> None:
    start = playing("XX", t1="00", settings={"corners": "jokers"})
    assert spaces(start, "XX") == "09 90 99"
    assert chips(do(start, "0 play XX 99")) == {"00": "1", "99": "0"}


ROW = "11 12 13 14 15"


def test_play_protect_a_chip_in_a_complete_row_is_safe() -> None:
    start = playing("JH", t1=f"{ROW} 55", settings={"protect": True})
    assert spaces(start, "JH") == "55"
    assert spaces(playing("JH", t1=f"{ROW} 55"), "JH") == f"{ROW} 55"
    replacing = playing("JH", t1=f"{ROW} 55", settings={"protect": True, "one_eyed": "replace"})
    assert not set(ROW.split()) & set(spaces(replacing, "JH").split())


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("0 put AS 01", "UNKNOWN_ACTION"),
        ("1 play 9H 24", "NOT_YOUR_TURN"),
        ("0 play", "MALFORMED_ACTION"),
        ("0 play AS", "MALFORMED_ACTION"),
        ("0 play AS 01 02", "MALFORMED_ACTION"),
        ("0 play AS 1", "MALFORMED_ACTION"),
        ("0 play AS 001", "MALFORMED_ACTION"),
        ("0 play AS -1", "MALFORMED_ACTION"),
        ("0 play AS 0१", "MALFORMED_ACTION"),
        ("0 play AS a1", "MALFORMED_ACTION"),
        ("0 play A 01", "MALFORMED_ACTION"),
        ("0 play 01 AS", "MALFORMED_ACTION"),
        ("0 play XX 00", "CARD_NOT_HELD"),
        ("0 play 3S 03", "CARD_NOT_HELD"),
        ("0 play AS 02", "RULE_BROKEN"),
        ("0 play AS 98", "RULE_BROKEN"),
        ("0 play JC 98", "RULE_BROKEN"),
        ("0 play JC 00", "RULE_BROKEN"),
        ("0 play JH 01", "RULE_BROKEN"),
        ("0 play JH 55", "RULE_BROKEN"),
        ("0 play JH 00", "RULE_BROKEN"),
        ("0 swap", "MALFORMED_ACTION"),
        ("0 swap 2H 3H", "MALFORMED_ACTION"),
        ("0 swap 3S", "CARD_NOT_HELD"),
        ("0 swap AS", "RULE_BROKEN"),
        ("0 throw", "MALFORMED_ACTION"),
        ("0 throw 3S", "CARD_NOT_HELD"),
        ("0 throw AS", "RULE_BROKEN"),
    ],
)
def test_refusals(line: str, code: str) -> None:
    """Own chips lie at 55, another team's at 98."""
    assert refused(playing("AS JC JH", t0="55", t1="98"), line) == code


def test_options_are_the_spaces_of_each_card() -> None:
    options = engine.options(playing("AS 2S JH AS", t1="44"), 0)
    assert [(option.choices[0].values, option.choices[1].values) for option in options] == [
        (("JH",), ("44",)), (("AS",), ("01", "98")), (("2S",), ("02", "97")),
    ]  # fmt: skip


def test_options_of_four_kinds_of_jacks_stay_small() -> None:
    start = playing("JC JD JH JS JC JD JH", settings={"one_eyed": "replace", "corners": "plain", "hand_size": 7})
    sent = msgspec.json.encode((engine.view(start, 0), engine.options(start, 0)), enc_hook=str)
    assert len(sent) < 16_384


# Swapping and throwing ────────────────────────────────────────────────────────────────────────────────────────────────

DEAD: dict[str, Any] = {"t0": "02", "t1": "97"}
"""Both spaces of 2S."""


@pytest.mark.parametrize("dead_cards", ["one", "any"])
def test_swap_a_dead_card_for_another_and_the_turn_goes_on(dead_cards: str) -> None:
    start = playing("2S 2S AS", settings={"dead_cards": dead_cards}, **DEAD)
    after = do(start, "0 swap 2S")
    assert (zone(after, "hand.0"), zone(after, "pile"), after.turn) == ("2C AS 2S", "2S", (0,))
    assert fact(after, "swapped") == 1
    if dead_cards == "one":
        assert refused(after, "0 swap 2S") == "RULE_BROKEN"
    else:
        assert fact(do(after, "0 swap 2S"), "swapped") == 2
    assert fact(do(after, "0 play AS 01"), "swapped") == 0


def test_swap_is_refused_where_it_is_not_played_but_is_no_unknown_action() -> None:
    assert refused(playing("2S AS", **DEAD), "0 swap 2S") == "RULE_BROKEN"


def test_swap_a_card_that_is_not_dead_or_a_jack() -> None:
    start = playing("3S JH AS", settings={"dead_cards": "any"}, t0="03")
    assert refused(start, "0 swap 3S") == refused(start, "0 swap JH") == "RULE_BROKEN"
    assert not [line for line in engine.legal(start, 0) if line.startswith("swap")]


def test_swap_a_joker_when_the_corners_are_taken() -> None:
    start = playing("XX AS", settings={"dead_cards": "any", "corners": "jokers"}, t0="00 09 90", t1="99")
    assert "swap XX" in engine.legal(start, 0)


def test_swap_needs_a_card_to_draw() -> None:
    settings = {"dead_cards": "any"}
    assert (
        refused(playing("2S AS", deck="", reshuffles_left=0, settings=settings, **DEAD), "0 swap 2S") == "RULE_BROKEN"
    )
    start = playing("2S AS", deck="", reshuffles_left=1, settings=settings, **DEAD)
    after = do(start, "0 swap 2S", shuffles=["2S"])
    assert (zone(after, "hand.0"), fact(after, "reshuffles_left"), zone(after, "pile")) == ("AS 2S", 0, "")


def test_throw_where_nothing_can_be_played_or_swapped() -> None:
    start = playing("2S JH", t0="02 97")
    assert engine.legal(start, 0) == ["throw JH", "throw 2S"]
    after = do(start, "0 throw 2S")
    assert (zone(after, "hand.0"), zone(after, "pile"), after.turn) == ("2C JH", "2S", (1,))
    swapping = playing("2S JH", settings={"dead_cards": "one"}, t0="02 97")
    assert refused(swapping, "0 throw 2S") == "RULE_BROKEN"
    assert refused(playing("2S AS", t0="02 97"), "0 throw 2S") == "RULE_BROKEN"


# Drawing ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_draw_before_the_next_seat_draws_as_its_turn_begins() -> None:
    after = do(playing("AS 2S", "9H", settings={"draw": "before"}), "0 play AS 01")
    assert (zone(after, "hand.0"), zone(after, "hand.1")) == ("2S", "2C 9H")


def test_draw_seats_without_cards_are_passed_over() -> None:
    after = do(playing("AS 2S", "", "9H", deck="", reshuffles_left=0), "0 play AS 01")
    assert after.turn == (2,)
    filled = do(playing("AS 2S", "", "9H", deck="", pile="KC", settings={"draw": "before"}), "0 play AS 01",
                shuffles=["KC AS"])  # fmt: skip
    assert (filled.turn, zone(filled, "hand.1"), zone(filled, "deck")) == ((1,), "KC", "AS")


# Rows and the end ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("lying", "corners", "rows"),
    [
        ("11 12 13 14", "free", 0),
        ("11 12 13 14 15", "free", 1),
        ("11 21 31 41 51", "free", 1),
        ("11 22 33 44", "free", 1),
        ("11 22 33 44", "plain", 0),
        ("18 27 36 45", "free", 1),
        ("11 12 13 14 15 16", "free", 1),
        ("11 12 13 14 15 16 17 18", "free", 1),
        ("10 11 12 13 14 15 16 17 18", "free", 2),
        ("11 12 13 14 15 21 31 41 51", "free", 2),
        ("11 12 13 14 15 31 32 33 34 35", "free", 2),
        ("01 02 03 04 10 20 30 40", "free", 2),
        ("01 02 03 04 10 20 30 40", "jokers", 0),
        ("00 01 02 03 04 10 20 30 40", "jokers", 2),
        ("16 17 18 19 20", "free", 0),
    ],
)
def test_rows(lying: str, corners: str, rows: int) -> None:
    assert fact(playing("AS", t0=lying, settings={"corners": corners}), "rows") == [rows, 0]


def test_rows_are_one_at_most_where_one_wins() -> None:
    position = playing("AS", "9H", "9H", t0="11 12 13 14 15 21 31 41 51")
    assert (fact(position, "target"), fact(position, "rows")) == (1, [1, 0, 0])


def test_rows_are_counted_after_each_play() -> None:
    start = playing("KC AS", t0="10 20 30 50")
    after = do(start, "0 play KC 40")
    assert (fact(after, "rows"), fact(after, "score")) == ([1, 0], [1, 0])


def test_rows_a_row_that_loses_a_chip_is_lost() -> None:
    start = playing("JH", "9H", t1=ROW, score=(0, 1))
    after = do(start, "0 play JH 13")
    assert (fact(after, "rows"), fact(after, "score")) == ([0, 0], [0, 0])
    replaced = do(playing("JH", t1=ROW, score=(0, 1), settings={"one_eyed": "replace"}), "0 play JH 15")
    assert fact(replaced, "rows") == [0, 0]


def test_win_the_team_that_has_its_rows_wins_at_once_and_draws_no_more() -> None:
    start = playing("KC AS", "9H", "9C", "9D", t0=f"{ROW} 10 20 30 50", actions=20)
    over = do(start, "0 play KC 40")
    assert (over.phase, zone(over, "hand.0"), over.turn) == ("over", "AS", ())
    assert result(over) == ([1, 3, 1, 3], [2, 0, 2, 0])
    assert HandEnded(1, {"winner": 0, "rows": [2, 0], "actions": 21}) in events(start, "0 play KC 40")


def test_win_the_others_share_the_next_place_whatever_their_rows() -> None:
    start = playing("KC AS", "9H", "9C", t0="10 20 30 50", t1="11 12 13 14", settings={"rows": 2})
    assert not do(start, "0 play KC 40").is_over
    three = playing("KC AS", "9H", "9C", t0="10 20 30 50", t1="11 12 13 14")
    assert result(do(three, "0 play KC 40"))[0] == [1, 2, 2]


def test_exhausted_the_teams_are_placed_by_rows_then_by_chips() -> None:
    start = playing("AS", "", "", deck="", reshuffles_left=0, t0="33", t1="44 55", t2="66")
    over = do(start, "0 play AS 01")
    assert (over.phase, result(over)) == ("over", ([1, 1, 3], [0, 0, 0]))
    ahead = playing("AS", "", deck="", reshuffles_left=0, t0="33 34 35 67 68 69 71", t1=ROW, score=(0, 1))
    assert result(do(ahead, "0 play AS 01")) == ([2, 1], [0, 1])
    made = events(start, "0 play AS 01")
    assert HandEnded(1, {"winner": None, "rows": [0, 0, 0], "actions": 1}) in made


@pytest.mark.parametrize(
    ("hand", "chips_lying", "settings", "action"),
    [
        ("KS JC AD 2C", {}, {}, "play 2C 19"),
        ("KS JC AD", {"t1": "46"}, {}, "play AD 53"),
        ("JH JC JD", {"t1": "44"}, {}, "play JC 01"),
        ("JS JH", {"t1": "44 33"}, {}, "play JH 33"),
        ("XX JC", {}, {"corners": "jokers"}, "play XX 00"),
        ("XX KS", {}, {"corners": "jokers"}, "play KS 14"),
        ("2S 2H JH", {"t0": "02 97 12 87"}, {"dead_cards": "any"}, "swap 2H"),
        ("JH 2S", {"t0": "02 97"}, {}, "throw 2S"),
        ("JS JH", {}, {}, "throw JH"),
    ],
)
def test_time_out(hand: str, chips_lying: dict[str, Any], settings: dict[str, object], action: str) -> None:
    start = playing(hand, settings=settings, **chips_lying)
    assert engine.timeout_action(start, 0) == action
    do(start, "0 times out")
    assert engine.timeout_action(start, 1) is None


# Hidden ───────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_hidden_team_mates_do_not_see_each_others_hands() -> None:
    start = playing("AS 2S", "9H", "9C", "9D")
    assert [seen(start, 2, name) for name in ("hand.0", "hand.2", "deck")] == [2, "9C", 4]


def test_hidden_the_former_pile_is_hidden_after_a_shuffle() -> None:
    after = do(playing("AS 2S", deck="", pile="KC QC"), "0 play AS 01", shuffles=["QC AS KC"])
    assert [seen(after, viewer, "deck") for viewer in (0, 1, None)] == [2, 2, 2]


# Edge cases ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_edge_1_a_one_eyed_jack_with_nothing_to_take() -> None:
    start = playing("JH JS", t0="33")
    assert engine.legal(start, 0) == ["throw JH", "throw JS"]
    safe = playing("JH", t1=ROW, settings={"protect": True})
    assert engine.legal(safe, 0) == ["throw JH"]


@pytest.mark.parametrize("one_eyed", ["remove", "replace"])
def test_edge_2_a_one_eyed_jack_never_touches_an_own_chip(one_eyed: str) -> None:
    start = playing("JH", t0="33", t1="44", settings={"one_eyed": one_eyed})
    assert refused(start, "0 play JH 33") == "RULE_BROKEN"


def test_edge_3_a_card_is_dead_though_one_of_the_chips_is_own() -> None:
    assert "swap 2S" in engine.legal(playing("2S AS", settings={"dead_cards": "one"}, **DEAD), 0)


def test_edge_4_a_dead_card_may_come_alive_again() -> None:
    start = playing("JH AS", "2S 3S", settings={"dead_cards": "one"}, t0="02", t1="97")
    after = do(start, "0 play JH 97")
    assert spaces(after, "2S", 1) == "97"
    assert refused(after, "1 swap 2S") == "RULE_BROKEN"


def test_edge_5_a_replacing_chip_may_win() -> None:
    start = playing("JH", t0="11 12 13 14", t1="15", settings={"one_eyed": "replace", "rows": 1})
    assert result(do(start, "0 play JH 15")) == ([1, 2], [1, 0])


def test_edge_6_a_removed_chip_makes_no_row() -> None:
    after = do(playing("JH AS", t0=ROW, t1="55", score=(1, 0)), "0 play JH 55")
    assert (fact(after, "rows"), after.phase) == ([1, 0], "play")


def test_edge_7_no_segment_uses_two_corners() -> None:
    assert max((segment & bits(CORNERS)).bit_count() for segment in SEGMENTS) == 1


def test_edge_8_nine_in_a_line_win_and_eight_do_not() -> None:
    eight = do(playing("9S AS", t0="10 11 12 13 14 15 16"), "0 play 9S 17")
    assert (fact(eight, "rows"), eight.phase) == ([1, 0], "play")
    nine = do(playing("9S AS", t0="10 11 12 13 14 15 16 18"), "0 play 9S 17")
    assert result(nine) == ([1, 2], [2, 0])


def test_edge_9_with_protect_a_line_of_six_is_safe() -> None:
    start = playing("JH AS", t1="11 12 13 14 15 16", settings={"protect": True})
    assert spaces(start, "JH") == ""


def test_edge_10_with_protect_a_chip_beside_the_row_is_not_safe() -> None:
    assert spaces(playing("JH", t1=f"{ROW} 23 17", settings={"protect": True}), "JH") == "17 23"


def test_edge_11_the_card_just_played_is_shuffled_too() -> None:
    after = do(playing("AS 2S", deck="", pile="KC"), "0 play AS 01", shuffles=["AS KC"])
    assert (zone(after, "hand.0"), zone(after, "deck"), zone(after, "pile")) == ("AS 2S", "KC", "")
    assert fact(after, "reshuffles_left") == 0


def test_edge_12_without_reshuffles_hands_shrink_and_swaps_are_refused() -> None:
    start = playing("AS 2S 3S", "9H 8H", deck="", pile="KC", t0="03", t1="96", reshuffles_left=0,
                    settings={"dead_cards": "any"})  # fmt: skip
    assert refused(start, "0 swap 3S") == "RULE_BROKEN"
    after = do(start, "0 play AS 01", "1 play 9H 24", "0 play 2S 02", "1 play 8H 23", "0 throw 3S")
    assert (after.phase, after.turn) == ("over", ())


def test_edge_13_of_two_equal_cards_either_goes() -> None:
    start = playing("AS AS")
    assert engine.legal(start, 0) == ["play AS 01", "play AS 98"]
    assert zone(do(start, "0 play AS 01"), "hand.0") == "2C AS"


def test_edge_14_with_draw_before_the_seat_in_turn_holds_one_card_more() -> None:
    start = begin("sequence", text(pack(2)), draw="before", players=3)
    assert [len(start.zones[f"hand.{seat}"]) for seat in range(3)] == [7, 6, 6]
    after = do(start, f"0 {engine.timeout_action(start, 0)}")
    assert [len(after.zones[f"hand.{seat}"]) for seat in range(3)] == [6, 7, 6]


def test_edge_15_with_three_teams_a_one_eyed_jack_hits_either_other() -> None:
    assert spaces(playing("JH", "9H", "9C", t0="33", t1="44", t2="55"), "JH") == "44 55"


def test_a_whole_board_of_one_team_folds_to_its_rows() -> None:
    """The count by bits is that of the definition, for every line of spaces."""
    for row in range(10):
        line = [f"{row}{column}" for column in range(10)]
        for few, many in pairwise(range(4, 11)):
            position = playing("AS", t0=" ".join(line[:many]), settings={"corners": "plain"})
            assert fact(position, "rows")[0] == (many >= 5) + (many >= 9), few
    assert card("XX") in WHERE
