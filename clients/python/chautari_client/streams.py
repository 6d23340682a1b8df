"""Streams that outlive their connection: each is taken up again from where it was cut, without a gap or a repeat."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Final, Protocol, TypeVar

import grpc

from chautari.v1 import play_pb2 as play
from chautari_client.connection import Connection
from chautari_client.errors import ChautariError, Faulty, NotAllowed, SeatMoved, Unavailable, from_rpc_error

HEARTBEAT_SECONDS: Final = 20.0
"""How often a server sends something at least that does not say how often it does."""


class _Message(Protocol):
    """What every message of a stream may be."""

    @property
    def end(self) -> play.StreamEnd: ...
    def WhichOneof(self, oneof_group: str) -> str | None: ...  # noqa: N802  # protobuf's name


RequestT = TypeVar("RequestT")
MessageT = TypeVar("MessageT", bound=_Message)


class _Renew(Exception):
    """The access token has run out."""


class _Broken(Exception):
    """The stream did not go on where it should."""


async def resumed(
    connection: Connection, method: grpc.aio.UnaryStreamMultiCallable[RequestT, MessageT],
    ask: Callable[[], RequestT], heartbeat_seconds: float,
) -> AsyncGenerator[MessageT]:  # fmt: skip
    """All messages of as many calls as it takes, but the ends that are none. `ask` makes the request of each call.

    Ends after a StreamEnd with MATCH_OVER, which is the last message. Two heartbeats missed are a cut. Raises where the
    server refuses, and Unavailable where nobody has answered for `give_up_seconds`.
    """
    retry = connection.retry
    tried, renewed, lost = 0, False, 0.0
    while True:
        token = connection.access_token
        call = method(ask(), metadata=connection.metadata(token))
        messages = aiter(call)
        wait: float | None = None
        error: ChautariError
        renewing = False
        try:
            while True:
                async with asyncio.timeout(2 * heartbeat_seconds):
                    message = await anext(messages, None)
                if message is None:
                    raise _Broken
                kind = message.WhichOneof("kind")
                if kind != "end":
                    tried, renewed = 0, False
                    if kind is not None:
                        yield message
                elif message.end.cause == play.END_CAUSE_SEAT_MOVED:
                    raise SeatMoved(message.end.seat)
                elif message.end.resume:
                    if message.end.cause == play.END_CAUSE_TOKEN:
                        raise _Renew
                    wait = message.end.retry_milliseconds / 1000
                    raise _Broken
                elif message.end.cause == play.END_CAUSE_MATCH_OVER:
                    yield message
                    return
                else:
                    raise _ended(message.end)
        except _Renew:
            error = Unavailable(grpc.StatusCode.UNAVAILABLE, "the access token does not hold")
            renewing = True
        except (_Broken, TimeoutError):
            error = Unavailable(grpc.StatusCode.UNAVAILABLE, "the stream was cut")
        except grpc.aio.AioRpcError as failed:
            error = from_rpc_error(failed)
            if connection.may_renew(error) and not renewed:
                renewing = True
            elif isinstance(error, Faulty) and tried < retry.tries:
                pass  # a connection that breaks may look like this too
            elif not isinstance(error, Unavailable):
                raise error from None
        finally:
            call.cancel()
        if renewing:
            try:
                await connection.renew(token)
                renewed = True
            except Unavailable as unavailable:
                error = unavailable
        tried += 1
        lost = time.monotonic() if tried == 1 else lost
        if retry.give_up_seconds is not None and time.monotonic() - lost > retry.give_up_seconds:
            raise error
        await asyncio.sleep(retry.pause(tried, error.retry_after if wait is None else wait))


def _ended(end: play.StreamEnd) -> ChautariError:
    if end.cause == play.END_CAUSE_NO_ACCESS:
        return NotAllowed(grpc.StatusCode.PERMISSION_DENIED, "you may not watch any more", reason="NO_ACCESS")
    if end.cause == play.END_CAUSE_BANNED:
        return NotAllowed(grpc.StatusCode.PERMISSION_DENIED, "this account is banned", reason="ACCOUNT_BANNED")
    return Faulty(grpc.StatusCode.UNKNOWN, "the server ended the stream for good, and the match is not over")


async def watch(
    connection: Connection, method: grpc.aio.UnaryStreamMultiCallable[play.WatchRequest, play.Update],
    first: play.WatchRequest, heartbeat_seconds: float,
) -> AsyncGenerator[play.Update]:  # fmt: skip
    """The updates of a match behind a revision, each revision once and in order; see `resumed`.

    first: what to ask for at first; later calls ask for what comes behind the last revision that was seen.
    """
    cursor = first.after_revision if first.HasField("after_revision") else None
    epoch = first.epoch

    def ask() -> play.WatchRequest:
        request = play.WatchRequest()
        request.CopyFrom(first)
        request.epoch = epoch
        if cursor is not None:
            request.after_revision = cursor
        return request

    while True:
        async with aclosing(resumed(connection, method, ask, heartbeat_seconds)) as messages:
            async for update in messages:
                epoch = update.epoch or epoch
                if update.HasField("step"):
                    if cursor is not None and update.revision <= cursor:
                        continue
                    if cursor is not None and update.revision != cursor + 1:
                        break
                    cursor = update.revision
                elif cursor is None:
                    cursor = update.revision
                elif update.revision > cursor:
                    break
                yield update
            else:
                return
        # Something is missing: ask for it again.
        await asyncio.sleep(connection.retry.pause(1))
