"""Hints between replicas by LISTEN and NOTIFY: gathered over a few milliseconds, and never part of an act.

One connection of the driver's own listens and sends. It needs a session of its own, so behind a pooler that lends a
connection for a transaction only the URL must be the database's own. While it is down hints are lost, which costs
watchers elsewhere a moment and nothing else: they look at the store by themselves.
"""

import asyncio
import secrets
from contextlib import suppress
from typing import Any, Final

import asyncpg
import structlog
from sqlalchemy import make_url

from chautari.app.ports import Listener

_CHANNEL: Final = "chautari"
_GATHER_SECONDS: Final = 0.003
_AGAIN_SECONDS: Final = 1.0
_LARGEST: Final = 7000
"""A payload of NOTIFY has fewer than 8 000 bytes."""
_MOST_WAITING: Final = 10_000

_log: Final = structlog.get_logger(__name__)


class PostgresBus:
    """Hints through one database. `start` it in the loop that it serves, and `close` it."""

    def __init__(self, url: str) -> None:
        self._dsn = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
        self._me = secrets.token_hex(4)
        self._listeners: list[Listener] = []
        self._waiting: dict[str, int] = {}
        self._some = asyncio.Event()
        self._connection: asyncpg.Connection[Any] | None = None
        self._task: asyncio.Task[None] | None = None

    def publish(self, match_id: str, revision: int) -> None:
        """Tells the other replicas in a few milliseconds; this one knows, for it made the change."""
        if len(self._waiting) < _MOST_WAITING:
            self._waiting[match_id] = revision
            self._some.set()

    def subscribe(self, listener: Listener) -> None:
        """Calls the listener with each hint."""
        self._listeners.append(listener)

    def start(self) -> None:
        """Begins to listen and to send."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def close(self) -> None:
        """Listens and sends no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self._disconnect()

    async def _run(self) -> None:
        while True:
            try:
                await self._pass_on()
            except Exception as error:
                _log.warning("hints are slow: the database cannot be listened to", error=type(error).__name__)
                await self._disconnect()
                await asyncio.sleep(_AGAIN_SECONDS)

    async def _pass_on(self) -> None:
        connection = self._connection = await asyncpg.connect(self._dsn, timeout=5, command_timeout=5)
        lost = asyncio.Event()
        connection.add_termination_listener(lambda _: lost.set())
        ends = asyncio.ensure_future(lost.wait())
        await connection.add_listener(_CHANNEL, self._hear)
        while True:
            some = asyncio.ensure_future(self._some.wait())
            await asyncio.wait({some, ends}, return_when=asyncio.FIRST_COMPLETED)
            some.cancel()
            if ends.done():
                raise ConnectionError
            await asyncio.sleep(_GATHER_SECONDS)
            self._some.clear()
            waiting, self._waiting = self._waiting, {}
            for payload in self._payloads(waiting):
                await connection.execute("SELECT pg_notify($1, $2)", _CHANNEL, payload)

    def _payloads(self, hints: dict[str, int]) -> list[str]:
        """Who sends, then each match with its revision, in as few texts as there must be."""
        payloads = [self._me]
        for match_id, revision in hints.items():
            hint = f" {match_id}:{revision}"
            if len(payloads[-1]) + len(hint) > _LARGEST:
                payloads.append(self._me)
            payloads[-1] += hint
        return payloads

    def _hear(self, _connection: object, _pid: int, _channel: str, payload: object) -> None:
        sender, *hints = str(payload).split(" ")
        if sender == self._me:
            return
        for hint in hints:
            match_id, _, revision = hint.rpartition(":")
            if match_id and revision.isdecimal():
                for listener in self._listeners:
                    listener(match_id, int(revision))

    async def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):
                await connection.close(timeout=1)
