"""Benchmarks of streams: one act to many who watch, and what those cost who watch a match in which nothing happens."""

import tempfile
from pathlib import Path
from statistics import median
from typing import Final

from chautari.cli.bench_server import Figure, Measure, resident_megabytes, server

_WATCHERS: Final = 100
_IDLE: Final = 2000
_ROUNDS: Final = 5
_WANTED_MICROS: Final = {"grpc": 36.0, "sse": 13.0}
_WANTED_MEGABYTES: Final = 600.0


def fan_out(kind: str, seconds: float, measure: Measure) -> list[Figure]:
    """The time from an act to when all have it, for each of those who watch; the act itself is in it."""
    with tempfile.TemporaryDirectory(prefix="chautari-bench-") as folder, server(Path(folder), "sqlite") as address:
        rounds = [measure("fan_out", kind, address.text, address.http, _WATCHERS, seconds) for _ in range(_ROUNDS)]
    micros, wanted = median(round.micros for round in rounds), _WANTED_MICROS[kind]
    return [Figure(f"fanout.{kind}", micros, "µs a delivery", wanted, micros / wanted)]


def idle_streams(kind: str, measure: Measure) -> list[Figure]:
    """The memory of a server with so many streams open."""
    with tempfile.TemporaryDirectory(prefix="chautari-bench-") as folder, server(Path(folder), "memory") as address:
        held = measure("rest", kind, address.text, address.http, _IDLE, lambda: resident_megabytes(address.pid))
    return [Figure(f"idle.{kind}", held, f"MB with {_IDLE} streams", _WANTED_MEGABYTES, held / _WANTED_MEGABYTES)]
