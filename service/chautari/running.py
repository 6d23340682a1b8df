"""The service while it runs in a process: its use cases, its pipeline and its fronts, started and drained.

Like `main` it ties rooms together.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import structlog
from prometheus_client import CollectorRegistry, ProcessCollector, start_http_server

from chautari import configured
from chautari.app.ports import Store
from chautari.app.service import App
from chautari.config import VERSION, Config
from chautari.errors import ChautariError
from chautari.storage import open_store
from chautari.wire.grpc import GrpcFront
from chautari.wire.http import HttpFront, Pages
from chautari.wire.limits import Limits
from chautari.wire.methods import methods_of
from chautari.wire.metrics import Metrics
from chautari.wire.pipeline import Pipeline, Timing
from chautari.wire.readiness import Readiness
from chautari.wire.services import services_of

_LAST_SECONDS: Final = 1.0
"""Connections are told to end, and who does not listen is cut off after this."""
_DATABASE_SECONDS: Final = 2.0
_LINGER_SECONDS: Final = 0.2
"""Who calls in the last moment is told that the server is about to stop, and not met by a closed door."""


@dataclass(frozen=True, slots=True)
class Running:
    """The service while it runs: its ports, its use cases, and what it counts. http_port: None where there is no HTTP
    front."""

    port: int
    http_port: int | None
    app: App
    figures: CollectorRegistry


@asynccontextmanager
async def running(config: Config) -> AsyncIterator[Running]:
    """The service while it runs; it is drained at the end."""
    async with AsyncExitStack() as closing:
        app = await _open_app(config, closing)
        figures = CollectorRegistry()
        pipeline = _pipeline(config, app, figures)
        closing.push_async_callback(pipeline.stop)
        works = _works_of(app.store)
        front, http = _fronts(config, app, pipeline, works, figures)
        fronts = (front,) if http is None else (front, http)
        for each in fronts:
            closing.push_async_callback(each.stop, _LAST_SECONDS)
        await app.start()
        pipeline.start()
        port = await front.start()
        http_port = await http.start() if http is not None else None
        readiness = Readiness(works, front.say_serving)
        readiness.start()
        closing.push_async_callback(readiness.stop)
        _give_figures(config, figures, closing)
        yield Running(port, http_port, app, figures)
        for each in reversed(fronts):
            await each.say_not_serving()
        await asyncio.sleep(config.notice_seconds)
        pipeline.drain()
        await app.drain()
        await _linger()
        await _close_doors(config, pipeline, fronts)


async def _open_app(config: Config, closing: AsyncExitStack) -> App:
    """The use cases over the store and the bus, which are closed with the stack."""
    providers, fetch = configured.providers(config)
    store, bus, page_key = await open_store(config)
    bus.start()
    closing.push_async_callback(bus.close)
    app = App(
        store, bus, page_key=page_key, heartbeat_seconds=config.heartbeat_seconds,
        pack_after_seconds=config.pack_after_seconds, providers=providers, fetch=fetch, terms=configured.terms(config),
        name_words=configured.name_words(config),
    )  # fmt: skip
    closing.push_async_callback(app.close)
    return app


def _pipeline(config: Config, app: App, figures: CollectorRegistry) -> Pipeline:
    metrics = Metrics(figures)
    metrics.watch_bans(app.bans.count)
    metrics.watch_failing(app.chores.failing)
    timing = Timing(config.call_seconds, config.slow_reader_seconds, config.refusal_seconds)
    limits = Limits(configured.allowed(config))
    return Pipeline(app.accounts, limits, metrics, timing=timing, logged=config.log_calls)


def _works_of(store: Store) -> Callable[[], Coroutine[Any, Any, bool]]:
    """Asks whether the database answers, and soon enough."""

    async def works() -> bool:
        try:
            async with asyncio.timeout(_DATABASE_SECONDS):
                await store.check()
        except (ChautariError, TimeoutError):
            return False
        return True

    return works


def _fronts(
    config: Config, app: App, pipeline: Pipeline, works: Callable[[], Coroutine[Any, Any, bool]],
    figures: CollectorRegistry,
) -> tuple[GrpcFront, HttpFront | None]:  # fmt: skip
    """The front of gRPC, and that of HTTP where there is one."""
    methods = methods_of(services_of(app, configured.facts(config)))
    front = GrpcFront(pipeline, methods, configured.grpc_options(config))
    if not config.http:
        return front, None
    pages = Pages(methods, VERSION, configured.limits(config)).routes()
    registry = figures if _gives_figures_over_http(config) else None
    return front, HttpFront(pipeline, methods, configured.http_options(config), pages, works=works, registry=registry)


def _gives_figures_over_http(config: Config) -> bool:
    """Whether the figures are on the port of the HTTP front."""
    return config.http and config.metrics_port == config.http_at


def _give_figures(config: Config, figures: CollectorRegistry, closing: AsyncExitStack) -> None:
    """Adds those of the process where any are asked for, and opens their port unless it is that of HTTP."""
    if config.metrics_port:
        ProcessCollector(registry=figures)
    if config.metrics_port and not _gives_figures_over_http(config):
        scraped, _ = start_http_server(config.metrics_port, config.host, figures)
        closing.callback(scraped.server_close)
        closing.callback(scraped.shutdown)


async def _linger() -> None:
    await asyncio.sleep(_LINGER_SECONDS)


async def _close_doors(config: Config, pipeline: Pipeline, fronts: Sequence[GrpcFront | HttpFront]) -> None:
    """The doors close before the last calls have ended: who comes back finds another process behind this address."""
    stopping = asyncio.gather(*(front.stop(config.drain_seconds) for front in fronts))
    if not await pipeline.idle(config.drain_seconds):
        structlog.get_logger("chautari.calls").warning("calls are cut off", seconds=config.drain_seconds)
    await stopping
