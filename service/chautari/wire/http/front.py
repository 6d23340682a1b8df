"""The HTTP front: Connect, gRPC-Web and REST over the pipeline, in the process and loop of the gRPC front.

What is called most is found first, by its path in one dictionary; REST by what its paths look like; the pages and all
else are starlette's.
"""

import secrets
from asyncio import CancelledError
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

import structlog
from prometheus_client import CollectorRegistry
from starlette.routing import BaseRoute

from chautari.wire import errors, nothing
from chautari.wire.errors import Failed
from chautari.wire.http import rpc
from chautari.wire.http.bindings import Paths, bindings_of
from chautari.wire.http.connection import Doors
from chautari.wire.http.cors import Origins
from chautari.wire.http.exchange import Exchange, Gone, Reading, Receive, Scope, Send, TooLarge
from chautari.wire.http.listener import Listener
from chautari.wire.http.rest import Rest
from chautari.wire.http.site import Site
from chautari.wire.methods import Method
from chautari.wire.pipeline import Pipeline

_log = structlog.get_logger("chautari.http")


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """How the front takes connections and requests.

    origins: pages that may call from a browser; `*` for all. shares_port: whether several processes may listen on one
    port. measured: whether the hidden path is there that does nothing.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    reading: Reading = field(default_factory=Reading)
    doors: Doors = field(default_factory=Doors)
    origins: tuple[str, ...] = ()
    shares_port: bool = False
    measured: bool = False


class HttpFront:
    """The HTTP server of one process.

    routes: pages and the like, for starlette; works: whether the database answers; registry: the figures for
    `/metrics`, None where they are not served here.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        methods: Mapping[str, Method],
        options: HttpOptions,
        routes: Sequence[BaseRoute] = (),
        works: Callable[[], Awaitable[bool]] | None = None,
        registry: CollectorRegistry | None = None,
    ) -> None:
        self._pipeline = pipeline
        self._methods = methods
        self._options = options
        paths = Paths(bindings_of(methods))
        self._allowed = paths.allowed()
        self._origins = Origins(options.origins, self._allowed)
        self._rest = Rest(pipeline, paths)
        self._site = Site(routes, works or _works, registry)
        self._listener = Listener(self, options.doors)

    async def start(self) -> int:
        """Listens, and serves; returns the port. PortTaken where that cannot be done."""
        options = self._options
        port = await self._listener.start(options.host, options.port, shares_port=options.shares_port)
        self._site.is_ready = True
        return port

    async def say_not_serving(self) -> None:
        """Tells whoever asks for its readiness that no call should be sent here any more."""
        self._site.is_ready = False

    async def stop(self, grace_seconds: float) -> None:
        """Takes no call any more, and ends those that still run after the grace."""
        await self._listener.stop(grace_seconds)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request (ASGI)."""
        exchange = Exchange(scope, receive, send, self._options.reading)
        try:
            method = self._methods.get(scope["path"])
            if method is not None and exchange.method == "POST" and b"origin" not in exchange.headers:
                await rpc.answer(self._pipeline, method, exchange)
            else:
                await self._find(exchange, method, scope, receive, send)
        except Gone:
            pass
        except CancelledError:
            if exchange.connection is None or not exchange.connection.transport.is_closing():
                raise
        except Failed as failure:
            await exchange.refuse(failure)
        except Exception as error:
            incident = secrets.token_hex(8)
            _log.error("fault", path=scope["path"], incident=incident, exc_info=error)
            if exchange.begun:
                raise
            await exchange.refuse(errors.fault(incident))

    async def _find(
        self, exchange: Exchange, method: Method | None, scope: Scope, receive: Receive, send: Send
    ) -> None:
        self._origins.admit(exchange)
        preflight = self._origins.preflight(exchange)
        if preflight is not None:
            await exchange.answer(204, preflight, b"")
        elif exchange.method == "OPTIONS" and scope["path"] == "*":  # of the whole server (RFC 9110 section 9.3.7)
            await exchange.answer(204, [(b"allow", ", ".join(self._allowed).encode())], b"")
        elif method is not None:
            await rpc.answer(self._pipeline, method, exchange)
        elif self._options.measured and scope["path"] == nothing.PATH:
            await _do_nothing(exchange)
        elif not await self._rest.answer(exchange) and not await rpc.refuse_unknown(exchange):
            await self._site.answer(exchange, scope, receive, send)


async def _works() -> bool:
    return True


async def _do_nothing(exchange: Exchange) -> None:
    raw = await exchange.body()
    answer = b"" if isinstance(raw, TooLarge) else nothing.answer(raw)
    await exchange.answer(200, [(b"content-type", b"application/proto")], answer)
