"""Streams at rest: a step goes straight to who takes it, and wakes all others; silence is broken in time."""

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

from chautari.app.parking import Clock, News, Parked, Parking, Post, Send
from chautari.app.updates import Step
from chautari.app.values import Entry
from chautari.engine import Viewer


class Reader:
    """A stream that rests, and what was put before its reader."""

    def __init__(self, parking: Parking, *, takes: bool, cursor: int = 1) -> None:
        self.parked = Parked(Post(), self._take)
        self.parked.cursor = cursor
        self.takes = takes
        self.given: list[int] = []
        self.task = asyncio.ensure_future(parking.wait(self.parked))

    def _take(self, news: News) -> Send | None:
        return (self._read, b"%d" % news.entry.revision) if self.takes else None

    def _read(self, form: bytes) -> None:
        self.given.append(int(form))


def made(revision: int, is_open: Callable[[], bool] = lambda: True) -> News:
    """An entry, as far as it is looked at here."""
    return News(cast("Entry", SimpleNamespace(revision=revision, at=0)), cast("Any", None), is_open)


async def test_step_goes_straight_to_who_takes_it_and_wakes_the_others() -> None:
    parking = Parking(Clock(60))
    takes, refuses = (Reader(parking, takes=takes) for takes in (True, False))
    behind = Reader(parking, takes=True, cursor=0)
    await asyncio.sleep(0)
    takes.parked.due = 0.0
    parking.spread(made(2))
    parking.spread(made(3))
    assert takes.parked.due > 0.0, "it needs no sign of life for a while"
    assert await refuses.task
    assert await behind.task, "a stream that is behind catches up by itself"
    assert not takes.task.done()
    assert (takes.given, takes.parked.cursor, takes.parked.post.revision, behind.given) == ([2, 3], 3, 3, [])
    parking.wake()
    assert await takes.task


async def test_step_that_cannot_be_brought_is_the_business_of_its_stream_alone() -> None:
    parking = Parking(Clock(60))
    fails, breaks, takes = (Reader(parking, takes=True) for _ in range(3))

    def take(news: News) -> Send:
        raise ValueError

    def send(form: bytes) -> None:
        raise OSError

    fails.parked.take = take
    breaks.parked.take = lambda news: (send, b"")
    await asyncio.sleep(0)
    parking.spread(made(2))
    assert await fails.task
    assert await breaks.task
    assert (breaks.parked.cursor, breaks.parked.post.revision) == (1, 0), "what was not sent is not counted as read"
    assert takes.given == [2]
    takes.task.cancel()
    await asyncio.gather(takes.task, return_exceptions=True)


def test_what_is_the_same_for_many_is_made_once() -> None:
    cut: list[Viewer] = []

    def step_of(viewer: Viewer) -> Step:
        cut.append(viewer)
        return cast("Step", object())

    news = News(made(2).entry, step_of, lambda: True)
    step, forms = news.of(None)
    forms["a form"] = b"made by the first"
    assert news.of(None) == (step, {"a form": b"made by the first"})
    assert news.of(1)[0] is not step, "a seat sees something else"
    assert news.of(1)[1] == {}
    assert cut == [None, 1]


async def test_many_are_served_in_turns_and_each_once() -> None:
    parking = Parking(Clock(60))
    readers = [Reader(parking, takes=True) for _ in range(300)]
    await asyncio.sleep(0)
    parking.spread(made(2))
    assert not all(reader.given for reader in readers), "others have their turn between"
    readers[-1].task.cancel()
    for _ in range(5):
        await asyncio.sleep(0)
    assert all(reader.given == [2] for reader in readers[:-1])
    parking.spread(made(3))
    parking.spread(made(4))
    for _ in range(10):
        await asyncio.sleep(0)
    assert all(reader.given == [2, 3, 4] for reader in readers[:64])
    for reader in readers[64:-1]:
        assert reader.given == [2, 3, 4] or await reader.task, "who was passed over is woken"
    parking.wake()
    await asyncio.gather(*(reader.task for reader in readers), return_exceptions=True)


async def test_who_may_see_a_match_is_looked_at_anew_for_those_who_are_served_later() -> None:
    """It may have changed while others had their turn."""
    parking = Parking(Clock(60))
    readers = [Reader(parking, takes=True) for _ in range(100)]
    for reader in readers:
        take = reader.parked.take
        reader.parked.take = lambda news, take=take: take(news) if news.is_for_all else None  # type: ignore[misc]
    await asyncio.sleep(0)
    answers = iter((True, False))
    parking.spread(made(2, lambda: next(answers)))
    for _ in range(3):
        await asyncio.sleep(0)
    assert [reader.given for reader in readers] == [[2]] * 64 + [[]] * 36
    assert all([await reader.task for reader in readers[64:]]), "their streams look what they may see"
    parking.wake()
    await asyncio.gather(*(reader.task for reader in readers[:64]))


async def test_silence_is_broken_in_time() -> None:
    parking = Parking(Clock(0.08))
    reader = Reader(parking, takes=True)
    assert await reader.task is False
    assert not parking._parked
    again = Reader(parking, takes=True)
    assert await again.task is False


async def test_stream_that_is_cancelled_is_forgotten() -> None:
    parking = Parking(Clock(60))
    reader = Reader(parking, takes=True)
    await asyncio.sleep(0)
    reader.task.cancel()
    await asyncio.gather(reader.task, return_exceptions=True)
    assert not parking._parked
    parking.spread(made(2))
    assert reader.given == []
