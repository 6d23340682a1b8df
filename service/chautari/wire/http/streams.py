"""A stream over HTTP: the pipeline writes, the connection takes, and whoever hangs up or does not read ends it."""

import asyncio
from asyncio import current_task
from collections.abc import Callable
from typing import Final

from chautari.wire import errors
from chautari.wire.errors import Failed
from chautari.wire.http.call import HttpCall
from chautari.wire.http.exchange import Exchange, Gone
from chautari.wire.http.listener import Connection
from chautari.wire.methods import Method
from chautari.wire.pipeline import Pipeline
from chautari.wire.readers import Push, Write

_END_SECONDS: Final = 2.0
"""Whoever does not read why its stream has ended is cut off after this."""


async def run(
    pipeline: Pipeline,
    method: Method,
    call: HttpCall,
    write: Write,
    form: Callable[[bytes], bytes],
    seconds: float | None = None,
) -> Failed | None:
    """Runs a stream to its end; gives its failure, None where it ends well. Gone where its caller has hung up.

    form: a message as it is sent; seconds: how long its caller will wait.
    """
    task = current_task()
    assert task is not None
    connection = call.exchange.connection
    if connection is not None:
        connection.reader = task
        call.push = _pusher(call.exchange, connection, form)
    try:
        async with asyncio.timeout(seconds):
            await pipeline.stream(method, call, write)
    except Failed as failure:
        return failure
    except TimeoutError:
        return errors.deadline_passed()
    except asyncio.CancelledError:
        if connection is not None and connection.transport.is_closing():
            task.uncancel()
            raise Gone from None
        raise
    finally:
        if connection is not None:
            connection.reader = None
    return None


def _pusher(exchange: Exchange, connection: Connection, form: Callable[[bytes], bytes]) -> Push:
    def push(message: bytes) -> bool:
        return exchange.begun and not exchange.ended and connection.push(form(message))

    return push


async def finish(exchange: Exchange, last: bytes = b"") -> None:
    """Sends the last part, and cuts off who does not take it."""
    try:
        async with asyncio.timeout(_END_SECONDS):
            await exchange.end(last)
    except TimeoutError:
        if exchange.connection is not None:
            exchange.connection.transport.abort()
