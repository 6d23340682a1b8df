"""What each event becomes for a viewer, and what folding it makes of a picture."""

from typing import Any, get_args

import pytest

from chautari.cards import Card, cards, text
from chautari.engine import (
    ALL,
    NOBODY,
    Dealt,
    Event,
    HandBegan,
    HandEnded,
    Hidden,
    MatchEnded,
    Moved,
    Picture,
    Put,
    Said,
    SeatLeft,
    Shown,
    Shuffled,
    Take,
    Told,
    Turned,
    Viewer,
    fold,
    only,
    redact,
)
from chautari.engine.redact import _CUTS
from tests.engine.journal import decode_events, encode_events


def faces(some: str) -> bytes:
    return bytes(cards(some))


def cut(event: Event, viewer: Viewer) -> Event | None:
    """The event as this viewer may see it; None where it sees nothing of it."""
    seen = redact([event], viewer)
    return seen[0] if seen else None


def folded(lying: dict[str, str], *events: Event, whole: bool = False) -> dict[str, str]:
    """The zones after these events, as text."""
    zones: dict[str, tuple[Card, ...]] = {name: cards(some) for name, some in lying.items()}
    return {name: text(some) for name, some in fold(Picture(zones), list(events), whole=whole).zones.items()}


# Redaction ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_each_kind_of_event_is_cut_in_its_way_and_of_another_nothing_is_sent() -> None:
    assert {kind.__name__ for kind in get_args(Event)} == {kind.__name__ for kind in _CUTS}
    unheard_of: Any = object()
    with pytest.raises(KeyError):
        redact([unheard_of], None)


def test_a_motion_shows_its_faces_to_those_that_see_them_and_says_who_still_does() -> None:
    taken = Moved(faces("7H"), "hand.0", "hand.1", only(0, 1), only(1))
    assert cut(taken, 0) == Moved(faces("7H"), "hand.0", "hand.1", ALL, NOBODY)
    assert cut(taken, 1) == Moved(faces("7H"), "hand.0", "hand.1", ALL, ALL)
    assert cut(taken, 2) == cut(taken, None) == Moved(faces("??"), "hand.0", "hand.1", NOBODY, NOBODY)


def test_a_deal_shows_each_hand_to_its_viewers_alone() -> None:
    dealt = Dealt("deck", ("hand.0", "hand.1"), (faces("2C 3C"), faces("4C 5C")), (only(0), only(1)))
    assert cut(dealt, 1) == Dealt("deck", ("hand.0", "hand.1"), (faces("?? ??"), faces("4C 5C")), (NOBODY, ALL))
    assert cut(dealt, None) == Dealt("deck", dealt.targets, (faces("?? ??"), faces("?? ??")), (NOBODY, NOBODY))


def test_a_shuffle_shows_its_order_to_those_that_see_an_ordered_zone() -> None:
    assert cut(Shuffled(faces("2C 3C"), "deck"), 0) == Shuffled(faces("?? ??"), "deck")
    assert cut(Shuffled(faces("2C 3C"), "row", ALL), None) == Shuffled(faces("2C 3C"), "row", ALL)


def test_whoever_is_not_meant_is_not_told_that_cards_were_shown_or_hidden() -> None:
    assert cut(Shown("hand.0", faces("2C"), only(1)), 1) == Shown("hand.0", faces("2C"), ALL)
    assert cut(Shown("hand.0", faces("2C"), only(1)), 2) is None
    assert cut(Hidden("hand.0", only(1)), 1) == Hidden("hand.0", ALL)
    assert cut(Hidden("hand.0", only(1)), None) is None


def test_facts_are_told_to_their_viewers_and_what_stands_in_their_place_to_others() -> None:
    told = Told({"bid": 7}, only(2), {"bid": None})
    assert [cut(told, viewer) for viewer in (2, 1, None)] == [
        Told({"bid": 7}),
        Told({"bid": None}),
        Told({"bid": None}),
    ]


def test_of_a_secret_fact_nobody_hears() -> None:
    assert [cut(Told({"doubting": [1]}, NOBODY), viewer) for viewer in (0, 1, None)] == [None, None, None]


def test_a_seat_hears_what_it_said_and_others_what_may_be_heard() -> None:
    said = Said(1, "lay 7 7H 8C", "lay 7 ?? ??")
    assert cut(said, 1) == said
    assert cut(said, 0) == cut(said, None) == Said(1, "lay 7 ?? ??", "lay 7 ?? ??")


@pytest.mark.parametrize(
    "event", [HandBegan(2), Turned("play", 1, 6), HandEnded(1, {"chor": 2}), SeatLeft(0), MatchEnded((1, 2), (3, 0))]
)
def test_what_everybody_may_know_is_not_cut(event: Event) -> None:
    assert cut(event, None) == cut(event, 0) == event


# Folding ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("take", "put", "source", "target"),
    [
        (Take.FIRST, Put.LAST, "4C 5C", "9H 2C 3C"),
        (Take.LAST, Put.LAST, "2C 3C", "9H 2C 3C"),
        (Take.NAMED, Put.LAST, "4C 5C", "9H 2C 3C"),
        (Take.NAMED, Put.FIRST, "4C 5C", "2C 3C 9H"),
    ],
)
def test_a_motion_takes_and_puts_as_it_says(take: Take, put: Put, source: str, target: str) -> None:
    moved = Moved(faces("2C 3C"), "deck", "pile", ALL, ALL, take, put)
    assert folded({"deck": "2C 3C 4C 5C", "pile": "9H"}, moved) == {"deck": source, "pile": target}


def test_of_equal_cards_a_motion_takes_the_first() -> None:
    assert folded({"hand.0": "7H 2C 7H", "pile": ""}, Moved(faces("7H"), "hand.0", "pile", ALL, ALL)) == {
        "hand.0": "2C 7H",
        "pile": "7H",
    }


def test_a_card_seen_on_its_way_leaves_an_unseen_one_and_becomes_unseen_again() -> None:
    moved = Moved(faces("7H"), "hand.0", "hand.1", ALL, NOBODY)
    assert folded({"hand.0": "?? ??", "hand.1": "2C"}, moved) == {"hand.0": "??", "hand.1": "2C ??"}
    assert folded({"hand.0": "7H 8H", "hand.1": "2C"}, moved, whole=True) == {"hand.0": "8H", "hand.1": "2C 7H"}


def test_cards_from_outside_come_into_play() -> None:
    assert folded({"aside": ""}, Moved(faces("JD"), "", "aside", ALL, ALL)) == {"aside": "JD"}
    dealt = Dealt("", ("hand.0", "hand.1"), (faces("2C"), faces("?? ??")), (ALL, NOBODY))
    assert folded({}, dealt) == {"hand.0": "2C", "hand.1": "?? ??"}


def test_a_deal_takes_from_the_front() -> None:
    dealt = Dealt("deck", ("hand.0", "hand.1"), (faces("2C 4C"), faces("3C 5C")), (ALL, ALL))
    assert folded({"deck": "2C 3C 4C 5C 6C"}, dealt) == {"deck": "6C", "hand.0": "2C 4C", "hand.1": "3C 5C"}


def test_a_hand_that_its_seat_knows_stays_known_when_it_is_shuffled_unseen() -> None:
    unseen = Shuffled(faces("?? ??"), "hand.0")
    assert folded({"hand.0": "2C 3C"}, unseen) == {"hand.0": "2C 3C"}
    assert folded({"hand.0": "?? ??"}, unseen) == {"hand.0": "?? ??"}
    assert folded({"deck": ""}, unseen, Shuffled(faces("?? ?? ??"), "deck")) == {"deck": "?? ?? ??", "hand.0": "?? ??"}


def test_a_lot_moves_nothing() -> None:
    assert folded({"deck": "2C"}, Shuffled(faces("5C"), None), whole=True) == {"deck": "2C"}


def test_cards_are_shown_and_hidden_again() -> None:
    shown, hidden = Shown("hand.0", faces("2C 3C"), ALL), Hidden("hand.0", ALL)
    assert folded({"hand.0": "?? ??"}, shown) == {"hand.0": "2C 3C"}
    assert folded({"hand.0": "?? ??"}, shown, hidden) == {"hand.0": "?? ??"}


def test_the_journal_knows_all_faces_all_along() -> None:
    shown, hidden = Shown("hand.0", faces("2C 3C"), only(1)), Hidden("hand.0", only(1))
    assert folded({"hand.0": "3C 2C"}, shown, hidden, whole=True) == {"hand.0": "3C 2C"}


def test_a_hand_begins_with_empty_zones() -> None:
    assert folded({"deck": "2C", "hand.0": "3C"}, HandBegan(2)) == {"deck": "", "hand.0": ""}


def test_all_else_is_written_down() -> None:
    ended = HandEnded(1, {"side": 0})
    over = MatchEnded((1, 2), (3, 0))
    events: list[Event] = [Told({"dealer": 1, "led": "H"}), Told({"led": None}), Turned("play", 2, 1), ended]
    events += [SeatLeft(1), Said(0, "play 7H", "play 7H"), SeatLeft(0), over]
    picture = fold(Picture(), events)
    assert (picture.facts, picture.phase, picture.must, picture.may) == ({"dealer": 1, "led": None}, "play", 2, 1)
    assert (picture.left, picture.result, picture.last_hand) == ((1, 0), over, ended)


def test_events_survive_encoding() -> None:
    events: list[Event] = [
        HandBegan(1), Shuffled(faces("2C"), "deck"), Dealt("deck", ("hand.0",), (faces("2C"),), (only(0),)),
        Moved(faces("2C"), "hand.0", "pile", ALL, ALL, Take.LAST, Put.FIRST), Shown("hand.0", faces("2C"), ALL),
        Hidden("hand.0", only(0)), Told({"a": [1, None, "x"], "b": {"c": True}}, only(1), {"a": None}),
        Said(0, "draw", ""), Turned("play", 1, 0), HandEnded(1, {"x": None}), SeatLeft(3), MatchEnded((1,), (0,), True),
    ]  # fmt: skip
    assert decode_events(encode_events(events)) == events
