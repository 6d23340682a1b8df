"""The store on PostgreSQL, for any number of replicas: nothing that matters is in one process only.

What is hot is one statement by hand on the driver's connection (`postgres_commit`). Everything else is a function over
an SQLAlchemy connection, the same as on SQLite. Time is the database's.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import nullcontext, suppress
from typing import Any, Final, TypeVar

import structlog
from sqlalchemy import BigInteger, Connection, literal_column, text
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from chautari.app.audit import Note
from chautari.app.ports import RequestSeen
from chautari.app.values import Entry, Match, Micros
from chautari.errors import Unavailable
from chautari.store import journal, migrate, packing, postgres_place, server, uptime
from chautari.store import postgres_errors as errors
from chautari.store.clock import Clock, DatabaseClock
from chautari.store.postgres_commit import Committer, Waiting
from chautari.store.postgres_connect import COMMAND_SECONDS, Address, find
from chautari.store.postgres_place import Place
from chautari.store.postgres_statements import NOW, plain, whole
from chautari.store.postgres_tables import ALONE, change_tables
from chautari.store.seal import Sealer
from chautari.store.sql import told_as
from chautari.store.sql_accounts import SqlAccounts
from chautari.store.sql_matches import SqlMatches
from chautari.store.sql_operate import SqlOperate

T = TypeVar("T")

_log: Final = structlog.get_logger(__name__)

_LOOK_SECONDS: Final = 2
_TRIES: Final = 5
_PATIENT: Final = 4
"""So many wait for somebody who holds their match at once, so that there are connections left for the others."""
_OTHERS: Final = "others change the same all the time: nothing was changed; try again"
_NOW: Final = text(f"SELECT {NOW}")
_NOW_HERE: Final = literal_column(NOW, BigInteger)
_TAKEN: Final = {"uq_match_code": "code", "uq_match_link": "link", "pk_match": "id"}


class PostgresStore(SqlAccounts, SqlMatches, SqlOperate):
    """The store on PostgreSQL; made by `open`. It implements `app.ports.Store`."""

    exclusive: bool = False

    def __init__(
        self, engine: AsyncEngine, address: Address, *, sealer: Sealer, clock: Callable[[], Micros] | None,
        taken_up: server.TakenUp, place: Place,
    ) -> None:  # fmt: skip
        self.epoch = place.epoch
        """A random name that this database keeps."""
        self._database_clock = DatabaseClock()
        super().__init__(sealer, Clock(clock or self._database_clock, taken_up.last_alive or 0), taken_up.uptime)
        self._is_given_time = clock is not None
        self._engine = engine
        self._address = address
        self._place = place
        self._unpacked = packing.Unpacked()
        given = self._clock.now if clock is not None else None
        self._plain = Committer(address, plain(pooled=address.pooled), self._begin_slowly, given)
        self._whole = Committer(address, whole(pooled=address.pooled), self._begin_slowly, given)
        self._patient = asyncio.Semaphore(_PATIENT)
        self._cold: set[asyncio.Task[None]] = set()
        self._looking: asyncio.Task[None] | None = None
        self._closed = False

    @classmethod
    async def open(
        cls, url: str, key: bytes, clock: Callable[[], Micros] | None = None, *, pooled: bool | None = None,
        seconds: float = COMMAND_SECONDS, replaced: Callable[[], object] | None = None,
    ) -> "PostgresStore":  # fmt: skip
        """Connects, and brings the tables up to date, one replica at a time however many start at once.

        url: `postgresql://user:password@host:port/database`. key: seals the secrets, 32 bytes. clock: in place of the
        database's. pooled: whether a pooler lends the connections, None where that is to be found out. seconds: the
        longest that a write, with all its tries, or a read may take. replaced: called once if the database is found to
        have been restored meanwhile, or a standby to have taken over: what is cached of it is void. Malformed
        `WRONG_SEAL_KEY`, `BAD_DATABASE_REVISION`; Unavailable `STORAGE_AWAY`.
        """
        sealer = Sealer(key)

        def take_up(connection: Connection) -> tuple[server.TakenUp, Place]:
            now = clock() if clock else connection.execute(_NOW).scalar_one()
            if server.is_new(connection):
                connection.execute(ALONE)
            taken_up = server.take_up(connection, sealer, now)
            return taken_up, postgres_place.settle(connection, key, now)

        with told_as(errors.translate):
            address = await find(url, pooled, seconds)
        engine = address.engine()
        try:
            async with engine.connect() as connection:
                current = await connection.run_sync(migrate.current_here)
            if current != migrate.head():
                await change_tables(url, migrate.upgrade_here, pooled=address.pooled)
            async with engine.begin() as connection:
                taken_up, place = await connection.run_sync(take_up)
            store = cls(engine, address, sealer=sealer, clock=clock, taken_up=taken_up, place=place)
            await store._tell_time()
        except BaseException as error:
            await engine.dispose()
            raise errors.translate(error) from error
        store._looking = asyncio.create_task(store._keep_looking(replaced))
        return store

    @property
    def pooled(self) -> bool:
        """Whether a pooler lends the connections, so that nobody can listen through them."""
        return self._address.pooled

    # ── Matches ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def add_match(
        self, match: Match, entry: Entry, *, open_at_most: int = 0, late: Callable[[Micros], object] | None = None
    ) -> asyncio.Future[Micros]:
        """See `app.ports`."""
        return self._apart(Waiting(match, entry, late), lambda one: self._add(one, open_at_most))

    def commit(
        self, match: Match, entry: Entry, *, chairs: bool = False, late: Callable[[Micros], object] | None = None,
        audit: Note | None = None,
    ) -> asyncio.Future[Micros]:  # fmt: skip
        """See `app.ports`."""
        one = Waiting(match, entry, late, chairs=chairs)
        if audit is not None:
            return self._apart(one, lambda one: self._slowly(one, audit))
        return (self._whole if chairs or match.is_over else self._plain).submit(one)

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

    async def pulse(self) -> Micros:
        """See `app.ports`. The time is that in which the row is changed, however long it had to be waited for."""

        def beat(connection: Connection, at: Micros) -> tuple[Micros, Micros]:
            return uptime.beat(connection, uptime.given(at) if self._is_given_time else _NOW_HERE)

        return self._beaten(*await self._write(beat))

    async def close(self) -> None:
        """See `app.ports`."""
        self._closed = True
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)
        await asyncio.gather(*self._cold, return_exceptions=True)
        await asyncio.gather(self._plain.close(), self._whole.close())
        await self._engine.dispose()

    # Within ───────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _apart(self, one: Waiting, write: Callable[[Waiting], Any]) -> asyncio.Future[Micros]:
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

    async def _add(self, one: Waiting, open_at_most: int) -> Micros:
        return await self._write(
            lambda connection, at: self._add_match(
                connection, one.match, one.entry, self._exactly(connection, at), open_at_most
            )
        )

    def _begin_slowly(self, one: Waiting, *, held: bool = False) -> None:
        self._apart(one, lambda one: self._slowly(one, gate=self._patient if held else None))

    async def _slowly(self, one: Waiting, audit: Note | None = None, gate: asyncio.Semaphore | None = None) -> Micros:
        match, entry = one.match, one.entry

        def save(connection: Connection, at: Micros) -> Micros:
            if entry.request is not None and entry.account_id is not None:
                seen = journal.find_request(connection, entry.account_id, entry.request, match.id)
                if seen is not None:
                    raise RequestSeen(seen)
            exact = self._exactly(connection, at)
            self._save_match(connection, match, entry, exact, chairs=one.chairs)
            if audit is not None:
                self._to_note(audit)(connection, at)
            return exact

        return await self._write(save, gate)

    def _exactly(self, connection: Connection, at: Micros) -> Micros:
        """The database's own time for an entry: one estimated here may be before what another replica has written."""
        return at if self._is_given_time else connection.execute(_NOW).scalar_one()

    async def _write(self, work: Callable[[Connection, Micros], T], gate: asyncio.Semaphore | None = None) -> T:
        self._check_open()
        begun = False

        def run(connection: Connection) -> T:
            nonlocal begun
            begun = True
            return work(connection, self._clock.now())

        try:
            async with asyncio.timeout(self._address.seconds), gate or nullcontext():
                for left in reversed(range(_TRIES)):
                    begun = False
                    try:
                        async with self._engine.begin() as connection:
                            return await self._within(connection, run)
                    except IntegrityError as error:
                        broken = errors.violated(error)
                        if broken in _TAKEN:
                            raise ValueError(_TAKEN[broken]) from error
                        if not left:
                            _log.error("a row cannot be written", broken=broken, state=errors.sqlstate(error))
                            raise Unavailable("STORAGE_AWAY", _OTHERS) from error
                    except DBAPIError as error:
                        if not left or not errors.may_be_tried_again(error):
                            raise
        except Exception as error:
            translated = errors.translate(error, writing=begun)
            if translated is error:
                raise
            raise translated from error
        raise AssertionError("the last try returns or raises")

    async def _read(self, work: Callable[[Connection], T]) -> T:
        self._check_open()
        with told_as(errors.translate):
            async with asyncio.timeout(self._address.seconds):
                for left in reversed(range(_TRIES)):
                    try:
                        async with self._engine.connect() as connection:
                            return await self._within(connection, work)
                    except DBAPIError as error:
                        if not left or not errors.may_be_tried_again(error):
                            raise
        raise AssertionError("the last try returns or raises")

    async def _within(self, connection: AsyncConnection, work: Callable[[Connection], T]) -> T:
        """Runs a function on a connection, which is not lent again where it leads to the wrong server."""
        try:
            return await connection.run_sync(work)
        except DBAPIError as error:
            if errors.is_for_another(error):
                await connection.invalidate()
            raise

    def _check_open(self) -> None:
        if self._closed:
            raise Unavailable("STORAGE_AWAY", "the database is closed")

    async def _tell_time(self) -> None:
        """Sets the clock by the database's."""
        asked_at = time.monotonic_ns()
        self._database_clock.set(await self._read(lambda connection: connection.execute(_NOW).scalar_one()), asked_at)

    async def _keep_looking(self, replaced: Callable[[], object] | None) -> None:
        while True:
            with suppress(Exception):  # the next call to the database says what is wrong
                if replaced is not None and await self._is_replaced():
                    replaced()
                    replaced = None
                await self._tell_time()
            await asyncio.sleep(_LOOK_SECONDS)

    async def _is_replaced(self) -> bool:
        """Whether revisions may have gone backwards since this store was opened."""
        found = await self._read(postgres_place.look)
        if found.here is not None and self._place.here is None:
            self._place = Place(found.here, self._place.epoch)
        is_moved = found.here is not None and found.here != self._place.here
        return is_moved or found.epoch != self._place.epoch
