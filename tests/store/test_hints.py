"""Hints between processes, by PostgreSQL and by NATS: every other one hears them, also after the line was lost."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager

import pytest
from structlog.testing import capture_logs

from chautari.store import hints
from chautari.store.hints import HintBus
from chautari.store.nats_bus import nats_bus
from chautari.store.postgres_bus import postgres_bus
from tests.cluster import Cluster
from tests.nats import Nats, running_nats
from tests.waiting import until

Heard = asyncio.Queue[tuple[str, int]]


@asynccontextmanager
async def listening(bus: HintBus) -> AsyncIterator[tuple[HintBus, Heard]]:
    """A bus and what it hears."""
    heard = Heard()
    bus.subscribe(lambda match_id, revision: heard.put_nowait((match_id, revision)))
    bus.start()
    try:
        yield bus, heard
    finally:
        await bus.close()


async def hear(bus: HintBus, heard: Heard, match_id: str) -> None:
    """Publishes until the hint comes: one that is sent before anybody listens is lost, as any may be."""
    async with asyncio.timeout(60):
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


@pytest.fixture
def make(request: pytest.FixtureRequest) -> Callable[[], HintBus]:
    """Makes a bus of one kind."""
    if request.param == "nats":
        url = request.getfixturevalue("nats").url
        return lambda: nats_bus(url, "epoch")
    url = request.getfixturevalue("cluster").url()
    return lambda: postgres_bus(url)


@pytest.fixture(scope="module")
def nats() -> Iterator[Nats]:
    """A NATS that runs."""
    with running_nats() as running:
        yield running


each = pytest.mark.parametrize("make", ["postgresql", "nats"], indirect=True)


@each
async def test_others_hear_and_the_one_who_says_it_does_not(make: Callable[[], HintBus]) -> None:
    async with listening(make()) as (one, own), listening(make()) as (_, heard):
        await hear(one, heard, "first")
        assert own.empty()


@each
async def test_many_hints_at_once_take_several_messages(make: Callable[[], HintBus]) -> None:
    async with listening(make()) as (one, _), listening(make()) as (_, heard):
        await hear(one, heard, "first")
        names = {f"{number:0>40}" for number in range(1000)}
        for name in names:
            one.publish(name, 1)
        got: set[str] = set()
        async with asyncio.timeout(60):
            while not names <= got:
                got.add((await heard.get())[0])


async def test_a_lost_connection_to_postgresql_is_noticed_and_made_again(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hints, "_ASK_SECONDS", 3600.0)
    async with listening(postgres_bus(cluster.url())) as (one, _), listening(postgres_bus(cluster.url())) as (_, heard):
        await hear(one, heard, "first")
        ended = cluster.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
        assert "t" in ended.splitlines()
        await hear(one, heard, "second")


async def test_databases_that_share_a_nats_do_not_mix(nats: Nats) -> None:
    one, other, same = (nats_bus(nats.url, epoch) for epoch in ("one", "other", "one"))
    async with listening(one) as (bus, _), listening(other) as (_, strange), listening(same) as (_, heard):
        await hear(bus, heard, "first")
        assert strange.empty()


async def test_a_nats_that_is_away_costs_one_warning_and_comes_back() -> None:
    """At the start and later; what is published meanwhile stops nobody."""
    with running_nats() as nats:
        nats.stop()
        with capture_logs() as logs:
            async with listening(nats_bus(nats.url, "e")) as (one, _), listening(nats_bus(nats.url, "e")) as (_, heard):
                for _ in range(2):
                    for number in range(20_000):
                        one.publish(f"{number}", 1)
                    assert heard.empty()
                    await asyncio.sleep(1.0)  # several tries
                    nats.start()
                    await hear(one, heard, "back")
                    await until(lambda: len(logs) % 4 == 0)
                    nats.stop()
        told = [(line["event"].split()[2], line["log_level"], line["by"]) for line in logs]
        away, back = [("slow", "warning", "nats")] * 2, [("quick", "info", "nats")] * 2
        assert told[:8] == [*away, *back] * 2
        assert told[8:] in ([], away[:1], away)


async def test_what_is_no_hint_of_ours_is_passed_over(nats: Nats) -> None:
    import nats as driver

    async with listening(nats_bus(nats.url, "e")) as (one, _), listening(nats_bus(nats.url, "e")) as (_, heard):
        await hear(one, heard, "first")
        connection = await driver.connect(nats.url)
        for wrong in (
            b"",
            b"\xff\xfe",
            b"x y",
            b"x :7",
            b"x a:",
            b"x a:-1",
            b"x a:" + b"9" * 5000,
            b" " * 5000,
            b"x a:b:",
        ):
            await connection.publish("chautari.e.hints", wrong)
        await connection.flush()
        await hear(one, heard, "second")
        assert heard.empty()
        await connection.close()
