"""The line between a supervisor and each worker: a pair of sockets on which both write lines of JSON.

A line whose other end has closed tells that the other process is gone, however it ended.

From a worker: `{"ready": true}` once; `{"failed": "why"}` in its place; `{"figures": 7, "text": "…"}`.
To a worker: `{"figures": 7}` asks for its figures.
"""

import asyncio
import json
import socket
from contextlib import suppress
from typing import Any, Final

_LONGEST: Final = 64 * 1024 * 1024
"""Bytes of a message: the figures of a worker with many methods and reasons are long."""


class Line:
    """One end."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, end: socket.socket) -> "Line":
        """The end that a socket is."""
        return cls(*await asyncio.open_connection(sock=end, limit=_LONGEST))

    async def read(self) -> dict[str, Any] | None:
        """The next message; None where the other process is gone."""
        try:
            line = await self._reader.readline()
        except (OSError, ValueError):
            return None
        return json.loads(line) if line.endswith(b"\n") else None

    def write(self, **message: object) -> None:
        """Sends a message; who is gone does not get it."""
        if not self._writer.is_closing():
            self._writer.write(json.dumps(message).encode() + b"\n")

    async def close(self) -> None:
        """Hangs up."""
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()
