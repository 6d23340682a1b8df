"""The figures of all workers on one port, each with the number of its worker."""

import asyncio
from collections.abc import Iterable, Iterator
from typing import Final

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector

from chautari.processes.workers import Workers

_SECONDS: Final = 5.0


class Figures(Collector):
    """Serves them while it is open. They are gathered when somebody asks: a worker keeps its own until then."""

    def __init__(self, workers: Workers, host: str, port: int) -> None:
        self._workers = workers
        self._loop = asyncio.get_running_loop()
        registry = CollectorRegistry()
        registry.register(self)
        self._server, _ = start_http_server(port, host, registry)

    def close(self) -> None:
        """Serves them no more."""
        self._server.shutdown()
        self._server.server_close()

    def describe(self) -> Iterable[Metric]:
        """Nothing yet: what the workers count is known when they are asked."""
        return []

    def collect(self) -> Iterator[Metric]:
        """The figures of all workers, and of the supervisor."""
        texts = asyncio.run_coroutine_threadsafe(self._gather(), self._loop).result(_SECONDS)
        yield from merged(texts)
        yield GaugeMetricFamily("chautari_workers", "Workers that take calls.", value=len(texts))
        yield CounterMetricFamily("chautari_worker_deaths", "Workers that died.", value=self._workers.deaths)

    async def _gather(self) -> dict[int, str]:
        workers = list(self._workers)
        texts = await asyncio.gather(*(worker.figures() for worker in workers))
        return {worker.number: text for worker, text in zip(workers, texts, strict=True)}


def merged(texts: dict[int, str]) -> list[Metric]:
    """The families of all texts, each sample with a label `worker`."""
    families: dict[str, Metric] = {}
    for number, text in sorted(texts.items()):
        for family in text_string_to_metric_families(text):
            whole = families.setdefault(family.name, Metric(family.name, family.documentation, family.type))
            whole.samples += [
                sample._replace(labels={**sample.labels, "worker": str(number)}) for sample in family.samples
            ]
    return list(families.values())
