"""Verifying a record: whether all that it says follows from its secret, its settings and what the seats did.

A complete record is played again, and each of its entries compared with what it must be; so nothing in it can be
changed alone but its labels, which RECORDS.md lists. No server is asked. Whether the commitment is the one that the
players were shown before they sat down, they alone can say.
"""

from typing import Final

from chautari import engine
from chautari.v1 import match_pb2, play_pb2
from chautari.wire.convert.plain import fill_struct, id_of
from chautari.wire.records.again import Again
from chautari.wire.records.chairs import Impossible
from chautari.wire.records.differences import Difference, differences
from chautari.wire.records.forms import FORMAT_VERSION, newer, unreadable
from chautari.wire.records.shown import check_shown
from chautari.wire.records.verdict import Verdict

OVER: Final = (match_pb2.MATCH_STATE_FINISHED, match_pb2.MATCH_STATE_ABORTED)


def check_form(record: play_pb2.MatchRecord) -> None:
    """Malformed `RECORD_VERSION`, `RECORD_UNREADABLE` where this is no whole record of a form that is known here."""
    if record.format_version > FORMAT_VERSION:
        raise newer(record.format_version)
    if record.format_version != FORMAT_VERSION:
        raise unreadable(f"a record has a format_version, now {FORMAT_VERSION}; this is none")
    if record.next_page_token:
        raise unreadable("this is one page of a record: fetch the others, or download it in one call")


def verify(record: play_pb2.MatchRecord) -> Verdict:
    """The verdict on a record.

    Malformed `RECORD_VERSION`, `RECORD_UNREADABLE`, `BAD_SETTING`; NotFound `GAME_UNKNOWN`, `RULES_UNKNOWN`.
    """
    check_form(record)
    verdict = Verdict(record.match, record.game)
    _check_head(record, verdict)
    if record.complete:
        _check_complete(record, verdict)
    else:
        check_shown(record, verdict)
    return verdict


def _check_head(record: play_pb2.MatchRecord, verdict: Verdict) -> None:
    """What holds of every record, whoever reads it."""
    wrong: list[tuple[str, str]] = []
    disclosed = record.state in OVER and record.disclosure == match_pb2.DISCLOSURE_FULL
    if record.complete != disclosed:
        wrong.append(("complete", f"{record.complete} in a match that is {'' if disclosed else 'not '}disclosed"))
    if len(record.secret) != (32 if record.complete else 0):
        wrong.append(("secret", f"{len(record.secret)} bytes in a record that is {_complete(record)}"))
    if len(record.commitment) != 32:
        wrong.append(("commitment", f"{len(record.commitment)} bytes"))
    if record.complete and record.HasField("seat"):
        wrong.append(("seat", "a complete record is nobody's own"))
    if record.HasField("seat") and not 0 <= record.seat < len(record.seats):
        wrong.append(("seat", "there is no such seat"))
    if record.disclosure not in (match_pb2.DISCLOSURE_FULL, match_pb2.DISCLOSURE_SHOWN_ONLY):
        wrong.append(("disclosure", "neither full nor shown only"))
    if len(record.contributions) != (0 if record.state == match_pb2.MATCH_STATE_SEATING else len(record.seats)):
        wrong.append(("contributions", f"{len(record.contributions)} of them"))
    last = record.entries[-1].revision if record.entries else 0
    if record.revision != last:
        wrong.append(("revision", f"{record.revision}, but the last entry is of revision {last}"))
    for name, what in wrong:
        verdict.note(Difference(None, name, what, ""))


def _complete(record: play_pb2.MatchRecord) -> str:
    return "complete" if record.complete else "not complete"


def _check_complete(record: play_pb2.MatchRecord, verdict: Verdict) -> None:
    again = Again(record)
    committed = engine.commitment(
        match=id_of(record.match), game=id_of(record.game), version=record.rules_version, settings=again.agreed,
        secret=record.secret,
    )  # fmt: skip
    if committed != record.commitment:
        verdict.note(Difference(
            None, "commitment", record.commitment.hex(), f"{committed.hex()}, of match, settings and secret"
        ))  # fmt: skip
    else:
        verdict.checked.append("the commitment is that of the match, its game and settings, and the secret")
    played = 0
    for given in record.entries:
        try:
            expected = again.entry(given)
        except Impossible as impossible:
            verdict.note(Difference(given.revision, "entry", str(impossible), ""))
            verdict.unchecked.append(f"nothing from revision {given.revision} on: the match cannot have gone there")
            return
        for difference in differences(given.revision, given, expected):
            verdict.note(difference)
        played += 1
    verdict.checked.append(f"{again.shuffles} shuffles are those of the secret and of what the seats added to it")
    verdict.checked.append(f"{played} revisions, played again, make these {again.events} events")
    expected_head = head_of(again)
    found_head = play_pb2.MatchRecord(state=record.state, seats=record.seats)
    found_head.settings.CopyFrom(record.settings)
    if record.HasField("result"):
        found_head.result.CopyFrom(record.result)
    for difference in differences(None, found_head, expected_head):
        verdict.note(difference)
    verdict.checked.append("seats, state and result are those that follow")
    verdict.unchecked.append("the server's own labels: when it was, who made the record, the title")


def head_of(again: Again) -> play_pb2.MatchRecord:
    """Of the match, what follows from its entries."""
    head = play_pb2.MatchRecord(state=again.state, seats=again.chairs.seats)
    fill_struct(head.settings, again.agreed)
    if again.result is not None:
        head.result.CopyFrom(again.result)
    return head
