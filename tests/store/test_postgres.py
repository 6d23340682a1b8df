"""What the store on PostgreSQL promises beside the port: it survives a database that is away, full, slow or read-only.

Errors of the database are raised by the database itself: a trigger on what is written.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial

import asyncpg
import msgspec
import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from chautari.app.ports import Overtaken, RequestSeen
from chautari.app.values import SECOND, DueKind, Match
from chautari.errors import Exhausted, Malformed, Unavailable
from chautari.store.postgres import PostgresStore
from chautari.store.postgres_bus import postgres_bus
from chautari.store.postgres_commit import Committer, Waiting
from tests.cluster import Cluster, running_cluster
from tests.e2e.proxy import Proxy
from tests.store.conftest import KEY, SetClock
from tests.store.made import following, make_account, make_entry, make_match, make_request, make_token
from tests.store.test_hints import hear, listening
from tests.store.test_port import add, commit, revisions

_MAKE_FAULTY = """
CREATE TABLE fault (state text NOT NULL, times integer NOT NULL);
CREATE SEQUENCE faults;
CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE told text; most integer;
BEGIN
    SELECT state, times INTO told, most FROM fault;
    IF FOUND AND nextval('faults') <= most THEN RAISE EXCEPTION 'a secret word' USING ERRCODE = told; END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER fail AFTER INSERT OR UPDATE ON journal FOR EACH STATEMENT EXECUTE FUNCTION fail();
CREATE TRIGGER fail AFTER INSERT OR UPDATE ON account FOR EACH STATEMENT EXECUTE FUNCTION fail();
"""
_FOR_EVER = 1_000_000


class Faulty:
    """A database whose writes fail when they are told to."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        self._cluster = cluster
        self._name = name
        self.url = cluster.url(name)
        self.run(_MAKE_FAULTY)

    def run(self, statement: str) -> str:
        """Runs a statement there."""
        return self._cluster.run(statement, self._name)

    @contextmanager
    def fails(self, state: str, times: int = _FOR_EVER) -> Iterator[None]:
        """The next writes raise this SQLSTATE."""
        self.run(f"INSERT INTO fault VALUES ('{state}', {times}); SELECT setval('faults', 1, false)")
        yield
        self.run("DELETE FROM fault")


@pytest.fixture(scope="module")
def faulty(cluster: Cluster) -> Faulty:
    """One such database."""
    name = cluster.make_database()

    async def make() -> None:
        await (await PostgresStore.open(cluster.url(name), KEY)).close()

    asyncio.run(make())
    return Faulty(cluster, name)


@pytest.fixture
async def store(faulty: Faulty) -> AsyncIterator[PostgresStore]:
    """A store on it."""
    store = await PostgresStore.open(faulty.url, KEY)
    yield store
    await store.close()


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        ("53100", "STORAGE_FULL"), ("53200", "STORAGE_FULL"), ("25006", "STORAGE_AWAY"), ("53300", "STORAGE_AWAY"),
        ("55P03", "STORAGE_AWAY"), ("57014", "STORAGE_AWAY"), ("57P01", "STORAGE_AWAY"), ("58030", "STORAGE_AWAY"),
        ("XX001", "STORAGE_AWAY"), ("23503", "STORAGE_AWAY"), ("23505", "STORAGE_AWAY"), ("40001", "STORAGE_AWAY"),
        ("40P01", "STORAGE_AWAY"), ("42703", "STORAGE_AWAY"), ("08006", "STORAGE_AWAY"), ("22003", "STORAGE_AWAY"),
    ],
)  # fmt: skip
async def test_a_write_that_the_database_refuses_leaves_nothing_and_reads_go_on(
    faulty: Faulty, store: PostgresStore, state: str, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    match, account, request = await add(store, "sita", "hari"), make_account(), make_request()
    new = make_match("sita", None)
    with faulty.fails(state):
        results = await asyncio.gather(
            *(commit(store, following(match), request=request, chairs=chairs) for chairs in (False, True)),
            add(store, "sita"),
            store.add_match(new, make_entry(new)),
            store.add_account(account, make_token(account.id)),
            return_exceptions=True,
        )
        for error in results:
            assert isinstance(error, Exhausted if reason == "STORAGE_FULL" else Unavailable), repr(error)
            assert error.reason == reason
            assert error.retry_after > 0
            assert "secret" not in str(error)
        assert await store.find_match(match.id) == match
        assert await store.find_account(account.id) is None
        assert await store.find_match(new.id) is None
        await store.check()
    assert await revisions(store, match.id) == [1]
    await commit(store, following(match), request=request)
    with pytest.raises(RequestSeen):
        await commit(store, following(following(match)), request=request)
    await store.add_account(account, make_token(account.id))


@pytest.mark.parametrize("state", ["40001", "40P01", "26000", "0A000"])
async def test_what_may_be_tried_again_is_tried_again(faulty: Faulty, store: PostgresStore, state: str) -> None:
    matches = [await add(store, "sita", "hari") for _ in range(3)]
    account = make_account()
    with faulty.fails(state, times=2):
        await asyncio.gather(*(commit(store, following(match)) for match in matches))
    with faulty.fails(state, times=2):
        await store.add_account(account, make_token(account.id))
    for match in matches:
        assert await store.find_match(match.id) == following(match)
    assert await store.find_account(account.id) == account


async def test_the_others_of_a_batch_are_none_the_worse_for_one_that_cannot_be_written(store: PostgresStore) -> None:
    matches = [await add(store, "sita", "hari") for _ in range(9)]
    entries = [
        make_entry(following(match), action="\0" if not number else "take") for number, match in enumerate(matches)
    ]
    done = await asyncio.gather(
        *(store.commit(following(match), entry) for match, entry in zip(matches, entries, strict=True)),
        return_exceptions=True,
    )
    assert [isinstance(at, int) for at in done] == [False] + [True] * 8
    assert isinstance(done[0], Malformed)


async def test_acts_wait_for_as_many_as_came_together_lately_but_not_for_long(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    save = Committer._save

    async def spy(self: Committer, waiting: Sequence[Waiting]) -> dict[str, int]:
        sizes.append(len(waiting))
        return await save(self, waiting)

    monkeypatch.setattr(Committer, "_save", spy)
    matches = [await add(store, "sita", "hari") for _ in range(5)]
    await asyncio.gather(*(commit(store, following(match)) for match in matches))
    assert sizes == [5]
    monkeypatch.setattr("chautari.store.postgres_commit._LINGER_SECONDS", 60.0)
    first = asyncio.ensure_future(commit(store, match := following(following(matches[0]))))
    await asyncio.sleep(0.05)
    assert sizes == [5]
    async with asyncio.timeout(30):  # they have come
        await asyncio.gather(first, *(commit(store, following(following(one))) for one in matches[1:]))
    assert sizes == [5, 5]
    monkeypatch.setattr("chautari.store.postgres_commit._LINGER_SECONDS", 0.001)
    for _ in range(4):  # nobody else comes any more
        await commit(store, match := following(match))
    monkeypatch.setattr("chautari.store.postgres_commit._LINGER_SECONDS", 60.0)
    async with asyncio.timeout(30):
        await commit(store, match := following(match))
    assert sizes == [5, 5, 1, 1, 1, 1, 1]


async def test_who_waits_for_company_is_committed_when_the_store_is_closed(
    faulty: Faulty, store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    matches = [await add(store, "sita", "hari") for _ in range(5)]
    await asyncio.gather(*(commit(store, following(match)) for match in matches))
    monkeypatch.setattr("chautari.store.postgres_commit._LINGER_SECONDS", 60.0)
    waiting = asyncio.ensure_future(commit(store, last := following(following(matches[0]))))
    await asyncio.sleep(0.05)
    async with asyncio.timeout(30):
        await store.close()
    await waiting
    again = await PostgresStore.open(faulty.url, KEY)
    assert await again.find_match(last.id) == last
    await again.close()


async def test_entries_have_the_time_of_the_database_however_wrong_its_estimate_is_here(store: PostgresStore) -> None:
    store._database_clock.set(2 * store.clock(), time.monotonic_ns())
    match = await add(store, "sita", "hari")
    for chairs in (False, True, False):
        await commit(store, match := following(match), chairs=chairs)
    times = [entry.at for entry in await store.entries(match.id, 0, 10)]
    assert times == sorted(times)
    assert times[-1] < store.clock()


async def test_no_session_keeps_others_waiting_for_ever(store: PostgresStore) -> None:
    """As one would whose replica stands still in the midst of a transaction."""
    names = ("idle_in_transaction_session_timeout", "lock_timeout", "statement_timeout")
    asked = text(f"SELECT {', '.join(f'current_setting({name!r})' for name in names)}")
    assert await store._read(lambda connection: tuple(connection.execute(asked).one())) == ("15s", "5s", "7600ms")


async def test_what_is_due_is_claimed_beside_a_match_that_somebody_holds(faulty: Faulty, store: PostgresStore) -> None:
    kinds, due = (DueKind.EXPIRE,), {"due_at": 1, "due_kind": DueKind.EXPIRE, "wake_at": 1}
    held, other = [await add(store, "sita", None, **due) for _ in range(2)]
    outside = await asyncpg.connect(faulty.url)
    async with outside.transaction():
        await outside.execute("SELECT FROM match WHERE id = $1 FOR UPDATE", held.id)
        await store.pulse()  # else it may be an outage, where others work here too
        assert other.id in [claim.match_id for claim in (await store.claim_due(kinds, 99, SECOND)).claimed]
    await outside.close()
    assert held.id in [claim.match_id for claim in (await store.claim_due(kinds, 99, SECOND)).claimed]


async def test_a_zero_byte_is_refused_wherever_it_comes_from(store: PostgresStore) -> None:
    """SQLite would keep it; nobody needs it."""
    account = msgspec.structs.replace(make_account(), display_name="a\0b")
    asks: list[Callable[[], Awaitable[object]]] = [
        lambda: store.find_match("a\0b"),
        lambda: store.find_by_code("\0"),
        lambda: store.find_account("\0"),
        lambda: store.add_account(account, make_token(account.id)),
        lambda: add(store, "a\0b"),
    ]
    for ask in asks:
        with pytest.raises(Malformed) as refused:
            await ask()
        assert refused.value.reason == "REQUEST_INVALID"


async def test_a_database_that_takes_no_changes_for_a_while(
    cluster: Cluster, faulty: Faulty, store: PostgresStore
) -> None:
    """As a standby, or one whose operator has set it so; a replica may start meanwhile."""
    match = await add(store, "sita", "hari")
    name = faulty.url.rpartition("/")[2]
    cluster.run(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    _end_connections(faulty)
    with pytest.raises(Unavailable):  # what was lost with a connection may say so first
        await commit(store, following(match))
    with pytest.raises(Unavailable, match="takes no changes now"):
        await commit(store, following(match))
    assert await store.find_match(match.id) == match
    other = await PostgresStore.open(faulty.url, KEY)
    assert await other.find_match(match.id) == match
    with pytest.raises(Unavailable):
        await commit(other, following(match))
    cluster.run(f"ALTER DATABASE {name} RESET default_transaction_read_only")
    await _goes_on(lambda: commit(store, following(match)))
    await _goes_on(lambda: commit(other, following(following(match))))
    await other.close()


async def test_connections_that_are_ended_are_made_anew(faulty: Faulty, store: PostgresStore) -> None:
    match = await add(store, "sita", "hari")
    for _ in range(3):
        match = following(match)
        await commit(store, match)
        _end_connections(faulty)
        assert await store.find_match(match.id) == match


async def test_a_database_that_is_stopped_and_started(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)
    with running_cluster() as cluster:
        store = await PostgresStore.open(cluster.url(), KEY)
        match, request = await add(store, "sita", "hari"), make_request()
        asks: list[Callable[[], Awaitable[object]]] = [
            partial(commit, store, following(match), request=request),
            partial(commit, store, following(match), request=request, chairs=True),
            partial(store.find_match, match.id),
            store.check,
            partial(PostgresStore.open, cluster.url(), KEY),
        ]
        buses = [postgres_bus(cluster.url()) for _ in range(2)]
        async with listening(buses[0]) as (one, _), listening(buses[1]) as (_, heard):
            await hear(one, heard, "first")
            with capture_logs() as logs:
                await asyncio.to_thread(cluster.stop)
                for ask in asks:
                    with pytest.raises(Unavailable) as away:
                        await ask()
                    assert (away.value.reason, away.value.retry_after) == ("STORAGE_AWAY", 1.0)
                await asyncio.sleep(0.5)
                await asyncio.to_thread(cluster.start)
                await _goes_on(asks[0])
                await hear(one, heard, "second")
            slow = [line for line in logs if line["event"].startswith("hints are slow")]
            assert [line["log_level"] for line in slow] == ["warning"] * len(buses)
        await store.check()
        assert await revisions(store, match.id) == [1, 2]
        await store.close()


@asynccontextmanager
async def _through(proxy: Proxy, url: str) -> AsyncIterator[PostgresStore]:
    """A store whose connections lead through a proxy, and that waits for an answer for a moment only."""
    _, _, name = url.rpartition("/")
    store = await PostgresStore.open(f"postgresql://postgres@{proxy.address}/{name}", KEY, seconds=1.5)
    try:
        yield store
    finally:
        proxy.go_on()
        await store.close()


@pytest.mark.parametrize("answers", [True, False], ids=["the answer is lost", "the question is late"])
async def test_whether_it_was_done_is_found_by_asking_again(cluster: Cluster, faulty: Faulty, answers: bool) -> None:
    """A database that hangs: the caller is told in bounded time, and a repeat of the request is done once in all."""
    async with Proxy("127.0.0.1", cluster.port) as proxy, _through(proxy, faulty.url) as store:
        matches = [following(await add(store, "sita", "hari")) for _ in range(2)]
        requests = [make_request() for _ in matches]
        await asyncio.gather(*(commit(store, match) for match in matches))
        matches = [following(match) for match in matches]
        proxy.hold(answers=answers)

        async def ask(number: int) -> Match:
            """One by the short way, one by the long."""
            return await commit(store, matches[number], request=requests[number], chairs=bool(number))

        async with asyncio.timeout(60):
            told = await asyncio.gather(
                ask(0), ask(1), store.find_match(matches[0].id), store.check(), return_exceptions=True
            )
        assert {type(error) for error in told} == {Unavailable}
        assert "may be done" in str(told[0])
        assert "nothing was changed" in str(told[2])
        proxy.go_on()

        async def again(number: int) -> None:
            try:
                await ask(number)
            except (
                RequestSeen,
                Overtaken,
            ):  # by what was late, between a look and the write
                entry = await store.find_request("sita", requests[number], matches[number].id)
                assert entry is not None
                assert entry.revision == matches[number].revision

        for number, match in enumerate(matches):
            await _goes_on(partial(again, number))
            assert await store.find_match(match.id) == match
            assert await revisions(store, match.id) == [1, 2, 3]


async def test_whoever_comes_after_what_hangs_does_not_wait_for_ever(cluster: Cluster, faulty: Faulty) -> None:
    async with Proxy("127.0.0.1", cluster.port) as proxy, _through(proxy, faulty.url) as store:
        matches = [await add(store, "sita", "hari") for _ in range(12)]
        proxy.hold()
        waiting = []
        for match in matches:
            waiting.append(asyncio.ensure_future(commit(store, following(match))))
            await asyncio.sleep(0.02)
        async with asyncio.timeout(60):
            done = await asyncio.gather(*waiting, return_exceptions=True)
        assert {type(error) for error in done} == {Unavailable}
        proxy.go_on()
        for match in matches:
            with suppress(Overtaken):  # it was done late
                await _goes_on(partial(commit, store, following(match)))
            assert await store.find_match(match.id) == following(match)


async def test_an_act_is_one_round_trip(cluster: Cluster, faulty: Faulty) -> None:
    async with Proxy("127.0.0.1", cluster.port) as proxy, _through(proxy, faulty.url) as store:
        await assert_one_round_trip(store, proxy)


async def assert_one_round_trip(store: PostgresStore, proxy: Proxy) -> None:
    """Acts take a round trip each, but for the few of the service's own that come between."""
    match = await add(store, "sita", "hari")
    await commit(store, match := following(match))
    few = []
    for _ in range(5):
        before = proxy.turns
        for _ in range(10):
            match = following(match)
            await commit(store, match, request=make_request())
        few.append(proxy.turns - before)
    assert min(few) == 10


async def _goes_on(ask: Callable[[], Awaitable[object]]) -> None:
    """Asks until the database is back."""
    async with asyncio.timeout(60):
        while True:
            try:
                await ask()
            except Unavailable:
                await asyncio.sleep(0.05)
            else:
                return


def _end_connections(faulty: Faulty) -> None:
    """Ends all connections of the store."""
    faulty.run(
        "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity "
        "WHERE datname = current_database() AND application_name = 'chautari'"
    )


async def test_a_role_that_owns_its_database_is_enough_and_the_url_may_have_options(cluster: Cluster) -> None:
    name = cluster.make_database()
    cluster.run(f"CREATE ROLE {name}_owner LOGIN")
    cluster.run(f"ALTER DATABASE {name} OWNER TO {name}_owner")
    url = f"postgres://{name}_owner@127.0.0.1:{cluster.port}/{name}?sslmode=disable&target_session_attrs=any"
    store = await PostgresStore.open(url, KEY)
    match = await add(store, "sita", "hari")
    await commit(store, following(match))
    assert store._place.here
    async with listening(postgres_bus(url)) as (one, _), listening(postgres_bus(url)) as (_, heard):
        await hear(one, heard, match.id)
    await store.close()


async def test_time_goes_on_from_where_the_service_was_alive_last(cluster: Cluster, clock: SetClock) -> None:
    url = cluster.url(cluster.make_database())
    store = await PostgresStore.open(url, KEY, clock)
    clock.pass_seconds(60)
    await store.pulse()
    before = clock.time
    await store.close()
    clock.pass_seconds(-3600)
    again = await PostgresStore.open(url, KEY, clock)
    assert again.clock() >= before
    await again.close()
