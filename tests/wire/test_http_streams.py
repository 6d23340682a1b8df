"""Streams over HTTP, its doors, and how its server tells whether it is ready."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest

from chautari import running
from chautari.errors import Unavailable
from chautari.v1 import play_pb2
from chautari.wire.http import HttpFront, HttpOptions
from chautari.wire.http.connection import Doors
from chautari.wire.http.listener import Listener
from chautari.wire.log import trace_of
from chautari.wire.pipeline import Timing
from tests.wire.over_http import Answer, Http, framed, frames, reason_of, trailers
from tests.wire.served import CREATE, Served, serving
from tests.wire.stand_in import TOKEN, WATCH, standing_in


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    """The service with its HTTP front."""
    async with serving(http=True) as served:
        yield served


async def test_browser_that_comes_back_to_a_match_that_is_over_is_told_not_to(served: Served) -> None:
    http = await served.web_guest()
    match = (await http.rest("POST", "/v1/matches", CREATE)).json["name"]
    for seat in range(3):
        last = (await http.rest("POST", f"/v1/{match}:resign", {"seat": seat})).json["revision"]
    answer = await http.ask("GET", f"/v1/{match}:watch?seat=0&afterRevision=0", accept="text/event-stream")
    assert b"event: end\n" in answer.body
    assert f"id: {last}-".encode() in answer.body
    back = await http.ask("GET", f"/v1/{match}:watch?seat=0", accept="text/event-stream", last_event_id=str(last))
    assert back.status == 204


async def test_signs_of_life_are_empty_lines_or_events() -> None:
    async with serving(http=True, heartbeat_seconds=0.05) as served:
        http = await served.web_guest()
        match = (await http.rest("POST", "/v1/matches", CREATE)).json["name"]
        await http.send("GET", f"/v1/{match}:watch")
        assert (await http.begin()).headers["content-type"] == "application/x-ndjson"
        assert json.loads(await http.part())["revision"] == 1, "the first tells where to go on from"
        parts = [await http.part() for _ in range(3)]
        assert b"\n" in parts
        await http.close()
        await http.send("GET", f"/v1/{match}:watch", accept="text/event-stream")
        await http.begin()
        events = [await http.part() for _ in range(3)]
        assert all(b"id: 1-" in event for event in events)
        assert any(b'"heartbeat"' in event for event in events)


async def test_stream_whose_caller_hangs_up_is_ended(served: Served) -> None:
    http = await served.web_guest()
    match = (await http.rest("POST", "/v1/matches", CREATE)).json["name"]
    watching = await served.web_guest()
    watching.token = http.token
    await watching.send("GET", f"/v1/{match}:watch?afterRevision=0", accept="text/event-stream")
    await watching.begin()
    assert served.is_watched(match)
    await watching.close()
    async with asyncio.timeout(30):
        while served.is_watched(match):  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)


async def test_it_is_ready_until_it_is_about_to_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = asyncio.Event()
    monkeypatch.setattr(running, "_linger", seen.wait)
    async with serving(http=True) as served:
        http = served.over_http()
        assert (await http.ask("GET", "/healthz")).status == 200
        assert (await http.ask("GET", "/readyz")).status == 200
        guest = await served.web_guest()
        match = (await guest.rest("POST", "/v1/matches", CREATE)).json["name"]
        reader = Http(served.http, guest.token)
        watching = asyncio.create_task(reader.ask("GET", f"/v1/{match}:watch"))
        while not served.is_watched(match):  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)
        asking = asyncio.create_task(_asks_until_not_ready(served.http, seen))
        await asyncio.sleep(0)
    assert (await asking).headers["retry-after"] == "1"
    assert b"END_CAUSE_DRAINING" in (await watching).body
    await reader.close()


async def _asks_until_not_ready(url: str, seen: asyncio.Event) -> Answer:
    http = Http(url)
    try:
        async with asyncio.timeout(30):
            while (answer := await http.ask("GET", "/readyz")).status == 200:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)
        alive = await http.ask("GET", "/healthz")
        assert alive.status == 200
    finally:
        seen.set()
        await http.close()
    return answer


async def test_call_that_takes_longer_than_its_caller_waits(served: Served) -> None:
    http = await served.web_guest()
    match = (await http.rest("POST", "/v1/matches", CREATE)).json["name"]
    request = framed(play_pb2.WatchRequest(match=match))
    answer = await http.ask(
        "POST", "/chautari.v1.Play/Watch", request, content_type="application/connect+proto", connect_timeout_ms="300"
    )
    flags, end = frames(answer.body)[-1]
    assert (flags, reason_of(json.loads(end)["error"])) == (2, "DEADLINE_PASSED")
    web = await http.ask(
        "POST", "/chautari.v1.Play/Watch", request, content_type="application/grpc-web", grpc_timeout="300m"
    )
    assert trailers(frames(web.body)[-1][1])["grpc-status"] == "4"


async def test_figures_are_on_the_port_of_http_where_that_is_wanted() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    async with serving(http=True, http_port=port, metrics_port=port) as served:
        http = served.over_http()
        await http.rest("GET", "/v1/games")
        figures = await http.ask("GET", "/metrics")
        assert figures.headers["content-type"].startswith("text/plain")
        assert b'chautari_calls_total{method="/chautari.v1.Games/ListGames",outcome="OK"} 1.0' in figures.body


async def test_it_is_not_ready_while_its_database_is_away(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    async def check() -> None:
        raise Unavailable("STORAGE_AWAY", "the disk is gone")

    monkeypatch.setattr(served.app.store, "check", check)
    http = served.over_http()
    answer = await http.ask("GET", "/readyz")
    assert (answer.status, answer.body) == (503, b"database away\n")
    assert (await http.ask("GET", "/healthz")).status == 200


def test_trace_of_a_call_is_in_its_line_of_the_log() -> None:
    trace, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
    assert trace_of(f"00-{trace}-{span}-01") == {"trace": trace, "span": span}
    for bad in ("", "x", f"ff-{trace}-{span}-01", f"00-{'0' * 32}-{span}-01", f"00-{trace.upper()}-{span}-01"):
        assert trace_of(bad) == {}


async def test_doors_close_on_who_sends_no_head_and_on_too_many() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    listener = Listener(app, Doors(most=2, head_seconds=0.1))
    port = await listener.start("127.0.0.1", 0, shares_port=False)
    url = f"http://127.0.0.1:{port}"
    first, second, third = Http(url), Http(url), Http(url)
    assert (await first.ask("GET", "/")).status == 204
    _, writer = await second.open()
    writer.write(b"GET / HTTP/1.1\r\nhost: x\r\n")
    reader, _ = await third.open()
    with suppress(ConnectionError):
        assert await asyncio.wait_for(reader.read(1), 10) == b"", "the third is one too many"
    assert (await second.answer()).status == 408, "the head of the second does not come"
    assert (await first.ask("GET", "/")).status == 204, "one that rests between two requests is left alone"
    for http in (first, second, third):
        await http.close()
    await listener.stop(0)


async def test_machine_that_says_nothing_any_more_is_gone() -> None:
    """Here one that takes nothing; a phone whose network has changed does not even say so."""
    gone = asyncio.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(50):  # less than makes who writes wait, so that only the system can notice
            await send({"type": "http.response.body", "body": bytes(1000), "more_body": True})
        while (await receive())["type"] != "http.disconnect":
            pass
        gone.set()

    listener = Listener(app, Doors(gone_seconds=0.3))
    port = await listener.start("127.0.0.1", 0, shares_port=False)
    with socket.socket() as phone:
        phone.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        phone.connect(("127.0.0.1", port))
        phone.sendall(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        await asyncio.wait_for(gone.wait(), 20)
    await listener.stop(0)


async def test_reader_that_stops_reading_is_cut_off() -> None:
    big = play_pb2.Update(match="matches/" + "a" * 100_000, revision=1).SerializeToString()

    async def floods() -> Any:
        while True:
            yield big

    async with standing_in(Timing(write=0.2)) as stand_in:
        stand_in.items = floods
        front = HttpFront(stand_in.pipeline, stand_in.methods, HttpOptions(port=0))
        http = Http(f"http://127.0.0.1:{await front.start()}", TOKEN)
        await http.send("GET", "/v1/matches/abc:watch")
        await http.begin()
        await asyncio.wait_for(stand_in.closed.wait(), 20)
        async with asyncio.timeout(30):
            while not stand_in.count(WATCH, "READER_SLOW"):  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)
        await http.close()
        await front.stop(0)
