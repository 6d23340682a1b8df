"""Connections that are cut at random points: no revision is missed, none comes twice, and their order is kept."""

import asyncio
import random
from contextlib import AsyncExitStack

import pytest

from chautari_client import Client, Update
from tests.e2e.conftest import Guests
from tests.e2e.programs import PLAYERS, SHORT, Program, told
from tests.e2e.proxy import Proxy
from tests.e2e.records import check_record
from tests.e2e.server import Server


async def play_through_cuts(
    game: str, settings: dict[str, object], server: Server, guests: Guests, most_seconds: float
) -> int:
    """A whole match in which each program's connection is cut again and again; returns how often."""
    async with AsyncExitStack() as stack:
        proxies = [await stack.enter_async_context(Proxy("127.0.0.1", server.port)) for _ in range(PLAYERS[game])]
        clients = await guests(*(proxy.address for proxy in proxies))
        match = await clients[0].create_match(game, settings, seats=[0])
        for client in clients[1:]:
            await client.join(code=match.code)
        async with asyncio.TaskGroup() as group:
            cutting = [
                group.create_task(proxy.cut_by_chance(random.Random(number), most_seconds))
                for number, proxy in enumerate(proxies)
            ]
            programs = [Program(client, match.name, seat, random.Random(seat)) for seat, client in enumerate(clients)]
            playing = [group.create_task(program.play()) for program in programs]
            async with asyncio.timeout(300):
                await asyncio.gather(*playing)
            for task in cutting:
                task.cancel()
        for seat, (client, program) in enumerate(zip(clients, programs, strict=True)):
            uncut = await watched_uncut(client, match.name, seat)
            assert list(program.updates) == sorted(program.updates)
            assert {revision: told(update) for revision, update in program.updates.items()} == {
                revision: told(update) for revision, update in uncut.items() if revision >= min(program.updates)
            }
        check_record(await clients[0].record(match), await clients[0].view(match, 0))
        return sum(proxy.cuts for proxy in proxies)


async def watched_uncut(client: Client, match: str, seat: int) -> dict[int, Update]:
    """All steps of a match that is over, in one go."""
    return {
        update.revision: update async for update in client.watch(match, seat, after=0) if update.HasField("step")
    }  # fmt: skip


@pytest.mark.parametrize("game", ["jutpatti", "bluff"])
async def test_cut_at_random(game: str, server: Server, guests: Guests) -> None:
    cuts = 0
    while cuts < 5:  # how many fall into one match is for the machine to say
        cuts += await play_through_cuts(game, SHORT[game], server, guests, most_seconds=0.12)


@pytest.mark.soak
@pytest.mark.parametrize("game", SHORT)
async def test_cut_many_times(game: str, server: Server, guests: Guests) -> None:
    longer: dict[str, dict[str, object]] = {
        "gulam_chor": {"players": 3, "rounds": 20},
        "dehla_pakad": {"max_hands": 8},
        "bluff": {"players": 3},
    }
    for most_seconds in (0.05, 0.2, 1.0):
        await play_through_cuts(game, longer.get(game, SHORT[game]), server, guests, most_seconds)


async def test_stream_alone_is_cut_while_others_play(server: Server, guests: Guests) -> None:
    """A watcher whose connections each bring a few messages only still gets each revision once."""
    clients = await guests(server.address, count=PLAYERS["dehla_pakad"])
    match = await clients[0].create_match("dehla_pakad", SHORT["dehla_pakad"], seats=[0], privacy="public")
    async with Proxy("127.0.0.1", server.port, most_bytes=2500) as proxy:
        [onlooker] = await guests(proxy.address)

        async def look() -> list[int]:
            return [update.revision async for update in onlooker.watch(match, after=0) if update.HasField("step")]

        looking = asyncio.create_task(look())
        for client in clients[1:]:
            await client.join(match)
        await asyncio.gather(*(Program(c, match.name, s, random.Random(s)).play() for s, c in enumerate(clients)))
        seen = await asyncio.wait_for(looking, 60)
        last = (await clients[0].get_match(match)).revision
        assert seen == list(range(1, last + 1))
        assert proxy.cuts >= 3
