"""What operators do: at the tables, to accounts and keys, and what the audit log has of it."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import msgspec
import pytest

from chautari import engine
from chautari.app import decisions, noting, operating
from chautari.app.audit import AuditQuestion
from chautari.app.caller import Caller
from chautari.app.events import MatchStopped, decode
from chautari.app.new_matches import NewMatch
from chautari.app.noting import Operator
from chautari.app.scopes import Scope
from chautari.app.searches import AccountQuestion, MatchQuestion
from chautari.app.service import App
from chautari.app.stopping import Ending
from chautari.app.updates import End, EndCause
from chautari.app.values import SECOND, Cause, EndReason, Match, MatchState, SeatState, StartRule
from chautari.errors import (
    ChautariError,
    Forbidden,
    Malformed,
    NotFound,
    RequestReused,
    Unauthenticated,
    WrongState,
)
from chautari.store.memory import MemoryStore
from tests.app.tables import guest, has_left, legal_action, request, running_app, started
from tests.waiting import until

OPERATOR = Operator(account_id="op", key_id="k1", origin="10.0.0.1", scopes=frozenset({Scope.OPERATE, Scope.READ}))
REVEALER = msgspec.structs.replace(OPERATOR, scopes=frozenset(Scope))
WHY = "they throw cups"


async def noted(app: App, **question: str) -> list[tuple[str, str, str]]:
    """Method, target and outcome of the entries of the log, the first first."""
    entries = await app.store.notes(AuditQuestion(**question), None, 1000)
    return [(entry.note.method, entry.note.target, entry.note.outcome) for entry in reversed(entries)]


async def last_of(stream: AsyncGenerator[Any]) -> list[Any]:
    """All that a stream brings until it ends."""
    async with asyncio.timeout(20):
        return [message async for message in stream]


async def get(app: App, match: Match, caller: Caller) -> Match:
    """The match now."""
    return await app.matches.get(caller, match.id)


# ── Ending a match ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("ending", "state"), [(Ending.ABORT, MatchState.ABORTED), (Ending.AS_IT_STANDS, MatchState.FINISHED)]
)
async def test_a_match_that_is_ended_tells_all_who_watch_and_why(ending: Ending, state: MatchState) -> None:
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 3)
        watching = asyncio.create_task(last_of(app.watching.watch(people[1], match.id, 1, match.revision)))
        await asyncio.sleep(0)
        ended = await app.operating.end_match(
            OPERATOR, match.id, ending, reason=WHY, note="  The server\x1b[31m moves at  8 "
        )
        assert (ended.state, ended.revision) == (state, match.revision + 1)
        assert ended.outcome is not None
        assert (ended.outcome.reason, ended.outcome.note) == (EndReason.OPERATOR, "The server [31m moves at 8")
        assert ended.outcome.aborted == (ending is Ending.ABORT)
        step, end = [message for message in await watching if not hasattr(message, "at") or hasattr(message, "events")]
        assert step.cause is Cause.OPERATOR
        assert step.events[0] == MatchStopped("The server [31m moves at 8", ending is Ending.ABORT)
        assert isinstance(step.events[-1], engine.MatchEnded)
        assert isinstance(end, End)
        assert end.cause is EndCause.MATCH_OVER
        assert (await get(app, match, people[0])).outcome == ended.outcome
        with pytest.raises(ChautariError, match="has ended"):
            await app.playing.act(people[0], match.id, 0, "take")
        assert WHY not in repr(ended), "the reason is for operators"
        entry = (await app.store.notes(AuditQuestion(), None, 1))[0]
        assert entry.note.reason == WHY
        assert entry.note.detail["ending"] == ending.value
        journal = await app.store.entries(match.id, match.revision, 9)
        assert [(one.cause, one.account_id) for one in journal] == [(Cause.OPERATOR, None)]


async def test_who_left_before_a_match_was_ended_is_placed_behind() -> None:
    async with running_app() as app:
        match, people = await started(app, "bluff", 4)
        await app.matches.resign(people[2], match.id, 2)
        ended = await app.operating.end_match(OPERATOR, match.id, Ending.AS_IT_STANDS, reason=WHY)
        assert ended.outcome is not None
        assert ended.outcome.placing[2] == 4


async def test_a_match_that_has_not_started_is_aborted_only() -> None:
    async with running_app() as app:
        host = await guest(app)
        match = await app.matches.create(host, NewMatch(game="bluff", settings={"players": 3}, seats=(0,)), None)
        with pytest.raises(WrongState, match="not started"):
            await app.operating.end_match(OPERATOR, match.id, Ending.AS_IT_STANDS, reason=WHY)
        ended = await app.operating.end_match(OPERATOR, match.id, Ending.ABORT, reason=WHY, note="नमस्ते")
        assert (ended.state, ended.due_kind) == (MatchState.ABORTED, None)
        assert ended.outcome is not None
        assert ended.outcome.note == "नमस्ते"
        with pytest.raises(WrongState, match="has ended"):
            await app.operating.end_match(OPERATOR, match.id, Ending.ABORT, reason=WHY)
        target = f"matches/{match.id}"
        assert await noted(app) == [
            ("EndMatch", target, "MATCH_NOT_STARTED"), ("EndMatch", target, "OK"), ("EndMatch", target, "MATCH_OVER")
        ]  # fmt: skip


async def test_what_changes_something_wants_a_reason() -> None:
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 3)
        account = people[0].account
        use = app.operating
        for reason in ("", " \t\n\u200b"):
            for refused in (
                use.end_match(OPERATOR, match.id, Ending.ABORT, reason=reason),
                use.ban(OPERATOR, account, None, reason=reason),
                use.lift_ban(OPERATOR, account, reason=reason),
                app.signing_keys.rotate(OPERATOR, reason=reason),
                app.signing_keys.revoke(OPERATOR, "kid", reason=reason),
                use.inspect(REVEALER, match.id, reveal=True, reason=reason),
            ):
                with pytest.raises(Malformed) as missing:
                    await refused
                assert missing.value.reason == "REASON_MISSING"
        assert len(await noted(app)) == 12
        assert {outcome for _, _, outcome in await noted(app)} == {"REASON_MISSING"}
        assert not (await get(app, match, people[0])).is_over


# ── Looking ───────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_hidden_cards_are_shown_only_for_a_reason_to_who_may_reveal() -> None:
    async with running_app() as app:
        match, people = await started(app, "gulam_chor", 3)
        file = await app.operating.inspect(OPERATOR, match.id)
        assert file.position is None
        assert file.view == (await app.playing.view(people[0], match.id, None)).view
        onlooker = await app.records.page(people[0], match.id, None, 0, "")
        assert file.recent == onlooker.entries[-operating.RECENT :]
        assert not any(item.shuffles for item in file.recent)
        with pytest.raises(Forbidden) as forbidden:
            await app.operating.inspect(OPERATOR, match.id, reveal=True, reason=WHY)
        assert forbidden.value.values == {"scope": "reveal"}
        whole = await app.operating.inspect(REVEALER, match.id, reveal=True, reason=WHY)
        assert whole.position is not None
        mine = (await app.playing.view(people[0], match.id, 0)).view
        assert mine is not None
        [hand] = [zone for zone in mine.zones if zone.name == "hand.0"]
        assert sorted(whole.position.zones["hand.0"]) == sorted(hand.cards or ())
        assert whole.recent[-1].shuffles
        with pytest.raises(NotFound):
            await app.operating.inspect(OPERATOR, "nothing")
        assert [outcome for _, _, outcome in await noted(app)] == ["OK", "SCOPE_MISSING", "OK", "MATCH_UNKNOWN"]
        entries = await app.store.notes(AuditQuestion(), None, 9)
        assert [(entry.note.detail, entry.note.reason) for entry in reversed(entries)][:3] == [
            ({}, ""), ({"reveal": "true"}, WHY), ({"reveal": "true"}, WHY)
        ]  # fmt: skip


async def test_nothing_is_revealed_that_cannot_be_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_app() as app:
        match, _ = await started(app, "gulam_chor", 3)

        async def full(_: object) -> None:
            raise Unauthenticated("STORAGE_FULL", "no room")

        monkeypatch.setattr(app.store, "note", full)
        with pytest.raises(ChautariError, match="no room"):
            await app.operating.inspect(REVEALER, match.id, reveal=True, reason=WHY)


async def test_the_latest_entries_are_shown_and_their_shuffles_counted_from_the_first() -> None:
    async with running_app() as app:
        match, people = await started(app, "jutpatti", 2, target=1)
        while not (state := await get(app, match, people[0])).is_over and state.revision < 40:
            seat, action = await legal_action(app, match, people)
            await app.playing.act(people[seat], match.id, seat, action)
        file = await app.operating.inspect(REVEALER, match.id, reveal=True, reason=WHY)
        first = max(1, state.revision - 19)
        assert [item.revision for item in file.recent] == list(range(first, state.revision + 1))
        entries = await app.store.entries(match.id, 0, 99)
        shuffles = [
            entry.revision for entry in entries for event in decode(entry.events) if isinstance(event, engine.Shuffled)
        ]
        shown = {(number, item.revision) for item in file.recent for number, _ in item.shuffles}
        assert shown == {(number, revision) for number, revision in enumerate(shuffles) if revision >= first}


async def test_lists_are_paged_and_a_token_is_good_for_its_question_only() -> None:
    async with running_app() as app:
        people = [await guest(app, f"Sita {number}") for number in range(5)]
        for person in people:
            await app.matches.create(person, NewMatch(game="bluff", settings={"players": 3}, seats=(0,)), None)
        found, token = await app.operating.find_accounts(OPERATOR, AccountQuestion(name_prefix="SITA"), 2)
        names = [row.account.display_name for row in found]
        while token:
            found, token = await app.operating.find_accounts(OPERATOR, AccountQuestion(name_prefix="SITA"), 2, token)
            names += [row.account.display_name for row in found]
        assert names == [f"Sita {number}" for number in range(5)]
        matches, token = await app.operating.find_matches(OPERATOR, MatchQuestion(state=MatchState.SEATING), 3)
        rest, end = await app.operating.find_matches(OPERATOR, MatchQuestion(state=MatchState.SEATING), 3, token)
        assert len({match.id for match in matches + rest}) == 5
        assert not end
        with pytest.raises(Malformed):
            await app.operating.find_matches(OPERATOR, MatchQuestion(), 3, token)
        first, token = await app.operating.audit(OPERATOR, AuditQuestion(method="FindAccounts"), 2)
        second, end = await app.operating.audit(OPERATOR, AuditQuestion(method="FindAccounts"), 2, token)
        assert [entry.number for entry in first + second] == [3, 2, 1]
        assert not end
        assert (await app.operating.check_audit(OPERATOR)).broken == 0


# ── Bans ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_who_is_banned_is_shut_out_and_comes_back_with_its_tokens() -> None:
    async with running_app() as app:
        signed_in = await app.accounts.create_guest("Sita", "ne")
        account = signed_in.account.id
        await app.accounts.authenticate(signed_in.tokens.access)
        ban = await app.operating.ban(OPERATOR, account, None, reason=WHY)
        assert (ban.until, ban.reason) == (None, WHY)
        for call in (
            lambda: app.accounts.authenticate(signed_in.tokens.access),
            lambda: app.accounts.refresh(signed_in.tokens.refresh),
        ):
            with pytest.raises(Forbidden, match="for good") as banned:
                await call()
            assert (banned.value.reason, banned.value.values) == ("ACCOUNT_BANNED", {})
        until_when = app.store.clock() + 3600 * SECOND
        await app.operating.ban(OPERATOR, account, until_when, reason=WHY)
        with pytest.raises(Forbidden, match="until 20") as banned:
            await app.accounts.authenticate(signed_in.tokens.access)
        assert banned.value.values["until"].endswith("Z")
        [row] = (await app.operating.find_accounts(OPERATOR, AccountQuestion(banned=True)))[0]
        assert row.ban is not None
        await app.operating.lift_ban(OPERATOR, account, reason="said sorry")
        assert (await app.accounts.authenticate(signed_in.tokens.access)).account_id == account
        assert (await app.accounts.refresh(signed_in.tokens.refresh)).access
        with pytest.raises(WrongState, match="not banned"):
            await app.operating.lift_ban(OPERATOR, account, reason="again")
        with pytest.raises(NotFound):
            await app.operating.lift_ban(OPERATOR, "nobody", reason="again")


async def test_a_ban_is_over_by_itself() -> None:
    now = [1_790_000_000 * SECOND]
    async with running_app(store=MemoryStore(lambda: now[0])) as app:
        who = await guest(app)
        await app.operating.ban(OPERATOR, who.account, now[0] + 60 * SECOND, reason=WHY)
        assert app.bans.find(who.account) is not None
        assert app.bans.count() == 1
        now[0] += 61 * SECOND
        app.bans.check(who.account)
        assert app.bans.count() == 0


async def test_nobody_is_banned_for_the_past_or_without_being_there() -> None:
    async with running_app() as app:
        who, gone = await guest(app), await guest(app)
        await app.closings.delete(gone, "me")
        for wrong, reason in (
            ((who.account, app.store.clock() - 1), "REQUEST_INVALID"),
            ((who.account, 2**62), "REQUEST_INVALID"),
            ((who.account, -(2**60)), "REQUEST_INVALID"),
            (("nobody", None), "ACCOUNT_UNKNOWN"),
            ((gone.account, None), "ACCOUNT_UNKNOWN"),
            (("op", None), "OWN_ACCOUNT"),
        ):
            with pytest.raises(ChautariError) as refused:
                await app.operating.ban(OPERATOR, *wrong, reason=WHY)
            assert refused.value.reason == reason
        assert app.bans.count() == 0


async def test_the_seats_of_who_is_banned_are_played_by_the_rules_or_free_again() -> None:
    async with running_app() as app:
        match, people = await started(app, "jutpatti", 3)
        banned = people[1]
        by_host = NewMatch(game="bluff", settings={"players": 3}, seats=(0,), start_rule=StartRule.BY_HOST)
        hosted = await app.matches.create(banned, by_host, None)
        await app.matches.join(people[0], link=hosted.link)
        alone = await app.matches.create(banned, by_host, None)
        joined = await app.matches.create(people[2], by_host, None)
        await app.matches.join(banned, link=joined.link)
        over, _ = await started(app, "gulam_chor", 3)
        await app.operating.ban(OPERATOR, banned.account, None, reason=WHY)

        async def given_up() -> bool:
            return not [one for one in await app.store.standings(banned.account, 9) if one.match_id != match.id]

        await until(given_up)
        await until(lambda: has_left(app, match, 1))
        assert [chair.state for chair in (await get(app, match, people[0])).chairs] == [
            SeatState.TAKEN, SeatState.LEFT, SeatState.TAKEN
        ]  # fmt: skip
        assert (await get(app, joined, people[2])).seats_of(banned.account) == ()
        assert (await get(app, hosted, people[0])).host == people[0].account
        assert (await app.store.find_match(alone.id) or alone).is_over
        assert not (await app.store.find_match(over.id) or over).is_over
        causes = [entry.cause for entry in await app.store.entries(match.id, match.revision, 99)]
        assert Cause.ABANDONED in causes


async def test_streams_of_who_is_banned_end() -> None:
    async with running_app(heartbeat_seconds=60) as app:
        match, people = await started(app, "gulam_chor", 3)
        streams = [
            asyncio.create_task(last_of(app.watching.watch(people[1], match.id, 1, None))),
            asyncio.create_task(last_of(app.watching.watch_mine(people[1]))),
        ]
        other = asyncio.create_task(last_of(app.watching.watch(people[0], match.id, 0, None)))
        await asyncio.sleep(0.05)
        await app.operating.ban(OPERATOR, people[1].account, None, reason=WHY)
        for stream in streams:
            end = (await stream)[-1]
            assert isinstance(end, End)
            assert (end.cause, end.resume) == (EndCause.BANNED, False)
        assert not other.done()
        other.cancel()


async def test_a_ban_is_carried_out_by_whoever_comes_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process ended between the ban and the tables: the next one gives up the seats."""
    store = MemoryStore()
    async with running_app(store=store) as app:
        match, people = await started(app, "jutpatti", 3)
        monkeypatch.setattr(decisions.Decisions, "settle", nothing)
        await app.operating.ban(OPERATOR, people[1].account, None, reason=WHY)
        await asyncio.sleep(0.05)
        assert (await get(app, match, people[0])).chairs[1].state is SeatState.TAKEN
    monkeypatch.undo()
    store._closed = False
    async with running_app(store=store) as app:
        await until(lambda: has_left(app, match, 1))
        with pytest.raises(Forbidden):
            app.bans.check(people[1].account)


async def nothing(_: object) -> None:
    """Does nothing."""


async def test_who_sits_down_in_the_moment_of_its_ban_loses_the_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that was let in before the ban ends after it: the seats are looked for again."""
    monkeypatch.setattr(decisions, "_LOOK_SECONDS", 0.02)
    async with running_app() as app:
        who, host = await guest(app), await guest(app)
        match = await app.matches.create(host, NewMatch(game="bluff", settings={"players": 3}, seats=(0,)), None)
        await app.operating.ban(OPERATOR, who.account, None, reason=WHY)
        await asyncio.sleep(0.1)
        await app.matches.join(who, link=match.link)

        async def up_again() -> bool:
            return (await get(app, match, host)).seats_of(who.account) == ()

        await until(up_again)
        assert app.bans.pending(), "it is looked for again as long as such a call may run"
        monkeypatch.setattr(decisions, "_SETTLED_AFTER", 0)

        async def settled() -> bool:
            return not app.bans.pending()

        await until(settled)


async def test_another_process_learns_of_bans_and_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decisions, "_LOOK_SECONDS", 0.02)
    store = MemoryStore()
    async with running_app(store=store) as here, running_app(store=store) as there:
        signed_in = await here.accounts.create_guest("Sita", "ne")
        token = signed_in.tokens.access
        assert (await there.accounts.authenticate(token)).account_id == signed_in.account.id
        await here.operating.ban(OPERATOR, signed_in.account.id, None, reason=WHY)

        async def refused() -> bool:
            try:
                await there.accounts.authenticate(token)
            except (Forbidden, Unauthenticated):
                return True
            return False

        await until(refused)
        await here.operating.lift_ban(OPERATOR, signed_in.account.id, reason=WHY)

        async def let_in() -> bool:
            return not await refused()

        await until(let_in)
        [key] = await here.signing_keys.list_keys(OPERATOR)
        await here.signing_keys.revoke(OPERATOR, key.kid, reason="stolen")
        with pytest.raises(Unauthenticated):
            await here.accounts.authenticate(token)
        await until(refused)


# ── Keys ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_new_key_signs_at_once_and_tokens_of_the_older_hold() -> None:
    async with running_app() as app:
        before = (await app.accounts.create_guest("Sita", "ne")).tokens.access
        keys = await app.signing_keys.rotate(OPERATOR, reason="as every month")
        assert len(keys) == 2
        assert keys[1].expires_at < keys[0].expires_at
        after = (await app.accounts.create_guest("Hari", "ne")).tokens.access
        assert [key["kid"] for key in await app.accounts.public_keys()] == [key.kid for key in keys]
        for token in (before, after):
            await app.accounts.authenticate(token)
        await app.signing_keys.revoke(OPERATOR, keys[1].kid, reason="lost")
        with pytest.raises(Unauthenticated) as refused:
            await app.accounts.authenticate(before)
        assert refused.value.reason == "TOKEN_INVALID"
        await app.accounts.authenticate(after)
        with pytest.raises(NotFound):
            await app.signing_keys.revoke(OPERATOR, keys[1].kid, reason="lost")
        left = await app.signing_keys.revoke(OPERATOR, keys[0].kid, reason="lost too")
        assert len(left) == 1
        assert left[0].kid not in {key.kid for key in keys}
        with pytest.raises(Unauthenticated):
            await app.accounts.authenticate(after)
        await app.accounts.authenticate((await app.accounts.create_guest("Gita", "ne")).tokens.access)


# ── Once, and who is noted ────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_repeated_request_takes_effect_once() -> None:
    async with running_app() as app:
        who = await guest(app)
        match, _ = await started(app, "gulam_chor", 3)
        ends, bans, keys = request("end"), request("ban"), request("keys")
        for _ in range(3):
            ended = await app.operating.end_match(OPERATOR, match.id, Ending.ABORT, reason=WHY, request=ends)
            assert (ended.state, ended.revision) == (MatchState.ABORTED, match.revision + 1)
            assert len(await app.signing_keys.rotate(OPERATOR, reason=WHY, request=keys)) == 2
        ban = await app.operating.ban(OPERATOR, who.account, None, reason=WHY, request=bans)
        await app.operating.lift_ban(OPERATOR, who.account, reason=WHY)
        assert (await app.operating.ban(OPERATOR, who.account, None, reason=WHY, request=bans)).reason == ban.reason
        assert app.bans.count() == 0, "the repeat has not banned again"
        with pytest.raises(RequestReused):
            await app.operating.ban(
                OPERATOR, who.account, None, reason=WHY, request=msgspec.structs.replace(bans, digest=bytes(32))
            )
        outcomes = [outcome for _, _, outcome in await noted(app)]
        assert (outcomes.count("REPEATED"), outcomes[-1]) == (5, "REQUEST_ID_REUSED")


async def test_twins_at_once_take_effect_once() -> None:
    async with running_app() as app:
        match, _ = await started(app, "gulam_chor", 3)
        key = request("end")
        ended = await asyncio.gather(
            *(app.operating.end_match(OPERATOR, match.id, Ending.ABORT, reason=WHY, request=key) for _ in range(4))
        )
        assert {one.revision for one in ended} == {match.revision + 1}
        who, ban = await guest(app), request("ban")
        bans = await asyncio.gather(
            *(app.operating.ban(OPERATOR, who.account, None, reason=WHY, request=ban) for _ in range(4))
        )
        assert len(set(bans)) == 1, "each is told of the same ban, to the moment"
        outcomes = [outcome for _, _, outcome in await noted(app)]
        assert (outcomes.count("OK"), outcomes.count("REPEATED")) == (2, 6)


async def test_who_is_no_operator_cannot_fill_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_app() as app:
        note = app.operating.noting
        for _ in range(5):
            await note.refused(Caller("sita"), "BanAccount", "SCOPE_MISSING")
            await note.refused(Caller(None), "BanAccount", "TOKEN_MISSING")
            await note.refused(None, "BanAccount", "TOKEN_MISSING")
        await note.refused(Caller("sita"), "EndMatch", "SCOPE_MISSING")
        assert await noted(app) == [("BanAccount", "", "SCOPE_MISSING"), ("EndMatch", "", "SCOPE_MISSING")]
        monkeypatch.setattr(noting, "_DOOR_ENTRIES", 4)
        for number in range(10):
            await note.refused(Caller(f"guest{number}"), "BanAccount", "SCOPE_MISSING")
        assert len(await noted(app)) == 4
        for _ in range(3):
            await note.refused(Caller("op", scopes=frozenset({Scope.OPERATE})), "EndMatch", "REQUEST_INVALID")
        assert len(await noted(app)) == 7
