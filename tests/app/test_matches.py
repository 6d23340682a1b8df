"""Matches: from the first chair to the rematch."""

import asyncio
from collections.abc import Collection

import msgspec
import pytest

from chautari.app.caller import Caller
from chautari.app.listing import Which
from chautari.app.live import restore
from chautari.app.new_matches import NewMatch, start_change
from chautari.app.values import Claims, DueKind, EndReason, MatchState, Privacy, SeatState, StartRule
from chautari.engine import Unreadable
from chautari.errors import Forbidden, Malformed, NotFound, RequestReused, Unavailable, WrongState
from tests.app.tables import guest, play_out, request, running_app, started


async def test_the_last_seat_starts_a_match() -> None:
    async with running_app() as app:
        match, _ = await started(app, "gulam_chor", 3)
        assert match.state is MatchState.PLAYING
        assert match.revision == 3


async def test_one_phone_may_hold_every_seat() -> None:
    async with running_app() as app:
        host = await guest(app)
        match = await app.matches.create(host, NewMatch(game="bluff", settings={"players": 3}, seats=(0, 1, 2)), None)
        assert match.state is MatchState.PLAYING
        assert match.revision == 1
        assert match.seats_of(host.account) == (0, 1, 2)


async def test_friends_join_by_code_or_link() -> None:
    async with running_app() as app:
        host, friend, other = [await guest(app) for _ in range(3)]
        match = await app.matches.create(host, NewMatch(game="gulam_chor", settings={"players": 3}, seats=(1,)), None)
        assert match.code is not None
        assert (await app.matches.find(friend, code=f" {match.code.lower()} ")).id == match.id
        joined = await app.matches.join(friend, code=match.code)
        assert joined.chairs[0].account_id == friend.account
        assert (await app.matches.join(friend, code=match.code)).revision == joined.revision
        assert (await app.matches.join(other, link=match.link)).state is MatchState.PLAYING


async def test_a_private_match_is_hidden_from_strangers() -> None:
    async with running_app() as app:
        host, stranger = await guest(app), await guest(app)
        match = await app.matches.create(host, NewMatch(game="gulam_chor", seats=(0,)), None)
        for call in (
            app.matches.get(stranger, match.id),
            app.matches.get(stranger, "nothing"),
            app.matches.join(stranger, match_id=match.id),
            app.matches.leave(stranger, match.id),
            app.matches.start(stranger, match.id),
            app.matches.resign(stranger, match.id, 0),
            app.matches.rematch(stranger, match.id),
            app.playing.view(stranger, match.id, None),
            app.playing.act(stranger, match.id, 0, "take"),
            app.records.page(stranger, match.id, None, 0, ""),
        ):
            with pytest.raises(Forbidden) as refused:
                await call
            assert refused.value.reason == "NO_ACCESS"


async def test_wrong_codes_full_tables_and_taken_seats_each_have_their_reason() -> None:
    async with running_app() as app:
        host, friend, other = [await guest(app) for _ in range(3)]
        match = await app.matches.create(
            host,
            NewMatch(game="gulam_chor", settings={"players": 2}, seats=(0,), start_rule=StartRule.BY_HOST),
            None,
        )
        with pytest.raises(NotFound, match="no match has this code"):
            await app.matches.join(friend, code="ZZZZZZ")
        with pytest.raises(NotFound):
            await app.matches.join(friend, link="nothing")
        with pytest.raises(WrongState) as taken:
            await app.matches.join(friend, link=match.link, seats=(0,))
        assert taken.value.reason == "SEAT_TAKEN"
        with pytest.raises(Malformed) as unknown:
            await app.matches.join(friend, link=match.link, seats=(2,))
        assert unknown.value.reason == "SEAT_UNKNOWN"
        await app.matches.join(friend, link=match.link)
        with pytest.raises(WrongState) as full:
            await app.matches.join(other, link=match.link)
        assert full.value.reason == "MATCH_FULL"
        assert (await app.matches.start(host, match.id)).state is MatchState.PLAYING
        with pytest.raises(WrongState) as late:
            await app.matches.join(other, link=match.link)
        assert late.value.reason == "MATCH_STARTED"


async def test_an_expired_code_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_app() as app:
        host, friend = await guest(app), await guest(app)
        match = await app.matches.create(host, NewMatch(game="gulam_chor", seats=(0,)), None)
        monkeypatch.setattr(app.store, "clock", lambda: match.code_expires_at)
        with pytest.raises(WrongState) as expired:
            await app.matches.join(friend, code=match.code)
        assert expired.value.reason == "CODE_EXPIRED"
        assert (await app.matches.join(friend, link=match.link)).seats_of(friend.account)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"players": "4"}, "players must be a whole number from 2 to 8, not '4'"),
        ({"players": 9}, "from 2 to 8"),
        ({"players": True}, "whole number"),
        ({"players": 2.5}, "whole number"),
        ({"rank": 2}, "one of A, 2, 3"),
        ({"colour": "red"}, "there is no setting 'colour'; there are players, rounds"),
        ({"pairing": None}, "one of rank, colour"),
    ],
)
async def test_settings_that_are_not_allowed_are_named(settings: dict[str, object], said: str) -> None:
    async with running_app() as app:
        host = await guest(app)
        with pytest.raises(Malformed) as refused:
            await app.matches.create(host, NewMatch(game="gulam_chor", settings=settings), None)
        assert refused.value.reason == "BAD_SETTING"
        assert refused.value.field == f"settings.{next(iter(settings))}"
        assert said in refused.value.message


async def test_an_unknown_game_is_refused() -> None:
    async with running_app() as app:
        with pytest.raises(Malformed) as refused:
            await app.matches.create(await guest(app), NewMatch(game="chess"), None)
        assert refused.value.reason == "GAME_UNKNOWN"


async def test_whoever_gets_up_frees_the_seat_and_hands_on_the_host() -> None:
    async with running_app() as app:
        host, friend = await guest(app), await guest(app)
        match = await app.matches.create(host, NewMatch(game="gulam_chor", seats=(0, 1)), None)
        await app.matches.join(friend, link=match.link)
        match = await app.matches.leave(host, match.id)
        assert [chair.state for chair in match.chairs][:3] == [SeatState.OPEN, SeatState.OPEN, SeatState.TAKEN]
        assert match.host == friend.account
        match = await app.matches.leave(friend, match.id)
        assert match.state is MatchState.ABORTED


async def test_a_host_without_a_seat_stays_the_host_until_it_leaves_itself() -> None:
    async with running_app() as app:
        host, friend = await guest(app), await guest(app)
        match = await app.matches.create(host, NewMatch(game="gulam_chor"), None)
        await app.matches.join(friend, link=match.link, count=2)
        match = await app.matches.leave(friend, match.id)
        assert (match.state, match.host) == (MatchState.SEATING, host.account)
        await app.matches.join(friend, link=match.link, count=2)
        match = await app.matches.leave(friend, match.id, (0,))
        assert (match.state, match.host) == (MatchState.SEATING, host.account)
        match = await app.matches.leave(host, match.id)
        assert match.host == friend.account
        assert await app.matches.get(friend, match.id) == match
        with pytest.raises(Forbidden):
            await app.matches.get(host, match.id)


async def test_a_host_whom_nobody_follows_aborts_the_match() -> None:
    async with running_app() as app:
        host = await guest(app)
        match = await app.matches.create(host, NewMatch(game="gulam_chor"), None)
        assert (await app.matches.leave(host, match.id)).state is MatchState.ABORTED


async def test_only_the_host_starts_and_only_a_full_table() -> None:
    async with running_app() as app:
        host, friend = await guest(app), await guest(app)
        match = await app.matches.create(
            host,
            NewMatch(game="gulam_chor", settings={"players": 2}, seats=(0,), start_rule=StartRule.BY_HOST),
            None,
        )
        with pytest.raises(WrongState) as open_seats:
            await app.matches.start(host, match.id)
        assert open_seats.value.reason == "SEATS_OPEN"
        await app.matches.join(friend, link=match.link)
        with pytest.raises(Forbidden) as not_host:
            await app.matches.start(friend, match.id)
        assert not_host.value.reason == "NOT_HOST"
        assert (await app.matches.start(host, match.id)).state is MatchState.PLAYING


async def test_a_repeated_creation_gives_the_same_match() -> None:
    async with running_app() as app:
        host = await guest(app)
        key = request("new")
        new = NewMatch(game="gulam_chor", seats=(0,))
        matches = await asyncio.gather(*(app.matches.create(host, new, key) for _ in range(3)))
        assert len({match.id for match in matches}) == 1
        with pytest.raises(RequestReused):
            await app.matches.create(host, new, type(key)(key.id, b"another"))
        other = await guest(app)
        assert (await app.matches.create(other, new, key)).id != matches[0].id


async def test_a_repeated_join_and_leave_take_effect_once() -> None:
    async with running_app() as app:
        host, friend = await guest(app), await guest(app)
        match = await app.matches.create(host, NewMatch(game="gulam_chor", seats=(0,)), None)
        key = request("join")
        joined = [await app.matches.join(friend, link=match.link, count=1, request=key) for _ in range(3)]
        assert [len(match.seats_of(friend.account)) for match in joined] == [1, 1, 1]
        key = request("leave")
        left = [await app.matches.leave(friend, match.id, request=key) for _ in range(2)]
        assert [match.revision for match in left] == [3, 3]


@pytest.mark.parametrize("privacy", Privacy)
async def test_a_join_repeated_after_leaving_or_removal_gets_its_first_answer(privacy: Privacy) -> None:
    async with running_app() as app:
        host, friend, other = await guest(app), await guest(app), await guest(app)
        new = NewMatch(game="bluff", settings={"players": 4}, seats=(0,), privacy=privacy)
        match = await app.matches.create(host, new, None)
        keys = request("join"), request("join")
        for person, key in zip((friend, other), keys, strict=True):
            joined = await app.matches.join(person, link=match.link, request=key)
            view = await app.playing.joined(person, joined, joined.seats_of(person.account)[0])
            assert view.match == joined
        await app.matches.leave(friend, match.id)
        await app.hosting.remove(host, match.id, other.account)
        for seat, (person, key) in enumerate(zip((friend, other), keys, strict=True), 1):
            again = await app.matches.join(person, link=match.link, request=key)
            assert (again.revision, again.seats_of(person.account)) == (1 + seat, (seat,))
            view = await app.playing.joined(person, again, seat)
            assert (view.match, view.seat, view.view, view.options) == (again, seat, None, [])
        assert (await app.matches.get(host, match.id)).seats_of(friend.account) == ()


async def test_with_one_side_left_the_match_ends_and_leavers_are_placed_behind() -> None:
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 3)
        await app.matches.resign(people[1], match.id, 1)
        with pytest.raises(WrongState) as twice:
            await app.matches.resign(people[1], match.id, 1)
        assert twice.value.reason == "SEAT_LEFT"
        match = await app.matches.resign(people[0], match.id, 0)
        assert match.state is MatchState.FINISHED
        assert match.outcome is not None
        assert match.outcome.placing == (2, 3, 1)
        assert match.outcome.reason is EndReason.RESIGNED


async def test_the_rules_play_for_a_seat_that_left() -> None:
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 3, rounds=1)
        await app.matches.resign(people[0], match.id, 0)
        async with asyncio.timeout(60):
            while not (state := await app.matches.get(people[1], match.id)).is_over:
                view = (await app.playing.view(people[1], match.id, 1)).view
                assert view is not None
                if view.must in ((), (0,)):
                    await asyncio.sleep(0.01)
                else:
                    await app.playing.act(people[view.must[0]], match.id, view.must[0], "take")
        assert state.state is MatchState.FINISHED
        assert state.outcome is not None
        assert state.outcome.placing[0] == 3
        assert state.outcome.reason is EndReason.PLAYED


async def test_what_is_due_is_done_after_a_claim_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chautari.app.chores._PAUSE_SECONDS", 0.01)
    async with running_app() as app:
        claimed, claim_due = asyncio.Event(), app.store.claim_due

        async def claim(kinds: Collection[DueKind], limit: int, lease: int) -> Claims:
            app.store.claim_due = claim_again  # type: ignore[method-assign]
            raise ZeroDivisionError

        async def claim_again(kinds: Collection[DueKind], limit: int, lease: int) -> Claims:
            claimed.set()
            return await claim_due(kinds, limit, lease)

        app.store.claim_due = claim  # type: ignore[method-assign]
        async with asyncio.timeout(60):
            await claimed.wait()


async def test_a_rematch_moves_everybody_on_by_one_seat() -> None:
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 3, rounds=1)
        with pytest.raises(WrongState):
            await app.matches.rematch(people[0], match.id)
        await play_out(app, match, people)
        again = await asyncio.gather(*(app.matches.rematch(person, match.id) for person in people))
        assert len({following.id for following in again}) == 1
        following = await app.matches.get(people[0], again[0].id)
        assert following.state is MatchState.PLAYING
        assert [chair.account_id for chair in following.chairs] == [
            people[2].account,
            people[0].account,
            people[1].account,
        ]
        assert following.settings == match.settings
        assert (await app.matches.get(people[1], match.id)).rematch == following.id
        assert (await app.matches.rematch(people[1], match.id)).id == following.id


async def test_a_rematch_keeps_the_seats_of_those_who_have_not_come_yet() -> None:
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 2, rounds=1)
        await play_out(app, match, people)
        following = await app.matches.rematch(people[0], match.id)
        assert [chair.state for chair in following.chairs] == [SeatState.HELD, SeatState.TAKEN]
        stranger = await guest(app)
        with pytest.raises(WrongState):
            await app.matches.join(stranger, link=following.link)


async def test_a_rematch_that_everybody_left_does_not_stand_in_the_way_of_another() -> None:
    async with running_app() as app:
        match, (host, friend) = await started(app, "gulam_chor", 2)
        await app.matches.resign(host, match.id, 0)
        key = request("rematch")
        first = await app.matches.rematch(host, match.id, request=key)
        left = await app.matches.leave(host, first.id)
        assert left.outcome is not None
        assert (left.outcome.aborted, left.outcome.reason) == (True, EndReason.DESERTED)
        assert (await app.matches.get(friend, match.id)).rematch is None
        second = await app.matches.rematch(friend, match.id)
        assert (second.state, second.host) == (MatchState.SEATING, friend.account)
        assert (await app.matches.get(host, match.id)).rematch == second.id
        assert (await app.matches.rematch(host, match.id, request=key)).id == first.id
        assert (await app.matches.rematch(host, match.id)).id == second.id


async def test_a_rematch_whose_code_is_taken_gets_another(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_app() as app:
        match, (host, friend) = await started(app, "gulam_chor", 2)
        other = await app.matches.create(friend, NewMatch(game="bluff"), None)
        await app.matches.resign(host, match.id, 0)
        monkeypatch.setattr("chautari.app.new_matches.new_code", lambda: other.code)
        following = await app.matches.rematch(host, match.id)
        assert following.code not in (None, other.code)


async def test_a_join_that_changes_nothing_takes_no_request_of_another_call() -> None:
    async with running_app() as app:
        host = await guest(app)
        key = request("create")
        match = await app.matches.create(host, NewMatch(game="gulam_chor", seats=(0,)), key)
        assert await app.matches.join(host, match_id=match.id, request=request("join")) == match
        with pytest.raises(RequestReused):
            await app.matches.join(host, match_id=match.id, request=type(key)(key.id, b"another"))


async def test_whoever_sits_gets_the_match_by_joining_it_again_also_when_it_has_started() -> None:
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 3)
        for ways in ({}, {"seats": (1,)}):
            for found in ({"match_id": match.id}, {"link": match.link}):
                again = await app.matches.join(people[1], **found, **ways)  # type: ignore[arg-type]
                assert (again, again.seats_of(people[1].account)) == (match, (1,))
        for wanted in ({"seats": (0,)}, {"seats": (1, 2)}, {"seats": (9,)}, {"count": 1}):
            with pytest.raises(WrongState) as refused:
                await app.matches.join(people[1], match_id=match.id, **wanted)
            assert refused.value.reason == "MATCH_STARTED"


async def test_lists_are_paged_and_their_tokens_belong_to_one_question() -> None:
    async with running_app() as app:
        host, other = await guest(app), await guest(app)
        made = [
            (await app.matches.create(host, NewMatch(game="gulam_chor", seats=(0,), privacy=Privacy.PUBLIC), None)).id
            for _ in range(5)
        ]
        found: list[str] = []
        token = ""
        for _ in range(3):
            page, token = await app.lists.page(host, Which.MINE, None, 2, token)
            found += [match.id for match in page]
        assert found == made[::-1]
        assert token == ""
        assert await app.lists.page(host, Which.OPEN, None, 2, "") == ([], "")
        _, token = await app.lists.page(other, Which.OPEN, None, 2, "")
        for wrong in (
            app.lists.page(other, Which.MINE, None, 2, token),
            app.lists.page(host, Which.OPEN, None, 2, token),
            app.lists.page(other, Which.OPEN, "bluff", 2, token),
            app.lists.page(other, Which.OPEN, None, 2, token[:-2] + "AA"),
            app.lists.page(other, Which.OPEN, None, 2, "!"),
        ):
            with pytest.raises(Malformed) as refused:
                await wrong
            assert refused.value.reason == "PAGE_TOKEN_INVALID"


async def test_the_list_of_my_turn_follows_the_turn() -> None:
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 2)

        async def whose() -> list[bool]:
            lists = [await app.lists.page(person, Which.MY_TURN, None, 0, "") for person in people]
            return [bool(found) for found, _ in lists]

        assert await whose() == [True, False]
        await app.playing.act(people[0], match.id, 0, "take")
        view = (await app.playing.view(people[0], match.id, 0)).view
        assert view is not None
        assert await whose() == [view.must == (0,), view.must == (1,)]


async def test_an_anonymous_caller_has_no_matches() -> None:
    async with running_app() as app:
        with pytest.raises(Exception, match="access token"):
            await app.matches.create(Caller(None), NewMatch(game="bluff"), None)


async def test_a_match_starts_by_the_rules_that_it_was_made_for_or_not_at_all() -> None:
    """Those of before are known no more, those of a newer release not yet."""
    async with running_app() as app:
        host = await guest(app)
        match = await app.matches.create(host, NewMatch(game="gulam_chor", seats=(0,)), None)
        older = msgspec.structs.replace(match, rules_version=match.rules_version - 1)
        with pytest.raises(NotFound) as forgotten:
            start_change(older, [], host.account, None, 0, chairs=True)
        assert forgotten.value.reason == "RULES_UNKNOWN"
        assert restore(older).position is None  # so that it can be closed, and expires
        newer = msgspec.structs.replace(match, rules_version=match.rules_version + 1)
        with pytest.raises(Unavailable) as told:
            restore(newer)
        assert told.value.reason == "MATCH_NEWER"


async def test_a_state_in_the_form_of_a_newer_release_is_left_to_it() -> None:
    """A damaged one is none of its."""
    async with running_app() as app:
        match, _ = await started(app, "gulam_chor", 3)
        assert match.snapshot is not None
        head = b"\x93\x01"
        assert match.snapshot.startswith(head)
        with pytest.raises(Unavailable) as told:
            restore(msgspec.structs.replace(match, snapshot=match.snapshot.replace(head, b"\x93\x02", 1)))
        assert told.value.reason == "MATCH_NEWER"
        with pytest.raises(Unreadable, match="schema 0"):
            restore(msgspec.structs.replace(match, snapshot=match.snapshot.replace(head, b"\x93\x00", 1)))
