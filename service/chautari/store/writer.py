"""Who writes to SQLite: a thread, which commits together what waits, or the event loop where an act comes alone."""

import asyncio
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Final, TypeVar

import structlog
from sqlalchemy import Connection

from chautari.store.clock import Clock
from chautari.store.company import expected
from chautari.store.group_commit import BEAT_SECONDS, Busy, GroupCommit, Job, Together, Waiting
from chautari.store.sqlite_errors import away, is_held, translate

T = TypeVar("T")

_TOGETHER: Final = 256
"""What was handed over is joined to one transaction until it has so many jobs; what came together is never split."""
_LINGER_SECONDS: Final = 0.002
"""So long jobs wait, at most, until as many have come as were committed together last: it spares them transactions."""
_BRIEF_SECONDS: Final = 0.002
"""The event loop makes a transaction itself while those of one job have taken less than this lately."""
_LATELY: Final = 8
"""So many of them count for that."""
_ALONE: Final = 16
"""After so many jobs that came alone, one after the other, the next is not kept to see whether another comes."""
_CHECKPOINT_JOBS: Final = 800
"""After so many jobs the thread copies the log into the file, when nobody waits for what it has just committed."""

_log: Final = structlog.get_logger(__name__)


class Writer:
    """Jobs for the one connection that writes, from one event loop at a time. See decisions 009 and 038."""

    def __init__(self, connection: Connection, clock: Clock, together: Together) -> None:
        """connection: one that waits for no lock by itself, and makes no checkpoint as long as this one does."""
        self._group = GroupCommit(connection, clock, together)
        self._turn = threading.Lock()
        """Held by whoever makes a transaction."""
        self._expected = 1
        """So many jobs were together lately."""
        self._alone = 0
        """So many have come alone since several came together."""
        self._pace = 0.0
        """How many seconds a transaction of one brief job has taken lately."""
        self._arriving: deque[Waiting[Any]] = deque()
        self._flushing: asyncio.AbstractEventLoop | None = None
        self._lingering: tuple[asyncio.AbstractEventLoop, asyncio.TimerHandle] | None = None
        self._queue: queue.SimpleQueue[list[Waiting[Any]] | None] = queue.SimpleQueue()
        self._has_ended = False
        self._thread = threading.Thread(target=self._run, name="chautari-writer", daemon=True)
        self._thread.start()

    def submit(self, job: Job[T], late: Callable[[T], object] | None = None) -> "asyncio.Future[T]":
        """Commits or queues a job; the future holds its outcome once it is committed, or why it was not.

        A future that is cancelled stops nothing: where the job succeeds all the same, `late` is told its outcome.
        """
        self.check()
        loop = asyncio.get_running_loop()
        waiting = Waiting(job, loop.create_future(), late)
        if self._flushing is loop:  # it is not the first of this round
            self._alone = 0
        else:
            self._flushing = loop
            loop.call_soon(self._flush)
        if self._alone < _ALONE or not self._commits_here(waiting):
            self._arriving.append(waiting)
        return waiting.future

    def check(self) -> None:
        """Unavailable `STORAGE_AWAY` where the writer has ended."""
        if self._has_ended:
            raise away("the database is closed")

    async def close(self) -> None:
        """Finishes what is queued, then ends the thread."""
        self._hand_over()
        self._queue.put(None)
        await asyncio.to_thread(self._thread.join)

    # In the event loop ────────────────────────────────────────────────────────────────────────────────────────────────

    def _flush(self) -> None:
        """Commits what has arrived, if it is one job, or hands it to the thread once that is worth its while."""
        self._flushing = None
        self._alone = self._alone + 1 if len(self._arriving) <= 1 else 0
        if not self._arriving:  # it has been committed
            return
        if len(self._arriving) == 1:
            alone = self._arriving.popleft()
            if self._commits_here(alone):
                return
            self._arriving.appendleft(alone)
        loop = asyncio.get_running_loop()
        if len(self._arriving) >= self._expected:
            self._hand_over()
        elif self._lingering is None or self._lingering[0] is not loop:
            self._lingering = loop, loop.call_later(_LINGER_SECONDS, self._hand_over)

    def _hand_over(self) -> None:
        """Hands all that has arrived to the thread together: to wake it for the first of them would cost that one a
        transaction of its own, and both threads their fight for the interpreter."""
        if self._lingering is not None:
            self._lingering[1].cancel()
            self._lingering = None
        arrived: list[Waiting[Any]] = []
        try:
            while True:
                arrived.append(self._arriving.popleft())
        except IndexError:
            self._queue.put(arrived)
        if self._has_ended:  # it may have ended in this very moment, and not have seen them
            self._abandon()

    def _commits_here(self, alone: Waiting[Any]) -> bool:
        """Commits a job that came alone, unless that is for the thread to do: two changes of thread would cost it more
        than its transaction, and the event loop has nothing else to do. A disk that is slow is not waited for."""
        if self._arriving or self._expected > 1 or not alone.job.is_brief:
            return False
        if self._group.jobs >= _CHECKPOINT_JOBS or not self._queue.empty():
            return False
        if self._pace > _BRIEF_SECONDS or not self._turn.acquire(blocking=False):
            return False
        try:
            if self._has_ended:
                return False
            began = time.monotonic()
            self._group.run([alone], patient=False)
            self._look_at(began)
        except Busy:
            return False
        finally:
            self._turn.release()
        alone.settle()
        return True

    def _look_at(self, began: float) -> None:
        """Notes how long a transaction took."""
        self._pace += (time.monotonic() - began - self._pace) / _LATELY

    # In the thread ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _run(self) -> None:
        try:
            while self._step():
                pass
        except BaseException as error:  # a bug here must not leave anybody waiting
            _log.critical("the writer thread ended", exc_info=error)
        finally:
            self._has_ended = True
            self._abandon()
            with self._turn:
                self._group.connection.close()

    def _step(self) -> bool:
        """One batch; False where the writer is to end."""
        batch: list[Waiting[Any]] = []
        going = True
        with suppress(queue.Empty):
            jobs = self._queue.get(timeout=BEAT_SECONDS)
            while jobs is not None:
                batch += jobs
                if len(batch) >= _TOGETHER:
                    break
                jobs = self._queue.get_nowait()
            else:
                going = False
        self._expected = expected(self._expected, len(batch))
        self._commit(batch, last=not going)
        return going

    def _commit(self, batch: list[Waiting[Any]], *, last: bool) -> None:
        """Commits a batch, and tells all who wait at once."""
        try:
            began = time.monotonic()
            with self._turn:
                error = self._group.run(batch, last=last)
            if error is not None and is_held(error):
                batch += self._failed(translate(error))  # nobody waits for two: they would not get it either
            elif len(batch) == 1 and batch[0].job.is_brief:
                self._look_at(began)
        finally:
            _settle(batch)
        if self._group.jobs >= _CHECKPOINT_JOBS:
            with self._turn:
                self._group.checkpoint()

    def _abandon(self) -> None:
        """Fails all who are still queued."""
        _settle(self._failed(away("the database is closed")))

    def _failed(self, error: Exception) -> list[Waiting[Any]]:
        """Takes all that is queued, and fails it so; that the writer is to end stays queued."""
        found: list[Waiting[Any]] = []
        ends = False
        with suppress(queue.Empty):
            while True:
                jobs = self._queue.get_nowait()
                ends = ends or jobs is None
                found += jobs or []
        if ends:
            self._queue.put(None)
        for waiting in found:
            waiting.error = error
        return found


def _settle(batch: Iterable[Waiting[Any]]) -> None:
    """Tells all who wait, each event loop once."""
    by_loop: dict[asyncio.AbstractEventLoop, list[Waiting[Any]]] = {}
    for waiting in batch:
        by_loop.setdefault(waiting.future.get_loop(), []).append(waiting)
    for loop, settled in by_loop.items():
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(_settle_here, settled)


def _settle_here(settled: list[Waiting[Any]]) -> None:
    for waiting in settled:
        waiting.settle()
