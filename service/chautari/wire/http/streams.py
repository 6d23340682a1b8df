"""A stream over HTTP: the pipeline writes, the connection takes, and whoever hangs up or does not read ends it."""

import asyncio
from asyncio import current_task
from collections.abc import Callable
from typing import Any, Final

from chautari.app.parking import Forms, Give, Send
from chautari.app.updates import Step
from chautari.wire import errors
from chautari.wire.errors import Failed
from chautari.wire.http.call import HttpCall
from chautari.wire.http.connection import Connection
from chautari.wire.http.exchange import Exchange, Gone
from chautari.wire.http.http1 import chunked
from chautari.wire.methods import Method
from chautari.wire.pipeline import Pipeline
from chautari.wire.readers import Giving, Write

Form = Callable[[bytes], bytes]
"""A message as it is sent. Streams that send it alike have one form, or each would make it anew."""
_END_SECONDS: Final = 2.0
"""Whoever does not read why its stream has ended is cut off after this."""


async def run(
    pipeline: Pipeline,
    method: Method,
    call: HttpCall,
    write: Write,
    form: Form,
    seconds: float | None = None,
) -> Failed | None:
    """Runs a stream to its end; gives its failure, None where it ends well. Gone where its caller has hung up.

    seconds: how long its caller will wait.
    """
    task = current_task()
    assert task is not None
    connection = call.exchange.connection
    if connection is not None:
        connection.reader = task
        if call.exchange.scope["http_version"] != "1.0":  # it has no chunks
            call.giving = _giving(call.exchange, connection, form)
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


def _giving(exchange: Exchange, connection: Connection, form: Form) -> Giving:
    """Gives steps as chunks, each of which is made once for all who read it in this form."""

    def giving(encode: Callable[[Any], bytes]) -> Give:
        def give(step: Step, forms: Forms) -> Send | None:
            write = connection.writer()
            if write is None or not exchange.begun:
                return None
            chunk = forms.get(form)
            if chunk is None:
                chunk = forms[form] = chunked(form(encode(step)))
            return write, chunk

        return give

    return giving


async def finish(exchange: Exchange, last: bytes = b"") -> None:
    """Sends the last part, and cuts off who does not take it."""
    try:
        async with asyncio.timeout(_END_SECONDS if exchange.is_read else None):  # a body is read off in its own time
            await exchange.end(last)
    except TimeoutError:
        if exchange.connection is not None:
            exchange.connection.transport.abort()
