"""What must not pile up in a server that runs for weeks."""

import asyncio
import os
import socket
import struct
from pathlib import Path

import pytest

from tests.waiting import until
from tests.wire.over_http import Http
from tests.wire.served import Served, serving

_STREAMS = 20_000
"""In each part."""
_AT_ONCE = 20
_BYTES_A_STREAM = 1_000


def resident_bytes() -> int:
    """The memory that this process, both server and client, has now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def cancel_streams(served: Served, count: int) -> None:
    """Opens streams and cancels each after its first message."""
    guest = await served.guest()
    match = await guest.create("bluff", players=2)

    async def one_after_another() -> None:
        for _ in range(count // _AT_ONCE):
            call = guest.watch(match.name)
            assert (await call.read()).HasField("heartbeat")
            call.cancel()

    await asyncio.gather(*(one_after_another() for _ in range(_AT_ONCE)))


async def hang_up_on_streams(served: Served, count: int) -> None:
    """Opens streams over HTTP and hangs up on each after its first message."""
    guest = await served.web_guest()
    match = (await guest.rest("POST", "/v1/matches", {"game": "games/bluff", "settings": {"players": 2}})).json["name"]

    async def one_after_another() -> None:
        http = Http(served.http, guest.token)
        for _ in range(count // _AT_ONCE):
            await http.send("GET", f"/v1/{match}:watch", accept="text/event-stream")
            await http.begin()
            assert await http.part()
            _, writer = await http.open()
            # Hung up at once: else the ports of so many connections would be kept from being used again for a minute.
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            await http.close()

    await asyncio.gather(*(one_after_another() for _ in range(_AT_ONCE)))


@pytest.mark.soak(day=1, night=10)
async def test_streams_over_http_that_are_hung_up_on_leave_nothing_behind(parts: int) -> None:
    async with serving(http=True, streams_per_account=0, calls_per_second=0, address_per_second=0) as served:
        await hang_up_on_streams(served, 2_000)
        before = resident_bytes()
        await hang_up_on_streams(served, parts * _STREAMS)
        await until(lambda: not served.app.watching._feeds.watched())
        assert resident_bytes() - before < parts * _STREAMS * _BYTES_A_STREAM / 10


@pytest.mark.soak(day=1, night=10)
async def test_streams_that_are_cancelled_leave_nothing_behind(parts: int) -> None:
    """grpc/grpc #43360: the core has kept memory of each cancelled stream."""
    async with serving(streams_per_account=0, calls_per_second=0) as served:
        await cancel_streams(served, 2_000)
        before = resident_bytes()
        await cancel_streams(served, parts * _STREAMS)
        await until(lambda: not served.app.watching._feeds.watched())
        assert resident_bytes() - before < parts * _STREAMS * _BYTES_A_STREAM
