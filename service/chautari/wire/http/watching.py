"""Streams of REST: server-sent events for browsers, lines of JSON for programs."""

import re
from asyncio import CancelledError
from functools import cache, lru_cache, partial
from typing import Any, Final

import msgspec
from google.protobuf.message import Message

from chautari.v1 import play_pb2
from chautari.wire.errors import Failed, Violation
from chautari.wire.http import streams
from chautari.wire.http.call import HttpCall
from chautari.wire.http.exchange import Exchange
from chautari.wire.http.json_out import WHOLE
from chautari.wire.http.negotiation import weight_of, weights
from chautari.wire.http.problems import Headers, problem
from chautari.wire.http.streams import Form
from chautari.wire.methods import Method
from chautari.wire.pipeline import Pipeline

_EVENTS: Final = "text/event-stream"
_LINES: Final = "application/x-ndjson"
_REMEMBERED: Final = 1024
_RETRY: Final = b"retry: 1000\n\n"
_ID: Final = re.compile(r"([0-9]{1,9})(?:-([0-9A-Za-z_.-]{1,64}))?").fullmatch
"""A revision, and behind it the epoch of its database: whoever reads the number alone gets the revision."""
_HEADERS: Final[Headers] = [(b"cache-control", b"no-store"), (b"x-accel-buffering", b"no")]


def wants_events(exchange: Exchange) -> bool:
    """Whether the caller asks for server-sent events: it likes them more than lines, or as much and names them."""
    liked = weights(exchange.header("accept"))
    events, lines = weight_of(_EVENTS, liked), weight_of(_LINES, liked)
    return events > lines or (events == lines > 0 and _EVENTS in liked)


def resume(exchange: Exchange, message: Message) -> None:
    """`Last-Event-ID`, which a browser sends when it comes back, is the revision to go on from, and of which epoch."""
    told = exchange.header("last-event-id").strip()
    if told and "after_revision" in message.DESCRIPTOR.fields_by_name:
        found = _ID(told)
        if found is None:
            raise Violation([("Last-Event-ID", "must be the id of an event, or a revision")])
        message.after_revision = int(found[1])  # type: ignore[attr-defined]
        if found[2]:
            message.epoch = found[2]  # type: ignore[attr-defined]


async def stream(pipeline: Pipeline, method: Method, call: HttpCall) -> None:
    """Answers with a stream, as events or as lines. One that is refused is answered with a problem; where it fails
    later the problem is its last event or line."""
    exchange = call.exchange
    events = wants_events(exchange)
    kind: Any = method.response
    form = _form(kind, events)

    async def write(message: bytes) -> None:
        if exchange.begun:
            await exchange.write(form(message))
        elif events and _is_over(exchange, method, message):
            await exchange.answer(204, list(_HEADERS), b"")  # by which a browser knows not to come back
        else:
            await begin()
            if exchange.method == "HEAD":
                raise CancelledError  # it is asked how it would be answered, and not for the answer
            await exchange.write(_RETRY + form(message) if events else _first_line(kind, message))

    async def begin() -> None:
        content = _EVENTS if events else _LINES
        await exchange.begin(200, [(b"content-type", content.encode()), *_HEADERS])

    failure: Failed | None = None
    try:
        failure = await streams.run(pipeline, method, call, write, form)
    except CancelledError:
        if exchange.method != "HEAD" or not exchange.begun:
            raise
    if failure is not None and not exchange.begun:
        raise failure
    if not exchange.begun:
        await begin()
    if not exchange.ended:
        await streams.finish(exchange, b"" if failure is None else _last(exchange.told(failure), events))


@cache
def _form(kind: Any, events: bool) -> Form:
    return partial(_event if events else _line, kind)


@lru_cache(maxsize=_REMEMBERED)
def _event(kind: type[Message], encoded: bytes) -> bytes:
    """A message as an event: its id is the revision and the epoch, where it has them. It is made once for all who
    watch."""
    message: Any = kind.FromString(encoded)
    which = _kind(message)
    name = b"event: end\n" if which == "end" else b""
    revision = getattr(message, "revision", 0)
    epoch = getattr(message, "epoch", "")
    ident = b"id: %d%b\n" % (revision, b"-" + epoch.encode() if epoch else b"") if revision else b""
    wait = b"retry: %d\n" % message.end.retry_milliseconds if which == "end" and message.end.resume else b""
    return ident + name + wait + b"data: " + WHOLE.to_json(message) + b"\n\n"


@lru_cache(maxsize=_REMEMBERED)
def _line(kind: type[Message], encoded: bytes) -> bytes:
    """A message as a line; a sign of life is an empty one."""
    message: Any = kind.FromString(encoded)
    return b"\n" if _kind(message) == "heartbeat" else WHOLE.to_json(message) + b"\n"


def _first_line(kind: type[Message], encoded: bytes) -> bytes:
    """The first line, which tells the revision to resume from even where nothing has happened yet."""
    return WHOLE.to_json(kind.FromString(encoded)) + b"\n"


def _last(failure: Failed, events: bool) -> bytes:
    if events:
        return b"event: problem\ndata: " + msgspec.json.encode(problem(failure)) + b"\n\n"
    return msgspec.json.encode({"problem": problem(failure)}) + b"\n"


def _is_over(exchange: Exchange, method: Method, encoded: bytes) -> bool:
    """Whether somebody comes back to a match of which all has been told."""
    if b"last-event-id" not in exchange.headers or method.response is not play_pb2.Update:
        return False
    return play_pb2.Update.FromString(encoded).end.cause == play_pb2.END_CAUSE_MATCH_OVER


def _kind(message: Message) -> str | None:
    """What a message of a stream is: each has one oneof, whatever its name."""
    kind: str | None = message.WhichOneof(message.DESCRIPTOR.oneofs[0].name)
    return kind
