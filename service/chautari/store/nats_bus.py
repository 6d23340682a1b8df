"""Hints through NATS: one connection and one subscription a replica, which hears of all matches.

It needs the extra `nats`. The subject holds the epoch of the database, so services that share a NATS do not mix.
"""

import asyncio
from typing import Final

import nats
from nats.aio.client import Client
from nats.aio.msg import Msg

from chautari.store.hints import Hear, HintBus

_CONNECT_SECONDS: Final = 3


def nats_bus(servers: str, epoch: str) -> HintBus:
    """Hints through these servers, `nats://host:port,…`."""
    subject = f"chautari.{epoch}.hints"
    urls = [url.strip() for url in servers.split(",") if url.strip()]

    async def dial(hear: Hear) -> _Line:
        lost = asyncio.Event()

        async def end() -> None:
            lost.set()

        async def note(_: Exception) -> None:
            """What goes wrong ends the connection or loses hints, and both are seen to."""

        async def receive(message: Msg) -> None:
            hear(message.data.decode(errors="replace"))

        # Without reconnecting of its own: that would keep what was not sent, and send it when it is long known.
        client = await nats.connect(
            urls, name="chautari", connect_timeout=_CONNECT_SECONDS, allow_reconnect=False,
            max_reconnect_attempts=1, reconnect_time_wait=0.2, closed_cb=end, disconnected_cb=end, error_cb=note,
        )  # fmt: skip
        await client.subscribe(subject, cb=receive)
        return _Line(client, subject, lost)

    return HintBus(dial, "nats")


class _Line:
    """One connection that listens and sends."""

    def __init__(self, client: Client, subject: str, lost: asyncio.Event) -> None:
        self._client = client
        self._subject = subject
        self.lost = lost

    async def send(self, payload: str) -> None:
        await self._client.publish(self._subject, payload.encode())

    async def ask(self) -> None:
        await self._client.flush(timeout=4)

    async def close(self) -> None:
        await self._client.close()
