"""Matches whose rows somebody holds, as an open transaction at a console does: who waits for that, and who does not."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

import asyncpg
import pytest

from chautari.app.ports import RequestSeen
from chautari.app.values import DueKind, Match
from chautari.errors import Unavailable
from chautari.store import postgres_commit, postgres_connect
from chautari.store.postgres import PostgresStore
from chautari.store.postgres_commit import Committer, Waiting
from tests.store.conftest import KEY
from tests.store.made import following, make_request
from tests.store.test_port import add, revisions
from tests.store.test_together import left, write

Change = Callable[[Match], Match]

_CHANGES = pytest.mark.parametrize("change", [following, left])
_HOLD = 'UPDATE "match" SET wake_at = NULL WHERE id = ANY($1)'
_WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1"


@pytest.fixture(params=[False, True], ids=["", "pooled"])
async def store(
    request: pytest.FixtureRequest, postgresql_tables: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[PostgresStore]:
    """A store whose transactions wait for as long as somebody holds what they change."""
    monkeypatch.setitem(postgres_connect._SETTINGS, "lock_timeout", "0")
    store = await PostgresStore.open(postgresql_tables, KEY, pooled=request.param)
    yield store
    await store.close()


@asynccontextmanager
async def held(url: str, statement: str, *values: object) -> AsyncIterator[asyncpg.Connection]:
    """Somebody else's transaction that has done this and stays open; another connection, to look from."""
    holder, looking = [await asyncpg.connect(url) for _ in range(2)]
    try:
        async with holder.transaction():
            await holder.execute(statement, *values)
            yield looking
    finally:
        await holder.close()
        await looking.close()


async def until_one_waits(looking: asyncpg.Connection, query: str, at_least: int = 1) -> None:
    """Until so many statements like this wait for a lock."""
    async with asyncio.timeout(20):
        while await looking.fetchval(_WAITING, query) < at_least:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


@pytest.fixture
def saved(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The matches that were sent to the database together with others, or could have been."""
    sent: list[str] = []
    save = Committer._save

    async def note(committer: Committer, waiting: Sequence[Waiting]) -> dict[str, int]:
        sent.extend(one.match.id for one in waiting)
        return await save(committer, waiting)

    monkeypatch.setattr(Committer, "_save", note)
    return sent


@_CHANGES
async def test_nobody_waits_behind_a_lone_change_of_a_match_that_somebody_holds(
    postgresql_tables: str, store: PostgresStore, change: Change
) -> None:
    one, *others = [await add(store, "sita", "hari") for _ in range(4)]
    async with held(postgresql_tables, _HOLD, [one.id]) as looking:
        waiting = asyncio.ensure_future(write(store, change(one)))
        await until_one_waits(looking, "%UPDATE%")
        done: list[Awaitable[object]] = [
            write(store, following(others[0])),
            write(store, left(others[1])),
            store.find_match(one.id),
            store.claim_due(tuple(DueKind), 99, 1),
            store.revisions([one.id], ["sita"]),
        ]
        async with asyncio.timeout(20):
            await asyncio.gather(*done)
            await write(store, following(others[2]))
        assert not waiting.done()
    assert await waiting == change(one)
    assert await store.find_match(one.id) == change(one)


@_CHANGES
async def test_nobody_waits_for_a_match_of_others_that_somebody_holds(
    postgresql_tables: str, store: PostgresStore, saved: list[str], change: Change
) -> None:
    changes = [change(await add(store, "sita", "hari")) for _ in range(6)]
    some_held, others = changes[2:4], changes[:2] + changes[4:]
    async with held(postgresql_tables, _HOLD, [one.id for one in some_held]):
        writes = [asyncio.ensure_future(write(store, one)) for one in changes]
        async with asyncio.timeout(20):
            assert await asyncio.gather(*writes[:2], *writes[4:]) == others
        assert not any(one.done() for one in writes[2:4])
        assert sorted(saved) == sorted([one.id for one in changes] + [one.id for one in others])  # together, twice
    assert await asyncio.gather(*writes[2:4]) == some_held


@_CHANGES
@pytest.mark.parametrize("pooled", [False, True])
async def test_whoever_waits_too_long_for_a_held_match_is_refused_and_may_ask_again(
    postgresql_tables: str, saved: list[str], change: Change, pooled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the next try holds nobody up, not even for a moment."""
    monkeypatch.setitem(postgres_connect._SETTINGS, "lock_timeout", "100")
    store = await PostgresStore.open(f"{postgresql_tables}?lock_timeout=100", KEY, pooled=pooled)
    match, request = await add(store, "sita", "hari"), make_request()
    async with held(postgresql_tables, _HOLD, [match.id]):
        for _ in range(2):
            with pytest.raises(Unavailable, match="holds what is to be changed: nothing was changed") as refused:
                await write(store, change(match), request=request)
            assert (refused.value.reason, refused.value.retry_after) == ("STORAGE_AWAY", 1.0)
            assert saved == [match.id]
            assert await store.find_match(match.id) == match
            assert await revisions(store, match.id) == [1]
    await write(store, change(match), request=request)
    with pytest.raises(RequestSeen):
        await write(store, change(change(match)), request=request)
    assert await revisions(store, match.id) == [1, 2]
    await store.close()


async def test_those_who_wait_for_many_held_matches_leave_connections_for_others(
    postgresql_tables: str, store: PostgresStore
) -> None:
    matches = [await add(store, "sita", "hari") for _ in range(30)]
    free = await add(store, "sita", "hari")
    async with held(postgresql_tables, _HOLD, [match.id for match in matches]) as looking:
        writes = [asyncio.ensure_future(write(store, following(match))) for match in matches]
        await until_one_waits(looking, "%UPDATE%", 4)
        async with asyncio.timeout(20):
            found = await asyncio.gather(*(store.find_match(free.id) for _ in range(12)))
        assert found == [free] * 12
    await asyncio.gather(*writes)


@pytest.mark.parametrize(("count", "connected"), [(1, False), (1, True), (100, True)])
async def test_changes_wait_together_while_the_tables_are_changed(
    postgresql_tables: str, store: PostgresStore, count: int, connected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not each by itself, for which there are too few connections."""
    apart: list[Waiting] = []
    monkeypatch.setattr(store._plain, "_slowly", lambda one, **_: apart.append(one))
    matches = [await add(store, "sita", "hari") for _ in range(count)]
    if connected:
        await write(store, following(await add(store, "sita", "hari")))
    async with held(postgresql_tables, 'LOCK TABLE "match" IN ACCESS EXCLUSIVE MODE') as looking:
        writes = [asyncio.ensure_future(write(store, following(match))) for match in matches]
        await until_one_waits(looking, "%SKIP LOCKED" if connected and not store.pooled else "%UPDATE%")
        await asyncio.sleep(0.4)  # longer than is waited for a match
    assert await asyncio.gather(*writes) == [following(match) for match in matches]
    assert apart == []


async def test_changes_do_not_wait_for_the_tables_for_ever(
    postgresql_tables: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_commit, "PATIENT", "SET LOCAL lock_timeout = '100ms'")
    store = await PostgresStore.open(postgresql_tables, KEY, pooled=False)
    matches = [await add(store, "sita", "hari") for _ in range(4)]
    await write(store, following(matches.pop()))
    async with held(postgresql_tables, 'LOCK TABLE "match" IN ACCESS EXCLUSIVE MODE'):
        writes = [write(store, following(match)) for match in matches]
        refused = await asyncio.gather(*writes, return_exceptions=True)
        assert [str(error).rpartition(": ")[2] for error in refused] == ["nothing was changed; try again"] * 3
    for match in matches:
        await write(store, following(match))
        assert await revisions(store, match.id) == [1, 2]
    await store.close()


async def test_one_whose_chair_somebody_holds_is_waited_for_by_itself(
    postgresql_tables: str, store: PostgresStore
) -> None:
    changes = [left(await add(store, "sita", "hari")) for _ in range(5)]
    async with held(postgresql_tables, "SELECT FROM chair WHERE match_id = $1 FOR UPDATE", changes[2].id):
        writes = [asyncio.ensure_future(write(store, one)) for one in changes]
        async with asyncio.timeout(20):
            await asyncio.gather(*writes[:2], *writes[3:])
        assert not writes[2].done()
    assert await asyncio.gather(*writes) == changes


async def test_a_match_that_was_held_is_committed_with_others_again_after_a_while(
    postgresql_tables: str, store: PostgresStore, saved: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_commit, "_HELD_SECONDS", 0.1)
    match = await add(store, "sita", "hari")
    async with held(postgresql_tables, _HOLD, [match.id]) as looking:
        waiting = asyncio.ensure_future(write(store, following(match)))
        await until_one_waits(looking, "UPDATE%")
    match = await waiting
    await asyncio.sleep(0.2)
    await write(store, following(match))
    assert saved == [match.id] * 2


@_CHANGES
async def test_to_wait_for_a_moment_only_is_no_setting_of_a_connection_that_a_pooler_lends(
    postgresql_tables: str, change: Change
) -> None:
    store = await PostgresStore.open(f"{postgresql_tables}?lock_timeout=7s", KEY, pooled=True)
    changes = [change(await add(store, "sita", "hari")) for _ in range(3)]
    await asyncio.gather(*(write(store, one) for one in changes))
    async with held(postgresql_tables, _HOLD, [changes[0].id]) as looking:
        waiting = asyncio.ensure_future(write(store, change(changes[0])))
        await until_one_waits(looking, "UPDATE%")
    await waiting
    connection = (store._whole if change is left else store._plain)._connection
    assert connection is not None
    assert await connection.fetchval("SELECT current_setting('lock_timeout')") == "7s"
    await store.close()
