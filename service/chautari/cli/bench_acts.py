"""Benchmarks of acts: how many a second, how soon one is answered, and what it costs the processors.

Each is beside a call of the same sizes that does nothing, on the same server, made by turns with the acts. Its caller
makes the same messages and reads the same answers, so that what differs is the server's.
"""

import os
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from typing import Any, Final

from chautari.cli.bench_postgres import Bare, Postgres, postgres, processor_seconds
from chautari.cli.bench_server import Address, Figure, Measure, server

_PLAYERS: Final = 32
_ROUNDS: Final = 5
_SPLIT: Final = 3
"""Rounds of one at a time are so much shorter and more: a disk has its moods, and both should meet the same."""
_TO_GRPC: Final = 1.3
_SERVER_CPU: Final = 1.7
_DATABASE_CPU: Final = 2.3
_P99_TO_P50: Final = 4.0


def acts(way: str, store: str, seconds: float, measure: Measure) -> list[Figure]:
    """Acts on 32 matches at once, and one at a time on a server that has nothing else to do.

    Over HTTP they are compared with those over gRPC too, by turns on the same server; on PostgreSQL their costs and
    their slowest are looked at beside.
    """
    name = f"act.{way}.{store}"
    with ExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="chautari-bench-")))
        database = closing.enter_context(postgres()) if store == "postgresql" else None
        address = closing.enter_context(server(folder, database.url if database else store))
        rounds = _Rounds(way, address, database, seconds, measure)
        rounds.run(lambda pause: _bare_seconds(folder, store, database, seconds / _SPLIT, pause))
        figures = [
            Figure(name, rounds.rate, "acts a second", rounds.limit, rounds.ratio),
            Figure(f"{name}.p50", rounds.p50 * 1000, "ms", rounds.least * 1000, rounds.p50_ratio),
        ]
        if rounds.beside:
            times = median(rounds.beside)
            figures.append(Figure(f"{name}.to_grpc", times, "times", _TO_GRPC, times / _TO_GRPC))
        if database is not None:
            figures += _costs(name, rounds, database.bare(seconds))
            figures.append(_slowest(name, measure(f"pace.{way}", rounds.at, _PLAYERS, rounds.rate / 3, 5 * seconds)))
        return figures


class _Rounds:
    """Rounds of acts and of calls that do nothing, by turns."""

    def __init__(self, way: str, address: Address, database: Postgres | None, seconds: float, measure: Measure) -> None:
        self.at = address.http if way == "http" else address.text
        self.beside: list[float] = []
        self.many: list[Any] = []
        self.alone: list[tuple[float, float]] = []
        self._way = way
        self._address = address
        self._database = database
        self._seconds = seconds
        self._measure = measure

    def run(self, bare: Callable[[float], float]) -> None:
        """Makes them. bare: measures the transaction of one act, in seconds, with pauses of so many in between."""
        what = f"act.{self._way}"
        for _ in range(_ROUNDS):
            self.many += self._measure(what, self.at, _PLAYERS, self._seconds, 1, self._look)
            if self._way == "http":
                [(act, _)] = self._measure("act.grpc", self._address.text, _PLAYERS, self._seconds, 1)
                self.beside.append(self.many[-1][0].rate / act.rate)
        seconds = self._seconds / _SPLIT
        [(_, nothing)] = self._measure(what, self.at, 1, seconds, 1)
        for _ in range(_ROUNDS * _SPLIT):
            [(act, least)] = self._measure(what, self.at, 1, seconds, 1, tuple, bare(nothing.p50))
            self.alone.append((act.p50, least.p50))

    def _look(self) -> tuple[float, float]:
        return processor_seconds(self._address.pid, ended=False), self._database.used() if self._database else 0.0

    @property
    def rate(self) -> float:
        """Acts a second."""
        return float(median(act.rate for act, _ in self.many))

    @property
    def limit(self) -> float:
        """Calls a second that do nothing."""
        return float(median(nothing.rate for _, nothing in self.many))

    @property
    def ratio(self) -> float:
        """Of acts to calls, in one round."""
        return float(median(act.rate / nothing.rate for act, nothing in self.many))

    @property
    def p50(self) -> float:
        """The median seconds of an act alone."""
        return median(act for act, _ in self.alone)

    @property
    def least(self) -> float:
        """Those of a call that does nothing while the server waits as long as the bare transaction takes."""
        return median(least for _, least in self.alone)

    @property
    def p50_ratio(self) -> float:
        """Of both in one round."""
        return median(act / least for act, least in self.alone)


def _costs(name: str, rounds: _Rounds, bare: Bare) -> list[Figure]:
    """What an act costs the server, beside an empty call and the driver; and PostgreSQL, beside the bare statement."""
    acts_cpu, database_cpu = (median(act.spent[at] for act, _ in rounds.many) for at in (0, 1))
    nothing_cpu = median(nothing.spent[0] for _, nothing in rounds.many)
    server_limit, database_limit = _SERVER_CPU * (nothing_cpu + bare.driver), _DATABASE_CPU * bare.database
    return [
        Figure(f"{name}.cpu", acts_cpu * 1e6, "µs of the server", server_limit * 1e6, acts_cpu / server_limit),
        Figure(
            f"{name}.database_cpu", database_cpu * 1e6, "µs of PostgreSQL", database_limit * 1e6,
            database_cpu / database_limit,
        ),
    ]  # fmt: skip


def _slowest(name: str, paced: Any) -> Figure:
    """The slowest in a hundred at a third of the top rate, beside four times their median."""
    limit = _P99_TO_P50 * paced.p50
    return Figure(f"{name}.p99", paced.p99 * 1000, "ms at 1/3 rate", limit * 1000, paced.p99 / limit)


def _bare_seconds(folder: Path, store: str, database: Postgres | None, seconds: float, pause: float) -> float:
    """The median seconds of the transaction of an act with nothing around it; none where nothing is stored.

    pause: so many seconds lie between two, as between acts that are made alone: a disk and a processor that rest
    meanwhile take longer for each.
    """
    if database is not None:
        return database.statement(seconds, pause)[0]
    return _bare_transaction(folder / "bench.db", seconds, pause) if store == "sqlite" else 0.0


def _bare_transaction(path: Path, seconds: float, pause: float) -> float:
    """The median time in seconds of the transaction of an act, by hand and with nothing around it.

    It is made on the tables that the acts have left: the row of a match is guarded by its revision and changed, and an
    entry like its last one is added to the journal.
    """
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA synchronous=FULL")
    database.execute("PRAGMA wal_checkpoint")  # so that the log is written over, as it mostly is, and need not grow
    latest = database.execute("SELECT * FROM journal WHERE request_id IS NOT NULL ORDER BY at DESC LIMIT 1")
    columns = [column[0] for column in latest.description]
    entry = dict(zip(columns, latest.fetchone(), strict=True))
    match = "SELECT revision, must, shuffles, snapshot FROM match WHERE id = ?"
    revision, *changing = database.execute(match, (entry["match_id"],)).fetchone()
    add = f"INSERT INTO journal ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
    save = "UPDATE match SET revision = ?, must = ?, shuffles = ?, snapshot = ? WHERE id = ? AND revision = ?"
    times: list[float] = []
    end = perf_counter() + seconds
    while perf_counter() < end:
        values = list((entry | {"revision": revision + 1, "request_id": os.urandom(16)}).values())
        sleep(pause)
        began = perf_counter()
        database.execute("BEGIN IMMEDIATE")
        database.execute(add, values)
        database.execute(save, (revision + 1, *changing, entry["match_id"], revision))
        database.execute("COMMIT")
        times.append(perf_counter() - began)
        revision += 1
    database.close()
    return median(times)
