"""Hints by LISTEN and NOTIFY, on one connection of the driver's own.

It needs a session of its own, so behind a pooler that lends a connection for a transaction only, the address must be
the database's own.
"""

import asyncio
from typing import Any, Final

import asyncpg

from chautari.store.hints import Hear, HintBus
from chautari.store.postgres_connect import Address

_CHANNEL: Final = "chautari"


def postgres_bus(url: str) -> HintBus:
    """Hints through the database of this URL."""

    async def dial(hear: Hear) -> _Line:
        connection = await Address(url).connect()
        line = _Line(connection)
        connection.add_termination_listener(lambda _: line.lost.set())
        await connection.add_listener(_CHANNEL, lambda _connection, _process, _channel, payload: hear(str(payload)))
        return line

    return HintBus(dial, "postgresql")


class _Line:
    """One connection that listens and sends."""

    def __init__(self, connection: "asyncpg.Connection[Any]") -> None:
        self._connection = connection
        self.lost = asyncio.Event()

    async def send(self, payload: str) -> None:
        await self._connection.execute("SELECT pg_notify($1, $2)", _CHANNEL, payload)

    async def ask(self) -> None:
        await self._connection.execute("SELECT 1")

    async def close(self) -> None:
        self._connection.terminate()
