"""What every store promises of accounts that end: see `app.account_ports`."""

import asyncio
from typing import Any

import msgspec
import pytest

from chautari.app import events as journal
from chautari.app.account_ports import Gone
from chautari.app.account_values import Account, AccountKind, Closing, ClosingKind, Renaming
from chautari.app.events import HostChanged, SeatTaken
from chautari.app.ports import Store
from chautari.app.values import SECOND, EndReason, Entry, Match, MatchState, Outcome
from tests.store.conftest import SetClock
from tests.store.made import (
    following,
    make_account,
    make_attempt,
    make_entry,
    make_identity,
    make_key,
    make_match,
    make_request,
    make_token,
)

OVER: dict[str, Any] = {
    "state": MatchState.FINISHED, "must": 0, "ended_at": 2_000_000,
    "outcome": Outcome((1, 2), (5, 0), False, EndReason.PLAYED),
}  # fmt: skip


async def account(store: Store, family: str = "family") -> Account:
    """A new guest."""
    made = make_account()
    await store.add_account(made, make_token(made.id, family))
    return made


async def found(store: Store, account_id: str) -> Account:
    """An account as it is now."""
    one = await store.find_account(account_id)
    assert one is not None
    return one


async def over(store: Store, *account_ids: str, is_packed: bool = False) -> Match:
    """A match that is over, whose journal tells who sat down, and has a request of each."""
    match = make_match(*account_ids)
    sat = journal.encode([SeatTaken(seat, one, "सीता") for seat, one in enumerate(account_ids)])
    await store.add_match(match, make_entry(match, account_id=account_ids[0], events=sat, request=make_request()))
    for account_id in account_ids:
        match = following(match)
        told = journal.encode([HostChanged(account_id)])
        await store.commit(match, make_entry(match, account_id=account_id, events=told, request=make_request()))
    match = following(match, **OVER)
    await store.commit(match, make_entry(match, account_id=account_ids[-1]))
    if is_packed:
        await store.pack(match.id)
    return match


async def entries(store: Store, match_id: str) -> list[Entry]:
    """The whole journal of a match."""
    return await store.entries(match_id, 0, 99)


async def ids_of(store: Store, account_id: str) -> set[str]:
    """The matches that an account lists."""
    listed = await store.matches_of(account_id, active=False, my_turn=False, game=None, before=None, limit=99)
    return {match.id for match in listed}


async def test_what_one_signs_in_with_becomes_the_survivor_s(store: Store, clock: SetClock) -> None:
    old, new = await account(store, "phone"), await account(store, "laptop")
    key = make_key(old.id, request=make_request())
    await store.add_key(key, 5)
    await store.add_key(make_key(new.id, request=key.request), 5)
    await store.link_identity(make_identity(old.id), 5, make_attempt())
    assert await store.merge_account(old.id, new.id, 77) == ["phone"]
    closing = Closing(account_id=old.id, kind=ClosingKind.MERGED, survivor=new.id, at=clock.time, due_at=77)
    assert await store.find_closing(old.id) == closing
    assert await store.find_closing(new.id) is None
    assert await store.merged_into(new.id) == [closing]
    assert (await found(store, old.id)).kind is AccountKind.MERGED
    assert (await found(store, new.id)).kind is AccountKind.LINKED
    assert len(await store.keys_of(new.id)) == 2
    assert await store.keys_of(old.id) == []
    moved = await store.find_key(key.digest)
    assert moved is not None
    assert moved.account_id == new.id
    assert [one.subject for one in await store.identities_of(new.id)] == ["sita"]
    assert {one.subject for one in await store.revocations(clock.time)} == {"phone"}
    assert [one.family for one in await store.sign_ins_of(new.id)] == ["laptop"]
    assert await store.sign_ins_of(old.id) == []


async def test_an_account_that_is_closed_gets_nothing_more(store: Store) -> None:
    old, new = await account(store), await account(store)
    await store.merge_account(old.id, new.id, 77)
    with pytest.raises(Gone):
        await store.merge_account(old.id, new.id, 77)
    with pytest.raises(Gone):
        await store.merge_account(new.id, old.id, 77)
    with pytest.raises(Gone):
        await store.delete_account(old.id, "Gone", 77)
    with pytest.raises(Gone):
        await store.add_key(make_key(old.id), 5)
    with pytest.raises(Gone):
        await store.link_identity(make_identity(old.id), 5, make_attempt())
    with pytest.raises(Gone):
        await store.merge_account(new.id, "nobody", 77)
    await store.save_account(msgspec.structs.replace(old, display_name="Back"))
    assert (await found(store, old.id)).display_name == old.display_name


async def test_of_two_that_are_merged_into_each_other_at_once_one_is_left(store: Store) -> None:
    one, two = await account(store), await account(store)
    done = await asyncio.gather(
        store.merge_account(one.id, two.id, 77), store.merge_account(two.id, one.id, 77), return_exceptions=True
    )
    assert sum(isinstance(each, Gone) for each in done) == 1


async def test_merges_in_a_row_lead_to_the_last(store: Store) -> None:
    first, second, third = [await account(store) for _ in range(3)]
    await store.merge_account(first.id, second.id, 77)
    await store.merge_account(second.id, third.id, 77)
    closing = await store.find_closing(first.id)
    assert closing is not None
    assert closing.survivor == third.id
    assert {one.account_id for one in await store.merged_into(third.id)} == {first.id, second.id}


async def test_a_deleted_account_leaves_an_id_and_a_name(store: Store, clock: SetClock) -> None:
    old, gone = await account(store, "a"), await account(store, "phone")
    await store.merge_account(old.id, gone.id, 77)
    key = make_key(gone.id)
    await store.add_key(key, 5)
    await store.link_identity(make_identity(gone.id), 5, make_attempt())
    assert sorted(await store.delete_account(gone.id, "Gone", 88)) == sorted(["phone", key.id])
    for account_id in (gone.id, old.id):
        left = await found(store, account_id)
        assert (left.kind, left.display_name, left.language) == (AccountKind.DELETED, "Gone", "en")
        closing = await store.find_closing(account_id)
        assert closing is not None
        assert (closing.kind, closing.survivor) == (ClosingKind.DELETED, None)
    assert await store.find_key(key.digest) is None
    assert await store.identities_of(gone.id) == []
    assert await store.sign_ins_of(gone.id) == []
    assert {"phone", key.id} <= {one.subject for one in await store.revocations(clock.time)}


async def test_closings_are_claimed_when_they_are_due_until_they_are_settled(store: Store, clock: SetClock) -> None:
    new = await account(store)
    olds = [await account(store) for _ in range(3)]
    for number, old in enumerate(olds):
        await store.merge_account(old.id, new.id, clock.time + number * SECOND)
    assert [one.account_id for one in await store.claim_closings(5, 10 * SECOND)] == [olds[0].id]
    assert await store.claim_closings(5, 10 * SECOND) == []
    clock.pass_seconds(2)
    assert len(await store.claim_closings(1, 10 * SECOND)) == 1
    await store.settle_closing(olds[1].id)
    await store.settle_closing(olds[2].id)
    clock.pass_seconds(10)
    [again] = await store.claim_closings(5, 10 * SECOND)
    assert (again.account_id, again.due_at) == (olds[0].id, clock.time + 10 * SECOND)


@pytest.mark.parametrize("is_packed", [False, True])
async def test_an_account_is_renamed_in_matches_that_are_over(store: Store, is_packed: bool) -> None:
    old, new, other = [(await account(store)).id for _ in range(3)]
    both = await over(store, old, new, is_packed=is_packed)
    mine = await over(store, other, old, is_packed=is_packed)
    theirs = await over(store, other, new, is_packed=is_packed)
    active = make_match(old, other)
    await store.add_match(active, make_entry(active, account_id=old))
    before = await entries(store, theirs.id)
    done: list[str] = []
    while some := await store.rename_over(Renaming(old, new), 1):
        done += some
    assert sorted(done) == sorted([both.id, mine.id])
    assert await ids_of(store, new) == {both.id, mine.id, theirs.id}
    assert await ids_of(store, old) == {active.id}
    for match in (both, mine):
        kept = await store.find_match(match.id)
        assert kept is not None
        assert old not in {kept.host, *(chair.account_id for chair in kept.chairs)}
        told = await entries(store, match.id)
        assert [entry.revision for entry in told] == list(range(1, len(told) + 1))
        assert old not in {entry.account_id for entry in told}
        assert all(old.encode() not in entry.events for entry in told)
        names = [event.display_name for event in journal.decode(told[0].events) if isinstance(event, SeatTaken)]
        assert names == ["सीता", "सीता"]
    assert await entries(store, theirs.id) == before
    assert (await store.find_match(both.id)).seats_of(new) == (0, 1)  # type: ignore[union-attr]


@pytest.mark.parametrize("is_packed", [False, True])
async def test_a_name_goes_and_the_id_stays(store: Store, is_packed: bool) -> None:
    gone, other = (await account(store)).id, (await account(store)).id
    match = await over(store, gone, other, is_packed=is_packed)
    asked = set(await store.matches_asked(gone))
    assert asked == {match.id}
    assert await store.rename_over(Renaming(gone, gone, "Gone"), 9) == [match.id]
    assert await store.rename_over(Renaming(gone, gone, "Gone"), 9) == []
    assert await ids_of(store, gone) == set()
    assert await ids_of(store, other) == {match.id}
    kept = await store.find_match(match.id)
    assert kept is not None
    assert [chair.display_name for chair in kept.chairs] == ["Gone", "सीता"]
    [first, *_] = await entries(store, match.id)
    names = [event.display_name for event in journal.decode(first.events) if isinstance(event, SeatTaken)]
    assert names == ["Gone", "सीता"]
    assert first.account_id == gone


async def test_a_match_that_goes_on_is_renamed_by_itself(store: Store) -> None:
    gone, other = (await account(store)).id, (await account(store)).id
    match = make_match(gone, other)
    told = journal.encode([SeatTaken(0, gone, "सीता"), SeatTaken(1, other, "सीता")])
    await store.add_match(match, make_entry(match, account_id=gone, events=told, request=make_request()))
    await store.rename_in_match(match.id, Renaming(gone, gone, "Gone"))
    kept = await store.find_match(match.id)
    assert kept is not None
    assert (kept.revision, [chair.display_name for chair in kept.chairs]) == (1, ["Gone", "सीता"])
    assert await store.commit(following(kept), make_entry(following(kept), account_id=gone))
    await store.rename_in_match("nothing", Renaming(gone, gone, "Gone"))
