"""Spectators that see a match late: what they see, when, and that nothing tells them more."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import msgspec
import pytest

from chautari import engine
from chautari.app import access
from chautari.app.caller import Caller
from chautari.app.listing import Which
from chautari.app.new_matches import NewMatch, rematch_id
from chautari.app.service import App
from chautari.app.updates import Beat, End, EndCause, MineChange, MineSummary, PresenceChange, Step
from chautari.app.values import SECOND, Audience, Match, MatchState, Privacy, SeatState
from chautari.errors import BeyondHead, ChautariError, Forbidden, Malformed, NotFound, Unavailable, WrongState
from chautari.store.memory import MemoryStore
from tests.app.tables import collect, fold, guest, legal_action, play_out, request, running_app
from tests.waiting import until

DELAY = 60 * SECOND


class Hour:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 1_790_000_000 * SECOND

    def __call__(self) -> int:
        return self.now

    def pass_seconds(self, seconds: float) -> None:
        self.now += int(seconds * SECOND)


@asynccontextmanager
async def table(
    *, game: str = "gulam_chor", players: int = 3, heartbeat_seconds: float = 0.02, **changed: Any
) -> AsyncIterator[tuple[App, Hour, Match, list[Caller], Caller]]:
    """A public match that spectators see a minute late, just started, with a guest on each seat and one spectator."""
    clock = Hour()
    async with running_app(heartbeat_seconds=heartbeat_seconds, store=MemoryStore(clock)) as app:
        people = [await guest(app, f"Guest {number}") for number in range(players)]
        settings = {"players": players, **changed.pop("settings", {})}
        new = NewMatch(
            game=game, settings=settings, seats=(0,),
            **{"privacy": Privacy.PUBLIC, "spectator_delay": DELAY, **changed},
        )  # fmt: skip
        match = await app.matches.create(people[0], new, None)
        for person in people[1:]:
            match = await app.matches.join(person, link=match.link)
        yield app, clock, match, people, await guest(app, "Spectator")


async def act(app: App, match: Match, people: list[Caller], clock: Hour, seconds: float = 1) -> int:
    """Passes some seconds, then does the first legal action; returns its revision."""
    clock.pass_seconds(seconds)
    seat, action = await legal_action(app, match, people)
    return (await app.playing.act(people[seat], match.id, seat, action)).revision


async def refusal(call: Any) -> tuple[str, str, dict[str, str]]:
    """What a call is refused with, word for word."""
    with pytest.raises(ChautariError) as refused:
        await call
    return refused.value.reason, refused.value.message, refused.value.values


async def test_a_spectator_sees_each_revision_when_it_is_old_enough_and_a_member_at_once() -> None:
    async with table() as (app, clock, match, people, spectator):
        start = match.revision
        committed = {start: clock.now}
        for _ in range(5):
            revision = await act(app, match, people, clock, 7)
            committed[revision] = clock.now
        for _ in range(12):
            clock.pass_seconds(7)
            seen = await app.matches.get(spectator, match.id)
            old_enough = [revision for revision, at in committed.items() if at + DELAY <= clock.now]
            assert seen.revision == max(old_enough, default=start - 1)
            shown = await app.playing.view(spectator, match.id, None)
            assert shown.match.revision == seen.revision
            assert (await app.matches.get(people[0], match.id)).revision == start + 5
            assert (await app.playing.view(people[0], match.id, None)).match.revision == start + 5
        assert seen.revision == start + 5


async def test_the_late_view_is_that_which_a_spectator_without_delay_saw() -> None:
    async with table(game="jutpatti", settings={"cards": 5}) as (app, clock, match, people, spectator):
        seen = {}
        while not (await app.matches.get(people[0], match.id)).is_over:
            revision = await act(app, match, people, clock, 1)
            seen[revision] = (await app.playing.view(people[0], match.id, None)).view
        for _ in range(len(seen) + 60):
            clock.pass_seconds(1)
            late = await app.playing.view(spectator, match.id, None)
            if late.match.revision in seen:
                assert late.view == seen[late.match.revision]
                assert late.view is not None
                assert (late.match.phase, late.match.must) == (late.view.phase, engine.only(*late.view.must))
        assert late.match.revision == max(seen)
        assert late.match.outcome is not None


async def test_before_the_start_everybody_sees_the_seating_at_once() -> None:
    async with running_app() as app:
        host, friend, stranger = [await guest(app) for _ in range(3)]
        new = NewMatch(game="gulam_chor", seats=(0,), privacy=Privacy.PUBLIC, spectator_delay=DELAY)
        match = await app.matches.create(host, new, None)
        assert (await app.matches.get(stranger, match.id)).revision == 1
        joined = await app.matches.join(friend, match_id=match.id, seats=(2,))
        seen = await app.matches.get(stranger, match.id)
        assert (seen.revision, seen.chairs[2].account_id) == (joined.revision, friend.account)
        left = await app.matches.leave(host, match.id)
        seen = await app.matches.get(stranger, match.id)
        assert (seen.revision, seen.host, seen.chairs[0].state) == (left.revision, friend.account, SeatState.OPEN)


async def test_a_match_that_started_when_it_was_made_is_not_there_yet() -> None:
    async with table() as (app, clock, _, _, spectator):
        host = await guest(app)
        new = NewMatch(
            game="gulam_chor", settings={"players": 2}, seats=(0, 1), privacy=Privacy.PUBLIC, spectator_delay=DELAY
        )
        match = await app.matches.create(host, new, None)
        nothing = await refusal(app.matches.get(spectator, "nothing"))
        for call in (
            app.matches.get(spectator, match.id),
            app.playing.view(spectator, match.id, None),
            app.records.page(spectator, match.id, None, 0, ""),
            collect(app.watching.watch(spectator, match.id, None, None), 99),
        ):
            assert await refusal(call) == nothing
        with pytest.raises(NotFound):
            await app.matches.find(spectator, link=match.link)
        clock.pass_seconds(60)
        assert (await app.matches.get(spectator, match.id)).revision == 1
        assert (await app.matches.find(spectator, link=match.link)).revision == 1


async def test_no_answer_tells_a_spectator_of_what_is_too_new() -> None:
    """Two worlds, alike up to what spectators may see: in the second the match has gone on, and ended."""
    async with table(settings={"rounds": 1}) as (app, clock, match, people, spectator):
        await act(app, match, people, clock)
        clock.pass_seconds(60)

        async def answers() -> list[object]:
            record = await app.records.page(spectator, match.id, None, 0, "")
            pages = await app.records.page(spectator, match.id, None, record.match.revision, "")
            view = await app.playing.view(spectator, match.id, None)
            return [
                await app.matches.get(spectator, match.id),
                await app.matches.find(spectator, link=match.link),
                (view.match, view.view, view.options, view.online),
                record,
                pages.next_page_token,
                await refusal(app.playing.view(spectator, match.id, 0)),
                await refusal(app.playing.act(spectator, match.id, 0, "take")),
                await refusal(app.playing.act(spectator, match.id, 0, "take", revision=1)),
                await refusal(app.playing.act(spectator, match.id, 0, "take", validate_only=True)),
                await refusal(app.matches.join(spectator, match_id=match.id)),
                await refusal(app.matches.join(spectator, link=match.link)),
                await refusal(app.matches.join(spectator, link=match.link, seats=(0,))),
                await refusal(app.matches.join(spectator, code=match.code)),
                await app.matches.find(spectator, code=match.code),
                await refusal(app.matches.leave(spectator, match.id)),
                await refusal(app.matches.start(spectator, match.id)),
                await refusal(app.matches.resign(spectator, match.id, 0)),
                await refusal(app.matches.rematch(spectator, match.id)),
                await refusal(collect(app.watching.watch(spectator, match.id, None, view.match.revision + 1), 99)),
                await refusal(collect(app.watching.watch(spectator, match.id, 0, 0), 99)),
                [step.revision for step in await collect(
                    app.watching.watch(spectator, match.id, None, 0), view.match.revision
                )],
                [await app.lists.page(spectator, which, None, 0, "") for which in Which],
                [
                    await app.lists.page(spectator, Which.PLAYING, match.game, 0, "", wanted, "create_time")
                    for wanted in ("state = PLAYING", "state != PLAYING", "state = FINISHED")
                ],
            ]  # fmt: skip

        before = await answers()
        assert [len(page) for page, _ in before[-1]] == [1, 0, 0]  # type: ignore[attr-defined]
        watching = app.watching.watch(people[1], match.id, 1, None)
        await anext(watching)
        assert await answers() == before
        await watching.aclose()
        named = f"matches/{match.id}"
        assert (await refusal(app.matches.join(spectator, code=match.code)))[::2] == ("MATCH_STARTED", {"match": named})
        last = await play_out(app, match, people)
        assert (await app.matches.get(people[0], match.id)).is_over
        assert await answers() == before
        await asyncio.gather(*(app.matches.rematch(person, match.id) for person in people))
        assert await answers() == before
        clock.pass_seconds(59)
        assert await answers() == before
        clock.pass_seconds(1)
        seen = await app.matches.get(spectator, match.id)
        assert (seen.revision, seen.state) == (last, MatchState.FINISHED)
        assert seen.outcome == (await app.matches.get(people[0], match.id)).outcome
        assert (await app.records.page(spectator, match.id, None, 0, "")).complete
        for by in ({"match_id": match.id}, {"link": match.link}, {"code": match.code}):
            assert (await refusal(app.matches.join(spectator, **by)))[::2] == ("MATCH_OVER", {"match": named})


async def test_public_matches_are_listed_to_be_watched_as_late_as_they_are_seen() -> None:
    async with table() as (app, clock, match, people, spectator):

        async def listed(who: Caller = spectator) -> list[tuple[int, MatchState, int]]:
            page, token = await app.lists.page(who, Which.PLAYING, None, 0, "")
            assert token == ""
            for found in page:
                got = await app.matches.get(who, found.id)
                assert msgspec.structs.replace(got, secret=found.secret, snapshot=None, may=found.may) == found
                assert (await app.playing.view(who, found.id, None)).match.revision == found.revision
            return [(found.revision, found.state, found.must) for found in page]

        begun = match.revision
        last = await play_out(app, match, people)
        assert await listed() == []
        clock.pass_seconds(59)
        assert await listed() == []
        clock.pass_seconds(1)
        assert await listed() == []  # it began and ended at one moment
        assert last > begun

        new = NewMatch(game="gulam_chor", settings={"players": 2}, seats=(0, 1), privacy=Privacy.PUBLIC)
        slow, at_once = [
            await app.matches.create(people[0], msgspec.structs.replace(new, spectator_delay=delay), None)
            for delay in (DELAY, 0)
        ]
        assert await listed() == [(at_once.revision, MatchState.PLAYING, at_once.must)]
        clock.pass_seconds(60)
        for _ in range(3):
            await act(app, slow, [people[0]] * 2, clock)
        assert {revision for revision, _, _ in await listed()} == {at_once.revision, slow.revision}
        clock.pass_seconds(60)
        assert {revision for revision, _, _ in await listed()} == {at_once.revision, slow.revision + 3}
        assert await listed(people[0]) == []
        assert len(await listed(people[1])) == 2
        await play_out(app, at_once, [people[0]] * 2)
        assert len(await listed()) == 1


@pytest.mark.parametrize("seats", [(0, 1), (0,)])
async def test_a_match_that_is_committed_after_its_start_is_not_listed_before_it_is_seen(
    seats: tuple[int, ...],
) -> None:
    """Between the moment that a match has for its start and that of its entry in the journal, which is its first, or
    comes when somebody joins."""
    async with table() as (app, clock, _, _, spectator):
        host = await guest(app)
        new = NewMatch(
            game="gulam_chor", settings={"players": 2}, seats=seats, privacy=Privacy.PUBLIC, spectator_delay=DELAY
        )
        match = await app.matches.create(host, new, None)
        if match.started_at is None:
            match = await app.matches.join(await guest(app), match_id=match.id)
        assert match.started_at is not None
        stored: Any = app.store
        stored._matches[match.id] = msgspec.structs.replace(match, started_at=match.started_at - SECOND)
        clock.pass_seconds(59)
        assert (await app.lists.page(spectator, Which.PLAYING, match.game, 0, ""))[0] == []
        clock.pass_seconds(1)
        [listed], _ = await app.lists.page(spectator, Which.PLAYING, match.game, 0, "", f"host = {host.account}")
        assert listed.id == match.id


async def test_nobody_without_the_secret_knows_the_name_of_a_rematch() -> None:
    async with table() as (_, _, match, _, _):
        stranger = Match(**{name: getattr(match, name) for name in match.__struct_fields__} | {"secret": b"guess"})
        assert rematch_id(match) == rematch_id(match)
        assert rematch_id(match) != rematch_id(stranger)


async def test_a_stream_brings_each_revision_when_it_is_old_enough() -> None:
    async with table() as (app, clock, match, people, spectator):
        start = match.revision
        got: list[Any] = []

        watching = asyncio.ensure_future(note(app.watching.watch(spectator, match.id, None, 0), got))
        for _ in range(4):
            await act(app, match, people, clock, 10)
        await beats(got, 3)
        assert steps(got) == list(range(1, start))
        for revision, seconds in enumerate((20, 10, 10, 10, 10), start):
            clock.pass_seconds(seconds)
            await until(lambda revision=revision: len(steps(got)) >= revision)  # type: ignore[misc] # mypy guesses not
            await beats(got, 3)
            assert steps(got) == list(range(1, revision + 1))
        newest = [message for message in got if isinstance(message, Step)][-1]
        assert newest.head is not None
        assert newest.head.options == []
        assert not [message for message in got if isinstance(message, PresenceChange)]
        watching.cancel()


async def note(stream: AsyncGenerator[Any], got: list[Any]) -> None:
    """Puts what comes into the list."""
    async for message in stream:
        got.append(message)  # noqa: PERF401 - it is looked at meanwhile


def steps(got: list[Any]) -> list[int]:
    """The revisions that came."""
    return [message.revision for message in got if isinstance(message, Step)]


async def beats(got: list[Any], count: int) -> None:
    """Waits for so many more heartbeats: had there been anything to tell, it would have come before them."""
    seen = sum(isinstance(message, Beat) for message in got)
    await until(lambda: sum(isinstance(message, Beat) for message in got) >= seen + count)


async def test_a_late_stream_is_resumed_without_gap_or_repeat_and_ends_with_the_match() -> None:
    async with table(settings={"rounds": 1}) as (app, clock, match, people, spectator):
        last = await play_out(app, match, people)
        cursor, got = 0, []
        picture = engine.Picture()
        while True:
            async with aclosing(app.watching.watch(spectator, match.id, None, cursor)) as stream:
                async with asyncio.timeout(20):
                    async for message in stream:
                        if isinstance(message, Beat):
                            clock.pass_seconds(20)
                        if isinstance(message, Step):
                            got.append(message.revision)
                            fold(picture, message)
                            cursor = message.revision
                            if cursor % 5 == 0:
                                break
                        if isinstance(message, End):
                            break
            if isinstance(message, End):
                break
        assert got == list(range(1, last + 1))
        assert (message.cause, message.resume) == (EndCause.MATCH_OVER, False)
        shown = (await app.playing.view(people[0], match.id, None)).view
        assert shown is not None
        assert picture.facts == shown.facts
        with pytest.raises(BeyondHead):
            await collect(app.watching.watch(spectator, match.id, None, last + 1), 99)


async def test_spectators_share_one_cut_and_one_timer() -> None:
    async with table() as (app, clock, match, people, spectator):
        others = [await guest(app) for _ in range(3)]
        streams = [app.watching.watch(one, match.id, None, match.revision - 1) for one in (spectator, *others)]
        for stream in streams:
            assert isinstance(await anext(stream), Beat)
        waiting = [asyncio.ensure_future(collect(stream, match.revision)) for stream in streams]
        assert sum("Feeds._move" in str(task.get_coro()) for task in asyncio.all_tasks()) == 1
        clock.pass_seconds(60)
        found = [got[0] for got in await asyncio.gather(*waiting)]
        assert all(step is found[0] for step in found)
        await asyncio.sleep(0)
        assert not any("Feeds._move" in str(task.get_coro()) for task in asyncio.all_tasks())
        assert await act(app, match, people, clock)


async def test_acts_do_not_even_wake_a_late_stream() -> None:
    """When a heartbeat comes tells nothing: each comes as long after the message before as in a match that rests."""
    async with table(heartbeat_seconds=60) as (app, clock, match, people, spectator):
        stream = app.watching.watch(spectator, match.id, None, match.revision - 1)
        assert isinstance(await anext(stream), Beat)
        waiting = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0)
        feed = app.watching._feeds.find(match.id)
        assert feed is not None
        assert feed.late is not None
        changed = feed.late.changed
        for _ in range(5):
            await act(app, match, people, clock)
            await asyncio.sleep(0)
        assert not waiting.done()
        assert feed.late.changed is changed
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await stream.aclose()


async def test_whoever_got_up_while_watching_sees_late_from_then_on() -> None:
    async with running_app(heartbeat_seconds=0.02, store=MemoryStore(clock := Hour())) as app:
        host, leaver, friend = [await guest(app) for _ in range(3)]
        new = NewMatch(
            game="gulam_chor", settings={"players": 2}, seats=(0,), privacy=Privacy.PUBLIC, spectator_delay=DELAY
        )
        match = await app.matches.create(host, new, None)
        match = await app.matches.join(leaver, match_id=match.id)
        assert match.state is MatchState.PLAYING
        match = await app.matches.create(host, NewMatch(**{**as_new(new), "settings": {"players": 3}}), None)
        await app.matches.join(leaver, match_id=match.id)
        slow = app.watching.watch(leaver, match.id, None, 0)
        assert (await anext(slow)).revision == 1
        got: list[Any] = []

        watching = asyncio.ensure_future(note(app.watching.watch(leaver, match.id, None, 0), got))
        await beats(got, 1)
        await app.matches.leave(leaver, match.id)
        match = await app.matches.join(friend, match_id=match.id, count=2)
        assert match.state is MatchState.PLAYING
        await app.playing.act(host, match.id, 0, "take")
        await beats(got, 3)
        assert steps(got) == [1, 2, 3]
        assert [(await anext(slow)).revision for _ in range(3)] == [2, 3, 3]
        clock.pass_seconds(60)
        await until(lambda: len(steps(got)) >= 5)
        assert steps(got) == [1, 2, 3, 4, 5]
        watching.cancel()
        await slow.aclose()


def as_new(new: NewMatch) -> dict[str, Any]:
    """The fields of what a match is to be."""
    return {name: getattr(new, name) for name in new.__struct_fields__}


async def test_whoever_sits_down_while_watching_sees_at_once_from_then_on() -> None:
    async with table(heartbeat_seconds=0.02) as (app, _, _, people, _):
        host, friend = people[0], await guest(app)
        new = NewMatch(
            game="gulam_chor", settings={"players": 2}, seats=(0,), privacy=Privacy.PUBLIC, spectator_delay=DELAY
        )
        match = await app.matches.create(host, new, None)
        stream = app.watching.watch(friend, match.id, None, 1)
        assert isinstance(await anext(stream), Beat)
        await app.matches.join(friend, match_id=match.id)
        got = await collect(stream, 2)
        assert got[-1].revision == 2


async def test_the_repeat_of_a_request_tells_whoever_left_no_more_than_it_did() -> None:
    async with table() as (app, _, _, people, _):
        for privacy in (Privacy.PUBLIC, Privacy.PRIVATE):
            host, friend, leaver = people
            new = NewMatch(
                game="gulam_chor", settings={"players": 2}, seats=(0,), privacy=privacy, spectator_delay=DELAY
            )
            match = await app.matches.create(host, NewMatch(**{**as_new(new), "settings": {"players": 3}}), None)
            join, leave = request("join"), request("leave")
            await app.matches.join(leaver, link=match.link, request=join)
            left = await app.matches.leave(leaver, match.id, request=leave)
            await app.matches.join(friend, link=match.link, count=2)
            await app.playing.act(host, match.id, 0, "take")
            for key, revision in ((join, 2), (leave, 3)):
                call = app.matches.join if key is join else app.matches.leave
                args: dict[str, Any] = {"link": match.link} if key is join else {"match_id": match.id}
                again = await call(leaver, request=key, **args)
                assert (again.revision, again.state, again.must) == (revision, MatchState.SEATING, 0)
                assert again.chairs[1].state is (SeatState.TAKEN if key is join else SeatState.OPEN)
            assert again.chairs == left.chairs


async def test_the_stream_of_ones_own_matches_tells_whoever_left_nothing_new() -> None:
    async with table() as (app, _, _, people, _):
        host, friend, leaver = people
        new = NewMatch(
            game="gulam_chor", settings={"players": 3}, seats=(0,), privacy=Privacy.PUBLIC, spectator_delay=DELAY
        )
        match = await app.matches.create(host, new, None)
        await app.matches.join(leaver, match_id=match.id)
        stream = app.watching.watch_mine(leaver)
        assert isinstance(await anext(stream), MineSummary)
        await app.matches.leave(leaver, match.id)
        await app.matches.join(friend, match_id=match.id, count=2)
        await app.playing.act(host, match.id, 0, "take")
        told = None
        while not isinstance(told, MineChange):
            told = await anext(stream)
        assert (told.member, told.standing.revision, told.standing.state) == (False, 3, MatchState.SEATING)
        await stream.aclose()


async def test_late_spectators_may_be_many_at_once() -> None:
    async with table(settings={"rounds": 1}) as (app, clock, match, people, spectator):
        last = await play_out(app, match, people)
        clock.pass_seconds(60)
        seen = await asyncio.gather(*(app.playing.view(spectator, match.id, None) for _ in range(50)))
        assert {one.match.revision for one in seen} == {last}
        clock.pass_seconds(3600)
        assert (await app.playing.view(spectator, match.id, None)).view == seen[0].view


async def test_a_late_stream_ends_where_the_store_is_away_or_the_server_stops() -> None:
    async with table() as (app, clock, match, _, spectator):
        stream = app.watching.watch(spectator, match.id, None, None)
        assert isinstance(await anext(stream), Beat)
        entries = app.store.entries

        async def away(match_id: str, after: int, limit: int) -> Any:
            raise Unavailable("STORAGE_AWAY", "away")

        app.store.entries = away  # type: ignore[method-assign]
        app.watching._spectating._pasts.clear()
        clock.pass_seconds(60)
        with pytest.raises(Unavailable):
            await asyncio.wait_for(note(stream, []), 20)
        app.store.entries = entries  # type: ignore[method-assign]
        stream = app.watching.watch(spectator, match.id, None, None)
        assert isinstance(await anext(stream), Beat)
        app.watching.drain()
        assert [getattr(message, "cause", None) async for message in stream] == [EndCause.DRAINING]


# ── Who may watch ─────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_the_audience_of_a_private_match() -> None:
    async with table() as (app, _, _, people, stranger):
        host, other = people[0], people[1]
        settings = {"players": 2}
        closed = await app.matches.create(host, NewMatch(game="gulam_chor", settings=settings, seats=(0,)), None)
        assert closed.audience is Audience.MEMBERS
        opened = await app.matches.create(
            host, NewMatch(game="gulam_chor", settings=settings, seats=(0,), audience=Audience.LINK), None
        )
        for match in (closed, opened):
            ticket = access.ticket_of(match, stranger)
            for bad in ("", "x", "é", access.ticket_of(match, other), access.ticket_of(closed, other)):
                with pytest.raises(Forbidden):
                    await app.matches.get(stranger, match.id, bad)
            with pytest.raises(Forbidden):
                await app.matches.join(stranger, match_id=match.id)
            if match is closed:
                with pytest.raises(Forbidden):
                    await app.matches.get(stranger, match.id, ticket)
                continue
            assert (await app.matches.get(stranger, match.id, ticket)).id == match.id
            assert (await app.playing.view(stranger, match.id, None, ticket)).match.id == match.id
            assert (await app.records.page(stranger, match.id, None, 0, "", ticket)).match.id == match.id
            stream = app.watching.watch(stranger, match.id, None, 0, ticket)
            assert (await anext(stream)).revision == 1
            await app.matches.join(other, link=match.link)
            got = await collect(stream, 2)
            assert got[-1].revision == 2


async def test_an_audience_has_to_suit_the_privacy_and_a_delay_is_at_most_an_hour() -> None:
    async with running_app() as app:
        host = await guest(app)
        for wrong, field in (
            ({"privacy": Privacy.PUBLIC, "audience": Audience.LINK}, "audience"),
            ({"privacy": Privacy.PUBLIC, "audience": Audience.MEMBERS}, "audience"),
            ({"audience": Audience.EVERYONE}, "audience"),
            ({"spectator_delay": -1}, "spectator_delay"),
            ({"spectator_delay": 3600 * SECOND + 1}, "spectator_delay"),
        ):
            with pytest.raises(Malformed) as refused:
                await app.matches.create(host, NewMatch(game="bluff", **wrong), None)
            assert (refused.value.reason, refused.value.field) == ("REQUEST_INVALID", field)
        public = await app.matches.create(host, NewMatch(game="bluff", privacy=Privacy.PUBLIC), None)
        assert public.audience is Audience.EVERYONE


async def test_a_stranger_cannot_sit_down_late_to_see_more() -> None:
    async with table() as (app, _, match, _, spectator):
        for call in (
            app.matches.join(spectator, match_id=match.id),
            app.matches.join(spectator, link=match.link),
            app.matches.join(spectator, link=match.link, count=1, request=request("again")),
        ):
            with pytest.raises(WrongState) as refused:
                await call
            assert refused.value.reason == "MATCH_STARTED"
