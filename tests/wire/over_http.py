"""A plain HTTP/1.1 caller on a socket, which also sends what no library would."""

import asyncio
import json
import ssl
from asyncio import StreamReader, StreamWriter
from base64 import b64decode
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from google.protobuf.message import Message
from google.rpc.status_pb2 import Status

_SECONDS: Final = 20.0


@dataclass
class Answer:
    """What came back. headers: the last of each name, in small letters."""

    status: int
    headers: dict[str, str]
    body: bytes = b""
    names: list[str] = field(default_factory=list)

    @property
    def json(self) -> Any:
        """The body as data."""
        return json.loads(self.body)

    @property
    def reason(self) -> str:
        """The reason of a problem, or of an error of the Connect protocol."""
        data = self.json
        return data["reason"] if "reason" in data else reason_of(data)


def reason_of(error: dict[str, Any]) -> str:
    """The reason of an error of the Connect protocol."""
    [info] = [detail for detail in error["details"] if detail["type"] == "google.rpc.ErrorInfo"]
    return str(info["debug"]["reason"])


class Http:
    """A connection, made at the first call and again where the server closed it."""

    def __init__(self, url: str, token: str = "", tls: ssl.SSLContext | None = None) -> None:
        self.host, _, port = url.partition("://")[2].rpartition(":")
        self.port = int(port)
        self._tls = tls
        self.token = token
        self._reader: StreamReader | None = None
        self._writer: StreamWriter | None = None

    async def open(self) -> tuple[StreamReader, StreamWriter]:
        """The connection."""
        if self._writer is None or self._writer.is_closing() or self._reader is None or self._reader.at_eof():
            self._reader, self._writer = await asyncio.open_connection(self.host, self.port, ssl=self._tls)
        return self._reader, self._writer

    async def close(self) -> None:
        """Hangs up."""
        if self._writer is not None:
            self._writer.close()
            with suppress(OSError):
                await self._writer.wait_closed()
            self._writer = None

    def head(self, method: str, path: str, headers: dict[str, str]) -> bytes:
        """The request line and headers."""
        lines = [f"{method} {path} HTTP/1.1", f"host: {self.host}"]
        if self.token and "authorization" not in headers:
            lines.append(f"authorization: Bearer {self.token}")
        lines += [f"{name}: {value}" for name, value in headers.items()]
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    async def send(self, method: str, path: str, body: bytes | None = None, **headers: str) -> None:
        """Sends a request. `content_type` stands for `content-type`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None:
            named.setdefault("content-length", str(len(body)))
        _, writer = await self.open()
        writer.write(self.head(method, path, named) + (body or b""))
        await writer.drain()

    async def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """Sends a request and gives its answer."""
        await self.send(method, path, body, **headers)
        return await self.answer(is_head=method == "HEAD")

    async def rest(self, method: str, path: str, data: Any = None, **headers: str) -> Answer:
        """Sends JSON."""
        body = None if data is None else json.dumps(data).encode()
        if body is not None:
            headers.setdefault("content_type", "application/json")
        return await self.ask(method, path, body, **headers)

    async def begin(self) -> Answer:
        """Status and headers of the next answer."""
        reader, _ = await self.open()
        async with asyncio.timeout(_SECONDS):
            lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")[:-2]
        pairs = [(name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines[1:])]
        headers: dict[str, str] = {}
        for name, value in pairs:
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
        return Answer(int(lines[0].split()[1]), headers, names=[name for name, _ in pairs])

    async def answer(self, *, is_head: bool = False) -> Answer:
        """The next answer, whole."""
        found = await self.begin()
        reader, _ = await self.open()
        if is_head or found.status in (204, 304):
            return found
        async with asyncio.timeout(_SECONDS):
            if "content-length" in found.headers:
                found.body = await reader.readexactly(int(found.headers["content-length"]))
            else:
                found.body = b"".join([part async for part in self.parts()])
        if found.headers.get("connection") == "close":
            await self.close()
        return found

    async def part(self) -> bytes:
        """The next part of an answer in parts; empty at its end."""
        reader, _ = await self.open()
        async with asyncio.timeout(_SECONDS):
            size = int(await reader.readline(), 16)
            part = await reader.readexactly(size + 2)
        return part[:-2]

    async def parts(self) -> AsyncIterator[bytes]:
        """Every part to the end."""
        while part := await self.part():
            yield part


def frames(body: bytes) -> list[tuple[int, bytes]]:
    """The flags and message of each frame."""
    found = []
    while body:
        size = int.from_bytes(body[1:5], "big")
        found.append((body[0], body[5 : 5 + size]))
        body = body[5 + size :]
    return found


async def read_frames(parts: AsyncIterator[bytes], *, text: bool = False) -> AsyncIterator[tuple[int, bytes]]:
    """The flags and message of each frame as it becomes complete, wherever a proxy cuts the parts. text: in base64."""
    left = raw = b""
    async for part in parts:
        if text:
            whole = len(left + part) // 4 * 4
            letters, left = (left + part)[:whole], (left + part)[whole:]
            part = b"".join(b64decode(letters[at : at + 4]) for at in range(0, whole, 4))  # padding ends each frame
        raw += part
        while len(raw) >= 5 and len(raw) >= 5 + int.from_bytes(raw[1:5], "big"):
            size = 5 + int.from_bytes(raw[1:5], "big")
            yield raw[0], raw[5:size]
            raw = raw[size:]
    assert left + raw == b"", "the last frame is cut"


def framed(message: Message | bytes) -> bytes:
    """A message in a frame."""
    raw = message if isinstance(message, bytes) else message.SerializeToString()
    return bytes(1) + len(raw).to_bytes(4, "big") + raw


def trailers(block: bytes) -> dict[str, str]:
    """The trailers of gRPC-Web."""
    lines = block.decode().split("\r\n")[:-1]
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def status_of(found: dict[str, str]) -> Status:
    """The status that trailers hold."""
    text = found["grpc-status-details-bin"]
    return Status.FromString(b64decode(text + "=" * (-len(text) % 4)))
