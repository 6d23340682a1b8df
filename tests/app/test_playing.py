"""Acting, looking, watching, and the record."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import Any

import msgspec
import pytest

from chautari import engine
from chautari.app.audit import Note
from chautari.app.new_matches import NewMatch
from chautari.app.playing import Acted
from chautari.app.ports import Overtaken
from chautari.app.service import App
from chautari.app.updates import Beat, End, EndCause, MineChange, MineSummary, PresenceChange, Step
from chautari.app.values import SECOND, Entry, Match, Privacy
from chautari.errors import (
    BeyondHead,
    Forbidden,
    Malformed,
    Refusal,
    RequestReused,
    StaleRevision,
    Unavailable,
    WrongState,
)
from tests.app.tables import collect, fold, guest, legal_action, play_out, request, running_app, started, watched
from tests.waiting import until


async def test_an_act_makes_a_revision_and_tells_what_the_seat_may_know() -> None:
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 3)
        acted = await app.playing.act(people[0], match.id, 0, "take 1")
        assert acted.revision == match.revision + 1
        assert acted.step is not None
        assert acted.step.head is not None
        assert isinstance(acted.step.events[0], engine.Said)


async def test_refusals_change_nothing() -> None:
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 3)
        for seat, action, code in (
            (0, "draw", "UNKNOWN_ACTION"),
            (1, "take", "NOT_YOUR_TURN"),
            (0, "take x", "MALFORMED_ACTION"),
            (0, "take 0", "RULE_BROKEN"),
            (0, "", "UNKNOWN_ACTION"),
        ):
            with pytest.raises((Refusal, Malformed)) as refused:
                await app.playing.act(people[seat], match.id, seat, action)
            assert refused.value.reason == code
        assert (await app.matches.get(people[0], match.id)).revision == match.revision


async def test_a_foreign_seat_a_wrong_revision_and_a_match_not_started_are_refused() -> None:
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 3)
        with pytest.raises(Forbidden) as seat:
            await app.playing.act(people[1], match.id, 0, "take")
        assert seat.value.reason == "NOT_SEATED"
        with pytest.raises(Forbidden):
            await app.playing.view(people[1], match.id, 0)
        with pytest.raises(StaleRevision) as stale:
            await app.playing.act(people[0], match.id, 0, "take", revision=1)
        assert stale.value.current == match.revision
        early = await app.matches.create(people[0], NewMatch(game="gulam_chor", seats=(0,)), None)
        with pytest.raises(WrongState) as not_started:
            await app.playing.act(people[0], early.id, 0, "take")
        assert not_started.value.reason == "MATCH_NOT_STARTED"


async def test_a_request_takes_effect_once_however_often_it_comes() -> None:
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 3)
        key = request("take 1")
        answers: list[Acted] = await asyncio.gather(
            *(app.playing.act(people[0], match.id, 0, "take 1", request=key) for _ in range(4))
        )
        assert {answer.revision for answer in answers} == {match.revision + 1}
        assert sorted(answer.replayed for answer in answers) == [False, True, True, True]
        assert len({repr(answer.step.events) for answer in answers if answer.step}) == 1
        await app.playing.act(people[1], match.id, 1, "take")
        late = await app.playing.act(people[0], match.id, 0, "take 1", request=key)
        assert (late.revision, late.replayed) == (match.revision + 1, True)
        assert late.step is not None
        assert late.step.head is None
        with pytest.raises(RequestReused):
            await app.playing.act(people[0], match.id, 0, "take 2", request=type(key)(key.id, b"other"))


async def test_a_refused_request_is_judged_afresh() -> None:
    async with running_app() as app:
        must: tuple[int, ...] = ()
        while must != (1,):  # now and then the first take ends the match
            match, people = await started(app, "gulam_chor", 2)
            key = request("take")
            with pytest.raises(Refusal):
                await app.playing.act(people[1], match.id, 1, "take", request=key)
            await app.playing.act(people[0], match.id, 0, "take")
            view = (await app.playing.view(people[1], match.id, 1)).view
            assert view is not None
            must = view.must
        assert not (await app.playing.act(people[1], match.id, 1, "take", request=key)).replayed


async def test_validate_only_judges_and_does_nothing() -> None:
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 2)
        assert await app.playing.act(people[0], match.id, 0, "take", validate_only=True) == Acted(match.revision, None)
        with pytest.raises(Refusal):
            await app.playing.act(people[1], match.id, 1, "take", validate_only=True)
        assert (await app.matches.get(people[0], match.id)).revision == match.revision


async def test_sixteen_at_once_lose_no_update() -> None:
    async with running_app() as app:
        match, people = await started(app, "bluff", 4, form="up")
        hand = (await app.playing.view(people[0], match.id, 0)).view
        assert hand is not None
        cards = next(zone.cards for zone in hand.zones if zone.name == "hand.0")
        assert cards is not None
        await app.playing.act(people[0], match.id, 0, f"lay A {cards[0]}")
        answers = await asyncio.gather(
            *(app.playing.act(people[seat], match.id, seat, "accept") for seat in (1, 2, 3) for _ in range(5)),
            return_exceptions=True,
        )
        done = [answer for answer in answers if isinstance(answer, Acted)]
        assert sorted(answer.revision for answer in done) == list(range(match.revision + 2, match.revision + 5))


async def test_whoever_is_overtaken_all_the_time_may_try_again() -> None:
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 3)

        def overtaken(*_args: Any, **_options: Any) -> asyncio.Future[int]:
            refused = asyncio.get_running_loop().create_future()
            refused.set_exception(Overtaken())
            return refused

        app.store.commit = overtaken  # type: ignore[method-assign]
        with pytest.raises(Unavailable):
            await app.playing.act(people[0], match.id, 0, "take")


async def test_a_watcher_that_comes_late_gets_every_revision_once_in_order() -> None:
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 3, rounds=1)
        last = await play_out(app, match, people)
        for after in (0, 2, last - 1):
            got = await collect(app.watching.watch(people[0], match.id, 0, after), last + 1)
            assert [step.revision for step in got[:-1]] == list(range(after + 1, last + 1))
            assert isinstance(got[-1], End)
            assert got[-1].cause is EndCause.MATCH_OVER
        assert [type(m) for m in await collect(app.watching.watch(people[0], match.id, 0, last), last + 1)] == [End]


async def test_every_watcher_folds_the_stream_into_its_view() -> None:
    async with running_app() as app:
        match, people = await started(app, "jutpatti", 3, cards=5)

        async def follow(seat: int | None) -> None:
            picture = engine.Picture()
            async with aclosing(app.watching.watch(people[seat or 0], match.id, seat, 0)) as stream:
                async for message in stream:
                    if isinstance(message, End):
                        return
                    if isinstance(message, Step):
                        fold(picture, message)
                        if message.head is None:
                            continue
                        table = await app.playing.view(people[seat or 0], match.id, seat)
                        if table.match.revision == message.revision and table.view is not None:
                            assert picture.facts == table.view.facts
                            for zone in table.view.zones:
                                assert len(picture.zones.get(zone.name, ())) == zone.count

        async with asyncio.timeout(60):
            await asyncio.gather(*(follow(seat) for seat in (0, 1, 2, None)), play_out(app, match, people))


async def test_streams_of_one_seat_share_one_cut() -> None:
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 3)
        streams = [app.watching.watch(people[1], match.id, 1, match.revision) for _ in range(3)]
        waiting = [asyncio.ensure_future(collect(stream, match.revision + 1)) for stream in streams]
        await until(lambda: watched(app, match) == 3)
        await app.playing.act(people[0], match.id, 0, "take")
        steps = [found[0] for found in await asyncio.gather(*waiting)]
        assert all(step is steps[0] for step in steps)


async def test_beyond_the_head_is_no_cursor() -> None:
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 3)
        with pytest.raises(BeyondHead):
            await collect(app.watching.watch(people[0], match.id, 0, match.revision + 1), 99)


async def test_heartbeats_presence_and_draining() -> None:
    async with running_app(heartbeat_seconds=0.05) as app:
        match, people = await started(app, "gulam_chor", 3)
        seen: list[object] = []

        async def watch() -> None:
            async for message in app.watching.watch(people[0], match.id, 0, None):
                seen.append(message)  # noqa: PERF401  # it is looked at meanwhile

        watching = asyncio.ensure_future(watch())
        await until(lambda: sum(isinstance(message, Beat) for message in seen) >= 2)
        other = app.watching.watch(people[1], match.id, 1, None)
        await anext(other)
        assert people[1].account in app.watching.online(match, people[0])
        await other.aclose()
        await until(lambda: sum(isinstance(message, PresenceChange) for message in seen) == 2)
        app.watching.drain()
        async with asyncio.timeout(60):
            await watching
        presence = [(m.seat, m.online) for m in seen if isinstance(m, PresenceChange)]
        assert presence == [(1, True), (1, False)]
        assert isinstance(seen[-1], End)
        assert seen[-1].cause is EndCause.DRAINING
        assert seen[-1].resume


async def test_one_stream_tells_of_all_my_matches() -> None:
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 2)
        stream = app.watching.watch_mine(people[1])
        summary = await anext(stream)
        assert isinstance(summary, MineSummary)
        assert [(s.match_id, s.my_turn) for s in summary.standings] == [(match.id, False)]
        waiting = asyncio.ensure_future(anext(stream))
        acted = await app.playing.act(people[0], match.id, 0, "take")
        async with asyncio.timeout(60):
            change = await waiting
        assert isinstance(change, MineChange)
        assert change.standing.revision == acted.revision
        await stream.aclose()


async def test_every_stream_ends_with_the_token_by_which_it_was_opened_and_says_so() -> None:
    async with running_app(heartbeat_seconds=0.1) as app:
        host, settings = await guest(app), {"players": 2}
        new = NewMatch(game="gulam_chor", settings=settings, seats=(0, 1), privacy=Privacy.PUBLIC)
        match = await app.matches.create(host, new, None)
        late = await app.matches.create(host, msgspec.structs.replace(new, spectator_delay=SECOND // 10), None)
        await asyncio.sleep(0.2)
        soon = app.store.clock() + SECOND // 2
        member, onlooker = (msgspec.structs.replace(who, expires_at=soon) for who in (host, await guest(app)))
        async with asyncio.timeout(60):
            for stream in (
                app.watching.watch_mine(member), app.watching.watch(member, match.id, 0, 0),
                app.watching.watch(onlooker, match.id, None, 0), app.watching.watch(onlooker, late.id, None, None),
            ):  # fmt: skip
                last = [message async for message in stream][-1]
                assert isinstance(last, End)
                assert (last.cause, last.resume) == (EndCause.TOKEN, True)


async def test_a_record_is_cut_while_the_match_runs_and_whole_when_it_is_over() -> None:
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 3, rounds=1)
        seat, action = await legal_action(app, match, people)
        await app.playing.act(people[seat], match.id, seat, action)
        page = await app.records.page(people[0], match.id, None, 0, "")
        assert not page.complete
        assert all(not item.shuffles for item in page.entries)
        moved = [e for item in page.entries for e in item.events if isinstance(e, engine.Dealt)]
        assert all(set(hand) == {53} for event in moved for hand in event.hands)
        last = await play_out(app, match, people)

        entries = []
        token = ""
        while True:
            page = await app.records.page(people[0], match.id, None, 7, token)
            entries += page.entries
            token = page.next_page_token
            if not token:
                break
        assert [item.revision for item in entries] == list(range(1, last + 1))
        numbers = [number for item in entries for number, _ in item.shuffles]
        assert numbers == list(range(len(numbers)))
        assert page.complete
        with pytest.raises(Malformed):
            await app.records.page(people[0], match.id, 0, 7, "nonsense")


async def test_a_watcher_who_gets_up_is_told_to_go() -> None:
    async with running_app() as app:
        host, friend = await guest(app), await guest(app)
        match = await app.matches.create(host, NewMatch(game="gulam_chor", seats=(0,)), None)
        match = await app.matches.join(friend, link=match.link)
        watching = asyncio.ensure_future(collect(app.watching.watch(friend, match.id, 1, match.revision), 99))
        await until(lambda: watched(app, match) == 1)
        await app.matches.leave(friend, match.id)
        async with asyncio.timeout(60):
            got = await watching
        assert isinstance(got[-1], End)
        assert got[-1].cause is EndCause.NO_ACCESS


def dawdle(
    app: App, *, begun: asyncio.Event | None = None, before: asyncio.Event | None = None,
    committed: asyncio.Event | None = None, after: asyncio.Event | None = None,
) -> None:  # fmt: skip
    """From now on a commit sets `begun`, waits for `before`, sets `committed`, and is told only once `after` is set."""
    commit = app.store.commit
    writing: list[asyncio.Future[None]] = []

    def slow_commit(
        match: Match, entry: Entry, *, chairs: bool = False, late: Callable[[int], object] | None = None,
        audit: Note | None = None,
    ) -> asyncio.Future[int]:  # fmt: skip
        told = asyncio.get_running_loop().create_future()

        async def write() -> None:
            if begun is not None:
                begun.set()
            if before is not None:
                await before.wait()
            at = await commit(match, entry, chairs=chairs, audit=audit)
            if committed is not None:
                committed.set()
            if after is not None:
                await after.wait()
            if not told.done():
                told.set_result(at)
            elif late is not None:
                late(at)

        writing.append(asyncio.ensure_future(write()))
        return told

    app.store.commit = slow_commit  # type: ignore[method-assign]


async def test_a_caller_that_goes_away_during_its_commit_loses_nobody_the_news() -> None:
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 3)
        begun, held = asyncio.Event(), asyncio.Event()
        dawdle(app, begun=begun, before=held)
        watching = asyncio.ensure_future(
            collect(app.watching.watch(people[1], match.id, 1, match.revision), match.revision + 1)
        )
        await until(lambda: watched(app, match) == 1)
        acting = asyncio.ensure_future(app.playing.act(people[0], match.id, 0, "take"))
        await begun.wait()
        acting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await acting
        held.set()
        assert [step.revision for step in await watching] == [match.revision + 1]
        assert (await app.matches.get(people[0], match.id)).revision == match.revision + 1


async def test_a_caller_that_goes_away_just_as_its_commit_is_told_loses_nobody_the_news() -> None:
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 3)
        commit, told = app.store.commit, asyncio.get_running_loop().create_future()
        app.store.commit = lambda *_args, **_options: told  # type: ignore[method-assign]
        acting = asyncio.ensure_future(app.playing.act(people[0], match.id, 0, "take"))
        watching = asyncio.ensure_future(
            collect(app.watching.watch(people[1], match.id, 1, match.revision), match.revision + 1)
        )
        await asyncio.sleep(0.02)
        told.set_result(app.store.clock())
        acting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await acting
        app.store.commit = commit  # type: ignore[method-assign]
        async with asyncio.timeout(30):
            assert [step.revision for step in await watching] == [match.revision + 1]


async def test_a_stream_waits_for_what_is_committed_and_not_told_yet() -> None:
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 3)
        committed, told = asyncio.Event(), asyncio.Event()
        dawdle(app, committed=committed, after=told)
        acting = asyncio.ensure_future(app.playing.act(people[0], match.id, 0, "take"))
        await committed.wait()
        got: list[int] = []

        async def watch() -> None:
            async for message in app.watching.watch(people[1], match.id, 1, 0):
                if isinstance(message, Step):
                    got.append(message.revision)
                if got and got[-1] == match.revision + 1:
                    return

        watching = asyncio.ensure_future(watch())
        await until(lambda: len(got) >= match.revision)
        await asyncio.sleep(0.02)
        assert got == list(range(1, match.revision + 1))
        told.set()
        async with asyncio.timeout(60):
            await asyncio.gather(watching, acting)
        assert got == list(range(1, match.revision + 2))


async def test_a_watcher_who_got_up_is_sent_nothing_of_who_sits_there_now() -> None:
    """A stream that is not read lags behind: what it is owed is owed to whoever holds the seat when it is sent."""
    async with running_app() as app:
        host, former, later = [await guest(app) for _ in range(3)]
        match = await app.matches.create(host, NewMatch(game="gulam_chor", settings={"players": 3}, seats=(0,)), None)
        match = await app.matches.join(former, link=match.link, seats=(1,))
        stream = app.watching.watch(former, match.id, 1, 0)
        assert (await anext(stream)).revision == 1
        await app.matches.leave(former, match.id)
        await app.matches.join(later, link=match.link, seats=(1,))
        await app.matches.join(host, link=match.link, seats=(2,))
        async with asyncio.timeout(60):
            rest = [message async for message in stream]
        assert [getattr(message, "cause", type(message)) for message in rest] == [EndCause.NO_ACCESS]


async def test_streams_go_on_where_somebody_reads_a_commit_before_it_is_told() -> None:
    """The head of a watched match may be known before the entry that made it is at hand: nobody may spin for it."""
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 3)
        committed, told = asyncio.Event(), asyncio.Event()
        await app.playing.act(people[0], match.id, 0, "take")
        first = app.watching.watch(people[0], match.id, 0, match.revision)
        assert (await anext(first)).revision == match.revision + 1
        seat, action = await legal_action(app, match, people)
        await app.playing.act(people[seat], match.id, seat, action)
        assert (await anext(first)).revision == match.revision + 2
        dawdle(app, committed=committed, after=told)
        seat, action = await legal_action(app, match, people)
        acting = asyncio.ensure_future(app.playing.act(people[seat], match.id, seat, action))
        await committed.wait()
        acting.cancel()  # drops what is cached
        await asyncio.gather(acting, return_exceptions=True)
        second = app.watching.watch(people[1], match.id, 1, match.revision + 2)
        async with asyncio.timeout(60):
            assert [(await anext(stream)).revision for stream in (second, first)] == [match.revision + 3] * 2
        told.set()
        for stream in (first, second):
            await stream.aclose()


@pytest.mark.parametrize("drops", [True, False])
async def test_a_slow_read_does_not_bring_back_what_is_past(drops: bool) -> None:
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 3)
        find, live = app.store.find_match, app.playing._live
        read, go_on = asyncio.Event(), asyncio.Event()

        async def find_slowly(match_id: str) -> Any:
            found = await find(match_id)
            read.set()
            await go_on.wait()
            return found

        live.forget(match.id)
        app.store.find_match = find_slowly  # type: ignore[method-assign]
        reading = asyncio.ensure_future(app.playing.view(people[1], match.id, 1))
        await read.wait()
        app.store.find_match = find  # type: ignore[method-assign]
        acted = await app.playing.act(people[0], match.id, 0, "take")
        if drops:
            live.forget(match.id)
        go_on.set()
        await reading
        assert (await app.playing.view(people[1], match.id, 1)).match.revision == acted.revision


async def test_a_match_that_ends_when_something_else_of_it_was_due_is_packed_a_day_later() -> None:
    """A replica has claimed it for a seat that left; when it looks, another one has ended the match."""
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 2)
        await app.matches.resign(people[1], match.id, 1)
        await app.chores.perform(match.id)
        over = await app.store.find_match(match.id)
        assert over is not None
        assert (over.is_over, over.packed) == (True, False)
