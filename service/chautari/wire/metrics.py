"""What the server counts of its calls, for Prometheus."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """The figures of calls and streams. What belongs to a method and code is looked up once."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.registry = registry
        self._calls = Counter(
            "chautari_calls",
            "Calls and streams that ended, by method and reason: OK, CANCELLED or an ErrorReason.",
            ["method", "outcome"],
            registry=registry,
        )
        self._seconds = Histogram(
            "chautari_call_seconds", "How long a call took that is no stream.", ["method"], buckets=_BUCKETS,
            registry=registry,
        )  # fmt: skip
        self._streams = Gauge("chautari_streams", "Streams that are open.", ["method"], registry=registry)
        self._counts: dict[tuple[str, str], Counter] = {}
        self._times: dict[str, Histogram] = {}

    def ended(self, path: str, outcome: str, seconds: float) -> None:
        """A call that is no stream has ended."""
        self.counted(path, outcome)
        times = self._times.get(path)
        if times is None:
            times = self._times[path] = self._seconds.labels(path)
        times.observe(seconds)

    def counted(self, path: str, outcome: str) -> None:
        """A call or stream has ended."""
        count = self._counts.get((path, outcome))
        if count is None:
            count = self._counts[path, outcome] = self._calls.labels(path, outcome)
        count.inc()

    def streams(self, path: str) -> Gauge:
        """The open streams of a method."""
        return self._streams.labels(path)
