"""One worker process, and the line to it."""

import asyncio
import os
import signal
import socket
import time
from asyncio.subprocess import DEVNULL, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, Final

import structlog

from chautari.processes import children
from chautari.processes.line import Line

_ANSWER_SECONDS: Final = 2.0

_log = structlog.get_logger("chautari.processes")


class CannotStart(Exception):
    """A worker ended before it took calls; the message says why."""


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
    async def spawn(cls, number: int, command: Sequence[str], environment: Mapping[str, str]) -> "Worker":
        """Starts one by a command, to which the number of its end of the line is added.

        In a session of its own: Ctrl-C in a terminal is for the supervisor, which passes it on.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            process = await asyncio.create_subprocess_exec(
                *command, str(theirs.fileno()), pass_fds=(theirs.fileno(),), start_new_session=True, stdin=DEVNULL,
                env=dict(environment),
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
            async with asyncio.timeout(seconds):
                told: str = await answer
                return told
        except TimeoutError:
            return ""
        finally:
            del self._asked[number]

    async def end(self, seconds: float) -> bool:
        """Lets it drain and end; one that has not after so long is killed. False where it was."""
        self._signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(seconds):
                await self.ended.wait()
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
