"""The hot path on PostgreSQL: the acts that wait together are one statement, one round trip, one commit.

One connection of the driver's own does nothing else. While its statement is under way, acts gather for the next.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, Final

import asyncpg
from asyncpg.prepared_stmt import PreparedStatement
from sqlalchemy import BigInteger, Boolean, Integer, LargeBinary, SmallInteger, Table

from chautari.app.values import Entry, Match, Micros
from chautari.errors import Unavailable
from chautari.store import journal, matches, tables
from chautari.store import postgres_errors as errors
from chautari.store.company import expected
from chautari.store.postgres_connect import Address

NOW: Final = "(extract(epoch FROM clock_timestamp()) * 1000000)::int8"
"""The time of the database in microseconds, as SQL: the moment at which it is read, not that of the transaction."""

_MOST: Final = 64
_LINGER_SECONDS: Final = 0.001
"""So long acts wait, at most, until as many have come as were committed together lately."""
_TYPES: Final = (
    (SmallInteger, "int2"), (BigInteger, "int8"), (Integer, "int4"), (LargeBinary, "bytea"), (Boolean, "bool"),
)  # fmt: skip


class Plain:
    """A commit of nothing but an entry and the row of its match, and who waits for it.

    late: told when it was committed, where the future was cancelled meanwhile.
    """

    __slots__ = ("entry", "future", "late", "match")

    def __init__(
        self, match: Match, entry: Entry, future: asyncio.Future[Micros], late: Callable[[Micros], object] | None
    ) -> None:
        self.match = match
        self.entry = entry
        self.future = future
        self.late = late

    def settle(self, at: Micros) -> None:
        """It is committed."""
        if not self.future.done():
            self.future.set_result(at)
        elif self.late is not None:
            self.late(at)

    def fail(self, error: BaseException) -> None:
        """It is not."""
        if not self.future.done():
            self.future.set_exception(error)

    def row(self, at: Micros | None) -> tuple[Any, ...]:
        """Its values: of the match, then of the entry."""
        return (*matches.changing(self.match), *journal.to_row(self.entry, at))  # type: ignore[arg-type]


Statements = tuple["PreparedStatement[Any]", "PreparedStatement[Any]"]
"""That for one act, and that for several."""

Slowly = Callable[[Plain], object]
"""Begins to commit one in a transaction of its own, which finds out why where it cannot be."""


class Committer:
    """Commits the acts of one process, those that wait together in one statement."""

    def __init__(self, address: Address, slowly: Slowly, clock: Callable[[], Micros] | None) -> None:
        """clock: in place of the database's own."""
        self._address = address
        self._slowly = slowly
        self._clock = clock
        self._waiting: deque[Plain] = deque()
        self._expected = 1
        """So many were committed together lately."""
        self._complete: asyncio.Future[None] | None = None
        self._connection: asyncpg.Connection[Any] | None = None
        self._statements: Statements | None = None
        self._running: asyncio.Task[None] | None = None
        self._closed = False

    def submit(self, match: Match, entry: Entry, late: Callable[[Micros], object] | None) -> asyncio.Future[Micros]:
        """Queues a commit; the future holds when it was."""
        if self._closed:
            raise Unavailable("STORAGE_AWAY", "the database is closed")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Micros] = loop.create_future()
        self._waiting.append(Plain(match, entry, future, late))
        if self._complete is not None and len(self._waiting) >= self._expected:
            self._end_wait()
        if self._running is None:
            self._running = loop.create_task(self._run())
        return future

    async def close(self) -> None:
        """Commits what is queued, then ends the connection."""
        self._closed = True
        self._end_wait()
        if self._running is not None:
            await asyncio.gather(self._running, return_exceptions=True)
        if self._connection is not None:
            with suppress(Exception):
                await self._connection.close(timeout=2)

    async def _run(self) -> None:
        try:
            while self._waiting:
                if len(self._waiting) < self._expected:
                    await self._wait_for_company()
                together = [self._waiting.popleft() for _ in range(min(len(self._waiting), _MOST))]
                self._expected = expected(self._expected, len(together))
                await self._together(together)
        finally:
            self._running = None

    async def _wait_for_company(self) -> None:
        """Until as many wait as lately, or for a moment: a statement costs both sides more than what is in it."""
        loop = asyncio.get_running_loop()
        self._complete = loop.create_future()
        timer = loop.call_later(_LINGER_SECONDS, self._end_wait)
        try:
            await self._complete
        finally:
            timer.cancel()
            self._complete = None

    def _end_wait(self) -> None:
        if self._complete is not None and not self._complete.done():
            self._complete.set_result(None)

    async def _together(self, plain: Sequence[Plain]) -> None:
        try:
            saved = await self._save({one.match.id: one for one in reversed(plain)}.values())  # the first of each match
        except _NotReached as away:  # nor would it be for those who came while this was tried
            self._fail(plain, away.error)
            self._fail(self._waiting, away.error)
            self._waiting.clear()
            return
        except Exception as error:
            if errors.is_for_another(error) or errors.may_be_tried_again(error):
                self._disconnect()
            if errors.is_of_one_row(error) and len(plain) > 1:  # as where a request was seen; nothing was changed
                await self._together(plain[: len(plain) // 2])
                await self._together(plain[len(plain) // 2 :])
                return
            if not (isinstance(error, asyncpg.UniqueViolationError) or errors.may_be_tried_again(error)):
                self._fail(plain, errors.translate(error, writing=True))
                return
            saved = {}
        for one in plain:
            at = saved.pop(one.match.id, None)
            if at is not None:
                one.settle(at)
            else:
                self._slowly(one)

    def _fail(self, plain: Iterable[Plain], error: Exception) -> None:
        for one in plain:
            one.fail(error)

    async def _save(self, plain: Iterable[Plain]) -> dict[str, Micros]:
        """When those matches were committed that were not overtaken."""
        one, many = await self._prepared()
        at = None if self._clock is None else self._clock()
        values = [act.row(at) for act in plain]
        if len(values) == 1:
            rows = await one.fetch(*values[0], timeout=self._address.seconds)
        else:
            rows = await many.fetch(*map(list, zip(*values, strict=True)), timeout=self._address.seconds)
        return {row[0]: row[1] for row in rows}

    async def _prepared(self) -> "Statements":
        """The statements on a connection that is open. Through a pooler they have no names, and the driver sends their
        text with each execution: one round trip all the same."""
        if self._statements is None or self._connection is None or self._connection.is_closed():
            name = "" if self._address.pooled else None
            try:
                self._connection = await self._address.connect()
                self._statements = (
                    await self._connection.prepare(_ONE, name=name), await self._connection.prepare(_MANY, name=name),
                )  # fmt: skip
            except Exception as error:
                self._disconnect()
                raise _NotReached(errors.translate(error)) from error
        return self._statements

    def _disconnect(self) -> None:
        """Lets go of the connection without waiting for the other side."""
        connection, self._connection, self._statements = self._connection, None, None
        if connection is not None:
            connection.terminate()


class _NotReached(Exception):
    """The statement was not sent."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error


_SAVED: Final = tuple(f"m_{name}" for name in matches.CHANGING)
_ADDED: Final = tuple(f"j_{name}" for name in journal.COLUMNS)


def _statement(new: str) -> str:
    """Saves the matches that are loose and not overtaken, and adds the entries of just those.

    new: gives the rows, with the columns _SAVED and _ADDED. A row is sent and run in a fifth less than a list of one.
    """
    changes = ", ".join(f'"{name}" = new.m_{name}' for name in matches.CHANGING)
    columns = ", ".join(f'"{name}"' for name in journal.COLUMNS)
    values = ", ".join(f"coalesce(new.j_at, {NOW})" if name == "at" else f"new.j_{name}" for name in journal.COLUMNS)
    return (
        f"WITH new AS ({new}), "
        f'saved AS (UPDATE "match" SET {changes} FROM new WHERE "match".id = new.j_match_id '
        f'AND "match".revision = new.m_revision - 1 AND NOT "match".packed RETURNING "match".id), '
        f"added AS (INSERT INTO journal ({columns}) SELECT {values} FROM new JOIN saved ON saved.id = new.j_match_id "
        f'RETURNING match_id, "at") SELECT match_id, "at" FROM added'
    )


def _kinds() -> list[str]:
    """The types of _SAVED and _ADDED."""
    return [_type(tables.match, name) for name in matches.CHANGING] + [
        _type(tables.journal, name) for name in journal.COLUMNS
    ]


def _one() -> str:
    slots = ", ".join(
        f"${number}::{kind} AS {name}"
        for number, (kind, name) in enumerate(zip(_kinds(), _SAVED + _ADDED, strict=True), 1)
    )
    return f"SELECT {slots}"


def _many() -> str:
    arrays = ", ".join(f"${number}::{kind}[]" for number, kind in enumerate(_kinds(), 1))
    return f"SELECT * FROM unnest({arrays}) AS new({', '.join(_SAVED + _ADDED)})"


def _type(table: Table, name: str) -> str:
    return next((sql for kind, sql in _TYPES if isinstance(table.c[name].type, kind)), "text")


_ONE: Final = _statement(_one())
_MANY: Final = _statement(_many())
