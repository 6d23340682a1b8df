"""Looking whether the database answers, and that it can be stopped at any moment."""

import asyncio
from typing import Any, cast

import pytest

from chautari import running
from chautari.app.ports import Store
from chautari.wire import readiness
from chautari.wire.readiness import Readiness


class Database:
    """A store that answers at once, or not."""

    answers = True

    async def check(self) -> None:
        """See `app.ports`."""
        if not self.answers:
            raise TimeoutError


@pytest.fixture
def database(monkeypatch: pytest.MonkeyPatch) -> Database:
    monkeypatch.setattr(readiness, "_SECONDS", 0.0)
    return Database()


def looking(database: Database, told: list[bool]) -> Readiness:
    async def tell(is_ready: bool) -> None:
        told.append(is_ready)

    return Readiness(running._works_of(cast("Store", database)), tell)


@pytest.mark.parametrize("turns", range(12))
async def test_it_stops_at_whatever_moment_of_a_look(database: Database, turns: int) -> None:
    told: list[bool] = []
    looks = looking(database, told)
    looks.start()
    for _ in range(turns):
        await asyncio.sleep(0)
    async with asyncio.timeout(30):
        await looks.stop()
    assert told == []


async def test_changes_are_told_once_and_a_fault_ends_nothing(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[bool] = []
    looks = looking(database, told)
    looks.start()
    check: Any = database.check

    async def fault() -> None:
        raise RuntimeError

    for answers, now in ((False, [False]), (True, [False, True]), (False, [False, True, False])):
        monkeypatch.setattr(database, "check", fault)
        for _ in range(10):
            await asyncio.sleep(0)
        monkeypatch.setattr(database, "check", check)
        database.answers = answers
        for _ in range(20):
            await asyncio.sleep(0)
        assert told == now
    async with asyncio.timeout(30):
        await looks.stop()
