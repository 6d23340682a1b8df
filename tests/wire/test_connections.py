"""Connections over HTTP/1 as nobody should use them: what is read and refused, and that nobody stays for nothing."""

import asyncio
import json
import socket
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import pytest

from chautari.wire.http.connection import CONNECTION, Connection, Doors
from chautari.wire.http.listener import Listener
from tests.wire.over_http import Http, framed
from tests.wire.served import CREATE, Served, serving

GUEST: Final = b"POST /v1/accounts:createGuest HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
CHUNKED: Final = GUEST + b"transfer-encoding: chunked\r\n\r\n"
HEALTH: Final = b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n"
SECONDS: Final = 20.0


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    """The service with its HTTP front."""
    async with serving(http=True, body_seconds=0.5) as served:
        yield served


@asynccontextmanager
async def listening(app: Any, doors: Doors) -> AsyncIterator[Listener]:
    """An application behind a listener; `port` says where."""
    listener = Listener(app, doors)
    port = await listener.start("127.0.0.1", 0, shares_port=False)
    listener.port = port  # type: ignore[attr-defined]
    try:
        yield listener
    finally:
        await listener.stop(0)


async def line_to(listener: Any) -> tuple[StreamReader, StreamWriter]:
    """A connection to it."""
    return await asyncio.open_connection("127.0.0.1", listener.port)


async def answer(send: Any, body: bytes) -> None:
    """Answers all at once."""
    headers = [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


async def says_its_path(scope: Any, receive: Any, send: Any) -> None:
    """Answers with the path."""
    await receive()
    await answer(send, scope["path"].encode())


async def told(reader: StreamReader) -> bytes:
    """All that comes until the other side closes."""
    async with asyncio.timeout(SECONDS):
        return await reader.read()


# What is a request ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("request_", "status", "says"),
    [
        (b"GET /healthz HTTP/2.0\r\nhost: x\r\n\r\n", 505, "no HTTP/1.1 request"),
        (b"GET /healthz HTTP/0.9\r\nhost: x\r\n\r\n", 505, "no HTTP/1.1 request"),
        (b"GET /healthz\r\n\r\n", 505, "no HTTP/1.1 request"),
        (b"GET /healthz HTTP/1.0\r\nhost: a\r\nhost: b\r\n\r\n", 400, "one header Host"),
        (b"GET /healthz HTTP/1.1\r\nhost: a b\r\n\r\n", 400, "one header Host"),
        (b"GET /healthz HTTP/1.1\r\nhost: a/b\r\n\r\n", 400, "one header Host"),
        (GUEST + b"transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501, "gzip, chunked is not read"),
        (GUEST + b"transfer-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", 501, "gzip is not read"),
        (GUEST + b"transfer-encoding: identity\r\n\r\n{}", 501, "identity is not read"),
        (GUEST + b"transfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 400, "no HTTP/1.1"),
        (GUEST + b"content-length: 2\r\ncontent-length: 2\r\n\r\n{}", 400, "no HTTP/1.1"),
        (CHUNKED + b"0x2\r\n{}\r\n0\r\n\r\n", 400, "no HTTP/1.1"),
        (CHUNKED + b"2\r\n{}{\r\n0\r\n\r\n", 400, "no HTTP/1.1"),
        (CHUNKED + b"f" * 17 + b"\r\n", 400, "no HTTP/1.1"),
    ],
)
async def test_request_that_cannot_be_trusted_is_refused(http: Http, request_: bytes, status: int, says: str) -> None:
    _, writer = await http.open()
    writer.write(request_)
    refused = await http.answer()
    assert refused.status == status
    assert says in refused.json["detail"]
    assert refused.headers["connection"] == "close"
    assert "date" in refused.headers


@pytest.mark.parametrize(
    ("line", "status"),
    [
        (b"GET http://anywhere/healthz HTTP/1.1", 200),
        (b"GET http://anywhere HTTP/1.1", 200),
        (b"GET http://anywhere?a=b HTTP/1.1", 200),
        (b"GET http://anywhere/nothing HTTP/1.1", 404),
        (b"OPTIONS http://anywhere HTTP/1.1", 204),
        (b"CONNECT anywhere:443 HTTP/1.1", 400),
    ],
)
async def test_target_in_absolute_form(http: Http, line: bytes, status: int) -> None:
    _, writer = await http.open()
    writer.write(line + b"\r\nhost: [::1]:80\r\n\r\n")
    found = await http.answer()
    assert found.status == status
    assert ("allow" in found.headers) is (status == 204), "without a path OPTIONS asks of the whole server"


async def test_blanks_around_a_value_are_no_part_of_it(http: Http) -> None:
    call = await http.ask(
        "POST", "/chautari.v1.Server/GetServerInfo", b"{}", content_type="\tapplication/json \t",
        connect_timeout_ms=" 5000 ",
    )  # fmt: skip
    assert call.status == 200


async def test_trailers_are_no_headers(served: Served) -> None:
    guest = await served.web_guest()
    for trailer in (f"authorization: Bearer {guest.token}", "content-encoding: br", "host: two"):
        _, writer = await guest.open()
        path = b"POST /chautari.v1.Matches/ListMatches HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
        writer.write(path + b"transfer-encoding: chunked\r\ntrailer: x\r\n\r\n2;a=b\r\n{}\r\n0\r\n" + trailer.encode())
        writer.write(b"\r\n\r\n")
        assert (await guest.answer()).reason == "TOKEN_MISSING"


# How much comes ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_body_in_the_smallest_chunks_is_read(http: Http) -> None:
    _, writer = await http.open()
    body = json.dumps({"displayName": "Sita"}).encode() + b" " * 20_000
    writer.write(CHUNKED + b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\nx: y\r\n\r\n")
    assert (await http.answer()).status == 200


@pytest.mark.parametrize("flood", [b"0\r\nx: ", b"0\r\nx: y\r\n", b"1;x="])
async def test_what_comes_beside_a_body_is_bounded(http: Http, flood: bytes) -> None:
    _, writer = await http.open()
    writer.write(CHUNKED + b"2\r\n{}\r\n" + flood + (b"y" * 40_000 if flood[-2:] != b"\r\n" else b"x: y\r\n" * 4_000))
    refused = await http.answer()
    assert (refused.status, refused.reason) == (431, "HEAD_TOO_LARGE")


async def test_of_many_requests_at_once_few_are_held_and_all_are_answered_in_turn() -> None:
    waiting = []

    async def counts(scope: Any, receive: Any, send: Any) -> None:
        connection: Connection = scope[CONNECTION]
        waiting.append(len(connection.pipeline))
        await says_its_path(scope, receive, send)

    asked = [b"/%d" % number for number in range(20_000)]
    requests = b"".join(b"GET %b HTTP/1.1\r\nhost:\r\n\r\n" % path for path in asked)
    async with listening(counts, Doors()) as listener:
        reader, writer = await line_to(listener)
        sending = asyncio.create_task(_send(writer, requests))
        for path in asked:
            head = await reader.readuntil(b"\r\n\r\n")
            assert b" 200 " in head
            assert await reader.readexactly(len(path)) == path
        await sending
        writer.close()
    assert 0 < max(waiting) < 300


async def _send(writer: StreamWriter, data: bytes) -> None:
    writer.write(data)
    await writer.drain()


@pytest.mark.parametrize("size", [1, 2, 7, 5_000])
async def test_requests_may_be_cut_anywhere(size: int) -> None:
    async def echoes(scope: Any, receive: Any, send: Any) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message["body"], message["more_body"]
            await asyncio.sleep(0)
        await answer(send, body)

    bodies = [b"\r\n" * (number % 5) + b"%d" % number + b"\n" * (number % 3) for number in range(40)]
    bodies.append(b"\r\n" * 4_000)
    sent = b"\r\n".join(
        b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body) for body in bodies
    )
    async with listening(echoes, Doors()) as listener:
        reader, writer = await line_to(listener)
        for at in range(0, len(sent), size):
            writer.write(sent[at : at + size])
            await asyncio.sleep(0)
        for body in bodies:
            head = await reader.readuntil(b"\r\n\r\n")
            assert b"content-length: %d\r\n" % len(body) in head
            assert await reader.readexactly(len(body)) == body
        writer.close()


# Who stays, and who does not ──────────────────────────────────────────────────────────────────────────────────────────


async def test_empty_lines_keep_nobody_here() -> None:
    async with listening(says_its_path, Doors(idle_seconds=1)) as listener:
        reader, writer = await line_to(listener)
        writer.write(b"\r\n" + HEALTH)
        await reader.readuntil(b"/healthz")
        writer.write(b"\r\n")
        assert await told(reader) == b""
        writer.close()


async def test_page_reads_a_body_and_goes_on(http: Http) -> None:
    for body, status in ((b"x" * 10, 200), (b"x" * 70_000, 413)):
        assert (await http.ask("GET", "/healthz", body)).status == status
    assert (await http.ask("GET", "/healthz", None, content_length="9")).reason == "REQUEST_SLOW"


@pytest.mark.parametrize("content_type", ["application/connect+proto", "application/grpc-web"])
async def test_stream_that_is_answered_before_its_body_has_come_is_the_last(http: Http, content_type: str) -> None:
    reader, writer = await http.open()
    writer.write(
        http.head("POST", "/chautari.v1.Play/Watch", {"content-type": content_type, "content-length": "99999"})
    )
    assert (await http.begin()).headers["connection"] == "close"
    writer.write(bytes(99_999))
    assert (await told(reader)).endswith(b"\r\n0\r\n\r\n")


async def test_get_of_a_stream_with_a_body_is_the_last(served: Served) -> None:
    http = await served.web_guest()
    match = (await http.rest("POST", "/v1/matches", CREATE)).json["name"]
    await http.send("GET", f"/v1/{match}:watch?afterRevision=0", b"body")
    assert (await http.begin()).headers["connection"] == "close"
    await http.close()


async def test_what_was_asked_before_something_unreadable_is_answered_first() -> None:
    go_on = asyncio.Event()

    async def waits(scope: Any, receive: Any, send: Any) -> None:
        await go_on.wait()
        await says_its_path(scope, receive, send)

    async with listening(waits, Doors(head_seconds=0.1)) as listener:
        connections: Any = listener._state.connections
        for rest in (b"nonsense\r\n\r\n", b"GET /late HTTP/1.1\r\nhost:"):
            reader, writer = await line_to(listener)
            writer.write(HEALTH + rest)
            async with asyncio.timeout(SECONDS):
                while not any(one._is_done for one in connections):  # noqa: ASYNC110 - nobody tells
                    await asyncio.sleep(0.01)
            writer.write(HEALTH)  # nobody answers this any more
            await asyncio.sleep(0.05)
            go_on.set()
            came = await told(reader)
            assert came.startswith(b"HTTP/1.1 200 ")
            assert came.endswith(b"/healthz")
            go_on.clear()
            writer.close()


async def test_who_takes_nothing_of_an_answer_is_cut_off() -> None:
    async def floods(scope: Any, receive: Any, send: Any) -> None:
        del scope, receive
        await answer(send, bytes(16 * 1024 * 1024))

    async with listening(floods, Doors(unread_seconds=0.2)) as listener:
        with socket.socket() as line:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            line.setblocking(False)
            loop = asyncio.get_running_loop()
            await loop.sock_connect(line, ("127.0.0.1", listener.port))  # type: ignore[attr-defined]
            await loop.sock_sendall(line, HEALTH)
            await loop.sock_recv(line, 1)
            async with asyncio.timeout(SECONDS):
                while listener._state.connections:  # noqa: ASYNC110 - nobody tells
                    await asyncio.sleep(0.05)


# HTTP/1.0 ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_caller_of_http_1_0_gets_no_chunks(served: Served) -> None:
    http = await served.web_guest()
    match = (await http.rest("POST", "/v1/matches", CREATE)).json["name"]
    token = f"authorization: Bearer {http.token}\r\n"
    watching = served.over_http()
    reader, writer = await watching.open()
    writer.write(f"GET /v1/{match}:watch HTTP/1.0\r\n{token}\r\n".encode())
    head = await watching.begin()
    assert "transfer-encoding" not in head.headers
    assert head.headers["connection"] == "close"
    assert json.loads(await reader.readline())["revision"] == 1
    for seat in range(3):
        await http.rest("POST", f"/v1/{match}:resign", {"seat": seat})
    revisions = [json.loads(line)["revision"] for line in (await told(reader)).splitlines() if line]
    assert revisions == sorted(revisions)
    assert revisions[-1] > 1
    reader, writer = await served.over_http().open()
    writer.write(
        b"POST /chautari.v1.Server/GetServerInfo HTTP/1.0\r\ncontent-type: application/grpc-web\r\n"
        b"content-length: 5\r\n\r\n" + framed(b"")
    )
    assert (await told(reader)).endswith(b"grpc-status: 0\r\n")


async def test_caller_of_http_1_0_is_not_told_to_go_on(http: Http) -> None:
    reader, writer = await http.open()
    writer.write(GUEST.replace(b"1.1", b"1.0") + b"expect: 100-continue\r\ncontent-length: 2\r\n\r\n")
    await asyncio.sleep(0.05)
    writer.write(b"{}")
    assert (await told(reader)).startswith(b"HTTP/1.1 200 ")
