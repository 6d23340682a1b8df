"""Verifying a record that was cut for its reader: what was shown hangs together, and some deal leads to it."""

from chautari.v1 import match_pb2, play_pb2
from chautari.wire.convert.plain import fill_struct
from chautari.wire.records.again import Again
from chautari.wire.records.chairs import Impossible
from chautari.wire.records.deals import Deals, NotFound, Wrong
from chautari.wire.records.differences import Difference, differences
from chautari.wire.records.verdict import Verdict


def check_shown(record: play_pb2.MatchRecord, verdict: Verdict) -> None:
    """Adds to the verdict what does not hold, and what cannot be checked.

    Malformed and NotFound as `Again` says.
    """
    again = Again(record)
    state, result, note = match_pb2.MATCH_STATE_SEATING, None, ""
    for number, entry in enumerate(record.entries, 1):
        expected = play_pb2.RecordEntry()
        expected.CopyFrom(entry)
        expected.revision = number
        expected.account = again.chairs.account_of(entry)
        del expected.shuffles[:]
        expected.action = ""
        expected.time.SetInParent()
        if entry.cause == play_pb2.CAUSE_SEATING:
            expected.ClearField("seat")
        if state == match_pb2.MATCH_STATE_SEATING and entry.cause != play_pb2.CAUSE_OPERATOR:
            expected.cause = play_pb2.CAUSE_SEATING
        for event in expected.events:
            kind = event.WhichOneof("kind")
            if kind == "said" and not expected.action:
                expected.action, expected.seat = event.said.text, event.said.seat
            elif kind == "seat_left":
                expected.seat = event.seat_left.seat
            elif kind == "match_started":
                event.match_started.start_time.CopyFrom(entry.time)
                state = match_pb2.MATCH_STATE_PLAYING
            elif kind == "match_stopped":
                note = event.match_stopped.note
            elif kind == "match_ended":
                result = event.match_ended.result
                state = match_pb2.MATCH_STATE_ABORTED if result.aborted else match_pb2.MATCH_STATE_FINISHED
            try:
                again.chairs.fold(event, entry.account)
            except Impossible as impossible:
                verdict.note(Difference(number, f"events.{kind}", str(impossible), ""))
        for difference in differences(number, entry, expected):
            verdict.note(difference)
    head = play_pb2.MatchRecord(state=state, seats=again.chairs.seats)
    fill_struct(head.settings, again.agreed)
    found = play_pb2.MatchRecord(state=record.state, seats=record.seats)
    found.settings.CopyFrom(record.settings)
    if result is not None:
        head.result.CopyFrom(result)
        head.result.note = note
    if record.HasField("result"):
        found.result.CopyFrom(record.result)
    for difference in differences(None, found, head):
        verdict.note(difference)
    verdict.checked.append(f"{len(record.entries)} revisions follow one another, and seats, state and result from them")
    if verdict.holds and any(event.HasField("match_started") for entry in record.entries for event in entry.events):
        _look_for_deal(record, again, verdict)
    why = "the match is not over" if record.disclosure == match_pb2.DISCLOSURE_FULL else "cards not shown stay secret"
    verdict.unchecked.append(f"the shuffles and the commitment: {why}, and so is the secret of the shuffles")
    verdict.unchecked.append("the server's own labels: when it was, who made the record, the title")


def _look_for_deal(record: play_pb2.MatchRecord, again: Again, verdict: Verdict) -> None:
    try:
        played = Deals(record, again).find()
    except Wrong as wrong:
        told, made = (play_pb2.RecordEntry(events=events) for events in (wrong.told, wrong.made))
        verdict.note(Difference(wrong.revision, "events", str(wrong), ""))
        for difference in differences(wrong.revision, told, made):
            verdict.note(difference)
    except NotFound as missing:
        verdict.unchecked.append(f"revision {missing.revision} and what follows: {missing}")
    else:
        verdict.checked.append(
            f"there is a deal of the cards not shown with which {played} revisions make these events"
        )
