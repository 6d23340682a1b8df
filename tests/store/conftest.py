"""What the tests of the store share: a store in memory, one on SQLite, and a clock that can be set."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import asyncpg
import pytest

from chautari.app.ports import Store
from chautari.app.values import SECOND, Micros
from chautari.store import MemoryStore, SqliteStore, migrate, tables
from chautari.store.postgres import PostgresStore
from tests.cluster import Cluster, running_cluster
from tests.pooler import running_pooler

KEY = bytes(range(32))


class SetClock:
    """A clock that stands where it is set."""

    def __init__(self) -> None:
        self.time: Micros = 1_790_000_000 * SECOND

    def __call__(self) -> Micros:
        """The time it is set to."""
        return self.time

    def pass_seconds(self, seconds: int) -> None:
        """Moves it on."""
        self.time += seconds * SECOND


@pytest.fixture
def clock() -> SetClock:
    """A clock that stands still until it is moved."""
    return SetClock()


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database whose tables are made: a copy of it costs less than another one."""
    path = tmp_path_factory.mktemp("empty") / "store.db"
    migrate.change_tables(path, migrate.upgrade_here)
    return path


@pytest.fixture
def database(empty_database: Path, tmp_path: Path) -> Path:
    """A database with nothing in it."""
    return Path(shutil.copy(empty_database, tmp_path / "store.db"))


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL that runs."""
    with running_cluster() as running:
        yield running


_EMPTIED = ", ".join(f'"{table}"' for table in tables.metadata.tables)


@pytest.fixture(scope="session")
def postgresql_tables(cluster: Cluster) -> str:
    """A database there whose tables are made; its URL."""

    async def make(url: str) -> None:
        made = await PostgresStore.open(url, KEY)
        await made.close()

    url = cluster.url(cluster.make_database())
    with ThreadPoolExecutor(1) as apart:  # the loop of a test may be running here
        apart.submit(asyncio.run, make(url)).result()
    return url


async def _emptied(url: str) -> str:
    """The same database with nothing in it."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(f"TRUNCATE {_EMPTIED}")
    finally:
        await connection.close()
    return url


@pytest.fixture(scope="session")
def pooler(cluster: Cluster) -> Iterator[int]:
    """The port of a PgBouncer before it."""
    with running_pooler(cluster) as port:
        yield port


_STORES = ["memory", "sqlite", "postgresql", pytest.param("pooled", marks=pytest.mark.soak)]
"""The last: on PostgreSQL through a PgBouncer."""


@pytest.fixture(params=_STORES)
async def store(request: pytest.FixtureRequest, clock: SetClock) -> AsyncIterator[Store]:
    """Each of the stores in turn."""
    made: Store
    if request.param == "memory":
        made = MemoryStore(clock)
    elif request.param == "sqlite":
        made = SqliteStore.open(request.getfixturevalue("database"), KEY, clock)
    else:
        url = await _emptied(request.getfixturevalue("postgresql_tables"))
        if request.param == "pooled":
            url = f"postgresql://postgres@127.0.0.1:{request.getfixturevalue('pooler')}/{url.rpartition('/')[2]}"
        made = await PostgresStore.open(url, KEY, clock)
    yield made
    await made.close()


@pytest.fixture
async def sqlite(database: Path) -> AsyncIterator[SqliteStore]:
    """A store on SQLite by the system's clock."""
    made = SqliteStore.open(database, KEY)
    yield made
    await made.close()
