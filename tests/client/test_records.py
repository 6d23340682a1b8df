"""Records in the client: fetched whole, kept as files, and verified."""

import pytest

from chautari.v1 import play_pb2
from chautari_client import Client, read_record, record_to_json, record_to_text, verify
from tests.wire.recorded import played
from tests.wire.served import serving


async def test_a_record_is_fetched_whole_kept_and_verified() -> None:
    async with serving() as served, Client.connect(served.address) as client:
        await client.sign_in_as_guest("सीता")
        match = await client.create_match("gulam_chor", {"players": 3}, seats=[0, 1, 2])
        cut = await client.record(match, 1)
        assert verify(cut).holds
        assert verify(cut).unchecked
        for seat in (2, 0):
            await client.resign(match, seat)
        record = await client.record(match)
        assert record.complete
        assert not record.next_page_token
        assert verify(record).holds
        assert read_record(record_to_json(record)) == record
        assert read_record(record_to_text(record)) == record
        record.entries[-1].events[0].seat_left.seat = 1
        assert not verify(record).holds


async def test_pages_are_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chautari.app.records._LARGEST_PAGE", 2)
    async with serving() as served, Client.connect(served.address) as client:
        await client.sign_in_as_guest("राम")
        match = await client.create_match("gulam_chor", {"players": 2}, seats=[0, 1])
        for _ in range(6):
            view = await client.view(match, 0)
            if view.result.placing:
                break
            await client.act(match, view.turn.must[0], "take 1")
        record = await client.record(match)
        assert [entry.revision for entry in record.entries] == list(range(1, record.revision + 1))
        assert verify(record).holds


async def test_what_is_no_record_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="take a newer program"):
        verify(play_pb2.MatchRecord(format_version=2))
    with pytest.raises(ValueError, match="no JSON"):
        read_record("{")
    record = await played("bluff")
    record.rules_version = 99
    with pytest.raises(ValueError, match="not 99"):
        verify(record)
