"""The workers of one supervisor: started, watched, replaced one by one, and ended together."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import structlog

from chautari.processes import children
from chautari.processes.worker import CannotStart, Worker

_MARGIN_SECONDS: Final = 5.0
_LOOK_SECONDS: Final = 5.0

_log = structlog.get_logger("chautari.processes")


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
            worker = await Worker.spawn(number, self._plan.command, self._plan.environments[number])
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
