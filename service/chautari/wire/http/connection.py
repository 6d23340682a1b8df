"""One connection of the HTTP front: uvicorn's protocol under limits of ours."""

import asyncio
from asyncio import Task
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from chautari.wire.addresses import Proxies
from chautari.wire.errors import Failed, said_in
from chautari.wire.http import refusals
from chautari.wire.http.crowd import Crowd
from chautari.wire.http.problems import problem_of
from chautari.wire.languages import choose

CONNECTION: Final = "chautari.connection"
"""The key of a scope that holds its `Connection`."""
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


def chunked(part: bytes) -> bytes:
    """A part of an answer as a chunk, in which an answer of unknown length is sent."""
    return b"%x\r\n%b\r\n" % (len(part), part)
