"""What benchmarks of the service share: a server of their own, and how a figure looks."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from uuid import uuid4

import msgspec

Measure = Callable[..., Any]
"""Drives a server, see `chautari.main.measure`. `act.grpc` and `act.http` with an address, so many players, so many
seconds a round, rounds, and what looks at meters give (acts, do-nothing) for each, with `rate`, `p50` and `spent`."""


class Figure(msgspec.Struct, frozen=True, omit_defaults=True):
    """One figure. ratio: of the value to the limit, for a rate and for a time alike."""

    name: str
    value: float
    unit: str
    limit: float | None = None
    ratio: float | None = None


class Address(msgspec.Struct, frozen=True):
    """Where a server listens for gRPC and for HTTP, and its process."""

    text: str
    http: str
    pid: int


@contextmanager
def server(folder: Path, store: str, **more: str) -> Iterator[Address]:
    """A server of its own in another process. store: `memory`, `sqlite` for a file of the folder, which is made where
    there is none, or the URL of a PostgreSQL."""
    ready = folder / f"ready-{uuid4().hex}.json"
    where = {"memory": ["--memory"], "sqlite": ["--database", str(folder / "bench.db")]}.get(
        store, ["--database", store]
    )
    command = [sys.executable, "-m", "chautari.main", "serve", "--port", "0", "--ready-file", str(ready), *where]
    environment = os.environ | {
        "CHAUTARI_MEASURED": "1", "CHAUTARI_CALLS_PER_SECOND": "0", "CHAUTARI_ANONYMOUS_PER_SECOND": "0",
        "CHAUTARI_ADDRESS_PER_SECOND": "0", "CHAUTARI_ACTS_PER_SECOND": "0", "CHAUTARI_STREAMS_PER_ACCOUNT": "0",
        "CHAUTARI_LOG_CALLS": "0", "CHAUTARI_LOG_LEVEL": "warning", "CHAUTARI_KEY_FILE": str(folder / "bench.key"),
        "CHAUTARI_OPEN_MATCHES_PER_ACCOUNT": "0", **more,
    }  # fmt: skip
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        try:
            end = monotonic() + 30
            while not ready.exists():
                if process.poll() is not None or monotonic() > end:
                    raise SystemExit("the server to be measured did not start")
                sleep(0.02)
            told = json.loads(ready.read_text())
            yield Address(told["address"], told["http"].removeprefix("http://"), told["pid"])
        finally:
            process.terminate()


def resident_megabytes(pid: int) -> float:
    """What a process holds in memory, where the system tells: Linux does."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return float("nan")
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:"))
