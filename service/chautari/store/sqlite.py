"""The store on one SQLite file: WAL, synchronous FULL, one serving process, one connection that writes, group commit.

What is hot is written by hand on the driver's connection: the commit of an act, and the reading of a journal.
Everything else is a function over an SQLAlchemy connection.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, TypeVar

from sqlalchemy import Connection

from chautari.app.audit import Note
from chautari.app.values import Entry, Match, Micros
from chautari.errors import Unavailable
from chautari.store import journal, migrate, packing, server
from chautari.store.clock import Clock, system_clock
from chautari.store.commit import Commit
from chautari.store.commit_together import commit_together
from chautari.store.connect import connect, driver_of, transaction
from chautari.store.group_commit import Cold
from chautari.store.lock import ProcessLock
from chautari.store.seal import Sealer
from chautari.store.sql import told_as
from chautari.store.sql_accounts import SqlAccounts
from chautari.store.sql_matches import SqlMatches
from chautari.store.sql_operate import SqlOperate
from chautari.store.sqlite_errors import translate
from chautari.store.writer import Writer

T = TypeVar("T")

_READERS: Final = 2
_ENTRIES: Final = (
    f"SELECT {', '.join(journal.COLUMNS)} FROM journal WHERE match_id = ? AND revision > ? ORDER BY revision LIMIT ?"
)
_PACKED: Final = "SELECT blob FROM packed WHERE match_id = ?"


class SqliteStore(SqlAccounts, SqlMatches, SqlOperate):
    """The store on one SQLite file; made by `open`. It implements `app.ports.Store`."""

    exclusive: bool = True

    def __init__(
        self, path: Path, *, sealer: Sealer, clock: Clock, lock: ProcessLock, taken_up: server.TakenUp
    ) -> None:
        self.last_alive: Final = taken_up.last_alive
        """When this database was last served before; None on a first start."""
        self.epoch = taken_up.epoch
        """A random name that this database keeps."""
        super().__init__(sealer, clock, taken_up.uptime)
        self._path = path
        self._lock = lock
        self._writer = Writer(connect(path, writes=True), clock, commit_together)
        self._reader = threading.local()
        self._unpacked = packing.Unpacked()
        self._connections: list[Connection] = []
        self._readers = ThreadPoolExecutor(_READERS, "chautari-reader")

    @classmethod
    def open(cls, path: Path, key: bytes, clock: Callable[[], Micros] = system_clock) -> "SqliteStore":
        """Opens the file, or makes it, and brings its tables up to date.

        key: seals the secrets, 32 bytes. Conflict `DATABASE_IN_USE` where another process has it open, Malformed
        `WRONG_SEAL_KEY` where its secrets are sealed with another key; Exhausted and Unavailable as `app.ports` says.
        """
        sealer = Sealer(key)
        lock = ProcessLock(migrate.lock_path(path))
        try:
            with told_as(translate):
                migrate.change_tables(path, migrate.upgrade_here)
                connection = connect(path)
                try:
                    with transaction(connection):
                        taken_up = server.take_up(connection, sealer, clock())
                finally:
                    connection.close()
                floor = Clock(clock, taken_up.last_alive or 0)
                return cls(path, sealer=sealer, clock=floor, lock=lock, taken_up=taken_up)
        except Exception:
            lock.release()
            raise

    # ── Matches ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def add_match(
        self, match: Match, entry: Entry, *, open_at_most: int = 0, late: Callable[[Micros], object] | None = None
    ) -> "asyncio.Future[Micros]":
        """See `app.ports`."""
        return self._writer.submit(
            Cold(lambda connection, at: self._add_match(connection, match, entry, at, open_at_most)), late
        )

    def commit(
        self, match: Match, entry: Entry, *, chairs: bool = False, late: Callable[[Micros], object] | None = None,
        audit: Note | None = None,
    ) -> "asyncio.Future[Micros]":  # fmt: skip
        """See `app.ports`."""
        also = None if audit is None else self._to_note(audit)
        return self._writer.submit(Commit(match, entry, chairs=chairs, also=also), late)

    async def entries(self, match_id: str, after: int, limit: int) -> list[Entry]:
        """See `app.ports`."""

        def read(connection: Connection) -> list[Entry]:
            driver = driver_of(connection)
            loose = [journal.from_row(row) for row in driver.execute(_ENTRIES, (match_id, after, limit))]
            packed = driver.execute(_PACKED, (match_id,)).fetchone()
            inside = self._unpacked.entries(match_id, packed[0]) if packed else []
            return journal.merge(loose, inside, after, limit)

        return await self._read(read)

    async def pack(self, match_id: str) -> None:
        """See `app.ports`."""
        loose = await self._read(lambda connection: journal.to_pack(connection, match_id))
        blob = await asyncio.get_running_loop().run_in_executor(self._readers, packing.pack, loose) if loose else None
        await self._write(lambda connection, _: journal.pack(connection, match_id, loose, blob))

    # ── The store itself ──────────────────────────────────────────────────────────────────────────────────────────────

    async def check(self) -> None:
        """See `app.ports`."""
        self._writer.check()
        await self._read(server.check)

    async def close(self) -> None:
        """See `app.ports`."""
        await self._writer.close()
        await asyncio.to_thread(self._readers.shutdown)
        for connection in self._connections:
            connection.close()
        self._connections.clear()
        self._lock.release()

    async def _write(self, work: Callable[[Connection, Micros], T]) -> T:
        return await self._writer.submit(Cold(work))

    async def _read(self, work: Callable[[Connection], T]) -> T:
        try:
            reading = asyncio.get_running_loop().run_in_executor(self._readers, self._read_here, work)
        except RuntimeError:
            raise Unavailable("STORAGE_AWAY", "the database is closed") from None
        return await reading

    def _read_here(self, work: Callable[[Connection], T]) -> T:
        """Runs in a reader thread: one state of the database, that of the last commit."""
        with told_as(translate), transaction(self._reader_here(), "DEFERRED") as connection:
            return work(connection)

    def _reader_here(self) -> Connection:
        """The connection of this reader thread."""
        connection: Connection | None = getattr(self._reader, "connection", None)
        if connection is None:
            connection = self._reader.connection = connect(self._path, query_only=True)
            self._connections.append(connection)
        return connection
