"""Two processes over one store: what one changes the other shows, also where every hint is lost."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Collection
from contextlib import asynccontextmanager

import pytest

from chautari.app import mine, rounds
from chautari.app.arranging import Arrangement
from chautari.app.caller import Caller
from chautari.app.new_matches import NewMatch
from chautari.app.newer import newer
from chautari.app.service import App
from chautari.app.updates import Beat, MineChange, MineSummary
from chautari.app.values import Match
from chautari.errors import Refusal
from chautari.store.memory import MemoryStore
from tests.app.tables import collect, guest, legal_action, running_app, started
from tests.waiting import until


class SharedStore(MemoryStore):
    """One that others write to as well, and that outlives the first application to close it."""

    exclusive = False

    async def close(self) -> None:
        """Stays open."""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks round far more often."""
    monkeypatch.setattr(rounds, "_SECONDS", 0.01)


async def test_a_watcher_elsewhere_hears_of_an_act_without_any_hint() -> None:
    store = SharedStore()
    async with running_app(store=store) as here, running_app(store=store, heartbeat_seconds=60.0) as there:
        match, people = await started(here, "gulam_chor", 3)
        watching = asyncio.ensure_future(
            collect(there.watching.watch(people[1], match.id, 1, match.revision), match.revision + 1)
        )
        await asyncio.sleep(0.05)
        await here.playing.act(people[0], match.id, 0, "take")
        async with asyncio.timeout(30):
            [step] = await watching
        assert step.revision == match.revision + 1
        assert step.head is not None


async def test_what_was_done_elsewhere_between_two_acts_here_is_not_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "_SECONDS", 3600.0)
    store = SharedStore()
    async with running_app(store=store) as here, running_app(store=store, heartbeat_seconds=60.0) as there:
        match, people = await started(here, "gulam_chor", 3)
        first = match.revision + 1
        watching = asyncio.ensure_future(
            collect(there.watching.watch(people[1], match.id, 1, match.revision), first + 2)
        )
        await asyncio.sleep(0.05)
        for app in (there, here, there):
            seat, action = await legal_action(app, match, people)
            await app.playing.act(people[seat], match.id, seat, action)
        assert [step.revision for step in await watching] == [first, first + 1, first + 2]


async def test_a_hint_of_what_never_was_costs_a_watcher_nothing() -> None:
    store = SharedStore()
    async with running_app(store=store, heartbeat_seconds=0.1) as app:
        match, people = await started(app, "gulam_chor", 3)
        watching = app.watching.watch(people[1], match.id, 1, match.revision)
        assert isinstance(await anext(watching), Beat)
        app.watching._feeds.hint(match.id, match.revision + 1000)
        async with asyncio.timeout(30):
            assert isinstance(await anext(watching), Beat)
            await app.playing.act(people[0], match.id, 0, "take")
            assert (await anext(watching)).revision == match.revision + 1
        await watching.aclose()


async def test_whoever_watches_their_matches_elsewhere_hears_of_them_without_any_hint() -> None:
    store = SharedStore()
    async with running_app(store=store) as here, running_app(store=store, heartbeat_seconds=60.0) as there:
        match, people = await started(here, "gulam_chor", 3)
        mine = there.watching.watch_mine(people[1])
        assert isinstance(await anext(mine), MineSummary)
        changed = asyncio.ensure_future(anext(mine))
        await asyncio.sleep(0.05)
        await here.playing.act(people[0], match.id, 0, "take")
        async with asyncio.timeout(30):
            change = await changed
        assert isinstance(change, MineChange)
        assert change.standing.match_id == match.id
        await mine.aclose()


@asynccontextmanager
async def watching_mine(app: App, caller: Caller) -> AsyncIterator[Awaitable[MineChange]]:
    """What somebody who watches their matches is told first after the summary."""
    stream = app.watching.watch_mine(caller)
    assert isinstance(await anext(stream), MineSummary)
    change = asyncio.ensure_future(asyncio.wait_for(anext(stream), 10))
    await asyncio.sleep(0)
    yield change  # type: ignore[misc]
    change.cancel()
    await asyncio.gather(change, return_exceptions=True)
    await stream.aclose()


async def seated(app: App, host: Caller, *others: Caller) -> Match:
    """A match for three that has not begun, with these in it."""
    match = await app.matches.create(host, NewMatch(game="gulam_chor", settings={"players": 3}, seats=(0,)), None)
    for seat, other in enumerate(others, 1):
        match = await app.matches.join(other, link=match.link, seats=(seat,))
    return match


@pytest.mark.parametrize("ends", [False, True])
async def test_what_happens_elsewhere_before_the_first_look_is_told(
    ends: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "_SECONDS", 0.2)
    store = SharedStore()
    async with running_app(store=store) as here, running_app(store=store, heartbeat_seconds=60.0) as there:
        host, other = await guest(here), await guest(here, "Hari")
        match = await seated(here, host)
        async with watching_mine(there, host) as told:
            if ends:
                await here.matches.leave(host, match.id)
            else:
                await here.matches.join(other, link=match.link, seats=(1,))
            assert (await told).standing.revision == match.revision + 1


async def test_each_change_is_told_once_and_so_is_the_end() -> None:
    """By this process, which made it, and not by the next look as well."""
    store = SharedStore()
    async with running_app(store=store, heartbeat_seconds=60.0) as app:
        host, other = await guest(app), await guest(app, "Hari")
        match = await seated(app, host)
        stream = app.watching.watch_mine(host)
        assert isinstance(await anext(stream), MineSummary)
        told = []
        for do in (
            app.matches.join(other, link=match.link, seats=(1,)),
            app.matches.leave(other, match.id),
            app.hosting.close(host, match.id),
            seated(app, host),
        ):
            waiting = asyncio.ensure_future(asyncio.wait_for(anext(stream), 10))
            await asyncio.sleep(0.1)  # looked round some times
            await do
            change = await waiting
            assert isinstance(change, MineChange)
            told.append((change.standing.match_id == match.id, change.standing.revision))
        assert told == [(True, 2), (True, 3), (True, 4), (False, 1)]
        await stream.aclose()


async def test_whoever_sits_down_again_is_told_of_the_same_match_again() -> None:
    async with running_app(store=SharedStore(), heartbeat_seconds=60.0) as app:
        host, other = await guest(app), await guest(app, "Hari")
        match = await seated(app, host, other)
        stream = app.watching.watch_mine(other)
        assert isinstance(await anext(stream), MineSummary)
        told = []
        for do in (app.matches.leave(other, match.id), app.matches.join(other, link=match.link, seats=(1,))):
            waiting = asyncio.ensure_future(asyncio.wait_for(anext(stream), 10))
            await asyncio.sleep(0.1)
            await do
            change = await waiting
            assert isinstance(change, MineChange)
            told.append((change.standing.revision, change.member))
        assert told == [(3, False), (4, True)]
        await stream.aclose()


async def test_a_match_that_begins_elsewhere_is_told() -> None:
    store = SharedStore()
    async with running_app(store=store) as here, running_app(store=store, heartbeat_seconds=60.0) as there:
        host = await guest(here)
        async with watching_mine(there, host) as told:
            await asyncio.sleep(0.05)
            match = await seated(here, host)
            assert (await told).standing.match_id == match.id


async def test_whoever_gets_up_elsewhere_is_told_that_the_match_is_theirs_no_more() -> None:
    store = SharedStore()
    async with running_app(store=store) as here, running_app(store=store, heartbeat_seconds=60.0) as there:
        host, other = await guest(here), await guest(here, "Hari")
        match = await seated(here, host, other)
        async with watching_mine(there, other) as told:
            await here.matches.leave(other, match.id)
            change = await told
            assert (change.standing.match_id, change.member) == (match.id, False)


async def test_nothing_is_told_again_to_whoever_begins_to_watch() -> None:
    store = SharedStore()
    async with running_app(store=store) as here, running_app(store=store, heartbeat_seconds=60.0) as there:
        host, other = await guest(here), await guest(here, "Hari")
        await seated(here, host)
        async with watching_mine(there, host) as told:
            await asyncio.sleep(0.05)  # looked round some times
            match = await seated(here, other, host)
            assert (await told).standing.match_id == match.id


class Held(SharedStore):
    """One whose answer to the next look takes as long as it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.holds, self.held, self.goes_on = False, asyncio.Event(), asyncio.Event()

    async def revisions(self, match_ids: Collection[str], account_ids: Collection[str]) -> dict[str, int]:
        """Answers late."""
        found = await super().revisions(match_ids, account_ids)
        if self.holds:
            self.holds = False
            self.held.set()
            await self.goes_on.wait()
        return found


async def test_whoever_begins_to_watch_during_a_look_is_not_forgotten() -> None:
    store = Held()
    async with running_app(store=store) as here, running_app(store=store, heartbeat_seconds=60.0) as there:
        host, other = await guest(here), await guest(here, "Hari")
        match = await seated(here, host)
        async with watching_mine(there, other):
            store.holds = True
            await store.held.wait()
            async with watching_mine(there, host) as told:
                await here.matches.leave(host, match.id)
                store.goes_on.set()
                assert (await told).standing.revision == match.revision + 1


class Odd(SharedStore):
    """One with a match that this release cannot read, and how often it was tried."""

    odd = ""
    tries = 0

    async def find_match(self, match_id: str) -> Match | None:
        """Refuses it."""
        if match_id == self.odd:
            self.tries += 1
            raise newer(match_id)
        return await super().find_match(match_id)


async def test_what_a_newer_release_has_written_holds_up_no_other_match(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mine, "_AWAY_SECONDS", 3600.0)
    store = Odd()
    async with running_app(store=store) as here, running_app(store=store, heartbeat_seconds=60.0) as there:
        host, other = await guest(here), await guest(here, "Hari")
        odd, match = await seated(here, host), await seated(here, host)
        async with watching_mine(there, host) as told:
            store.odd = odd.id
            there.watching._mine.hint(odd.id)
            await until(lambda: bool(store.tries))
            await here.matches.join(other, link=match.link, seats=(1,))
            assert (await told).standing.match_id == match.id


async def test_nothing_is_refused_for_what_another_process_has_changed() -> None:
    store = SharedStore()
    async with running_app(store=store) as here, running_app(store=store, heartbeat_seconds=60.0) as there:
        match, people = await started(here, "gulam_chor", 3)
        with pytest.raises(Refusal):  # and now it is cached there that seat 0 is in turn
            await there.playing.act(people[1], match.id, 1, "take")
        position = (await here.playing.act(people[0], match.id, 0, "take")).step
        assert position is not None
        assert position.head is not None
        [seat] = position.head.must
        assert (await there.playing.act(people[seat], match.id, seat, "take")).revision == match.revision + 2


async def test_nothing_is_left_undone_for_what_another_process_has_changed() -> None:
    """Somebody is removed here, and readmitted there, where it is still cached that they were never removed."""
    store = SharedStore()
    async with running_app(store=store) as here, running_app(store=store) as there:
        host, other = await guest(here), await guest(here, "Hari")
        match = await here.matches.create(host, NewMatch(game="gulam_chor", settings={"players": 3}, seats=(0,)), None)
        await there.matches.join(other, link=match.link, seats=(1,))
        await here.hosting.remove(host, match.id, other.account)
        await there.hosting.readmit(host, match.id, other.account)
        assert (await here.matches.join(other, link=match.link, seats=(1,))).revision == match.revision + 4


async def test_a_seat_taken_elsewhere_goes_over_with_its_account() -> None:
    store = SharedStore()
    async with running_app(store=store) as here, running_app(store=store) as there:
        host, signed_in = await guest(here), await here.accounts.create_guest("Hari", "en")
        other = Caller(signed_in.account.id)
        match = await here.matches.create(host, NewMatch(game="gulam_chor", settings={"players": 3}, seats=(0,)), None)
        await there.hosting.arrange(host, match.id, Arrangement(title="Friday"))  # so that it is cached there
        await here.matches.join(other, link=match.link, seats=(1,))
        await there.closings.merge(host, host.account, signed_in.tokens.access)
        assert (await here.matches.get(host, match.id)).chairs[1].account_id == host.account
