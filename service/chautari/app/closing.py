"""Accounts that end: two are merged, or one is deleted, and what becomes of their matches.

The account itself ends in one transaction, with all that is signed in with. Its matches follow, one after the other:
those that are not over before the call is answered, the others soon after. A call that gives the account a seat
meanwhile finds that it has ended, and gives it up again. What a crash leaves undone is done by a second look half a
minute later.
"""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, Final

import msgspec
import structlog

from chautari.app.account_ports import Gone
from chautari.app.account_values import Account, Closing, ClosingKind, Renaming
from chautari.app.accounts import Accounts
from chautari.app.caller import Caller
from chautari.app.changes import Changes
from chautari.app.events import AnyEvent, HostChanged, SeatHanded
from chautari.app.freshness import check_fresh, check_young
from chautari.app.keys import own_account
from chautari.app.leaving import leave_change
from chautari.app.listing import active_matches
from chautari.app.live import Change, Live, LiveMatches
from chautari.app.matches import Matches
from chautari.app.ports import Store
from chautari.app.values import SECOND, Cause, MatchState, Micros
from chautari.errors import ChautariError, Conflict, Forbidden, Malformed, Unauthenticated

DELETED_NAME: Final = "Deleted player"
"""What an account that is gone is called in the matches of others."""
SECOND_LOOK: Final[Micros] = 30 * SECOND
"""By then every call that the account was still making has ended."""
_LEASE: Final[Micros] = 60 * SECOND
_CLAIMED_AT_ONCE: Final = 4
_PAUSE_SECONDS: Final = 5.0
_OVER_AT_ONCE: Final = 3

_log = structlog.get_logger("chautari.accounts")


class Nothing(Exception):
    """There is nothing to be done in this match, or nothing more."""


class Closings:
    """The use cases that end an account, and the loop that finishes what they began."""

    def __init__(self, store: Store, accounts: Accounts, live: LiveMatches, changes: Changes, matches: Matches) -> None:
        self._store = store
        self._accounts = accounts
        self._live = live
        self._matches = matches
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop: asyncio.Task[None] | None = None
        changes.on_ended(self._end)

    async def start(self) -> None:
        """Begins to look for what is left to do."""
        self._loop = asyncio.get_running_loop().create_task(self._claim())

    async def stop(self) -> None:
        """Begins nothing more; what is under way goes on at the next start."""
        tasks = [task for task in (self._loop, *self._tasks) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def merge(self, caller: Caller, account_id: str, other_token: str) -> Account:
        """Merges the account of another access token into the caller's, and gives that. Both hold it in their hands.

        Malformed `SAME_ACCOUNT`; Forbidden `NOT_SELF`; Unauthenticated `TOKEN_INVALID`, `TOKEN_EXPIRED`, `SIGN_IN_OLD`.
        Repeated, it changes nothing and gives the same.
        """
        own_account(caller, account_id)
        check_fresh(caller, self._store.clock())
        other = await self._accounts.read_sign_in(other_token)
        if other.account_id == caller.account:
            raise Malformed("SAME_ACCOUNT", "an account is not merged into itself", field="other_access_token")
        closing = await self._store.find_closing(other.account_id)
        if closing is None or closing.survivor != caller.account:
            await self._accounts.authenticate(other_token)
            check_young(other.expires_at, self._store.clock(), "other_access_token")
            due_at = self._store.clock() + SECOND_LOOK
            try:
                revoked = await self._store.merge_account(other.account_id, caller.account, due_at)
            except Gone:
                raise Unauthenticated("TOKEN_INVALID", "one of the two accounts is no more: sign in again") from None
            self._accounts.forget(other.account_id, revoked)
            _log.info("accounts merged", merged=other.account_id, survivor=caller.account)
        await self._end(other.account_id)
        return await self._accounts.get(caller, "me")

    async def delete(self, caller: Caller, account_id: str) -> None:
        """Deletes the caller's account: it leaves its matches, and its name goes from all of them.

        Forbidden `NOT_SELF`; Unauthenticated `SIGN_IN_OLD`.
        """
        own_account(caller, account_id)
        check_fresh(caller, self._store.clock())
        due_at = self._store.clock() + SECOND_LOOK
        try:
            revoked = await self._store.delete_account(caller.account, DELETED_NAME, due_at)
        except Gone:
            return
        self._accounts.forget(caller.account, revoked)
        _log.info("account deleted", account=caller.account)
        await self._end(caller.account)

    async def perform(self, closing: Closing) -> None:
        """Does all that is left to do for an account that ended."""
        await self._look_after_active(closing)
        await self._look_after_over(closing)
        if self._store.clock() >= closing.at + SECOND_LOOK:
            await self._store.settle_closing(closing.account_id)

    # Within ───────────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _end(self, account_id: str) -> None:
        """Looks after the matches that are not over, and begins with the others."""
        closing = await self._store.find_closing(account_id)
        assert closing is not None
        await self._look_after_active(closing)
        task = asyncio.get_running_loop().create_task(self._try(self._look_after_over(closing)))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _look_after_active(self, closing: Closing) -> None:
        make = _hand_on if closing.survivor is not None else _abandon
        async for match in active_matches(self._store, closing.account_id):
            if closing.survivor is None and match.state is MatchState.SEATING:
                await self._leave(closing.account_id, match.id)
            else:
                await self._change(match.id, partial(make, closing))
            if closing.survivor is None:
                await self._rename(closing, match.id)

    async def _look_after_over(self, closing: Closing) -> None:
        renaming = _renaming(closing)
        while renamed := await self._store.rename_over(renaming, _OVER_AT_ONCE):
            for match_id in renamed:
                self._live.rewritten(match_id)
        if closing.kind is ClosingKind.DELETED:
            for match_id in await self._store.matches_asked(closing.account_id):
                await self._rename(closing, match_id)

    async def _leave(self, account_id: str, match_id: str) -> None:
        try:
            await self._matches.leave(Caller(account_id), match_id)
        except (Conflict, Forbidden):  # it has started or ended meanwhile, or somebody else removed it
            await self._change(match_id, partial(_abandon, _deleted(account_id)))

    async def _change(self, match_id: str, make: Callable[[Live | None], Change]) -> None:
        with suppress(Nothing):
            await self._live.change(match_id, make)

    async def _rename(self, closing: Closing, match_id: str) -> None:
        await self._store.rename_in_match(match_id, _renaming(closing))
        self._live.rewritten(match_id)

    async def _claim(self) -> None:
        while True:
            await self._try(self._claim_some())
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _claim_some(self) -> None:
        for closing in await self._store.claim_closings(_CLAIMED_AT_ONCE, _LEASE):
            await self._try(self.perform(closing))

    async def _try(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except ChautariError as error:
            _log.warning("an ended account waits", error=error.reason)
        except Exception:  # the loop goes on: the lease brings it again
            _log.exception("an ended account waits")


def _renaming(closing: Closing) -> Renaming:
    if closing.survivor is None:
        return Renaming(closing.account_id, closing.account_id, DELETED_NAME)
    return Renaming(closing.account_id, closing.survivor)


def _deleted(account_id: str) -> Closing:
    return Closing(account_id=account_id, kind=ClosingKind.DELETED, survivor=None, at=0, due_at=None)


def _hand_on(closing: Closing, live: Live | None) -> Change:
    """The seats of an account, and its place as the host, handed on to its survivor; Nothing where it has none."""
    old, new = closing.account_id, closing.survivor
    assert new is not None
    if live is None or live.match.is_over:
        raise Nothing
    match = live.match
    events: list[AnyEvent] = [SeatHanded(seat, new) for seat in match.seats_of(old)]
    if match.host == old:
        events.append(HostChanged(new))
    if not events:
        raise Nothing
    chairs = tuple(
        msgspec.structs.replace(chair, account_id=new) if chair.account_id == old else chair for chair in match.chairs
    )
    return Change(
        match=msgspec.structs.replace(match, chairs=chairs, host=new if match.host == old else match.host),
        position=live.position, fair=live.fair, events=events, cause=Cause.SEATING, account_id=old, chairs=True,
    )  # fmt: skip


def _abandon(closing: Closing, live: Live | None) -> Change:
    """The seats of an account in a match under way, left: the rules play them from then on; Nothing where none is."""
    old = closing.account_id
    if live is None or live.match.state is not MatchState.PLAYING or live.position is None:
        raise Nothing
    match, position = live.match, live.position
    seats = [seat for seat in match.seats_of(old) if seat not in position.left]
    if not seats:
        raise Nothing
    change = leave_change(live, seats, Cause.ABANDONED)
    chairs = tuple(
        msgspec.structs.replace(chair, display_name=DELETED_NAME) if chair.account_id == old else chair
        for chair in change.match.chairs
    )
    return msgspec.structs.replace(change, match=msgspec.structs.replace(change.match, chairs=chairs))
