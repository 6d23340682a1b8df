"""Changes that end matches or move their chairs, of which many are committed together: each as if it came alone."""

import asyncio
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import asyncpg
import msgspec
import pytest

from chautari.app.ports import Overtaken, RequestSeen, Store
from chautari.app.values import Audience, EndReason, Match, MatchState, Outcome, Privacy, SeatState
from chautari.errors import Malformed
from chautari.store import MemoryStore, SqliteStore, postgres_commit
from chautari.store.connect import driver_of
from chautari.store.postgres import PostgresStore
from tests.cluster import Cluster
from tests.e2e.proxy import Proxy
from tests.store.conftest import KEY, SetClock
from tests.store.made import following, make_chairs, make_entry, make_match, make_request
from tests.store.test_port import OVER, add, commit, keep_played, listed, revisions
from tests.store.test_postgres import _through

ACCOUNTS = ("sita", "hari", "gita", "ram")


def left(match: Match, seat: int = 0) -> Match:
    """The match over one revision on, since this seat has left it."""
    chairs = tuple(
        msgspec.structs.replace(chair, state=SeatState.LEFT) if chair.number == seat else chair
        for chair in match.chairs
    )
    return following(match, **OVER, chairs=chairs)


def over(match: Match) -> Match:
    """The match over one revision on, by the last move."""
    return following(match, **OVER)


async def write(store: Store, match: Match, *, request: Any = None, name: str = "sita") -> Match:
    """Commits a match; its chairs have changed where somebody has left."""
    chairs = any(chair.state is SeatState.LEFT for chair in match.chairs)
    await store.commit(match, make_entry(match, account_id=name, request=request), chairs=chairs)
    return match


# ── Each by itself ────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_many_ends_at_once_are_all_done(store: Store) -> None:
    matches = [await add(store, "sita", "hari") for _ in range(150)]
    ends = [(left if number % 2 else over)(match) for number, match in enumerate(matches)]
    await asyncio.gather(*(write(store, end) for end in ends))
    for end in ends:
        assert await store.find_match(end.id) == end
        assert await revisions(store, end.id) == [1, 2]
    for account_id in ("sita", "hari"):
        assert await listed(store, account_id, active=True) == []


@pytest.mark.parametrize(
    ("why", "end"),
    [("stale", left), ("stale", over), ("seen", left), ("seen and packed", over), ("code", left), ("twice", over)],
)
async def test_one_of_many_ends_that_fails_fails_by_itself(
    store: Store, clock: SetClock, why: str, end: Callable[[Match], Match]
) -> None:
    request, name = make_request(), "sita"
    bad = await add(store, "sita", "hari", title="bad")
    if why == "seen":
        bad = await write(store, following(bad), request=request)
    if why == "seen and packed":
        bad, entries = await keep_played(store, clock, "jutpatti")
        assert entries[-1].request is not None
        assert entries[-1].account_id is not None
        request, name = entries[-1].request, entries[-1].account_id
        await store.pack(bad.id)
    if why == "code":
        await add(store, "gita", None, code="K7M2QX")
    before = await store.find_match(bad.id)
    ends = [(left if number % 2 else over)(await add(store, "sita", "hari")) for number in range(40)]
    wrong: dict[str, dict[str, Any]] = {
        "stale": {"revision": 5}, "code": {"state": MatchState.SEATING, "code": "K7M2QX"}
    }  # fmt: skip
    ends.insert(10, msgspec.structs.replace(end(bad), **wrong.get(why, {})))
    writes = [write(store, one, request=request if one is ends[10] else None, name=name) for one in ends]
    if why == "twice":
        writes.append(write(store, ends[10]))
    outcomes = await asyncio.gather(*writes, return_exceptions=True)
    failed = outcomes.pop(41 if why == "twice" else 10)
    assert isinstance(failed, {"stale": Overtaken, "code": ValueError, "twice": Overtaken}.get(why, RequestSeen))
    assert all(isinstance(outcome, Match) for outcome in outcomes)
    if why != "twice":
        assert await store.find_match(bad.id) == before
        assert before is not None
        assert await revisions(store, bad.id) == list(range(1, before.revision + 1))
        del ends[10]
    for one in ends:
        assert await store.find_match(one.id) == one
    assert await listed(store, active=True) == ([] if why == "twice" else ["bad"])


def changed(match: Match, random: Random) -> tuple[Match, bool]:
    """The match one revision on, whatever has become of it; whether its chairs have changed."""
    ends = random.random() < 0.4
    state = (MatchState.FINISHED if ends else match.state) if not match.is_over else match.state
    after = following(match, state=state, shuffles=random.randrange(9))
    if ends:
        after = msgspec.structs.replace(
            after, ended_at=random.randrange(9), outcome=Outcome((1, 2), (5, 0), False, EndReason.PLAYED)
        )
    taken = [random.choice((*ACCOUNTS, None)) for _ in range(random.randrange(1, 5))]
    chairs = random.random() < 0.5  # what they carry is not written else
    return msgspec.structs.replace(
        after, chairs=make_chairs(*taken), host=random.choice(ACCOUNTS) if chairs else match.host,
        title=f"{random.random()}", privacy=random.choice(tuple(Privacy)), barred=("hari",),
        audience=random.choice(tuple(Audience)),
    ), chairs  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
async def test_what_is_committed_together_leaves_what_it_would_have_left_one_by_one(
    store: Store, clock: SetClock, seed: int
) -> None:
    random, reference = Random(seed), MemoryStore(clock)
    matches = [make_match("sita", "hari", created_at=number) for number in range(40)]
    for match in matches:
        for one in (store, reference):
            await one.add_match(match, make_entry(match))
    for _ in range(4):
        changes = [changed(match, random) for match in matches]
        await asyncio.gather(*(commit(store, match, chairs=chairs) for match, chairs in changes))
        for match, chairs in changes:
            await commit(reference, match, chairs=chairs)
        matches = []
        for match, _ in changes:
            kept = await reference.find_match(match.id)
            assert kept is not None
            assert await store.find_match(match.id) == kept
            matches.append(kept)
            assert await store.entries(match.id, 0, 99) == await reference.entries(match.id, 0, 99)
        for account_id in ACCOUNTS:
            for active in (True, False):
                assert await listed(store, account_id, active=active) == await listed(
                    reference, account_id, active=active
                )


async def assert_told_late(store: Store) -> None:
    """Whoever has gone away meanwhile is told of the end that he asked for."""
    told: asyncio.Queue[int] = asyncio.Queue()
    for end in (over(await add(store, "sita", "hari")), left(await add(store, "sita", "hari"))):
        chairs = end.chairs[0].state is SeatState.LEFT
        store.commit(end, make_entry(end), chairs=chairs, late=told.put_nowait).cancel()
        async with asyncio.timeout(30):
            at = await told.get()
        assert [entry.at for entry in await store.entries(end.id, 1, 9)] == [at]


# ── On PostgreSQL ─────────────────────────────────────────────────────────────────────────────────────────────────────


async def pair(url: str) -> list[PostgresStore]:
    """Two replicas."""
    return [await PostgresStore.open(url, KEY) for _ in range(2)]


async def test_two_replicas_that_end_the_same_matches_end_each_once(postgresql_tables: str) -> None:
    one, other = await pair(postgresql_tables)
    for _ in range(5):
        matches = [await add(one, "sita", "hari") for _ in range(40)]
        ends = [left(match) for match in matches]
        outcomes = await asyncio.gather(
            *(write(one, end) for end in ends), *(write(other, end) for end in reversed(ends)), return_exceptions=True
        )
        assert [isinstance(outcome, Match) for outcome in outcomes].count(True) == len(ends)
        assert [isinstance(outcome, Overtaken) for outcome in outcomes].count(True) == len(ends)
        for end in ends:
            assert await one.find_match(end.id) == end
            assert await revisions(one, end.id) == [1, 2]
    for store in (one, other):
        await store.close()


@pytest.mark.parametrize("change", [left, following])
async def test_two_replicas_that_change_the_same_matches_do_not_wait_in_a_circle(
    postgresql_tables: str, change: Callable[[Match], Match], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = await pair(postgresql_tables)
    monkeypatch.setattr(postgres_commit, "IMPATIENT", "SET lock_timeout = 0")
    matches = [await add(one, "sita", "hari") for _ in range(60)]  # as many as a plan looks up in the order of the list
    outside = await asyncpg.connect(postgresql_tables)
    async with outside.transaction():  # it holds both up in the midst of their statements
        await outside.execute("UPDATE match SET wake_at = NULL WHERE id = $1", matches[30].id)
        writes = [
            asyncio.ensure_future(write(store, change(match)))
            for store, some in ((one, matches), (other, matches[::-1])) for match in some
        ]  # fmt: skip
        async with asyncio.timeout(20):
            while await outside.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted") < 2:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
    outcomes = await asyncio.gather(*writes, return_exceptions=True)
    connections = [(store._whole if change is left else store._plain)._connection for store in (one, other)]
    for store in (one, other):
        await store.close()
    await outside.close()
    assert [isinstance(outcome, Match) for outcome in outcomes].count(True) == len(matches)
    assert None not in connections  # it is given up where a statement was ended because it waited in a circle


async def test_the_others_are_none_the_worse_for_a_chair_that_cannot_be_written(postgresql_tables: str) -> None:
    store = await PostgresStore.open(postgresql_tables, KEY)
    ends = [left(await add(store, "sita", "hari")) for _ in range(9)]
    broken = msgspec.structs.replace(ends[4].chairs[1], display_name="a\0b")
    ends[4] = msgspec.structs.replace(ends[4], chairs=(ends[4].chairs[0], broken))
    outcomes = await asyncio.gather(*(write(store, end) for end in ends), return_exceptions=True)
    assert [isinstance(outcome, Match) for outcome in outcomes] == [True] * 4 + [False] + [True] * 4
    assert isinstance(outcomes[4], Malformed)
    assert await revisions(store, ends[4].id) == [1]
    await store.close()


async def test_an_end_is_one_round_trip_and_so_are_many(cluster: Cluster, postgresql_tables: str) -> None:
    async with Proxy("127.0.0.1", cluster.port) as proxy, _through(proxy, postgresql_tables) as store:
        await write(store, over(await add(store, "sita", "hari")))
        few = []
        for count in (1, 1, 1, 30, 30, 30):
            ends = [(left if number % 2 else over)(await add(store, "sita", "hari")) for number in range(count)]
            before = proxy.turns
            await asyncio.gather(*(write(store, end) for end in ends))
            few.append(proxy.turns - before)
        assert (min(few[:3]), min(few[3:])) == (1, 1)


async def test_who_goes_away_is_told_late_of_an_end(postgresql_tables: str) -> None:
    store = await PostgresStore.open(postgresql_tables, KEY)
    await assert_told_late(store)
    await store.close()


async def test_no_plan_is_kept_that_was_made_for_small_tables(postgresql_tables: str) -> None:
    store = await PostgresStore.open(postgresql_tables, KEY)
    await write(store, over(await add(store, "sita", "hari")))
    connection: asyncpg.Connection[Any] | None = store._whole._connection
    assert connection is not None
    assert await connection.fetchval("SHOW plan_cache_mode") == "force_custom_plan"
    await store.close()


async def test_closing_commits_the_ends_that_wait(postgresql_tables: str) -> None:
    store = await PostgresStore.open(postgresql_tables, KEY)
    ends = [left(await add(store, "sita", "hari")) for _ in range(200)]
    writing = [asyncio.ensure_future(write(store, end)) for end in ends]
    await asyncio.sleep(0)
    await store.close()
    assert await asyncio.gather(*writing) == ends
    again = await PostgresStore.open(postgresql_tables, KEY)
    assert [await again.find_match(end.id) for end in ends] == ends
    await again.close()


# ── On SQLite ─────────────────────────────────────────────────────────────────────────────────────────────────────────


async def statements_of(store: SqliteStore, ends: Sequence[Match]) -> list[str]:
    """What is read and written to commit these together."""
    found: list[str] = []
    await store._write(lambda connection, _: driver_of(connection).set_trace_callback(found.append))
    await asyncio.gather(*(write(store, end) for end in ends))
    await store._write(lambda connection, _: driver_of(connection).set_trace_callback(None))
    return [one for one in found if one.startswith(("SELECT", "INSERT", "UPDATE", "DELETE"))]


async def test_ends_that_wait_take_few_statements_none_of_which_reads_a_table(sqlite: SqliteStore) -> None:
    matches = [await add(sqlite, "sita", "hari") for _ in range(40)]
    ends = [(left if number % 2 else over)(match) for number, match in enumerate(matches)]
    statements = await statements_of(sqlite, ends)
    assert len(statements) <= 9
    plans = await sqlite._read(
        lambda connection: [
            row[3] for one in statements for row in driver_of(connection).execute(f"EXPLAIN QUERY PLAN {one}")
        ]
    )
    assert any(plan.startswith("SEARCH member") for plan in plans)
    tables = ("match", "chair", "member", "journal")
    assert [plan for plan in plans if plan.startswith("SCAN") and plan.split()[1] in tables] == []


async def test_who_goes_away_is_told_late_of_it(sqlite: SqliteStore) -> None:
    await assert_told_late(sqlite)
