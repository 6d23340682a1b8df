"""Somebody who stops reading a match over server-sent events: cut off, resumed without a gap, and in nobody's way."""

import asyncio
import json
import socket
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest

from chautari.app.caller import Caller
from chautari.wire.http import listener
from chautari.wire.readers import Reader
from tests.app.tables import legal_action
from tests.waiting import until
from tests.wire.over_http import Http
from tests.wire.served import Served, serving
from tests.wire.stand_in import WATCH

SECONDS = 10.0
"""How long a message may take to be read."""
SEATS = 4


class Narrow(Http):
    """A connection that holds little of what is not read."""

    async def open(self) -> tuple[StreamReader, StreamWriter]:
        """The connection, with buffers as small as they may be."""
        if self._reader is None or self._writer is None:
            narrow = socket.socket()
            narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            narrow.setblocking(False)
            await asyncio.get_running_loop().sock_connect(narrow, (self.host, self.port))
            self._reader, self._writer = await asyncio.open_connection(sock=narrow, limit=1_000)
        return self._reader, self._writer


class Watchdog:
    """The clock by which readers are slow, and what is found of them when somebody looks."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.looks, self.found_slow = 1_000.0, 0, False
        takes_too_long = Reader.takes_too_long

        def look(reader: Reader, now: float, most_seconds: float) -> bool:
            is_cut = takes_too_long(reader, now, most_seconds)
            self.looks += 1
            self.found_slow = self.found_slow or reader.is_slow
            return is_cut

        monkeypatch.setattr(Reader, "takes_too_long", look)
        monkeypatch.setattr("chautari.wire.readers.perf_counter", lambda: self.now)
        monkeypatch.setattr("chautari.wire.pipeline.perf_counter", lambda: self.now)
        monkeypatch.setattr("chautari.wire.sending.perf_counter", lambda: self.now)

    async def passes(self) -> None:
        """Somewhat more than half of what a message may take passes, and somebody looks at both readers."""
        self.now += 0.6 * SECONDS
        before = self.looks
        await until(lambda: self.looks > before + 2)


@pytest.fixture
def watchdog(monkeypatch: pytest.MonkeyPatch) -> Watchdog:
    """The watchdog, of a server whose sockets hold little too: on one machine they would hold megabytes."""
    bind = listener._bind

    def bind_narrow(host: str, port: int, shares_port: bool) -> socket.socket:
        bound = bind(host, port, shares_port)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
        return bound

    monkeypatch.setattr(listener, "_bind", bind_narrow)
    return Watchdog(monkeypatch)


class Table:
    """A long match of one account on all seats, which somebody reads as it comes.

    brisk: the revisions that this reader has got; last: the latest that was played.
    """

    def __init__(self, served: Served, host: Http, account: str, match: str) -> None:
        self.served, self.host, self.match = served, host, match
        self._caller = Caller(account)
        self.brisk: list[int] = []
        self.last = 1

    @property
    def was_cut(self) -> bool:
        """Whether a reader was cut off."""
        return self.served.count(WATCH, "READER_SLOW") > 0

    def narrow(self) -> Narrow:
        """A connection of somebody who will not read."""
        http = Narrow(self.served.http, self.host.token)
        self.served.web.append(http)
        return http

    async def watch(self, http: Http, after: int) -> Http:
        """Begins to watch as a spectator, from behind this revision."""
        await http.send("GET", f"/v1/{self.match}:watch", accept="text/event-stream", last_event_id=str(after))
        assert (await http.begin()).status == 200
        return http

    async def read_as_it_comes(self) -> None:
        """Notes each revision."""
        http = await self.watch(self.served.over_http(self.host.token), 0)
        while True:
            self.brisk += steps(await http.part())

    async def goes_on(self) -> None:
        """Some actions, all of which come to the brisk reader, whoever else does not read."""
        match = await self.served.app.matches.get(self._caller, self.match.removeprefix("matches/"))
        for _ in range(50):
            seat, action = await legal_action(self.served.app, match, [self._caller] * SEATS)
            acted = await self.served.app.playing.act(self._caller, match.id, seat, action)
            self.last = acted.revision
        await until(lambda: self.brisk[-1:] == [self.last])

    async def resumed(self, after: int) -> list[int]:
        """The revisions that come to who resumes behind this one, up to the latest."""
        http = await self.watch(self.served.over_http(self.host.token), after)
        found: list[int] = []
        while found[-1:] != [self.last]:
            found += steps(await http.part())
        await http.close()
        return found


def events(read: bytes) -> list[dict[str, Any]]:
    """The data of each event that has come whole, with its name and its id."""
    whole, _, _ = read.rpartition(b"\n\n")
    found = []
    for event in whole.split(b"\n\n"):
        fields = dict(line.split(": ", 1) for line in event.decode().split("\n") if ": " in line)
        if "data" in fields:
            found.append({"event": fields.get("event", ""), "id": fields.get("id", ""), **json.loads(fields["data"])})
    return found


def steps(read: bytes) -> list[int]:
    """The revisions among them."""
    return [event["revision"] for event in events(read) if "step" in event]


async def read_on(http: Http) -> bytes:
    """All that still comes, until the connection is closed or breaks."""
    read = b""
    with suppress(
        ConnectionError, asyncio.IncompleteReadError, ValueError
    ):  # ValueError: nothing where a length is due
        while part := await http.part():
            read += part
    return read


@asynccontextmanager
async def playing() -> AsyncIterator[Table]:
    """The table, with its brisk reader."""
    async with serving(http=True, slow_reader_seconds=SECONDS, streams_per_account=0) as served:
        host = await served.web_guest()
        account = (await host.rest("GET", "/v1/accounts/me")).json["name"].removeprefix("accounts/")
        new = {"game": "games/gulam_chor", "seats": [*range(SEATS)], "settings": {"players": SEATS, "rounds": 50}}
        match = (await host.rest("POST", "/v1/matches", new)).json["name"]
        table = Table(served, host, account, match)
        reading = asyncio.create_task(table.read_as_it_comes())
        try:
            await until(lambda: table.brisk == [1])
            yield table
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)


async def test_a_reader_that_does_not_read_is_cut_off_and_resumes(watchdog: Watchdog) -> None:
    async with playing() as table:
        slow = await table.watch(table.narrow(), 0)
        read = await slow.part()
        while not table.was_cut:
            await table.goes_on()
            await watchdog.passes()
        read += await read_on(slow)
        await slow.close()
        got = steps(read)
        assert got == [*range(1, len(got) + 1)]
        assert got[-1] < table.last
        assert got + await table.resumed(got[-1]) == table.brisk == [*range(1, table.last + 1)]


async def test_a_reader_that_reads_again_is_told_from_where_to_resume(watchdog: Watchdog) -> None:
    async with playing() as table:
        slow = await table.watch(table.narrow(), 0)
        read = await slow.part()
        while not watchdog.found_slow:
            await table.goes_on()
            await watchdog.passes()
        assert not table.was_cut
        read += await read_on(slow)
        await slow.close()
        got, said = steps(read), events(read)
        end = next(event for event in said if "end" in event)
        assert (end["end"]["cause"], end["end"]["resume"]) == ("END_CAUSE_SLOW", True)
        assert end["id"].partition("-")[0] == str(got[-1])
        assert got[-1] < table.last
        assert got + await table.resumed(got[-1]) == table.brisk == [*range(1, table.last + 1)]
        assert table.was_cut
