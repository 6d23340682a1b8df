"""One call over HTTP as the pipeline sees it, in either form of messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from google.protobuf.message import DecodeError, Message

from chautari.wire.errors import Violation
from chautari.wire.http.exchange import Exchange, TooLarge
from chautari.wire.http.json_in import fill, parse
from chautari.wire.http.json_out import SHORT
from chautari.wire.methods import Method
from chautari.wire.readers import Giving

_REMEMBERED: Final = 1024


@dataclass(frozen=True, slots=True)
class Codec:
    """A form of messages. decode: the request; encode: an answer, or a message of a stream that is in binary form."""

    name: str
    decode: Callable[[type[Message], bytes], Message]
    encode: Callable[[type[Message], Message | bytes], bytes]


class HttpCall:
    """A call with its message in one of the forms. giving: how steps are given to the reader of its stream."""

    __slots__ = ("_codec", "_raw", "_seconds", "address", "exchange", "giving", "header")

    def __init__(self, exchange: Exchange, raw: bytes | TooLarge, codec: Codec, seconds: float | None = None) -> None:
        self.exchange = exchange
        self.header = exchange.header
        self.address = exchange.address
        self._raw = raw
        self._codec = codec
        self._seconds = seconds
        self.giving: Giving | None = None

    def seconds_left(self) -> float | None:
        """How long the caller waits, as it says."""
        return self._seconds

    def request(self, kind: type[Message]) -> Message:
        """The request; Malformed `REQUEST_INVALID` where it cannot be read, Exhausted where it is too large."""
        raw = self._raw
        if type(raw) is not bytes:
            assert isinstance(raw, TooLarge)
            raise raw.error()
        return self._codec.decode(kind, raw)

    def reply(self, method: Method, answer: Message | bytes) -> bytes:
        """The answer in the form of the call."""
        return self._codec.encode(method.response, answer)


class ReadCall(HttpCall):
    """A call whose answer may be kept. answer: what it was answered with, for the headers."""

    __slots__ = ("answer",)

    def reply(self, method: Method, answer: Message | bytes) -> bytes:
        """The answer in the form of the call."""
        self.answer = method.response.FromString(answer) if type(answer) is bytes else answer
        return super().reply(method, answer)


def _decode_proto(kind: type[Message], raw: bytes) -> Message:
    try:
        return kind.FromString(raw)
    except DecodeError:
        name = kind.DESCRIPTOR.name
        raise Violation(
            [("", f"the message cannot be read as {name}: it is damaged, or a text is not UTF-8")]
        ) from None


def _encode_proto(kind: type[Message], answer: Message | bytes) -> bytes:
    del kind
    return answer if type(answer) is bytes else answer.SerializeToString()  # type: ignore[union-attr]


def _decode_json(kind: type[Message], raw: bytes) -> Message:
    message = kind()
    fill(message, parse(raw) if raw else {}, lenient=True)
    return message


def _encode_json(kind: type[Message], answer: Message | bytes) -> bytes:
    return json_of(kind, answer) if type(answer) is bytes else SHORT.to_json(answer)  # type: ignore[arg-type]


@lru_cache(maxsize=_REMEMBERED)
def json_of(kind: type[Message], encoded: bytes) -> bytes:
    """A message in binary form as JSON. The same message goes to all who watch, and is made once."""
    return SHORT.to_json(kind.FromString(encoded))


PROTO: Final = Codec("proto", _decode_proto, _encode_proto)
JSON: Final = Codec("json", _decode_json, _encode_json)
