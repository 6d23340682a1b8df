"""What the server counts of its calls, for Prometheus."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate
from typing import Final

from prometheus_client import CollectorRegistry, Gauge
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

_BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics(Collector):
    """The figures of calls and streams. Calls are counted in plain numbers, which are put into form when asked for."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.registry = registry
        self._calls: Counter[tuple[str, str]] = Counter()
        self._times: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(_BOUNDS) + 1))
        self._seconds: Counter[str] = Counter()
        self._streams = Gauge("chautari_streams", "Streams that are open.", ["method"], registry=registry)
        self._failing: Callable[[], Mapping[tuple[str, str], int]] = dict
        registry.register(self)

    def ended(self, path: str, outcome: str, seconds: float) -> None:
        """A call that is no stream has ended."""
        self._calls[path, outcome] += 1
        self._times[path][bisect_left(_BOUNDS, seconds)] += 1
        self._seconds[path] += seconds  # type: ignore[assignment]

    def counted(self, path: str, outcome: str) -> None:
        """A stream has ended."""
        self._calls[path, outcome] += 1

    def watch_bans(self, count: Callable[[], int]) -> None:
        """Tells how many accounts are banned whenever it is asked."""
        gauge = Gauge("chautari_bans", "Accounts that are banned now.", registry=self.registry)
        gauge.set_function(count)

    def watch_failing(self, count: Callable[[], Mapping[tuple[str, str], int]]) -> None:
        """Tells how many matches fail, by game and exception, whenever it is asked."""
        self._failing = count

    def streams(self, path: str) -> Gauge:
        """The open streams of a method."""
        return self._streams.labels(path)

    def collect(self) -> Iterator[Metric]:
        """The figures of calls as Prometheus reads them."""
        calls = CounterMetricFamily(
            "chautari_calls", "Calls and streams that ended, by method and reason: OK, CANCELLED or an ErrorReason.",
            labels=["method", "outcome"],
        )  # fmt: skip
        for (path, outcome), count in list(self._calls.items()):
            calls.add_metric([path, outcome], count)
        yield calls
        seconds = HistogramMetricFamily(
            "chautari_call_seconds", "How long a call took that is no stream.", labels=["method"]
        )
        bounds = [*map(str, _BOUNDS), "+Inf"]
        for path, times in list(self._times.items()):
            buckets = list(zip(bounds, accumulate(times), strict=True))
            seconds.add_metric([path], buckets, sum_value=self._seconds[path])
        yield seconds
        failing = GaugeMetricFamily(
            "chautari_matches_failing",
            "Matches with which the server cannot do what is due, since an exception ends each try of this process.",
            labels=["game", "error"],
        )
        for (game, error), count in self._failing().items():
            failing.add_metric([game, error], count)
        yield failing
