"""One connection of the HTTP front: uvicorn's protocol under limits of ours."""

import asyncio
from asyncio import Task
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from time import monotonic
from typing import Any, Final, NoReturn

import httptools
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from chautari.wire.addresses import Proxies
from chautari.wire.errors import Failed, said_in
from chautari.wire.http import refusals
from chautari.wire.http.crowd import Crowd
from chautari.wire.http.http1 import HOST, answer_without_chunks, target
from chautari.wire.http.problems import problem_of
from chautari.wire.languages import choose

CONNECTION: Final = "chautari.connection"
"""The key of a scope that holds its `Connection`."""
_TOLD: Final = 16
_OVER_SECONDS: Final = 1.0
"""So many connections over the limit of an address may wait at once to be told, and for so long; others are closed."""
_PIECE: Final = 4096
"""So many bytes are read at once: as many as may hold requests that wait, beside the one that is answered."""
_BYTES_OF_A_BYTE: Final = 8
"""Content that comes in the smallest chunks is so many bytes a byte."""


@dataclass(frozen=True, slots=True)
class Doors:
    """What connections are held to. Sizes are in bytes, times in seconds.

    most            connections at once; 0 for as many as come
    most_of_one     connections at once from one address, other than `proxies`; 0 for as many as come
    head_bytes      of a request line and headers, and beside a body of trailers and the like
    head_seconds    in which they must come, also the first of a connection
    idle_seconds    that a connection may rest between two requests
    unread_seconds  in which something of an answer must be taken
    gone_seconds    after which a machine is gone that acknowledges nothing, as a phone whose network has changed
    """

    most: int = 10_000
    most_of_one: int = 0
    head_bytes: int = 16 * 1024
    head_seconds: float = 10.0
    idle_seconds: float = 75.0
    unread_seconds: float = 30.0
    gone_seconds: float = 40.0
    proxies: Proxies = Proxies()  # noqa: RUF009  # it is never changed


class Connection(HttpToolsProtocol):
    """One connection. reader: the task of the stream that it reads, which ends with it.

    What comes is read by pieces, and no further while a request waits for the answer to another: whoever sends many at
    once has few of them here. One that its address has too many of lives until its first request has its answer, if it
    comes at once.
    """

    doors: Doors
    crowd: Crowd

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Takes the connection, or closes it where there are too many."""
        super().connection_made(transport)
        self.flow = self._flow = _Flow(transport)
        self.reader: Task[Any] | None = None
        self._held = b""
        self._in_head = self._in_body = False
        self._head_bytes = 0
        self._body_bytes = self._content_bytes = 0
        self._is_done = False
        self._why: tuple[Failed, int | None] | None = None
        self._unread = 0
        self._head_since = self._unread_since = monotonic()
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

    # What comes ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def data_received(self, data: bytes) -> None:
        """Reads what comes, or holds it."""
        if self.transport.is_closing() or self._is_done:
            return
        if not (self._head_since or self._in_body or data.strip(b"\r\n")):
            return  # an empty line before a request (RFC 9112 section 2.2): it begins none, and keeps nobody here
        if len(data) <= _PIECE and not self.pipeline:
            self._read(data)
        else:
            self._held += data
            self._read_held()

    def _read_held(self) -> None:
        """Reads what is held, until a request has to wait."""
        data, at = self._held, 0
        while at < len(data) and not (self.pipeline or self._is_done or self.transport.is_closing()):
            self._read(data[at : at + _PIECE])
            at += _PIECE
        self._held = data[at:]
        self._flow.hold(bool(self._held))

    def _read(self, data: bytes) -> None:
        if self._in_body:
            self._body_bytes += len(data)
        else:
            self._head_bytes += len(data)
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self._is_over:
            self._refuse(self.crowd.refusal())
        elif (self._head_bytes if not self._in_body else self._overhead()) > self.doors.head_bytes:
            self._refuse(refusals.head_too_large(self.doors.head_bytes))

    def _overhead(self) -> int:
        """How many bytes of a body are neither content nor the least that it may be cut into: trailers, and extensions
        of chunks."""
        return self._body_bytes - _BYTES_OF_A_BYTE * self._content_bytes

    # What the parser finds ────────────────────────────────────────────────────────────────────────────────────────────

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self.scope[CONNECTION] = self  # type: ignore[typeddict-unknown-key]
        self._in_head = True
        self._head_since = self._head_since or monotonic()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Takes a header. A trailer is none: what is told behind a body was seen by nobody on the way here."""
        if self._in_body:
            return
        name, value = name.lower(), value.rstrip(b" \t")
        if name == b"expect" and value.lower() == b"100-continue":
            self.expect_100_continue = True
        self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        """The request can be answered, unless something is wrong with its head: that is measured where so much has
        come."""
        self._check_head()
        if self.url[:1] != b"/":
            self.url = target(self.url, self.parser.get_method())
        version = self.parser.get_http_version()
        self.expect_100_continue = self.expect_100_continue and version == "1.1"
        self._in_head, self._in_body = False, True
        self._head_since = 0.0
        self._head_bytes = self._body_bytes = self._content_bytes = 0
        super().on_headers_complete()
        if version == "1.0":
            answer_without_chunks(self.cycle)

    def _check_head(self) -> None:
        if self._is_over:
            self._turn_down(self.crowd.refusal())
        if self._head_bytes > self.doors.head_bytes:
            self._head_bytes = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
            if self._head_bytes > self.doors.head_bytes:
                self._turn_down(refusals.head_too_large(self.doors.head_bytes))
        version = self.parser.get_http_version()
        if version not in ("1.1", "1.0"):
            self._turn_down(refusals.not_http(), 505)
        hosts = []
        for name, value in self.headers:
            if name == b"host":
                hosts.append(value)
            elif name == b"transfer-encoding" and value.lower() != b"chunked":
                self._turn_down(refusals.encoding_unknown(value.decode("latin-1")), 501)
        if len(hosts) > 1 or (not hosts and version == "1.1") or (hosts and not HOST(hosts[0])):
            self._turn_down(refusals.no_host())

    def on_body(self, body: bytes) -> None:
        """A part of the content."""
        self._content_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The whole request is there; what comes next is a head."""
        self._in_body = False
        super().on_message_complete()

    # What is answered ─────────────────────────────────────────────────────────────────────────────────────────────────

    def on_response_complete(self) -> None:
        """The next request has its turn."""
        super().on_response_complete()
        if self._held and not self.transport.is_closing():
            self._read_held()

    def send_400_response(self, msg: str) -> None:
        """Refuses a request that cannot be read, or was turned down by its head."""
        del msg
        failure, status = self._why or (self.crowd.refusal() if self._is_over else refusals.not_http(), None)
        self._refuse(failure, status)

    def give_up(self) -> None:
        """Closes a connection whose head has not come in time; says so where a part of it has."""
        if self._in_head or self._head_bytes:
            self._refuse(refusals.request_slow(self.doors.head_seconds))
        else:
            self.transport.close()

    def _turn_down(self, failure: Failed, status: int | None = None) -> NoReturn:
        """Refuses the request whose head has come, out of the parser."""
        self._why = failure, status
        raise httptools.HttpParserError(failure.reason)

    def _refuse(self, failure: Failed, status: int | None = None) -> None:
        """Says what is wrong with what has come last, and closes; after the answers to what came before it."""
        self._is_done = True
        self._held = b""
        cycle: Any = self.cycle  # None before the first request
        if cycle is not None and not cycle.response_complete:
            if not self._in_body or cycle.response_started or self.pipeline:
                cycle.keep_alive = False
                return
            cycle.disconnected = True
            cycle.message_event.set()
        status, headers, body = problem_of(said_in(self._language(), failure), status)
        lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}".encode()]
        lines += [name + b": " + value for name, value in (*self.server_state.default_headers, *headers)]
        lines += [b"content-length: %d" % len(body), b"connection: close", b"", body]
        self.transport.write(b"\r\n".join(lines))
        self.transport.close()

    def _language(self) -> str:
        """That of the caller, as far as its head has come."""
        came = self.headers or ()  # None before the first request
        return choose(", ".join(value.decode("latin-1") for name, value in came if name == b"accept-language"))

    # What others ask of it ────────────────────────────────────────────────────────────────────────────────────────────

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

    def is_stuck(self, now: float) -> bool:
        """Whether nothing of an answer is taken for too long. Streams are looked after where they are sent."""
        unread = self.transport.get_write_buffer_size()
        if not unread or unread < self._unread or self.reader is not None:
            self._unread_since = now
        self._unread = unread
        return now - self._unread_since > self.doors.unread_seconds


class _Flow(FlowControl):
    """Reads no more while there is something to be read that has come."""

    _is_held = False

    def hold(self, is_held: bool) -> None:
        """Whether something is held."""
        self._is_held = is_held
        if is_held:
            self.pause_reading()
        else:
            self.resume_reading()

    def resume_reading(self) -> None:
        """Reads on, where nothing is held."""
        if not self._is_held:
            super().resume_reading()
