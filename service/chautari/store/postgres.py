"""The store on PostgreSQL, for any number of replicas: nothing that matters is in one process only.

What is hot is one statement by hand on the driver's connection (`postgres_commit`). Everything else is a function over
an SQLAlchemy connection, the same as on SQLite. Time is the database's.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, make_url, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from chautari.app.audit import Note
from chautari.app.ports import RequestSeen
from chautari.app.values import Entry, Match, Micros
from chautari.store import journal, migrate, packing, server
from chautari.store.clock import Clock, system_clock
from chautari.store.postgres_commit import Committer, Plain
from chautari.store.postgres_errors import translate, violated
from chautari.store.seal import Sealer
from chautari.store.sql import told_as
from chautari.store.sql_accounts import SqlAccounts
from chautari.store.sql_matches import SqlMatches
from chautari.store.sql_operate import SqlOperate

T = TypeVar("T")

_BEAT_SECONDS: Final = 2
_TRIES: Final = 5
_NOW: Final = text("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8")
_ALONE: Final = text("SELECT pg_advisory_xact_lock(4711470)")
_SERIALIZED: Final = ("40001", "40P01")
"""serialization_failure, deadlock_detected: the transaction may simply be tried again."""


_TAKEN: Final = {"uq_match_code": "code", "uq_match_link": "link", "pk_match": "id"}


async def change_tables(url: str, work: Callable[[Connection], T]) -> T:
    """Works on the tables in one transaction, while no other replica does; Unavailable `STORAGE_AWAY`."""
    engine = create_async_engine(make_url(url).set(drivername="postgresql+asyncpg"))

    def alone(connection: Connection) -> T:
        connection.execute(_ALONE)
        return work(connection)

    try:
        async with engine.begin() as connection:
            return await connection.run_sync(alone)
    except Exception as error:
        raise translate(error) from error
    finally:
        await engine.dispose()


class DatabaseClock:
    """The database's time, told from this process's own steady clock: `set` it now and then."""

    def __init__(self) -> None:
        self._ahead: Micros = system_clock() - time.monotonic_ns() // 1000

    def __call__(self) -> Micros:
        """Now."""
        return self._ahead + time.monotonic_ns() // 1000

    def set(self, now: Micros, asked_at: int) -> None:
        """The database said so; asked_at: `monotonic_ns` before it was asked."""
        self._ahead = now - (asked_at + time.monotonic_ns()) // 2000


class PostgresStore(SqlAccounts, SqlMatches, SqlOperate):
    """The store on PostgreSQL; made by `open`. It implements `app.ports.Store`."""

    exclusive: bool = False

    def __init__(
        self, engine: AsyncEngine, dsn: str, *, sealer: Sealer, clock: Callable[[], Micros] | None,
        taken_up: server.TakenUp,
    ) -> None:  # fmt: skip
        self.last_alive: Final = taken_up.last_alive
        """When this database was last served before; None on a first start."""
        self.epoch = taken_up.epoch
        """A random name that this database keeps."""
        self._database_clock = DatabaseClock()
        super().__init__(sealer, Clock(clock or self._database_clock, taken_up.last_alive or 0))
        self._engine = engine
        self._unpacked = packing.Unpacked()
        self._committer = Committer(dsn, self._begin_slowly, self._clock.now if clock is not None else None)
        self._cold: set[asyncio.Task[None]] = set()
        self._beating: asyncio.Task[None] | None = None
        self._closed = False

    @classmethod
    async def open(cls, url: str, key: bytes, clock: Callable[[], Micros] | None = None) -> "PostgresStore":
        """Connects, and brings the tables up to date, one replica at a time however many start at once.

        url: `postgresql://user:password@host:port/database`. key: seals the secrets, 32 bytes. clock: in place of the
        database's. Malformed `WRONG_SEAL_KEY`, `BAD_DATABASE_REVISION`; Unavailable `STORAGE_AWAY`.
        """
        sealer = Sealer(key)
        dsn = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
        engine = create_async_engine(
            make_url(url).set(drivername="postgresql+asyncpg"), pool_size=8, max_overflow=8, pool_pre_ping=True,
            pool_timeout=5, connect_args={"timeout": 5, "command_timeout": 8},
        )  # fmt: skip

        def take_up(connection: Connection) -> server.TakenUp:
            connection.execute(_ALONE)
            migrate.upgrade_here(connection)
            return server.take_up(connection, sealer, clock() if clock else connection.execute(_NOW).scalar_one())

        try:
            async with engine.begin() as connection:
                taken_up = await connection.run_sync(take_up)
            store = cls(engine, dsn, sealer=sealer, clock=clock, taken_up=taken_up)
            await store._beat()
        except BaseException as error:
            await engine.dispose()
            raise translate(error) from error
        store._beating = asyncio.create_task(store._keep_beating())
        return store

    # ── Matches ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def add_match(
        self, match: Match, entry: Entry, *, open_at_most: int = 0, late: Callable[[Micros], object] | None = None
    ) -> asyncio.Future[Micros]:
        """See `app.ports`."""
        one = Plain(match, entry, asyncio.get_running_loop().create_future(), late)
        return self._apart(one, lambda one: self._add(one, open_at_most))

    def commit(
        self, match: Match, entry: Entry, *, chairs: bool = False, late: Callable[[Micros], object] | None = None,
        audit: Note | None = None,
    ) -> asyncio.Future[Micros]:  # fmt: skip
        """See `app.ports`."""
        if not chairs and not match.is_over and audit is None:
            return self._committer.submit(match, entry, late)
        one = Plain(match, entry, asyncio.get_running_loop().create_future(), late)
        return self._apart(one, lambda one: self._slowly(one, chairs=chairs, audit=audit))

    async def entries(self, match_id: str, after: int, limit: int) -> list[Entry]:
        """See `app.ports`."""
        return await self._read(lambda connection: journal.entries(connection, self._unpacked, match_id, after, limit))

    async def pack(self, match_id: str) -> None:
        """See `app.ports`."""
        loose = await self._read(lambda connection: journal.to_pack(connection, match_id))
        blob = await asyncio.to_thread(packing.pack, loose) if loose else None
        await self._write(lambda connection, _: journal.pack(connection, match_id, loose, blob))

    # ── The store itself ──────────────────────────────────────────────────────────────────────────────────────────────

    async def check(self) -> None:
        """See `app.ports`."""
        await self._read(server.check)

    async def close(self) -> None:
        """See `app.ports`."""
        self._closed = True
        if self._beating is not None:
            self._beating.cancel()
            await asyncio.gather(self._beating, return_exceptions=True)
        await asyncio.gather(*self._cold, return_exceptions=True)
        await self._committer.close()
        await self._engine.dispose()

    # Within ───────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _apart(self, one: Plain, write: Callable[[Plain], Any]) -> asyncio.Future[Micros]:
        """Commits one by itself; whoever waits may go away meanwhile."""

        async def run() -> None:
            try:
                one.settle(await write(one))
            except Exception as error:
                one.fail(error)

        task = asyncio.get_running_loop().create_task(run())
        self._cold.add(task)
        task.add_done_callback(self._cold.discard)
        return one.future

    async def _add(self, one: Plain, open_at_most: int) -> Micros:
        return await self._write(
            lambda connection, at: self._add_match(connection, one.match, one.entry, at, open_at_most)
        )

    def _begin_slowly(self, one: Plain) -> None:
        self._apart(one, self._slowly)

    async def _slowly(self, one: Plain, *, chairs: bool = False, audit: Note | None = None) -> Micros:
        match, entry = one.match, one.entry

        def save(connection: Connection, at: Micros) -> Micros:
            if entry.request is not None and entry.account_id is not None:
                seen = journal.find_request(connection, entry.account_id, entry.request, match.id)
                if seen is not None:
                    raise RequestSeen(seen)
            self._save_match(connection, match, entry, at, chairs=chairs)
            if audit is not None:
                self._to_note(audit)(connection, at)
            return at

        return await self._write(save)

    async def _write(self, work: Callable[[Connection, Micros], T]) -> T:
        self._check_open()
        for left in reversed(range(_TRIES)):
            try:
                async with self._engine.begin() as connection:
                    return await connection.run_sync(lambda c: work(c, self._clock.now()))
            except IntegrityError as error:
                broken = violated(error)
                if broken in _TAKEN:
                    raise ValueError(_TAKEN[broken]) from error
                if not left:
                    raise
            except Exception as error:
                if not left or getattr(getattr(error, "orig", None), "sqlstate", "") not in _SERIALIZED:
                    translated = translate(error)
                    if translated is error:
                        raise
                    raise translated from error
        raise AssertionError("the last try returns or raises")

    async def _read(self, work: Callable[[Connection], T]) -> T:
        self._check_open()
        with told_as(translate):
            async with self._engine.connect() as connection:
                return await connection.run_sync(work)

    def _check_open(self) -> None:
        if self._closed:
            raise translate(asyncio.CancelledError())

    async def _beat(self) -> None:
        """Notes that the service is alive, and how late it is by the database's clock."""
        asked_at = time.monotonic_ns()
        async with self._engine.begin() as connection:
            now = (await connection.execute(_NOW)).scalar_one()
            self._database_clock.set(now, asked_at)
            await connection.run_sync(server.beat, now)

    async def _keep_beating(self) -> None:
        while True:
            await asyncio.sleep(_BEAT_SECONDS)
            with suppress(Exception):  # the next call to the database says what is wrong
                await self._beat()
