"""Whether the record that the API gives of a match replays, for somebody who has nothing but the record."""

from typing import Any

from chautari import engine
from chautari.app.values import Cause
from chautari.cards import Card, cards
from chautari.engine import Position, Script
from chautari.games import find_game
from chautari.v1 import event_pb2, match_pb2, play_pb2, view_pb2
from chautari.wire.convert.events import CAUSES, fill_events
from chautari.wire.records.verify import verify
from chautari_client import MatchRecord, Table, View, to_plain

_SEATING = ("seat_taken", "seat_vacated", "match_started", "host_changed")
_CAUSES = {number: cause for cause, number in CAUSES.items()}


def check_record(record: MatchRecord, final: View) -> None:
    """Run again on the game's rules and folded without them, the record leads to the result; AssertionError if not."""
    assert record.complete
    assert [entry.revision for entry in record.entries] == list(range(1, len(record.entries) + 1))
    position = run_again(record)
    assert position.result is not None
    assert list(position.result.placing) == list(record.result.placing)
    assert list(position.result.score) == list(record.result.score)
    assert verify(record).holds
    table = folded(record, final)
    assert {zone.name: tuple(zone.cards) for zone in table.view.zones} == {
        name: tuple(card.text for card in _shown(position, name)) for name in position.zones
    }
    declared = position.game.facts_declared
    assert table.facts == {fact.name: engine.plain(getattr(position.facts, fact.field)) for fact in declared}
    assert table.view.result == final.result


def run_again(record: MatchRecord) -> Position[Any]:
    """The position that the actions lead to on the recorded shuffles; each makes the very events of the record."""
    game = find_game(record.game.partition("/")[2])
    settings = game.read_settings(to_plain(record.settings))
    outcomes = [cards(" ".join(shuffle.cards)) for entry in record.entries for shuffle in entry.shuffles]
    script = Script(outcomes)
    position: Position[Any] | None = None
    for entry in record.entries:
        told = [event for event in entry.events if event.WhichOneof("kind") not in _SEATING]
        if not told:
            continue
        if position is None:
            step = engine.begin(game, settings, script)
        elif entry.cause in (play_pb2.CAUSE_RESIGNED, play_pb2.CAUSE_ABANDONED):
            step = engine.leave(position, entry.seat)
        else:
            step = engine.act(position, entry.seat, entry.action, script)
        assert told == _as_told(step.events, _CAUSES[entry.cause]), f"revision {entry.revision}"
        position = step.position
    assert position is not None
    return position


def folded(record: MatchRecord, final: View) -> Table:
    """The table of somebody who saw everything, from the events alone; `final` names the zones."""
    blank = view_pb2.View(match=record.match, seats=[match_pb2.Seat(number=seat.number) for seat in record.seats])
    for zone in final.zones:
        blank.zones.add(name=zone.name, base=zone.base, ordered=zone.ordered)
    table = Table(blank)
    for entry in record.entries:
        for event in entry.events:
            table.fold(event)
    assert not table.needs_view
    return table


def _as_told(events: list[engine.Event], cause: Cause) -> list[event_pb2.Event]:
    entry = play_pb2.RecordEntry()
    fill_events(entry.events, events, 0, cause, whole=True)
    return list(entry.events)


def _shown(position: Position[Any], name: str) -> tuple[Card, ...]:
    lying = position.zones[name]
    return lying if position.layout.places[name].zone.ordered else tuple(sorted(lying))
