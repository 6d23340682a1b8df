"""The store at the console: one short transaction each, on a SQLite file that may be served by another process.

Beside a service it may write what no service keeps in memory for long: accounts, keys, bans, the audit log. What a
service does keep, the matches, it may write only alone, under the lock of the database.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

from sqlalchemy import Connection, select

from chautari.app.audit import Note
from chautari.app.values import Entry, Match, Micros
from chautari.errors import Malformed
from chautari.store import journal, migrate, packing, uptime
from chautari.store.clock import Clock, system_clock
from chautari.store.connect import connect, driver_of, transaction
from chautari.store.lock import ProcessLock
from chautari.store.seal import Sealer
from chautari.store.server import check_seal
from chautari.store.sql import told_as
from chautari.store.sql_accounts import SqlAccounts
from chautari.store.sql_matches import SqlMatches
from chautari.store.sql_operate import SqlOperate
from chautari.store.sqlite_errors import translate
from chautari.store.tables import server
from chautari.store.uptime import Uptime

T = TypeVar("T")


class ConsoleStore(SqlAccounts, SqlMatches, SqlOperate):
    """The store at the console; made by `open`. It implements `app.ports.Store`."""

    exclusive: bool = True

    def __init__(
        self, connection: Connection, sealer: Sealer, clock: Clock, lock: ProcessLock | None, epoch: str, alive: Uptime
    ) -> None:
        super().__init__(sealer, clock, alive)
        self.epoch = epoch
        self._connection: Final = connection
        self._lock = lock

    @classmethod
    def open(cls, path: Path, key: bytes, *, alone: bool) -> "ConsoleStore":
        """Opens a database that is there. alone: keep services away meanwhile, which writing matches needs.

        Malformed `BAD_DATABASE`, `BAD_DATABASE_REVISION` where its tables are not those of this program,
        `WRONG_SEAL_KEY`; Conflict `DATABASE_IN_USE`.
        """
        if not path.exists():
            raise Malformed("BAD_DATABASE", f"there is no database {path}: name another, or serve it once")
        sealer = Sealer(key)
        lock = ProcessLock(migrate.lock_path(path)) if alone else None
        connection: Connection | None = None
        try:
            with told_as(translate):
                connection = connect(path)
                revision, wanted = migrate.current_here(connection), migrate.head()
                if revision != wanted:
                    raise Malformed(
                        "BAD_DATABASE_REVISION",
                        f"the tables are at revision {revision or 'base'}, and {wanted} is wanted: upgrade them",
                    )
                known = {row.key: row.value for row in connection.execute(select(server))}
                clock = Clock(system_clock, int(known.get("last_alive", 0)))
                alive = Uptime(*uptime.read(connection, clock.now()))
                connection.rollback()
                check_seal(sealer, known.get("seal", ""))
                return cls(connection, sealer, clock, lock, known.get("epoch", ""), alive)
        except Exception:
            if connection is not None:
                connection.close()
            if lock is not None:
                lock.release()
            raise

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is written within is one transaction: all of it, or nothing where it raises."""
        with transaction(self._connection):
            yield

    def add_match(
        self, match: Match, entry: Entry, *, open_at_most: int = 0, late: Callable[[Micros], object] | None = None
    ) -> asyncio.Future[Micros]:
        """See `app.ports`. Nothing is ever late here."""
        del late
        return asyncio.ensure_future(
            self._write(lambda connection, at: self._add_match(connection, match, entry, at, open_at_most))
        )

    def commit(
        self, match: Match, entry: Entry, *, chairs: bool = False, late: Callable[[Micros], object] | None = None,
        audit: Note | None = None,
    ) -> asyncio.Future[Micros]:  # fmt: skip
        """See `app.ports`. Nothing is ever late here."""
        del late
        assert self._lock is not None, "a service may keep matches in memory: they are written alone"

        def save(connection: Connection, at: Micros) -> Micros:
            self._save_match(connection, match, entry, at, chairs=chairs)
            if audit is not None:
                self._to_note(audit)(connection, at)
            return at

        return asyncio.ensure_future(self._write(save))

    async def entries(self, match_id: str, after: int, limit: int) -> list[Entry]:
        """See `app.ports`."""
        unpacked = packing.Unpacked(0)
        return await self._read(lambda connection: journal.entries(connection, unpacked, match_id, after, limit))

    async def pack(self, match_id: str) -> None:
        """See `app.ports`. It is left to the service."""

    async def check(self) -> None:
        """See `app.ports`."""

    async def close(self) -> None:
        """See `app.ports`."""
        self._connection.close()
        if self._lock is not None:
            self._lock.release()

    async def _write(self, work: Callable[[Connection, Micros], T]) -> T:
        if driver_of(self._connection).in_transaction:
            return work(self._connection, self._clock.now())
        return self._run("IMMEDIATE", lambda connection: work(connection, self._clock.now()))

    async def _read(self, work: Callable[[Connection], T]) -> T:
        if driver_of(self._connection).in_transaction:
            return work(self._connection)
        return self._run("DEFERRED", work)

    def _run(self, mode: str, work: Callable[[Connection], T]) -> T:
        with told_as(translate), transaction(self._connection, mode) as connection:
            return work(connection)
