"""The sockets of the HTTP front, served in the loop that runs.

uvicorn's own server would take the signals, and stop in steps of a tenth of a second; its protocol needs neither.
"""

import asyncio
import logging
import socket
from asyncio import Task
from contextlib import suppress
from email.utils import formatdate
from time import monotonic
from typing import Any, Final

from uvicorn import Config
from uvicorn.server import ServerState

from chautari.wire.http.connection import Connection, Doors
from chautari.wire.http.crowd import Crowd
from chautari.wire.ports import PortTaken, written

_LOOK_SECONDS: Final = 1.0
_BACKLOG: Final = 2048


class Listener:
    """Listens for an ASGI application, in the loop that runs."""

    def __init__(self, app: Any, doors: Doors) -> None:
        logging.getLogger("uvicorn.error").setLevel(logging.ERROR)  # a line for each that speaks no HTTP is no news
        self._doors = doors
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
        _bound_patience(bound, self._doors.gone_seconds)
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
        """Keeps the date of answers, and looks after heads that do not come, and answers that are not taken."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            self._tick()
            now = monotonic()
            for connection in list(self._state.connections):
                if not isinstance(connection, Connection):
                    continue
                if connection.is_stuck(now):
                    connection.transport.abort()
                elif connection.is_late(now):
                    connection.give_up()

    def _tick(self) -> None:
        self._state.default_headers = [(b"date", formatdate(usegmt=True).encode())]


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


def _bound_patience(listening: socket.socket, gone_seconds: float) -> None:
    """Ends each connection that is taken here whose other side acknowledges nothing for so long (RFC 5482). Where the
    system has no such option its own patience holds, which is about a quarter of an hour."""
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(gone_seconds * 1000))
