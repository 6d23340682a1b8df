"""Linearizability of a match: sixteen clients on two replicas whose connections are cut and which are killed."""

import asyncio
import random
from collections import Counter
from contextlib import AsyncExitStack

import pytest

from tests.e2e.conftest import Guests
from tests.e2e.history import Operation, violations
from tests.e2e.proxy import Proxy
from tests.e2e.replay import check_journal
from tests.e2e.replicas import Pair
from tests.e2e.voices import Voice

SEED = 3_2026
VOICES = 16
LANES = 4
STEPS = 8
TABLES: tuple[tuple[str, int, dict[str, object]], ...] = (
    ("bluff", 3, {"players": 3}),
    ("slapjack", 8, {"players": 8, "slap_in": "always"}),
    ("gulam_chor", 4, {"players": 4, "rounds": 3}),
    ("jutpatti", 4, {"players": 4}),
)
"""Games with their seats, all of which one account holds: so any client may act for whoever is in turn."""


class Faults:
    """Kills one replica or the other, now and then the database, until it is told that it is enough.

    How soon goes by what the voices have done since, so that the slowest machine gets on between two kills.
    """

    def __init__(self, pair: Pair, voices: list[Voice], chance: random.Random) -> None:
        self._pair = pair
        self._voices = voices
        self._chance = chance
        self.kills: Counter[str] = Counter()
        self.enough = False

    async def go_on(self, most: int) -> None:
        """Kills at most so many times."""
        while not self.enough and self.kills.total() < most:
            await self._reach(self._chance.randrange(300))
            if self._chance.random() < 0.2:
                self.kills["database"] += 1
                await asyncio.to_thread(self._pair.cluster.kill)
                await asyncio.to_thread(self._pair.cluster.start)
            else:
                self.kills["replica"] += 1
                server = self._chance.choice(self._pair.servers)
                await asyncio.to_thread(server.kill)
                await asyncio.to_thread(server.start)

    async def _reach(self, more: int) -> None:
        """Waits until so many more looks and acts have ended, or all have."""
        wanted = self._ended() + more
        while not self.enough and self._ended() < wanted:  # noqa: ASYNC110  # a sum has no event of its own
            await asyncio.sleep(0.005)

    def _ended(self) -> int:
        return sum(voice.ended for voice in self._voices)


async def make_histories(pair: Pair, guests: Guests, count: int, kills: int, seed: int) -> Counter[str]:
    """Makes and checks so many, a few at a time; the figures of all of them."""
    chance, figures = random.Random(seed), Counter[str]()
    [host] = await guests(pair.servers[0].address)
    token = host._connection.access_token
    everybody: list[Voice] = []
    faults = Faults(pair, everybody, random.Random(f"{seed} faults"))
    kept: list[tuple[str, list[Operation]]] = []

    async def lane(number: int) -> None:
        """One history after another."""
        addresses = [proxy.address for proxy in proxies]
        voices = [Voice(n, addresses, token, random.Random(f"{seed} {number} {n}")) for n in range(VOICES)]
        everybody.extend(voices)
        for _ in range(number, count, LANES):
            game, seats, settings = chance.choice(TABLES)
            match = (await host.create_match(game, settings, seats=range(seats))).name
            lived = await asyncio.gather(*(voice.live(match, seats, STEPS) for voice in voices))
            kept.append((match, [operation for history in lived for operation in history]))
        for voice in voices:
            figures.update(voice.counts)
            await voice.close()

    async with AsyncExitStack() as stack:
        proxies = [await stack.enter_async_context(Proxy("127.0.0.1", server.port)) for server in pair.servers]
        async with asyncio.TaskGroup() as group:
            cutting = [
                group.create_task(proxy.cut_by_chance(random.Random(f"{seed} {number}"), 2.0))
                for number, proxy in enumerate(proxies)
            ]
            killing = group.create_task(faults.go_on(kills))
            await asyncio.gather(*(lane(number) for number in range(LANES)))
            faults.enough = True
            await killing
            for task in cutting:
                task.cancel()
        figures["cuts"] = sum(proxy.cuts for proxy in proxies)
    figures.update(faults.kills)
    await check(pair, kept)
    return figures


async def check(pair: Pair, kept: list[tuple[str, list[Operation]]]) -> None:
    """Each history is linearizable, and its journal replays."""
    async with pair.servers[0].store() as store:
        for name, history in kept:
            match = await store.find_match(name.removeprefix("matches/"))
            assert match is not None
            entries = await store.entries(match.id, 0, 100_000)
            check_journal(match, entries)
            journal = {entry.revision: b"" if entry.request is None else entry.request.id for entry in entries}
            del journal[1]  # the match was created by a request of the host's, which no history knows
            assert not violations(history, {1: b"", **journal}), match.game


async def test_histories_are_linearizable(pair: Pair, guests: Guests) -> None:
    figures = await make_histories(pair, guests, 4, 1, SEED)
    print(f"seed {SEED}: {dict(figures)}")
    assert figures["done"] > 20


@pytest.mark.soak(day=50, night=1250)
async def test_four_histories_are_linearizable(pair: Pair, guests: Guests, part: int) -> None:
    figures = await make_histories(pair, guests, LANES, 1000, SEED + part)
    print(f"{LANES} histories, {VOICES} clients, seed {SEED + part}: {dict(figures)}; 0 violations")
