"""`kill -9` under load, and again on the same database: nothing acknowledged or shown is lost, doubled, half there."""

import asyncio
from pathlib import Path

import pytest

from tests.e2e.conftest import Guests
from tests.e2e.killing import Blow, check_all, seat, strike, verify_all
from tests.e2e.replicas import Pair
from tests.e2e.server import Server

SEED = 20261130
GAMES = ("bluff", "dehla_pakad", "gulam_chor", "jutpatti")


async def kill_on_sqlite(server: Server, guests: Guests, kills: int, tables: int, seed: int) -> None:
    """Kills the one server there is."""
    seated = [await seat(game, guests, server.address) for game in GAMES * tables]
    blow = Blow("server", server.kill, server.start, [server.address])
    struck = await strike(seated, [blow], kills, seed)
    matches = await verify_all(struck.load, server.folder)
    server.stop()
    async with server.store() as store:
        acts = await check_all(store, struck.load)
    print(f"SQLite, seed {seed}: {struck.figures()}; {matches} matches, {acts} acts: all there once, all verify")


async def kill_on_postgresql(pair: Pair, guests: Guests, folder: Path, kills: int, tables: int, seed: int) -> None:
    """Kills either replica, the database, one of its backends, or all at once."""
    seated = [await seat(game, guests, *pair.addresses) for game in GAMES * tables]

    def kill_all() -> None:
        for one in pair.servers:
            one.kill()
        pair.cluster.kill()

    def start_all() -> None:
        pair.cluster.start()
        pair.start()

    cluster, (first, second) = pair.cluster, pair.servers
    blows = [
        Blow("replica", first.kill, first.start, [first.address]),
        Blow("database", cluster.kill, cluster.start, pair.addresses),
        Blow("backend", cluster.kill_backend, lambda: None, pair.addresses),
        Blow("all", kill_all, start_all, pair.addresses),
        Blow("other replica", second.kill, second.start, [second.address]),
    ]
    struck = await strike(seated, blows, kills, seed)
    matches = await verify_all(struck.load, folder)
    async with first.store() as store:
        acts = await check_all(store, struck.load)
    print(f"PostgreSQL, seed {seed}: {struck.figures()}; {matches} matches, {acts} acts: all there once, all verify")


async def test_kills_on_sqlite_lose_and_double_nothing(own_server: Server, guests: Guests) -> None:
    await kill_on_sqlite(own_server, guests, 2, 1, SEED)


async def test_kills_on_postgresql_lose_and_double_nothing(pair: Pair, guests: Guests, tmp_path: Path) -> None:
    await kill_on_postgresql(pair, guests, tmp_path, 4, 1, SEED)


@pytest.mark.soak(day=5, night=50)
@pytest.mark.parametrize("tables", [1, 4])
async def test_five_kills_on_sqlite(part: int, tables: int, own_server: Server, guests: Guests) -> None:
    await kill_on_sqlite(own_server, guests, 5, tables, SEED + part)


@pytest.mark.soak(day=5, night=50)
@pytest.mark.parametrize("tables", [1, 4])
async def test_five_kills_on_postgresql(
    part: int, tables: int, pair: Pair, guests: Guests, tmp_path: Path
) -> None:  # fmt: skip
    await kill_on_postgresql(pair, guests, tmp_path, 5, tables, SEED + part)


async def test_killed_right_after_an_answer(own_server: Server, guests: Guests) -> None:
    """The answer is there, so the act is: killed in the very moment, again and again."""
    [client] = await guests(own_server.address)
    match = await client.create_match("gulam_chor", seats=[0, 1, 2, 3])
    for _ in range(2):
        view = await client.view(match)
        [seat] = view.turn.must
        options = (await client.view(match, seat)).options
        answer = await client.act(match, seat, options[0].actions[0])
        own_server.kill()
        await asyncio.to_thread(own_server.start)
        assert (await client.view(match)).revision == answer.revision  # with the tokens of before
