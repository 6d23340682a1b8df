"""`chautari serve --edge envoy`: one port with TLS in front of the service, on SQLite as well."""

import asyncio
import os
import re
import signal
import ssl
from collections.abc import Iterator
from pathlib import Path

import grpc
import httpx
import pytest

from chautari_client import Client, Unavailable
from tests.e2e.server import Server
from tests.envoy import envoy_program
from tests.processes.seen import envoys_of, is_there, workers_of
from tests.waiting import until

pytestmark = pytest.mark.xdist_group("edge")


@pytest.fixture(scope="module")
def lent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """What `server` lends to each test."""
    envoy_program()
    server = Server(
        tmp_path_factory.mktemp("edge"), CHAUTARI_EDGE="envoy", CHAUTARI_EDGE_PORT="0", CHAUTARI_LOG_LEVEL="info",
        CHAUTARI_LOG_CALLS="0",
    )  # fmt: skip
    yield server
    server.close()
    assert "fault" not in server.output, server.output


@pytest.fixture
def server(lent: Server) -> Server:
    """A service on SQLite with Envoy in front, which runs, whichever test was before."""
    if not lent.is_running():
        lent.start()
    return lent


def url_of(server: Server) -> str:
    """Where the edge is, as the service said it last."""
    return str(re.findall(r"https://127\.0\.0\.1:\d+", server.output)[-1])


def trust(server: Server) -> Path:
    """The certificate that was made."""
    return server.folder / "edge.crt"


def asked(server: Server) -> int:
    """The status of a call over REST; 0 where nobody answers."""
    try:
        return httpx.get(f"{url_of(server)}/v1/server", verify=_context(server), timeout=30).status_code
    except httpx.TransportError:
        return 0


def _context(server: Server) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(trust(server)))


async def test_grpc_and_http_are_on_one_port(server: Server) -> None:
    assert await asyncio.to_thread(asked, server) == 200
    credentials = grpc.ssl_channel_credentials(trust(server).read_bytes())
    async with Client.connect(url_of(server).removeprefix("https://"), credentials=credentials) as client:
        await client.sign_in_as_guest("Sita")
        match = await client.create_match("gulam_chor", seats=[0, 1], players=2)
        assert (await client.act(match, 0, "take")).revision == 2


async def test_without_tls_nothing_is_answered(server: Server) -> None:
    async with Client.connect(url_of(server).removeprefix("https://")) as client:
        with pytest.raises(Unavailable):
            await client.server_info()


async def test_envoy_that_dies_is_replaced(server: Server) -> None:
    [first] = envoys_of(server)
    os.kill(first, signal.SIGKILL)
    await until(lambda: "Envoy has died" in server.output and len(envoys_of(server)) == 1)
    while await asyncio.to_thread(asked, server) != 200:  # noqa: ASYNC110  # nobody tells
        await asyncio.sleep(0.05)


async def test_hang_up_replaces_worker_and_envoy(server: Server) -> None:
    before, replaced = envoys_of(server), server.output.count("a worker is replaced")
    server.signal(signal.SIGHUP)
    await until(lambda: "Envoy is replaced" in server.output)
    assert server.output.count("a worker is replaced") == replaced + 1
    assert not set(envoys_of(server)) & set(before)
    assert await asyncio.to_thread(asked, server) == 200


async def test_envoy_and_worker_end_where_the_supervisor_is_killed(server: Server) -> None:
    children = [*envoys_of(server), *workers_of(server)]
    assert len(children) == 2
    server.kill()
    await until(lambda: not any(is_there(pid) for pid in children))
