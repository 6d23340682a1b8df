"""What a server must bear for long: hostile clients, and streams without end. Measured at a process of its own."""

import asyncio
import os
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import grpc
import pytest

from chautari_client import Client
from tests.e2e.conftest import Guests
from tests.e2e.raw import Raw
from tests.e2e.server import Server
from tests.wire.over_http import Http

ROOT = Path(__file__).parents[2]
QUOTA = 100
OTHERS = 5
PERIOD_SECONDS = 5.0
ROUNDS = 10
STREAMS = 10_000
"""In each part."""
AT_ONCE = 20


@pytest.fixture
def limited(tmp_path: Path) -> Iterator[Server]:
    """A server with the limits of a first start, but for those of guests."""
    server = Server(
        tmp_path, CHAUTARI_CALLS_PER_SECOND=str(QUOTA), CHAUTARI_ANONYMOUS_PER_SECOND="20",
        CHAUTARI_ADDRESS_PER_SECOND="500", CHAUTARI_ACTS_PER_SECOND="100", CHAUTARI_WRONG_TOKENS_PER_MINUTE="300",
    )  # fmt: skip
    server.start()
    yield server
    server.close()


async def seconds_of_calls(clients: list[Client], match: str) -> list[float]:
    """How long the views of people took who look ten times a second for a while."""
    took: list[float] = []
    end = time.perf_counter() + PERIOD_SECONDS

    async def look(client: Client) -> None:
        while time.perf_counter() < end:
            begun = time.perf_counter()
            await client.view(match)
            took.append(time.perf_counter() - begun)
            await asyncio.sleep(0.1)

    await asyncio.gather(*(look(client) for client in clients))
    return sorted(took)


def p99(seconds: list[float]) -> float:
    """What one of a hundred takes longer than."""
    return seconds[int(len(seconds) * 0.99)]


@pytest.mark.soak
async def test_hostile_client_at_ten_times_its_quota_costs_others_little(limited: Server, guests: Guests) -> None:
    """Quiet and hostile periods by turns, so that both meet the same machine, which must have a core to spare.

    All quiet calls together are compared with all that were made under attack: a p99 of one period would be one call.
    The hostile client gives way to all others, for what it costs by itself is no matter of the server.
    """
    clients = await guests(limited.address, count=OTHERS)
    [hostile] = await guests(limited.address)
    match = (await clients[0].create_match("bluff", privacy="public", seats=[0])).name
    token = hostile._connection.access_token
    await seconds_of_calls(clients, match)
    quiet: list[float] = []
    attacked: list[float] = []
    used = 0.0
    calls = answers = 0
    for _ in range(ROUNDS):
        quiet += await seconds_of_calls(clients, match)
        command = [sys.executable, "-m", "tests.e2e.hostile", limited.address, token, str(10 * QUOTA)]
        process = await asyncio.create_subprocess_exec(
            *command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=lambda: os.nice(19)
        )
        await asyncio.sleep(5.0)  # its burst is used up by then
        before = processor_seconds(limited)
        attacked += await seconds_of_calls(clients, match)
        used += processor_seconds(limited) - before
        out, _ = await process.communicate(b"")
        made, answered = map(int, out.split())
        assert answered < made
        calls, answers = calls + made, answers + answered
    quiet.sort()
    attacked.sort()
    ratio = p99(attacked) / p99(quiet)
    print(
        f"{len(quiet)} quiet and {len(attacked)} attacked calls: p99 {p99(quiet) * 1e3:.2f} ms and "
        f"{p99(attacked) * 1e3:.2f} ms, ratio {ratio:.2f}; p50 {median(quiet) * 1e3:.2f} and "
        f"{median(attacked) * 1e3:.2f} ms; {calls} hostile calls, {answers} answered; "
        f"the server uses {used / ROUNDS / PERIOD_SECONDS:.0%} of a core"
    )
    assert ratio <= 1.2


def processor_seconds(server: Server) -> float:
    """The time that the process of a server has used so far."""
    assert server._process is not None
    fields = Path(f"/proc/{server._process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_bytes(server: Server) -> int:
    """The memory that the process of a server has now."""
    assert server._process is not None
    return int(Path(f"/proc/{server._process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def open_and_hang_up(server: Server, token: str, match: str, count: int) -> None:
    """Opens streams of events over HTTP and hangs up on each after its first message."""

    async def one_after_another() -> None:
        http = Http(f"http://{server.http_address}", token)
        for _ in range(count // AT_ONCE):
            await http.send("GET", f"/v1/{match}:watch", accept="text/event-stream")
            assert (await http.begin()).status == 200
            assert await http.part()
            _, writer = await http.open()
            # At once: else the ports of so many connections would be kept from being used again for a minute.
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            await http.close()

    await asyncio.gather(*(one_after_another() for _ in range(AT_ONCE)))


async def open_and_cancel(raw: Raw, match: str, count: int) -> None:
    """Opens streams and cancels each after its first message."""

    async def one_after_another() -> None:
        for _ in range(count // AT_ONCE):
            call = raw.watch(match)
            assert await call.read() is not grpc.aio.EOF
            call.cancel()

    await asyncio.gather(*(one_after_another() for _ in range(AT_ONCE)))


@pytest.mark.soak(day=10, night=100)
@pytest.mark.timeout(36_000)
@pytest.mark.parametrize("way", ["gRPC", "SSE"])
async def test_cancelled_streams_leave_no_memory_behind(way: str, own_server: Server, parts: int) -> None:
    """grpc/grpc #43360: the core has kept memory of each cancelled stream."""
    async with Raw(own_server.address) as raw:
        await raw.sign_in()
        match = await raw.create("bluff", players=2)

        async def open_some() -> None:
            if way == "gRPC":
                await open_and_cancel(raw, match, STREAMS)
            else:
                await open_and_hang_up(own_server, raw.token, match, STREAMS)

        await open_some()
        before = resident_bytes(own_server)
        for part in range(1, parts + 1):
            await open_some()
            now = resident_bytes(own_server)
            print(f"{way}, {part * STREAMS} streams: {now / 2**20:.1f} MiB, {now / before - 1:+.1%}")
        assert resident_bytes(own_server) < 1.1 * before
