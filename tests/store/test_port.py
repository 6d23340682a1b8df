"""What every store promises, asked of each: see `app.ports`."""

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from chautari.app.account_values import SigningKey
from chautari.app.clock_values import Clocks, TimeControl, WhenAway
from chautari.app.filters import holds, read_filter
from chautari.app.ports import Overtaken, RequestSeen, Store, TooManyOpen
from chautari.app.values import (
    CODE_KEPT,
    SECOND,
    Audience,
    Cause,
    Claim,
    Disclosure,
    DueKind,
    EndReason,
    Entry,
    Match,
    MatchState,
    Micros,
    Outcome,
    Privacy,
    RequestKey,
    SeatingRule,
    SeatState,
    Standing,
    StartRule,
)
from chautari.errors import Unavailable
from tests.store.conftest import SetClock
from tests.store.made import (
    following,
    make_account,
    make_chairs,
    make_entry,
    make_match,
    make_request,
    make_token,
    new_id,
    play,
)

OVER: dict[str, Any] = {
    "state": MatchState.FINISHED, "must": 0, "ended_at": 2_000_000,
    "outcome": Outcome((1, 2), (5, 0), False, EndReason.PLAYED),
}  # fmt: skip


async def add(store: Store, *account_ids: str | None, **changed: Any) -> Match:
    """A new match of these accounts in the store."""
    match = make_match(*account_ids, **changed)
    await store.add_match(match, make_entry(match, cause=Cause.SEATING))
    return match


async def add_due(store: Store, kind: DueKind, at: int) -> Match:
    """A new match of which something is due then."""
    return await add(store, "sita", due_kind=kind, due_at=at, wake_at=at)


async def commit(store: Store, match: Match, *, request: RequestKey | None = None, chairs: bool = False) -> Match:
    """Commits a match that has been moved on, by the account `sita`."""
    await store.commit(match, make_entry(match, account_id="sita", request=request), chairs=chairs)
    return match


async def revisions(store: Store, match_id: str) -> list[int]:
    """The revisions in the journal of a match."""
    return [entry.revision for entry in await store.entries(match_id, 0, 1000)]


# ── Accounts ──────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_an_account_is_found_again_and_may_change_name_and_language(store: Store) -> None:
    account = make_account()
    await store.add_account(account, make_token(account.id))
    assert await store.find_account(account.id) == account
    assert await store.find_account(new_id()) is None
    changed = msgspec.structs.replace(account, display_name="गीता", language="hi", created_at=5)
    await store.save_account(changed)
    assert await store.find_account(account.id) == msgspec.structs.replace(changed, created_at=account.created_at)


async def test_a_refresh_token_is_exchanged_once(store: Store, clock: SetClock) -> None:
    account = make_account()
    first, second, third = (make_token(account.id) for _ in range(3))
    await store.add_account(account, first)
    assert await store.find_token(first.digest) == first
    assert await store.exchange_token(first.digest, second)
    assert not await store.exchange_token(first.digest, third)
    assert await store.find_token(first.digest) == msgspec.structs.replace(first, used_at=clock.time)
    assert await store.find_token(second.digest) == second
    assert await store.find_token(third.digest) is None
    assert not await store.exchange_token(b"unknown", third)


async def test_of_two_exchanges_at_once_one_wins(store: Store) -> None:
    account = make_account()
    token = make_token(account.id)
    await store.add_account(account, token)
    won = await asyncio.gather(*(store.exchange_token(token.digest, make_token(account.id)) for _ in range(8)))
    assert sorted(won) == [False] * 7 + [True]


async def test_tokens_are_revoked_by_sign_in_or_by_account(store: Store) -> None:
    sita, hari = make_account(), make_account()
    phone, laptop = make_token(sita.id, "phone"), make_token(sita.id, "laptop")
    other = make_token(hari.id, "other")
    await store.add_account(sita, phone)
    await store.add_account(hari, other)
    await store.add_token(laptop)
    await store.revoke_family("phone")
    assert await store.find_token(phone.digest) is None
    assert not await store.exchange_token(phone.digest, make_token(sita.id))
    assert await store.find_token(laptop.digest) == laptop
    await store.revoke_account(sita.id)
    assert await store.find_token(laptop.digest) is None
    assert await store.find_token(other.digest) == other


async def test_signing_keys_come_newest_first_until_they_expire(store: Store, clock: SetClock) -> None:
    keys = [
        SigningKey(kid=f"k{number}", private='{"d": "…"}', created_at=number, expires_at=clock.time + number * SECOND)
        for number in (1, 2, 3)
    ]
    for key in keys:
        await store.add_signing_key(key)
    assert await store.signing_keys() == [keys[2], keys[1], keys[0]]
    clock.pass_seconds(2)
    assert await store.signing_keys() == [keys[2]]


# ── A match and its journal ───────────────────────────────────────────────────────────────────────────────────────────


async def test_a_match_is_found_again_by_id_code_and_link(store: Store, clock: SetClock) -> None:
    match = make_match("sita", None, code="K7M2QX", code_expires_at=clock.time)
    entry = make_entry(match, cause=Cause.SEATING, seat=None, account_id="sita", action="", request=make_request())
    assert await store.add_match(match, entry) == clock.time
    assert await store.find_match(match.id) == match
    assert await store.find_by_code("K7M2QX") == match
    assert await store.find_by_link(match.link) == match
    assert await store.entries(match.id, 0, 10) == [msgspec.structs.replace(entry, at=clock.time)]
    assert await store.find_match(new_id()) is None
    assert await store.find_by_code("AAAAAA") is None
    assert await store.find_by_link("nothing") is None
    assert await store.entries(new_id(), 0, 10) == []


async def test_a_commit_replaces_all_that_may_change(store: Store, clock: SetClock) -> None:
    match = await add(store, "sita", None, code="K7M2QX", code_expires_at=5)
    clock.pass_seconds(1)
    changed = following(
        match, host="hari", state=MatchState.PLAYING, started_at=7, ended_at=8, code=None, code_expires_at=None,
        snapshot=b"state", shuffles=3, must=0b10, outcome=Outcome((1, 2), (5, -3), True, EndReason.DESERTED),
        phase="lay", due_at=9, due_kind=DueKind.PLAY_LEFT, chairs=make_chairs("hari", "sita"),
    )  # fmt: skip
    entry = make_entry(changed, account_id="hari", seat=1, action="throw 7H", events=bytes(range(256)))
    assert await store.commit(changed, entry, chairs=True) == clock.time
    assert await store.find_match(match.id) == changed
    assert await store.entries(match.id, 1, 10) == [msgspec.structs.replace(entry, at=clock.time)]


async def test_what_a_match_was_created_with_stays(store: Store) -> None:
    match = await add(store, "sita", None)
    other = make_match("hari", None, game="bluff", settings={"a": 1}, title="?", privacy=Privacy.PUBLIC, secret=b"s")
    changed = msgspec.structs.replace(other, id=match.id, host="hari", chairs=match.chairs, revision=2, packed=True)
    await commit(store, changed)
    assert await store.find_match(match.id) == following(match, host="hari")


async def test_chairs_stay_unless_they_are_said_to_change(store: Store) -> None:
    match = await add(store, "sita", None)
    seated = following(match, chairs=make_chairs("sita", "hari"))
    await commit(store, seated)
    assert await store.find_match(match.id) == following(match)
    await commit(store, following(seated), chairs=True)
    assert await store.find_match(match.id) == following(seated)


async def test_what_a_host_may_arrange_changes_with_the_chairs(store: Store) -> None:
    match = await add(store, "sita", None)
    arranged = following(
        match, title="सोमबार", privacy=Privacy.PUBLIC, disclosure=Disclosure.SHOWN_ONLY, start_rule=StartRule.BY_HOST,
        seating=SeatingRule.RANDOM, audience=Audience.EVERYONE, spectator_delay=90 * SECOND, settings={"players": 3},
        commitment=b"c" * 32, barred=("hari", "gita"), chairs=make_chairs("sita", None, None),
    )  # fmt: skip
    await commit(store, arranged)
    assert await store.find_match(match.id) == following(match)
    await commit(store, following(arranged), chairs=True)
    assert await store.find_match(match.id) == following(arranged)
    assert (await store.open_matches(but_of="hari", game=None, before=None, limit=9))[0].title == "सोमबार"
    readmitted = following(following(arranged), barred=())
    await commit(store, readmitted, chairs=True)
    assert await store.find_match(match.id) == readmitted


async def test_a_host_keeps_so_many_open_matches(store: Store) -> None:
    first = await add(store, "sita", "hari")
    await add(store, "sita", "hari")
    await add(store, "hari", "sita")
    third, request = make_match("sita", None), make_request()
    entry = make_entry(third, account_id="sita", request=request)
    with pytest.raises(TooManyOpen):
        await store.add_match(third, entry, open_at_most=2)
    assert await store.find_match(third.id) is None
    await store.add_match(third, entry, open_at_most=3)
    again = make_match("sita", None)
    with pytest.raises(RequestSeen):
        await store.add_match(again, make_entry(again, account_id="sita", request=request), open_at_most=3)
    await commit(store, following(first, **OVER))
    other = make_match("sita", None)
    made = await asyncio.gather(
        *(
            store.add_match(one, make_entry(one), open_at_most=3)
            for one in (other, make_match("sita", None), make_match("sita", None))
        ),
        return_exceptions=True,
    )
    assert sum(isinstance(one, TooManyOpen) for one in made) == 2


async def test_a_request_to_be_seated_is_found_without_its_match_also_when_that_is_packed(store: Store) -> None:
    match = await add(store, "sita", None)
    join, act = make_request("join"), make_request("act")
    seated = following(match, chairs=make_chairs("sita", "hari"))
    entry = make_entry(seated, cause=Cause.SEATING, account_id="hari", request=join)
    await store.commit(seated, entry, chairs=True)
    over = following(seated, **OVER)
    await commit(store, over, request=act)
    await store.pack(match.id)
    for match_id in (None, match.id):
        found = await store.find_request("hari", join, match_id)
        assert found is not None
        assert (found.revision, found.request) == (2, join)
    assert await store.find_request("sita", act, None) is None
    assert await store.find_request("sita", act, match.id) is not None
    assert await revisions(store, match.id) == [1, 2, 3]
    assert [entry.revision for entry in await store.entries(match.id, 1, 1)] == [2]


async def test_entries_come_in_order_behind_a_revision_page_by_page(store: Store) -> None:
    match = await add(store, "sita")
    for _ in range(24):
        match = await commit(store, following(match))
    assert await revisions(store, match.id) == list(range(1, 26))
    assert [entry.revision for entry in await store.entries(match.id, 3, 4)] == [4, 5, 6, 7]
    assert await store.entries(match.id, 25, 10) == []
    assert await store.entries(match.id, 99, 10) == []


async def test_id_link_and_the_code_of_a_match_that_is_seating_are_taken(store: Store) -> None:
    match = await add(store, "sita", None, code="K7M2QX")
    for taken, changed in (
        ("id", {"id": match.id}),
        ("link", {"link": match.link}),
        ("code", {"code": "K7M2QX"}),
    ):
        again = make_match("hari", None, **changed)
        with pytest.raises(ValueError, match=f"^{taken}$"):
            await store.add_match(again, make_entry(again))
    assert await store.find_match(match.id) == match


def began(match: Match, at: Micros) -> Match:
    """The match one revision on, which starts."""
    return following(match, state=MatchState.PLAYING, started_at=at)


def closed(match: Match, at: Micros) -> Match:
    """The match one revision on, which ends before its start."""
    return following(match, state=MatchState.ABORTED, ended_at=at)


@pytest.mark.parametrize("end", [began, closed])
async def test_a_code_is_remembered_for_a_while_and_then_free(
    store: Store, clock: SetClock, end: Callable[[Match, Micros], Match]
) -> None:
    match = await add(store, "sita", None, code="K7M2QX", code_expires_at=clock.time + 1)
    match = await commit(store, end(match, clock.time))
    match = await commit(store, following(match, phase="lay"))
    for _ in range(2):
        assert await store.find_by_code("K7M2QX") == match
        other = make_match("hari", None, code="K7M2QX")
        with pytest.raises(ValueError, match=r"^code$"):
            await store.add_match(other, make_entry(other))
        clock.time = (match.started_at or match.ended_at or 0) + CODE_KEPT - 1
    clock.time += 1
    assert await store.find_by_code("K7M2QX") is None
    other = await add(store, "hari", None, code="K7M2QX")
    match = await commit(store, following(match, phase="draw"))
    assert await store.find_by_code("K7M2QX") == other
    assert await store.find_match(match.id) == match


async def test_a_code_leads_to_the_match_that_is_seating_else_to_the_latest(store: Store, clock: SetClock) -> None:
    """Two have one code where it was drawn at the very moment at which the first was forgotten, or before it began."""
    first = await add(store, "sita", None, code="K7M2QX", created_at=9)
    first = await commit(store, began(first, clock.time))
    second = await add(store, "hari", None, code="AAAAAA", created_at=3)
    second = await commit(store, following(second, code="K7M2QX"), chairs=True)
    assert await store.find_by_code("AAAAAA") is None
    assert await store.find_by_code("K7M2QX") == second
    clock.pass_seconds(1)
    first = await commit(store, following(first))
    second = await commit(store, closed(second, clock.time))
    first = await commit(store, following(first))
    assert await store.find_by_code("K7M2QX") == second


async def test_what_an_older_release_makes_of_a_match_is_taken(store: Store, clock: SetClock) -> None:
    """It ends the code with the seating: then nobody is remembered by it, and it is free at once."""
    match = await add(store, "sita", None, code="K7M2QX", code_expires_at=5)
    await commit(store, began(msgspec.structs.replace(match, code=None, code_expires_at=None), clock.time), chairs=True)
    assert await store.find_by_code("K7M2QX") is None
    await add(store, "hari", None, code="K7M2QX")


async def test_a_commit_may_not_take_the_code_of_another_match(store: Store) -> None:
    await add(store, "sita", None, code="K7M2QX")
    other = await add(store, "hari", None, code="AAAAAA")
    with pytest.raises(ValueError, match=r"^code$"):
        await commit(store, following(other, code="K7M2QX"), chairs=True)
    assert await store.find_match(other.id) == other
    assert await revisions(store, other.id) == [1]


async def test_of_matches_that_take_one_code_at_once_one_gets_it(store: Store, clock: SetClock) -> None:
    old = await add(store, "sita", None, code="K7M2QX")
    await commit(store, began(old, clock.time - CODE_KEPT))
    new = [make_match("hari", None, code="K7M2QX") for _ in range(8)]
    taken = await asyncio.gather(*(store.add_match(one, make_entry(one)) for one in new), return_exceptions=True)
    [got] = [one for one, outcome in zip(new, taken, strict=True) if not isinstance(outcome, BaseException)]
    assert {str(outcome) for outcome in taken if isinstance(outcome, BaseException)} == {"code"}
    assert await store.find_by_code("K7M2QX") == got


# ── The guard ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("revision", [1, 2, 4, 9])
async def test_a_commit_from_another_revision_is_overtaken_and_leaves_nothing(store: Store, revision: int) -> None:
    match = await commit(store, following(await add(store, "sita", "hari")))
    request = make_request()
    stale = following(match, revision=revision, snapshot=b"stale", chairs=make_chairs("hari", "sita"))
    for chairs in (False, True):
        with pytest.raises(Overtaken):
            await commit(store, stale, request=request, chairs=chairs)
    assert await store.find_match(match.id) == match
    assert await revisions(store, match.id) == [1, 2]
    assert await store.find_request("sita", request, match.id) is None


async def test_a_commit_to_no_match_is_overtaken(store: Store) -> None:
    match = make_match("sita", revision=2)
    with pytest.raises(Overtaken):
        await commit(store, match)
    assert await store.entries(match.id, 0, 10) == []


async def test_sixteen_writers_on_one_match_lose_nothing(store: Store) -> None:
    match = await add(store, "sita", "hari")
    tried = 0

    async def count_up(times: int) -> None:
        nonlocal tried
        for _ in range(times):
            while True:
                tried += 1
                latest = await store.find_match(match.id)
                assert latest is not None
                try:
                    await commit(store, following(latest, shuffles=latest.shuffles + 1))
                except Overtaken:
                    await asyncio.sleep(0)
                else:
                    break

    await asyncio.gather(*(count_up(10) for _ in range(16)))
    last = await store.find_match(match.id)
    assert last is not None
    assert (last.revision, last.shuffles) == (161, 160)
    assert await revisions(store, match.id) == list(range(1, 162))
    assert tried >= 160


async def test_of_many_commits_at_once_each_succeeds_or_fails_by_itself(store: Store, clock: SetClock) -> None:
    packed, _ = await keep_played(store, clock, "jutpatti")
    await store.pack(packed.id)
    matches = [await add(store, "sita", "hari") for _ in range(60)]
    requests = [make_request() for _ in matches]
    matches[7] = await commit(store, following(matches[7]), request=requests[7])
    stale, repeated, last = following(matches[30], revision=5), following(matches[7]), following(packed)
    writes = [following(match) for match in matches]
    writes[30], writes[7] = stale, repeated
    outcomes = await asyncio.gather(
        *(commit(store, write, request=request) for write, request in zip(writes, requests, strict=True)),
        commit(store, last),
        commit(store, writes[50]),
        return_exceptions=True,
    )
    assert isinstance(outcomes[30], Overtaken)
    assert isinstance(outcomes[7], RequestSeen)
    assert isinstance(outcomes[-1], Overtaken)
    assert [isinstance(outcome, Match) for outcome in outcomes].count(True) == 59
    for number, match in enumerate(matches):
        kept = match if number in (7, 30) else following(match)
        assert await store.find_match(match.id) == kept
        assert await revisions(store, match.id) == list(range(1, kept.revision + 1))
    assert (await store.entries(packed.id, packed.revision, 9))[0].revision == last.revision


# ── Once ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_repeated_request_is_known_before_the_guard_is_asked(store: Store) -> None:
    match = await add(store, "sita", "hari")
    request = make_request()
    done = await commit(store, following(match), request=request)
    for again in (done, following(done), following(done, revision=9)):
        with pytest.raises(RequestSeen) as seen:
            await commit(store, again, request=request)
        assert (seen.value.entry.match_id, seen.value.entry.revision) == (match.id, 2)
        assert seen.value.entry.request == request
    assert await revisions(store, match.id) == [1, 2]
    assert await store.find_match(match.id) == done


async def test_another_request_under_the_same_id_sees_what_the_first_did(store: Store) -> None:
    match, other = await add(store, "sita", "hari"), await add(store, "sita", "hari")
    request = make_request("this")
    await commit(store, following(match), request=request)
    with pytest.raises(RequestSeen) as seen:
        await commit(store, following(other), request=RequestKey(request.id, make_request("that").digest))
    assert seen.value.entry.match_id == match.id
    assert seen.value.entry.request == request
    assert await store.find_match(other.id) == other


async def test_requests_of_two_accounts_do_not_meet(store: Store) -> None:
    match = await add(store, "sita", "hari")
    request = make_request()
    match = await commit(store, following(match), request=request)
    match = following(match)
    await store.commit(match, make_entry(match, account_id="hari", request=request))
    found = [await store.find_request(account_id, request, match.id) for account_id in ("sita", "hari", "gita")]
    assert [entry and entry.revision for entry in found] == [2, 3, None]


async def test_one_request_many_times_at_once_is_done_once(store: Store) -> None:
    match = await add(store, "sita", "hari")
    request = make_request()
    outcomes = await asyncio.gather(
        *(commit(store, following(match), request=request) for _ in range(16)), return_exceptions=True
    )
    done = [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]
    seen = [outcome.entry.revision for outcome in outcomes if isinstance(outcome, RequestSeen)]
    assert (len(done), seen) == (1, [2] * 15)
    assert await revisions(store, match.id) == [1, 2]


async def test_a_match_is_created_once_for_one_request(store: Store) -> None:
    request = make_request()

    async def create() -> str:
        match = make_match("sita", None)
        await store.add_match(match, make_entry(match, account_id="sita", request=request))
        return match.id

    outcomes = await asyncio.gather(*(create() for _ in range(8)), return_exceptions=True)
    [made] = [outcome for outcome in outcomes if isinstance(outcome, str)]
    assert [o.entry.match_id for o in outcomes if isinstance(o, RequestSeen)] == [made] * 7
    found = await store.find_request("sita", request, None)
    assert found is not None
    assert found.match_id == made


# ── Lists ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def listed(store: Store, account_id: str = "sita", **wanted: Any) -> list[str]:
    """The titles of an account's matches."""
    question: dict[str, Any] = {"active": False, "my_turn": False, "game": None, "before": None, "limit": 100} | wanted
    return [match.title for match in await store.matches_of(account_id, **question)]


async def test_the_matches_of_an_account_come_latest_first_and_page_by_page(store: Store) -> None:
    made = [
        await add(store, "sita", "hari", "sita", title=f"{number}", created_at=number // 2, id=f"id{number}")
        for number in range(6)
    ]
    await add(store, "hari", None)
    assert await listed(store) == ["5", "4", "3", "2", "1", "0"]
    assert await listed(store, limit=2) == ["5", "4"]
    assert await listed(store, limit=3, before=(made[4].created_at, made[4].id)) == ["3", "2", "1"]
    assert await listed(store, "gita") == []


async def test_lists_hold_no_secrets_and_no_snapshots(store: Store) -> None:
    match = await add(store, "sita", None, privacy=Privacy.PUBLIC, snapshot=b"state")
    bare = msgspec.structs.replace(match, secret=b"", snapshot=None)
    assert await store.matches_of("sita", active=True, my_turn=False, game=None, before=None, limit=1) == [bare]
    assert await store.open_matches(but_of="nobody", game=None, before=None, limit=1) == [bare]


async def test_an_account_lists_matches_where_it_sits_is_awaited_hosts_or_has_left(store: Store) -> None:
    held = msgspec.structs.replace(make_chairs("sita")[0], state=SeatState.HELD)
    left = msgspec.structs.replace(held, state=SeatState.LEFT)
    await add(store, "sita", title="sits")
    await add(store, "hari", title="awaited", chairs=(held,))
    await add(store, None, title="hosts", host="sita")
    await add(store, "hari", title="has left", chairs=(left,))
    assert sorted(await listed(store)) == ["awaited", "has left", "hosts", "sits"]


async def test_who_gets_up_or_hands_over_lists_the_match_no_more(store: Store) -> None:
    match = await add(store, "sita", "hari")
    assert await listed(store, "hari") == [match.title]
    match = await commit(store, following(match, chairs=make_chairs("sita", None)), chairs=True)
    assert await listed(store, "hari") == []
    await commit(store, following(match, host="hari", chairs=make_chairs(None, "hari")), chairs=True)
    assert await listed(store, "sita") == []
    assert await listed(store, "hari") == [match.title]


async def test_active_matches_are_those_not_over(store: Store) -> None:
    for title, state, chairs in (("a", MatchState.FINISHED, False), ("b", MatchState.ABORTED, True)):
        match = await add(store, "sita", "hari", title=title)
        await commit(store, following(match, **(OVER | {"state": state})), chairs=chairs)
    await add(store, "sita", "hari", title="c", state=MatchState.PLAYING)
    assert sorted(await listed(store, active=True)) == ["c"]
    assert sorted(await listed(store)) == ["a", "b", "c"]


async def test_my_turn_lists_where_a_seat_of_mine_must_act(store: Store) -> None:
    left = msgspec.structs.replace(make_chairs("sita")[0], state=SeatState.LEFT)
    playing: dict[str, Any] = {"state": MatchState.PLAYING}
    await add(store, "hari", "sita", title="mine", must=0b10, **playing)
    await add(store, "hari", "sita", title="his", must=0b01, **playing)
    await add(store, "sita", "hari", "sita", title="one of two", must=0b110, game="bluff", **playing)
    await add(store, "sita", title="left", must=0b1, chairs=(left,), **playing)
    assert sorted(await listed(store, my_turn=True)) == ["mine", "one of two"]
    assert await listed(store, my_turn=True, game="bluff") == ["one of two"]


async def test_a_list_may_be_of_one_game(store: Store) -> None:
    await add(store, "sita", None, title="a", game="bluff", privacy=Privacy.PUBLIC)
    await add(store, "sita", None, title="b", game="jutpatti", privacy=Privacy.PUBLIC)
    assert await listed(store, game="bluff") == ["a"]
    found = await store.open_matches(but_of="nobody", game="jutpatti", before=None, limit=9)
    assert [match.title for match in found] == ["b"]


async def test_open_matches_are_public_seating_and_not_full(store: Store) -> None:
    public: dict[str, Any] = {"privacy": Privacy.PUBLIC}
    for number in range(3):
        await add(store, "sita", None, title=f"open {number}", created_at=number, **public)
    await add(store, "sita", None, title="private")
    await add(store, "sita", "hari", title="full", **public)
    await add(store, "sita", None, title="playing", state=MatchState.PLAYING, **public)
    found = await store.open_matches(but_of="nobody", game=None, before=None, limit=2)
    assert [match.title for match in found] == ["open 2", "open 1"]
    found = await store.open_matches(but_of="nobody", game=None, before=(found[1].created_at, found[1].id), limit=2)
    assert [match.title for match in found] == ["open 0"]
    assert await store.open_matches(but_of="sita", game=None, before=None, limit=2) == []


@pytest.mark.parametrize(
    "text",
    [
        "game = bluff",
        "game != bluff",
        "state = SEATING OR state = FINISHED",
        "NOT (state = FINISHED AND game = bluff)",
        "privacy = PUBLIC host = accounts/hari",
        "host != accounts/hari OR start = BY_HOST",
        'create_time > "1970-01-01T00:00:00.000002Z" AND create_time <= "1970-01-01T00:00:00.000005Z"',
        'create_time = "1970-01-01T00:00:00.000003Z"',
        "seating = RANDOM",
        "audience != MEMBERS disclosure = FULL",
    ],
)
async def test_a_filter_means_the_same_in_every_store_and_both_orders(store: Store, text: str) -> None:
    made = []
    for number in range(8):
        match = await add(
            store, ("sita", "hari")[number % 3 == 0], ("sita", None)[number % 2], created_at=number,
            game=("bluff", "gulam_chor")[number % 2], privacy=(Privacy.PUBLIC, Privacy.PRIVATE)[number // 4],
            audience=(Audience.EVERYONE, Audience.LINK)[number // 4],
            start_rule=(StartRule.AUTOMATIC, StartRule.BY_HOST)[number % 3 == 1],
            seating=(SeatingRule.RANDOM, SeatingRule.CHOSEN)[number % 3 == 2],
        )  # fmt: skip
        made.append(await commit(store, following(match, **OVER)) if number in (2, 4) else match)
    wanted = read_filter(text)
    assert wanted is not None
    mine = [match for match in made if "sita" in (match.host, *(chair.account_id for chair in match.chairs))]
    expected = [match.id for match in mine if holds(wanted, match)]
    for rising in (True, False):
        found: list[str] = []
        before = None
        while page := await store.matches_of(
            "sita", active=False, my_turn=False, game=None, before=before, limit=2, wanted=wanted, rising=rising
        ):
            found += [match.id for match in page]
            before = (page[-1].created_at, page[-1].id)
        assert found == (expected if rising else expected[::-1])
    opened = [match for match in made if match.state is MatchState.SEATING and match.privacy is Privacy.PUBLIC]
    free = [match.id for match in opened if any(chair.state is SeatState.OPEN for chair in match.chairs)]
    found = [
        match.id
        for match in await store.open_matches(
            but_of="nobody", game=None, before=None, limit=9, wanted=wanted, rising=True
        )
    ]
    assert found == [match.id for match in opened if match.id in free and holds(wanted, match)]


async def test_standings_tell_how_active_matches_stand(store: Store) -> None:
    over = await add(store, "sita", "hari", created_at=1)
    await commit(store, following(over, **OVER))
    waiting = await add(store, "sita", None, created_at=2)
    playing = await add(store, "sita", "hari", created_at=3, state=MatchState.PLAYING, must=0b01)
    assert await store.standings("sita", 9) == [
        Standing(playing.id, 1, MatchState.PLAYING, True),
        Standing(waiting.id, 1, MatchState.SEATING, False),
    ]
    assert [standing.my_turn for standing in await store.standings("hari", 9)] == [False]
    assert len(await store.standings("sita", 1)) == 1


# ── What is due ───────────────────────────────────────────────────────────────────────────────────────────────────────


ALL = tuple(DueKind)


async def claim(store: Store, limit: int = 9, seconds: int = 1, kinds: tuple[DueKind, ...] = ALL) -> list[str]:
    """The matches that are claimed."""
    return [one.match_id for one in (await store.claim_due(kinds, limit, seconds * SECOND)).claimed]


async def test_what_is_due_is_claimed_once_until_the_lease_runs_out(store: Store, clock: SetClock) -> None:
    due = [await add_due(store, DueKind.PLAY_LEFT, clock.time + number * SECOND) for number in range(4)]
    await add(store, "sita")
    clock.pass_seconds(2)
    claimed = await asyncio.gather(*(claim(store, 2, 10) for _ in range(3)))
    assert sorted(match_id for ids in claimed for match_id in ids) == sorted(match.id for match in due[:3])
    assert await claim(store) == []
    clock.pass_seconds(2)
    assert await claim(store, 9, 60) == [due[3].id]
    await store.pulse()
    clock.pass_seconds(4)
    await store.pulse()
    clock.pass_seconds(4)
    assert sorted(await claim(store)) == sorted(match.id for match in due[:3])


async def test_the_earliest_are_claimed_first_of_the_kinds_asked_for(store: Store, clock: SetClock) -> None:
    late, early = [await add_due(store, DueKind.PACK, clock.time - age) for age in (1, 2)]
    move = await add_due(store, DueKind.CLOCK, clock.time)
    assert await claim(store, 1, 1, (DueKind.PACK, DueKind.EXPIRE)) == [early.id]
    assert await claim(store, 1, 1, (DueKind.PACK, DueKind.EXPIRE)) == [late.id]
    claims = await store.claim_due((DueKind.CLOCK,), 9, SECOND)
    assert (claims.claimed, claims.next_at) == ([Claim(move.id, 1)], clock.time + SECOND)


async def test_so_many_of_each_kind_are_claimed_and_those_due_first_come_first(store: Store, clock: SetClock) -> None:
    kinds = (DueKind.CLOCK, DueKind.PLAY_LEFT)
    ids = {age: (await add_due(store, kinds[age > 3], clock.time - age)).id for age in (1, 5, 2, 4, 3, 6)}
    assert await claim(store, 2, 1, kinds) == [ids[age] for age in (6, 5, 3, 2)]
    assert await claim(store, 2, 1, kinds) == [ids[age] for age in (4, 1)]


async def test_what_is_looked_at_before_it_is_due_is_looked_at_again_when_it_is(store: Store, clock: SetClock) -> None:
    match = await add(store, "sita", due_kind=DueKind.CLOCK, due_at=clock.time + 2 * SECOND, wake_at=clock.time - 1)
    claims = await store.claim_due((DueKind.CLOCK,), 9, SECOND)
    assert (claims.claimed, claims.next_at) == ([], match.due_at)
    clock.pass_seconds(2)
    assert await claim(store) == [match.id]


async def test_what_is_put_off_waits_as_long_again_as_it_has_waited_within_bounds(
    store: Store, clock: SetClock
) -> None:
    match, other = [await add_due(store, DueKind.CLOCK, clock.time + SECOND) for _ in range(2)]
    most = 12 * SECOND
    assert await store.put_off(match.id, most) is None  # nothing is due yet
    clock.pass_seconds(1)
    due_at = clock.time
    waits = []
    for _ in range(5):
        assert match.id in await claim(store)
        put_off = await store.put_off(match.id, most)
        assert put_off is not None
        assert put_off.game == match.game
        waits.append((put_off.until - clock.time) // SECOND)
        found = await store.find_match(match.id)
        assert found is not None
        assert (found.due_at, found.wake_at, found.is_put_off) == (due_at, put_off.until, True)
        for _ in range(waits[-1]):
            assert match.id not in await claim(store)
            await store.pulse()
            clock.pass_seconds(1)
    assert waits == [3, 3, 6, 12, 12]
    assert sorted(await claim(store)) == sorted([match.id, other.id])


async def test_what_is_not_due_is_not_put_off(store: Store, clock: SetClock) -> None:
    match = await add_due(store, DueKind.CLOCK, clock.time)
    claimed = await claim(store)
    assert claimed == [match.id]
    moved = following(match, due_at=clock.time + SECOND, wake_at=clock.time + SECOND, due_kind=DueKind.CLOCK)
    await commit(store, moved)  # by another process, meanwhile
    assert await store.put_off(match.id, 9 * SECOND) is None
    assert await store.put_off((await add(store, "sita")).id, 9 * SECOND) is None
    assert await store.put_off("nobody", 9 * SECOND) is None
    assert await store.find_match(match.id) == moved
    clock.pass_seconds(1)
    await store.pulse()
    assert await claim(store) == [match.id]
    clock.pass_seconds(3600)
    assert await store.put_off(match.id, 9 * SECOND) is None  # in an outage that is not credited


async def test_clocks_are_kept_with_each_commit(store: Store) -> None:
    clock = TimeControl(bank=60 * SECOND, increment=SECOND, away_after=3, when_away=WhenAway.RESIGN)
    match = await add(store, "sita", "hari", clock=clock)
    clocks = Clocks((1_790_000_000 * SECOND, 0), (5, 60 * SECOND), (2, 0), 1, 2)
    match = following(match, clocks=clocks, wake_at=5, due_at=7, due_kind=DueKind.CLOCK)
    await commit(store, match)
    assert await store.find_match(match.id) == match
    assert await store.find_matches([match.id, "nobody"]) == [match]


# ── Outages ───────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_an_outage_is_credited_once_and_nothing_is_claimed_before(store: Store, clock: SetClock) -> None:
    match = await add_due(store, DueKind.CLOCK, clock.time + 3 * SECOND)
    before = store.service_time()
    clock.pass_seconds(3600)
    assert await claim(store) == []
    assert store.service_time() == before + 5 * SECOND, "it stands still where nobody knows"
    assert sorted(await asyncio.gather(store.pulse(), store.pulse())) == [0, 3600 * SECOND]
    assert (store.outages, store.service_time()) == (3600 * SECOND, before)
    assert await claim(store) == []
    clock.pass_seconds(3)
    assert await store.pulse() == 0
    assert await claim(store) == [match.id]


async def test_a_service_that_is_busy_for_a_while_is_not_out(store: Store, clock: SetClock) -> None:
    before = store.service_time()
    for _ in range(3):
        clock.pass_seconds(5)
        assert await store.pulse() == 0
    assert store.service_time() == before + 15 * SECOND


async def test_a_clock_that_is_set_back_takes_no_time(store: Store, clock: SetClock) -> None:
    before = store.service_time()
    clock.pass_seconds(-3600)
    assert await store.pulse() == 0
    assert before <= store.service_time() < before + 60 * SECOND


# ── Packing ───────────────────────────────────────────────────────────────────────────────────────────────────────────


SHORT: dict[str, dict[str, object]] = {
    "gulam_chor": {"rounds": 1},
    "bluff": {"lay_limit": 60},
    "jutpatti": {"deck_runs": 1},
    "dehla_pakad": {"max_hands": 1},
}
"""By game, the settings of a short match."""


async def keep_played(store: Store, clock: SetClock, key: str) -> tuple[Match, list[Entry]]:
    """A match of this game in the store, played to its end, and its entries as they were committed."""
    entries = []
    match: Match | None = None
    for match, entry in play(key, 4, 7, **SHORT[key]):
        clock.time += 1_234_567
        new = match.revision == 1
        at = await (store.add_match(match, entry) if new else store.commit(match, entry))
        entries.append(msgspec.structs.replace(entry, at=at))
    assert match is not None
    return match, entries


@pytest.mark.parametrize("key", SHORT)
async def test_a_packed_journal_reads_as_before(store: Store, clock: SetClock, key: str) -> None:
    match, entries = await keep_played(store, clock, key)
    for _ in range(2):
        await store.pack(match.id)
        packed = msgspec.structs.replace(match, packed=True, due_at=None, due_kind=None)
        assert await store.find_match(match.id) == packed
        expected = [entries[0], *(msgspec.structs.replace(entry, request=None) for entry in entries[1:])]
        assert await store.entries(match.id, 0, 100_000) == expected
        assert await store.entries(match.id, 1, 7) == expected[1:8]
        assert await store.entries(match.id, len(entries) - 1, 7) == expected[-1:]
        assert await store.entries(match.id, len(entries), 7) == []


async def test_requests_are_found_in_a_packed_match(store: Store, clock: SetClock) -> None:
    match, entries = await keep_played(store, clock, "jutpatti")
    await store.pack(match.id)
    for entry in entries:
        assert entry.request is not None
        assert entry.account_id is not None
        assert await store.find_request(entry.account_id, entry.request, match.id) == entry
        assert await store.find_request("somebody", entry.request, match.id) is None
        other = RequestKey(entry.request.id, make_request("other").digest)
        found = await store.find_request(entry.account_id, other, match.id)
        assert found is not None
        assert found.revision == entry.revision
        assert found.request is not None
        assert found.request.digest != other.digest
    assert await store.find_request(match.host, make_request(), match.id) is None


async def test_the_request_that_created_a_packed_match_is_still_refused(store: Store, clock: SetClock) -> None:
    match, entries = await keep_played(store, clock, "jutpatti")
    await store.pack(match.id)
    again = make_match(match.host)
    with pytest.raises(RequestSeen) as seen:
        await store.add_match(again, make_entry(again, account_id=match.host, request=entries[0].request))
    assert seen.value.entry == entries[0]


async def test_a_packed_match_may_still_change(store: Store, clock: SetClock) -> None:
    """A change that was made from a match before it was packed does not unpack it."""
    match, entries = await keep_played(store, clock, "jutpatti")
    await store.pack(match.id)
    last = entries[-1]
    changed = following(match, phase="over", due_at=None, due_kind=None)
    with pytest.raises(RequestSeen) as seen:
        await store.commit(changed, make_entry(changed, account_id=last.account_id, request=last.request))
    assert seen.value.entry == last
    request = make_request()
    await commit(store, changed, request=request)
    assert await store.find_match(match.id) == msgspec.structs.replace(changed, packed=True)
    assert await revisions(store, match.id) == list(range(1, len(entries) + 2))
    assert (await store.entries(match.id, len(entries), 9))[0].request == request


async def test_packing_what_is_not_there_does_nothing(store: Store) -> None:
    await store.pack(new_id())


# ── The store ─────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_times_never_decrease_where_the_clock_steps_back(store: Store, clock: SetClock) -> None:
    match = await add(store, "sita")
    times = [store.clock()]
    for step in (5, -3600, 1, -1, 7200):
        clock.pass_seconds(step)
        match = following(match)
        times += [await store.commit(match, make_entry(match)), store.clock()]
    assert times == sorted(times)
    assert times[-1] == clock.time
    ats = [entry.at for entry in await store.entries(match.id, 0, 10)]
    assert ats == sorted(ats)


async def test_the_clock_runs_on_where_the_system_s_steps_back(store: Store, clock: SetClock) -> None:
    before = store.clock()
    clock.pass_seconds(-3600)
    await asyncio.sleep(0.02)
    assert before + 10_000 < store.clock() < before + 60 * SECOND


async def test_a_closed_store_is_away(store: Store) -> None:
    match = await add(store, "sita")
    await store.check()
    await store.close()
    for call in (store.check(), store.find_match(match.id), commit(store, following(match)), store.signing_keys()):
        with pytest.raises(Unavailable) as away:
            await call
        assert away.value.reason == "STORAGE_AWAY"
