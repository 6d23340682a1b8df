"""A store that fails in the middle of everything: callers are told what the port says, and all goes on afterwards."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest

from chautari.app import chores, decisions, rounds
from chautari.app.updates import MineChange, MineSummary
from chautari.errors import ChautariError, Exhausted, Unavailable
from chautari.store.memory import MemoryStore
from tests.app.tables import collect, guest, legal_action, request, running_app, started

_AWAY = Unavailable("STORAGE_AWAY", "away")
_FULL = Exhausted("STORAGE_FULL", "full", retry_after=30.0)


class Faulty:
    """A store whose every call ends in `error` while there is one. after: those that write have written by then."""

    def __init__(self, *, exclusive: bool) -> None:
        self._store: Any = MemoryStore()
        self.exclusive = exclusive
        self.epoch = self._store.epoch
        self.error: ChautariError | None = None
        self.after = False
        self.failed: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        asks = inspect.iscoroutinefunction(found) or name in ("commit", "add_match")
        if name == "close" or not asks:
            return found

        def call(*arguments: Any, **named: Any) -> Any:
            if self.error is None:
                return found(*arguments, **named)
            self.failed.add(name)
            answer = asyncio.get_running_loop().create_future()
            answer.set_exception(self.error)
            if self.after and name in ("commit", "add_match"):
                with suppress(Exception):
                    found(*arguments, **named)  # done, but its caller does not hear of it
            return answer if not inspect.iscoroutinefunction(found) else _waited(answer)

        return call


async def _waited(answer: "asyncio.Future[Any]") -> Any:
    return await answer


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that goes round goes round far more often."""
    monkeypatch.setattr(rounds, "_SECONDS", 0.01)
    monkeypatch.setattr(chores, "_PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(decisions, "_LOOK_SECONDS", 0.01)


@pytest.mark.parametrize("error", [_AWAY, _FULL], ids=["away", "full"])
@pytest.mark.parametrize("exclusive", [True, False], ids=["alone", "shared"])
async def test_every_call_tells_it_and_all_goes_on_afterwards(error: ChautariError, exclusive: bool) -> None:
    store = Faulty(exclusive=exclusive)
    async with running_app(store=store) as app:
        match, people = await started(app, "gulam_chor", 3)
        seat, action = await legal_action(app, match, people)
        mine = app.watching.watch_mine(people[0])
        assert isinstance(await anext(mine), MineSummary)
        watching = asyncio.ensure_future(
            collect(app.watching.watch(people[1], match.id, 1, match.revision), match.revision + 1)
        )
        await asyncio.sleep(0.02)
        asks: list[Callable[[], Awaitable[object]]] = [
            lambda: guest(app),
            lambda: app.playing.act(people[seat], match.id, seat, action),
            lambda: app.playing.act(people[seat], match.id, seat, action, request=request()),
            lambda: app.matches.resign(people[0], match.id, 0, None),
            lambda: started(app, "gulam_chor", 3),
        ]
        store.error = error
        for ask in asks:
            with pytest.raises(type(error)) as told:
                await ask()
            assert told.value.reason == error.reason
        await asyncio.sleep(0.2)  # the rounds, and whatever goes round beside them, have met it many times
        assert "claim_due" in store.failed
        store.error = None
        assert (await app.playing.view(people[0], match.id, 0)).match.revision == match.revision
        done = await app.playing.act(people[seat], match.id, seat, action)
        assert done.revision == match.revision + 1
        async with asyncio.timeout(20):
            assert [update.revision for update in await watching] == [done.revision]
            change = await anext(mine)
        assert isinstance(change, MineChange)
        assert change.standing.match_id == match.id
        await mine.aclose()


async def test_an_act_whose_answer_was_lost_is_found_by_its_request() -> None:
    """It was written, and its caller was told that nobody knows: the repeat gets the answer, and it is done once."""
    store = Faulty(exclusive=False)
    async with running_app(store=store) as app:
        match, people = await started(app, "gulam_chor", 3)
        seat, action = await legal_action(app, match, people)
        again = request()
        store.error, store.after = _AWAY, True
        with pytest.raises(Unavailable):
            await app.playing.act(people[seat], match.id, seat, action, request=again)
        store.error = None
        done = await app.playing.act(people[seat], match.id, seat, action, request=again)
        assert (done.revision, done.replayed) == (match.revision + 1, True)
        assert (await app.playing.view(people[0], match.id, 0)).match.revision == match.revision + 1
