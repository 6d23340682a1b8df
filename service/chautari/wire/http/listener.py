"""The sockets of the HTTP front: uvicorn's protocol under limits of ours, served in the loop that runs.

uvicorn's own server would take the signals, and stop in steps of a tenth of a second; its protocol needs neither.
"""

import asyncio
import logging
import socket
from asyncio import Task
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from email.utils import formatdate
from time import monotonic
from typing import Any, Final

import httptools
from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from chautari.wire.addresses import Proxies
from chautari.wire.errors import Failed, said_in
from chautari.wire.http import refusals
from chautari.wire.http.crowd import Crowd
from chautari.wire.http.problems import problem_of
from chautari.wire.languages import choose
from chautari.wire.ports import PortTaken, written

CONNECTION: Final = "chautari.connection"
"""The key of a scope that holds its `Connection`."""
_LOOK_SECONDS: Final = 1.0
_BACKLOG: Final = 2048
_TOLD: Final = 16
_OVER_SECONDS: Final = 1.0
"""So many connections over the limit of an address may wait at once to be told, and for so long; others are closed."""


@dataclass(frozen=True, slots=True)
class Doors:
    """What connections are held to. Sizes are in bytes, times in seconds.

    most          connections at once; 0 for as many as come
    most_of_one   connections at once from one address, other than `proxies`; 0 for as many as come
    head_bytes    of a request line and headers
    head_seconds  in which they must come, also the first of a connection
    idle_seconds  that a connection may rest between two requests
    """

    most: int = 10_000
    most_of_one: int = 0
    head_bytes: int = 16 * 1024
    head_seconds: float = 10.0
    idle_seconds: float = 75.0
    proxies: Proxies = Proxies()  # noqa: RUF009  # it is never changed


class Connection(HttpToolsProtocol):
    """One connection. reader: the task of the stream that it reads, which ends with it.

    One that its address has too many of lives until its first request has its answer, if it comes at once.
    """

    doors: Doors
    crowd: Crowd

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Takes the connection, or closes it where there are too many."""
        super().connection_made(transport)
        self.reader: Task[Any] | None = None
        self._in_body = False
        self._head_bytes = 0
        self._has_host = True
        self._head_since = monotonic()
        self._counts_for = self.crowd.key(self.client[0] if self.client else "")
        over = self.crowd.enter(self._counts_for)
        self._is_over = over > 0
        if over > _TOLD or (self.doors.most and len(self.connections) > self.doors.most):
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Ends the stream that nobody reads any more."""
        super().connection_lost(exc)
        self.crowd.leave(self._counts_for)
        if self.reader is not None:
            self.reader.cancel()

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self.scope[CONNECTION] = self  # type: ignore[typeddict-unknown-key]
        self._head_since = self._head_since or monotonic()

    def on_headers_complete(self) -> None:
        """The request can be answered, where its head is not too long: it is measured where so much has come."""
        if self._is_over:
            raise httptools.HttpParserError("too many connections")
        if self._head_bytes > self.doors.head_bytes:
            self._head_bytes = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
            if self._head_bytes > self.doors.head_bytes:
                raise httptools.HttpParserError("the head is too long")
        if self.parser.get_http_version() == "1.1" and [name for name, _ in self.headers].count(b"host") != 1:
            self._has_host = False
            raise httptools.HttpParserError("not one Host")
        self._in_body = True
        self._head_since = 0.0
        self._head_bytes = 0
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The whole request is there; what comes next is a head."""
        self._in_body = False
        super().on_message_complete()

    def data_received(self, data: bytes) -> None:
        """Reads what comes."""
        if self.transport.is_closing():
            return
        if not self._in_body:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._is_over and not self.transport.is_closing():
            self.send_400_response("too many connections")
        elif self._head_bytes > self.doors.head_bytes and not self._in_body and not self.transport.is_closing():
            self.send_400_response("the head is too long")

    def send_400_response(self, msg: str) -> None:
        """Refuses what is no HTTP, has too long a head, or comes on a connection too many, and closes."""
        del msg
        if self._is_over:
            self._refuse(self.crowd.refusal(), "Too Many Requests")
        elif self._head_bytes > self.doors.head_bytes:
            self._refuse(refusals.head_too_large(self.doors.head_bytes), "Request Header Fields Too Large")
        else:
            self._refuse(refusals.not_http() if self._has_host else refusals.no_host(), "Bad Request")

    def give_up(self) -> None:
        """Closes a connection whose head has not come in time; says so where a part of it has."""
        if self._head_bytes:
            self._refuse(refusals.request_slow(self.doors.head_seconds), "Request Timeout")
        else:
            self.transport.close()

    def _refuse(self, failure: Failed, phrase: str) -> None:
        cycle: Any = self.cycle  # None before the first request
        if cycle is not None and not cycle.response_complete:  # it would come into the midst of another answer
            self.transport.abort()
            return
        status, headers, body = problem_of(said_in(self._language(), failure))
        lines = [f"HTTP/1.1 {status} {phrase}".encode()]
        lines += [name + b": " + value for name, value in headers]
        lines += [b"content-length: %d" % len(body), b"connection: close", b"", body]
        self.transport.write(b"\r\n".join(lines))
        self.transport.close()

    def _language(self) -> str:
        """That of the caller, as far as its head has come."""
        came = self.headers or ()  # None before the first request
        return choose(", ".join(value.decode("latin-1") for name, value in came if name == b"accept-language"))

    def writer(self) -> Callable[[bytes], object] | None:
        """What sends to its reader without waiting; None where that one has gone, or is behind."""
        transport = self.transport
        return None if self.flow.write_paused or transport.is_closing() else transport.write

    @property
    def has_body(self) -> bool:
        """Whether a part of the body, or its end, is there to be read."""
        return self.cycle.message_event.is_set()

    def is_late(self, now: float) -> bool:
        """Whether its head takes too long to come."""
        allowed = min(self.doors.head_seconds, _OVER_SECONDS) if self._is_over else self.doors.head_seconds
        return self._head_since > 0 and now - self._head_since > allowed


class Listener:
    """Listens for an ASGI application, in the loop that runs."""

    def __init__(self, app: Any, doors: Doors) -> None:
        logging.getLogger("uvicorn.error").setLevel(logging.ERROR)  # a line for each that speaks no HTTP is no news
        self._config = Config(
            app, loop="none", http=Connection, ws="none", lifespan="off", interface="asgi3", log_config=None,
            access_log=False, proxy_headers=False, server_header=False, timeout_keep_alive=round(doors.idle_seconds),
        )  # fmt: skip
        self._state = ServerState()
        self._crowd = Crowd(doors.most_of_one, doors.proxies)
        self._protocol = type("Connection", (Connection,), {"doors": doors, "crowd": self._crowd})
        self._server: asyncio.Server | None = None
        self._clock: Task[None] | None = None

    async def start(self, host: str, port: int, *, shares_port: bool) -> int:
        """Listens, and serves; returns the port. PortTaken where that cannot be done."""
        self._config.load()
        try:
            bound = _bind(host, port, shares_port)
        except OSError as error:
            raise PortTaken(
                f"cannot listen on {written(host, port)}: {(error.strerror or str(error)).lower()}"
            ) from None
        loop = asyncio.get_running_loop()
        self._tick()
        self._server = await loop.create_server(self._connect, sock=bound, backlog=_BACKLOG)
        self._clock = loop.create_task(self._look())
        found: int = bound.getsockname()[1]
        return found

    async def stop(self, grace_seconds: float) -> None:
        """Takes no connection any more, ends those that rest, and after the grace those that do not."""
        if self._server is None or self._clock is None:
            return
        self._server.close()
        self._clock.cancel()
        await asyncio.gather(self._clock, return_exceptions=True)
        connections, tasks = self._state.connections, self._state.tasks
        for connection in list(connections):
            connection.shutdown()
        await asyncio.sleep(0)
        if tasks:
            await asyncio.wait(list(tasks), timeout=grace_seconds)
        for connection in list(connections):
            connection.transport.abort()
        for task in list(tasks):
            task.cancel()
        with suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                await self._server.wait_closed()

    def _connect(self) -> asyncio.Protocol:
        connection: asyncio.Protocol = self._protocol(config=self._config, server_state=self._state, app_state={})
        return connection

    async def _look(self) -> None:
        """Keeps the date of answers, and looks after heads that do not come."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            self._tick()
            now = monotonic()
            for connection in list(self._state.connections):
                if isinstance(connection, Connection) and connection.is_late(now):
                    connection.give_up()

    def _tick(self) -> None:
        self._state.default_headers = [(b"date", formatdate(usegmt=True).encode())]


def chunked(part: bytes) -> bytes:
    """A part of an answer as a chunk, in which an answer of unknown length is sent."""
    return b"%x\r\n%b\r\n" % (len(part), part)


def _bind(host: str, port: int, shares_port: bool) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    bound = socket.socket(family, kind, protocol)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shares_port:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        if family == socket.AF_INET6 and host == "::":
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        bound.bind(address)
        bound.setblocking(False)
    except OSError:
        bound.close()
        raise
    return bound
