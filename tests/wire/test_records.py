"""Records as the service gives them: in pages or in one stream, whole or cut, always of one moment."""

from typing import Any

import pytest

from chautari.app.new_matches import NewMatch
from chautari.app.values import Disclosure
from chautari.v1 import match_pb2, matches_pb2, play_pb2
from chautari.wire.records.files import read_record, record_to_json
from chautari.wire.records.text import record_to_text
from chautari.wire.records.verify import verify
from tests.app.tables import guest, running_app
from tests.wire.recorded import played, record_of, sitting
from tests.wire.served import Caller, Code, serving


async def pages(caller: Caller, match: str, size: int, **fields: Any) -> list[play_pb2.MatchRecord]:
    """Every page of a record."""
    found = [await caller.call("Play/Record", play_pb2.RecordRequest(match=match, page_size=size, **fields))]
    while found[-1].next_page_token:
        request = play_pb2.RecordRequest(match=match, page_size=size, page_token=found[-1].next_page_token, **fields)
        found.append(await caller.call("Play/Record", request))
    return found


def merged(parts: list[play_pb2.MatchRecord]) -> play_pb2.MatchRecord:
    """The parts of a record as one."""
    record = play_pb2.MatchRecord()
    for part in parts:
        record.MergeFrom(part)
    record.next_page_token = ""
    return record


async def downloaded(caller: Caller, match: str, **fields: Any) -> list[play_pb2.RecordPart]:
    """What a download brings."""
    request = play_pb2.DownloadRecordRequest(match=match, **fields)
    return [part async for part in caller.stream("Play/DownloadRecord", request)]


async def test_pages_and_downloads_are_one_record() -> None:
    async with serving() as served:
        host, stranger = await served.guest("सीता"), await served.guest()
        match = await host.create("gulam_chor", seats=(0, 1, 2), players=3)
        act = play_pb2.ActRequest(match=match.name, seat=match.turn.must[0], text="take 1")
        await host.call("Play/Act", act)
        for seat in (0, 1):
            await host.call("Matches/ResignMatch", matches_pb2.ResignMatchRequest(name=match.name, seat=seat))

        whole = merged(await pages(host, match.name, 0))
        assert [entry.revision for entry in whole.entries] == list(range(1, whole.revision + 1))
        assert whole.complete
        assert verify(whole).holds
        in_pages = await pages(host, match.name, 1)
        assert len(in_pages) == whole.revision
        assert merged(in_pages) == whole
        assert all(page.match == match.name and not page.seats for page in in_pages[1:])

        parts = await downloaded(host, match.name)
        assert merged([part.record for part in parts[:-1]]) == whole
        assert parts[-1].end == play_pb2.StreamEnd(cause=play_pb2.END_CAUSE_ALL_SENT)
        texts = await downloaded(host, match.name, format=play_pb2.RECORD_FORMAT_TEXT)
        assert "".join(part.text for part in texts) == record_to_text(whole)
        assert texts[-1].HasField("end")
        assert whole.server == "chautari 0.1.0"
        assert (await stranger.refused("Play/Record", play_pb2.RecordRequest(match=match.name))).reason == "NO_ACCESS"


async def test_who_may_download_what() -> None:
    async with serving() as served:
        host, other, stranger = await served.guest(), await served.guest(), await served.guest()
        request = matches_pb2.CreateMatchRequest(game="games/bluff", seats=[0], privacy=match_pb2.PRIVACY_PUBLIC)
        match = await host.call("Matches/CreateMatch", request)
        await other.call("Matches/JoinMatch", matches_pb2.JoinMatchRequest(link=match.link, seats=[1]))
        asked = {
            (caller, seat): await reason(caller, match.name, seat)
            for caller in (host, other, stranger)
            for seat in (None, 0, 1, 999)
        }
        allowed = {asking for asking, said in asked.items() if said is None}
        assert allowed == {(host, None), (other, None), (stranger, None), (host, 0), (other, 1)}
        assert {said for said in asked.values() if said} == {"NOT_SEATED"}
        assert await reason(host, "matches/nothing", None) == "NO_ACCESS"
        refused = await host.refused("Play/Record", play_pb2.RecordRequest(match=match.name, page_token="x"))
        assert (refused.code, refused.reason) == (Code.INVALID_ARGUMENT, "PAGE_TOKEN_INVALID")


async def reason(caller: Caller, match: str, seat: int | None) -> str | None:
    """Why a download is refused, None where it is not; a page is answered alike."""
    request = play_pb2.RecordRequest(match=match, seat=seat)
    try:
        parts = await downloaded(caller, match, **({} if seat is None else {"seat": seat}))
    except Exception:  # a page says it with its details
        return (await caller.refused("Play/Record", request)).reason
    page = await caller.call("Play/Record", request)
    assert parts[0].record == page
    return None


@pytest.mark.parametrize("seat", [None, 1])
async def test_a_record_is_of_one_moment(seat: int | None) -> None:
    """A match goes on, and ends, while its record is fetched: what is fetched is cut, and ends where it was."""
    async with sitting("bluff") as match:
        await match.go_on(9)
        records, caller = match.app.records, match.people[seat or 0]
        before = await match.record(seat)
        page = await records.page(caller, match.match.id, seat, 3, "")
        await match.go_on()
        entries = list(page.entries)
        while page.next_page_token:
            page = await records.page(caller, match.match.id, seat, 3, page.next_page_token)
            assert not page.complete
            entries += page.entries
        assert [item.revision for item in entries] == [entry.revision for entry in before.entries]
        assert all(not item.shuffles for item in entries)
        after = await match.record(seat)
        assert after.complete
        assert not after.HasField("seat")
        assert before.HasField("seat") == (seat is not None)


async def test_a_record_cut_for_its_reader_says_what_its_stream_said() -> None:
    for key in ("poker", "bluff", "twenty_nine", "memory"):
        async with sitting(key) as match:
            await match.go_on(12)
            for seat in (*range(len(match.people)), None):
                record = await match.record(seat)
                assert (record.complete, record.secret) == (False, b"")
                assert not any(entry.shuffles for entry in record.entries)
                assert await streamed(match.app, match.people[seat or 0], record, seat) == [
                    list(entry.events) for entry in record.entries
                ]


async def streamed(app: object, caller: object, record: play_pb2.MatchRecord, seat: int | None) -> list[list[object]]:
    """The events of each revision as a stream tells them."""
    from chautari.app.updates import Step
    from chautari.wire.convert.streams import encode_update

    found: list[list[object]] = []
    stream = app.watching.watch(caller, record.match.partition("/")[2], seat, 0)  # type: ignore[attr-defined]
    async for item in stream:
        if isinstance(item, Step):
            found.append(list(play_pb2.Update.FromString(encode_update(item)).step.events))
            if item.revision == record.revision:
                break
    await stream.aclose()
    return found


async def test_what_stays_secret_is_in_no_record() -> None:
    record = await played("poker", disclosure=Disclosure.SHOWN_ONLY)
    assert (record.state, record.complete, record.secret) == (match_pb2.MATCH_STATE_FINISHED, False, b"")
    assert not any(entry.shuffles for entry in record.entries)
    decks = [event.shuffled for entry in record.entries for event in entry.events if event.HasField("shuffled")]
    assert decks
    assert not any(deck.cards for deck in decks)


async def test_record_of_a_match_that_never_began() -> None:
    async with running_app() as app:
        host = await guest(app)
        match = await app.matches.create(host, NewMatch(game="bluff", seats=(0,)), None)
        seating = await record_of(app, host, match)
        assert (seating.complete, len(seating.contributions), len(seating.entries)) == (False, 0, 1)
        await app.matches.leave(host, match.id)
        record = await record_of(app, host, match)
        assert (record.complete, record.state) == (True, match_pb2.MATCH_STATE_ABORTED)
        for one in (seating, record):
            assert verify(one).holds
            assert read_record(record_to_json(one)) == one
        assert read_record(record_to_text(record)) == record


async def test_long_entries_make_short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chautari.app.records._LARGEST_BYTES", 1)
    async with sitting("gulam_chor") as match:
        await match.go_on(5)
        page = await match.app.records.page(match.people[0], match.match.id, None, 100, "")
        assert len(page.entries) == 1
        record = await match.record()
        assert [entry.revision for entry in record.entries] == list(range(1, record.revision + 1))
