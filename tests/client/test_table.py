"""The table: each event folded as event.proto says under "Fold"."""

import pytest
from google.protobuf import json_format

from chautari.v1 import event_pb2, match_pb2, option_pb2, play_pb2, view_pb2
from chautari_client import Event, Gap, Table, View, Zone, card_order, to_plain, to_struct
from tests.client.fake import beat, step


def zone(name: str, cards: str | int = "", *, ordered: bool = True) -> Zone:
    """A zone that shows these cards, or hides so many."""
    shown = [] if isinstance(cards, int) else cards.split()
    count = cards if isinstance(cards, int) else len(shown)
    return Zone(name=name, base=name.partition(".")[0], count=count, cards=shown, ordered=ordered)


@pytest.fixture
def table() -> Table:
    """Seat 0's table of an invented game, at revision 4."""
    seats = [
        match_pb2.Seat(number=number, account=f"accounts/a{number}", state="SEAT_STATE_TAKEN") for number in (0, 1)
    ]
    return Table(
        View(
            match="matches/m1", revision=4, seat=0, state=match_pb2.MATCH_STATE_PLAYING, seats=seats, hand=1,
            turn=match_pb2.Turn(phase="play", must=[0]),
            zones=[
                zone("hand.0", "2C 7H", ordered=False), zone("hand.1", 2), zone("deck", 30), zone("pile", "AS 5D 5D")
            ],
            facts=to_struct({"trump": "S", "score": [0, 0]}),
            options=[option_pb2.Option(verb="throw", actions=["throw 2C", "throw 7H"])],
        )
    )  # fmt: skip


def moved(**fields: object) -> Event:
    """A motion, with the defaults of the proto's own names."""
    given = {"take": "TAKE_NAMED", "put": "PUT_LAST", **fields}
    return json_format.ParseDict({"moved": given}, Event())


def told(cards: str) -> list[str]:
    """Cards as a message holds them."""
    return cards.split()


def test_cards_sort_by_suit_then_rank_jokers_last() -> None:
    assert sorted(told("XX 2S AS KC TD 9D AC"), key=card_order) == told("AC KC 9D TD AS 2S XX")


def test_moved_from_and_to_zones_that_show_their_faces(table: Table) -> None:
    table.fold(moved(cards=["7H"], count=1, source="hand.0", target="pile"))
    assert table.cards("hand.0") == ("2C",)
    assert table.cards("pile") == ("AS", "5D", "5D", "7H")


def test_moved_into_a_zone_without_order_is_sorted_in(table: Table) -> None:
    table.fold(moved(cards=["5D"], count=1, source="pile", target="hand.0", take="TAKE_LAST"))
    assert table.cards("hand.0") == ("2C", "5D", "7H")
    assert table.cards("pile") == ("AS", "5D")


def test_moved_in_front(table: Table) -> None:
    table.fold(moved(cards=["2C", "7H"], count=2, source="hand.0", target="pile", put="PUT_FIRST"))
    assert table.cards("pile") == ("2C", "7H", "AS", "5D", "5D")


def test_moved_first_of_a_zone_that_shows(table: Table) -> None:
    table.fold(moved(cards=["AS", "5D"], count=2, source="pile", take="TAKE_FIRST"))
    assert table.cards("pile") == ("5D",)


def test_moved_face_down_only_counts(table: Table) -> None:
    table.fold(moved(cards=["7H"], count=1, source="hand.0", target="deck", faceDown=True))
    assert (table.zone("deck").count, table.cards("deck")) == (31, ())


def test_moved_between_hidden_zones_only_counts(table: Table) -> None:
    table.fold(moved(count=2, source="deck", target="hand.1", take="TAKE_FIRST"))
    assert (table.zone("deck").count, table.zone("hand.1").count) == (28, 4)
    assert not table.needs_view


def test_cards_that_do_not_lie_there_ask_for_a_fresh_view(table: Table) -> None:
    table.fold(moved(cards=["9C"], count=1, source="hand.0", target="pile"))
    assert table.needs_view
    assert (table.zone("hand.0").count, table.cards("hand.0")) == (1, ())


@pytest.mark.parametrize("fields", [{"source": "elsewhere"}, {"target": "elsewhere"}])
def test_zone_that_is_not_there_asks_for_a_fresh_view(table: Table, fields: dict[str, str]) -> None:
    table.fold(moved(count=1, **fields))
    assert table.needs_view


def test_dealt_from_a_hidden_deck(table: Table) -> None:
    hands = [
        event_pb2.DealtHand(zone="hand.1", count=2),
        event_pb2.DealtHand(zone="hand.0", count=2, cards=told("AC KS")),
    ]
    table.fold(Event(dealt=event_pb2.Dealt(source="deck", hands=hands)))
    assert table.zone("deck").count == 26
    assert table.zone("hand.1").count == 4
    assert table.cards("hand.0") == ("AC", "2C", "7H", "KS")


def test_shuffled_says_count_order_or_nothing(table: Table) -> None:
    table.fold(Event(shuffled=event_pb2.Shuffled(count=9)))
    table.fold(Event(shuffled=event_pb2.Shuffled(zone="hand.0", count=2)))
    assert table.cards("hand.0") == ("2C", "7H")
    table.fold(Event(shuffled=event_pb2.Shuffled(zone="pile", count=2, cards=told("9C 3C"))))
    assert table.cards("pile") == ("9C", "3C")
    table.fold(Event(shuffled=event_pb2.Shuffled(zone="deck", count=52)))
    assert (table.zone("deck").count, table.cards("deck")) == (52, ())


def test_shown_and_hidden(table: Table) -> None:
    table.fold(Event(shown=event_pb2.Shown(zone="hand.1", cards=told("QS 4H"))))
    assert table.cards("hand.1") == ("QS", "4H")
    table.fold(Event(hidden=event_pb2.Hidden(zone="hand.1")))
    assert (table.zone("hand.1").count, table.cards("hand.1")) == (2, ())


def test_facts_are_replaced_as_a_whole(table: Table) -> None:
    facts = to_struct({"score": [1, 0], "trump": None})
    table.fold(Event(told=event_pb2.Told(facts=facts)))
    assert table.facts == {"score": [1, 0], "trump": None}


def test_hand_began_clears_the_table_and_keeps_the_facts(table: Table) -> None:
    table.fold(Event(hand_began=event_pb2.HandBegan(hand=2)))
    assert {each.count for each in table.view.zones} == {0}
    assert table.view.hand == 2
    assert table.facts["trump"] == "S"


def test_hand_may_begin_with_the_cards_that_lie_there(table: Table) -> None:
    table.fold(Event(hand_began=event_pb2.HandBegan(hand=2, cards_stay=True)))
    assert (table.view.hand, table.zone("deck").count, table.cards("pile")) == (2, 30, ("AS", "5D", "5D"))


def test_match_ended(table: Table) -> None:
    result = match_pb2.MatchResult(placing=[1, 2], score=[3, 1])
    table.apply(step(5, Event(match_ended=event_pb2.MatchEnded(result=result))))
    assert table.is_over
    assert table.view.turn == match_pb2.Turn(phase="over")
    assert list(table.view.result.placing) == [1, 2]
    assert (table.options, table.is_my_turn) == ([], False)


def test_seats_are_left_vacated_and_taken(table: Table) -> None:
    table.fold(Event(seat_left=event_pb2.SeatLeft(seat=1)))
    assert table.view.seats[1].state == match_pb2.SEAT_STATE_LEFT
    table.fold(Event(seat_vacated=event_pb2.SeatVacated(seat=1)))
    assert table.view.seats[1] == match_pb2.Seat(number=1, state=match_pb2.SEAT_STATE_OPEN)
    table.fold(Event(seat_taken=event_pb2.SeatTaken(seat=1, account="accounts/b", display_name="Bimal", held=True)))
    assert table.view.seats[1].state == match_pb2.SEAT_STATE_HELD
    assert table.view.seats[1].display_name == "Bimal"


def test_seat_is_away_or_handed_over_and_one_that_is_not_there_changes_nothing(table: Table) -> None:
    table.fold(Event(seat_away=event_pb2.SeatAway(seat=1, away=True)))
    table.fold(Event(seat_handed=event_pb2.SeatHanded(seat=1, account="accounts/b")))
    assert (table.view.seats[1].away, table.view.seats[1].account) == (True, "accounts/b")
    before = table.view.SerializeToString(deterministic=True)
    table.fold(Event(seat_away=event_pb2.SeatAway(seat=7, away=True)))
    table.fold(Event(seat_handed=event_pb2.SeatHanded(seat=7, account="accounts/c")))
    assert table.view.SerializeToString(deterministic=True) == before


def test_step_voids_the_options_and_its_head_brings_new_ones(table: Table) -> None:
    assert table.actions == ["throw 2C", "throw 7H"]
    turned = Event(turned=event_pb2.Turned(turn=match_pb2.Turn(phase="play", must=[1])))
    assert table.apply(step(5, turned))
    assert (table.options, table.is_current, table.is_my_turn) == ([], False, False)
    update = step(6, head=True)
    update.step.head.turn.CopyFrom(match_pb2.Turn(phase="draw", must=[0]))
    update.step.head.options.append(option_pb2.Option(verb="draw", example="draw deck"))
    assert table.apply(update)
    assert (table.actions, table.is_current, table.is_my_turn) == (["draw deck"], True, True)


def test_repeat_changes_nothing_and_a_hole_is_a_gap(table: Table) -> None:
    before = table.view.SerializeToString(deterministic=True)
    assert not table.apply(step(4, moved(count=1, source="deck")))
    assert not table.apply(beat(9))
    with pytest.raises(Gap):
        table.apply(step(6))
    assert table.view.SerializeToString(deterministic=True) == before


def test_presence_is_no_revision(table: Table) -> None:
    update = play_pb2.Update(revision=4, presence=play_pb2.Presence(seat=1, online=True))
    assert table.apply(update)
    assert table.view.seats[1].online
    assert table.revision == 4


def test_unknown_event_asks_for_a_fresh_view(table: Table) -> None:
    table.apply(step(5, Event.FromString(b"\xa2\x06\x00")))
    assert table.needs_view
    table.reset(view_pb2.View(revision=5))
    assert not table.needs_view


def test_plain_values_have_whole_numbers() -> None:
    values = {"a": 3, "b": [1, None, True, "x"], "c": {"d": -2}}
    assert to_plain(to_struct(values)) == values
    assert type(to_plain(to_struct(values))["a"]) is int


def test_seats_that_are_drawn_change_places_and_keep_their_sides(table: Table) -> None:
    table.view.seats[0].side, table.view.seats[1].side, table.view.seats[1].online = 0, 1, True
    table.fold(Event(seats_drawn=event_pb2.SeatsDrawn(before=[1, 0])))
    assert [(seat.number, seat.account, seat.side, seat.online) for seat in table.view.seats] == [
        (0, "accounts/a1", 0, True),
        (1, "accounts/a0", 1, False),
    ]
    assert not table.needs_view


def test_match_that_its_host_has_changed_needs_a_fresh_view(table: Table) -> None:
    table.fold(Event(match_updated=event_pb2.MatchUpdated()))
    assert table.needs_view
