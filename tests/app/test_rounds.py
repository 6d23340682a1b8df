"""Two processes over one store: what one changes the other shows, also where every hint is lost."""

import asyncio

import pytest

from chautari.app import rounds
from chautari.app.arranging import Arrangement
from chautari.app.caller import Caller
from chautari.app.new_matches import NewMatch
from chautari.app.updates import MineChange, MineSummary
from chautari.errors import Refusal
from chautari.store.memory import MemoryStore
from tests.app.tables import collect, guest, running_app, started


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
        async with asyncio.timeout(10):
            [step] = await watching
        assert step.revision == match.revision + 1
        assert step.head is not None


async def test_whoever_watches_their_matches_elsewhere_hears_of_them_without_any_hint() -> None:
    store = SharedStore()
    async with running_app(store=store) as here, running_app(store=store, heartbeat_seconds=60.0) as there:
        match, people = await started(here, "gulam_chor", 3)
        mine = there.watching.watch_mine(people[1])
        assert isinstance(await anext(mine), MineSummary)
        changed = asyncio.ensure_future(anext(mine))
        await asyncio.sleep(0.05)
        await here.playing.act(people[0], match.id, 0, "take")
        async with asyncio.timeout(10):
            change = await changed
        assert isinstance(change, MineChange)
        assert change.standing.match_id == match.id
        await mine.aclose()


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
