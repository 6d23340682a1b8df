"""The Connect protocol: unary calls and server streams, with messages in binary form or JSON."""

import re
from base64 import b64encode
from functools import cache
from typing import Any, Final

import msgspec
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message

from chautari.wire.errors import Failed
from chautari.wire.http import refusals, streams
from chautari.wire.http.caching import is_secret
from chautari.wire.http.call import Codec, HttpCall
from chautari.wire.http.exchange import Exchange, TooLarge
from chautari.wire.http.frames import CONNECT_END, PLAIN, frame, only_message, room
from chautari.wire.http.json_out import SHORT
from chautari.wire.http.packing import is_packable, packed
from chautari.wire.http.problems import more_headers
from chautari.wire.http.statuses import CONNECT
from chautari.wire.http.streams import Form
from chautari.wire.methods import Method
from chautari.wire.pipeline import Pipeline

_MILLISECONDS: Final = re.compile(r"[0-9]{1,10}").fullmatch
_VERSION: Final = b"1"


async def unary(pipeline: Pipeline, method: Method, exchange: Exchange, codec: Codec) -> None:
    """Answers a unary call."""
    try:
        raw = await exchange.body()
        answer = await pipeline.unary(method, HttpCall(exchange, raw, codec, seconds_told(exchange)))
    except Failed as failure:
        await refuse(exchange, failure)
        return
    headers = [(b"content-type", b"application/" + codec.name.encode()), (b"cache-control", b"no-store")]
    if codec.name == "json" and is_packable(headers, answer, secret=is_secret(method)):
        answer = packed(exchange, headers, answer)
    await exchange.answer(200, headers, answer)


async def stream(pipeline: Pipeline, method: Method, exchange: Exchange, codec: Codec) -> None:
    """Answers with a stream; how it ends is told in its last message."""

    async def write(message: bytes) -> None:
        if not exchange.begun:
            await _begin(exchange, codec)
        await exchange.write(form(message))

    kind: Any = method.response
    form = _form(kind, codec)
    failure: Failed | None
    try:
        raw = await exchange.body(room(exchange.largest))
        packing = exchange.header("connect-content-encoding").lower()
        if packing not in ("", "identity"):
            raise refusals.encoding_unknown(packing)
        raw = raw if isinstance(raw, TooLarge) else only_message(raw, exchange.largest)
        seconds = seconds_told(exchange)
        failure = await streams.run(pipeline, method, HttpCall(exchange, raw, codec), write, form, seconds)
    except Failed as refused:
        failure = refused
    await _finish(exchange, codec, failure)


@cache
def _form(kind: type[Message], codec: Codec) -> Form:
    return lambda message: frame(PLAIN, codec.encode(kind, message))


async def refuse_stream(exchange: Exchange, failure: Failed, codec: Codec) -> None:
    """Answers a stream that failed before it began."""
    await _finish(exchange, codec, failure)


async def refuse(exchange: Exchange, failure: Failed) -> None:
    """Answers a unary call that failed."""
    status = CONNECT[failure.status.code][1]
    headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store"), *more_headers(failure)]
    await exchange.answer(status, headers, msgspec.json.encode(error_of(exchange.told(failure))))


async def _begin(exchange: Exchange, codec: Codec) -> None:
    kind = b"application/connect+" + codec.name.encode()
    await exchange.begin(200, [(b"content-type", kind), (b"cache-control", b"no-store")])


async def _finish(exchange: Exchange, codec: Codec, failure: Failed | None) -> None:
    """The last message of a stream: how it ended."""
    if not exchange.begun:
        await _begin(exchange, codec)
    end = {} if failure is None else {"error": error_of(exchange.told(failure))}
    await streams.finish(exchange, frame(CONNECT_END, msgspec.json.encode(end)))


def error_of(failure: Failed) -> dict[str, Any]:
    """A failure as the protocol writes it."""
    return {
        "code": CONNECT[failure.status.code][0],
        "message": failure.status.message,
        "details": [_detail(detail) for detail in failure.status.details],
    }


def _detail(detail: AnyMessage) -> dict[str, Any]:
    debug = SHORT.plain(detail)
    del debug["@type"]
    return {"type": detail.TypeName(), "value": b64encode(detail.value).decode().rstrip("="), "debug": debug}


def seconds_told(exchange: Exchange) -> float | None:
    """How long the caller will wait; Failed where it speaks another version of the protocol."""
    version = exchange.headers.get(b"connect-protocol-version", _VERSION)
    if version != _VERSION:
        raise refusals.invalid("connect-protocol-version", "must be 1, the version of the protocol")
    told = exchange.headers.get(b"connect-timeout-ms")
    if told is None:
        return None
    text = told.decode("latin-1")
    if not _MILLISECONDS(text):
        raise refusals.invalid("connect-timeout-ms", "must be a number of milliseconds of at most ten digits")
    return max(int(text), 1) / 1000
