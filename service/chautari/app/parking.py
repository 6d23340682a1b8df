"""Streams at rest: those that have sent all there is of a match.

A step is put straight before the readers whose transport takes it so, which costs far less than waking their streams;
the others are woken, and so is everybody for whatever is no plain step. What is the same for many is made once, and
all who may have a step are found before it is sent to the first: between two calls of the system the program would have
to come back into the processor's caches each time. One look now and then finds who needs a sign of life: a timer for
each wait would cost more than the wait.
"""

import asyncio
from asyncio import AbstractEventLoop, Future, TimerHandle
from collections.abc import Callable
from typing import Any, Final

from chautari.app.updates import Step
from chautari.app.values import Entry
from chautari.engine import Viewer

Forms = dict[Any, bytes]
"""What transports send of one step, each by a key of its own."""
Send = tuple[Callable[[bytes], object], bytes]
"""How a step is sent to one reader: what writes, and what is written."""
Give = Callable[[Step, Forms], Send | None]

_AT_ONCE: Final = 64
"""So many are served before others have their turn: the answer to the act itself, for one."""
_LONGEST_LOOK_SECONDS: Final = 1.0
_LOOKS: Final = 8


class Post:
    """Where a step is put before a reader. revision: of the last one that was.

    give: set by the transport; how a step is sent, None where the reader cannot take it now. The form of the step is
    found among those that were made for others, or left there for them.
    """

    __slots__ = ("give", "revision")

    def __init__(self) -> None:
        self.give: Give | None = None
        self.revision = 0


class News:
    """An entry on its way to those who rest.

    is_for_all: everybody who has no seat may see it, as far as that was known when it was last looked at.
    """

    __slots__ = ("_cut", "_is_open", "_steps", "entry", "is_for_all")

    def __init__(self, entry: Entry, cut: Callable[[Viewer], Step], is_open: Callable[[], bool]) -> None:
        """cut: what it is to a viewer. is_open: whether everybody may see the match now."""
        self.entry = entry
        self._cut = cut
        self._is_open = is_open
        self.is_for_all = False
        self._steps: dict[Viewer, tuple[Step, Forms]] = {}

    def look(self) -> None:
        """Looks at who may see the match, once for all who are served together: between these it may change."""
        self.is_for_all = self._is_open()

    def of(self, viewer: Viewer) -> tuple[Step, Forms]:
        """The step that it is to this viewer, made once, and what has been made of that."""
        known = self._steps.get(viewer)
        if known is None:
            known = self._steps[viewer] = (self._cut(viewer), {})
        return known


class Parked:
    """A stream while it rests. cursor: the last revision that its reader has.

    take: how the next entry is sent to the reader at its post; None where its stream has to see to that.
    """

    __slots__ = ("cursor", "due", "future", "post", "take")

    def __init__(self, post: Post, take: Callable[[News], Send | None]) -> None:
        self.cursor = 0
        self.due = 0.0
        self.future: Future[bool] | None = None
        self.post = post
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

    def spread(self, news: News) -> None:
        """Brings an entry to all: some at once, and each of the others in its turn."""
        if self._parked:
            self._spread(list(self._parked), 0, news)

    def _spread(self, parked: list[Parked], start: int, news: News) -> None:
        """What fails here is not the fault of who acts, whose call this is a part of: its stream is woken and meets it
        again."""
        news.look()
        due, revision = self._clock.due(), news.entry.revision
        before = revision - 1
        ready: list[tuple[Parked, Send]] = []
        for one in parked[start : start + _AT_ONCE]:
            future = one.future
            if future is None or future.done():
                continue
            try:
                send = one.take(news) if one.cursor == before else None
            except Exception:
                send = None
            if send is None:
                one.wake()
            else:
                ready.append((one, send))
        for one, (write, form) in ready:
            try:
                write(form)
            except Exception:
                one.wake()
            else:
                one.cursor = one.post.revision = revision
                one.due = due
        if start + _AT_ONCE < len(parked):
            asyncio.get_running_loop().call_soon(self._spread, parked, start + _AT_ONCE, news)


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
        parked.due = self.due()

    def due(self) -> float:
        """When somebody needs a sign of life who is sent something now."""
        return 0.0 if self._loop is None else self._loop.time() + self._rest

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
