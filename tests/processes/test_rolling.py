"""Two replicas behind Envoy, restarted one after the other under load: who tries again as is told notices nothing."""

import asyncio
import json
import ssl
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import grpc
import httpx
import pytest

from chautari.processes import Replica
from chautari.v1 import play_pb2
from chautari_client import Client, Retry
from tests.cluster import Cluster
from tests.e2e.load import Load
from tests.e2e.server import Server
from tests.envoy import Envoy, running_envoy
from tests.processes.conftest import KEY
from tests.processes.playing import playing

ENVIRONMENT = {
    "CHAUTARI_KEY": KEY,
    "CHAUTARI_TRUSTED_PROXIES": "127.0.0.1/32",
    "CHAUTARI_NOTICE_SECONDS": "1",
    "CHAUTARI_HEARTBEAT_SECONDS": "2",
}

pytestmark = pytest.mark.xdist_group("rolling")


@dataclass
class Fleet:
    """Two replicas on one database, and the Envoy in front of them."""

    servers: list[Server]
    envoy: Envoy

    async def roll(self) -> None:
        """Restarts one after the other."""
        for server in self.servers:
            assert await asyncio.to_thread(server.stop) == 0
            await asyncio.to_thread(server.start)


@pytest.fixture
def fleet(cluster: Cluster, tmp_path: Path) -> Iterator[Fleet]:
    """A fleet that runs."""
    url = cluster.url(cluster.make_database())
    servers = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        servers.append(Server(tmp_path / name, url, **ENVIRONMENT))
    with ThreadPoolExecutor() as starting:
        list(starting.map(Server.start, servers))
    replicas = tuple(Replica(server.port, int(server.http_address.rsplit(":", 1)[1])) for server in servers)
    with running_envoy(replicas, often=0.25, heartbeat=2) as envoy:
        yield Fleet(servers, envoy)
    for server in servers:
        server.close()
        assert "fault" not in server.output, server.output


@dataclass
class Browser:
    """One that watches over HTTP as a browser does, and asks over REST as the policy says.

    seen: the revisions that its events brought, in order; asked: how often it asked; cuts: how often its stream ended.
    """

    http: httpx.AsyncClient
    match: str
    seen: list[int] = field(default_factory=list)
    asked: int = 0
    cuts: int = 0

    async def watch(self) -> None:
        """Watches to the end of the match, taking the stream up again where it was cut."""
        last = "0"
        while True:
            headers = {"accept": "text/event-stream", "last-event-id": last}
            try:
                async with self.http.stream("GET", f"/v1/{self.match}:watch", headers=headers) as answer:
                    assert answer.status_code in (200, 503), answer.status_code
                    async for line in answer.aiter_lines():
                        if line.startswith("id: "):
                            last = line.removeprefix("id: ")
                        elif line.startswith("data: "):
                            update = json.loads(line.removeprefix("data: "))
                            if "step" in update:
                                self.seen.append(update["revision"])
                            if update.get("end", {}).get("cause") == "END_CAUSE_MATCH_OVER":
                                return
            except httpx.TransportError:
                pass
            self.cuts += 1
            await asyncio.sleep(0.1)

    async def ask(self, load: Load) -> None:
        """Looks at the match again and again; a look that fails after the published tries fails the test."""
        while not load.done:
            for tried in range(1, Retry().tries + 1):
                answer = await self.http.get(f"/v1/{self.match}:view")
                if answer.status_code != 503:
                    break
                await asyncio.sleep(Retry().pause(tried, float(answer.headers.get("retry-after", 0))))
            assert answer.status_code == 200, answer.text
            self.asked += 1
            await asyncio.sleep(0.02)


async def _look(envoy: Envoy, match: str, token: str, load: Load) -> int:
    """Looks over gRPC through a channel that has nothing but the published document; how often it did."""
    config = (Path(__file__).parents[2] / "protos" / "service_config.json").read_text()
    options = (("grpc.service_config", config), ("grpc.use_local_subchannel_pool", 1))
    credentials = grpc.ssl_channel_credentials(envoy.root)
    looked = 0
    async with grpc.aio.secure_channel(envoy.address, credentials, options=options) as channel:
        view: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/chautari.v1.Play/View")
        request = play_pb2.ViewRequest(match=match).SerializeToString()
        while not load.done:
            await view(request, metadata=(("authorization", f"Bearer {token}"),), timeout=20)
            looked += 1
            await asyncio.sleep(0.02)
    return looked


async def _roll_under_load(fleet: Fleet, *, rolls: int, tables: int, acts: int) -> str:
    envoy = fleet.envoy
    host = Client.connect(envoy.address, credentials=_credentials(envoy))
    async with host:
        await host.sign_in_as_guest()
        match = (
            await host.create_match("gulam_chor", {"players": 2, "rounds": 2}, seats=[0, 1], privacy="public")
        ).name
        token = host._connection.access_token
        trust = ssl.create_default_context(cadata=envoy.root.decode())
        async with httpx.AsyncClient(
            base_url=f"https://{envoy.address}", headers={"authorization": f"Bearer {token}"}, verify=trust, timeout=60
        ) as http:
            browser = Browser(http, match)
            watching = asyncio.create_task(browser.watch())
            async with playing(envoy.address, tables, envoy.root, 240.0 * rolls) as load:
                asking = asyncio.create_task(browser.ask(load))
                looking = asyncio.create_task(_look(envoy, match, token, load))
                for _ in range(rolls):
                    await load.reach(acts)
                    await fleet.roll()
                await load.reach(acts)
                load.done = True
                await asking
                looked = await looking
            # The match that was watched all the while is played to its end after it all.
            view = await host.view(match, 0)
            while view.turn.must:
                acted = await host.act(match, view.turn.must[0], "take")
                view = await host.view(match, 0)
                assert view.revision >= acted.revision
            await asyncio.wait_for(watching, 60)
        assert browser.seen == list(range(1, view.revision + 1)), "a gap, a repeat, or another order"
    return (
        f"{rolls} rolling restarts: {load.acknowledged} acts, {browser.asked} looks over REST and {looked} by a "
        "plain channel, 0 failed, 0 lost; "
        f"{browser.cuts} streams of events taken up again"
    )


def _credentials(envoy: Envoy) -> grpc.ChannelCredentials:
    return grpc.ssl_channel_credentials(envoy.root)


async def test_rolling_restart_is_noticed_by_nobody(fleet: Fleet) -> None:
    print(await _roll_under_load(fleet, rolls=1, tables=2, acts=10))


@pytest.mark.soak(day=5)
async def test_rolling_restarts_for_long_are_noticed_by_nobody(fleet: Fleet, part: int) -> None:
    print(f"part {part}: {await _roll_under_load(fleet, rolls=5, tables=6, acts=60)}")
