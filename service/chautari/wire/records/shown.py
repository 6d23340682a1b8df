"""Verifying a record that was cut for its reader: what was shown must hang together, the cards that were not are not
looked for."""

from chautari.v1 import match_pb2, play_pb2
from chautari.wire.convert.plain import fill_struct
from chautari.wire.records.again import Again
from chautari.wire.records.chairs import Impossible
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
        if state == match_pb2.MATCH_STATE_SEATING and entry.cause != play_pb2.CAUSE_OPERATOR:
            expected.cause = play_pb2.CAUSE_SEATING
        for event in expected.events:
            kind = event.WhichOneof("kind")
            if kind == "said":
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
    why = "the match is not over" if record.disclosure == match_pb2.DISCLOSURE_FULL else "cards not shown stay secret"
    verdict.unchecked.append(f"the shuffles and the commitment: {why}, and so is the secret of the shuffles")
    if record.entries and state != match_pb2.MATCH_STATE_SEATING:
        verdict.unchecked.append("the cards that were not shown, and all that follows from them")
    verdict.unchecked.append("the server's own labels: when it was, who made the record, the title")
