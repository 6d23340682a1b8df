"""What the tests of the store share: a store in memory, one on SQLite, and a clock that can be set."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from chautari.app.ports import Store
from chautari.app.values import SECOND, Micros
from chautari.store import MemoryStore, SqliteStore, migrate

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


@pytest.fixture(params=["memory", "sqlite"])
async def store(request: pytest.FixtureRequest, database: Path, clock: SetClock) -> AsyncIterator[Store]:
    """Each of the stores in turn."""
    made: Store
    if request.param == "memory":
        made = MemoryStore(clock)
    else:
        made = SqliteStore.open(database, KEY, clock)
    yield made
    await made.close()


@pytest.fixture
async def sqlite(database: Path) -> AsyncIterator[SqliteStore]:
    """A store on SQLite by the system's clock."""
    made = SqliteStore.open(database, KEY)
    yield made
    await made.close()
