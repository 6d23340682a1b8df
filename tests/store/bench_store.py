"""Measures the store by hand: `python -m tests.store.bench_store [SECONDS]`. No test; the figures are for comparing.

acts      commits a second by 32 tasks, each on a match of its own, over the store on SQLite
alone     microseconds of one commit while nothing else happens
bare      the limit: the same rows by 32 in one transaction, in a loop, by nothing but `sqlite3`
bare one  microseconds of the bare transaction of one act
memory    commits a second over the store in memory
disk      bytes an action of packed matches, with all tables and indexes
"""

import asyncio
import sqlite3
import sys
import tempfile
import time
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import uvloop

from chautari.app.ports import Store
from chautari.app.values import Entry, Match, MatchState
from chautari.store import MemoryStore, SqliteStore, journal, matches, migrate
from chautari.store.connect import connect, driver_of
from tests.store.made import following, make_account, make_entry, make_match, make_request, make_token, play

TASKS = 32
KEY = bytes(32)
SNAPSHOT, EVENTS = bytes(range(170)), bytes(range(70))
GAMES = ("gulam_chor", "bluff", "jutpatti", "dehla_pakad")


async def rate(store: Store, seconds: float, tasks: int = TASKS) -> float:
    """Commits a second of so many tasks."""
    end = time.perf_counter() + seconds
    done = 0

    async def commit() -> None:
        nonlocal done
        match = _started()
        await store.add_match(match, make_entry(match))
        while time.perf_counter() < end:
            match, entry = _act(match)
            await store.commit(match, entry)
            done += 1

    await asyncio.gather(*(commit() for _ in range(tasks)))
    return done / seconds


def bare_rate(path: Path, seconds: float, together: int = TASKS) -> float:
    """Commits a second of the same rows by nothing but the driver, so many in each transaction."""
    connection = connect(path)
    execute = driver_of(connection).execute
    add = f"INSERT INTO journal ({', '.join(journal.COLUMNS)}) VALUES ({', '.join('?' * len(journal.COLUMNS))})"
    save = f"UPDATE match SET {', '.join(f'{name} = ?' for name in matches.CHANGING)} WHERE id = ? AND revision = ?"
    stored = execute("SELECT id, revision FROM match LIMIT ?", (together,)).fetchall()
    assert len(stored) == together
    acts = [_act(msgspec.structs.replace(_started(), id=row[0], revision=row[1])) for row in stored]
    rows = [[*journal.to_row(entry, 1)] for _, entry in acts]
    values = [[*matches.changing(match), match.id, match.revision - 1] for match, _ in acts]
    requests = count(time.time_ns())
    done, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        execute("BEGIN IMMEDIATE")
        for row, value in zip(rows, values, strict=True):
            row[8] = next(requests).to_bytes(16, "big")
            execute(add, row)
            assert execute(save, value).rowcount == 1
            row[1] += 1
            value[0] += 1
            value[-1] += 1
        execute("COMMIT")
        done += together
    connection.close()
    return done / seconds


async def keep_packed(path: Path, matches_each: int) -> int:
    """Keeps real matches of each game, all at once, each packed when it is over; gives how many actions they had."""
    store = SqliteStore.open(path, KEY)
    actions = 0

    async def keep(key: str, seed: int) -> None:
        nonlocal actions
        match: Match | None = None
        for match, entry in play(key, 4, seed):
            if match.revision == 1:
                for account_id in sorted(matches.members_of(match)):
                    await store.add_account(make_account(account_id), make_token(account_id))
                await store.add_match(match, entry)
            else:
                await store.commit(match, entry)
            actions += 1
        assert match is not None
        await store.pack(match.id)

    await asyncio.gather(*(keep(key, seed) for key in GAMES for seed in range(matches_each)))
    await store.close()
    return actions


def _started() -> Match:
    return make_match(
        "sita", "hari", "gita", "ram", state=MatchState.PLAYING, snapshot=SNAPSHOT, must=1, started_at=1_000_000
    )


def _act(match: Match) -> tuple[Match, Entry]:
    match = following(match, must=match.must ^ 3)
    return match, make_entry(match, account_id="sita", events=EVENTS, request=make_request())


async def measure(seconds: float) -> dict[str, float]:
    """All figures."""
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        store = SqliteStore.open(path, KEY)
        figures["acts"] = await rate(store, seconds)
        figures["alone"] = 1e6 / await rate(store, seconds, tasks=1)
        await store.close()
        figures["bare"] = bare_rate(path, seconds)
        figures["bare one"] = 1e6 / bare_rate(path, seconds, together=1)
        figures["ratio"] = figures["acts"] / figures["bare"]
        figures["memory"] = await rate(MemoryStore(), seconds)
    return figures


def disk(matches_each: int) -> float:
    """Bytes an action by which the whole file grows, with so many matches of each game; without the free pages, which
    the next match fills."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        migrate.upgrade(f"sqlite:///{path}")
        empty = _used(path)
        actions = asyncio.run(keep_packed(path, matches_each))
        return (_used(path) - empty) / actions


def _used(path: Path) -> int:
    """Bytes of the pages of a file that are not free."""
    connection = sqlite3.connect(path)
    pages, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    connection.close()
    return int((pages - free) * size)


def main() -> None:
    """Prints all figures."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
    figures = uvloop.run(measure(seconds)) | {"disk": disk(20)}
    for name, figure in figures.items():
        print(f"{name:10}{figure:12,.2f}")


if __name__ == "__main__":
    main()
