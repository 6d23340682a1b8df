"""A real server: `chautari serve` as a process, on a SQLite file, that is stopped, killed and started again."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from chautari.app.ports import Store
from chautari.store import SqliteStore, load_or_make_key
from chautari.store.postgres import PostgresStore
from tests.ports import HeldPort

_READY = re.compile(r"serves gRPC on 127\.0\.0\.1:\d+")
_READY_SECONDS = 240.0
_UNLIMITED = {
    # All programs of the tests call from one address, some with one account, as fast as they can.
    "CHAUTARI_CALLS_PER_SECOND": "0",
    "CHAUTARI_ANONYMOUS_PER_SECOND": "0",
    "CHAUTARI_ADDRESS_PER_SECOND": "0",
    "CHAUTARI_ACTS_PER_SECOND": "0",
    "CHAUTARI_WRONG_CODES_PER_MINUTE": "0",
    "CHAUTARI_WRONG_TOKENS_PER_MINUTE": "0",
    "CHAUTARI_STREAMS_PER_ACCOUNT": "0",
    "CHAUTARI_OPEN_MATCHES_PER_ACCOUNT": "0",
    "CHAUTARI_LOG_LEVEL": "error",
}

_WRONG_CLOCK = """
import runpy, sys, time
seconds, now, now_ns = float(sys.argv.pop(1)), time.time, time.time_ns
time.time, time.time_ns = (lambda: now() + seconds), (lambda: now_ns() + round(seconds * 1e9))
runpy.run_module("chautari.main", run_name="__main__", alter_sys=True)
"""


class NotReady(AssertionError):
    """The server did not start; the message is what it printed."""


class Server:
    """One server process at a time on one database and its two ports, which stay its own until `close`."""

    def __init__(self, folder: Path, database_url: str | None = None, **environment: str) -> None:
        """database_url: PostgreSQL in place of a SQLite file in the folder."""
        self.clock_off_by = 0.0
        """So many seconds the system's clock is ahead, as far as Python tells the time; for the next start."""
        self.folder = folder
        self._database_url = database_url
        self._environment = environment
        self._process: subprocess.Popen[str] | None = None
        self._output: list[str] = []
        self._ready = threading.Event()
        self._reader: threading.Thread | None = None
        self._held, self._held_for_http = HeldPort(), HeldPort()
        self.address = f"127.0.0.1:{self._held.number}"
        self.http_address = f"127.0.0.1:{self._held_for_http.number}"

    @property
    def database(self) -> Path:
        """The SQLite file."""
        return self.folder / "chautari.db"

    @property
    def output(self) -> str:
        """All that it has printed so far, for a failure's message."""
        return "".join(self._output)

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return self._held.number

    @property
    def pid(self) -> int:
        """The process that was started: the supervisor, where there is one."""
        assert self._process is not None
        return self._process.pid

    def signal(self, number: int) -> None:
        """Sends it a signal."""
        os.kill(self.pid, number)

    def start(self) -> None:
        """Starts it and waits until it says that it is ready."""
        self._ready.clear()
        off_by = str(self.clock_off_by)
        program = ["-c", _WRONG_CLOCK, off_by] if self.clock_off_by else ["-m", "chautari.main"]
        self._process = subprocess.Popen(
            [sys.executable, *program, "serve", *self._options()], cwd=self.folder, text=True,
            env={**os.environ, **_UNLIMITED, **self._environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        self._reader = threading.Thread(target=self._read, args=(self._process,), daemon=True)
        self._reader.start()
        end = time.monotonic() + _READY_SECONDS
        while not self._ready.wait(0.05):
            if not self.is_running() or time.monotonic() > end:
                self.kill()
                raise NotReady(self.output)

    def _options(self) -> list[str]:
        ports = ["--port", str(self.port), "--http-port", str(self._held_for_http.number)]
        return [*ports, "--database", self._database_url or str(self.database)]

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self._output.append(line)
            if _READY.search(line):
                self._ready.set()

    def close(self) -> None:
        """Kills it where it still runs, and gives its port back."""
        self.kill()
        self._held.close()
        self._held_for_http.close()

    def kill(self) -> None:
        """`kill -9`: it gets to do nothing more."""
        self._end(signal.SIGKILL, 60.0)

    def stop(self, seconds: float = 60.0) -> int:
        """SIGTERM: it drains and ends; returns its exit status."""
        return self._end(signal.SIGTERM, seconds)

    def _end(self, signal_number: int, seconds: float) -> int:
        process = self._process
        if process is None:
            return 0
        self._process = None
        process.send_signal(signal_number)
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(f"the server did not end within {seconds} s:\n{self.output}") from None
        if self._reader is not None:
            self._reader.join(60.0)
        assert process.stdout is not None
        process.stdout.close()
        return status

    def is_running(self) -> bool:
        """Whether the process is there."""
        return self._process is not None and self._process.poll() is None

    @asynccontextmanager
    async def store(self) -> AsyncIterator[Store]:
        """The database as the store reads it; a SQLite file while no server has it."""
        store: Store
        if self._database_url is not None:
            store = await PostgresStore.open(self._database_url, bytes.fromhex(self._environment["CHAUTARI_KEY"]))
        else:
            assert not self.is_running()
            store = SqliteStore.open(self.database, load_or_make_key(self.database.with_suffix(".key")))
        try:
            yield store
        finally:
            await store.close()
