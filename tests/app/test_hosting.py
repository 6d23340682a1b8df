"""What a host may do before the start, the seats that are drawn by lot, codes, and how many matches may be open."""

import asyncio
from base64 import urlsafe_b64decode
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from chautari import engine
from chautari.app import access
from chautari.app.arranging import Arrangement
from chautari.app.caller import Caller
from chautari.app.events import MatchArranged, MatchClosed, SeatsDrawn, SeatVacated
from chautari.app.listing import Which
from chautari.app.new_matches import NewMatch, Terms
from chautari.app.noting import Operator
from chautari.app.service import App
from chautari.app.stopping import Ending
from chautari.app.updates import End, EndCause, MineChange, MineSummary, Step
from chautari.app.values import (
    CODE_KEPT,
    SECOND,
    Audience,
    Disclosure,
    DueKind,
    EndReason,
    Match,
    MatchState,
    Privacy,
    SeatingRule,
    SeatState,
    StartRule,
)
from chautari.errors import (
    ChautariError,
    Exhausted,
    NotFound,
    RequestReused,
    StaleRevision,
)
from chautari.store.memory import MemoryStore
from tests.app.tables import collect, due, guest, let_pass, play_out, request, running_app, started
from tests.app.test_spectating import Hour


async def seated(app: App, people: int, **new: Any) -> tuple[Match, list[Caller]]:
    """A match for one more than sit in it; the first is its host."""
    callers = [await guest(app, f"Guest {number}") for number in range(people)]
    settings = {"players": people + 1, **new.pop("settings", {})}
    match = await app.matches.create(
        callers[0], NewMatch(game="gulam_chor", settings=settings, seats=(0,), **new), None
    )
    for caller in callers[1:]:
        match = await app.matches.join(caller, link=match.link)
    return match, callers


async def reason(call: Any) -> str:
    """Why a call is refused."""
    with pytest.raises(ChautariError) as refused:
        await call
    return refused.value.reason


def every(app: App, caller: Caller, match: Match, other: Caller) -> list[Any]:
    """A call of each right of the host's."""
    hosting = app.hosting
    return [
        hosting.arrange(caller, match.id, Arrangement(title="?")),
        hosting.remove(caller, match.id, other.account),
        hosting.readmit(caller, match.id, other.account),
        hosting.hand_on(caller, match.id, other.account),
        hosting.renew_code(caller, match.id),
        hosting.close(caller, match.id),
    ]


async def test_the_rights_of_the_host_are_the_host_s_alone_and_end_with_the_start() -> None:
    async with running_app() as app:
        match, (host, friend) = await seated(app, 2)
        stranger, last = await guest(app), await guest(app)
        assert {await reason(call) for call in every(app, friend, match, host)} == {"NOT_HOST"}
        assert {await reason(call) for call in every(app, stranger, match, host)} == {"NO_ACCESS"}
        unknown = Match(**{name: getattr(match, name) for name in match.__struct_fields__} | {"id": "nothing"})
        assert {await reason(call) for call in every(app, stranger, unknown, host)} == {"NO_ACCESS"}
        await app.matches.join(last, link=match.link)
        assert {await reason(call) for call in every(app, host, match, friend)} == {"MATCH_STARTED"}
        await play_out(app, match, [host, friend, last])
        assert {await reason(call) for call in every(app, host, match, friend)} == {"MATCH_OVER"}


# ── Remove and readmit ────────────────────────────────────────────────────────────────────────────────────────────────


async def test_whoever_may_see_a_match_is_told_why_it_is_not_theirs_to_change() -> None:
    async with running_app() as app:
        match, (host, _) = await seated(app, 2, privacy=Privacy.PUBLIC)
        stranger = await guest(app)
        assert {await reason(call) for call in every(app, stranger, match, host)} == {"NOT_HOST"}
        assert await reason(app.matches.start(stranger, match.id)) == "NOT_HOST"
        assert await reason(app.matches.leave(stranger, match.id)) == "NOT_IN_MATCH"
        assert await reason(app.matches.rematch(stranger, match.id)) == "NOT_IN_MATCH"
        assert await reason(app.matches.resign(stranger, match.id, 0)) == "NOT_SEATED"


@pytest.mark.parametrize("privacy", [Privacy.PRIVATE, Privacy.PUBLIC])
async def test_whoever_was_removed_cannot_sit_down_again_until_it_is_readmitted(privacy: Privacy) -> None:
    async with running_app() as app:
        match, (host, friend) = await seated(app, 2, privacy=privacy, settings={"players": 4})
        await app.matches.join(friend, link=match.link, count=1)
        stream = app.watching.watch(friend, match.id, 1, match.revision + 1)
        await anext(stream)
        match = await app.hosting.remove(host, match.id, friend.account)
        assert [chair.state for chair in match.chairs].count(SeatState.OPEN) == 3
        got = await collect(stream, 99)
        assert got[-1].cause is EndCause.NO_ACCESS
        for way in ({"code": match.code}, {"link": match.link}, {"link": match.link, "seats": (3,)}):
            assert await reason(app.matches.join(friend, **way)) == "REMOVED_BY_HOST"
        by_name = "REMOVED_BY_HOST" if privacy is Privacy.PUBLIC else "NO_ACCESS"
        assert await reason(app.matches.join(friend, match_id=match.id)) == by_name
        page = await app.records.page(host, match.id, None, 0, "")
        assert page.entries[-1].events == [SeatVacated(seat, friend.account) for seat in (1, 2)]
        assert (await app.hosting.remove(host, match.id, friend.account)).revision == match.revision
        await app.hosting.readmit(host, match.id, friend.account)
        revision = (await app.hosting.readmit(host, match.id, friend.account)).revision
        joined = await app.matches.join(friend, code=match.code)
        assert joined.revision == revision + 1


@pytest.mark.parametrize("audience", [None, Audience.LINK])
async def test_whoever_was_removed_sees_a_private_match_no_more(audience: Audience | None) -> None:
    async with running_app() as app:
        match, (host, friend) = await seated(app, 2, audience=audience)
        ticket = access.ticket_of(match, friend)
        stream = app.watching.watch(friend, match.id, None, None, ticket)
        await anext(stream)
        await app.hosting.remove(host, match.id, friend.account)
        last: Any = [message async for message in stream][-1]
        assert last.cause is EndCause.NO_ACCESS
        for by in ({"link": match.link}, {"code": match.code}):
            assert await reason(app.matches.find(friend, **by)) == "REMOVED_BY_HOST"
        assert await reason(app.matches.get(friend, match.id, ticket)) == "NO_ACCESS"
        assert await reason(app.playing.view(friend, match.id, None, ticket)) == "NO_ACCESS"
        await app.hosting.readmit(host, match.id, friend.account)
        assert (await app.matches.find(friend, link=match.link)).id == match.id
        if audience is Audience.LINK:
            assert (await app.matches.get(friend, match.id, ticket)).id == match.id


async def test_who_is_removed_by_mistake_or_not_there() -> None:
    async with running_app() as app:
        match, (host, _) = await seated(app, 2)
        assert await reason(app.hosting.remove(host, match.id, (await guest(app)).account)) == "NOT_IN_MATCH"
        assert await reason(app.hosting.remove(host, match.id, "nobody")) == "NOT_IN_MATCH"
        assert await reason(app.hosting.remove(host, match.id, host.account)) == "REQUEST_INVALID"


async def test_a_seat_that_is_only_held_is_given_free_without_keeping_its_account_out() -> None:
    async with running_app() as app:
        match, (host, friend) = await seated(app, 2)
        third = await guest(app)
        await app.matches.join(third, link=match.link)
        for caller, seat in ((host, 0), (friend, 1)):
            await app.matches.resign(caller, match.id, seat)
        following = await app.matches.rematch(host, match.id)
        mine = app.watching.watch_mine(friend)
        summary = await anext(mine)
        assert isinstance(summary, MineSummary)
        assert [standing.match_id for standing in summary.standings] == [following.id]
        following = await app.hosting.remove(host, following.id, friend.account)
        assert following.barred == ()
        told = await anext(mine)
        assert isinstance(told, MineChange)
        assert not told.member
        await mine.aclose()
        assert (await app.matches.join(friend, link=following.link)).seats_of(friend.account)


async def test_a_removal_and_a_join_at_once_leave_one_of_two_states() -> None:
    async with running_app() as app:
        match, (host, friend) = await seated(app, 2)
        await asyncio.gather(
            app.hosting.remove(host, match.id, friend.account),
            *(app.matches.join(friend, link=match.link, count=1) for _ in range(5)),
            return_exceptions=True,
        )
        now = await app.matches.get(host, match.id)
        if now.state is MatchState.SEATING:
            assert (now.seats_of(friend.account), now.barred) == ((), (friend.account,))


async def test_only_the_last_two_hundred_are_kept_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chautari.app.hosting._MOST_BARRED", 2)
    async with running_app() as app:
        match, (host, *_) = await seated(app, 1, settings={"players": 3})
        removed = []
        for _ in range(3):
            removed.append(await guest(app))
            await app.matches.join(removed[-1], link=match.link)
            match = await app.hosting.remove(host, match.id, removed[-1].account)
            match = await app.matches.get(host, match.id)
        assert match.barred == tuple(one.account for one in removed[1:])


# ── Hand on, close, renew, leave ──────────────────────────────────────────────────────────────────────────────────────


async def test_a_host_hands_on_to_somebody_seated() -> None:
    async with running_app() as app:
        match, (host, friend) = await seated(app, 2)
        assert await reason(app.hosting.hand_on(host, match.id, (await guest(app)).account)) == "NOT_IN_MATCH"
        key = request("hand on")
        for _ in range(2):
            assert (await app.hosting.hand_on(host, match.id, friend.account, key)).host == friend.account
        assert await reason(app.hosting.hand_on(host, match.id, friend.account)) == "NOT_HOST"
        with pytest.raises(RequestReused):
            await app.hosting.close(host, match.id, type(key)(key.id, b"another"))
        assert (await app.hosting.close(friend, match.id)).state is MatchState.ABORTED


async def test_a_host_that_leaves_is_followed_by_who_has_sat_longest() -> None:
    async with running_app() as app:
        host, first, second = [await guest(app) for _ in range(3)]
        match = await app.matches.create(host, NewMatch(game="gulam_chor", settings={"players": 4}, seats=(0,)), None)
        await app.matches.join(first, link=match.link, seats=(3,))
        await app.matches.join(second, link=match.link, seats=(1,))
        assert (await app.matches.leave(host, match.id)).host == first.account


async def test_a_match_that_is_closed_ends_for_everybody() -> None:
    async with running_app() as app:
        match, (host, friend) = await seated(app, 2, privacy=Privacy.PUBLIC)
        stranger = await guest(app)
        streams = [
            app.watching.watch(caller, match.id, seat, match.revision)
            for caller, seat in ((friend, 1), (stranger, None))
        ]
        for stream in streams:
            await anext(stream)
        match = await app.hosting.close(host, match.id)
        assert (match.state, match.due_kind) == (MatchState.ABORTED, None)
        assert match.outcome is not None
        assert (match.outcome.aborted, match.outcome.reason) == (True, EndReason.CLOSED)
        for stream in streams:
            step, end = await collect(stream, 99)
            assert step.events == [MatchClosed(EndReason.CLOSED)]
            assert end.cause is EndCause.MATCH_OVER
        assert await reason(app.matches.join(stranger, link=match.link)) == "MATCH_OVER"
        assert (await app.lists.page(stranger, Which.OPEN, None, 0, ""))[0] == []


async def test_a_new_code_ends_the_old_one_and_lives_its_whole_life(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Hour()
    terms = Terms(code=600 * SECOND)
    async with running_app(store=MemoryStore(clock), terms=terms) as app:
        match, (host, _) = await seated(app, 2)
        other = await guest(app)
        old = match.code
        assert match.code_expires_at == clock.now + 600 * SECOND
        clock.pass_seconds(600)
        assert await reason(app.matches.join(other, code=old)) == "CODE_EXPIRED"
        assert await reason(app.matches.find(other, code=old)) == "CODE_EXPIRED"
        taken = await app.matches.create(other, NewMatch(game="bluff"), None)
        begun, _ = await started(app, "bluff", 2)
        codes = iter([taken.code, begun.code, taken.code, "NEWONE", "UNUSED"])
        monkeypatch.setattr("chautari.app.hosting.new_code", lambda: next(codes))
        key = request("renew")
        match = await app.hosting.renew_code(host, match.id, key)
        assert (match.code, match.code_expires_at) == ("NEWONE", clock.now + 600 * SECOND)
        assert (await app.hosting.renew_code(host, match.id, key)).code == "NEWONE"
        with pytest.raises(NotFound):
            await app.matches.find(other, code=old)
        assert (await app.matches.join(other, code="newone")).state is MatchState.PLAYING


async def test_links_and_codes_are_long_enough() -> None:
    async with running_app() as app:
        matches = [(await seated(app, 1))[0] for _ in range(20)]
        assert len({match.link for match in matches}) == 20
        assert all(len(urlsafe_b64decode(match.link)) * 8 >= 128 for match in matches)
        assert all(match.code is not None and len(match.code) == 6 for match in matches)


async def test_joining_by_code_again_a_day_later_gives_the_same_answer() -> None:
    """The code is gone and the match is packed: the request alone knows what it did."""
    clock = Hour()
    async with running_app(store=MemoryStore(clock)) as app:
        match, (host, friend) = await seated(app, 2)
        last = await guest(app)
        key = request("join")
        await app.matches.join(last, code=match.code, request=key)
        await play_out(app, match, [host, friend, last])
        await app.store.pack(match.id)
        clock.pass_seconds(CODE_KEPT // SECOND)
        again = await app.matches.join(last, code=match.code, request=key)
        assert (again.id, again.packed or again.is_over) == (match.id, True)
        with pytest.raises(NotFound):
            await app.matches.join(last, code=match.code, request=request("join"))
        with pytest.raises(RequestReused):
            await app.matches.join(last, code=match.code, request=type(key)(key.id, b"another"))


# ── Arrange ───────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_host_arranges_everything_while_it_sits_alone() -> None:
    async with running_app() as app:
        match, (host,) = await seated(app, 1, settings={"players": 4})
        stream = app.watching.watch(host, match.id, 0, 1)
        await anext(stream)
        wanted = Arrangement(
            title="  शुक्रबार  ", privacy=Privacy.PUBLIC, spectator_delay=5 * SECOND, start_rule=StartRule.BY_HOST,
            seating=SeatingRule.CHOSEN, disclosure=Disclosure.SHOWN_ONLY, settings={"players": 6, "rounds": 2},
        )  # fmt: skip
        arranged = await app.hosting.arrange(host, match.id, wanted, "1")
        assert (arranged.title, arranged.privacy, arranged.audience) == ("शुक्रबार", Privacy.PUBLIC, Audience.EVERYONE)
        assert (len(arranged.chairs), arranged.settings["rounds"], arranged.spectator_delay) == (6, 2, 5 * SECOND)
        assert arranged.commitment == engine.commitment(
            match=match.id, game=match.game, version=1, settings=arranged.settings, secret=arranged.secret
        )
        assert arranged.commitment != match.commitment
        step = await anext(stream)
        assert isinstance(step, Step)
        fields = ("audience", "disclosure", "privacy", "seating", "settings", "spectator_delay", "start_rule", "title")
        assert step.events == [MatchArranged(fields)]
        await stream.aclose()
        assert await app.matches.get(host, match.id) == arranged
        app.matches._live.forget(match.id)
        assert await app.matches.get(host, match.id) == arranged
        assert (await app.hosting.arrange(host, match.id, wanted)).revision == arranged.revision
        with pytest.raises(StaleRevision):
            await app.hosting.arrange(host, match.id, wanted, "1")
        private = await app.hosting.arrange(host, match.id, Arrangement(privacy=Privacy.PRIVATE))
        assert private.audience is Audience.MEMBERS


async def test_settings_may_be_changed_one_by_one() -> None:
    async with running_app() as app:
        match, (host,) = await seated(app, 1, settings={"players": 4, "rounds": 3})
        match = await app.hosting.arrange(
            host, match.id, Arrangement(settings={"players": 5, "rank": "Q"}, setting_names=("players",))
        )
        assert (match.settings["players"], match.settings["rounds"], match.settings["rank"]) == (5, 3, "J")
        match = await app.hosting.arrange(host, match.id, Arrangement(settings={}, setting_names=("rounds",)))
        assert (match.settings["players"], match.settings["rounds"]) == (5, 5)
        match = await app.hosting.arrange(host, match.id, Arrangement(settings={"players": 3}))
        assert (match.settings["players"], len(match.chairs)) == (3, 3)
        for wrong in ({"players": "4"}, {"nonsense": 1}):
            call = app.hosting.arrange(host, match.id, Arrangement(settings=wrong, setting_names=tuple(wrong)))
            assert await reason(call) == "BAD_SETTING"
        assert await reason(app.hosting.arrange(host, match.id, Arrangement(title="a\u202eb"))) == "NAME_INVALID"


async def test_what_others_have_sat_down_to_stays() -> None:
    async with running_app() as app:
        match, (host, _) = await seated(app, 2)
        for wanted in (Arrangement(settings={"players": 4}), Arrangement(disclosure=Disclosure.SHOWN_ONLY)):
            assert await reason(app.hosting.arrange(host, match.id, wanted)) == "OTHERS_SEATED"
        same = Arrangement(settings=match.settings, disclosure=Disclosure.FULL, title="Friday")
        assert (await app.hosting.arrange(host, match.id, same)).title == "Friday"


async def test_the_host_s_own_seat_may_not_be_arranged_away() -> None:
    async with running_app() as app:
        host = await guest(app)
        match = await app.matches.create(host, NewMatch(game="gulam_chor", settings={"players": 4}, seats=(3,)), None)
        assert await reason(app.hosting.arrange(host, match.id, Arrangement(settings={"players": 3}))) == "SEAT_TAKEN"


async def test_a_match_that_becomes_full_or_automatic_by_it_starts() -> None:
    async with running_app() as app:
        match, (host, _) = await seated(app, 2, start_rule=StartRule.BY_HOST)
        await app.matches.join(await guest(app), link=match.link)
        match = await app.hosting.arrange(host, match.id, Arrangement(start_rule=StartRule.AUTOMATIC))
        assert match.state is MatchState.PLAYING
        host = await guest(app)
        match = await app.matches.create(host, NewMatch(game="gulam_chor", settings={"players": 3}, seats=(0, 1)), None)
        match = await app.hosting.arrange(host, match.id, Arrangement(settings={"players": 2}))
        assert match.state is MatchState.PLAYING


async def test_of_two_changes_at_once_from_one_etag_one_is_stale() -> None:
    async with running_app() as app:
        match, (host,) = await seated(app, 1)
        done = await asyncio.gather(
            *(app.hosting.arrange(host, match.id, Arrangement(title=title), "1") for title in "ABC"),
            return_exceptions=True,
        )
        assert sorted(type(one).__name__ for one in done) == ["Match", "StaleRevision", "StaleRevision"]


# ── Seats ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def watch(stream: AsyncGenerator[Any]) -> list[Any]:
    """All that comes, to the end or the first step that is no seating."""
    got = []
    async for message in stream:
        got.append(message)
        if isinstance(message, End) or (isinstance(message, Step) and message.head is not None):
            break
    await stream.aclose()
    return got


async def test_seats_are_drawn_by_lot_from_the_secret_and_the_players_bytes() -> None:
    async with running_app() as app:
        orders = set()
        for number in range(12):
            people = [await guest(app, f"Guest {seat}") for seat in range(4)]
            new = NewMatch(game="gulam_chor", settings={"players": 4}, seats=(0,), seating=SeatingRule.RANDOM)
            match = await app.matches.create(people[0], new, None)
            for person in people[1:]:
                given = bytes([number]) * 16 if number % 2 else None
                match = await app.matches.join(person, link=match.link, contribution=given)
            before = engine.draw_seats(
                match=match.id, game=match.game, version=1, secret=match.secret,
                contributions=[None, *[bytes([number]) * 16 if number % 2 else None] * 3],
            )  # fmt: skip
            orders.add(before)
            assert [chair.account_id for chair in match.chairs] == [people[seat].account for seat in before]
            assert [chair.number for chair in match.chairs] == [0, 1, 2, 3]
            [entry] = await app.store.entries(match.id, match.revision - 1, 1)
            page = await app.records.page(people[0], match.id, None, 0, "")
            assert SeatsDrawn(before) in page.entries[-1].events
            assert entry.revision == 4
            app.matches._live.forget(match.id)
            again = await app.matches.get(people[0], match.id)
            assert [chair.account_id for chair in again.chairs] == [people[seat].account for seat in before]
            mine = again.seats_of(people[0].account)[0]
            assert (await app.playing.view(people[0], match.id, mine)).view is not None
        assert len(orders) > 3


async def test_streams_follow_their_people_to_the_seats_drawn() -> None:
    async with running_app() as app:
        people = [await guest(app, f"Guest {seat}") for seat in range(4)]
        new = NewMatch(
            game="gulam_chor", settings={"players": 4}, seats=(0,), seating=SeatingRule.RANDOM,
            start_rule=StartRule.BY_HOST,
        )  # fmt: skip
        match = await app.matches.create(people[0], new, None)
        for person in people[1:]:
            match = await app.matches.join(person, link=match.link)
        waiting = [
            asyncio.ensure_future(watch(app.watching.watch(person, match.id, seat, match.revision)))
            for seat, person in enumerate(people)
        ]
        await asyncio.sleep(0.01)
        started = await app.matches.start(people[0], match.id)
        for seat, (person, stream) in enumerate(zip(people, waiting, strict=True)):
            last = (await stream)[-1]
            [now] = started.seats_of(person.account)
            if now == seat:
                assert (type(last), last.revision) == (Step, started.revision)
                continue
            assert (last.cause, last.resume, last.seat) == (EndCause.SEAT_MOVED, True, now)
            assert last.revision == match.revision
            rest = await watch(app.watching.watch(person, match.id, now, last.revision))
            assert (type(rest[-1]), rest[-1].revision) == (Step, started.revision)
            whole = await watch(app.watching.watch(person, match.id, now, 0))
            assert [step.revision for step in whole] == list(range(1, started.revision + 1))


@pytest.mark.parametrize(
    ("rule", "moved"), [(SeatingRule.CHOSEN, 0), (SeatingRule.ROTATED, 1), (SeatingRule.RANDOM, 0)]
)
async def test_a_rematch_seats_people_by_the_rule(rule: SeatingRule, moved: int) -> None:
    async with running_app() as app:
        match, people = await seated(app, 2, seating=rule, settings={"rounds": 1})
        people.append(await guest(app))
        match = await app.matches.join(people[2], link=match.link)
        for person in people[:2]:
            await app.matches.resign(person, match.id, match.seats_of(person.account)[0])
        following = await app.matches.rematch(people[0], match.id)
        assert following.seating is rule
        for chair in match.chairs:
            assert following.chairs[(chair.number + moved) % 3].account_id == chair.account_id


# ── How many, and for how long ────────────────────────────────────────────────────────────────────────────────────────


async def test_an_account_hosts_so_many_open_matches_and_no_more() -> None:
    async with running_app(terms=Terms(open_at_most=3)) as app:
        host, friend = await guest(app), await guest(app)
        new = NewMatch(game="gulam_chor", settings={"players": 2}, seats=(0,))
        key = request("first")
        first = await app.matches.create(host, new, key)
        made = await asyncio.gather(*(app.matches.create(host, new, None) for _ in range(5)), return_exceptions=True)
        refused = [one for one in made if isinstance(one, Exhausted)]
        assert [(one.reason, one.values) for one in refused] == [("TOO_MANY_OPEN_MATCHES", {"limit": "3"})] * 3
        assert (await app.matches.create(host, new, key)).id == first.id
        await app.matches.join(friend, link=first.link)
        assert await reason(app.matches.create(host, new, None)) == "TOO_MANY_OPEN_MATCHES"
        assert (await app.matches.create(host, new, None, validate_only=True)).revision == 0
        await app.matches.create(friend, new, None)
        await app.matches.resign(host, first.id, 0)
        await app.matches.create(host, new, None)
        assert await reason(app.matches.rematch(host, first.id)) == "TOO_MANY_OPEN_MATCHES"


async def test_a_match_that_nobody_starts_expires_a_day_after_its_last_change() -> None:
    clock = Hour()
    async with running_app(store=MemoryStore(clock)) as app:
        match, (host, friend) = await seated(app, 2)
        assert (match.due_kind, match.due_at) == (DueKind.EXPIRE, clock.now + 86_400 * SECOND)
        await let_pass(app, clock, 86_399)
        assert await due(app) == []
        match = await app.matches.leave(friend, match.id)
        await let_pass(app, clock, 86_399)
        assert await due(app) == []
        stream = app.watching.watch(host, match.id, 0, match.revision)
        await anext(stream)
        await let_pass(app, clock, 1)
        assert await due(app) == [match.id]
        app.matches._live.forget(match.id)
        await app.chores.perform(match.id)
        step, end = await collect(stream, 99)
        assert step.events == [MatchClosed(EndReason.EXPIRED)]
        assert end.cause is EndCause.MATCH_OVER
        match = await app.matches.get(host, match.id)
        assert (match.state, match.due_at) == (MatchState.ABORTED, None)
        assert match.outcome is not None
        assert match.outcome.reason is EndReason.EXPIRED
        await app.chores.perform(match.id)
        assert (await app.matches.get(host, match.id)).revision == match.revision


async def test_a_match_that_was_changed_after_it_was_claimed_does_not_expire() -> None:
    clock = Hour()
    async with running_app(store=MemoryStore(clock)) as app:
        match, (host, friend) = await seated(app, 2)
        await let_pass(app, clock, 86_400)
        assert await due(app) == [match.id]
        await app.matches.leave(friend, match.id)
        await app.chores.perform(match.id)
        assert (await app.matches.get(host, match.id)).state is MatchState.SEATING


@pytest.mark.parametrize("ended_by", ["its people", "its host", "an operator", "a ban"])
async def test_a_match_that_has_ended_before_its_start_does_not_expire(ended_by: str) -> None:
    clock = Hour()
    async with running_app(store=MemoryStore(clock)) as app:
        match, (host,) = await seated(app, 1)
        if ended_by == "its people":
            await app.matches.leave(host, match.id)
        elif ended_by == "its host":
            await app.hosting.close(host, match.id)
        elif ended_by == "an operator":
            await app.operating.end_match(Operator(account_id=None), match.id, Ending.ABORT, reason="moving")
        else:
            await app.operating.ban(Operator(account_id=None), host.account, None, reason="cups")
            await app._decisions.settle()
        match = await app.matches.get(host, match.id)
        assert (match.state, match.due_at, match.due_kind, match.wake_at) == (MatchState.ABORTED, None, None, None)
        await let_pass(app, clock, 86_400)
        assert await due(app) == []
        await app.chores.perform(match.id)
        assert await app.matches.get(host, match.id) == match


async def test_without_a_limit_nothing_expires() -> None:
    async with running_app(terms=Terms(expire=0)) as app:
        match, _ = await seated(app, 1)
        assert (match.due_at, match.due_kind) == (None, None)
