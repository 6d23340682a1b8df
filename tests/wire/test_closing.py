"""Accounts that are merged or deleted: what becomes of their matches, streams and records, and of their sign-ins."""

import asyncio
from contextlib import suppress
from typing import Any

import pytest

from chautari.app.account_values import Account, AccountKind
from chautari.app.accounts import SignedIn
from chautari.app.caller import Caller
from chautari.app.closing import DELETED_NAME
from chautari.app.events import SeatHanded
from chautari.app.keys import NewKey
from chautari.app.new_matches import NewMatch
from chautari.app.scopes import Scope
from chautari.app.service import App
from chautari.app.values import SECOND, Match, MatchState, SeatState
from chautari.errors import ChautariError
from chautari.v1 import accounts_pb2, event_pb2
from chautari.wire.convert.accounts import account_to_proto
from chautari.wire.records.verify import verify
from tests.app.tables import collect, guest, request, running_app
from tests.wire.recorded import Played, sitting
from tests.wire.served import serving


async def reason(awaitable: Any) -> str:
    """The reason of a refusal."""
    with pytest.raises(ChautariError) as refused:
        await awaitable
    return refused.value.reason


async def signed_in(app: App, name: str = "Sita") -> tuple[Caller, SignedIn]:
    """A guest with its tokens."""
    guest = await app.accounts.create_guest(name, "ne")
    identity = await app.accounts.authenticate(guest.tokens.access)
    return Caller(guest.account.id, sign_in=identity.sign_in), guest


async def take_over(match: Played, seat: int) -> SignedIn:
    """Gives the holder of a seat a sign-in of its own, which is what tests have of it."""
    account = await match.app.accounts.get(match.people[seat], "me")

    async def keep(token: Any) -> Any:
        await match.app.store.add_token(token)
        return account

    return await match.app.accounts.sign_in_kept(account, keep)


async def settled(app: App) -> None:
    """Waits until what a call began behind its answer is done."""
    await asyncio.gather(*app.closings._tasks)


async def match_of(app: App, match: Match) -> Match:
    """A match as the store has it, and as the cache does."""
    stored = await app.store.find_match(match.id)
    live = await app.matches._live.load(match.id)
    assert stored is not None
    assert live is not None
    assert (live.match.chairs, live.match.host) == (stored.chairs, stored.host)
    return stored


# ── Merged ────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_guest_s_seats_go_on_under_the_account_it_is_merged_into() -> None:
    async with sitting("bluff") as played:
        app = played.app
        survivor, _ = await signed_in(app, "Gita")
        await played.go_on(5)
        before = (await match_of(app, played.match)).revision
        other = await take_over(played, 0)
        account = await app.closings.merge(survivor, "me", other.tokens.access)
        assert account.id == survivor.account
        match = await match_of(app, played.match)
        assert match.revision == before + 1
        assert (match.host, match.chairs[0].account_id) == (survivor.account, survivor.account)
        assert match.chairs[0].display_name == played.match.chairs[0].display_name
        old, played.people[0] = played.people[0], survivor
        assert await app.store.standings(old.account, 9) == []
        assert [one.match_id for one in await app.store.standings(survivor.account, 9)] == [match.id]
        await played.go_on()
        record = await played.record()
        assert verify(record).differences == []
        [handed] = [event for entry in record.entries for event in entry.events if event.HasField("seat_handed")]
        assert handed.seat_handed == event_pb2.SeatHanded(seat=0, account=f"accounts/{survivor.account}")
        assert await reason(app.playing.view(old, match.id, 0)) in ("NO_ACCESS", "NOT_SEATED")


async def test_whatever_is_wrong_with_a_handed_seat_is_found() -> None:
    async with sitting("bluff") as played:
        survivor, _ = await signed_in(played.app)
        await played.app.closings.merge(survivor, "me", (await take_over(played, 1)).tokens.access)
        played.people[1] = survivor
        await played.go_on()
        record = await played.record()
        [entry] = [one for one in record.entries if any(event.HasField("seat_handed") for event in one.events)]
        for account, seat in (("accounts/other", 1), ("", 1), (f"accounts/{survivor.account}", 0), (entry.account, 1)):
            wrong = type(record).FromString(record.SerializeToString())
            changed = wrong.entries[entry.revision - 1].events[0].seat_handed
            changed.account, changed.seat = account, seat
            assert not verify(wrong).holds


async def test_both_in_one_match_make_a_hot_seat() -> None:
    async with sitting("bluff") as played:
        app = played.app
        survivor = played.people[1]
        await app.closings.merge(survivor, "me", (await take_over(played, 0)).tokens.access)
        match = await match_of(app, played.match)
        assert match.seats_of(survivor.account) == (0, 1)
        played.people[0] = survivor
        await played.go_on()
        assert verify(await played.record()).differences == []


async def test_watchers_are_told_of_the_seat_without_a_gap() -> None:
    async with sitting("bluff") as played:
        app = played.app
        other = await take_over(played, 0)
        survivor, _ = await signed_in(app)
        stream = app.watching.watch(played.people[1], played.match.id, 1, None)
        await anext(stream)
        await app.closings.merge(survivor, "me", other.tokens.access)
        async with asyncio.timeout(30):
            step = await anext(stream)
        assert SeatHanded(0, survivor.account) in step.events  # type: ignore[union-attr]
        await stream.aclose()


async def test_matches_that_are_seating_held_or_over_go_along() -> None:
    async with sitting("bluff") as played:
        app, old = played.app, played.people[0]
        await played.go_on()
        rematch = await app.matches.rematch(played.people[1], played.match.id)
        assert rematch.chairs[[c.account_id for c in rematch.chairs].index(old.account)].state is SeatState.HELD
        hosted = await app.matches.create(old, NewMatch(game="bluff"), request())
        survivor, _ = await signed_in(app)
        await app.closings.merge(survivor, "me", (await take_over(played, 0)).tokens.access)
        await settled(app)
        assert (await match_of(app, hosted)).host == survivor.account
        held = next(c for c in (await match_of(app, rematch)).chairs if c.account_id == survivor.account)
        assert held.state is SeatState.HELD
        over = await match_of(app, played.match)
        assert over.seats_of(survivor.account) == (0,)
        played.people[0] = survivor
        record = await played.record()
        assert verify(record).differences == []
        assert old.account not in str(record)
        mine, _ = await app.lists.page(survivor, "mine", None, 0, "")  # type: ignore[arg-type]
        assert {match.id for match in mine} == {played.match.id, rematch.id, hosted.id}
        await app.matches.join(survivor, match_id=rematch.id)


async def test_a_packed_match_goes_along_and_its_record_holds() -> None:
    async with sitting("kitti") as played:
        app, old = played.app, played.people[0]
        await played.go_on()
        await app.store.pack(played.match.id)
        survivor, _ = await signed_in(app)
        await app.closings.merge(survivor, "me", (await take_over(played, 0)).tokens.access)
        await settled(app)
        played.people[0] = survivor
        record = await played.record()
        assert verify(record).differences == []
        assert old.account not in str(record)


async def test_identities_keys_and_names_go_along_and_sign_ins_end() -> None:
    async with running_app() as app:
        old, guest_ = await signed_in(app)
        key = await app.keys.create(old, "me", NewKey("Bot", frozenset({Scope.PLAY})), None)
        assert (await app.accounts.authenticate(key.secret)).account_id == old.account
        survivor, mine = await signed_in(app, "Gita")
        await app.closings.merge(survivor, "me", guest_.tokens.access)
        for token in (guest_.tokens.access,):
            assert await reason(app.accounts.authenticate(token)) == "TOKEN_INVALID"
        assert await reason(app.accounts.refresh(guest_.tokens.refresh)) == "TOKEN_INVALID"
        assert (await app.accounts.authenticate(key.secret)).account_id == survivor.account
        assert [one.id for one in (await app.keys.list_keys(survivor, "me", 0, ""))[0]] == [key.key.id]
        await app.accounts.authenticate(mine.tokens.access)
        assert (await app.accounts.get(survivor, old.account)).id == survivor.account
        assert await reason(app.matches.create(old, NewMatch(game="bluff"), None)) == "ACCOUNT_UNKNOWN"
        third, _ = await signed_in(app, "Hari")
        await app.closings.merge(third, "me", mine.tokens.access)
        assert (await app.accounts.get(third, old.account)).id == third.account
        assert await reason(app.accounts.update(old, "me", "Ghost", None)) == "TOKEN_INVALID"
        assert (await app.accounts.get(third, old.account)).display_name == "Hari"


async def test_a_merge_may_be_repeated_and_both_must_be_proven() -> None:
    async with running_app() as app:
        old, guest_ = await signed_in(app)
        survivor, mine = await signed_in(app, "Gita")
        key = await app.keys.create(old, "me", NewKey("Bot", frozenset({Scope.PLAY})), None)
        assert await reason(app.closings.merge(survivor, "me", key.secret)) == "SIGN_IN_NEEDED"
        assert await reason(app.closings.merge(survivor, "me", "nonsense")) == "TOKEN_INVALID"
        assert await reason(app.closings.merge(survivor, "me", mine.tokens.access)) == "SAME_ACCOUNT"
        assert await reason(app.closings.merge(survivor, old.account, guest_.tokens.access)) == "NOT_SELF"
        calls = [app.closings.merge(survivor, "me", guest_.tokens.access) for _ in range(4)]
        merged = await asyncio.gather(*calls, return_exceptions=True)
        assert any(not isinstance(one, BaseException) for one in merged)
        assert (await app.closings.merge(survivor, "me", guest_.tokens.access)).id == survivor.account
        stranger, _ = await signed_in(app, "Hari")
        assert await reason(app.closings.merge(stranger, "me", guest_.tokens.access)) == "TOKEN_INVALID"
        ended, other = await signed_in(app)
        await app.accounts.sign_out(ended, "", False)
        assert await reason(app.closings.merge(stranger, "me", other.tokens.access)) == "TOKEN_INVALID"


async def test_two_accounts_that_are_merged_into_each_other_at_once_leave_one() -> None:
    async with running_app() as app:
        one, first = await signed_in(app)
        two, second = await signed_in(app)
        done = await asyncio.gather(
            app.closings.merge(one, "me", second.tokens.access),
            app.closings.merge(two, "me", first.tokens.access),
            return_exceptions=True,
        )
        assert sum(isinstance(each, ChautariError) for each in done) == 1
        kinds = [str(getattr(await app.store.find_account(each.account), "kind", "")) for each in (one, two)]
        assert sorted(kinds) == ["guest", "merged"]


async def test_what_a_crash_left_undone_is_done_later(monkeypatch: pytest.MonkeyPatch) -> None:
    async with sitting("bluff") as played:
        app, old = played.app, played.people[0]
        survivor, _ = await signed_in(app)
        await app.store.merge_account(old.account, survivor.account, app.store.clock())
        [closing] = await app.store.claim_closings(5, 30 * SECOND)
        late = await app.matches.create(played.people[1], NewMatch(game="bluff"), None)
        await app.closings.perform(closing)
        assert (await match_of(app, played.match)).seats_of(survivor.account) == (0,)
        assert (await app.store.find_closing(old.account)).due_at is not None  # type: ignore[union-attr]
        assert not await app.store.claim_closings(5, 30 * SECOND)
        later = app.store.clock() + 31 * SECOND
        monkeypatch.setattr(app.store._clock, "now", lambda: later)  # type: ignore[attr-defined]
        [closing] = await app.store.claim_closings(5, 30 * SECOND)
        await app.closings.perform(closing)
        assert (await app.store.find_closing(old.account)).due_at is None  # type: ignore[union-attr]
        assert late.host == played.people[1].account


async def test_acts_of_the_merged_account_at_the_same_time_are_done_or_refused() -> None:
    async with sitting("bluff") as played:
        app, old = played.app, played.people[0]
        survivor, _ = await signed_in(app)
        other = await take_over(played, 0)

        async def plays() -> None:
            for _ in range(20):
                with suppress(ChautariError):
                    await played.go_on(1)

        await asyncio.gather(plays(), app.closings.merge(survivor, "me", other.tokens.access))
        match = await match_of(app, played.match)
        assert match.seats_of(old.account) == ()
        played.people[0] = survivor
        await played.go_on()
        assert verify(await played.record()).differences == []


# ── Deleted ───────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_deleted_account_leaves_seats_that_the_rules_play_on() -> None:
    async with sitting("bluff") as played:
        app, gone = played.app, played.people[0]
        await played.go_on(5)
        name = played.match.chairs[0].display_name
        await app.closings.delete(gone, "me")
        await settled(app)
        match = await match_of(app, played.match)
        assert match.chairs[0].state is SeatState.LEFT
        assert (match.chairs[0].display_name, match.chairs[0].account_id) == (DELETED_NAME, gone.account)
        await played.go_on()
        assert played.match.outcome is not None
        assert played.match.outcome.placing[0] == max(played.match.outcome.placing)
        played.people[0] = played.people[1]
        record = await played.record(None)
        assert verify(record).differences == []
        assert name not in str(record)
        assert DELETED_NAME in str(record)
        tombstone = await app.accounts.get(played.people[1], gone.account)
        assert (tombstone.kind, tombstone.display_name) == (AccountKind.DELETED, DELETED_NAME)


async def test_its_name_is_not_told_again_to_whoever_watches_from_the_beginning() -> None:
    async with sitting("bluff") as played:
        app, other = played.app, played.people[1]
        name = played.match.chairs[0].display_name
        first = app.watching.watch(other, played.match.id, 1, 0)
        told = [await anext(first)]
        assert name in str(told)
        await app.closings.delete(played.people[0], "me")
        await settled(app)
        match = await match_of(app, played.match)
        second = await collect(app.watching.watch(other, match.id, 1, 0), match.revision)
        assert name not in str(second)
        assert DELETED_NAME in str(second)
        await first.aclose()


@pytest.mark.parametrize("is_packed", [False, True])
async def test_its_name_goes_from_matches_that_are_over(is_packed: bool) -> None:
    async with sitting("kitti") as played:
        app, gone = played.app, played.people[0]
        name = played.match.chairs[0].display_name
        await played.go_on()
        if is_packed:
            await app.store.pack(played.match.id)
        await app.closings.delete(gone, "me")
        await settled(app)
        assert (await match_of(app, played.match)).chairs[0].display_name == DELETED_NAME
        played.people[0] = played.people[1]
        record = await played.record(None)
        assert verify(record).differences == []
        assert name not in str(record)
        left = await app.store.matches_of(gone.account, active=False, my_turn=False, game=None, before=None, limit=9)
        assert left == []


async def test_it_leaves_matches_that_have_not_started_also_in_their_journals() -> None:
    async with running_app() as app:
        sita, hari = await guest(app, "Sita Sharma"), await guest(app, "Hari")
        mine = await app.matches.create(sita, NewMatch(game="bluff", seats=(0,), settings={"players": 3}), request())
        await app.matches.join(hari, link=mine.link)
        theirs = await app.matches.create(hari, NewMatch(game="bluff", seats=(0,), settings={"players": 3}), request())
        await app.matches.join(sita, link=theirs.link, request=request("j"))
        await app.matches.leave(sita, theirs.id)
        alone = await app.matches.create(sita, NewMatch(game="bluff", seats=(0,)), request())
        await app.closings.delete(sita, "me")
        await settled(app)
        assert (await match_of(app, mine)).host == hari.account
        assert (await match_of(app, alone)).state is MatchState.ABORTED
        for match in (mine, theirs, alone):
            found = await match_of(app, match)
            assert found.seats_of(sita.account) == ()
            for entry in await app.store.entries(match.id, 0, 99):
                assert b"Sharma" not in entry.events


async def test_all_that_it_signed_in_with_is_gone() -> None:
    async with running_app() as app:
        sita, guest_ = await signed_in(app, "Sita Sharma")
        key = await app.keys.create(sita, "me", NewKey("Bot", frozenset({Scope.PLAY})), None)
        await app.accounts.authenticate(key.secret)
        await app.closings.delete(sita, "me")
        for call in (
            app.accounts.authenticate(guest_.tokens.access),
            app.accounts.authenticate(key.secret),
            app.accounts.refresh(guest_.tokens.refresh),
        ):
            assert await reason(call) == "TOKEN_INVALID"
        await app.closings.delete(sita, "me")
        await app.accounts.update(sita, "me", "Back", None)
        other, _ = await signed_in(app)
        found = await app.accounts.get(other, sita.account)
        assert (found.display_name, found.language) == (DELETED_NAME, "en")
        new = NewKey("Bot", frozenset({Scope.PLAY}))
        assert await reason(app.keys.create(sita, "me", new, None)) == "TOKEN_INVALID"
        assert await reason(app.closings.delete(other, sita.account)) == "NOT_SELF"


async def test_what_was_merged_into_it_is_deleted_with_it() -> None:
    async with running_app() as app:
        old, guest_ = await signed_in(app, "Sita Sharma")
        survivor, _ = await signed_in(app)
        await app.closings.merge(survivor, "me", guest_.tokens.access)
        await app.closings.delete(survivor, "me")
        other, _ = await signed_in(app)
        for account_id in (old.account, survivor.account):
            found = await app.accounts.get(other, account_id)
            assert (found.kind, found.display_name) == (AccountKind.DELETED, DELETED_NAME)


@pytest.mark.parametrize("survives", [False, True])
async def test_a_seat_taken_while_the_account_ended_is_given_up_by_the_call_that_took_it(
    survives: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_app() as app:
        sita, tokens = await signed_in(app)
        hari, survivor = await guest(app, "Hari"), await guest(app)
        held = NewMatch(game="bluff", seats=(0,), settings={"players": 3})
        match = await app.matches.create(hari, held, None)
        change = app.matches._changes.change

        async def ends() -> None:
            if survives:
                await app.closings.merge(survivor, "me", tokens.tokens.access)
            else:
                await app.closings.delete(sita, "me")

        async def late_change(*args: Any) -> Any:
            await ends()  # after its account was looked at, and before it is seated
            return await change(*args)

        monkeypatch.setattr(app.matches._changes, "change", late_change)
        assert await reason(app.matches.join(sita, link=match.link)) == "ACCOUNT_UNKNOWN"
        assert (await match_of(app, match)).seats_of(sita.account) == ()
        assert (await match_of(app, match)).seats_of(survivor.account) == ((1,) if survives else ())


async def test_a_match_made_while_the_account_was_deleted_is_over_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_app() as app:
        sita, made = await guest(app), []
        add = app.store.add_match

        async def late_add(match: Match, *args: Any, **more: Any) -> Any:
            await app.closings.delete(sita, "me")
            made.append(match)
            return await add(match, *args, **more)

        monkeypatch.setattr(app.store, "add_match", late_add)
        new = NewMatch(game="bluff", seats=(0,), settings={"players": 3})
        assert await reason(app.matches.create(sita, new, None)) == "ACCOUNT_UNKNOWN"
        assert (await match_of(app, made[0])).state is MatchState.ABORTED


async def test_a_seat_taken_while_the_account_was_deleted_is_given_up_at_the_second_look() -> None:
    async with running_app() as app:
        sita, hari = await guest(app), await guest(app, "Hari")
        new = NewMatch(game="bluff", seats=(0,), settings={"players": 3})
        matches = [await app.matches.create(hari, new, None) for _ in range(4)]
        joins = [app.matches.join(sita, link=match.link) for match in matches]
        await asyncio.gather(*joins[:2], app.closings.delete(sita, "me"), *joins[2:], return_exceptions=True)
        closing = await app.store.find_closing(sita.account)
        assert closing is not None
        await app.closings.perform(closing)
        for match in matches:
            assert (await match_of(app, match)).seats_of(sita.account) == ()


# ── Over the wire ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", AccountKind)
def test_every_kind_of_account_can_be_told(kind: AccountKind) -> None:
    account = Account(id="a", kind=kind, display_name="Sita", language="ne", created_at=1)
    told = account_to_proto(account, own=False).kind
    assert accounts_pb2.AccountKind.Name(told) == f"ACCOUNT_KIND_{kind.name}"


async def test_merge_export_and_delete_over_the_wire() -> None:
    async with serving() as served:
        phone, laptop = await served.guest("Sita"), await served.guest("Gita")
        for _ in range(3):
            await phone.create("bluff", seats=(0,), players=3)
        merge = accounts_pb2.MergeAccountsRequest(name="accounts/me", other_access_token=phone.token)
        assert (await laptop.call("Accounts/MergeAccounts", merge)).name == laptop.account
        assert (await laptop.call("Accounts/MergeAccounts", merge)).name == laptop.account
        found = await laptop.call("Accounts/GetAccount", accounts_pb2.GetAccountRequest(name=phone.account))
        assert found.name == laptop.account
        export = accounts_pb2.ExportAccountRequest(name="accounts/me", page_size=2)
        first = await laptop.call("Accounts/ExportAccount", export)
        assert first.account.display_name == "Gita"
        assert (len(first.sign_ins), [one.name for one in first.merged_accounts]) == (1, [phone.account])
        export.page_token = first.next_page_token
        second = await laptop.call("Accounts/ExportAccount", export)
        assert not second.HasField("account")
        assert (len(first.matches), len(second.matches), second.next_page_token) == (2, 1, "")
        await laptop.call("Accounts/DeleteAccount", accounts_pb2.DeleteAccountRequest(name="accounts/me"))
        refused = await laptop.refused("Accounts/GetAccount", accounts_pb2.GetAccountRequest(name="accounts/me"))
        assert refused.reason == "TOKEN_INVALID"
        other = await served.guest()
        gone = await other.call("Accounts/GetAccount", accounts_pb2.GetAccountRequest(name=phone.account))
        assert (gone.kind, gone.display_name) == (accounts_pb2.ACCOUNT_KIND_DELETED, DELETED_NAME)
        with suppress(asyncio.CancelledError):
            await settled(served.app)
