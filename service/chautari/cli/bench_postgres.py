"""A PostgreSQL for benchmarks, in a folder that is removed at the end.

And the bare statement of an act on it, as the limit of what a service around it can reach: over asyncpg, and from
`pgbench`, a client in C.
"""

import asyncio
import os
import re
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any, Final

import msgspec

from chautari.cli.own_postgres import Cluster

_SETTINGS: Final = ("listen_addresses=127.0.0.1", "max_connections=100", "shared_buffers=128MB", "max_wal_size=1GB")
_TICKS: Final = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_CLIENTS: Final = 32
_STATEMENT: Final = (
    "WITH saved AS (UPDATE match SET revision = {revision} + 1, must = 1, shuffles = 1, snapshot = {snapshot} "
    "WHERE id = {id} AND revision = {revision} RETURNING id) "
    "INSERT INTO journal (match_id, revision, at, cause, seat, account_id, action, events, request_id, request_digest) "
    "SELECT id, {revision} + 1, 1, 'seat', 0, {account}, 'take', {events}, {request}, {digest} FROM saved"
)


class Bare(msgspec.Struct, frozen=True):
    """The bare statement, in processor seconds. driver: of asyncpg for one; database: of PostgreSQL for one that
    `pgbench` sends."""

    driver: float
    database: float


class Postgres:
    """A PostgreSQL that runs."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    @property
    def url(self) -> str:
        """How to reach its database."""
        return self._cluster.url()

    def used(self) -> float:
        """The processor seconds of its main process, of those that run for it, and of those that have ended."""
        assert self._cluster.process is not None
        return sum(map(processor_seconds, [self._cluster.process.pid, *self._cluster.children()]))

    def statement(self, seconds: float, pause: float = 0.0) -> tuple[float, float, tuple[int, int]]:
        """The statement over asyncpg, one after another: see `_over_driver`."""
        return asyncio.run(_over_driver(self.url, seconds, pause))

    def bare(self, seconds: float) -> Bare:
        """What the bare statement costs on matches like those that acts have left there."""
        _, driver, sizes = self.statement(seconds)
        before = self.used()
        sent = _by_pgbench(self._cluster, seconds, sizes)
        return Bare(driver, (self.used() - before) / sent)


def processor_seconds(pid: int, ended: bool = True) -> float:
    """What a process has used of processors, and its children that have ended; where the system tells: Linux does."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, words[11 : 15 if ended else 13])) / _TICKS


@contextmanager
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL on a free port, which ends with the block; it commits durably, as in earnest."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="chautari-pg-", ignore_cleanup_errors=True) as folder:
        cluster = Cluster(Path(folder), port, _SETTINGS)
        try:
            cluster.make_files()
            cluster.start()
            yield Postgres(cluster)
        finally:
            cluster.stop()


async def _over_driver(url: str, seconds: float, pause: float) -> tuple[float, float, tuple[int, int]]:
    """The median seconds of a statement, the processor seconds of the driver for one, and the sizes of its values.

    pause: seconds between two statements.
    """
    import asyncpg

    connection = await asyncpg.connect(url)
    match, sizes, revision = await _latest(connection)
    kinds = {
        "revision": "int4", "snapshot": "bytea", "id": "text", "account": "text", "events": "bytea",
        "request": "bytea", "digest": "bytea",
    }  # fmt: skip
    slots = {name: f"${number}::{kind}" for number, (name, kind) in enumerate(kinds.items(), 1)}
    statement = await connection.prepare(_STATEMENT.format(**slots))
    times: list[float] = []
    began_at = process_time()
    end = perf_counter() + seconds
    snapshot, events, digest = bytes(sizes[0]), bytes(sizes[1]), bytes(32)
    while perf_counter() < end:
        if pause:
            await asyncio.sleep(pause)
        began = perf_counter()
        await statement.fetch(revision, snapshot, match, "bare", events, os.urandom(16), digest)
        times.append(perf_counter() - began)
        revision += 1
    used = process_time() - began_at
    await connection.close()
    return median(times), used / len(times), sizes


async def _latest(connection: Any) -> tuple[str, tuple[int, int], int]:
    """A match, the bytes of its snapshot and of an entry's events, and its revision."""
    row = await connection.fetchrow(
        "SELECT match.id, length(snapshot) AS snapshot, length(events) AS events, match.revision FROM match "
        "JOIN journal ON match_id = match.id WHERE request_id IS NOT NULL AND state = 'playing' "
        "ORDER BY at DESC LIMIT 1"
    )
    return row["id"], (row["snapshot"], row["events"]), row["revision"]


def _by_pgbench(cluster: Cluster, seconds: float, sizes: tuple[int, int]) -> int:
    """Sends the statement from C, so many connections at once on a row each; how many were sent."""
    tables = (
        "DROP TABLE IF EXISTS bare_match, bare_journal",
        "CREATE TABLE bare_match (LIKE match INCLUDING ALL)",
        "CREATE TABLE bare_journal (LIKE journal INCLUDING ALL)",
        "INSERT INTO bare_match SELECT (jsonb_populate_record(one.match, jsonb_build_object('id', 'bare' || n, "
        "'code', NULL, 'link', 'bare' || n, 'revision', 0))).* "
        "FROM (SELECT match FROM match WHERE state = 'playing' LIMIT 1) AS one, "
        f"generate_series(0, {_CLIENTS - 1}) AS n",
    )
    for statement in tables:
        cluster.run(statement)
    slots = {
        "revision": ":revision", "id": "'bare' || :client_id", "account": "'bare'",
        "snapshot": f"decode(repeat('00', {sizes[0]}), 'hex')", "events": f"decode(repeat('00', {sizes[1]}), 'hex')",
        "request": "decode(lpad(to_hex((:client_id * 1000000 + :revision)::int8), 32, '0'), 'hex')",
        "digest": "decode(repeat('00', 32), 'hex')",
    }  # fmt: skip
    statement = _STATEMENT.replace("match SET", "bare_match SET").replace("INTO journal", "INTO bare_journal")
    script = f"{statement.format(**slots)};\n\\set revision :revision + 1\n"
    said = cluster.tool(
        "pgbench", "-n", "-M", "prepared", "-c", str(_CLIENTS), "-j", "2", "-T", str(max(1, round(seconds))),
        "-D", "revision=0", "-f", "-", cluster.url(), given=script,
    )  # fmt: skip
    sent = re.search(r"transactions actually processed: (\d+)", said)
    assert sent is not None
    return int(sent[1])
