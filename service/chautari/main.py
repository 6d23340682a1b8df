"""Where the parts are tied together: the one module that may import every room.

What is heavy is imported by the command that needs it, so that `chautari games` does not wait for a server's parts.
"""

import asyncio
import gc
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from socket import socket
from typing import Any

from chautari import console
from chautari.cli.app import Ties, make_app
from chautari.cli.record import Form
from chautari.cli.serve import CannotServe, Ready
from chautari.cli.verify import Verdict
from chautari.config import VERSION, BadConfig, Config
from chautari.errors import ChautariError


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
        from chautari.wire import log

        try:
            config = Config.read(os.environ, **options)
            log.configure(config.log_level, config.log_format)
            if config.is_supervised:
                from chautari.supervision import supervise

                _settle_memory()
                supervise(config, ready)
            else:
                _run(_serve(config, ready))
        except ChautariError as error:
            raise CannotServe(error.message) from error
        except (BadConfig, OSError) as error:
            raise CannotServe(str(error)) from error


async def _serve(config: Config, ready: Callable[[Ready], None]) -> None:
    from chautari.running import running

    async with running(config) as service, _signals() as stopped:
        _settle_memory()
        ready(
            Ready(
                config.host, service.port, config.shown_database, VERSION, os.getpid(), config.reflection,
                service.http_port,
            )
        )  # fmt: skip
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
        from chautari.wire import log

        config = Config.read(os.environ)
        log.configure(config.log_level, config.log_format)
        _run(_work(config, socket(fileno=line)))


async def _work(config: Config, end: socket) -> None:
    from prometheus_client import ProcessCollector, generate_latest

    from chautari.processes import Line
    from chautari.running import running

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
