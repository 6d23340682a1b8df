"""Streams under way: what a feed brings is sent to its reader, and why it ends as the last message.

Nothing waits for a reader: one who is too slow is cut off, and resumes.
"""

from asyncio import CancelledError, Task, current_task
from collections.abc import Callable
from contextlib import aclosing
from time import perf_counter
from typing import Any, Final

from chautari.app.caller import Caller
from chautari.app.updates import End, EndCause
from chautari.errors import ChautariError
from chautari.wire.errors import Failed
from chautari.wire.methods import Feed, Method
from chautari.wire.readers import Giving, Reader, Write, check_end, end_cause

_RETRY_MS: Final = 1000


class Sending:
    """The streams of one process, each in the task of its call."""

    def __init__(self, most_seconds: float, fault: Callable[[Method, Exception], Failed]) -> None:
        """most_seconds: how long one message to a reader may take. fault: makes of what nobody expected what the caller
        is told."""
        self._most_seconds = most_seconds
        self._fault = fault
        self._readers: dict[Task[Any], Reader] = {}

    async def send(self, method: Method, caller: Caller, feed: Feed, write: Write, giving: Giving | None) -> None:
        """Sends what a feed brings, and as the last message why it ends. giving: of a transport that takes steps
        without being waited for. Raises what it failed with, or what follows the message of an end."""
        task = current_task()
        assert task is not None
        credential = caller.sign_in or caller.key_id
        reader = self._readers[task] = Reader(feed.match_id, feed.revision, credential, feed.post)
        if giving is not None and feed.post is not None:
            feed.post.give = giving(feed.encode)
        end: End | None = None
        try:
            async with aclosing(feed.items) as items:
                async for item in items:
                    reader.since = perf_counter()
                    await write(feed.encode(item))
                    reader.since, reader.sent = 0.0, True
                    reader.revision = getattr(item, "revision", 0) or reader.revision
                    if type(item) is End:
                        end = item
                        break
                    if reader.is_slow:
                        raise reader.too_slow()
        except ChautariError as error:
            await self._say_end(reader, feed, write, end_cause(error))
            raise
        except CancelledError:
            if reader.is_revoked and not reader.since:
                task.uncancel()
                await self._say_end(reader, feed, write, EndCause.TOKEN)
                raise reader.ended() from None
            raise _cut_off(reader) from None
        except Exception as error:
            fault = self._fault(method, error)
            await self._say_end(reader, feed, write, EndCause.FAULT)
            raise fault from None
        finally:
            del self._readers[task]
        if end is not None:
            check_end(end)

    def look(self, now: float) -> None:
        """Cuts off who takes too long. now: of `perf_counter`."""
        for task, reader in list(self._readers.items()):
            if reader.takes_too_long(now, self._most_seconds):
                task.cancel()

    def revoke(self, subjects: frozenset[str]) -> None:
        """Ends the streams of sign-ins and keys that do not hold any more."""
        for task, reader in self._readers.items():
            if reader.credential in subjects:
                reader.is_revoked = True
                task.cancel()

    async def _say_end(self, reader: Reader, feed: Feed, write: Write, cause: EndCause) -> None:
        """The last message of a stream that has begun; one that is refused has no message at all."""
        if reader.sent:
            resume = cause is not EndCause.NO_ACCESS
            end = End(reader.match_id, reader.reached(), cause, resume, _RETRY_MS if resume else 0)
            try:
                await reader.send(write, feed.encode(end))
            except CancelledError:
                raise _cut_off(reader) from None


def _cut_off(reader: Reader) -> BaseException:
    """What becomes of a stream that is cancelled during a write: its reader is cut off, or its caller has gone."""
    if not (reader.is_cut or reader.is_revoked):
        return CancelledError()
    task = current_task()
    assert task is not None
    task.uncancel()
    return reader.too_slow() if reader.is_cut else reader.ended()
