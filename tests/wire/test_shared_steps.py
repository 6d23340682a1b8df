"""A step that goes straight to many who read it over HTTP: made once for each form, and counted as read."""

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest

from chautari.v1 import play_pb2
from chautari.wire.http import streams
from chautari.wire.http.connection import CONNECTION, Connection, Doors
from chautari.wire.http.http1 import chunked
from chautari.wire.http.listener import Listener
from tests.wire.over_http import Http, framed, frames
from tests.wire.served import CREATE, Served, serving

EVENTS = "text/event-stream"


async def watching(served: Served, token: str, match: str, accept: str = EVENTS) -> Http:
    """A stream of which the first part has come."""
    http = served.over_http(token)
    await http.send("GET", f"/v1/{match}:watch", accept=accept)
    await http.begin()
    await http.part()
    return http


async def take(http: Http, match: str, seat: int = 0) -> int:
    """An act; its revision."""
    acted = (await http.rest("POST", f"/v1/{match}:act", {"seat": seat, "text": "take"})).json
    revision: int = acted["revision"]
    return revision


async def test_a_step_is_made_once_for_all_who_read_it_in_one_form(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[bytes] = []

    def counted(part: bytes) -> bytes:
        made.append(part)
        return chunked(part)

    monkeypatch.setattr("chautari.wire.http.streams.chunked", counted)
    async with serving(http=True) as served:
        http = await served.web_guest()
        match = (await http.rest("POST", "/v1/matches", CREATE)).json["name"]
        events = [await watching(served, http.token, match) for _ in range(3)]
        lines = [await watching(served, http.token, match, "application/x-ndjson") for _ in range(2)]
        connect = [served.over_http(http.token) for _ in range(2)]
        request = framed(play_pb2.WatchRequest(match=match))
        for one in connect:
            await one.send("POST", "/chautari.v1.Play/Watch", request, content_type="application/connect+proto")
            await one.begin()
            await one.part()
        revision = await take(http, match)
        got = [await one.part() for one in (*events, *lines, *connect)]
        assert sorted(made) == sorted({*got}), "one for each form"
        assert got[0] == got[1] == got[2]
        assert got[0].startswith(b"id: %d-" % revision)
        assert json.loads(got[3]) == json.loads(got[0].partition(b"data: ")[2])
        assert play_pb2.Update.FromString(frames(got[5])[0][1]).revision == revision


async def test_the_end_of_a_stream_names_the_last_step_that_was_given_to_its_reader() -> None:
    async with serving(http=True) as served:
        http = await served.web_guest()
        match = (await http.rest("POST", "/v1/matches", CREATE)).json["name"]
        reader = await watching(served, http.token, match)
        first = await take(http, match)
        assert (await reader.part()).startswith(b"id: %d-" % first)
        assert (await http.rest("POST", "/v1/accounts:signOut", {"everywhere": True})).status == 200
        end = await reader.part()
        assert end.startswith(b"id: %d-" % first), "it resumes from there"
        assert b"\nevent: end\n" in end


async def test_a_connection_that_closes_is_given_nothing_more() -> None:
    found: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        connection: Connection = scope[CONNECTION]
        found.append(connection.writer())
        connection.transport.close()
        found.append(connection.writer())

    listener = Listener(app, Doors())
    http = Http(f"http://127.0.0.1:{await listener.start('127.0.0.1', 0, shares_port=False)}")
    await http.send("GET", "/")
    reader, _ = await http.open()
    assert await asyncio.wait_for(reader.read(), 10) == b""
    assert callable(found[0])
    assert found[1] is None
    await http.close()
    await listener.stop(0)


def test_an_answer_that_has_not_begun_is_given_nothing() -> None:
    exchange: Any = SimpleNamespace(begun=False)
    connection: Any = SimpleNamespace(writer=lambda: bytes)
    step: Any = SimpleNamespace()
    give = streams._giving(exchange, connection, bytes)(lambda item: b"step")
    assert give(step, {}) is None
    exchange.begun = True
    assert give(step, {}) == (bytes, b"4\r\nstep\r\n")
    connection.writer = lambda: None
    assert give(step, {}) is None, "its reader is behind, or has gone"
