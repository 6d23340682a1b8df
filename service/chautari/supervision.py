"""`chautari serve` with several workers, or with Envoy in front: a supervisor that serves nothing itself.

Like `main` it ties rooms together. decisions/026 and 027 say why it is done this way.
"""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from dataclasses import replace
from pathlib import Path
from socket import SOCK_STREAM, getaddrinfo
from typing import Final

import structlog

from chautari.cli.serve import CannotServe, Ready
from chautari.config import VERSION, Config
from chautari.processes import (
    CannotStart,
    Edge,
    EdgeAway,
    EdgePlan,
    Figures,
    Plan,
    Replica,
    Workers,
    certificate_for,
    find_envoy,
    reserve,
)

_LOOPBACK: Final = "127.0.0.1"
_STREAM_SECONDS: Final = 3900.0
"""Longer than an access token holds, which ends each stream before."""
_ROOM: Final = 4
"""A body somewhat too large still gets to the service, which refuses it in its own words."""

_log = structlog.get_logger("chautari.processes")


def supervise(config: Config, ready: Callable[[Ready], None]) -> None:
    """Serves until it is told to stop; CannotServe says why it cannot start.

    SIGTERM and SIGINT end it, a second one at once. SIGHUP replaces workers and Envoy one by one.
    """
    check(config)
    try:
        asyncio.run(_Supervisor(config).run(ready))
    except (CannotStart, EdgeAway) as error:
        raise CannotServe(str(error)) from error


def check(config: Config) -> None:
    """Refuses what cannot be: CannotServe says why, and what would help."""
    if sys.platform == "win32":
        raise CannotServe("several processes on one port need SO_REUSEPORT, which Windows does not have: use one")
    if config.workers > 1 and not config.is_shared:
        kept = "memory is of one process" if config.memory else "SQLite serves one process"
        raise CannotServe(
            f"{kept}, and {config.workers} workers are asked for: use PostgreSQL "
            "(CHAUTARI_DATABASE_URL=postgresql://USER@HOST/NAME), or one worker"
        )
    if config.metrics_port and config.metrics_port == config.http_at and config.http:
        raise CannotServe("with workers the figures need a port of their own: CHAUTARI_METRICS_PORT is that of HTTP")
    if config.worker_memory_mib and not Path("/proc/self/statm").exists():
        raise CannotServe("worker_memory_mib needs a system that tells in /proc how much memory a process takes")
    if config.edge and not config.http:
        raise CannotServe("an edge needs the HTTP front behind it: leave --no-http out")
    if config.edge and not (config.tls_certificate or config.is_local):
        raise CannotServe(
            f"at {config.host} others can call, so a certificate is needed that they trust: set "
            "CHAUTARI_TLS_CERTIFICATE and CHAUTARI_TLS_KEY to its files, in PEM"
        )
    if bool(config.tls_certificate) != bool(config.tls_key):
        raise CannotServe(
            "a certificate and its key go together: CHAUTARI_TLS_CERTIFICATE or CHAUTARI_TLS_KEY is missing"
        )
    for name in (config.tls_certificate, config.tls_key):
        if name and not os.access(name, os.R_OK):
            raise CannotServe(f"cannot read {name}")


class _Supervisor:
    """The supervisor of one service."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._ending = asyncio.Event()
        self._renewing = asyncio.Event()
        self._workers: Workers | None = None
        self._has_terminal = sys.stdin is not None and sys.stdin.isatty()

    async def run(self, ready: Callable[[Ready], None]) -> None:
        """Starts all there is, says so, and keeps it until it is told to stop."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._end)
        loop.add_signal_handler(signal.SIGHUP, self._hang_up)
        running = asyncio.create_task(self._serve(ready))
        ending = asyncio.create_task(self._ending.wait())
        try:
            await asyncio.wait((running, ending), return_when=asyncio.FIRST_COMPLETED)
        finally:
            ending.cancel()
            if not running.done():
                running.cancel()
        with suppress(asyncio.CancelledError):
            await running

    def _end(self) -> None:
        if self._ending.is_set():  # the second one: at once
            for worker in self._workers or ():
                worker.kill()
            os._exit(1)
        self._ending.set()

    def _hang_up(self) -> None:
        """Renews, unless it is the terminal that has gone: then whoever started this has gone too."""
        if self._has_terminal:
            try:
                os.close(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY))
            except OSError:
                self._end()
                return
        self._renewing.set()

    async def _serve(self, ready: Callable[[Ready], None]) -> None:
        config = self._config
        program = find_envoy() if config.edge else ""
        async with AsyncExitStack() as stack:
            ports = self._reserve(stack)
            plan = self._plan(ports)
            workers = self._workers = Workers(plan)
            async with self._kept(workers):
                await workers.start()
                edge = await self._start_edge(stack, program, ports) if program else None
                if config.metrics_port:
                    stack.enter_context(closing(Figures(workers, config.host, config.metrics_port)))
                ready(self._ready(ports, edge))
                while True:
                    await self._renewing.wait()
                    self._renewing.clear()
                    if config.memory:
                        _log.warning("the worker stays: what it has in memory would be lost")
                    else:
                        await workers.roll()
                    if edge is not None:
                        await edge.roll()

    @asynccontextmanager
    async def _kept(self, workers: Workers) -> AsyncIterator[None]:
        """Lets the workers drain and end, whatever ends the block; what stands before them ends after them."""
        try:
            yield
        finally:
            await workers.stop()

    def _reserve(self, stack: AsyncExitStack) -> list[tuple[int, int]]:
        """The ports of each worker, gRPC and HTTP: the same for all, or behind an edge each its own."""
        config = self._config
        host = _LOOPBACK if config.edge else config.host

        def keep(port: int) -> int:
            return stack.enter_context(closing(reserve(host, port))).port

        first = (keep(config.port), keep(config.http_at) if config.http else 0)
        if not config.edge:
            return [first] * max(config.workers, 1)
        return [first, *((keep(0), keep(0)) for _ in range(1, config.workers))]

    def _plan(self, ports: list[tuple[int, int]]) -> Plan:
        config = self._config
        return Plan(
            command=(sys.executable, "-m", "chautari.main", "work"),
            environments=tuple(_environment(self._of_worker(port, http_port)) for port, http_port in ports),
            alone=not config.is_shared,
            drain=config.drain_seconds + config.notice_seconds,
            most_mib=config.worker_memory_mib,
        )

    def _of_worker(self, port: int, http_port: int) -> Config:
        """The configuration of a worker. Behind an edge only this machine reaches it, and it believes the edge."""
        config = self._config
        plain = replace(
            config, workers=0, worker_memory_mib=0, edge="", metrics_port=0, share_port=True, port=port,
            http_port=http_port, log_format="text" if config.log_format == "auto" and sys.stderr.isatty()
            else config.log_format,
        )  # fmt: skip
        if not config.edge:
            return plain
        trusted = ",".join(name for name in (config.trusted_proxies, "127.0.0.0/8", "::1/128") if name)
        return replace(
            plain, host=_LOOPBACK, guests_per_hour=config.guests, trusted_proxies=trusted,
            forwarded_header="x-forwarded-for",
        )  # fmt: skip

    async def _start_edge(self, stack: AsyncExitStack, program: str, ports: list[tuple[int, int]]) -> Edge:
        config = self._config
        port = stack.enter_context(closing(reserve(config.host, config.edge_port))).port
        certificate, key = Path(config.tls_certificate), Path(config.tls_key)
        if not config.tls_certificate:
            certificate, key = certificate_for(config.edge_folder)
        plan = EdgePlan(
            replicas=tuple(Replica(*pair) for pair in ports), certificate=certificate.resolve(), key=key.resolve(),
            admin="", host=_address_of(config.host), port=port, largest=_ROOM * config.largest_message,
            hops=config.edge_hops, connections=config.connections or 1_000_000,
            calls_per_second=config.edge_calls_per_second, heartbeat=config.heartbeat_seconds,
            call=config.call_seconds, stream=_STREAM_SECONDS,
        )  # fmt: skip
        edge = Edge(plan, program)
        stack.push_async_callback(edge.stop)
        await edge.start()
        return edge

    def _ready(self, ports: list[tuple[int, int]], edge: Edge | None) -> Ready:
        config = self._config
        port, http_port = ports[0]
        return Ready(
            _LOOPBACK if edge is not None else config.host, port, config.shown_database, VERSION, os.getpid(),
            config.reflection, http_port or None, workers=len(ports),
            edge_port=edge.plan.port if edge is not None else None, edge_host=config.host,
            certificate=str(edge.plan.certificate) if edge is not None and not config.tls_certificate else "",
        )  # fmt: skip


def _environment(config: Config) -> Mapping[str, str]:
    """Ours, with this configuration in it."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("CHAUTARI_")}
    return {**others, **config.environment()}


def _address_of(host: str) -> str:
    """Envoy listens at addresses, not at names."""
    return str(getaddrinfo(host, None, type=SOCK_STREAM)[0][4][0])
