"""Answers packed with gzip: large texts only, never streams, and nothing that holds a token."""

import gzip
from typing import Final

from chautari.wire.http.exchange import Exchange
from chautari.wire.http.problems import Headers

_LEAST: Final = 1024
_LEVEL: Final = 4


def packed(exchange: Exchange, headers: Headers, body: bytes, *, secret: bool = False) -> bytes:
    """The body as the caller takes it; its headers say how. secret: packed, its size would tell of what is in it."""
    if secret or len(body) < _LEAST:
        return body
    headers.append((b"vary", b"Accept-Encoding"))
    if not takes_gzip(exchange.header("accept-encoding")):
        return body
    headers.append((b"content-encoding", b"gzip"))
    return gzip.compress(body, _LEVEL, mtime=0)


def takes_gzip(accepted: str) -> bool:
    """Whether a caller that sends this `Accept-Encoding` takes gzip."""
    liked: dict[str, bool] = {}
    for part in accepted.lower().split(","):
        name, _, rest = part.partition(";")
        liked[name.strip()] = rest.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return liked.get("gzip", liked.get("*", False))  # what is named comes before what stands for all
