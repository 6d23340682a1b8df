"""Calls by path and content type: which protocol a POST to `/chautari.v1.Play/Act` speaks; a GET speaks Connect."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from chautari.wire import errors
from chautari.wire.errors import Failed
from chautari.wire.http import connect, connect_get, grpc_web, refusals
from chautari.wire.http.call import JSON, PROTO
from chautari.wire.http.exchange import Exchange
from chautari.wire.http.negotiation import kind_of
from chautari.wire.methods import Method
from chautari.wire.pipeline import Pipeline

_Answer = Callable[[Pipeline, Method, Exchange], Awaitable[None]]
_Refuse = Callable[[Exchange, Failed], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Way:
    """What a content type stands for. unary, stream: None where such methods are not called in this way."""

    unary: _Answer | None
    stream: _Answer | None
    refuse: _Refuse


def _web(codec_name: str, *, text: bool) -> Way:
    codec = JSON if codec_name == "json" else PROTO
    answer = partial(grpc_web.call, codec=codec, text=text)
    return Way(answer, answer, partial(grpc_web.refuse, codec=codec, text=text))


_WAYS: Final[Mapping[bytes, Way]] = {
    b"application/proto": Way(partial(connect.unary, codec=PROTO), None, connect.refuse),
    b"application/json": Way(partial(connect.unary, codec=JSON), None, connect.refuse),
    b"application/connect+proto": Way(
        None, partial(connect.stream, codec=PROTO), partial(connect.refuse_stream, codec=PROTO)
    ),
    b"application/connect+json": Way(
        None, partial(connect.stream, codec=JSON), partial(connect.refuse_stream, codec=JSON)
    ),
    b"application/grpc-web": _web("proto", text=False),
    b"application/grpc-web+proto": _web("proto", text=False),
    b"application/grpc-web+json": _web("json", text=False),
    b"application/grpc-web-text": _web("proto", text=True),
    b"application/grpc-web-text+proto": _web("proto", text=True),
}


async def answer(pipeline: Pipeline, method: Method, exchange: Exchange) -> None:
    """Answers a call of a method."""
    if exchange.method != "POST":
        await _answer_without_post(pipeline, method, exchange)
        return
    way = _way(exchange)
    called = None if way is None else way.unary if method.open is None else way.stream
    if called is None:
        wanted = [name.decode() for name, one in _WAYS.items() if (one.unary if method.open is None else one.stream)]
        failure = refusals.content_type_unknown(exchange.header("content-type"), wanted)
        await exchange.refuse(failure, more=[(b"accept-post", ", ".join(wanted).encode())])
        return
    await called(pipeline, method, exchange)


async def _answer_without_post(pipeline: Pipeline, method: Method, exchange: Exchange) -> None:
    allowed = ["GET", "HEAD", "POST", "OPTIONS"] if method.by_get else ["POST", "OPTIONS"]
    allow = [(b"allow", ", ".join(allowed).encode())]
    if exchange.method == "OPTIONS":
        await exchange.answer(204, allow, b"")
    elif exchange.method in allowed:
        await connect_get.answer(pipeline, method, exchange)
    else:
        await exchange.refuse(refusals.http_method_unknown(exchange.method, allowed), more=allow)


async def refuse_unknown(exchange: Exchange) -> bool:
    """Answers a call of a method that is not there, in its protocol; False where this is no such call."""
    path: str = exchange.scope["path"]
    way = _way(exchange) if exchange.method == "POST" and path.count("/") == 2 and "." in path else None
    if way is None:
        return False
    await way.refuse(exchange, errors.method_unknown(path))
    return True


def _way(exchange: Exchange) -> Way | None:
    given = exchange.headers.get(b"content-type", b"")
    way = _WAYS.get(given)
    return _WAYS.get(kind_of(given.decode("latin-1")).encode("latin-1")) if way is None and given else way
