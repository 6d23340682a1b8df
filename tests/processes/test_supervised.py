"""`chautari serve --workers`: several processes on PostgreSQL that answer as one."""

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import httpx
import pytest

from chautari.cli.serve import CannotServe
from chautari.config import BadConfig, Config
from chautari.supervision import check
from tests.cluster import Cluster
from tests.e2e.load import Load
from tests.e2e.server import Server
from tests.ports import held_port
from tests.processes.conftest import KEY
from tests.processes.playing import playing
from tests.processes.seen import is_there, workers_of
from tests.waiting import until

QUIET = {"CHAUTARI_LOG_LEVEL": "info", "CHAUTARI_LOG_CALLS": "0", "CHAUTARI_KEY": KEY}


pytestmark = pytest.mark.xdist_group("supervised")


@dataclass(frozen=True)
class Supervised:
    """A service of two workers. figures: the port of its figures; url: its database."""

    server: Server
    figures: int
    url: str

    def replaced(self) -> int:
        """How many workers have been replaced so far."""
        return self.server.output.count("a worker is replaced")


@pytest.fixture(scope="module")
def lent(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Supervised]:
    """What `service` lends to each test."""
    url = cluster.url(cluster.make_database())
    with held_port() as port:
        server = Server(
            tmp_path_factory.mktemp("supervised"), url, CHAUTARI_WORKERS="2", CHAUTARI_METRICS_PORT=str(port), **QUIET
        )
        yield Supervised(server, port, url)
        server.close()
    assert "fault" not in server.output, server.output


@pytest.fixture
def service(lent: Supervised) -> Supervised:
    """A service that runs, whichever test was before."""
    if not lent.server.is_running():
        lent.server.start()
    return lent


async def test_figures_are_those_of_all_workers(service: Supervised) -> None:
    async with httpx.AsyncClient(timeout=60) as client:
        before = calls_in(await figures(client, service))
        for _ in range(4):
            answer = await client.get(
                f"http://{service.server.http_address}/v1/server", headers={"connection": "close"}
            )
            assert answer.status_code == 200
        text = await figures(client, service)
    assert calls_in(text) == before + 4
    for worker in ("0", "1"):
        assert f'process_resident_memory_bytes{{worker="{worker}"}}' in text
    assert "chautari_workers 2.0" in text


async def figures(client: httpx.AsyncClient, service: Supervised) -> str:
    """What the service tells of itself."""
    return (await client.get(f"http://127.0.0.1:{service.figures}/metrics")).text


def calls_in(text: str) -> float:
    """How many calls these figures count."""
    calls = [line for line in text.splitlines() if line.startswith("chautari_calls_total")]
    return sum(float(line.rsplit(" ", 1)[1]) for line in calls)


async def test_all_workers_are_replaced_under_load_without_a_refused_connection(service: Supervised) -> None:
    server, before = service.server, workers_of(service.server)
    replaced = service.replaced()
    async with playing(server.address) as load:
        knocking = asyncio.create_task(knock(server.http_address, load))
        await load.reach(10)
        server.signal(signal.SIGHUP)
        await until(lambda: service.replaced() == replaced + 2)
        await load.reach(10)
        load.done = True
        assert await knocking > 0
    assert not set(before) & set(workers_of(server))
    assert not any(is_there(pid) for pid in before)


async def test_worker_that_is_killed_is_replaced_and_nothing_is_lost(service: Supervised) -> None:
    replaced = service.replaced()
    async with playing(service.server.address) as load:
        await load.reach(10)
        os.kill(workers_of(service.server)[0], signal.SIGKILL)
        await until(lambda: service.replaced() == replaced + 1)
        await load.reach(10)
        load.done = True


async def test_all_drain_and_end_when_the_supervisor_is_told_to(service: Supervised) -> None:
    workers = workers_of(service.server)
    assert len(workers) == 2
    assert await asyncio.to_thread(service.server.stop) == 0
    assert not any(is_there(pid) for pid in workers)
    assert "has stopped" in service.server.output


@pytest.mark.parametrize(
    ("environment", "says"),
    [
        ({"CHAUTARI_WORKERS": "2"}, "SQLite serves one process, and 2 workers are asked for: use PostgreSQL"),
        ({"CHAUTARI_WORKERS": "3", "CHAUTARI_MEMORY": "1"}, "memory is of one process, and 3 workers"),
        ({"CHAUTARI_EDGE": "envoy", "CHAUTARI_TLS_KEY": "x"}, "go together"),
        ({"CHAUTARI_EDGE": "envoy", "CHAUTARI_TLS_KEY": "/x", "CHAUTARI_TLS_CERTIFICATE": "/y"}, "cannot read /"),
        ({"CHAUTARI_EDGE": "envoy", "CHAUTARI_HOST": "0.0.0.0"}, "a certificate is needed"),
        ({"CHAUTARI_EDGE": "envoy", "CHAUTARI_HTTP": "0"}, "an edge needs the HTTP front"),
        ({"CHAUTARI_WORKERS": "1", "CHAUTARI_METRICS_PORT": "8080"}, "figures need a port of their own"),
        ({"CHAUTARI_EDGE": "nginx"}, "edge must be one of"),
        ({"CHAUTARI_WORKERS": "many"}, "CHAUTARI_WORKERS must be a whole number"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(environment: dict[str, str], says: str) -> None:
    with pytest.raises((CannotServe, BadConfig), match=says):
        check(Config.read(environment))


async def knock(address: str, load: Load) -> int:
    """Opens one connection after another until the load is done; how often it was answered."""
    host, port = address.split(":")
    answered = 0
    while not load.done:
        with suppress(ConnectionResetError):  # it was taken in the moment in which its worker closed its door
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
            try:
                answered += b"ok" in await reader.read()
            finally:
                writer.close()
        await asyncio.sleep(0.01)
    return answered
