"""The workers of one supervisor: started, watched, replaced one by one, and ended together."""

import asyncio
import os
import signal
import socket
import time
from asyncio.subprocess import DEVNULL, Process
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Final

import structlog

from chautari.processes import children
from chautari.processes.line import Line

_MARGIN_SECONDS: Final = 5.0
_ANSWER_SECONDS: Final = 2.0
_LOOK_SECONDS: Final = 5.0

_log = structlog.get_logger("chautari.processes")


class CannotStart(Exception):
    """A worker ended before it took calls; the message says why."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What the workers are. Times are in seconds.

    command       starts one; the number of its end of the line is added
    environments  of each worker, which tell it its ports too
    alone         whether one must have ended before the one that takes its place may start
    drain         how long one may take to end
    start         how long one may take until it is ready
    most_mib      how much memory one may take until it is replaced; 0 for as much as it likes
    youngest      how long one lives at least before it is replaced for its memory
    silent        how long one may say nothing when it is asked; then it hangs, and is killed
    """

    command: tuple[str, ...]
    environments: tuple[Mapping[str, str], ...]
    alone: bool = False
    drain: float = 5.0
    start: float = 120.0
    most_mib: int = 0
    youngest: float = 60.0
    silent: float = 60.0


class Worker:
    """One worker process. ended: set when it is gone; is_ready: whether it has taken calls."""

    def __init__(self, number: int, process: Process, line: Line) -> None:
        self.number = number
        self.pid = process.pid
        self.ended = asyncio.Event()
        self.is_ready = False
        self.born = time.monotonic()
        self._process = process
        self._line = line
        self._why = ""
        self._heard = asyncio.Event()
        self._asked: dict[int, asyncio.Future[str]] = {}
        self._numbers = count()
        self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._wait())]

    @classmethod
    async def spawn(cls, number: int, plan: Plan) -> "Worker":
        """Starts one. In a session of its own: Ctrl-C in a terminal is for the supervisor, which passes it on."""
        ours, theirs = socket.socketpair()
        with theirs:
            process = await asyncio.create_subprocess_exec(
                *plan.command, str(theirs.fileno()), pass_fds=(theirs.fileno(),), start_new_session=True,
                stdin=DEVNULL, env=dict(plan.environments[number]),
            )  # fmt: skip
        return cls(number, process, await Line.open(ours))

    @property
    def seconds(self) -> float:
        """How long it has taken calls."""
        return time.monotonic() - self.born if self.is_ready else 0.0

    @property
    def mib(self) -> float:
        """The memory it takes; 0 where the system does not tell."""
        try:
            pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        except (OSError, IndexError):
            return 0.0
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    async def until_ready(self, seconds: float) -> None:
        """Waits until it takes calls; CannotStart, and it is gone."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._heard.wait()
        if self.is_ready:
            self.born = time.monotonic()
            return
        late = not self._heard.is_set()
        self.kill()
        await self.ended.wait()
        if late:
            raise CannotStart(f"a worker was not ready after {seconds:g} s")
        raise CannotStart(self._why or f"a worker ended before it was ready, {self._how()}")

    async def figures(self, seconds: float = _ANSWER_SECONDS) -> str:
        """Its figures, as Prometheus reads them; empty where it does not answer in time."""
        number = next(self._numbers)
        answer = self._asked[number] = asyncio.get_running_loop().create_future()
        self._line.write(figures=number)
        try:
            return await asyncio.wait_for(answer, seconds)
        except TimeoutError:
            return ""
        finally:
            del self._asked[number]

    async def end(self, seconds: float) -> bool:
        """Lets it drain and end; one that has not after so long is killed. False where it was."""
        self._signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(self.ended.wait(), seconds)
        except TimeoutError:
            _log.error("a worker did not end and is killed", worker=self.number, pid=self.pid)
            self.kill()
            await self.ended.wait()
            return False
        return True

    def kill(self) -> None:
        """Ends it at once."""
        self._signal(signal.SIGKILL)

    def how(self) -> str:
        """How it ended."""
        return self._why or self._how()

    def _how(self) -> str:
        status = self._process.returncode or 0
        return f"with signal {-status}" if status < 0 else f"with status {status}"

    def _signal(self, number: int) -> None:
        if not self.ended.is_set():
            children.send(self.pid, number)

    async def _listen(self) -> None:
        while (message := await self._line.read()) is not None:
            self._take(message)
        self._heard.set()

    def _take(self, message: Mapping[str, Any]) -> None:
        if "text" in message:
            asked = self._asked.get(message["figures"])
            if asked is not None and not asked.done():
                asked.set_result(message["text"])
            return
        self.is_ready = self.is_ready or "ready" in message
        self._why = message.get("failed", "")
        self._heard.set()

    async def _wait(self) -> None:
        await self._process.wait()
        self.ended.set()
        self._heard.set()
        await self._line.close()


class Slot:
    """A place that one worker fills at a time; who replaces it holds the lock."""

    def __init__(self, number: int, worker: Worker) -> None:
        self.number = number
        self.worker = worker
        self.lock = asyncio.Lock()
        self.quick_deaths = 0


class Workers:
    """All workers. deaths: how many have died."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._slots: list[Slot] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._all: set[Worker] = set()
        self._turn = asyncio.Lock()
        self._ending = False
        self.deaths = 0

    def __iter__(self) -> Iterator[Worker]:
        """Those that take calls."""
        return (slot.worker for slot in self._slots if slot.worker.is_ready and not slot.worker.ended.is_set())

    async def start(self) -> None:
        """Starts them all. The first goes ahead: it brings the tables up to date, and where it cannot start none can.

        CannotStart, and none is left.
        """
        try:
            first = await self._begin(0)
            async with asyncio.TaskGroup() as group:
                rest = [group.create_task(self._begin(number)) for number in range(1, len(self._plan.environments))]
        except BaseExceptionGroup as errors:
            await self.kill()
            raise errors.exceptions[0] from None
        except BaseException:
            await self.kill()
            raise
        self._slots = [Slot(worker.number, worker) for worker in [first, *(task.result() for task in rest)]]
        self._tasks = [asyncio.create_task(self._keep(slot)) for slot in self._slots]
        self._tasks += [asyncio.create_task(self._ask(slot)) for slot in self._slots]
        if self._plan.most_mib:
            self._tasks.append(asyncio.create_task(self._weigh()))

    async def roll(self) -> None:
        """Replaces each in turn: the new one is ready before the old one drains. If one cannot start, the rest stay."""
        async with self._turn:
            for slot in self._slots:
                if self._ending or not await self._replace(slot):
                    return

    async def stop(self) -> bool:
        """Lets them all drain and end; False where one had to be killed."""
        await self._leave()
        ended = await asyncio.gather(*(worker.end(self._plan.drain + _MARGIN_SECONDS) for worker in self._all))
        return all(ended)

    async def kill(self) -> None:
        """Ends them all at once."""
        await self._leave()
        for worker in self._all:
            worker.kill()
        await asyncio.gather(*(worker.ended.wait() for worker in self._all))

    async def _leave(self) -> None:
        self._ending = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _begin(self, number: int) -> Worker:
        try:
            worker = await Worker.spawn(number, self._plan)
        except OSError as error:
            raise CannotStart(f"a worker cannot be started: {error}") from None
        self._all = {one for one in self._all if not one.ended.is_set()} | {worker}
        await worker.until_ready(self._plan.start)
        return worker

    async def _keep(self, slot: Slot) -> None:
        """Puts another in the place of one that dies."""
        while True:
            worker = slot.worker
            await worker.ended.wait()
            async with slot.lock:
                if slot.worker is not worker:
                    continue  # it was replaced
                self.deaths += 1
                quick = slot.quick_deaths = 0 if children.is_settled(worker.seconds) else slot.quick_deaths + 1
                _log.error("a worker has died", worker=slot.number, pid=worker.pid, how=worker.how())
                while slot.worker is worker:
                    await asyncio.sleep(children.pause(quick))
                    quick += 1
                    with suppress(CannotStart):  # it was logged; the next try is later
                        slot.worker = await self._fill(slot)
                _log.info("a worker is replaced", worker=slot.number, old=worker.pid, new=slot.worker.pid)

    async def _fill(self, slot: Slot) -> Worker:
        try:
            return await self._begin(slot.number)
        except CannotStart as error:
            _log.error("a worker cannot start", worker=slot.number, why=str(error))
            raise

    async def _replace(self, slot: Slot) -> bool:
        async with slot.lock:
            old = slot.worker
            if old.ended.is_set():
                return True  # whoever keeps the slot is about to
            if self._plan.alone:
                await old.end(self._plan.drain + _MARGIN_SECONDS)
            try:
                new = await self._fill(slot)
            except CannotStart:
                return False
            slot.worker = new
            if not self._plan.alone:
                await old.end(self._plan.drain + _MARGIN_SECONDS)
            _log.info("a worker is replaced", worker=slot.number, old=old.pid, new=new.pid)
            return True

    async def _ask(self, slot: Slot) -> None:
        """Kills a worker that hangs: whoever keeps the slot puts another in its place."""
        while True:
            await asyncio.sleep(self._plan.silent / 4)
            worker = slot.worker
            if not worker.is_ready or worker.ended.is_set() or await worker.figures(self._plan.silent):
                continue
            if worker is slot.worker and not worker.ended.is_set():
                _log.error("a worker hangs and is killed", worker=slot.number, pid=worker.pid)
                worker.kill()

    async def _weigh(self) -> None:
        """Replaces, one at a time, those that have grown too large."""
        while True:
            await asyncio.sleep(min(_LOOK_SECONDS, self._plan.youngest))
            for slot in self._slots:
                worker = slot.worker
                if worker.seconds < self._plan.youngest or worker.mib <= self._plan.most_mib:
                    continue
                async with self._turn:
                    _log.warning("a worker has grown too large", worker=slot.number, mib=round(worker.mib))
                    await self._replace(slot)
