"""Streams at rest: those that have sent all there is of a match.

A step is put straight before the readers whose transport takes it so, which costs a third of waking their streams; the
others are woken, and so is everybody for whatever is no plain step. One look now and then finds who needs a sign of
life: a timer for each wait would cost more than the wait.
"""

import asyncio
from asyncio import AbstractEventLoop, Future, TimerHandle
from collections.abc import Callable
from typing import Final

from chautari.app.events import AnyEvent
from chautari.app.updates import Step
from chautari.app.values import Entry

_AT_ONCE: Final = 64
"""So many are served before others have their turn: the answer to the act itself, for one."""
_LONGEST_LOOK_SECONDS: Final = 1.0
_LOOKS: Final = 8


class Post:
    """Where a step is put before a reader. give: set by the transport; False where the reader cannot take it now."""

    __slots__ = ("give",)

    def __init__(self) -> None:
        self.give: Callable[[Step], bool] | None = None


class Parked:
    """A stream while it rests. cursor: the last revision that its reader has.

    take: puts the next entry before the reader; False where its stream has to see to that.
    """

    __slots__ = ("cursor", "due", "future", "take")

    def __init__(self, take: Callable[[Entry, list[AnyEvent]], bool] | None) -> None:
        self.cursor = 0
        self.due = 0.0
        self.future: Future[bool] | None = None
        self.take = take

    def wake(self) -> None:
        """Has its stream look again."""
        if self.future is not None and not self.future.done():
            self.future.set_result(True)


class Parking:
    """The streams of one match that rest, or of all that one clock looks after."""

    def __init__(self, clock: "Clock") -> None:
        self._clock = clock
        self._parked: dict[Parked, None] = {}

    async def wait(self, parked: Parked) -> bool:
        """Rests until there is something to do; False where all there is to do is a sign of life."""
        loop = asyncio.get_running_loop()
        future: Future[bool] = loop.create_future()
        parked.future = future
        self._parked[parked] = None
        self._clock.watch(parked, loop)
        try:
            return await future
        finally:
            parked.future = None
            self._parked.pop(parked, None)
            self._clock.forget(parked)

    def wake(self) -> None:
        """Wakes all."""
        for parked in self._parked:
            parked.wake()
        self._parked.clear()

    def spread(self, entry: Entry, events: list[AnyEvent]) -> None:
        """Brings an entry to all: some at once, and each of the others in its turn."""
        if self._parked:
            self._spread(list(self._parked), 0, entry, events)

    def _spread(self, parked: list[Parked], start: int, entry: Entry, events: list[AnyEvent]) -> None:
        for one in parked[start : start + _AT_ONCE]:
            if one.future is None or one.future.done():
                continue
            if one.cursor == entry.revision - 1 and _takes(one, entry, events):
                one.cursor = entry.revision
                self._clock.renew(one)
            else:
                one.wake()
        if start + _AT_ONCE < len(parked):
            asyncio.get_running_loop().call_soon(self._spread, parked, start + _AT_ONCE, entry, events)


def _takes(parked: Parked, entry: Entry, events: list[AnyEvent]) -> bool:
    """Whether the entry has been put before the reader. What fails here is not the fault of who acts, whose call this
    is a part of: its stream is woken and meets it again."""
    try:
        return parked.take is not None and parked.take(entry, events)
    except Exception:
        return False


class Clock:
    """Wakes those who have rested for as long as a stream may be silent."""

    def __init__(self, seconds: float) -> None:
        """seconds: the longest time without a message on a stream."""
        self._look = min(_LONGEST_LOOK_SECONDS, seconds / _LOOKS)
        self._rest = seconds - self._look
        self._parked: dict[Parked, None] = {}
        self._timer: TimerHandle | None = None
        self._loop: AbstractEventLoop | None = None

    def watch(self, parked: Parked, loop: AbstractEventLoop) -> None:
        """Looks after one more."""
        self._parked[parked] = None
        if self._timer is None or self._loop is not loop:
            self._loop = loop
            self._timer = loop.call_later(self._look, self._tick)
        parked.due = loop.time() + self._rest

    def renew(self, parked: Parked) -> None:
        """It has just been sent something."""
        if self._loop is not None:
            parked.due = self._loop.time() + self._rest

    def forget(self, parked: Parked) -> None:
        """It rests no more."""
        self._parked.pop(parked, None)

    def _tick(self) -> None:
        assert self._loop is not None
        now = self._loop.time()
        for parked in self._parked:
            if parked.due <= now and parked.future is not None and not parked.future.done():
                parked.future.set_result(False)
        self._timer = self._loop.call_later(self._look, self._tick) if self._parked else None
