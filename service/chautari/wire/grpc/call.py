"""One gRPC call as the pipeline sees it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

import grpc
from google.protobuf.message import DecodeError, Message

from chautari.errors import Exhausted
from chautari.wire.addresses import Proxies
from chautari.wire.errors import Violation
from chautari.wire.methods import Method


class GrpcCall:
    """A call: its request as bytes, and the context that grpc gives with it."""

    __slots__ = ("_context", "_headers", "_largest", "_proxies", "_raw")

    def __init__(self, raw: bytes, context: grpc.aio.ServicerContext[Any, Any], largest: int, proxies: Proxies) -> None:
        self._raw = raw
        self._context = context
        self._largest = largest
        self._proxies = proxies
        self._headers: Any = context.invocation_metadata() or ()

    def header(self, name: str) -> str:
        """A header, several of a name with commas between them; empty where there is none or it is binary."""
        return header_of(self._headers, name)

    def address(self) -> str:
        """The address of the peer or, behind proxies that are trusted, the one that they saw."""
        return self._proxies.caller(host_of(self._context.peer()), self.header)

    def seconds_left(self) -> float | None:
        """None: grpc cancels the call by itself when its deadline has passed."""
        return None

    def request(self, kind: type[Message]) -> Message:
        """The request; Malformed `REQUEST_INVALID` where the bytes are none, Exhausted where there are too many."""
        if len(self._raw) > self._largest:
            raise Exhausted(
                "MESSAGE_TOO_LARGE",
                f"the message has {len(self._raw)} bytes, and at most {self._largest} are taken",
                limit=self._largest,
            )
        try:
            return kind.FromString(self._raw)
        except DecodeError:
            name = kind.DESCRIPTOR.name
            raise Violation(
                [("", f"the message cannot be read as {name}: it is damaged, or a text is not UTF-8")]
            ) from None

    def reply(self, method: Method, answer: Message | bytes) -> bytes:
        """The answer as bytes."""
        del method
        return answer if type(answer) is bytes else answer.SerializeToString()  # type: ignore[union-attr]


def header_of(headers: Iterable[tuple[str, str | bytes]], name: str) -> str:
    """A header, several of a name with commas between them; empty where there is none or it is binary."""
    found = ""
    for key, value in headers:
        if key == name and isinstance(value, str):
            found = f"{found}, {value}" if found else value
    return found


@lru_cache(8192)
def host_of(peer: str) -> str:
    """The address in `ipv4:127.0.0.1:5000` or `ipv6:[::1]:5000`; `unix` for a socket that is a file."""
    kind, _, rest = unquote(peer).partition(":")
    return "unix" if kind.startswith("unix") else rest.rpartition(":")[0].strip("[]")
