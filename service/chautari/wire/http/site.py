"""What is no call of the API: whether the server lives and is ready, and the pages that others hang in."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, CollectorRegistry, generate_latest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from chautari.wire.errors import Failed, failed, said_in
from chautari.wire.http import refusals
from chautari.wire.http.exchange import Exchange, Receive, Scope, Send, TooLarge
from chautari.wire.http.problems import problem_of
from chautari.wire.languages import choose

_ALWAYS: Final = ((b"x-content-type-options", b"nosniff"),)
_PAGES: Final = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        b"font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
)
"""A page runs what this server sends and nothing else, is framed by nobody, and tells nobody where it was opened."""


class Site:
    """Health and pages, as an ASGI application. is_ready: whether calls should be sent here.

    works: whether the database answers; asked when somebody asks for the readiness. registry: the figures for
    `/metrics`, None where they are not served here.
    """

    def __init__(
        self, routes: Sequence[BaseRoute], works: Callable[[], Awaitable[bool]], registry: CollectorRegistry | None
    ) -> None:
        self.is_ready = False
        self._registry = registry
        figures = [] if registry is None else [Route("/metrics", self._figures)]
        self._works = works
        self._app = Starlette(
            routes=[Route("/healthz", self._health), Route("/readyz", self._readiness), *figures, *routes],
            exception_handlers={HTTPException: _refuse},
        )
        self._app.router.redirect_slashes = False

    async def answer(self, exchange: Exchange, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers with what is there, or a problem. A body is read, and stands for nothing."""
        if not exchange.is_read:
            body = await exchange.body()
            if isinstance(body, TooLarge):
                raise failed(body.error())

        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                exchange.begun = True
                headers = message["headers"] = [*message["headers"], *exchange.more, *_ALWAYS]
                names = {name for name, _ in headers}
                if dict(headers).get(b"content-type", b"").startswith(b"text/html"):
                    headers += [header for header in _PAGES if header[0] not in names]
            await send(message)

        await self._app(scope, receive, with_headers)

    async def _health(self, request: Request) -> Response:
        """Lives: the loop turns."""
        del request
        return PlainTextResponse("ok\n", headers={"cache-control": "no-store"})

    async def _figures(self, request: Request) -> Response:
        """The figures for Prometheus."""
        del request
        assert self._registry is not None
        text = await asyncio.to_thread(generate_latest, self._registry)
        return Response(text, headers={"cache-control": "no-store"}, media_type=CONTENT_TYPE_PLAIN_0_0_4)

    async def _readiness(self, request: Request) -> Response:
        """Is ready: it is not about to stop, and its database answers."""
        del request
        why = "draining" if not self.is_ready else "" if await self._works() else "database away"
        headers = {"cache-control": "no-store"} | ({"retry-after": "1"} if why else {})
        return PlainTextResponse(f"{why or 'ok'}\n", 503 if why else 200, headers)


async def _refuse(request: Request, error: Exception) -> Response:
    """What starlette refuses, as a problem."""
    assert isinstance(error, HTTPException)
    more = dict(error.headers or {})
    failure: Failed
    if error.status_code == 405:
        allowed = [name.strip() for name in more.get("Allow", "GET").split(",")]
        if request.method == "OPTIONS":
            return Response(status_code=204, headers={"allow": ", ".join([*allowed, "OPTIONS"])})
        failure = refusals.http_method_unknown(request.method, [*allowed, "OPTIONS"])
        more["Allow"] = ", ".join([*allowed, "OPTIONS"])
    else:
        failure = refusals.path_unknown(request.url.path)
    language = choose(", ".join(request.headers.getlist("accept-language")))
    status, headers, body = problem_of(said_in(language, failure), error.status_code)
    named = {name.decode(): value.decode() for name, value in headers}
    return Response(body, status, named | more)
