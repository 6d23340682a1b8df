"""The hot path on PostgreSQL: the changes that wait together are one statement, one round trip, one commit.

One connection of the driver's own does nothing else. While its statement is under way, changes gather for the next.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, Final, Protocol

import asyncpg
from asyncpg.prepared_stmt import PreparedStatement

from chautari.app.values import Entry, Match, Micros
from chautari.errors import Unavailable
from chautari.store import postgres_errors as errors
from chautari.store.company import expected
from chautari.store.postgres_connect import Address
from chautari.store.postgres_statements import FREE, IMPATIENT, PATIENT, Statement

_MOST: Final = 64
_LINGER_SECONDS: Final = 0.001
"""So long acts wait, at most, until as many have come as were committed together lately."""
_HELD_SECONDS: Final = 30.0
"""So long after somebody held a match its changes keep no others waiting."""


class Waiting:
    """A change to be committed, and who waits for it.

    chairs: see `app.ports`; late: told when it was committed, where the future was cancelled meanwhile.
    """

    __slots__ = ("chairs", "entry", "future", "late", "match")

    def __init__(
        self, match: Match, entry: Entry, late: Callable[[Micros], object] | None, *, chairs: bool = False
    ) -> None:
        self.match = match
        self.entry = entry
        self.chairs = chairs
        self.late = late
        self.future: asyncio.Future[Micros] = asyncio.get_running_loop().create_future()

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


Prepared = tuple["PreparedStatement[Any]", "PreparedStatement[Any]"]
"""The statement for one change, and that for several."""


class Slowly(Protocol):
    """Begins to commit one in a transaction of its own, which finds out why where it cannot be."""

    def __call__(self, one: Waiting, *, held: bool = False) -> object:
        """held: somebody holds its match, who has to be waited for."""


class Committer:
    """Commits changes of one process by a statement, those together that wait together."""

    def __init__(
        self, address: Address, statement: Statement, slowly: Slowly, clock: Callable[[], Micros] | None
    ) -> None:
        """clock: in place of the database's own."""
        self._address = address
        self._statement = statement
        self._slowly = slowly
        self._clock = clock
        self._waiting: deque[Waiting] = deque()
        self._expected = 1
        """So many were committed together lately."""
        self._complete: asyncio.Future[None] | None = None
        self._connection: asyncpg.Connection[Any] | None = None
        self._prepared: Prepared | None = None
        self._running: asyncio.Task[None] | None = None
        self._held: set[str] = set()
        """Matches that somebody held lately."""
        self._closed = False

    def submit(self, one: Waiting) -> asyncio.Future[Micros]:
        """Queues a change; the future holds when it was committed."""
        if self._closed:
            raise Unavailable("STORAGE_AWAY", "the database is closed")
        if one.match.id in self._held:
            self._slowly(one, held=True)
            return one.future
        self._waiting.append(one)
        if self._complete is not None and len(self._waiting) >= self._expected:
            self._end_wait()
        if self._running is None:
            self._running = asyncio.get_running_loop().create_task(self._run())
        return one.future

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

    async def _together(self, waiting: Sequence[Waiting], *, around_held: bool = False) -> None:
        """Commits these. around_held: it was looked already whether somebody holds some of them."""
        try:
            saved = await self._save(_firsts(waiting))
        except _NotReached as away:  # nor would it be for those who came while this was tried
            self._fail(waiting, away.error)
            self._fail(self._waiting, away.error)
            self._waiting.clear()
            return
        except Exception as error:
            if errors.is_for_another(error) or errors.may_be_tried_again(error):
                self._disconnect()
            if errors.is_of_one_row(error) and len(waiting) > 1:  # as where a request was seen; nothing was changed
                await self._together(waiting[: len(waiting) // 2], around_held=around_held)
                await self._together(waiting[len(waiting) // 2 :], around_held=around_held)
                return
            if errors.is_held(error) and not around_held:
                await self._around_held(waiting)
                return
            is_apart = errors.is_held(error) or errors.may_be_tried_again(error)
            if not (is_apart or isinstance(error, asyncpg.UniqueViolationError)):
                self._fail(waiting, errors.translate(error, writing=True))
                return
            saved = {}
        for one in waiting:
            at = saved.pop(one.match.id, None)
            if at is not None:
                one.settle(at)
            else:
                self._slowly(one)

    async def _around_held(self, waiting: Sequence[Waiting]) -> None:
        """Commits together those whose matches nobody holds, and each of the others by itself."""
        try:
            async with asyncio.timeout(self._address.seconds):
                free = await self._find_free([one.match.id for one in waiting])
        except Exception as error:
            self._disconnect()
            self._fail(waiting, errors.translate(error))
            return
        held = [one for one in waiting if one.match.id not in free]
        self._remember_held({one.match.id for one in held})
        for one in held:
            self._slowly(one, held=True)
        others = [one for one in waiting if one.match.id in free]
        if others:
            await self._together(others, around_held=True)

    def _remember_held(self, match_ids: set[str]) -> None:
        self._held |= match_ids
        asyncio.get_running_loop().call_later(_HELD_SECONDS, self._held.difference_update, match_ids)

    async def _find_free(self, match_ids: Sequence[str]) -> set[str]:
        """Those of these matches that nobody holds; where somebody holds the tables, that is waited for."""
        connection = self._connection
        assert connection is not None  # it has just answered
        await connection.execute(f"BEGIN; {PATIENT}")
        free = {row[0] for row in await connection.fetch(FREE, match_ids)}
        await connection.execute("COMMIT")
        return free

    def _fail(self, waiting: Iterable[Waiting], error: Exception) -> None:
        for one in waiting:
            one.fail(error)

    async def _save(self, waiting: Sequence[Waiting]) -> dict[str, Micros]:
        """When those matches were committed that were not overtaken."""
        one, many = await self._prepare()
        at = None if self._clock is None else self._clock()
        prepared = one if len(waiting) == 1 else many
        rows = await prepared.fetch(*self._statement.values(waiting, at), timeout=self._address.seconds)
        return {row[0]: row[1] for row in rows}

    async def _prepare(self) -> Prepared:
        """The statements on a connection that is open. Through a pooler they have no names, and the driver sends their
        text with each execution: one round trip all the same."""
        if self._prepared is None or self._connection is None or self._connection.is_closed():
            name = "" if self._address.pooled else None
            one, many = self._statement.one, self._statement.many
            try:
                self._connection = connection = await self._address.connect(more=self._statement.settings)
                self._prepared = await connection.prepare(one, name=name), await connection.prepare(many, name=name)
                if not self._address.pooled:  # and only now: until here it waits for the tables, while they are changed
                    await connection.execute(IMPATIENT)
            except Exception as error:
                self._disconnect()
                raise _NotReached(errors.translate(error)) from error
        return self._prepared

    def _disconnect(self) -> None:
        """Lets go of the connection without waiting for the other side."""
        connection, self._connection, self._prepared = self._connection, None, None
        if connection is not None:
            connection.terminate()


def _firsts(waiting: Iterable[Waiting]) -> list[Waiting]:
    """The first of each match, always in one order, so that two replicas do not wait for one another in a circle."""
    first = {one.match.id: one for one in reversed([*waiting])}
    return [first[match_id] for match_id in sorted(first)]


class _NotReached(Exception):
    """The statement was not sent."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error
