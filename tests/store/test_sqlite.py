"""What the store on SQLite promises beside the port: it survives crashes, full disks and other processes."""

import asyncio
import logging
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from sqlalchemy import Connection

from chautari.app.account_values import SigningKey
from chautari.app.ports import Overtaken
from chautari.app.values import SECOND, Match, Micros
from chautari.errors import Conflict, Exhausted, Malformed, Unavailable
from chautari.store import SqliteStore
from chautari.store.connect import driver_of
from chautari.store.group_commit import Waiting
from chautari.store.migrate import lock_path
from tests.store import crashing
from tests.store.bench_store import disk
from tests.store.conftest import KEY, SetClock
from tests.store.made import SECRET, following, make_account, make_entry, make_match, make_request, make_token
from tests.waiting import until

ROOT = Path(__file__).parents[2]


async def commit(store: SqliteStore, match: Match, size: int = 1) -> Match:
    """The match one revision on, committed with events of this size."""
    match = following(match)
    await store.commit(match, make_entry(match, events=bytes(size)))
    return match


async def add(store: SqliteStore) -> Match:
    """A new match in the store."""
    match = make_match("sita", "hari")
    await store.add_match(match, make_entry(match))
    return match


# ── Crashes ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_was_acknowledged_survives_ten_kills(tmp_path: Path) -> None:
    path, random = tmp_path / "store.db", Random(2)
    acknowledged: dict[tuple[str, int], str] = {}
    command = [sys.executable, "-m", "tests.store.crashing", str(path)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for _ in range(10):
            server.stdin.write("go on\n")
            server.stdin.flush()
            child = int(server.stdout.readline().split()[1])
            last = random.randrange(1, 60)
            lines: list[str] = []
            while not lines or lines[-1] != f"killed {child}\n":
                lines.append(server.stdout.readline())
                if len(lines) == last:
                    time.sleep(random.uniform(0.0, 0.005))
                    os.kill(child, signal.SIGKILL)
            for line in lines[:-1]:
                _, match_id, revision, request_id = line.split()
                assert acknowledged.setdefault((match_id, int(revision)), request_id) == request_id
            asyncio.run(look_at_what_is_left(path, acknowledged))
        server.stdin.close()
    assert len(acknowledged) > 100


async def look_at_what_is_left(path: Path, acknowledged: dict[tuple[str, int], str]) -> None:
    """Everything acknowledged is there, and each match is wholly at the last revision of its journal."""
    store = SqliteStore.open(path, KEY)
    found: dict[tuple[str, int], str] = {}
    for match_id in crashing.MATCHES:
        match = await store.find_match(match_id)
        assert match is not None
        entries = await store.entries(match_id, 0, 1_000_000)
        assert [entry.revision for entry in entries] == list(range(1, match.revision + 1))
        assert match.snapshot == crashing.snapshot(match.revision)
        assert match.shuffles == (match.revision if match.revision > 1 else 0)
        assert len(match.chairs) == 2
        found |= {(match_id, entry.revision): entry.request.id.hex() for entry in entries if entry.request}
    await store.close()
    assert acknowledged.items() <= found.items()


# ── Full disks ────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_on_a_full_disk_writes_are_refused_and_reads_go_on(sqlite: SqliteStore) -> None:
    match = await commit(sqlite, await add(sqlite))

    def limit(connection: Connection, _: Micros, pages: int) -> None:
        driver_of(connection).execute(f"PRAGMA max_page_count = {pages}")

    used = await sqlite._read(lambda connection: driver_of(connection).execute("PRAGMA page_count").fetchone()[0])
    await sqlite._write(lambda connection, at: limit(connection, at, used))
    await look_at_a_full_store(sqlite, match)
    await sqlite._write(lambda connection, at: limit(connection, at, 1_000_000))
    await commit(sqlite, match, 100_000)


async def test_where_the_file_system_takes_no_more_writes_are_refused(sqlite: SqliteStore, tmp_path: Path) -> None:
    match = await commit(sqlite, await add(sqlite))
    with files_limited((tmp_path / "store.db-wal").stat().st_size + 20_000):
        await look_at_a_full_store(sqlite, match)
    await commit(sqlite, match, 100_000)


async def look_at_a_full_store(store: SqliteStore, match: Match) -> None:
    """All writes that need room are refused, however many come at once; nothing of them is left, and reads go on."""
    others = [make_match("gita", None) for _ in range(3)]
    account = make_account()
    outcomes = await asyncio.gather(
        commit(store, match, 100_000),
        *(store.add_match(other, make_entry(other, events=bytes(100_000))) for other in others),
        return_exceptions=True,
    )
    for outcome in outcomes:
        assert isinstance(outcome, Exhausted)
        assert (outcome.reason, outcome.retry_after > 0) == ("STORAGE_FULL", True)
    assert await store.find_match(match.id) == match
    assert [entry.revision for entry in await store.entries(match.id, 0, 9)] == list(range(1, match.revision + 1))
    assert await store.matches_of("gita", active=True, my_turn=False, game=None, before=None, limit=9) == []
    assert await store.find_account(account.id) is None
    await store.check()


@contextmanager
def files_limited(size: int) -> Iterator[None]:
    """No file of this process may grow beyond so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


# ── One writer, many jobs ─────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_job_that_fails_does_not_hurt_the_others_of_its_transaction(sqlite: SqliteStore) -> None:
    match = await add(sqlite)
    account = make_account()
    await sqlite.add_account(account, make_token(account.id))
    outcomes = await asyncio.gather(
        commit(sqlite, match),
        sqlite.add_account(account, make_token(account.id)),
        sqlite.commit(following(match, revision=9), make_entry(following(match, revision=9))),
        sqlite.add_match(match, make_entry(match)),
        commit(sqlite, await add(sqlite)),
        return_exceptions=True,
    )
    assert [isinstance(outcome, Match) for outcome in outcomes] == [True, False, False, False, True]
    assert await sqlite.find_match(match.id) == following(match)


async def test_what_waits_is_committed_together_at_one_time_with_few_statements(sqlite: SqliteStore) -> None:
    matches = [await add(sqlite) for _ in range(32)]
    statements: list[str] = []
    await sqlite._write(lambda connection, _: driver_of(connection).set_trace_callback(statements.append))
    holding = threading.Event()
    held = sqlite._write(lambda _connection, _at: holding.wait(60))
    waiting = [asyncio.ensure_future(sqlite.commit(following(m), make_entry(following(m)))) for m in matches]
    first = asyncio.ensure_future(held)
    await asyncio.sleep(0.05)
    holding.set()
    assert await first
    assert len(set(await asyncio.gather(*waiting))) <= 2
    assert len([statement for statement in statements if "journal" in statement or "match" in statement]) <= 4


async def test_what_is_committed_is_on_the_disk(sqlite: SqliteStore) -> None:
    """A `kill -9` does not tell: what a process wrote outlives it, but not the power."""

    def read(connection: Connection) -> list[object]:
        asked = ("synchronous", "journal_mode", "foreign_keys")
        return [driver_of(connection).execute(f"PRAGMA {pragma}").fetchone()[0] for pragma in asked]

    assert await sqlite._write(lambda connection, _: read(connection)) == [2, "wal", 1]  # 2: FULL


async def test_a_write_that_returned_is_seen_by_every_read(sqlite: SqliteStore) -> None:
    match = await add(sqlite)
    for _ in range(100):
        match = await commit(sqlite, match)
        found = await asyncio.gather(*(sqlite.find_match(match.id) for _ in range(3)))
        assert found == [match] * 3


async def test_a_caller_that_goes_away_does_not_stop_the_writer(sqlite: SqliteStore) -> None:
    match = await add(sqlite)
    task = asyncio.ensure_future(commit(sqlite, match))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await commit(sqlite, following(match))
    assert await sqlite.find_match(match.id) == following(following(match))


async def test_closing_finishes_what_is_queued(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "store.db", KEY)
    matches = await asyncio.gather(*(add(store) for _ in range(300)))
    waiting = [asyncio.ensure_future(commit(store, match)) for match in matches]
    await asyncio.sleep(0)
    await store.close()
    done = await asyncio.gather(*waiting)
    again = SqliteStore.open(tmp_path / "store.db", KEY)
    assert [await again.find_match(match.id) for match in matches] == done
    await again.close()


async def test_nobody_waits_for_a_writer_that_ended(sqlite: SqliteStore) -> None:
    def end(_connection: Connection, _at: Micros) -> None:
        raise SystemExit

    match = await add(sqlite)
    jobs = [sqlite._write(end), *(commit(sqlite, match) for _ in range(3))]
    async with asyncio.timeout(30):
        outcomes = await asyncio.gather(*jobs, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [Unavailable] * 4
        with pytest.raises(Unavailable):
            await commit(sqlite, match)
        with pytest.raises(Unavailable):
            await sqlite.check()
    assert await sqlite.find_match(match.id) == match


async def test_a_database_that_another_program_locks_is_away(
    sqlite: SqliteStore, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.CRITICAL)
    monkeypatch.setattr("chautari.store.group_commit.BUSY_SECONDS", 0.4)
    match = await add(sqlite)
    other = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable) as away:
        await commit(sqlite, match)
    assert away.value.reason == "STORAGE_AWAY"
    assert await sqlite.find_match(match.id) == match
    first = asyncio.ensure_future(commit(sqlite, match))
    await asyncio.sleep(0.1)
    later = asyncio.gather(*(add(sqlite) for _ in range(3)), return_exceptions=True)
    with pytest.raises(Unavailable):
        await first
    await asyncio.sleep(0)  # who came while the first waited has waited long enough
    assert [type(outcome) for outcome in later.result()] == [Unavailable] * 3
    other.execute("ROLLBACK")
    other.close()
    await commit(sqlite, match)


# ── Who commits ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
async def handed(sqlite: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many jobs were handed to the thread, each time. It does nothing else: it notes no more that it is alive."""
    queue = sqlite._writer._queue
    counts: list[int] = []

    def put(jobs: list[Waiting[Any]] | None) -> None:
        counts.append(len(jobs or ()))
        queue.put(jobs)

    monkeypatch.setattr("chautari.store.writer._BRIEF_SECONDS", 5.0)

    def get(timeout: float) -> list[Waiting[Any]] | None:
        del timeout
        return queue.get()

    spy = SimpleNamespace(put=put, get=get, get_nowait=queue.get_nowait, empty=queue.empty)
    monkeypatch.setattr(sqlite._writer, "_queue", spy)
    await sqlite._write(lambda _connection, _at: None)  # the thread waits by this queue from now on
    counts.clear()
    return counts


async def test_an_act_that_comes_alone_is_committed_without_the_thread(sqlite: SqliteStore, handed: list[int]) -> None:
    match = await add(sqlite)
    assert handed == [1]  # a new match takes longer
    for _ in range(5):
        match = await commit(sqlite, match)
    assert handed == [1]
    assert await sqlite.find_match(match.id) == match
    assert await sqlite.find_match(match.id) == match
    with pytest.raises(Overtaken):
        await sqlite.commit(match, make_entry(match))


async def test_an_act_that_cannot_be_written_alone_leaves_nothing_behind(
    sqlite: SqliteStore, handed: list[int]
) -> None:
    match = await add(sqlite)
    handed.clear()
    driver = sqlite._writer._group.driver
    driver.execute("CREATE TEMP TRIGGER broken BEFORE UPDATE ON match BEGIN SELECT * FROM nowhere; END")
    for _ in range(2):  # its entry can be written, its match cannot
        with pytest.raises(Unavailable):
            await commit(sqlite, match)
    driver.execute("DROP TRIGGER broken")
    with pytest.raises(OverflowError):
        await sqlite.commit(msgspec.structs.replace(following(match), wake_at=1 << 64), make_entry(following(match)))
    assert await sqlite.find_match(match.id) == match
    assert [entry.revision for entry in await sqlite.entries(match.id, 0, 9)] == [match.revision]
    match = await commit(sqlite, match)
    assert handed == []
    assert await sqlite.find_match(match.id) == match


async def test_acts_that_come_together_are_committed_together(sqlite: SqliteStore, handed: list[int]) -> None:
    matches = [await add(sqlite) for _ in range(5)]
    handed.clear()
    matches = list(await asyncio.gather(*(commit(sqlite, match) for match in matches)))
    assert handed == [5]
    match = matches[0]
    async with asyncio.timeout(30):  # the others do not come again: one waits for them a moment, and ever more seldom
        while handed[-1] != 0:
            handed.append(0)
            match = await commit(sqlite, match)
    assert handed == [5, 0, 1, 0, 1, 0, 1, 0]


async def test_the_event_loop_does_not_wait_for_a_slow_disk(
    sqlite: SqliteStore, handed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await add(sqlite)
    handed.clear()
    assert sqlite._writer._pace == 0.0
    match = await commit(sqlite, match)
    assert handed == []
    assert sqlite._writer._pace > 0.0
    monkeypatch.setattr("chautari.store.writer._BRIEF_SECONDS", 0.0)
    match = await commit(sqlite, match)
    assert handed == [1]
    sqlite._writer._pace = 3.0  # the thread notes it where the disk gets faster again
    match = await commit(sqlite, match)
    assert sqlite._writer._pace < 3.0


async def test_the_event_loop_does_not_wait_for_another_program(
    sqlite: SqliteStore, handed: list[int], tmp_path: Path
) -> None:
    match = await add(sqlite)
    handed.clear()
    other = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    committing = asyncio.ensure_future(commit(sqlite, match))
    await asyncio.sleep(0.05)
    assert handed == [1]
    assert not committing.done()
    other.execute("ROLLBACK")
    other.close()
    assert (await sqlite.find_match((await committing).id)) == following(match)


async def test_the_log_is_copied_by_the_thread_in_good_time(
    sqlite: SqliteStore, handed: list[int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("chautari.store.writer._CHECKPOINT_JOBS", 4)
    match = await add(sqlite)
    handed.clear()
    for _ in range(8):
        match = await commit(sqlite, match)
    assert handed
    alone = tmp_path / "copy.db"
    for _ in range(100):
        alone.write_bytes((tmp_path / "store.db").read_bytes())  # without its log
        with closing(sqlite3.connect(alone)) as copied:
            (revision,) = copied.execute("SELECT max(revision) FROM journal").fetchone()
        if revision and revision > 4:
            return
        await asyncio.sleep(0.05)
    pytest.fail("nothing is copied")


async def test_a_database_that_takes_no_changes_is_read_all_the_same(
    sqlite: SqliteStore, caplog: pytest.LogCaptureFixture
) -> None:
    """As on a file system that the system has made read-only after an error."""
    caplog.set_level(logging.CRITICAL)
    match, account, request = await add(sqlite), make_account(), make_request()
    await sqlite._write(lambda connection, _: driver_of(connection).execute("PRAGMA query_only = ON"))
    for ask in (
        partial(commit, sqlite, match), partial(sqlite.add_account, account, make_token(account.id)),
        partial(sqlite.commit, following(match), make_entry(following(match), request=request), chairs=True),
    ):  # fmt: skip
        with pytest.raises(Unavailable, match="takes no changes now") as away:
            await ask()
        assert (away.value.reason, away.value.retry_after) == ("STORAGE_AWAY", 1.0)
    assert await sqlite.find_match(match.id) == match
    await sqlite.check()
    sqlite._writer._group.driver.execute("PRAGMA query_only = OFF")
    await sqlite.commit(following(match), make_entry(following(match), request=request), chairs=True)
    assert [entry.revision for entry in await sqlite.entries(match.id, 0, 9)] == [1, 2]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to any file")
async def test_a_start_on_a_file_that_cannot_be_written_says_so(sqlite: SqliteStore, tmp_path: Path) -> None:
    await sqlite.close()
    (tmp_path / "store.db").chmod(0o400)
    with pytest.raises((Malformed, Unavailable)):
        SqliteStore.open(tmp_path / "store.db", KEY)


# ── One process ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_second_process_is_told_who_has_the_database(sqlite: SqliteStore, tmp_path: Path) -> None:
    with pytest.raises(Conflict, match=f"process {os.getpid()} ") as refused:
        SqliteStore.open(tmp_path / "store.db", KEY)
    assert refused.value.reason == "DATABASE_IN_USE"
    (tmp_path / "link.db").symlink_to("store.db")
    with pytest.raises(Conflict):
        SqliteStore.open(tmp_path / "link.db", KEY)
    await sqlite.close()
    again = SqliteStore.open(tmp_path / "store.db", KEY)
    await again.close()
    assert lock_path(tmp_path / "store.db").exists()


async def test_a_start_on_a_full_disk_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        with closing(sqlite3.connect(":memory:")) as driver:
            driver.execute("PRAGMA max_page_count = 1")
            driver.execute("CREATE TABLE t (x)")

    with monkeypatch.context() as patched:
        patched.setattr("chautari.store.server.take_up", full)
        with pytest.raises(Exhausted) as refused:
            SqliteStore.open(tmp_path / "store.db", KEY)
    assert refused.value.reason == "STORAGE_FULL"
    await SqliteStore.open(tmp_path / "store.db", KEY).close()
    with files_limited(100), pytest.raises(Exhausted) as refused:  # there is no room for what is beside the file
        SqliteStore.open(tmp_path / "store.db", KEY)
    assert refused.value.reason == "STORAGE_FULL"
    await SqliteStore.open(tmp_path / "store.db", KEY).close()


async def test_a_database_opens_with_its_own_key_only(sqlite: SqliteStore, tmp_path: Path) -> None:
    await sqlite.close()
    with pytest.raises(Malformed) as refused:
        SqliteStore.open(tmp_path / "store.db", bytes(32))
    assert refused.value.reason == "WRONG_SEAL_KEY"
    again = SqliteStore.open(tmp_path / "store.db", KEY)
    await again.close()


async def test_an_outage_can_be_measured(tmp_path: Path, clock: SetClock) -> None:
    store = SqliteStore.open(tmp_path / "store.db", KEY, clock)
    assert store.last_alive is None
    clock.pass_seconds(60)
    await store.close()
    stopped = clock.time
    clock.pass_seconds(600)
    again = SqliteStore.open(tmp_path / "store.db", KEY, clock)
    assert (again.last_alive, again.epoch) == (stopped, store.epoch)
    await again.close()


async def test_an_idle_store_notes_that_it_is_alive(tmp_path: Path, clock: SetClock) -> None:
    store = SqliteStore.open(tmp_path / "store.db", KEY, clock)

    def is_noted(connection: Connection) -> bool:
        row = driver_of(connection).execute("SELECT value FROM server WHERE key = 'last_alive'").fetchone()
        return int(row[0]) == clock.time

    clock.pass_seconds(60)
    await until(lambda: store._read(is_noted))
    await store.close()


async def test_time_goes_on_from_where_it_was_after_a_restart(tmp_path: Path, clock: SetClock) -> None:
    store = SqliteStore.open(tmp_path / "store.db", KEY, clock)
    match = await add(store)
    before = store.clock()
    await store.close()
    clock.pass_seconds(-3600)
    again = SqliteStore.open(tmp_path / "store.db", KEY, clock)
    assert await again.commit(following(match), make_entry(following(match))) >= before
    await again.close()


# ── What is in the file ───────────────────────────────────────────────────────────────────────────────────────────────


async def test_no_secret_is_in_the_files_in_clear(sqlite: SqliteStore, tmp_path: Path) -> None:
    match = await add(sqlite)
    private = '{"kty": "EC", "d": "the private part of a key"}'
    await sqlite.add_signing_key(SigningKey(kid="k1", private=private, created_at=1, expires_at=2**52))
    for _ in range(2):
        written = b"".join(file.read_bytes() for file in list(tmp_path.iterdir()))  # noqa: ASYNC240 - a test may wait
        assert match.link.encode() in written  # this is where it would be seen
        assert SECRET not in written
        assert SECRET.hex().encode() not in written
        assert b"the private part" not in written
        await sqlite.close()


def test_packed_matches_take_little_room() -> None:
    assert disk(2) < 60


async def test_tokens_long_expired_and_keys_expired_are_forgotten(tmp_path: Path, clock: SetClock) -> None:
    store = SqliteStore.open(tmp_path / "store.db", KEY, clock)
    account = make_account()
    old, kept, used = (make_token(account.id, expires_at=clock.time + days * 86_400 * SECOND) for days in (1, 40, 90))
    await store.add_account(account, old)
    await store.add_token(kept)
    await store.add_token(used)
    for number, days in enumerate((1, 90)):
        expires_at = clock.time + days * 86_400 * SECOND
        await store.add_signing_key(SigningKey(kid=f"{number}", private="", created_at=1, expires_at=expires_at))
    clock.pass_seconds(45 * 86_400)
    await store.exchange_token(used.digest, make_token(account.id))
    await store.add_signing_key(SigningKey(kid="2", private="", created_at=2, expires_at=2**52))
    assert await store.find_token(old.digest) is None
    assert await store.find_token(kept.digest) == kept

    def kids(connection: Connection) -> list[tuple[str]]:
        rows: list[tuple[str]] = driver_of(connection).execute("SELECT kid FROM signing_key ORDER BY kid").fetchall()
        return rows

    assert await store._read(kids) == [("1",), ("2",)]
    await store.close()


async def test_readers_cannot_write(sqlite: SqliteStore) -> None:
    with pytest.raises(Unavailable):
        await sqlite._read(lambda connection: driver_of(connection).execute("DELETE FROM match"))
    request = make_request()
    assert await sqlite.find_request("sita", request, None) is None
