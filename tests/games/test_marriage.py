"""Marriage, rule by rule: settings, the deal, the six verbs, renewal, the score, and the edge cases."""

from typing import Any

import pytest

from chautari import engine
from chautari.cards import pack, text, unpack
from chautari.engine import HandEnded, Moved, Position, Said, Shown, Told
from chautari.errors import Refusal
from chautari.games.marriage import GAME
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

HAND = "2H 3H 4H 7S 8S 9S 5D 6D 7D 9C 9D JD TC JC QC 5S 6S JS KH KD KC"
"""21 cards: with a JC as maal, three pure sets and four with wild cards."""
LYING = f"hand.0: {HAND} | hand.1: 2C 3D | deck: 2S 4S 8H | pile: AS TH | maal: JC"
SHOW = "show 2H 3H 4H / 7S 8S 9S / 5D 6D 7D"
FINISH = "finish 9C 9D JD / TC JC QC / 5S 6S JS / KH KD KC / 2S"
PAIRS = "2C 2C 3D 3D 5H 5H 7S 7S 9C 9C TD TD QH QH"
DUBLEE = "dublee 2C 2C / 3D 3D / 5H 5H / 7S 7S / 9C 9C / TD TD / QH QH"
DEALT = text(pack(3))


def position(phase: str, lying: str, players: int = 2, turn: int = 0, **facts: Any) -> Position[Any]:
    """The middle of a hand; facts by seat that are not named say that nothing has happened."""
    settings: dict[str, object] = {"players": players, **facts.pop("settings", {})}
    quiet = {
        "seen": (False,) * players, "kind": ("none",) * players, "tunnelas": ("",) * players,
        "has_drawn": (True,) * players,
    }  # fmt: skip
    return table("marriage", lying, phase=phase, turn=[turn], settings=settings, **{**quiet, **facts})


def drawing(lying: str = LYING, **facts: Any) -> Position[Any]:
    """Phase `draw`."""
    return position("draw", lying, **facts)


def throwing(lying: str = LYING, **facts: Any) -> Position[Any]:
    """Phase `throw`."""
    return position("throw", lying, **facts)


def seeing(lying: str, kind: str = "sets", **facts: Any) -> Position[Any]:
    """Phase `throw` of seat 0, which has seen the maal."""
    return throwing(lying, **{"seen": (True, False), "kind": (kind, "none"), **facts})


def finished(*lines: str, lying: str = LYING, **facts: Any) -> Position[Any]:
    """The end of a match of one hand in which these things are done."""
    settings = {"hands": 1, **facts.pop("settings", {})}
    return do(throwing(lying, settings=settings, **facts), *lines)


# Settings ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "default", "allowed", "wrong"),
    [
        ("players", 4, (2, 5), (1, 6, "4")),
        ("man", 0, (0, 3), (1, 2, 4, False)),
        ("hands", 3, (1, 20), (0, 21)),
        ("dublee_players", 2, (0, 2, 3, 4, 5), (1, 6, "0")),
        ("tunnela_win", False, (True, False), (1,)),
        ("unseen_tunnela", False, (True, False), (None,)),
        ("pick_before_seeing", True, (True, False), ("no",)),
        ("pick_man", False, (True, False), (0,)),
        ("alter", True, (True, False), ("alter",)),
        ("unseen_maal", "murder", ("murder", "kidnap", "count"), ("keep", None)),
        ("seen_fee", 3, (0, 50), (-1, 51)),
        ("unseen_fee", 10, (0, 50), (-1, 51)),
        ("dublee_fee", 3, (0, 50), (-1, 51)),
        ("dublee_bonus", 5, (0, 50), (-1, 51)),
        ("reshuffles", 1, (0, 5), (-1, 6)),
    ],
)
def test_settings(name: str, default: object, allowed: tuple[object, ...], wrong: tuple[object, ...]) -> None:
    assert getattr(GAME.read_settings({}), name) == default
    for value in allowed:
        assert getattr(GAME.read_settings({name: value}), name) == value
    for value in wrong:
        assert bad_setting("marriage", **{name: value}) == name


def test_a_setting_that_is_unknown_is_refused() -> None:
    assert bad_setting("marriage", jokers=3) == "jokers"


# Zones and facts ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_zones() -> None:
    assert zones_declared("marriage") == {
        "deck": ("none", True), "pile": ("all", True), "maal": ("by rule", False), "hand": ("owner", False),
        "shown": ("all", True),
    }  # fmt: skip


def test_facts() -> None:
    assert public_facts("marriage") == [
        "dealer", "hand_no", "score", "seen", "kind", "tunnelas", "taken", "drawn", "renewals", "last",
    ]  # fmt: skip


def test_when_the_match_is_over_all_but_the_deck_lies_open() -> None:
    over = finished("0 " + SHOW, "0 " + FINISH, lying=LYING.replace("KC |", "KC 2S |"))
    assert [seen(over, None, name) for name in ("maal", "hand.1", "deck")] == ["JC", "2C 3D", 3]


# The deal ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_deal_1_all_cards_are_shuffled_once() -> None:
    assert sum(map(len, begin("marriage", DEALT, players=3).zones.values())) == 156
    assert sum(map(len, begin("marriage", text(pack(3, 3)), players=3, man=3).zones.values())) == 159


def test_deal_2_21_cards_each_one_at_a_time_from_the_seat_after_the_dealer_on() -> None:
    start = begin("marriage", DEALT, players=2)
    assert zone(start, "hand.0") == text(sorted(pack(3)[:42:2]))
    assert zone(start, "hand.1") == text(sorted(pack(3)[1:42:2]))
    assert fact(start, "dealer") == 1


def test_deal_3_and_5_the_next_card_is_turned_up_and_the_rest_is_the_deck() -> None:
    start = begin("marriage", DEALT, players=2)
    assert (zone(start, "pile"), zone(start, "deck")) == (text(pack(3)[42:43]), text(pack(3)[43:-1]))
    assert (start.turn, start.phase) == ((0,), "draw")


def test_deal_4_the_last_card_is_the_maal_or_the_last_that_is_no_man() -> None:
    assert zone(begin("marriage", DEALT, players=2), "maal") == "KS"
    start = begin("marriage", text(pack(3, 3)), players=2, man=3)
    assert (zone(start, "maal"), zone(start, "deck")[-14:]) == ("KS", "KS KS XX XX XX")


def test_deal_4_of_equal_cards_the_last_one_is_taken() -> None:
    """The copies of the maal that stay in the deck keep their places."""
    shuffled = ["KS", *map(str, sorted(pack(3))[:-3]), "KS", "2C", "KS"]
    shuffled.remove("2C")
    start = begin("marriage", " ".join(shuffled), players=2)
    assert zone(start, "deck").endswith("KS 2C")


# Sets and the maal ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("group", ["7H 8H 9H", "AH 2H 3H", "QH KH AH", "7H 7H 7H"])
def test_pure_sets_can_be_shown(group: str) -> None:
    start = throwing(f"hand.0: {group} 2C 3C 4C 6S 7S 8S KD | maal: JC")
    assert fact(do(start, f"0 show {group} / 4C 3C 2C / 6S 7S 8S"), "seen") == [True, False]


@pytest.mark.parametrize("group", ["KH AH 2H", "7H 8H JC", "7H 7D 7S", "7H 7H 8H", "XX XX XX", "7H 8H XX"])
def test_no_other_set_can_be_shown_even_with_cards_that_are_wild(group: str) -> None:
    start = throwing(f"hand.0: {group} 2C 3C 4C 6S 7S 8S KD | maal: JC", settings={"man": 3})
    assert refused(start, f"0 show {group} / 4C 3C 2C / 6S 7S 8S") == "RULE_BROKEN"


@pytest.mark.parametrize(
    ("group", "code"),
    [
        ("7H 8H 9H", None), ("7H 7D 7S", None), ("7H 7H 7H", None), ("JD 2C KH", "RULE_BROKEN"), ("XX QC 2H", None),
        ("JC JD JS", None), ("9D 9C JS", None), ("9D 9D JS", "RULE_BROKEN"), ("KC AC XX", None),
        ("KC 2C XX", "RULE_BROKEN"), ("7H 7D 7D", "RULE_BROKEN"), ("7H 8D 9H", "RULE_BROKEN"), ("4H 6H TC", None),
        ("4H 7H TC", "RULE_BROKEN"),
    ],
)  # fmt: skip
def test_sets_that_finish(group: str, code: str | None) -> None:
    """The maal is the JC: jacks, TC, QC and man cards are wild."""
    laid = "2H 3H 4H 7S 8S 9S 5D 6D 7D 2S 3S 4S 2D 3D 4D AC 2C 3C"
    start = seeing(f"hand.0: {group} 5C | shown.0: {laid} | hand.1: 2C | maal: JC", settings={"hands": 1, "man": 3})
    if code is None:
        assert do(start, f"0 finish {group} / 5C").is_over
    else:
        assert refused(start, f"0 finish {group} / 5C") == code


# Tunnelas ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

TWENTY_ONE = "6H 6H 6H JD JD JD 9S 9S 9S KD KD XX XX XX 2C 3C 4C 5C 6C 7C 8C"
THREES = f"hand.0: {TWENTY_ONE} | hand.1: 4D | deck: 2S 3S 4S | pile: AS | maal: JC"


def test_a_tunnela_is_laid_down_and_the_turn_goes_on() -> None:
    after = do(drawing(THREES, has_drawn=(False, False)), "0 tunnela 6H", "0 tunnela JD")
    assert (zone(after, "shown.0"), fact(after, "tunnelas")) == ("6H 6H 6H JD JD JD", ["6H JD", ""])
    assert (after.phase, after.turn, fact(after, "seen")) == ("draw", (0,), [False, False])


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("1 tunnela 6H", "NOT_YOUR_TURN"),
        ("0 tunnela", "MALFORMED_ACTION"),
        ("0 tunnela 6H 6H 6H", "MALFORMED_ACTION"),
        ("0 tunnela 6h", "MALFORMED_ACTION"),
        ("0 tunnela 4D", "CARD_NOT_HELD"),
        ("0 tunnela KD", "RULE_BROKEN"),
        ("0 tunnela XX", "RULE_BROKEN"),
    ],
)
def test_tunnelas_refused(line: str, code: str) -> None:
    assert refused(drawing(THREES, has_drawn=(False, False), settings={"man": 3}), line) == code


def test_no_tunnela_after_the_first_draw_of_the_hand() -> None:
    start = drawing(THREES)
    assert refused(start, "0 tunnela 6H") == "RULE_BROKEN"
    first = drawing(THREES, has_drawn=(False, False))
    assert [line for line in engine.legal(first, 0) if "tunnela" in line] == ["tunnela JD", "tunnela 6H", "tunnela 9S"]
    after = do(first, "0 draw deck", "0 throw 2S", "1 draw deck", "1 throw 4D")
    assert refused(after, "0 tunnela 6H") == "RULE_BROKEN"


def test_a_third_tunnela_wins_where_that_is_agreed() -> None:
    settings = {"tunnela_win": True, "hands": 1}
    start = drawing(THREES, has_drawn=(False, False), settings=settings)
    over = do(start, "0 tunnela 6H", "0 tunnela JD", "0 tunnela 9S")
    assert (fact(over, "last.how"), fact(over, "last.winner"), fact(over, "last.seen")) == (
        "tunnelas",
        0,
        [True, False],
    )
    assert (fact(over, "kind"), fact(over, "last.points")) == (["sets", "none"], [5 + 10 + 5 + 25, 0])
    assert fact(over, "last.change") == [45 + 10, -45 - 10]
    assert not do(drawing(THREES, has_drawn=(False, False)), "0 tunnela 6H", "0 tunnela JD", "0 tunnela 9S").is_over


# Drawing ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_drawing_from_the_deck() -> None:
    after = do(drawing(), "0 draw deck")
    assert ("2S" in zone(after, "hand.0"), zone(after, "deck"), after.phase) == (True, "4S 8H", "throw")
    assert (fact(after, "drawn"), fact(after, "taken")) == ("2S", None)


def test_taking_the_last_card_of_the_pile() -> None:
    after = do(drawing(), "0 draw pile")
    assert ("TH" in zone(after, "hand.0"), zone(after, "pile"), after.phase) == (True, "AS", "throw")
    assert (fact(after, "drawn"), fact(after, "taken")) == (None, "TH")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("1 draw deck", "NOT_YOUR_TURN"),
        ("0 draw", "MALFORMED_ACTION"),
        ("0 draw 7H", "MALFORMED_ACTION"),
        ("0 draw deck pile", "MALFORMED_ACTION"),
        ("0 throw 2H", "UNKNOWN_ACTION"),
        ("0 show", "UNKNOWN_ACTION"),
    ],
)
def test_draws_refused(line: str, code: str) -> None:
    assert refused(drawing(), line) == code


def test_the_pile_may_be_closed() -> None:
    man = LYING.replace("AS TH", "AS XX")
    assert refused(drawing(man, settings={"man": 3}), "0 draw pile") == "RULE_BROKEN"
    assert engine.legal(drawing(man, settings={"man": 3, "pick_man": True}), 0) == ["draw deck", "draw pile"]
    unseen = {"pick_before_seeing": False}
    assert refused(drawing(settings=unseen), "0 draw pile") == "RULE_BROKEN"
    assert engine.legal(drawing(seen=(True, False), settings=unseen), 0) == ["draw deck", "draw pile"]
    assert refused(drawing("hand.0: 2H | deck: 2S | maal: JC"), "0 draw pile") == "RULE_BROKEN"


# Throwing ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_throw_ends_the_turn() -> None:
    after = do(drawing(), "0 draw deck", "0 throw KH")
    assert (zone(after, "pile"), after.turn, after.phase) == ("AS TH KH", (1,), "draw")
    assert (fact(after, "drawn"), fact(after, "taken")) == (None, None)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("0 throw", "MALFORMED_ACTION"),
        ("0 throw 2H 3H", "MALFORMED_ACTION"),
        ("0 throw 1H", "MALFORMED_ACTION"),
        ("0 throw XX", "CARD_NOT_HELD"),
        ("0 throw 2C", "CARD_NOT_HELD"),
        ("0 draw deck", "UNKNOWN_ACTION"),
        ("0 tunnela 2H", "UNKNOWN_ACTION"),
        ("1 throw 2C", "NOT_YOUR_TURN"),
    ],
)
def test_throws_refused(line: str, code: str) -> None:
    assert refused(throwing(), line) == code


def test_the_taken_card_may_not_be_thrown_whatever_copy() -> None:
    after = do(drawing(LYING.replace("AS TH", "AS KH")), "0 draw pile")
    assert refused(after, "0 throw KH") == "RULE_BROKEN"
    assert "throw KH" not in engine.legal(after, 0)
    assert "throw KD" in engine.legal(after, 0)


# Showing and dublees ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_three_pure_sets_are_laid_down_and_the_maal_is_seen() -> None:
    after = do(throwing(), "0 show 4H 2H 3H/7S 8S 9S / 5D 6D 7D")
    assert zone(after, "shown.0") == "4H 2H 3H 7S 8S 9S 5D 6D 7D"
    assert (fact(after, "seen"), fact(after, "kind"), after.phase, after.turn) == (
        [True, False], ["sets", "none"], "throw", (0,)
    )  # fmt: skip


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("0 show", "MALFORMED_ACTION"),
        ("0 show 2H 3H 4H / 7S 8S 9S / 5D 6D", "MALFORMED_ACTION"),
        ("0 show 2H 3H 4H / 7S 8S 9S / 5D 6D 7D 9C", "MALFORMED_ACTION"),
        ("0 show 2H 3H 4H // 7S 8S 9S / 5D 6D 7D", "MALFORMED_ACTION"),
        ("0 show 2H 3H 4H / 7S 8S 9S / 2H 3H 4H", "CARD_NOT_HELD"),
        ("0 show 2H 3H 4H / 7S 8S 9S", "RULE_BROKEN"),
        ("0 show 2H 3H 4H / 7S 8S 9S / 5D 6D 7D / KH KD KC", "RULE_BROKEN"),
        ("0 show 2H 3H 4H / 7S 8S 9S / KH KD KC", "RULE_BROKEN"),
    ],
)
def test_shows_refused(line: str, code: str) -> None:
    assert refused(throwing(), line) == code


def test_nobody_shows_twice() -> None:
    start = seeing(LYING)
    assert refused(start, "0 " + SHOW) == "RULE_BROKEN"
    assert refused(start, "0 show") == "MALFORMED_ACTION"
    assert "show" not in [option.verb for option in engine.options(start, 0)]


def test_tunnelas_leave_fewer_sets_to_show() -> None:
    lying = "hand.0: 2H 3H 4H KD 9C | shown.0: 6H 6H 6H JD JD JD | maal: JC"
    start = throwing(lying, tunnelas=("6H JD", ""))
    assert refused(start, "0 show 2H 3H 4H / KD KD KD") == "CARD_NOT_HELD"
    assert fact(do(start, "0 show 2H 3H 4H"), "seen") == [True, False]


def test_options_say_how_many_sets_are_wanted() -> None:
    (option,) = [option for option in engine.options(throwing(), 0) if option.verb == "show"]
    assert (option.choices[0].sizes, option.actions) == ((3, 3, 3), None)
    (option,) = [option for option in engine.options(throwing(), 0) if option.verb == "dublee"]
    assert option.choices[0].sizes == (2,) * 7
    after = do(throwing(LYING.replace("KC |", "KC 2S |")), "0 " + SHOW)
    assert [option.verb for option in engine.options(after, 0)] == ["finish", "throw"]
    assert engine.options(after, 0)[0].choices[0].sizes == (3, 3, 3, 3, 1)


def test_seven_dublees_are_laid_down_and_the_maal_is_seen() -> None:
    after = do(throwing(f"hand.0: {PAIRS} 8S 8S AC | maal: JC"), "0 " + DUBLEE)
    assert (zone(after, "shown.0"), zone(after, "hand.0")) == (PAIRS, "AC 8S 8S")
    assert (fact(after, "seen"), fact(after, "kind")) == ([True, False], ["dublee", "none"])


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("0 dublee", "MALFORMED_ACTION"),
        ("0 dublee 2C 2C 3D / 3D", "MALFORMED_ACTION"),
        (f"0 {DUBLEE.replace('QH QH', 'KS KS')}", "CARD_NOT_HELD"),
        ("0 dublee 2C 2C / 3D 3D", "RULE_BROKEN"),
        (f"0 {DUBLEE.replace('QH QH', 'AC 8S')}", "RULE_BROKEN"),
        (f"0 {DUBLEE.replace('QH QH', 'XX XX')}", "RULE_BROKEN"),
        (f"0 {DUBLEE} / 8S 8S", "RULE_BROKEN"),
    ],
)
def test_dublees_refused(line: str, code: str) -> None:
    assert refused(throwing(f"hand.0: {PAIRS} 8S 8S AC XX XX | maal: JC", settings={"man": 3}), line) == code


@pytest.mark.parametrize(("least", "players", "allowed"), [(0, 5, False), (2, 2, True), (4, 3, False), (4, 4, True)])
def test_dublees_from_how_many_players_on(least: int, players: int, allowed: bool) -> None:
    start = throwing(f"hand.0: {PAIRS} AC | maal: JC", players=players, settings={"dublee_players": least})
    assert ("dublee" in [option.verb for option in engine.options(start, 0)]) == allowed
    if allowed:
        do(start, "0 " + DUBLEE)
    else:
        assert refused(start, "0 " + DUBLEE) == "RULE_BROKEN"


def test_nobody_sees_twice_by_dublees() -> None:
    assert refused(seeing(f"hand.0: {PAIRS} AC | maal: JC"), "0 " + DUBLEE) == "RULE_BROKEN"


# Finishing ────────────────────────────────────────────────────────────────────────────────────────────────────────────

SHOWN = "hand.0: 9C 9D JD TC JC QC 5S 6S JS KH KD KC 2S | shown.0: 2H 3H 4H 7S 8S 9S 5D 6D 7D"
SEEN = f"{SHOWN} | hand.1: 2C 3D | pile: AS | maal: JC"


def test_finishing_with_sets() -> None:
    over = do(seeing(SEEN, settings={"hands": 1}, taken="KH"), "0 " + FINISH)
    assert (zone(over, "hand.0"), zone(over, "pile"), len(over.zones["shown.0"])) == ("", "AS 2S", 21)
    assert (fact(over, "last.winner"), fact(over, "last.how"), fact(over, "last.maal")) == (0, "sets", "JC")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("0 finish", "MALFORMED_ACTION"),
        ("0 finish 9C 9D JD / TC JC QC / 5S 6S JS / KH KD KC", "MALFORMED_ACTION"),
        ("0 finish 9C 9D / TC JC QC / 5S 6S JS / KH KD KC / 2S", "MALFORMED_ACTION"),
        ("0 finish 9C 9D", "MALFORMED_ACTION"),
        ("0 finish 9C 9D JD / TC JC QC / 5S 6S JS / KH KD KC / 4S", "CARD_NOT_HELD"),
        ("0 finish 2S", "RULE_BROKEN"),
        ("0 finish 9C 9D JD / TC JC QC / 5S 6S JS / 2S", "RULE_BROKEN"),
        ("0 finish 9C 9D JD / TC JC QC / 5S 6S JS / KH KD 2S / KC", "RULE_BROKEN"),
    ],
)
def test_finishes_refused(line: str, code: str) -> None:
    assert refused(seeing(SEEN), line) == code


def test_finishing_with_an_eighth_dublee_throws_nothing() -> None:
    lying = f"hand.0: 8S 8S AC 4D JC 3S KD KH | shown.0: {PAIRS} | hand.1: 2C | pile: AS | maal: JC"
    over = do(seeing(lying, "dublee", settings={"hands": 1}), "0 finish 8S 8S")
    assert (zone(over, "shown.0")[-5:], zone(over, "hand.0"), zone(over, "pile")) == (
        "8S 8S",
        "AC JC 4D KD KH 3S",
        "AS",
    )
    assert fact(over, "last.how") == "dublee"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("0 finish", "MALFORMED_ACTION"),
        ("0 finish 8S", "MALFORMED_ACTION"),
        ("0 finish 8S 8S / KS", "MALFORMED_ACTION"),
        ("0 finish 8S 8S / AC AC", "MALFORMED_ACTION"),
        ("0 finish 2C 2C", "CARD_NOT_HELD"),
        ("0 finish 8S AC", "RULE_BROKEN"),
        ("0 finish XX XX", "RULE_BROKEN"),
    ],
)
def test_finishes_after_dublees_refused(line: str, code: str) -> None:
    lying = f"hand.0: 8S 8S AC XX XX | shown.0: {PAIRS} | hand.1: 2C | maal: JC"
    assert refused(seeing(lying, "dublee", settings={"man": 3}), line) == code


def test_nobody_finishes_unseen_and_the_rule_is_checked_before_any_set() -> None:
    """The same refusal for sets that would do and for sets that would not, whatever the maal."""
    lines = ["0 " + FINISH, "0 finish 9C 9D KH / 2S", "0 finish 2S"]
    told = set()
    for maal in ("JC", "4D"):
        for line in lines:
            start = throwing(LYING.replace("KC |", "KC 2S |").replace("maal: JC", f"maal: {maal}"))
            assert refused(start, line) == "RULE_BROKEN"
            with pytest.raises(Refusal) as caught:
                do(start, line)
            told.add(str(caught.value))
    assert len(told) == 1


# Forced moves ─────────────────────────────────────────────────────────────────────────────────────────────────────────

LAST = "hand.0: 2H 9C | hand.1: 3D | pile: AS TH KD | maal: JC"


def test_an_empty_deck_is_renewed_of_the_pile_but_its_last_card() -> None:
    after = do(throwing(LAST), "0 throw 9C", shuffles=["KD AS TH"])
    assert (zone(after, "deck"), zone(after, "pile"), fact(after, "renewals")) == ("KD AS TH", "9C", 1)
    assert (after.turn, after.phase) == ((1,), "draw")


def test_a_deck_that_may_not_be_renewed_ends_the_hand_without_a_winner() -> None:
    over = do(throwing(LAST, renewals=1, score=(5, -5), settings={"hands": 1}), "0 throw 9C")
    assert fact(over, "last") == {
        "hand_no": 1, "winner": None, "how": "no_cards", "maal": "JC", "points": [0, 0], "change": [0, 0],
        "seen": [False, False], "hands": ["2H", "3D"],
    }  # fmt: skip
    assert result(over) == ([1, 2], [5, -5])


def test_a_deck_that_runs_out_is_renewed_at_the_throw_only() -> None:
    start = drawing("hand.0: 2H | hand.1: 3D | deck: 4S | pile: AS TH | maal: JC")
    after = do(start, "0 draw deck")
    assert (zone(after, "deck"), fact(after, "renewals")) == ("", 0)


# Scoring ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def scored(others: tuple[str, ...], **facts: Any) -> Position[Any]:
    """Seat 0 has won with 15 points, a marriage and an alter, and the others held these cards."""
    lying = [SHOWN, *(f"hand.{seat}: {hand}" for seat, hand in enumerate(others, 1))]
    players = len(others) + 1
    unseen = (False,) * len(others)
    quiet = {"seen": (True, *unseen), "kind": ("sets", *("none" for _ in others))}
    settings = {"hands": 1, **facts.pop("settings", {})}
    start = throwing(
        " | ".join([*lying, "pile: AS", "maal: JC"]), players=players, settings=settings, **{**quiet, **facts}
    )
    return do(start, "0 " + FINISH)


def test_points_of_seen_seats_and_who_pays_whom() -> None:
    over = scored(("QC 2D", "2C", "JC"), seen=(True, True, False, True), kind=("sets", "sets", "none", "dublee"))
    assert fact(over, "last.points") == [10 + 5, 2, 0, 3]
    total = 20
    assert fact(over, "last.change") == [60 - total + 16, 8 - total - 3, -total - 10, 12 - total - 3]
    assert sum(fact(over, "last.change")) == 0
    assert fact(over, "last.seen") == [True, True, False, True]


@pytest.mark.parametrize(
    ("settings", "points"),
    [
        ({}, [15, 0]),
        ({"unseen_maal": "kidnap"}, [15 + 5 + 30, 0]),
        ({"unseen_maal": "count"}, [15, 35]),
        ({"unseen_tunnela": True}, [15, 30]),
        ({"unseen_tunnela": True, "unseen_maal": "kidnap"}, [15 + 5, 30]),
        ({"unseen_tunnela": True, "unseen_maal": "count"}, [15, 35]),
        ({"alter": False}, [10, 0]),
        ({"alter": False, "unseen_maal": "kidnap"}, [10 + 5 + 10, 0]),
    ],
)
def test_what_an_unseen_seat_has(settings: dict[str, object], points: list[int]) -> None:
    """It holds two TC or QC and has shown the tunnela of the alter."""
    lying = SEEN.replace("hand.1: 2C 3D", "hand.1: TC TC 2D | shown.1: JS JS JS")
    over = do(seeing(lying, tunnelas=("", "JS"), settings={"hands": 1, **settings}), "0 " + FINISH)
    assert fact(over, "last.points") == points


def test_fees() -> None:
    fees = {"seen_fee": 1, "unseen_fee": 20, "dublee_fee": 4, "dublee_bonus": 50}
    over = scored(("2D", "2C", "3C"), seen=(True, True, False, True), kind=("sets", "sets", "none", "dublee"),
                  settings=fees)  # fmt: skip
    assert fact(over, "last.change") == [45 + 25, -15 - 1, -15 - 20, -15 - 4]


def test_a_finish_with_dublees_costs_every_loser_more() -> None:
    lying = f"hand.0: 8S 8S AC | shown.0: {PAIRS} | hand.1: 2C | hand.2: 3C | pile: AS | maal: JC"
    start = throwing(
        lying, players=3, seen=(True, True, False), kind=("dublee", "dublee", "none"), settings={"hands": 1}
    )
    assert fact(do(start, "0 finish 8S 8S"), "last.change") == [8 + 15, -8, -15]


def test_a_tunnela_shown_later_scores_as_maal_only() -> None:
    laid = "QC QC QC 7S 8S 9S 5D 6D 7D 2D 3D 4D 2C 3C 4C 6H 7H 8H"
    start = seeing(f"hand.0: KH KD KS 2S | shown.0: {laid} | hand.1: 2C | maal: JC", settings={"hands": 1})
    assert fact(do(start, "0 finish KH KD KS / 2S"), "last.points") == [10, 0]


def test_the_record_names_all_cards_of_each_seat() -> None:
    over = do(seeing(SEEN, settings={"hands": 1}), "0 " + FINISH)
    assert fact(over, "last.hands") == ["KH KD KC QC JS JD JC TC 9S 9D 9C 8S 7S 7D 6S 6D 5S 5D 4H 3H 2H", "3D 2C"]


# Who deals next, and the end ──────────────────────────────────────────────────────────────────────────────────────────


def test_the_deal_passes_on_and_everything_is_new() -> None:
    after = do(seeing(SEEN, dealer=1, renewals=1, tunnelas=("", "2D")), "0 " + FINISH, shuffles=[DEALT])
    assert (fact(after, "dealer"), after.turn, after.phase, fact(after, "hand_no")) == (0, (1,), "draw", 2)
    assert (fact(after, "seen"), fact(after, "kind"), fact(after, "tunnelas")) == (
        [False, False], ["none", "none"], ["", ""]
    )  # fmt: skip
    assert (fact(after, "renewals"), fact(after, "taken"), fact(after, "drawn")) == (0, None, None)
    assert fact(after, "score") == [25, -25]


def test_the_match_ends_after_its_hands() -> None:
    over = do(seeing(SEEN, hand_no=3, score=(-60, 60)), "0 " + FINISH)
    assert result(over) == ([2, 1], [-35, 35])


# Time-outs ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_time_out_draws_from_the_deck_and_throws_that_card() -> None:
    after = do(drawing(), "0 times out")
    assert fact(after, "drawn") == "2S"
    assert zone(do(after, "0 times out"), "pile") == "AS TH 2S"


@pytest.mark.parametrize(
    ("hand", "taken", "thrown"),
    [
        ("KC KH QS", "KH", "KC"),
        ("KC KH KS", "KS", "KH"),
        ("2C AS XX", None, "2C"),
        ("AS XX", None, "AS"),
        ("XX 7H 7H", "7H", "XX"),
    ],
)
def test_a_time_out_throws_the_highest_card_but_the_one_taken(hand: str, taken: str | None, thrown: str) -> None:
    start = throwing(f"hand.0: {hand} | hand.1: 2C | deck: 2S | maal: JC", taken=taken, settings={"man": 3})
    assert zone(do(start, "0 times out"), "pile") == thrown


def test_a_time_out_throws_another_card_where_the_drawn_one_has_been_laid_down() -> None:
    start = do(drawing("hand.0: 3H 4H 7S 8S 9S 5D 6D 7D KC | hand.1: 2C | deck: 2H 2S | maal: JC"), "0 draw deck")
    assert zone(do(start, "0 " + SHOW, "0 times out"), "pile") == "KC"


def test_a_time_out_with_nothing_to_throw_sees_or_finishes() -> None:
    """All 21 cards were shown as tunnelas, and the only card in hand was taken from the pile."""
    laid = "2C 2C 2C 3C 3C 3C 4C 4C 4C 5C 5C 5C 6C 6C 6C 7C 7C 7C 8C 8C 8C"
    lying = f"hand.0: 9C | shown.0: {laid} | hand.1: 2D | pile: AS | maal: JC"
    start = throwing(lying, taken="9C", tunnelas=("2C 3C 4C 5C 6C 7C 8C", ""), settings={"hands": 1})
    assert engine.legal(start, 0) == ["show"]
    assert do(start, "0 times out", "0 times out").is_over
    pairs = throwing(
        f"hand.0: 8S 8S | shown.0: {PAIRS} AC AC AC KC KC KC | hand.1: 2D | pile: AS | maal: JC", taken="8S",
        tunnelas=("AC KC", ""), seen=(True, False), kind=("dublee", "none"), settings={"hands": 1},
    )  # fmt: skip
    assert fact(do(pairs, "0 times out"), "last.how") == "dublee"


def test_a_man_taken_goes_back_where_there_is_nothing_else_to_do() -> None:
    """Two tunnelas and seven dublees are laid down, and man cards make no eighth dublee."""
    lying = f"hand.0: XX | shown.0: {PAIRS} AC AC AC KC KC KC | hand.1: 2D | deck: 2S | pile: AS XX | maal: JC"
    start = drawing(
        lying, tunnelas=("AC KC", ""), seen=(True, False), kind=("dublee", "none"),
        settings={"man": 3, "pick_man": True},
    )  # fmt: skip
    start = do(start, "0 draw pile")
    assert engine.legal(start, 0) == ["throw XX"]
    assert refused(start, "0 finish XX XX") == "RULE_BROKEN"
    assert zone(do(start, "0 times out"), "pile") == "AS XX"


# Hidden information ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_maal_is_seen_by_those_who_have_shown() -> None:
    start = throwing()
    after = do(start, "0 " + SHOW)
    assert [seen(after, viewer, "maal") for viewer in (0, 1, None)] == ["JC", 1, 1]
    for viewer, faces in ((0, ["JC"]), (1, [])):
        happened = [event for event in events(start, "0 " + SHOW, viewer=viewer) if isinstance(event, Shown)]
        assert [text(unpack(event.faces)) for event in happened] == faces


def test_others_hear_of_a_draw_from_the_deck_but_not_the_card() -> None:
    for viewer, drawn in ((0, "2S"), (1, None), (None, None)):
        happened = events(drawing(), "0 draw deck", viewer=viewer)
        assert [event.facts["drawn"] for event in happened if isinstance(event, Told) and "drawn" in event.facts] == [
            drawn
        ]
        assert engine.view(do(drawing(), "0 draw deck"), viewer).facts["drawn"] == drawn
        (moved,) = [event for event in happened if isinstance(event, Moved)]
        assert text(moved.cards) == (drawn or "??")
        assert [event.told for event in happened if isinstance(event, Said)] == ["draw deck"]


def test_a_card_from_the_pile_is_public() -> None:
    (moved,) = [event for event in events(drawing(), "0 draw pile", viewer=None) if isinstance(event, Moved)]
    assert text(moved.cards) == "TH"


def test_the_record_reaches_everybody() -> None:
    happened = events(seeing(SEEN, settings={"hands": 1}), "0 " + FINISH, viewer=None)
    assert [event.record["maal"] for event in happened if isinstance(event, HandEnded)] == ["JC"]


# Edge cases ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("maal", "group", "code"),
    [
        ("KD", "AD QD 5C", None), ("KD", "JD QD 5C", "RULE_BROKEN"), ("KD", "AD 2D 5C", "RULE_BROKEN"),
        ("AD", "2D KD 5C", None), ("AD", "3D KD 5C", "RULE_BROKEN"), ("AD", "2D QD 5C", "RULE_BROKEN"),
    ],
)  # fmt: skip
def test_edge_1_the_family_goes_round_from_king_to_ace(maal: str, group: str, code: str | None) -> None:
    laid = "2H 3H 4H 7S 8S 9S 5D 6D 7D 2S 3S 4S 2C 3C 4C 6H 7H 8H"
    start = seeing(f"hand.0: {group} 5C | shown.0: {laid} | hand.1: 2C | maal: {maal}", settings={"hands": 1})
    if code is None:
        assert do(start, f"0 finish {group} / 5C").is_over
    else:
        assert refused(start, f"0 finish {group} / 5C") == code


def test_edge_2_of_the_tiplu_two_are_in_play() -> None:
    start = begin("marriage", DEALT, players=2)
    assert sum(lying.count(start.zones["maal"][0]) for name, lying in start.zones.items() if name != "maal") == 2


def test_edge_3_a_tunnela_found_later_can_be_shown_as_a_pure_set() -> None:
    after = do(throwing("hand.0: 6H 6H 6H 7S 8S 9S 5D 6D 7D 2C | maal: JC"), "0 show 6H 6H 6H / 7S 8S 9S / 5D 6D 7D")
    assert (fact(after, "seen"), fact(after, "tunnelas")) == ([True, False], ["", ""])


def test_edge_4_a_seat_may_show_and_finish_in_one_turn() -> None:
    over = finished("0 " + SHOW, "0 " + FINISH, lying=LYING.replace("KC |", "KC 2S |"))
    assert (fact(over, "last.winner"), fact(over, "last.points"), fact(over, "last.change")) == (0, [15, 0], [25, -25])


def test_edge_5_the_card_taken_may_not_be_thrown_but_be_laid_or_end_the_hand() -> None:
    start = drawing(LYING.replace("AS TH", "AS 7D"), settings={"hands": 1})
    taken = do(start, "0 draw pile")
    assert refused(taken, "0 throw 7D") == "RULE_BROKEN"
    shown = do(taken, "0 " + SHOW)
    assert refused(shown, "0 throw 7D") == "RULE_BROKEN"
    assert do(shown, "0 " + FINISH.replace("2S", "7D")).is_over


def test_edge_6_with_three_tunnelas_a_seat_still_says_show_after_a_draw() -> None:
    start = drawing(THREES, has_drawn=(False, False))
    shown = do(start, "0 tunnela 6H", "0 tunnela JD", "0 tunnela 9S")
    assert refused(shown, "0 show") == "UNKNOWN_ACTION"
    drawn = do(shown, "0 draw deck")
    assert refused(drawn, "0 show 2C 3C 4C") == "MALFORMED_ACTION"
    assert engine.legal(drawn, 0)[0] == "show"
    after = do(drawn, "0 show")
    assert (fact(after, "seen"), fact(after, "kind")) == ([True, False], ["sets", "none"])


def test_edge_6_a_fourth_tunnela_counts_towards_the_seven_sets() -> None:
    laid = "6H 6H 6H JD JD JD 9S 9S 9S 4H 4H 4H"
    lying = f"hand.0: 2C 3C 4C 5C 6C 7C KD KC KS 8H | shown.0: {laid} | hand.1: 4D | pile: AS | maal: JC"
    start = throwing(lying, tunnelas=("6H JD 9S 4H", ""), settings={"hands": 1})
    over = do(start, "0 show", "0 finish 2C 3C 4C / 5C 6C 7C / KD KC KS / 8H")
    assert fact(over, "last.points") == [5 + 10 + 5 + 5, 0]


def test_edge_7_a_seat_with_tunnelas_may_see_by_dublees_without_their_cards() -> None:
    start = throwing(f"hand.0: {PAIRS} 6H AC | shown.0: JD JD JD | maal: JC", tunnelas=("JD", ""))
    assert refused(start, "0 " + DUBLEE.replace("QH QH", "JD JD")) == "CARD_NOT_HELD"
    assert fact(do(start, "0 " + DUBLEE), "kind") == ["dublee", "none"]


def test_edge_8_three_of_one_face_are_one_dublee() -> None:
    start = throwing(f"hand.0: {PAIRS.replace('QH QH', '2C')} 8S | maal: JC")
    assert refused(start, "0 " + DUBLEE.replace("QH QH", "2C 2C")) == "CARD_NOT_HELD"


def test_edge_8_an_eighth_dublee_cannot_use_a_card_laid_down() -> None:
    lying = f"hand.0: 2C 8S AC | shown.0: {PAIRS} | hand.1: 2D | maal: JC"
    assert refused(seeing(lying, "dublee"), "0 finish 2C 2C") == "CARD_NOT_HELD"


def test_edge_9_two_wild_cards_and_anything_are_a_set() -> None:
    hand = "JD TC 2H XX QC 9S JH JS 4D XX JC 6C 8H"
    laid = "2H 3H 4H 7S 8S 9S 5D 6D 7D"
    start = seeing(f"hand.0: {hand} | shown.0: {laid} | hand.1: 2C | maal: JC", settings={"hands": 1, "man": 3})
    assert do(start, "0 finish JD TC 2H / XX QC 9S / JH JS 4D / XX JC 6C / 8H").is_over


def test_edge_10_two_copies_of_a_card_and_a_wild_card_are_no_set() -> None:
    lying = SEEN.replace("9C 9D JD", "9C 9C JD")
    assert refused(seeing(lying), "0 " + FINISH.replace("9C 9D", "9C 9C")) == "RULE_BROKEN"
    assert do(seeing(SEEN, settings={"hands": 1}), "0 " + FINISH).is_over


def test_edge_11_without_a_winner_nothing_is_kidnapped() -> None:
    start = throwing(
        LAST.replace("3D", "TC QC"), renewals=1, seen=(True, False), kind=("sets", "none"),
        settings={"hands": 1, "unseen_maal": "kidnap"},
    )  # fmt: skip
    over = do(start, "0 throw 9C")
    assert (fact(over, "last.points"), fact(over, "last.change")) == ([0, 0], [0, 0])


def test_edge_12_a_marriage_is_counted_only_where_it_is_more() -> None:
    over = scored(("JC QC QC QC TC TC TC",), seen=(True, True), kind=("sets", "sets"))
    assert fact(over, "last.points") == [15, 23]
    over = scored(("JC JC QC TC",), seen=(True, True), kind=("sets", "sets"))
    assert fact(over, "last.points") == [15, 13]


def test_edge_13_only_the_top_of_the_pile_can_be_taken() -> None:
    after = do(drawing(), "0 draw pile")
    assert (zone(after, "pile"), "AS" in zone(after, "hand.0")) == ("AS", False)


def test_edge_14_the_last_card_of_the_winner_scores_for_nobody() -> None:
    over = do(seeing(SEEN.replace("KC 2S", "KC QC"), settings={"hands": 1}), "0 " + FINISH.replace("2S", "QC"))
    assert (fact(over, "last.points"), zone(over, "pile")) == ([15, 0], "AS QC")
