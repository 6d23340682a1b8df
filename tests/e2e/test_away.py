"""Two replicas whose PostgreSQL is behind a PgBouncer and whose hints go by NATS: what happens while either is away."""

import asyncio
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import grpc
import httpx
import pytest
from grpc_health.v1 import health_pb2

from chautari_client import Client, Exhausted, Retry, Unavailable
from tests.cluster import Cluster, running_cluster
from tests.e2e.conftest import Guests
from tests.e2e.programs import PLAYERS, SHORT, Program, told
from tests.e2e.records import check_record
from tests.e2e.replicas import KEY
from tests.e2e.server import Server
from tests.nats import Nats, running_nats
from tests.pooler import running_pooler
from tests.waiting import until

ONCE = Retry(tries=1, first_seconds=0.02, most_seconds=0.3, growth=2.0)


_FULL = """
CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON account EXECUTE FUNCTION full_disk()
"""


@dataclass
class House:
    """All that runs."""

    cluster: Cluster
    database: str
    nats: Nats
    servers: list[Server]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Two replicas, started at once on an empty database."""
    with running_cluster(durable=True) as cluster, running_nats() as nats, running_pooler(cluster) as port:
        url = f"postgresql://postgres@127.0.0.1:{port}/{(database := cluster.make_database())}"
        servers = [
            Server(
                tmp_path_factory.mktemp(name), url, CHAUTARI_KEY=KEY, CHAUTARI_HINTS=nats.url,
                CHAUTARI_LOG_LEVEL="warning", CHAUTARI_LOG_FORMAT="json",
            ) for name in ("one", "two")
        ]  # fmt: skip
        with ThreadPoolExecutor() as starting:
            list(starting.map(Server.start, servers))
        yield House(cluster, database, nats, servers)
        for server in servers:
            server.close()
            assert "fault" not in server.output, server.output


async def play(house: House, guests: Guests, game: str, *, seats_at: int = 2) -> None:
    """Plays a match at seats of the first replicas, watched at both."""
    addresses = [server.address for server in house.servers]
    clients = await guests(*(addresses[seat % seats_at] for seat in range(PLAYERS[game])))
    onlookers = await guests(*addresses)
    match = await clients[0].create_match(game, SHORT[game], seats=[0], privacy="public")
    looking = [Program(onlooker, match.name, None, random.Random(9)) for onlooker in onlookers]
    watching = [asyncio.ensure_future(program.play()) for program in looking]
    for client in clients[1:]:
        await client.join(code=match.code)
    programs = [Program(client, match.name, seat, random.Random(seat)) for seat, client in enumerate(clients)]
    async with asyncio.timeout(120):
        await asyncio.gather(*(program.play() for program in programs), *watching)
    seen = [{revision: told(update) for revision, update in one.updates.items()} for one in looking]
    both = seen[0].keys() & seen[1].keys()  # each looks on from when it came
    assert max(seen[0]) == max(seen[1])
    assert [seen[0][revision] for revision in both] == [seen[1][revision] for revision in both]
    check_record(await clients[0].record(match), await clients[0].view(match, 0))


async def test_what_either_replica_does_the_other_shows(house: House, guests: Guests) -> None:
    await play(house, guests, "jutpatti")


async def test_without_nats_watchers_get_everything_by_looking_round(house: House, guests: Guests) -> None:
    house.nats.stop()
    await play(house, guests, "jutpatti", seats_at=1)
    for server in house.servers:
        assert server.output.count("hints are slow") == 1
    house.nats.start()
    await play(house, guests, "jutpatti")


async def test_without_its_database_a_replica_says_so_and_comes_back(house: House, guests: Guests) -> None:
    [client] = await guests(house.servers[0].address)
    match = await client.create_match("jutpatti", SHORT["jutpatti"], seats=[0])
    async with Client.connect(house.servers[0].address, retry=ONCE) as hasty:
        assert (await hasty.server_info()).version
        await asyncio.to_thread(house.cluster.stop)
        with pytest.raises(Unavailable) as away:
            await hasty.sign_in_as_guest("Hari")
        assert (away.value.reason, away.value.retry_after) == ("STORAGE_AWAY", 1.0)
        assert "asyncpg" not in str(away.value)
        for server in house.servers:
            await until(partial(is_ready, server, "database away\n", "NOT_SERVING"))
            assert (await fetch(server, "healthz")).status_code == 200
        await asyncio.to_thread(house.cluster.start)
        for server in house.servers:
            await until(partial(is_ready, server, "ok\n", "SERVING"))
    assert (await client.get_match(match)).name == match.name
    await play(house, guests, "jutpatti")


async def test_what_a_full_database_takes_no_more_is_told_and_the_rest_goes_on(house: House, guests: Guests) -> None:
    [client] = await guests(house.servers[0].address)
    match = await client.create_match("jutpatti", SHORT["jutpatti"], seats=[0])
    house.cluster.run(_FULL, house.database)
    try:
        async with Client.connect(house.servers[0].address, retry=ONCE) as hasty:
            with pytest.raises(Exhausted) as full:
                await hasty.sign_in_as_guest("Hari")
        assert (full.value.reason, full.value.retry_after) == ("STORAGE_FULL", 30.0)
        refused = await asyncio.to_thread(
            httpx.post, f"http://{house.servers[1].http_address}/v1/accounts:createGuest", json={}, timeout=30
        )
        assert (refused.json()["reason"], refused.headers["retry-after"]) == ("STORAGE_FULL", "30")
        assert (await client.view(match, 0)).revision == match.revision
        assert await is_ready(house.servers[0], "ok\n", "SERVING")
    finally:
        house.cluster.run("DROP FUNCTION full_disk CASCADE", house.database)
    await guests(house.servers[0].address)


async def is_ready(server: Server, text: str, status: str) -> bool:
    """Whether both ways to ask for its readiness give this answer."""
    async with grpc.aio.insecure_channel(server.address) as channel:
        check = channel.unary_unary(
            "/grpc.health.v1.Health/Check", request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
            response_deserializer=health_pb2.HealthCheckResponse.FromString,
        )  # fmt: skip
        answers = [await check(health_pb2.HealthCheckRequest(service=name)) for name in ("", "chautari.v1.Play")]
    told = {health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status) for answer in answers}
    return told == {status} and (await fetch(server, "readyz")).text == text


async def fetch(server: Server, path: str) -> httpx.Response:
    """What its HTTP front answers."""
    async with httpx.AsyncClient() as client:
        return await client.get(f"http://{server.http_address}/{path}", timeout=30)
