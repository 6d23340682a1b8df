"""Benchmarks of what should not grow: the cost of an act with the number of matches, or with the length of one; and how
soon an act is seen at another seat, from the same replica or from another. All on PostgreSQL."""

import tempfile
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Final

from chautari.cli.bench_postgres import postgres
from chautari.cli.bench_server import Figure, Measure, server

_FEW: Final = 10
_MANY: Final = 10_000
_ROUNDS: Final = 5
_FLAT: Final = 1.15
_ONE_MS: Final = 5.0
_TWO_MS: Final = 15.0


def growth_of_matches(seconds: float, measure: Measure) -> list[Figure]:
    """The time of an act alone, in ms, while 10 000 other matches are under way, beside that while 10 are."""
    with ExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="chautari-bench-")))
        addresses = []
        for number in (_FEW, _MANY):
            database = closing.enter_context(postgres())
            addresses.append(closing.enter_context(server(folder, database.url)))
            measure("open", addresses[-1].http, number)
        rounds = [[_alone(at.text, seconds, measure) for at in addresses] for _ in range(_ROUNDS)]
    return [_flat("growth.matches", rounds)]


def growth_of_length(seconds: float, measure: Measure) -> list[Figure]:
    """The time of an act round the 2 000th of a match, in ms, beside that round the tenth of another, by turns."""
    with ExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="chautari-bench-")))
        database = closing.enter_context(postgres())
        address = closing.enter_context(server(folder, database.url))
        rounds = measure("long", address.http, max(1, round(seconds)))
    return [_flat("growth.length", rounds)]


def latency(seconds: float, measure: Measure) -> list[Figure]:
    """The time from when an act is sent to when another seat has its event, in ms: on one replica, and across two."""
    with ExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="chautari-bench-")))
        database = closing.enter_context(postgres())
        here, there = (closing.enter_context(server(folder, database.url)) for _ in range(2))
        one, two = (
            median(measure("fan_out", "grpc", at.text, here.http, 1, seconds).micros / 1000 for _ in range(_ROUNDS))
            for at in (here, there)
        )
    return [
        Figure("latency.event.one", one, "ms", _ONE_MS, one / _ONE_MS),
        Figure("latency.event.two", two, "ms", _TWO_MS, two / _TWO_MS),
    ]


def _alone(address: str, seconds: float, measure: Measure) -> float:
    [(act, _)] = measure("act.grpc", address, 1, seconds, 1)
    return float(act.p50)


def _flat(name: str, rounds: list[list[float]]) -> Figure:
    """The second of each pair of times, beside what the first allows it to be."""
    few, many = (median(pair[at] for pair in rounds) for at in (0, 1))
    ratio = median(pair[1] / pair[0] for pair in rounds) / _FLAT
    return Figure(name, many * 1000, "ms", few * 1000 * _FLAT, ratio)
