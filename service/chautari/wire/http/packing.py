"""Answers packed with gzip: large texts only, never streams, and nothing that holds a token."""

import gzip
from typing import Final

from chautari.wire.http.exchange import Exchange
from chautari.wire.http.negotiation import weights
from chautari.wire.http.problems import Headers

_LEAST: Final = 1024
_LEVEL: Final = 4


def is_packable(headers: Headers, body: bytes, *, secret: bool) -> bool:
    """Whether a body is packed for who takes that; its headers say so, also to who has it already.

    secret: packed, its size would tell of what is in it.
    """
    if secret or len(body) < _LEAST:
        return False
    headers.append((b"vary", b"Accept-Encoding"))
    return True


def packed(exchange: Exchange, headers: Headers, body: bytes) -> bytes:
    """A body that may be packed, as the caller takes it; its headers say how."""
    if not takes_gzip(exchange.header("accept-encoding")):
        return body
    headers.append((b"content-encoding", b"gzip"))
    return gzip.compress(body, _LEVEL, mtime=0)


def takes_gzip(accepted: str) -> bool:
    """Whether a caller that sends this `Accept-Encoding` takes gzip."""
    liked = weights(accepted)
    return liked.get("gzip", liked.get("*", 0.0)) > 0  # what is named comes before what stands for all
