"""Hints through PostgreSQL: every other process hears them, also after its connection was lost."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from chautari.store.postgres_bus import PostgresBus
from tests.cluster import Cluster


@asynccontextmanager
async def listening(url: str) -> AsyncIterator[tuple[PostgresBus, "asyncio.Queue[tuple[str, int]]"]]:
    """A bus and what it hears."""
    bus, heard = PostgresBus(url), asyncio.Queue[tuple[str, int]]()
    bus.subscribe(lambda match_id, revision: heard.put_nowait((match_id, revision)))
    bus.start()
    try:
        yield bus, heard
    finally:
        await bus.close()


async def hear(bus: PostgresBus, heard: "asyncio.Queue[tuple[str, int]]", match_id: str) -> None:
    """Publishes until the hint comes: one that is sent before anybody listens is lost, as any may be."""
    async with asyncio.timeout(30):
        while True:
            bus.publish(match_id, 7)
            try:
                async with asyncio.timeout(0.3):
                    while (hint := await heard.get())[0] != match_id:
                        pass
            except TimeoutError:
                continue
            assert hint == (match_id, 7)
            return


async def test_others_hear_and_the_one_who_says_it_does_not(cluster: Cluster) -> None:
    async with listening(cluster.url()) as (one, own), listening(cluster.url()) as (_, heard):
        await hear(one, heard, "first")
        assert own.empty()


async def test_many_hints_at_once_take_several_messages(cluster: Cluster) -> None:
    async with listening(cluster.url()) as (one, _), listening(cluster.url()) as (_, heard):
        await hear(one, heard, "first")
        names = {f"{number:0>40}" for number in range(1000)}
        for name in names:
            one.publish(name, 1)
        got: set[str] = set()
        async with asyncio.timeout(30):
            while not names <= got:
                got.add((await heard.get())[0])


async def test_a_lost_connection_is_made_again(cluster: Cluster) -> None:
    async with listening(cluster.url()) as (one, _), listening(cluster.url()) as (_, heard):
        await hear(one, heard, "first")
        cluster.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
        await hear(one, heard, "second")
