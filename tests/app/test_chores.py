"""The claim loop: what is due is done with few looks at the store, and nobody is left behind."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from itertools import pairwise

import msgspec
import pytest

from chautari.app import chores
from chautari.app.caller import Caller
from chautari.app.clock_values import TimeControl
from chautari.app.clocks import GRACE
from chautari.app.live import Change, Done, Live
from chautari.app.new_matches import NewMatch
from chautari.app.service import App
from chautari.app.values import SECOND, Cause, Claim, Claims, DueKind, Match
from chautari.errors import NotFound
from tests.app.tables import guest, let_pass, running_app
from tests.app.test_rounds import SharedStore
from tests.app.test_spectating import Hour
from tests.waiting import until

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


async def test_others_have_their_turn_between_the_moves_of_one_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chores, "_MOVES_IN_A_ROW", 2)
    async with due_soon(7) as (app, store, clock, matches):

        async def out() -> int:
            return sum([len(await store.entries(match.id, match.revision, 1)) for match in matches])

        await let_pass(app, clock, LATE)
        seen = [await out()]
        async with asyncio.timeout(20):
            while seen[-1] < 7:
                await asyncio.sleep(0)
                seen.append(await out())
        assert max(after - before for before, after in pairwise(seen)) <= 2


async def test_more_are_claimed_while_a_move_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chores, "_MOVES_AT_ONCE", 2)
    monkeypatch.setattr(chores, "_MOVES_UNDER_WAY", 1)
    async with due_soon(5) as (app, store, clock, matches):
        freed, change = asyncio.Event(), app.chores._live.change

        async def change_but_one(match_id: str, make: Callable[[Live | None], Change]) -> Done:
            if match_id == matches[0].id:
                await freed.wait()
            return await change(match_id, make)

        monkeypatch.setattr(app.chores._live, "change", change_but_one)
        await let_pass(app, clock, LATE)

        async def all_others_are_out() -> bool:
            return all([await store.entries(match.id, match.revision, 1) for match in matches[1:]])

        try:
            await until(all_others_are_out)
        finally:
            freed.set()


async def test_what_is_claimed_is_done_before_the_chores_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chores, "_MOVES_IN_A_ROW", 1)
    async with due_soon(5) as (app, store, clock, matches):
        claimed, claim_due = asyncio.Event(), store.claim_due

        async def claim(kinds: Collection[DueKind], limit: int, lease: int) -> Claims:
            claims = await claim_due(kinds, limit, lease)
            if claims.claimed:
                claimed.set()
                await asyncio.sleep(0)
            return claims

        monkeypatch.setattr(store, "claim_due", claim)
        await let_pass(app, clock, LATE)
        async with asyncio.timeout(20):
            await claimed.wait()
            await app.chores.stop()
        assert all([await store.entries(match.id, match.revision, 1) for match in matches])


async def test_a_match_that_cannot_be_read_does_not_cost_the_others_of_its_claim_a_look() -> None:
    async with due_soon(3) as (app, store, _, matches):
        broken, *others = matches
        store._matches[broken.id] = msgspec.structs.replace(store._matches[broken.id], snapshot=b"damaged", revision=99)
        claims = [Claim(match.id, store._matches[match.id].revision) for match in (broken, *others)]
        for match in others:
            app.chores._live.forget(match.id)
        store.looks = 0
        await app.chores._live.prepare(claims)
        for match in others:
            await app.chores._live.load(match.id)
        assert store.looks == 0


async def _are_out(store: Counting, matches: list[Match]) -> bool:
    return all([await store.entries(match.id, match.revision, 1) for match in matches])


async def test_what_is_not_begun_when_its_lease_is_over_is_claimed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chores, "_MOVES_IN_A_ROW", 1)
    async with due_soon(3) as (app, store, clock, matches):
        prepare, claim_due = app.chores._live.prepare, store.claim_due
        found: list[int] = []

        async def slowly(claims: Sequence[Claim]) -> None:
            clock.pass_seconds(1)
            await prepare(claims)

        async def claim(kinds: Collection[DueKind], limit: int, lease: int) -> Claims:
            claims = await claim_due(kinds, limit, lease)
            if claims.claimed:
                found.append(len(claims.claimed))
            return claims

        monkeypatch.setattr(app.chores._live, "prepare", slowly)
        monkeypatch.setattr(store, "claim_due", claim)
        await let_pass(app, clock, LATE)
        await until(lambda: _are_out(store, matches))
        assert found == [3, 2, 1]


async def test_moves_are_made_though_each_claim_takes_longer_than_its_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chores, "_MOVES_IN_A_ROW", 1)
    async with due_soon(3) as (app, store, clock, matches):
        claim_due = store.claim_due

        async def claim(kinds: Collection[DueKind], limit: int, lease: int) -> Claims:
            claims = await claim_due(kinds, limit, lease)
            if claims.claimed:
                clock.pass_seconds(1)
                await app.store.pulse()
            return claims

        monkeypatch.setattr(store, "claim_due", claim)
        await let_pass(app, clock, LATE)
        await until(lambda: _are_out(store, matches))


async def test_a_move_that_fails_is_tried_again_a_little_later_and_holds_up_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with due_soon(3) as (app, store, clock, matches):
        change, tries = app.chores._live.change, []

        async def change_but_one(match_id: str, make: Callable[[Live | None], Change]) -> Done:
            if match_id != matches[0].id:
                return await change(match_id, make)
            tries.append(app.store.service_time())
            raise NotFound("RULES_UNKNOWN", "its rules are not known here")

        monkeypatch.setattr(app.chores._live, "change", change_but_one)
        await let_pass(app, clock, LATE)
        await until(lambda: _are_out(store, matches[1:]))
        for _ in range(8):
            clock.pass_seconds(1)
            await app.store.pulse()
            await asyncio.sleep(0.05)
        assert 2 <= len(tries) <= 3
        assert min(after - before for before, after in pairwise(tries)) >= 3 * SECOND


async def test_no_more_moves_are_begun_than_may_be_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chores, "_MOVES_IN_A_ROW", 1)
    monkeypatch.setattr(chores, "_MOVES_UNDER_WAY", 2)
    async with due_soon(7) as (app, store, clock, matches):
        freed, change, begun = asyncio.Event(), app.chores._live.change, []

        async def wait(match_id: str, make: Callable[[Live | None], Change]) -> Done:
            begun.append(match_id)
            await freed.wait()
            return await change(match_id, make)

        monkeypatch.setattr(app.chores._live, "change", wait)
        await let_pass(app, clock, LATE)
        try:
            await asyncio.sleep(0.1)
            assert len(begun) == 3
        finally:
            freed.set()
        await until(lambda: _are_out(store, matches))
