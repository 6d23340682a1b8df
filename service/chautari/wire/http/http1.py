"""What HTTP/1 asks of a server beside its parser: targets, hosts, and answers in chunks or without (RFC 9112)."""

import re
from collections.abc import MutableMapping
from typing import Any, Final

import httptools

HOST: Final = re.compile(rb"[\w.~!$&'()*+,;=%:\[\]-]*").fullmatch
"""What a header Host may be (RFC 3986 section 3.2.2): a name or an address, and maybe a port."""


def target(url: bytes, method: bytes) -> bytes:
    """A target in absolute form, whose path may be left out (RFC 9112 sections 3.2.2 and 3.2.4)."""
    parsed: Any = httptools.parse_url(url)
    if parsed.path is not None or method == b"CONNECT":
        return url
    if method == b"OPTIONS" and parsed.query is None:
        return b"*"
    return b"/" if parsed.query is None else b"/?" + parsed.query


def answer_without_chunks(cycle: Any) -> None:
    """Lets an answer of unknown length end with its connection, for a caller of HTTP/1.0, which has no chunks."""
    send = cycle.send

    async def sends(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            if all(name != b"content-length" for name, _ in message["headers"]):
                cycle.chunked_encoding = False
        elif cycle.expected_content_length == 0:
            cycle.expected_content_length = len(message.get("body", b""))
        await send(message)

    cycle.send = sends


def chunked(part: bytes) -> bytes:
    """A part of an answer as a chunk, in which an answer of unknown length is sent."""
    return b"%x\r\n%b\r\n" % (len(part), part)
