"""The writer of SQLite where the event loop and its thread meet: nobody is overtaken, left behind or told nothing."""

import asyncio
import sqlite3
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import Connection

from chautari.app.values import Match, Micros
from chautari.errors import Unavailable
from chautari.store import SqliteStore
from chautari.store.group_commit import Cold
from tests.store.conftest import KEY
from tests.store.made import following, make_entry, make_match


async def add(store: SqliteStore) -> Match:
    """A new match in the store."""
    match = make_match("sita", "hari")
    await store.add_match(match, make_entry(match))
    return match


def commit(store: SqliteStore, match: Match) -> "asyncio.Future[Micros]":
    """Begins to commit the next revision of a match."""
    match = following(match)
    return store.commit(match, make_entry(match))


def nothing(_connection: Connection, _at: Micros) -> None:
    """A job that does nothing."""


@pytest.mark.parametrize(("expected", "rounds"), [(1, 1), (9, 1), (9, 2)])
def test_who_comes_in_a_second_event_loop_is_not_left_with_those_of_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: int, rounds: int
) -> None:
    """The first ends after so many rounds: before it has looked at what came, or while that waits for companions."""
    monkeypatch.setattr("chautari.store.writer.BEAT_SECONDS", 60)  # what is expected sinks with each beat
    store = SqliteStore.open(tmp_path / "store.db", KEY)
    first = asyncio.new_event_loop()
    left, mine = [first.run_until_complete(add(store)) for _ in range(2)]
    store._writer._expected = expected

    def begin() -> None:
        commit(store, left)
        (first.stop if rounds == 1 else lambda: first.call_soon(first.stop))()

    first.call_soon(begin)
    first.run_forever()
    first.close()

    async def go_on() -> list[int]:
        async with asyncio.timeout(30):
            await commit(store, mine)
        found = [await store.find_match(match.id) for match in (left, mine)]
        await store.close()
        return [match.revision for match in found if match is not None]

    assert asyncio.run(go_on()) == [2, 2]


async def test_an_act_does_not_overtake_what_the_thread_has_not_taken_yet(
    sqlite: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await add(sqlite)
    queue, gate, done = sqlite._writer._queue, threading.Event(), []
    closed = threading.Event()

    def get(timeout: float) -> Any:
        del timeout
        if closed.is_set():
            gate.wait(60)
        return queue.get()

    spy = SimpleNamespace(put=queue.put, get=get, get_nowait=queue.get_nowait, empty=queue.empty)
    monkeypatch.setattr(sqlite._writer, "_queue", spy)
    await sqlite._write(lambda _connection, _at: closed.set())  # the thread stands at the gate from now on
    earlier = sqlite._writer.submit(Cold(nothing))
    earlier.add_done_callback(lambda _: done.append("earlier"))
    await asyncio.sleep(0.01)
    act = commit(sqlite, match)
    act.add_done_callback(lambda _: done.append("act"))
    await asyncio.sleep(0.01)
    assert done == []
    gate.set()
    await asyncio.gather(earlier, act)
    assert done == ["earlier", "act"]


async def test_an_act_is_committed_at_once_where_acts_have_long_come_alone(
    sqlite: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chautari.store.writer._BRIEF_SECONDS", 5.0)  # whatever the disk is doing
    first, second = [await add(sqlite) for _ in range(2)]
    await commit(sqlite, first)
    act = commit(sqlite, second)
    assert not act.done()  # it may be that another comes
    await act
    at_once = False
    for _ in range(5):  # the thread may just be noting that it is alive
        sqlite._writer._alone = 1000
        first, second = [await sqlite.find_match(match.id) or match for match in (first, second)]
        act, other = commit(sqlite, first), commit(sqlite, second)
        at_once = at_once or act.done()
        assert not other.done()  # one in a round of the event loop, which goes on
        assert sqlite._writer._alone == 0  # it has not come alone
        await asyncio.gather(act, other)
    assert at_once
    sqlite._writer._alone = 1000
    third = await add(sqlite)
    await asyncio.gather(*(commit(sqlite, following(match)) for match in (first, second)), commit(sqlite, third))
    assert sqlite._writer._alone < 1000  # they do not come alone any more


@pytest.mark.parametrize("alone", [True, False])
async def test_who_came_just_before_the_writer_ended_is_told(sqlite: SqliteStore, alone: bool) -> None:
    matches = [await add(sqlite) for _ in range(1 if alone else 3)]
    waiting = [commit(sqlite, match) for match in matches]
    sqlite._writer._queue.put(None)
    sqlite._writer._thread.join()
    async with asyncio.timeout(30):
        outcomes = await asyncio.gather(*waiting, return_exceptions=True)
    assert [str(outcome) for outcome in outcomes if isinstance(outcome, Unavailable)] == [
        "the database is closed"
    ] * len(matches)
    assert [await sqlite.find_match(match.id) for match in matches] == matches


async def test_the_writer_ends_though_another_program_has_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chautari.store.group_commit.BUSY_SECONDS", 0.3)
    store = SqliteStore.open(tmp_path / "store.db", KEY)
    match = await add(store)
    other = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    act = commit(store, match)
    await asyncio.sleep(0.05)
    closing = asyncio.ensure_future(store.close())
    outcomes = await asyncio.gather(act, return_exceptions=True)
    done, _ = await asyncio.wait([closing], timeout=30)
    store._writer._queue.put(None)  # where it has forgotten that it is to end, this test does not wait for ever
    assert done
    assert [type(outcome) for outcome in outcomes] == [Unavailable]
    other.close()
