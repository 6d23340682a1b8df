"""Group commit on SQLite: the jobs of a batch are one transaction with one fsync."""

import asyncio
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, Generic, Protocol, TypeVar

import structlog
from sqlalchemy import Connection

from chautari.app.values import SECOND, Micros
from chautari.store.clock import Clock
from chautari.store.connect import BUSY_SECONDS, driver_of, forget_transaction, roll_back
from chautari.store.sqlite_errors import cause_of, is_fatal, translate

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

BEAT_SECONDS: Final = 2
"""So often is noted that the server is alive."""
_BUSY_PAUSE_SECONDS: Final = 0.005

_log: Final = structlog.get_logger(__name__)


class Job(Protocol[T_co]):
    """One unit of work. It runs inside the transaction of its batch; where it raises, it must have left nothing."""

    @property
    def is_brief(self) -> bool:
        """Whether it is a statement or two by a key, which an event loop may wait for."""
        ...

    def __call__(self, group: "GroupCommit", at: Micros, /) -> T_co:
        """Does it; `at` is the time of the transaction."""
        ...


Together = Callable[[sqlite3.Connection, Sequence[Job[Any]], Micros], Mapping[Job[Any], Any]]
"""Does those of the jobs of a transaction that it can do at one stroke, and gives their results.

Where one of them fails it rolls the transaction back, and gives none.
"""


class Waiting(Generic[T]):
    """A job and who waits for it. late: told its outcome where it succeeds though the future was cancelled."""

    __slots__ = ("error", "future", "job", "late", "result")

    def __init__(self, job: Job[T], future: asyncio.Future[T], late: Callable[[T], object] | None) -> None:
        self.job = job
        self.future = future
        self.late = late
        self.result: T
        self.error: Exception | None = None

    def settle(self) -> None:
        """Hands over the outcome; in the loop of the future."""
        if self.future.done():  # whoever waited has been cancelled
            if self.late is not None and self.error is None:
                self.late(self.result)
            return
        if self.error is None:
            self.future.set_result(self.result)
        else:
            self.future.set_exception(self.error)


class Busy(Exception):
    """Another program is writing to the file; nothing was done."""


class GroupCommit:
    """Transactions on the one connection that writes, for one thread at a time. `connection` and `driver` are the same
    connection twice, for the jobs, and `execute` that of a cursor that stays: to make one takes a microsecond. It waits
    for no lock by itself.

    Each statement lets go of the interpreter, and gets it back from a busy event loop only after a while. So there
    should be few: `together` is offered the jobs of a transaction first, and those that it leaves run one by one.
    """

    def __init__(self, connection: Connection, clock: Clock, together: Together) -> None:
        self.connection: Final = connection
        self.driver: Final = driver_of(connection)
        self.execute: Final = self.driver.cursor().execute
        self._clock = clock
        self._together = together
        self._beaten: Micros = 0
        self.jobs = 0
        """So many were done since the last checkpoint."""

    def run(self, batch: Sequence[Waiting[Any]], *, last: bool = False, patient: bool = True) -> Exception | None:
        """Runs the jobs in one transaction, and commits; each of the batch has its result or its error then.

        It returns why nothing at all was written, if so. last: that the server was alive is noted, whenever that was
        done before. patient: waits for other programs that write, else Busy.
        """
        try:
            self._transact(batch, last=last, patient=patient)
            return None
        except Busy:
            raise
        except BaseException as error:
            self._roll_back()
            for waiting in batch:
                waiting.error = translate(error)
            cause = cause_of(error)
            if not isinstance(cause, sqlite3.Error):
                _log.error("nothing was written", jobs=len(batch), exc_info=error)
            elif batch:
                _log.warning("nothing was written", jobs=len(batch), error=getattr(cause, "sqlite_errorname", ""))
            if not isinstance(error, Exception):
                raise
            return error

    def checkpoint(self) -> None:
        """Copies the log into the file as far as nobody reads from it; what is not copied now is copied later."""
        self.jobs = 0
        try:
            self.driver.execute("PRAGMA wal_checkpoint(PASSIVE)")
        except sqlite3.Error as error:
            _log.warning("no checkpoint", error=getattr(error, "sqlite_errorname", ""))

    def _transact(self, batch: Sequence[Waiting[Any]], *, last: bool, patient: bool) -> None:
        at = self._clock.now()
        execute = self.execute
        self._begin(patient)
        is_brief = len(batch) == 1 and batch[0].job.is_brief
        done: Mapping[Job[Any], Any] = {}
        if not is_brief:  # it takes no fewer statements together with nobody, and leaves SQLAlchemy alone
            done = self._together(self.driver, [waiting.job for waiting in batch], at)
            if not self.driver.in_transaction:
                self._begin(patient)
        for waiting in batch:
            try:
                waiting.result = done[waiting.job] if waiting.job in done else waiting.job(self, at)
            except Exception as error:
                if is_fatal(error):
                    raise
                waiting.error = error
        if last or not batch or at - self._beaten >= BEAT_SECONDS * SECOND:
            execute("UPDATE server SET value = ? WHERE key = 'last_alive'", (str(at),))
            self._beaten = at
        execute("COMMIT")
        self.jobs += len(batch)
        if not is_brief:
            forget_transaction(self.connection)

    def _begin(self, patient: bool) -> None:
        end = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                self.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                    raise
                if not patient:
                    raise Busy from None
                if time.monotonic() > end:
                    raise
            time.sleep(_BUSY_PAUSE_SECONDS)

    def _roll_back(self) -> None:
        try:
            roll_back(self.connection)
        except Exception as error:
            _log.error("a transaction was not rolled back", exc_info=error)


class Cold(Generic[T]):
    """A job that is a function over the SQLAlchemy connection; where it raises, a savepoint undoes what it did."""

    __slots__ = ("_work",)
    is_brief: Final = False

    def __init__(self, work: Callable[[Connection, Micros], T]) -> None:
        self._work = work

    def __call__(self, group: GroupCommit, at: Micros, /) -> T:
        """Runs the function with the connection and the time."""
        with savepoint(group.driver):
            return self._work(group.connection, at)


@contextmanager
def savepoint(driver: sqlite3.Connection) -> Iterator[None]:
    """What is done within is undone where it raises; the transaction goes on, unless it is lost as a whole."""
    driver.execute("SAVEPOINT job")
    try:
        yield
    except Exception as error:
        if not is_fatal(error):
            driver.execute("ROLLBACK TO job")
            driver.execute("RELEASE job")
        raise
    driver.execute("RELEASE job")
