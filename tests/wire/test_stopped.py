"""Matches that operators end, as their streams and records tell of them: these verify as others do."""

import pytest

from chautari.app.new_matches import NewMatch
from chautari.app.noting import Operator
from chautari.app.stopping import Ending
from chautari.app.values import Disclosure
from chautari.v1 import match_pb2, play_pb2
from chautari.wire.records.parse import record_from_text
from chautari.wire.records.text import record_to_text
from chautari.wire.records.verify import verify
from tests.app.tables import guest, has_left, running_app
from tests.waiting import until
from tests.wire.recorded import record_of, sitting

CONSOLE = Operator(account_id=None, origin="console")


@pytest.mark.parametrize("ending", list(Ending))
@pytest.mark.parametrize("note", ["", 'सर्भर "सर्‍यो"; see you'])
async def test_record_of_a_match_that_was_ended_verifies(ending: Ending, note: str) -> None:
    async with sitting("bluff", players=4) as played:
        await played.go_on(steps=20, leaving=True)
        match = await played.app.operating.end_match(CONSOLE, played.match.id, ending, reason="moving", note=note)
        assert match.is_over
        record = await played.record()
        assert record.complete
        assert record.result.note == note
        assert record.result.reason == match_pb2.END_REASON_OPERATOR
        last = record.entries[-1]
        assert (last.cause, last.account) == (play_pb2.CAUSE_OPERATOR, "")
        assert not verify(record).differences
        assert record_from_text(record_to_text(record)) == record
        for change in ("aborted", "note"):
            forged = play_pb2.MatchRecord()
            forged.CopyFrom(record)
            stopped = forged.entries[-1].events[0].match_stopped
            setattr(stopped, change, not stopped.aborted if change == "aborted" else "another")
            assert verify(forged).differences, change


async def test_record_of_a_match_that_was_ended_before_it_began_verifies() -> None:
    async with running_app() as app:
        host = await guest(app)
        match = await app.matches.create(host, NewMatch(game="bluff", settings={"players": 3}, seats=(0,)), None)
        ended = await app.operating.end_match(CONSOLE, match.id, Ending.ABORT, reason="moving", note="see you")
        record = await record_of(app, host, ended)
        assert record.result == match_pb2.MatchResult(
            aborted=True, reason=match_pb2.END_REASON_OPERATOR, note="see you"
        )  # fmt: skip
        assert not verify(record).differences
        assert record_from_text(record_to_text(record)) == record


async def test_record_that_is_cut_verifies_as_well() -> None:
    async with sitting("poker", disclosure=Disclosure.SHOWN_ONLY) as played:
        await played.go_on(steps=5)
        await played.app.operating.end_match(CONSOLE, played.match.id, Ending.AS_IT_STANDS, reason="x", note="see you")
        record = await played.record(0)
        assert not record.complete
        assert not verify(record).differences


async def test_record_of_a_match_that_a_banned_account_lost_verifies() -> None:
    async with sitting("bluff", players=4) as played:
        await played.go_on(steps=5)
        await played.app.operating.ban(CONSOLE, played.people[1].account, None, reason="cups")
        await until(lambda: has_left(played.app, played.match, 1))
        await played.go_on()
        record = await played.record()
        assert play_pb2.CAUSE_ABANDONED in {entry.cause for entry in record.entries}
        assert not verify(record).differences
