"""Steps that are put straight before a reader: which are, and that all others come out of the stream, or end it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import msgspec
import pytest

from chautari.app.caller import Caller
from chautari.app.new_matches import NewMatch
from chautari.app.parking import Forms, News, Post, Send
from chautari.app.service import App
from chautari.app.updates import Beat, End, EndCause, Step
from chautari.app.values import SECOND, Audience, Cause, Match, Privacy
from tests.app.tables import collect, guest, legal_action, running_app, started


class Reader:
    """A stream whose reader takes what is put before it: what was, and what came out of the stream."""

    def __init__(self, app: App, caller: Caller, match: Match, seat: int | None = None) -> None:
        self.post = Post()
        self.post.give = self._give
        self.given: list[Step] = []
        self.came: list[Any] = []
        stream = app.watching.watch(caller, match.id, seat, None, post=self.post)
        self.task = asyncio.ensure_future(self._read(stream))

    def _give(self, step: Step, forms: Forms) -> Send:
        return (lambda form: self.given.append(step)), b""

    async def _read(self, stream: AsyncGenerator[Any]) -> None:
        async with aclosing(stream) as messages:
            async for message in messages:
                self.came.append(message)

    async def rests(self) -> None:
        """Waits until the stream has sent all there is."""
        async with asyncio.timeout(30):
            while not any(isinstance(message, Beat) for message in self.came):  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0)
        await asyncio.sleep(0)

    def revisions(self) -> tuple[list[int], list[int]]:
        """Of the steps that were put before it, and of those that came out of the stream."""
        return [step.revision for step in self.given], [one.revision for one in self.came if isinstance(one, Step)]

    async def close(self) -> None:
        """Hangs up."""
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


async def act(app: App, match: Match, people: list[Caller]) -> int:
    """Does the first legal action, and lets streams look; returns its revision."""
    seat, action = await legal_action(app, match, people)
    revision = (await app.playing.act(people[seat], match.id, seat, action)).revision
    await asyncio.sleep(0.01)
    return revision


async def test_each_reader_is_given_what_it_may_see_and_the_step_does_not_come_again() -> None:
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 3)
        seats = [Reader(app, person, match, seat) for seat, person in enumerate(people)]
        member = Reader(app, people[0], match)
        for reader in (*seats, member):
            await reader.rests()
        made = [await act(app, match, people) for _ in range(3)]
        for reader in (*seats, member):
            assert reader.revisions() == (made, [])
            assert reader.post.revision == made[-1]
        for seat, reader in enumerate(seats):
            read = await collect(app.watching.watch(people[seat], match.id, seat, made[0] - 1), made[-1])
            assert [step.events for step in reader.given] == [step.events for step in read]
            await reader.close()
        assert member.given[0].events != seats[0].given[0].events, "who has no seat does not see what a seat sees"
        await member.close()


async def test_who_has_no_seat_is_given_only_what_everybody_may_see_at_once() -> None:
    async with running_app() as app:
        host, friend, spectator = [await guest(app) for _ in range(3)]
        new = NewMatch(game="gulam_chor", settings={"players": 3}, seats=(0, 1), privacy=Privacy.PUBLIC)
        match = await app.matches.create(host, new, None)
        open_to_all = Reader(app, spectator, match)
        await open_to_all.rests()
        match = await app.matches.join(friend, link=match.link)
        made = await act(app, match, [host, host, friend])
        assert open_to_all.revisions() == ([match.revision, made], [])
        await open_to_all.close()

        late = msgspec.structs.replace(new, seats=(0,), spectator_delay=60 * SECOND)
        match = await app.matches.create(host, late, None)
        match = await app.matches.join(friend, link=match.link)
        member, gets_up = Reader(app, host, match), Reader(app, friend, match)
        await member.rests()
        await gets_up.rests()
        left = await app.matches.leave(friend, match.id)
        await asyncio.sleep(0.01)
        assert member.revisions() == ([left.revision], [])
        assert gets_up.given == [], "it may see no more at once"
        await member.close()
        await gets_up.close()


async def test_a_seat_is_not_given_what_it_may_be_lost_by() -> None:
    async with running_app() as app:
        host, friend = await guest(app), await guest(app)
        new = NewMatch(game="gulam_chor", settings={"players": 3}, seats=(0,))
        match = await app.matches.create(host, new, None)
        match = await app.matches.join(friend, link=match.link, seats=(1,))
        stays, goes = Reader(app, host, match, 0), Reader(app, friend, match, 1)
        await stays.rests()
        await goes.rests()
        left = await app.matches.leave(friend, match.id)
        async with asyncio.timeout(30):
            await goes.task
        end = goes.came[-1]
        assert isinstance(end, End)
        assert (end.cause, end.revision, goes.revisions()) == (EndCause.NO_ACCESS, match.revision, ([], []))
        assert stays.revisions() == ([], [left.revision])
        await stays.close()


async def test_who_signed_in_for_so_long_is_given_nothing_later() -> None:
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 3)
        known = msgspec.structs.replace(people[0], expires_at=app.store.clock() + 60 * SECOND)
        reader, expired = Reader(app, known, match, 0), Reader(app, known, match)
        await reader.rests()
        await expired.rests()
        made = await act(app, match, people)
        assert reader.revisions() == expired.revisions() == ([made], [])
        await expired.close()
        soon = msgspec.structs.replace(people[0], expires_at=app.store.clock() + SECOND // 20)
        expired = Reader(app, soon, match)
        await expired.rests()
        await asyncio.sleep(0.06)
        later = await act(app, match, people)
        async with asyncio.timeout(30):
            await expired.task
        assert expired.revisions() == ([], [later])
        assert expired.came[-1].cause is EndCause.TOKEN
        await reader.close()


async def test_a_transport_that_waits_for_its_readers_gets_all_from_the_stream() -> None:
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 3)
        reader = Reader(app, people[0], match, 0)
        reader.post.give = None
        await reader.rests()
        made = [await act(app, match, people) for _ in range(2)]
        assert reader.revisions() == ([], made)
        await reader.close()


async def test_a_seat_that_is_another_s_by_now_is_given_nothing() -> None:
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 3)
        reader = Reader(app, people[0], match, 0)
        await reader.rests()
        feed = app.watching._feeds.find(match.id)
        assert feed is not None
        assert feed.live is not None
        [entry] = await app.store.entries(match.id, match.revision - 1, 1)
        [parked] = feed.parking._parked
        entry = msgspec.structs.replace(entry, cause=Cause.SEAT)
        news = News(entry, lambda viewer: feed.cut(entry, [], viewer), lambda: True)
        news.look()
        assert parked.take(news) is not None
        first, *others = feed.live.match.chairs
        chairs = [msgspec.structs.replace(first, account_id=people[1].account), *others]
        feed.live = msgspec.structs.replace(feed.live, match=msgspec.structs.replace(match, chairs=chairs))
        assert parked.take(news) is None
        await reader.close()


@pytest.mark.parametrize(
    "shut", [{"audience": Audience.LINK}, {"audience": Audience.MEMBERS}, {"spectator_delay": SECOND}, None]
)
async def test_who_has_no_seat_is_given_nothing_of_a_match_that_is_not_for_all_any_more(
    shut: dict[str, Any] | None,
) -> None:
    async with running_app() as app:
        host, other = await guest(app), await guest(app)
        new = NewMatch(game="gulam_chor", settings={"players": 3}, seats=(0, 1, 2), privacy=Privacy.PUBLIC)
        match = await app.matches.create(host, new, None)
        member, spectator = Reader(app, host, match), Reader(app, other, match)
        await member.rests()
        await spectator.rests()
        feed = app.watching._feeds.find(match.id)
        assert feed is not None
        [entry] = await app.store.entries(match.id, match.revision - 1, 1)
        news = News(entry, lambda viewer: feed.cut(entry, [], viewer), feed._is_open)
        parked = {one.post: one for one in feed.parking._parked}
        of_member, of_spectator = parked[member.post], parked[spectator.post]
        news.look()
        assert of_member.take(news) is not None
        assert of_spectator.take(news) is not None
        assert feed.live is not None
        live = feed.live
        changed = msgspec.structs.replace(live.match, **(shut or {}))
        feed.live = None if shut is None else msgspec.structs.replace(live, match=changed)
        news.look()
        assert (of_member.take(news) is None) == (shut is None), "what has to be read first is not known here"
        assert of_spectator.take(news) is None
        await member.close()
        await spectator.close()
