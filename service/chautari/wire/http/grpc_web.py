"""gRPC-Web: unary calls and server streams, in binary form or as base64 text."""

import re
from base64 import b64decode, b64encode
from functools import cache
from typing import Any, Final
from urllib.parse import quote

from google.protobuf.message import Message
from google.rpc.status_pb2 import Status

from chautari.wire.errors import Failed
from chautari.wire.http import refusals, streams
from chautari.wire.http.call import Codec, HttpCall
from chautari.wire.http.exchange import Exchange, TooLarge
from chautari.wire.http.frames import GRPC_WEB_END, PLAIN, frame, only_message, room
from chautari.wire.http.negotiation import weights
from chautari.wire.http.streams import Form
from chautari.wire.methods import Method
from chautari.wire.pipeline import Pipeline

_TEXT: Final = "application/grpc-web-text"
_TIMEOUT: Final = re.compile(r"([0-9]{1,8})([HMSmun])").fullmatch
_UNITS: Final = {"H": 3600.0, "M": 60.0, "S": 1.0, "m": 1e-3, "u": 1e-6, "n": 1e-9}
_PLAIN_TEXT: Final = " !\"#$&'()*+,-./:;<=>?@[\\]^_`{|}~"


async def call(pipeline: Pipeline, method: Method, exchange: Exchange, codec: Codec, *, text: bool) -> None:
    """Answers a call; how it ends is told in the trailers, which are its last frame. text: of the request, and of the
    answer too, which is also text where the caller likes that best."""
    was_text, text = text, text or _likes_text(exchange.header("accept"))

    async def write(message: bytes) -> None:
        if not exchange.begun:
            await _begin(exchange, codec, text)
        await exchange.write(form(message))

    kind: Any = method.response
    form = _form(kind, codec, text)
    failure: Failed | None = None
    try:
        limit = room(exchange.largest)
        raw = await exchange.body(-(-limit // 3) * 4 if was_text else limit)
        raw = raw if isinstance(raw, TooLarge) else only_message(_read_text(raw) if was_text else raw, exchange.largest)
        seconds = _seconds(exchange)
        if method.open is not None:
            failure = await streams.run(pipeline, method, HttpCall(exchange, raw, codec), write, form, seconds)
        else:
            answer = await pipeline.unary(method, HttpCall(exchange, raw, codec, seconds))
            await _begin(exchange, codec, text)
            await exchange.write(_as(frame(PLAIN, answer), text))
    except Failed as refused:
        failure = refused
    await _finish(exchange, codec, failure, text)


def _likes_text(accepted: str) -> bool:
    """Whether a caller takes text, and likes nothing else as much."""
    if _TEXT not in accepted:
        return False
    liked = weights(accepted)
    best = max(liked.values())
    return best > 0 and all(kind.startswith(_TEXT) for kind, weight in liked.items() if weight == best)


async def refuse(exchange: Exchange, failure: Failed, codec: Codec, *, text: bool) -> None:
    """Answers a call that failed before it began."""
    await _finish(exchange, codec, failure, text)


async def _begin(exchange: Exchange, codec: Codec, text: bool) -> None:
    kind = b"application/grpc-web-text+" if text else b"application/grpc-web+"
    await exchange.begin(200, [(b"content-type", kind + codec.name.encode()), (b"cache-control", b"no-store")])


async def _finish(exchange: Exchange, codec: Codec, failure: Failed | None, text: bool) -> None:
    if not exchange.begun:
        await _begin(exchange, codec, text)
    told = None if failure is None else exchange.told(failure)
    await streams.finish(exchange, _as(frame(GRPC_WEB_END, _trailers(told)), text))


def _trailers(failure: Failed | None) -> bytes:
    if failure is None:
        return b"grpc-status: 0\r\n"
    status: Status = failure.status
    details = b64encode(status.SerializeToString()).decode().rstrip("=")
    message = quote(status.message, safe=_PLAIN_TEXT)
    return f"grpc-status: {status.code}\r\ngrpc-message: {message}\r\ngrpc-status-details-bin: {details}\r\n".encode()


@cache
def _form(kind: type[Message], codec: Codec, text: bool) -> Form:
    return lambda message: _as(frame(PLAIN, codec.encode(kind, message)), text)


def _as(data: bytes, text: bool) -> bytes:
    return b64encode(data) if text else data


def _read_text(raw: bytes) -> bytes:
    """The frames of a text: one piece of base64, or several with a padding of their own."""
    try:
        return b"".join(b64decode(piece, validate=True) for piece in re.findall(rb"[^=]+=*", raw))
    except ValueError:
        raise refusals.invalid("", "the body is no base64") from None


def _seconds(exchange: Exchange) -> float | None:
    told = exchange.header("grpc-timeout")
    if not told:
        return None
    parts = _TIMEOUT(told)
    if parts is None:
        raise refusals.invalid("grpc-timeout", "must be at most eight digits and a unit, H, M, S, m, u or n")
    return max(int(parts[1]) * _UNITS[parts[2]], 0.001)
