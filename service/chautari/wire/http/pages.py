"""What people and tools read of the API: `/openapi.json`, `/docs`, `/`, and a page for each reason.

All of it is made when it is first asked for, away from the loop that answers calls, and kept.
"""

import asyncio
import gzip
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from chautari.wire import retrying
from chautari.wire.http.packing import takes_gzip
from chautari.wire.methods import Method

_HOST: Final = re.compile(r"[A-Za-z0-9.:\[\]-]{1,255}").fullmatch
_MOST_PACKED: Final = 16


@dataclass(frozen=True, slots=True)
class _Made:
    """The document and the page, ready to be sent. names: the reasons that have a place on the page."""

    document: bytes
    page: str
    names: frozenset[str]
    packed: dict[bytes, bytes] = field(default_factory=dict)


class Pages:
    """The pages of one server. limits: name, value and meaning of each, as its operator set them."""

    def __init__(self, methods: Mapping[str, Method], version: str, limits: Sequence[tuple[str, str, str]]) -> None:
        self._methods = methods
        self._version = version
        self._limits = limits
        self._made: _Made | None = None
        self._making = asyncio.Lock()

    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            Route("/", self._page),
            Route("/docs", self._page),
            Route("/openapi.json", self._document),
            Route("/errors/{reason}", self._reason),
            *(Route(f"/{name}", partial(_policy, name)) for name in retrying.documents()),
        ]

    async def _document(self, request: Request) -> Response:
        made = await self._all()
        return _answer(request, made, made.document, "application/json")

    async def _page(self, request: Request) -> Response:
        from chautari.wire.http.docs.page import BASE

        made = await self._all()
        host = request.headers.get("host", "")
        address = f"{_scheme(request)}://{host if _HOST(host) else 'localhost:8080'}"
        return _answer(request, made, made.page.replace(BASE, address).encode(), "text/html; charset=utf-8")

    async def _reason(self, request: Request) -> Response:
        """`type` of a problem leads here."""
        name = request.path_params["reason"]
        known = name in (await self._all()).names
        return RedirectResponse(f"/docs#reason-{name}" if known else "/docs#reasons", 302)

    async def _all(self) -> _Made:
        async with self._making:
            if self._made is None:
                self._made = await asyncio.to_thread(self._make)
            return self._made

    def _make(self) -> _Made:
        from chautari.wire.http.docs.page import Limit, page
        from chautari.wire.http.openapi.document import Facts, document
        from chautari.wire.http.openapi.image import read_image
        from chautari.wire.http.openapi.reasons import Reasons
        from chautari.wire.http.openapi.recorded import read_recorded

        image = read_image()
        written = document(image, self._methods, Facts(self._version, read_recorded()))
        reasons = Reasons(image).all
        limits = [Limit(*each) for each in self._limits]
        return _Made(msgspec.json.encode(written), page(written, list(reasons.values()), limits), frozenset(reasons))


async def _policy(name: str, request: Request) -> Response:
    """When calls may be made again, for clients of gRPC."""
    del request
    return Response(
        retrying.documents()[name], headers={"cache-control": "public, no-cache"}, media_type="application/json"
    )


def _answer(request: Request, made: _Made, body: bytes, media_type: str) -> Response:
    etag = f'W/"{sha256(body).hexdigest()[:24]}"'
    headers = {"etag": etag, "cache-control": "public, no-cache", "vary": "Accept-Encoding, Host"}
    asked = [each.strip().removeprefix("W/") for each in request.headers.get("if-none-match", "").split(",")]
    if etag.removeprefix("W/") in asked or "*" in asked:
        return Response(status_code=304, headers=headers)
    if takes_gzip(request.headers.get("accept-encoding", "")):
        headers["content-encoding"] = "gzip"
        body = _packed(made, body)
    return Response(body, headers=headers, media_type=media_type)


def _packed(made: _Made, body: bytes) -> bytes:
    """The body packed; of the few that there are, each is packed once."""
    key = sha256(body).digest()
    if key not in made.packed:
        if len(made.packed) >= _MOST_PACKED:
            made.packed.clear()  # whoever makes up hosts fills nothing
        made.packed[key] = gzip.compress(body, 6, mtime=0)
    return made.packed[key]


def _scheme(request: Request) -> str:
    told = request.headers.get("x-forwarded-proto", "")
    return told if told in ("http", "https") else request.url.scheme
