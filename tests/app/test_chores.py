"""The claim loop: what is due is done with few looks at the store, and nobody is left behind."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from chautari.app import chores
from chautari.app.caller import Caller
from chautari.app.clock_values import TimeControl
from chautari.app.clocks import GRACE
from chautari.app.new_matches import NewMatch
from chautari.app.service import App
from chautari.app.values import SECOND, Cause, Match
from tests.app.tables import guest, let_pass, running_app, until
from tests.app.test_rounds import SharedStore
from tests.app.test_spectating import Hour

MOVE = TimeControl(move=30 * SECOND, away_after=0)
LATE = 30 + GRACE / SECOND + 0.01


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks far more often what is due, since the clock of the tests leaps."""
    monkeypatch.setattr(chores, "_PAUSE_SECONDS", 0.01)


class Counting(SharedStore):
    """A store that counts how often a match is looked for."""

    looks = 0

    async def find_match(self, match_id: str) -> Match | None:
        """Counts."""
        self.looks += 1
        return await super().find_match(match_id)


@asynccontextmanager
async def due_soon(count: int) -> AsyncIterator[tuple[App, Counting, Hour, list[Match]]]:
    """Matches, in each of which one seat's time runs; another process may write to their store."""
    clock = Hour()
    store = Counting(clock)
    async with running_app(store=store) as app:
        host = await guest(app)
        yield app, store, clock, [await timed(app, host) for _ in range(count)]


async def timed(app: App, host: Caller) -> Match:
    """A match of two seats that one account plays."""
    new = NewMatch(game="gulam_chor", settings={"players": 2}, seats=(0, 1), clock=MOVE)
    return await app.matches.create(host, new, None)


async def test_a_time_out_looks_at_the_store_no_more_than_its_claim_did() -> None:
    async with due_soon(3) as (app, store, clock, matches):
        store.looks = 0
        await let_pass(app, clock, LATE)

        async def all_are_out() -> bool:
            return all([await store.entries(match.id, match.revision, 1) for match in matches])

        await until(all_are_out)
        assert [[entry.cause for entry in await store.entries(match.id, match.revision, 9)] for match in matches] == [
            [Cause.CLOCK]
        ] * 3
        assert store.looks == 0
