"""Servers that live as long as a worker has tests of this room, for those that leave them as they were; and clients."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from chautari_client import Client, Retry
from tests.e2e.replicas import Pair, running_pair
from tests.e2e.server import Server

STUBBORN = Retry(tries=400, first_seconds=0.02, most_seconds=0.3, growth=2.0)
"""For tests in which nobody may answer for a while."""
QUICK_TO_RECONNECT = (("grpc.initial_reconnect_backoff_ms", 50), ("grpc.max_reconnect_backoff_ms", 200))
HEARTBEAT_SECONDS = 0.25
"""Of the servers that tests share."""

Guests = Callable[..., Awaitable[list[Client]]]


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that nobody stops."""
    server = Server(tmp_path_factory.mktemp("server"), CHAUTARI_HEARTBEAT_SECONDS=str(HEARTBEAT_SECONDS))
    server.start()
    yield server
    status = server.stop()
    server.close()
    assert status == 0
    assert "fault" not in server.output, server.output


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """A server for one test, which may do with it what it likes."""
    server = Server(tmp_path)
    server.start()
    yield server
    server.close()
    assert "fault" not in server.output, server.output


@pytest.fixture(scope="package")
def shared_pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """What `pair` lends to each test."""
    folder = tmp_path_factory.mktemp("pair")
    with running_pair(folder, CHAUTARI_HEARTBEAT_SECONDS=str(HEARTBEAT_SECONDS)) as running:
        yield running


@pytest.fixture
def pair(shared_pair: Pair) -> Iterator[Pair]:
    """Two replicas and their PostgreSQL, which a test may kill and starts again. Its tables it leaves as they were."""
    printed = [len(server.output) for server in shared_pair.servers]
    yield shared_pair
    shared_pair.start_what_is_down()
    for server, before in zip(shared_pair.servers, printed, strict=True):
        assert "fault" not in server.output[before:], server.output[before:]


@pytest.fixture
async def guests() -> AsyncIterator[Guests]:
    """Makes signed-in clients, each with a connection of its own: `await guests(address, 3)`."""
    async with AsyncExitStack() as stack:

        async def make(*addresses: str, count: int = 1) -> list[Client]:
            """A client for each address, `count` times over."""
            made = []
            for number, address in enumerate(addresses * count):
                client = Client.connect(address, retry=STUBBORN, options=QUICK_TO_RECONNECT)
                await stack.enter_async_context(client)
                await client.sign_in_as_guest(f"Guest {number}")
                made.append(client)
            return made

        yield make
