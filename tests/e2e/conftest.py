"""A server that lives as long as its worker, for the tests that leave it alone, and clients of it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from chautari_client import Client, Retry
from tests.e2e.server import Server

STUBBORN = Retry(tries=400, first_seconds=0.02, most_seconds=0.3, growth=2.0)
"""For tests in which nobody may answer for a while."""
QUICK_TO_RECONNECT = (("grpc.initial_reconnect_backoff_ms", 50), ("grpc.max_reconnect_backoff_ms", 200))
HEARTBEAT_SECONDS = 0.25
"""Of the server that nobody stops."""

Guests = Callable[..., Awaitable[list[Client]]]


@pytest.fixture(scope="session")
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
