"""Two replicas on one PostgreSQL: whatever one commits the other shows, and either may die."""

import asyncio
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from chautari_client import ActResponse, Client, Refused
from tests.cluster import Cluster, running_cluster
from tests.e2e.conftest import Guests
from tests.e2e.programs import PLAYERS, SHORT, Program, told
from tests.e2e.records import check_record
from tests.e2e.server import Server
from tests.e2e.test_slaps import flip_until_a_jack

KEY = "5a" * 32
SLAPPERS = 8


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL that runs."""
    with running_cluster() as running:
        yield running


@pytest.fixture(scope="module")
def replicas(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Server]]:
    """Two servers on one empty database, started at once: one of them makes the tables."""
    url = cluster.url(cluster.make_database())
    folders = [tmp_path_factory.mktemp(name) for name in ("one", "two")]
    servers = [Server(folder, url, CHAUTARI_KEY=KEY, CHAUTARI_HEARTBEAT_SECONDS="0.5") for folder in folders]
    with ThreadPoolExecutor() as starting:
        list(starting.map(Server.start, servers))
    yield servers
    for server in servers:
        server.close()
        assert "fault" not in server.output, server.output


@pytest.mark.parametrize("game", ["jutpatti", "dehla_pakad"])
async def test_seats_on_two_replicas_play_a_match_and_see_the_same(
    game: str, replicas: list[Server], guests: Guests
) -> None:
    addresses = [replicas[seat % 2].address for seat in range(PLAYERS[game])]
    clients = await guests(*addresses)
    onlookers = await guests(*(server.address for server in replicas))
    match = await clients[0].create_match(game, SHORT[game], seats=[0], privacy="public")
    looking = [
        asyncio.create_task(Program(onlooker, match.name, None, random.Random(9)).play()) for onlooker in onlookers
    ]
    for client in clients[1:]:
        await client.join(code=match.code)
    programs = [Program(client, match.name, seat, random.Random(seat)) for seat, client in enumerate(clients)]
    await asyncio.gather(*(program.play() for program in programs))
    await asyncio.wait_for(asyncio.gather(*looking), 60)
    seen = [
        {update.revision: told(update) async for update in onlooker.watch(match, after=0) if update.HasField("step")}
        for onlooker in onlookers
    ]
    assert seen[0] == seen[1]
    check_record(await clients[0].record(match), await clients[0].view(match, 0))


async def test_of_slaps_through_two_replicas_one_wins(replicas: list[Server], guests: Guests) -> None:
    addresses = [replicas[seat % 2].address for seat in range(SLAPPERS)]
    clients = await guests(*addresses)
    match = (await clients[0].create_match("slapjack", players=SLAPPERS, slap_in="always", seats=[0])).name
    link = (await clients[0].get_match(match)).link
    for seat, client in enumerate(clients[1:], 1):
        await client.join(link=link, seats=[seat])
    for _ in range(3):
        flip = await flip_until_a_jack(clients, match)
        if flip is None:
            break
        answers = await asyncio.gather(
            *(client.act(match, seat, f"slap {flip}") for seat, client in enumerate(clients)), return_exceptions=True
        )
        assert sum(isinstance(answer, ActResponse) for answer in answers) == 1
        assert all(isinstance(answer, ActResponse | Refused) for answer in answers), answers


async def test_a_replica_dies_and_the_other_goes_on(replicas: list[Server], guests: Guests) -> None:
    """Programs of the one that dies go to the other; what was acknowledged is there, once."""
    first, second = replicas
    steady = (await guests(second.address))[0]
    [doomed] = await guests(first.address)
    match = await doomed.create_match("gulam_chor", {"players": 2, "rounds": 3}, seats=[0])
    await steady.join(code=match.code)
    revision = (await steady.get_match(match)).revision
    for _ in range(6):
        turn = (await doomed.view(match, 0)).turn
        if not turn.must:
            break
        seat = turn.must[0]
        acted = await (doomed if seat == 0 else steady).act(match, seat, "take")
        assert acted.revision > revision
        revision = acted.revision
    first.kill()
    try:
        await _goes_on(steady, match.name, revision)
    finally:
        first.start()
    [back] = await guests(first.address)
    assert (await back.server_info()).version


async def _goes_on(steady: Client, match: str, revision: int) -> None:
    view = await steady.view(match, 1)
    assert view.revision == revision
    if view.turn.must and view.turn.must[0] == 1:
        assert (await steady.act(match, 1, "take")).revision == revision + 1
