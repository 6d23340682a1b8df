"""Connections that are looked at without sleeping, for benchmarks.

On one machine it is the server's own sending that carries bytes up to their reader, and that wakes it where it sleeps:
some microseconds for each, which no reader elsewhere costs a server.
"""

import os
import socket
from time import perf_counter
from typing import Final

_MOST_BYTES: Final = 65_536
_MOST_SECONDS: Final = 30.0
_EVENT_END: Final = b"\n\n\r\n"
"""The end of an event, and of the chunk that it is sent as."""


class AwakeLine:
    """A connection to `127.0.0.1:8080`."""

    def __init__(self, address: str) -> None:
        host, _, port = address.rpartition(":")
        self._socket = socket.create_connection((host, int(port)))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.setblocking(False)

    def send(self, request: bytes) -> None:
        """Sends a request, which is short."""
        self._socket.sendall(request)

    def receive(self) -> bytes:
        """What comes next. ConnectionError where the server hangs up, TimeoutError after 30 seconds of silence."""
        latest = perf_counter() + _MOST_SECONDS
        while True:
            try:
                data = self._socket.recv(_MOST_BYTES)
            except BlockingIOError:
                if perf_counter() > latest:
                    raise TimeoutError("nothing comes") from None
                os.sched_yield()
                continue
            if not data:
                raise ConnectionError("the server hung up")
            return data

    def read_event(self, revision: int) -> None:
        """Reads server-sent events, until that of a revision is there to its end."""
        data = self.receive()
        while not data.endswith(_EVENT_END) or _newest(data) != revision:
            data += self.receive()

    def close(self) -> None:
        """Hangs up."""
        self._socket.close()


def _newest(events: bytes) -> int:
    """The revision in the id of the last of these events, 0 where none has one."""
    at = events.rfind(b"\nid: ")
    return int(events[at + 5 : events.index(b"-", at)]) if at >= 0 else 0
