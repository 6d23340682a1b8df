"""The one thread that writes to SQLite: what waits is committed together, in one transaction with one fsync."""

import asyncio
import queue
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final, Generic, Protocol, TypeVar

import structlog
from sqlalchemy import Connection

from chautari.app.values import SECOND, Micros
from chautari.store.clock import Clock
from chautari.store.connect import driver_of, forget_transaction, roll_back
from chautari.store.sqlite_errors import away, cause_of, is_fatal, is_held, translate

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

_TOGETHER: Final = 256
"""About as many jobs are one transaction at most."""
_BEAT_SECONDS: Final = 2
"""So often is noted that the server is alive."""

_LINGER_SECONDS: Final = 0.002
"""So long a batch waits for more where several jobs have lately come together: it spares a transaction for each."""
_COMPANY_STAYS: Final = 8
"""For so many batches after one of several jobs more are waited for; jobs that come alone, one by one, are not held."""

_log: Final = structlog.get_logger(__name__)


class Job(Protocol[T_co]):
    """One unit of work. It runs inside the transaction of its batch; where it raises, it must have left nothing."""

    def __call__(self, writer: "Writer", at: Micros, /) -> T_co:
        """Does it; `at` is the time of the transaction."""
        ...


Together = Callable[[sqlite3.Connection, Sequence[Job[Any]], Micros], Mapping[Job[Any], Any]]
"""Does those of the jobs of a transaction that it can do at one stroke, and gives their results.

Where one of them fails it rolls the transaction back, and gives none.
"""


class _Waiting(Generic[T]):
    """A job and who waits for it."""

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


class Writer:
    """The writer thread. `connection` and `driver` are for its jobs only, the same connection twice.

    Each statement lets go of the interpreter, and gets it back from a busy event loop only after a while. So there
    should be few: `together` is offered the jobs of a transaction first, and those that it leaves run one by one.
    """

    def __init__(self, connection: Connection, clock: Clock, together: Together) -> None:
        self.connection: Final = connection
        self.driver: Final = driver_of(connection)
        self._clock = clock
        self._together = together
        self._beaten: Micros = 0
        self._company = 0
        self._arriving: deque[_Waiting[Any]] = deque()
        self._flushing: asyncio.AbstractEventLoop | None = None
        self._queue: queue.SimpleQueue[list[_Waiting[Any]] | None] = queue.SimpleQueue()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="chautari-writer", daemon=True)
        self._thread.start()

    def submit(self, job: Job[T], late: Callable[[T], object] | None = None) -> "asyncio.Future[T]":
        """Queues a job; the future holds its outcome once it is committed, or why it was not.

        A future that is cancelled stops nothing: where the job succeeds all the same, `late` is told its outcome.
        Where jobs come together, all of one round of the event loop reach the thread together: to wake it for the first
        of them would cost that one a transaction of its own, and both threads their fight for the interpreter.
        """
        self.check()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._arriving.append(_Waiting(job, future, late))
        if not self._company:
            self._flush()
        elif self._flushing is not loop:
            self._flushing = loop
            loop.call_soon(self._flush)
        return future

    def _flush(self) -> None:
        """Hands all that has arrived to the thread."""
        self._flushing = None
        arrived: list[_Waiting[Any]] = []
        try:
            while True:
                arrived.append(self._arriving.popleft())
        except IndexError:
            self._queue.put(arrived)
        if self._stopped.is_set():  # it may have ended in this very moment, and not have seen them
            self._abandon()

    def check(self) -> None:
        """Unavailable `STORAGE_AWAY` where the writer has ended."""
        if self._stopped.is_set():
            raise away("the database is closed")

    async def close(self) -> None:
        """Finishes what is queued, then ends the thread."""
        self._flush()
        self._queue.put(None)
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        try:
            while self._step():
                pass
        except BaseException as error:  # a bug here must not leave anybody waiting
            _log.critical("the writer thread ended", exc_info=error)
        finally:
            self._stopped.set()
            self._abandon()
            self.connection.close()

    def _step(self) -> bool:
        """One batch; False where the writer is to end."""
        batch: list[_Waiting[Any]] = []
        going = True
        with suppress(queue.Empty):
            jobs = self._queue.get(timeout=_BEAT_SECONDS)
            if self._company and jobs is not None:
                time.sleep(_LINGER_SECONDS)
            while jobs is not None:
                batch += jobs
                if len(batch) >= _TOGETHER:
                    break
                jobs = self._queue.get_nowait()
            else:
                going = False
        self._company = _COMPANY_STAYS if len(batch) > 1 else max(self._company - 1, 0)
        self._batch(batch, last=not going)
        return going

    def _batch(self, batch: list[_Waiting[Any]], *, last: bool = False) -> None:
        """Runs jobs in one transaction, commits, and tells all who wait at once."""
        try:
            self._transact(batch, last=last)
        except BaseException as error:
            self._roll_back()
            if is_held(error):
                batch += self._queued()  # nobody waits for two: who came meanwhile would not get it either
            for waiting in batch:
                waiting.error = translate(error)
            cause = cause_of(error)
            if not isinstance(cause, sqlite3.Error):
                _log.error("nothing was written", jobs=len(batch), exc_info=error)
            elif batch:
                _log.warning("nothing was written", jobs=len(batch), error=getattr(cause, "sqlite_errorname", ""))
            if not isinstance(error, Exception):
                raise
        finally:
            _settle(batch)

    def _transact(self, batch: list[_Waiting[Any]], *, last: bool) -> None:
        at = self._clock.now()
        execute = self.driver.execute
        execute("BEGIN IMMEDIATE")
        done = self._together(self.driver, [waiting.job for waiting in batch], at)
        if not self.driver.in_transaction:
            execute("BEGIN IMMEDIATE")
        for waiting in batch:
            try:
                waiting.result = done[waiting.job] if waiting.job in done else waiting.job(self, at)
            except Exception as error:
                if is_fatal(error):
                    raise
                waiting.error = error
        if last or not batch or at - self._beaten >= _BEAT_SECONDS * SECOND:
            execute("UPDATE server SET value = ? WHERE key = 'last_alive'", (str(at),))
            self._beaten = at
        execute("COMMIT")
        forget_transaction(self.connection)

    def _roll_back(self) -> None:
        try:
            roll_back(self.connection)
        except Exception as error:
            _log.error("a transaction was not rolled back", exc_info=error)

    def _abandon(self) -> None:
        """Fails all who are still queued."""
        abandoned = self._queued()
        for waiting in abandoned:
            waiting.error = away("the database is closed")
        _settle(abandoned)

    def _queued(self) -> list[_Waiting[Any]]:
        """Takes all that is queued; that the writer is to end stays queued."""
        found: list[_Waiting[Any]] = []
        ends = False
        with suppress(queue.Empty):
            while True:
                jobs = self._queue.get_nowait()
                ends = ends or jobs is None
                found += jobs or []
        if ends:
            self._queue.put(None)
        return found


class Cold(Generic[T]):
    """A job that is a function over the SQLAlchemy connection; where it raises, a savepoint undoes what it did."""

    __slots__ = ("_work",)

    def __init__(self, work: Callable[[Connection, Micros], T]) -> None:
        self._work = work

    def __call__(self, writer: Writer, at: Micros, /) -> T:
        """Runs the function with the connection and the time."""
        with savepoint(writer.driver):
            return self._work(writer.connection, at)


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


def _settle(batch: Iterable[_Waiting[Any]]) -> None:
    """Tells all who wait, each event loop once."""
    by_loop: dict[asyncio.AbstractEventLoop, list[_Waiting[Any]]] = {}
    for waiting in batch:
        by_loop.setdefault(waiting.future.get_loop(), []).append(waiting)
    for loop, settled in by_loop.items():
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(_settle_here, settled)


def _settle_here(settled: list[_Waiting[Any]]) -> None:
    for waiting in settled:
        waiting.settle()
