"""One request over HTTP and its answer, above ASGI."""

import asyncio
import zlib
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from typing import Any, Final

from chautari.errors import Exhausted
from chautari.wire import errors
from chautari.wire.addresses import Proxies
from chautari.wire.errors import Failed
from chautari.wire.http import refusals
from chautari.wire.http.connection import CONNECTION, Connection
from chautari.wire.http.problems import Headers, problem_of
from chautari.wire.languages import choose

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_BARE: Final = (204, 304)
_CLOSE: Final = (b"connection", b"close")
READ_OFF: Final = 32 * 1024 * 1024
_READ_OFF_SECONDS: Final = 5.0
"""Whoever still sends what was refused is read so far, and for so long, before the connection is closed: closed at
once, it would lose the answer. Nothing of it is kept."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How requests are read. largest: bytes of a body, unpacked; seconds: for it to come.

    proxies: those that are believed in what they say of where a call comes from.
    """

    largest: int = 64 * 1024
    seconds: float = 10.0
    proxies: Proxies = Proxies()  # noqa: RUF009  # it is never changed


class Gone(Exception):
    """The caller has hung up."""


class TooLarge:
    """In place of a body that is too large; size: its bytes, where they were told."""

    def __init__(self, size: int, limit: int) -> None:
        self._size = size
        self._limit = limit

    def error(self) -> Exhausted:
        """What its caller is told, once it is known who calls."""
        has = f"has {self._size} bytes" if self._size else "is larger"
        return Exhausted(
            "MESSAGE_TOO_LARGE", f"the message {has}, and at most {self._limit} are taken", limit=self._limit
        )


class Exchange:
    """A request, and the way to answer it. more: headers that the answer gets in any case.

    begun, ended: how far the answer has come.
    """

    __slots__ = ("_is_read", "_reading", "_receive", "_send", "begun", "ended", "headers", "method", "more", "scope")

    def __init__(self, scope: Scope, receive: Receive, send: Send, reading: Reading) -> None:
        self.scope = scope
        self.method: str = scope["method"]
        self.headers: dict[bytes, bytes] = dict(scope["headers"])
        if len(self.headers) != len(scope["headers"]):
            self.headers = _joined(scope["headers"])
        self.more: Headers = []
        self.begun = False
        self.ended = False
        self._receive = receive
        self._send = send
        self._reading = reading
        self._is_read = False

    def header(self, name: str) -> str:
        """A header by its name in small letters, its lines with commas between them; empty where there is none."""
        return self.headers.get(name.encode(), b"").decode("latin-1")

    def address(self) -> str:
        """The address of the caller or, behind proxies that are trusted, the one that they saw."""
        client = self.scope.get("client")
        return self._reading.proxies.caller(client[0] if client else "", self.header)

    @property
    def connection(self) -> Connection | None:
        """Its connection."""
        return self.scope.get(CONNECTION)

    @property
    def largest(self) -> int:
        """How many bytes a message may have."""
        return self._reading.largest

    async def body(self, limit: int = 0) -> bytes | TooLarge:
        """The body, unpacked. Failed where it does not come in time, or is packed in a way that is not known.

        limit: how many bytes it may have, where it is more than the message.
        """
        limit = limit or self._reading.largest
        told = self.headers.get(b"content-length")
        if told is not None and int(told) > limit:
            return TooLarge(int(told), self.largest)
        connection = self.connection
        if connection is not None and connection.has_body:
            message = await self._receive()
            raw: bytes | TooLarge = await self._rest(message, limit) if message.get("more_body") else _part(message)
        else:
            raw = await self._rest({"type": "http.request", "body": b"", "more_body": True}, limit)
        if isinstance(raw, TooLarge):
            return raw
        self._is_read = True
        if len(raw) > limit:
            return TooLarge(len(raw), self.largest)
        encoding = self.headers.get(b"content-encoding")
        return raw if encoding is None else unpacked(raw, encoding.decode("latin-1"), limit)

    async def _rest(self, message: MutableMapping[str, Any], limit: int) -> bytes | TooLarge:
        """A body that comes in parts, of which this is the first."""
        raw = bytearray(_part(message))
        try:
            async with asyncio.timeout(self._reading.seconds):
                while message["more_body"]:
                    if len(raw) > limit:
                        return TooLarge(0, self.largest)
                    message = await self._receive()
                    raw += _part(message)
        except TimeoutError:
            raise refusals.request_slow(self._reading.seconds) from None
        return bytes(raw)

    async def answer(self, status: int, headers: Headers, body: bytes) -> None:
        """Answers all at once."""
        self.begun = self.ended = True
        if status not in _BARE:
            headers.append((b"content-length", b"%d" % len(body)))
        if self.more:
            headers += self.more
        if not self.is_read:
            headers.append(_CLOSE)
        await self._send({"type": "http.response.start", "status": status, "headers": headers})
        if not self.is_read:
            await self._read_off(body)
            body = b""
        await self._send({"type": "http.response.body", "body": body, "more_body": False})

    def told(self, failure: Failed) -> Failed:
        """What the caller is told of a failure, in the language that it reads."""
        return errors.said_in(choose(self.header("accept-language")), failure)

    async def refuse(self, failure: Failed, status: int | None = None, more: Headers | None = None) -> None:
        """Answers with a problem."""
        status, headers, body = problem_of(self.told(failure), status)
        await self.answer(status, headers + (more or []), body)

    async def begin(self, status: int, headers: Headers) -> None:
        """Begins an answer in parts."""
        self.begun = True
        more = self.more if self.is_read else [*self.more, _CLOSE]
        await self._send({"type": "http.response.start", "status": status, "headers": headers + more})

    async def write(self, part: bytes) -> None:
        """Sends a part, when the reader is ready for it."""
        await self._send({"type": "http.response.body", "body": part, "more_body": True})

    async def end(self, part: bytes = b"") -> None:
        """Sends the last part."""
        self.ended = True
        if not self.is_read:
            await self._read_off(part)
            part = b""
        await self._send({"type": "http.response.body", "body": part, "more_body": False})

    @property
    def is_read(self) -> bool:
        """Whether nothing of a body is still to come. What is answered before is the last on its connection."""
        if self._is_read:
            return True
        return self.headers.get(b"content-length", b"0") == b"0" and b"transfer-encoding" not in self.headers

    async def _read_off(self, last: bytes) -> None:
        """Sends the last part of an answer, and passes over the body for a moment, before the connection is closed."""
        await self.write(last)
        left = READ_OFF
        try:
            async with asyncio.timeout(_READ_OFF_SECONDS):
                while left > 0:
                    message = await self._receive()
                    if message["type"] != "http.request" or not message["more_body"]:
                        break
                    left -= len(message["body"])
        except TimeoutError:
            pass


def _joined(headers: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """The headers by name, those of one name with commas between them."""
    joined: dict[bytes, bytes] = {}
    for name, value in headers:
        joined[name] = b"%b, %b" % (joined[name], value) if name in joined else value
    return joined


def _part(message: MutableMapping[str, Any]) -> bytes:
    if message["type"] != "http.request":
        raise Gone
    part: bytes = message["body"]
    return part


def unpacked(raw: bytes, encoding: str, limit: int) -> bytes | TooLarge:
    """What was packed so; Failed where this is not known, or it is damaged. Nothing is nothing in any encoding."""
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return raw
    if name not in ("gzip", "x-gzip"):  # an old name of it (RFC 9110 section 8.4.1.3)
        raise refusals.encoding_unknown(name)
    if not raw:
        return raw
    unpacker = zlib.decompressobj(31)
    try:
        body = unpacker.decompress(raw, limit + 1)
    except zlib.error:
        raise refusals.invalid("", "the body is no gzip") from None
    if len(body) > limit:
        return TooLarge(0, limit)
    if not unpacker.eof or unpacker.unused_data:
        raise refusals.invalid("", "the body is no gzip, or only a part of one")
    return body
