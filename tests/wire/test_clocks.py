"""Clocks over the wire: what a match is created with, what views and streams tell, and records of timed-out seats."""

import pytest

from chautari.app.clock_values import TimeControl, WhenAway
from chautari.app.values import SECOND
from chautari.v1 import match_pb2, matches_pb2, play_pb2
from chautari.wire.convert.arrangements import arrangement_from_proto
from chautari.wire.convert.clocks import control_from_proto, fill_control
from chautari.wire.convert.matches import match_to_proto
from chautari.wire.convert.views import view_to_proto
from chautari.wire.errors import Violation
from chautari_client import read_record, record_to_json, record_to_text, verify
from tests.app.test_clocks import LATE, timed
from tests.wire.recorded import record_of

CONTROLS = (
    TimeControl(move=30 * SECOND),
    TimeControl(bank=60 * SECOND, increment=SECOND, away_after=0),
    TimeControl(bank=60 * SECOND, when_away=WhenAway.KEEP_CLOCK),
    TimeControl(days=3, away_after=5, when_away=WhenAway.RESIGN),
    TimeControl(),
)


@pytest.mark.parametrize("control", CONTROLS)
def test_a_time_control_survives_the_wire(control: TimeControl) -> None:
    message = match_pb2.TimeControl()
    fill_control(message, control)
    assert control_from_proto(message) == control


def test_no_kind_is_the_default_of_a_new_match_and_nothing_to_update() -> None:
    assert control_from_proto(match_pb2.TimeControl(away_after=3)) is None
    request = matches_pb2.UpdateMatchRequest(match=match_pb2.Match(name="matches/m"))
    request.update_mask.paths.append("clock")
    with pytest.raises(Violation):
        arrangement_from_proto(request)
    request.match.clock.none.SetInParent()
    assert arrangement_from_proto(request).clock == TimeControl()


async def test_views_matches_and_steps_tell_due_times_by_the_servers_clock() -> None:
    async with timed(TimeControl(bank=60 * SECOND), "gulam_chor", 2) as table:
        seat = next(seat for seat, left in enumerate(await table.left()) if left)
        await table.act()
        table.clock.pass_seconds(3600)
        await table.app.store.pulse()
        seat = next(seat for seat, left in enumerate(await table.left()) if left)
        view = view_to_proto(await table.app.playing.view(table.people[seat], table.id, seat))
        assert view.clock.bank.time.seconds == 60
        assert [clock.bank.seconds for clock in view.clocks] == [60, 60]
        running = next(clock for clock in view.clocks if clock.HasField("due_time"))
        assert running.due_time.seconds - view.server_time.seconds == 60
        match = match_to_proto(await table.match(), table.people[seat], outages=table.app.store.outages)
        assert match.due_time == running.due_time
        other = match_to_proto(await table.match(), table.people[1 - seat], outages=table.app.store.outages)
        assert not other.HasField("due_time")


async def test_records_of_timed_out_deserted_and_returned_seats_hold() -> None:
    control = TimeControl(move=30 * SECOND, away_after=1)
    async with timed(control) as table:
        await table.run_out(30 + LATE)
        await table.app.matches.join(table.people[0], match_id=table.id)
        for _ in range(25):
            await table.run_out(30 + LATE)
        assert (await table.match()).is_over
        record = await record_of(table.app, table.people[0], await table.match())
    assert verify(record).differences == []
    assert read_record(record_to_json(record)) == record
    assert read_record(record_to_text(record)) == record
    aways = [
        (entry, event.seat_away)
        for entry in record.entries
        for event in entry.events
        if event.HasField("seat_away")
    ]  # fmt: skip
    assert [(away.seat, away.away) for _, away in aways][:3] == [(0, True), (0, False), (1, True)]
    for entry, _ in aways[:2]:
        wrong = play_pb2.MatchRecord()
        wrong.CopyFrom(record)
        event = wrong.entries[entry.revision - 1].events[0]
        event.seat_away.away = not event.seat_away.away
        assert verify(wrong).differences != []
    assert entry_of_return(record).account == record.entries[0].account


def entry_of_return(record: play_pb2.MatchRecord) -> play_pb2.RecordEntry:
    """The entry in which a seat came back."""
    return next(
        entry
        for entry in record.entries
        if any(event.HasField("seat_away") and not event.seat_away.away for event in entry.events)
    )


async def test_a_resignation_for_being_away_is_in_a_record_that_holds() -> None:
    control = TimeControl(move=30 * SECOND, away_after=1, when_away=WhenAway.RESIGN)
    async with timed(control, "bluff", 2) as table:
        await table.run_out(30 + LATE)
        assert (await table.match()).is_over
        record = await record_of(table.app, table.people[0], await table.match())
    assert verify(record).differences == []
    assert record.entries[-1].cause == play_pb2.CAUSE_ABANDONED
