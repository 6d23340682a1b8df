"""Matches whose rules fail at a time-out: they are tried again less and less often, and hold up nobody else."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict

from chautari.app import chores
from chautari.app.clocks import GRACE
from chautari.app.live import Change, Live
from chautari.app.noting import Operator
from chautari.app.ports import Store
from chautari.app.service import App
from chautari.app.stopping import Ending
from chautari.app.timeouts import next_move
from chautari.app.values import SECOND, Match, Micros, PutOff
from chautari.errors import Unavailable
from chautari.store import MemoryStore
from tests.app.tables import guest, let_pass, running_app
from tests.app.test_chores import due_soon, timed
from tests.app.test_rounds import SharedStore
from tests.app.test_spectating import Hour
from tests.waiting import until

LATE = 30 + GRACE / SECOND
"""When the moves of `test_chores` are due, in seconds."""


class Rules:
    """Rules of all games, which fail in one match until they are mended."""

    def __init__(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        self.broken = ""
        self.tries: list[Micros] = []
        """When they failed, in seconds of the service's time; a change is made up to twice at once."""
        self._store = store
        monkeypatch.setattr(chores, "next_move", self._next_move)

    def _next_move(self, live: Live | None, now: Micros) -> Change:
        assert live is not None
        if live.match.id == self.broken:
            if now // SECOND not in self.tries:
                self.tries.append(now // SECOND)
            raise KeyError("7H")
        return next_move(live, now)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks far more often what is due, since the clock of the tests leaps."""
    monkeypatch.setattr(chores, "_PAUSE_SECONDS", 0.002)
    monkeypatch.setattr(chores, "_SHORTEST_SECONDS", 0.001)


@pytest.fixture(autouse=True)
def logs() -> Iterator[list[EventDict]]:
    """What is logged; to lay it out for people would take the longest part of these tests."""
    with capture_logs() as lines:
        yield lines


async def pass_slowly(clock: Hour, seconds: int, *apps: App) -> None:
    """Lets time pass second by second, in each of which whatever is due is tried. apps: all those on one store."""
    store = apps[0].store
    assert isinstance(store, MemoryStore)

    async def all_tried() -> bool:
        looked = all(match.wake_at is None or match.wake_at > store.service_time() for match in store._matches.values())
        return looked and not any(app.chores._tasks for app in apps)

    for _ in range(seconds):
        await let_pass(apps[0], clock, 1)
        await until(all_tried)


async def moved(store: Store, match: Match) -> bool:
    """Whether anything has happened in a match."""
    return bool(await store.entries(match.id, match.revision, 1))


async def test_a_failing_match_is_tried_less_and_less_often_by_all_processes_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with due_soon(2) as (app, store, clock, matches):
        rules = Rules(store, monkeypatch)
        rules.broken = matches[0].id
        monkeypatch.setattr(chores, "_AGAIN_AT_LAST", 12 * SECOND)
        async with running_app(store=store) as other:
            await let_pass(app, clock, LATE)
            await until(lambda: moved(store, matches[1]))
            await pass_slowly(clock, 20, app, other)
            async with running_app(store=store) as anew:  # it does not begin anew to count
                await pass_slowly(clock, 29, app, other, anew)
        pauses = [after - before for before, after in pairwise(rules.tries)]
        assert pauses == [3, 3, 6, 12, 12, 12]
        rules.broken = ""
        await pass_slowly(clock, 12, app)
        assert await moved(store, matches[0])


async def test_what_fails_is_told_with_its_game_and_exception_and_counted_until_it_is_mended(
    monkeypatch: pytest.MonkeyPatch, logs: list[EventDict]
) -> None:
    async with due_soon(1) as (app, store, clock, [match]):
        rules = Rules(store, monkeypatch)
        rules.broken = match.id
        await let_pass(app, clock, LATE)
        await until(lambda: bool(rules.tries))
        await pass_slowly(clock, 8, app)
        told = [line for line in logs if line["event"] == "chore failed"]
        assert [
            (line["match"], line["game"], line["error"], line["again_in_seconds"], line["log_level"]) for line in told
        ] == [(match.id, "gulam_chor", "KeyError", seconds, "error") for seconds in (3, 3, 6)]
        assert all(isinstance(line["exc_info"], KeyError) for line in told)
        assert app.chores.failing() == Counter({("gulam_chor", "KeyError"): 1})
        live = await app.chores._live.load(match.id)
        assert live is not None
        assert live.match == await store.find_match(match.id)  # operators see what is stored, not what was kept here
        rules.broken = ""
        await pass_slowly(clock, 6, app)
        assert await moved(store, match)
        await pass_slowly(clock, 10, app)
        assert app.chores.failing() == Counter()


async def test_a_match_that_an_operator_ended_is_not_counted_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    async with due_soon(1) as (app, store, clock, [match]):
        rules = Rules(store, monkeypatch)
        rules.broken = match.id
        await let_pass(app, clock, LATE)
        await pass_slowly(clock, 8, app)
        assert app.chores.failing() == Counter({("gulam_chor", "KeyError"): 1})
        await app.operating.end_match(Operator(account_id=None, origin="console"), match.id, Ending.ABORT, reason="x")
        assert app.chores.failing() == Counter()


async def test_a_match_that_fails_where_it_cannot_be_put_off_is_left_alone_here_for_a_moment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Away(SharedStore):
        async def put_off(self, match_id: str, most: Micros) -> PutOff | None:
            raise Unavailable("STORAGE_AWAY", "no")

    clock = Hour()
    store = Away(clock)
    async with running_app(store=store) as app:
        host = await guest(app)
        broken, other = await timed(app, host), await timed(app, host)
        rules = Rules(store, monkeypatch)
        rules.broken = broken.id
        await let_pass(app, clock, LATE)
        await until(lambda: moved(store, other))
        await pass_slowly(clock, 10, app)
        assert [after - before for before, after in pairwise(rules.tries)] == [3, 3, 3]
        assert app.chores.failing() == Counter()
        rules.broken = ""
        await pass_slowly(clock, 3, app)
        assert await moved(store, broken)


async def test_what_another_release_may_know_is_not_put_off_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async with due_soon(1) as (app, store, clock, [match]):

        def unknown(live: Live | None, now: Micros) -> Change:
            raise Unavailable("MATCH_NEWER", "a newer release has changed it")

        monkeypatch.setattr(chores, "next_move", unknown)
        await let_pass(app, clock, LATE)
        await pass_slowly(clock, 8, app)
        found = await store.find_match(match.id)
        assert found is not None
        assert (found.wake_at or 0) <= store.service_time() + chores.MOVE_LEASE
        assert app.chores.failing() == Counter()
