"""The benchmark of many who watch: nobody's event is left out of what it measures, and it hangs for nobody."""

import asyncio
import socket
from asyncio import to_thread
from collections.abc import Iterator
from contextlib import closing, contextmanager
from threading import Thread
from typing import Any, Final

import pytest

from chautari.wire.http import awake, fanout
from chautari.wire.http.awake import AwakeLine
from tests.wire.served import Served, serving

UNLIMITED: Final[dict[str, Any]] = {"acts_per_second": 0, "calls_per_second": 0, "streams_per_account": 0}


@contextmanager
def sent(*parts: bytes) -> Iterator[AwakeLine]:
    """A line on which the first of these parts comes, and another for each byte that is sent."""
    with socket.create_server(("127.0.0.1", 0)) as server, closing(AwakeLine(_address(server))) as line:
        connection, _ = server.accept()

        def send() -> None:
            with connection:
                for part in parts:
                    connection.sendall(part)
                    connection.recv(1)

        thread = Thread(target=send)
        thread.start()
        try:
            yield line
        finally:
            line.close()
            thread.join(10)


def _address(server: socket.socket) -> str:
    host, port = server.getsockname()
    return f"{host}:{port}"


def event(revision: int) -> bytes:
    """An event as it is sent."""
    return b"2f\r\nid: %d-epoch\ndata: {}\n\n\r\n" % revision


def test_an_event_has_come_when_its_end_has() -> None:
    whole = event(2)
    with sent(whole[:9], whole[9:-1], whole[-1:] + event(3), b"more") as line:
        line.send(b"..")
        line.read_event(3)
        line.send(b".")
        assert line.receive() == b"more"


def test_an_event_of_another_revision_is_not_the_one_that_is_waited_for() -> None:
    with sent(event(1), event(12), event(2), b"more") as line:
        line.send(b"..")
        line.read_event(2)
        line.send(b".")
        assert line.receive() == b"more"


def test_who_is_hung_up_on_or_sent_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with sent() as line, pytest.raises(ConnectionError):
        line.read_event(1)
    monkeypatch.setattr(awake, "_MOST_SECONDS", 0.01)
    with sent(event(1)) as line, pytest.raises(TimeoutError):
        line.read_event(2)


async def _measured(served: Served, kind: str) -> fanout.Fanout:
    http = served.http.removeprefix("http://")
    if kind == "grpc":
        return await fanout.measure(kind, served.address, http, 3, 0.2)
    return await to_thread(lambda: asyncio.run(fanout.measure(kind, served.address, http, 3, 0.2)))


@pytest.mark.parametrize("kind", ["sse", "grpc"])
async def test_each_act_counts_when_all_have_it(kind: str) -> None:
    async with serving(http=True, **UNLIMITED) as served:
        found = await _measured(served, kind)
        made = served.count("/chautari.v1.Play/Act", "OK")
        assert found.deliveries > 0
        assert found.deliveries in (3 * made, 3 * made - 3), "the last one may have ended the match"
        assert found.micros > 0


@pytest.mark.parametrize("kind", ["sse", "grpc"])
async def test_those_who_rest_are_there_while_it_is_looked(kind: str) -> None:
    async with serving(http=True, **UNLIMITED) as served:
        http = served.http.removeprefix("http://")

        def look() -> int:
            return sum(feed.streams for feed in served.app.watching._feeds._by_match.values())

        rest = fanout.rest(kind, served.address, http, 45, look)
        assert await (rest if kind == "grpc" else to_thread(lambda: asyncio.run(rest))) == 45
