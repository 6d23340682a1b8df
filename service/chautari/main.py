"""Where the parts are tied together: the one module that may import every room.

What is heavy is imported by the command that needs it, so that `chautari games` does not wait for a server's parts.
"""

import asyncio
import gc
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from socket import socket
from typing import TYPE_CHECKING, Any, Final, TypeVar

from chautari import console
from chautari.cli.app import Ties, make_app
from chautari.cli.record import Form
from chautari.cli.serve import CannotServe, Ready
from chautari.cli.verify import Verdict
from chautari.errors import ChautariError

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

    from chautari.app.name_words import NameWords
    from chautari.app.ports import Bus, Store
    from chautari.app.providers import Fetch, Provider
    from chautari.app.service import App
    from chautari.config import Config

T = TypeVar("T")

VERSION: Final = version("chautari")
_LAST_SECONDS: Final = 1.0
"""Connections are told to end, and who does not listen is cut off after this."""
_DATABASE_SECONDS: Final = 2.0
_LINGER_SECONDS: Final = 0.2
"""Who calls in the last moment is told that the server is about to stop, and not met by a closed door."""


def main() -> None:
    """The command `chautari`."""
    make_app(tied())()


def tied() -> Ties:
    """What the commands are lent of the other rooms."""
    return Ties(serve, work, console.DATABASE, console.operate, measure, verify, convert, fetch)


# ── The service ───────────────────────────────────────────────────────────────────────────────────────────────────────


def serve(options: Mapping[str, object], ready: Callable[[Ready], None]) -> None:
    """Serves until it is told to stop; `ready` is called once. CannotServe says why it cannot start."""
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # else grpc's core writes lines of its own beside the log
    with _unsearched():
        from chautari.config import BadConfig, Config
        from chautari.wire import log

        try:
            config = Config.read(os.environ, **options)
            log.configure(config.log_level, config.log_format)
            if config.is_supervised:
                from chautari.supervision import supervise

                _settle_memory()
                supervise(config, ready, VERSION, "memory" if config.memory else _shown(config))
            else:
                _run(_serve(config, ready))
        except ChautariError as error:
            raise CannotServe(error.message) from error
        except (BadConfig, OSError) as error:
            raise CannotServe(str(error)) from error


async def _serve(config: "Config", ready: Callable[[Ready], None]) -> None:
    async with running(config) as service, _signals() as stopped:
        database = "memory" if config.memory else _shown(config)
        _settle_memory()
        ready(Ready(config.host, service.port, database, VERSION, os.getpid(), config.reflection, service.http_port))
        await stopped.wait()


@asynccontextmanager
async def _signals() -> AsyncIterator[asyncio.Event]:
    """What SIGTERM and SIGINT set; a second one ends the process at once."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    try:
        yield stopped
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)


def work(line: int) -> None:
    """Serves as a worker, until the supervisor at the other end of the line says so, or is gone."""
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    with _unsearched():
        from chautari.config import Config
        from chautari.wire import log

        config = Config.read(os.environ)
        log.configure(config.log_level, config.log_format)
        _run(_work(config, socket(fileno=line)))


async def _work(config: "Config", end: socket) -> None:
    from prometheus_client import ProcessCollector, generate_latest

    from chautari.config import BadConfig
    from chautari.processes import Line

    line = await Line.open(end)
    try:
        async with running(config) as service, _signals() as stopped:
            ProcessCollector(registry=service.figures)

            async def listen() -> None:
                while (asked := await line.read()) is not None:
                    text = await asyncio.to_thread(generate_latest, service.figures)
                    line.write(figures=asked["figures"], text=text.decode())
                stopped.set()

            _settle_memory()
            line.write(ready=True)
            listening = asyncio.create_task(listen())
            await stopped.wait()
            listening.cancel()
    except (ChautariError, BadConfig, OSError) as error:
        line.write(failed=str(error))
        await line.close()
        raise SystemExit(1) from error


@contextmanager
def _unsearched() -> Iterator[None]:
    """Until `_settle_memory` Python does not search for circles: to search what is just being imported and made, and
    stays, again and again is a fifth of the time that a start takes."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _settle_memory() -> None:
    """What is there at the start stays: Python's search for circles passes it over, and looks less often at the rest.

    Calls make hardly any circles; each search costs the same however few it finds.
    """
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000, 20, 50)


@dataclass(frozen=True, slots=True)
class Running:
    """The service while it runs: its ports, its use cases, and what it counts. http_port: None where there is no HTTP
    front."""

    port: int
    http_port: int | None
    app: "App"
    figures: "CollectorRegistry"


@asynccontextmanager
async def running(config: "Config") -> AsyncIterator[Running]:
    """The service while it runs; it is drained at the end."""
    import structlog
    from prometheus_client import CollectorRegistry, ProcessCollector, start_http_server

    from chautari.app.service import App
    from chautari.wire.grpc import Front
    from chautari.wire.http import HttpFront
    from chautari.wire.limits import Limits
    from chautari.wire.methods import methods_of
    from chautari.wire.metrics import Metrics
    from chautari.wire.pipeline import Pipeline, Timing
    from chautari.wire.readiness import Readiness
    from chautari.wire.services import services_of

    providers, fetch = _providers(config)
    store, bus, page_key = await _open_store(config)
    async with AsyncExitStack() as closing:
        bus.start()
        closing.push_async_callback(bus.close)
        app = App(
            store, bus, page_key=page_key, heartbeat_seconds=config.heartbeat_seconds,
            pack_after_seconds=config.pack_after_seconds, providers=providers, fetch=fetch, terms=_terms(config),
            name_words=_name_words(config),
        )  # fmt: skip
        closing.push_async_callback(app.close)
        registry = CollectorRegistry()
        metrics = Metrics(registry)
        metrics.watch_bans(app.bans.count)
        pipeline = Pipeline(
            app.accounts, Limits(_allowed(config)), metrics,
            timing=Timing(config.call_seconds, config.slow_reader_seconds, config.refusal_seconds),
            logged=config.log_calls,
        )  # fmt: skip
        closing.push_async_callback(pipeline.stop)
        methods = methods_of(services_of(app, _facts(config)))
        front = Front(pipeline, methods, _front_options(config))
        closing.push_async_callback(front.stop, _LAST_SECONDS)
        works = _works_of(store)
        shares = config.http and config.metrics_port == config.http_at
        http: HttpFront | None = None
        if config.http:
            http = HttpFront(
                pipeline, methods, _http_options(config), _pages(methods, config), works=works,
                registry=registry if shares else None,
            )  # fmt: skip
            closing.push_async_callback(http.stop, _LAST_SECONDS)
        await app.start()
        pipeline.start()
        port = await front.start()
        http_port = await http.start() if http is not None else None
        readiness = Readiness(works, front.say_serving)
        readiness.start()
        closing.push_async_callback(readiness.stop)
        if config.metrics_port:
            ProcessCollector(registry=registry)
        if config.metrics_port and not shares:
            scraped, _ = start_http_server(config.metrics_port, config.host, registry)
            closing.callback(scraped.server_close)
            closing.callback(scraped.shutdown)
        yield Running(port, http_port, app, registry)
        if http is not None:
            await http.say_not_serving()
        await front.say_not_serving()
        await asyncio.sleep(config.notice_seconds)
        pipeline.drain()
        await app.drain()
        await _linger()
        # The doors close before the last calls have ended: who comes back finds another process behind this address.
        stops = [front.stop] if http is None else [front.stop, http.stop]
        stopping = asyncio.gather(*(stop(config.drain_seconds) for stop in stops))
        if not await pipeline.idle(config.drain_seconds):
            structlog.get_logger("chautari.calls").warning("calls are cut off", seconds=config.drain_seconds)
        await stopping


def _works_of(store: "Store") -> Callable[[], Coroutine[Any, Any, bool]]:
    """Asks whether the database answers, and soon enough."""

    async def works() -> bool:
        try:
            await asyncio.wait_for(store.check(), _DATABASE_SECONDS)
        except (ChautariError, TimeoutError):
            return False
        return True

    return works


async def _linger() -> None:
    await asyncio.sleep(_LINGER_SECONDS)


def _name_words(config: "Config") -> "NameWords":
    """The words that no name may hold."""
    from chautari.app.name_words import read_words, usual_words

    return read_words(Path(config.names_file).read_text("utf-8")) if config.names_file else usual_words()


def _providers(config: "Config") -> "tuple[tuple[Provider, ...], Fetch | None]":
    """The identity providers that are trusted, and what gets their keys."""
    from chautari.app.providers import read_providers

    providers = read_providers(Path(config.providers_file).read_text("utf-8")) if config.providers_file else ()
    if not providers:
        return (), None
    from chautari.wire.fetch import fetch

    return providers, fetch


async def _open_store(config: "Config") -> "tuple[Store, Bus, bytes]":
    """The store, its tables brought up to date, what passes its hints, and the key that signs page tokens."""
    from chautari.app.service import LocalBus
    from chautari.store import MemoryStore, SqliteStore, load_or_make_key, read_key

    if config.memory:
        return MemoryStore(), LocalBus(), os.urandom(32)
    if config.is_postgresql and not (config.key or config.key_file):
        from chautari.config import BadConfig

        raise BadConfig("with PostgreSQL every replica needs the same key: set CHAUTARI_KEY or CHAUTARI_KEY_FILE")
    if not config.is_postgresql:
        config.database_path.parent.mkdir(parents=True, exist_ok=True)
    key = read_key(config.key) if config.key else load_or_make_key(config.key_path)
    page_key = sha256(b"page tokens" + key).digest()
    if not config.is_postgresql:
        return SqliteStore.open(config.database_path, key), LocalBus(), page_key
    from chautari.store.postgres import PostgresStore

    store = await PostgresStore.open(config.database, key, pooled=config.pooler, replaced=_end_for_replaced)
    return store, _bus(config, store.epoch, pooled=store.pooled), page_key


def _end_for_replaced() -> None:
    """Ends this process as if it had been told to: what it has cached is void, and the next one begins anew."""
    import structlog

    structlog.get_logger(__name__).error("the database was restored, or a standby took over: ending, to begin anew")
    signal.raise_signal(signal.SIGTERM)


def _bus(config: "Config", epoch: str, *, pooled: bool) -> "Bus":
    """What passes hints between the replicas on one PostgreSQL."""
    import structlog

    from chautari.store.hints import NoHints

    if config.hints == "none":
        return NoHints()
    if config.hints != "postgresql":
        try:
            from chautari.store.nats_bus import nats_bus
        except ImportError:
            from chautari.config import BadConfig

            raise BadConfig("hints by NATS need one more package: install chautari[nats]") from None
        return nats_bus(config.hints, epoch)
    if pooled and not config.hints_url:
        structlog.get_logger(__name__).warning(
            "hints are slow: nobody can listen through a pooler; set CHAUTARI_HINTS_URL to the database's own address"
        )
        return NoHints()
    from chautari.store.postgres_bus import postgres_bus

    return postgres_bus(config.hints_url or config.database)


def _shown(config: "Config") -> str:
    """The database as it may be shown: without a password."""
    if not config.is_postgresql:
        return str(config.database_path)
    user, at, rest = config.database.partition("://")[2].rpartition("@")
    return f"postgresql://{user.partition(':')[0]}{at}{rest.partition('?')[0]}"


def _terms(config: "Config") -> Any:
    from chautari.app.new_matches import Terms
    from chautari.app.values import SECOND

    return Terms(
        code=int(config.code_seconds * SECOND),
        expire=int(max(config.expire_after_seconds, 60.0) * SECOND) if config.expire_after_seconds else 0,
        open_at_most=config.open_matches_per_account,
    )


def _allowed(config: "Config") -> Any:
    from chautari.wire.limits import Allowed, Rate

    return Allowed(
        calls=Rate(4 * config.calls_per_second, 4),
        address=Rate(4 * config.address_per_second, 4),
        anonymous=Rate(5 * config.anonymous_per_second, 5),
        guests=Rate(config.guests, 3600),
        codes=Rate(config.wrong_codes_per_minute, 60),
        tokens=Rate(config.wrong_tokens_per_minute, 60),
        acts=Rate(4 * config.acts_per_second, 4),
        streams=config.streams_per_account,
        watchers=config.watchers_per_match,
    )


def _proxies(config: "Config") -> Any:
    from chautari.wire.addresses import Proxies

    return Proxies(config.trusted_proxies, config.forwarded_header)


def _front_options(config: "Config") -> Any:
    from chautari.wire.grpc import Options

    return Options(
        host=config.host,
        port=config.port,
        largest_message=config.largest_message,
        calls_at_once=config.calls_at_once,
        connections=config.connections,
        reflection=config.reflection,
        proxies=_proxies(config),
        shares_port=config.share_port,
        measured=config.measured,
    )


def _http_options(config: "Config") -> Any:
    from chautari.wire.http import Doors, HttpOptions, Reading

    proxies = _proxies(config)
    return HttpOptions(
        host=config.host,
        port=config.http_at,
        reading=Reading(config.largest_message, config.body_seconds, proxies),
        doors=Doors(
            most=config.connections,
            most_of_one=config.address_connections,
            head_seconds=config.body_seconds,
            proxies=proxies,
        ),
        origins=config.allowed_origins,
        shares_port=config.share_port,
        measured=config.measured,
    )


def _pages(methods: Any, config: "Config") -> Any:
    from chautari.wire.http import Pages

    return Pages(methods, VERSION, config.limits()).routes()


def _facts(config: "Config") -> Any:
    from chautari.app.values import SECOND
    from chautari.wire.grpc import Options
    from chautari.wire.services import Facts

    terms = _terms(config)
    return Facts(
        version=VERSION,
        max_message_bytes=config.largest_message,
        max_streams=Options().streams_per_connection,
        address_connections=config.address_connections if config.http else 0,
        max_call_seconds=round(config.call_seconds),
        heartbeat_seconds=round(config.heartbeat_seconds),
        allowed=_allowed(config),
        open_matches=terms.open_at_most,
        code_seconds=terms.code // SECOND,
        seating_seconds=terms.expire // SECOND,
    )


def _run(work: Coroutine[Any, Any, None]) -> None:
    """Runs a coroutine on the fastest loop there is."""
    if sys.platform == "win32":
        asyncio.run(work)
    else:
        import uvloop

        uvloop.run(work)


def measure(what: str, *arguments: Any) -> Any:
    """Drives a server: `act.grpc` and `act.http` with acts, and by turns with calls that do nothing; `pace.…` with acts
    at a fixed rate; `open` begins matches, `long` plays two of different length; `fan_out` acts on a match that many
    watch; in that of `rest` nothing happens."""
    import uvloop

    from chautari.wire.grpc import load as grpc_load
    from chautari.wire.http import fanout
    from chautari.wire.http import load as http_load

    ways: dict[str, Callable[..., Any]] = {
        "act.grpc": grpc_load.measure,
        "act.http": http_load.measure,
        "pace.grpc": grpc_load.measure_paced,
        "pace.http": http_load.measure_paced,
        "open": http_load.open_matches,
        "long": http_load.measure_long,
        "fan_out": fanout.measure,
        "rest": fanout.rest,
    }
    return uvloop.run(ways[what](*arguments))


# ── Records ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def verify(text: str) -> tuple[Verdict, str]:
    """The verdict on a record in either of its forms, and its JSON form; no server is asked."""
    from chautari.wire.records.files import read_record, record_to_json
    from chautari.wire.records.verify import verify as verify_record

    record = read_record(text)
    return verify_record(record), record_to_json(record)


def convert(text: str, form: Form) -> str:
    """A record in either of its forms, in another."""
    from chautari.wire.records.files import read_record, record_to_json
    from chautari.wire.records.phh import record_to_phh
    from chautari.wire.records.text import record_to_text

    forms = {"text": record_to_text, "json": record_to_json, "phh": record_to_phh}
    return forms[form](read_record(text))


def fetch(server: str, match: str, seat: int | None, token: str, tls: bool) -> str:
    """The record of a match from a server, in JSON."""
    from chautari.wire.grpc.fetch import fetch_record
    from chautari.wire.records.files import record_to_json

    return record_to_json(fetch_record(server, match, seat, token, tls))


if __name__ == "__main__":
    main()
