"""Streams that rest while another of the same process finds out what was committed elsewhere."""

import asyncio

import pytest

from chautari.app import rounds
from chautari.app.caller import Caller
from chautari.app.service import App
from chautari.app.values import Match
from tests.app.tables import collect, legal_action, running_app, started
from tests.app.test_rounds import SharedStore
from tests.waiting import until


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody looks round: what is told comes of a hint, or of what a stream has read."""
    monkeypatch.setattr(rounds, "_SECONDS", 3600.0)


class Gated(SharedStore):
    """One whose next answers wait, each to be let out by itself, and tell what is there by then."""

    def __init__(self) -> None:
        super().__init__()
        self.gates: list[asyncio.Event] = []
        self.asked = 0

    async def find_match(self, match_id: str) -> Match | None:
        """See `app.ports`."""
        self.asked += 1
        if self.asked <= len(self.gates):
            await self.gates[self.asked - 1].wait()
        return await super().find_match(match_id)


async def test_what_one_stream_has_found_by_itself_is_told_to_those_that_rest() -> None:
    """The hint of it comes later, and is no news then."""
    store = SharedStore()
    async with running_app(store=store) as here, running_app(store=store, heartbeat_seconds=60.0) as there:
        match, people = await started(here, "gulam_chor", 3)
        last = match.revision + 1
        watching = asyncio.ensure_future(collect(there.watching.watch(people[1], match.id, 1, match.revision), last))
        await until(lambda: resting(there, match, 1))
        await here.playing.act(people[0], match.id, 0, "take")
        again = there.watching.watch(people[1], match.id, 1, None)
        assert (await anext(again)).revision == last
        there.watching._feeds.hint(match.id, last)
        async with asyncio.timeout(30):
            assert [step.revision for step in await watching] == [last]
        await again.aclose()


async def test_of_two_streams_that_read_at_once_the_one_that_finds_more_tells_the_other() -> None:
    store = Gated()
    async with running_app(store=store) as here, running_app(store=store, heartbeat_seconds=60.0) as there:
        match, people = await started(here, "gulam_chor", 3)
        first = match.revision + 1
        watching = [
            asyncio.ensure_future(collect(there.watching.watch(people[1], match.id, 1, match.revision), first + 1))
            for _ in range(2)
        ]
        await until(lambda: resting(there, match, 2))
        await act(here, match, people)
        store.asked, store.gates = 0, [asyncio.Event(), asyncio.Event()]
        there.watching._feeds.hint(match.id, first)
        await until(lambda: store.asked == 2)
        store.gates[0].set()
        await until(lambda: resting(there, match, 1))
        await act(here, match, people)
        store.gates[1].set()
        await until(lambda: head(there, match) != first)
        there.watching._feeds.hint(match.id, first + 1)
        async with asyncio.timeout(30):
            for steps in await asyncio.gather(*watching):
                assert [step.revision for step in steps] == [first, first + 1]


def head(app: App, match: Match) -> int:
    """The latest revision that streams of a match have heard of; 0 where all of them have ended."""
    feed = app.watching._feeds.find(match.id)
    return 0 if feed is None else feed.head


def resting(app: App, match: Match, count: int) -> bool:
    """Whether so many streams of a match have nothing to do."""
    feed = app.watching._feeds.find(match.id)
    return feed is not None and len(feed.parking._parked) == count


async def act(app: App, match: Match, people: list[Caller]) -> None:
    """Some action of who is in turn."""
    seat, action = await legal_action(app, match, people)
    await app.playing.act(people[seat], match.id, seat, action)
