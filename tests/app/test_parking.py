"""Streams at rest: a step goes straight to who takes it, and wakes all others; silence is broken in time."""

import asyncio
from typing import Any, cast

from chautari.app.parking import Clock, Parked, Parking
from chautari.app.values import Entry


class Reader:
    """A stream that rests, and what was put before its reader."""

    def __init__(self, parking: Parking, *, takes: bool | None, cursor: int = 1) -> None:
        self.parked = Parked(None if takes is None else self._take)
        self.parked.cursor = cursor
        self.takes = takes
        self.given: list[int] = []
        self.task = asyncio.ensure_future(parking.wait(self.parked))

    def _take(self, entry: Entry, events: list[Any]) -> bool:
        if self.takes:
            self.given.append(entry.revision)
        return bool(self.takes)


def made(revision: int) -> Entry:
    """An entry, as far as it is looked at here."""
    return cast("Entry", type("Made", (), {"revision": revision})())


async def test_step_goes_straight_to_who_takes_it_and_wakes_the_others() -> None:
    parking = Parking(Clock(60))
    takes, refuses, cannot = (Reader(parking, takes=takes) for takes in (True, False, None))
    behind = Reader(parking, takes=True, cursor=0)
    await asyncio.sleep(0)
    parking.spread(made(2), [])
    parking.spread(made(3), [])
    assert await refuses.task
    assert await cannot.task
    assert await behind.task, "a stream that is behind catches up by itself"
    assert not takes.task.done()
    assert (takes.given, takes.parked.cursor, behind.given) == ([2, 3], 3, [])
    parking.wake()
    assert await takes.task


async def test_step_that_cannot_be_brought_is_the_business_of_its_stream_alone() -> None:
    parking = Parking(Clock(60))
    fails, takes = Reader(parking, takes=True), Reader(parking, takes=True)

    def take(entry: Entry, events: list[Any]) -> bool:
        raise ValueError

    fails.parked.take = take
    await asyncio.sleep(0)
    parking.spread(made(2), [])
    assert await fails.task
    assert takes.given == [2]
    takes.task.cancel()
    await asyncio.gather(takes.task, return_exceptions=True)


async def test_many_are_served_in_turns_and_each_once() -> None:
    parking = Parking(Clock(60))
    readers = [Reader(parking, takes=True) for _ in range(300)]
    await asyncio.sleep(0)
    parking.spread(made(2), [])
    assert not all(reader.given for reader in readers), "others have their turn between"
    readers[-1].task.cancel()
    for _ in range(5):
        await asyncio.sleep(0)
    assert all(reader.given == [2] for reader in readers[:-1])
    parking.spread(made(3), [])
    parking.spread(made(4), [])
    for _ in range(10):
        await asyncio.sleep(0)
    assert all(reader.given == [2, 3, 4] for reader in readers[:64])
    for reader in readers[64:-1]:
        assert reader.given == [2, 3, 4] or await reader.task, "who was passed over is woken"
    parking.wake()
    await asyncio.gather(*(reader.task for reader in readers), return_exceptions=True)


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
    parking.spread(made(2), [])
    assert reader.given == []
