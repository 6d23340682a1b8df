"""Matches under way: the cached state of each, and the one path by which it changes.

A change is made from the latest state, written under the guard of its revision, and only then told. Where another
writer was faster it is made again from what that one left. Nothing here is the truth: what is cached may be dropped at
any time, and a write from a stale cache is refused by the store.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

import msgspec

from chautari import engine
from chautari.app import catalog, clocks
from chautari.app import events as journal
from chautari.app.audit import Note
from chautari.app.events import AnyEvent
from chautari.app.newer import newer
from chautari.app.ports import Bus, Overtaken, Store
from chautari.app.values import Cause, Claim, DueKind, EndReason, Entry, Match, MatchState, Micros, Outcome, RequestKey
from chautari.engine import FairStream, Position, Seat
from chautari.errors import ChautariError, NotFound, Unavailable

_CACHED: Final = 2000
_QUEUES: Final = 2 * _CACHED
_TRIES: Final = 50


class Live(msgspec.Struct, frozen=True):
    """A match at its latest revision known here. position: None before the start; fair: its source of shuffles."""

    match: Match
    position: Position[Any] | None
    fair: FairStream | None


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What a use case wants to make of a match: the match as it becomes, still without its new revision, and why.

    audit: what an operator's log has of it, written in the same transaction; note: goes into the outcome.
    """

    match: Match
    position: Position[Any] | None
    fair: FairStream | None
    events: list[AnyEvent]
    cause: Cause
    seat: Seat | None = None
    account_id: str | None = None
    action: str = ""
    request: RequestKey | None = None
    chairs: bool = False
    audit: Note | None = None
    note: str = ""


class Done(msgspec.Struct, frozen=True):
    """A committed change: the state it left, its entry, and its events."""

    live: Live
    entry: Entry
    events: list[AnyEvent]


DoneListener = Callable[[Done], None]


class LiveMatches:
    """The cache of live matches, and how they change."""

    def __init__(
        self, store: Store, bus: Bus, *, pack_after: Micros, expire_after: Micros = 0, idle_after: Micros = 0
    ) -> None:
        self._store = store
        self._bus = bus
        self._pack_after = pack_after
        self._expire_after = expire_after
        self._idle_after = idle_after
        self._cache: OrderedDict[str, Live] = OrderedDict()
        self._dropped = 0
        self._queues: dict[str, asyncio.Lock] = {}
        self._listeners: list[DoneListener] = []
        self._rewritten: list[Callable[[str], None]] = []

    def on_done(self, listener: DoneListener) -> None:
        """Calls the listener with each change that this process commits, at once and in order."""
        self._listeners.append(listener)

    def _queue(self, match_id: str) -> asyncio.Lock:
        """Where changes of a match wait for each other. One that is dropped too early costs a second try, no more."""
        queue = self._queues.get(match_id)
        if queue is None:
            if len(self._queues) >= _QUEUES:
                del self._queues[next(iter(self._queues))]
            queue = self._queues[match_id] = asyncio.Lock()
        return queue

    async def load(self, match_id: str, *, fresh: bool = False) -> Live | None:
        """The match, from the cache where that must be right or need not be; None where there is none."""
        return self._cached(match_id, fresh=fresh) or await self._read(match_id)

    def _cached(self, match_id: str, *, fresh: bool) -> Live | None:
        live = self._cache.get(match_id)
        if live is None or (fresh and not self._store.exclusive):
            return None
        self._cache.move_to_end(match_id)
        return live

    async def _read(self, match_id: str, *, blind: bool = False) -> Live | None:
        dropped = self._dropped
        match = await self._store.find_match(match_id)
        if match is None:
            return None
        try:
            live = restore(match)
        except (engine.Unreadable, NotFound):
            if blind:
                return Live(match, None, None)
            raise
        # What was dropped meanwhile may have been newer than what was read: then this is not for keeping.
        return self._keep(live) if self._dropped == dropped else live

    async def prepare(self, claims: Sequence[Claim]) -> None:
        """Reads those of these matches that are not cached at the revision claimed, all at once; what cannot be read
        is passed over."""
        stale = []
        for claim in claims:
            live = self._cache.get(claim.match_id)
            if live is None or live.match.revision < claim.revision:
                self.forget(claim.match_id)
                stale.append(claim.match_id)
        if not stale:
            return
        dropped = self._dropped
        found = await self._store.find_matches(stale)
        for match in found if self._dropped == dropped else ():
            with suppress(ChautariError, engine.Unreadable):  # whoever needs it finds out what is wrong
                self._keep(restore(match))

    async def change(self, match_id: str, make: Callable[[Live | None], Change], *, blind: bool = False) -> Done:
        """Commits what `make` makes of the latest state; `make` may be called again where another writer was faster.

        blind: where that state cannot be read, `make` is given the match without it.

        What `make` raises is passed on, and nothing has changed then. RequestSeen comes from the store. The change is
        committed even if the caller goes away meanwhile. Unavailable where others are faster time and again.
        """
        queue = self._queue(match_id)
        await queue.acquire()  # `async with`, and `load` below, would each be a coroutine more in every act
        try:
            fresh = self._store.exclusive
            for _ in range(_TRIES):
                live = self._cached(match_id, fresh=fresh) or await self._read(match_id, blind=blind)
                try:
                    change = make(live)
                except Exception:  # a refusal, or that there is nothing to do
                    if fresh:
                        raise
                    fresh = True  # what is cached here may be older than what another replica has committed
                    continue
                try:
                    return await self._commit(change)
                except Overtaken:
                    self.forget(match_id)
            raise Unavailable("STORAGE_AWAY", "others change this match all the time: nothing was changed; try again")
        finally:
            queue.release()

    async def add(self, change: Change, *, open_at_most: int = 0) -> Done:
        """Keeps a new match, at revision 1. What the store's `add_match` raises."""
        return await self._commit(change, new=True, open_at_most=open_at_most)

    async def _commit(self, change: Change, *, new: bool = False, open_at_most: int = 0) -> Done:
        revision = 1 if new else change.match.revision + 1
        match = self._settle(change, revision)
        if match.clock is not None and match.clocks is not None:
            change.events[:0] = clocks.told(change.match.clocks, match.clocks)
        entry = Entry(
            match_id=match.id, revision=revision, cause=change.cause, seat=change.seat, account_id=change.account_id,
            action=change.action, events=journal.encode(change.events), request=change.request,
        )  # fmt: skip
        late = partial(self._tell, match, entry, change)
        if new:
            writing = self._store.add_match(match, entry, open_at_most=open_at_most, late=late)
        else:
            writing = self._store.commit(match, entry, chairs=change.chairs, late=late, audit=change.audit)
        try:
            at = await writing
        except BaseException:
            self.forget(match.id)
            if writing.done() and not writing.cancelled() and writing.exception() is None:  # cancelled just after
                late(writing.result())
            raise
        return self._tell(match, entry, change, at)

    def _tell(self, match: Match, entry: Entry, change: Change, at: Micros) -> Done:
        """The change is committed: keeps the new state, and tells those who listen."""
        live = Live(match, change.position, change.fair)
        self._keep(live)
        done = Done(live, msgspec.structs.replace(entry, at=at), change.events)
        for listener in self._listeners:
            listener(done)
        self._bus.publish(match.id, match.revision)
        return done

    def _settle(self, change: Change, revision: int) -> Match:
        """The match with all that follows from its position: state, snapshot, whose turn it is, and what falls due."""
        match, position = change.match, change.position
        if position is None:
            if match.state is not MatchState.SEATING or not self._expire_after:
                return msgspec.structs.replace(match, revision=revision)
            end = self._store.service_time() + self._expire_after
            return msgspec.structs.replace(match, revision=revision, due_at=end, due_kind=DueKind.EXPIRE, wake_at=end)
        fields: dict[str, Any] = {
            "revision": revision, "snapshot": engine.encode(position), "must": position.must, "phase": position.phase,
            "shuffles": change.fair.used if change.fair else 0,
        }  # fmt: skip
        due_at: Micros | None = None
        due_kind: DueKind | None = None
        wake_at: Micros | None = None
        now = self._store.service_time()
        if match.clock is not None and not match.is_over:
            fields["clocks"] = clocks.wound(match, position, change.cause, change.seat, change.events, now)
        if position.result is not None and not match.is_over:
            result = position.result
            reason = EndReason.OPERATOR if change.cause is Cause.OPERATOR else _reason(position)
            fields |= {
                "state": MatchState.ABORTED if result.aborted else MatchState.FINISHED, "ended_at": self._store.clock(),
                "outcome": Outcome(result.placing, result.score, result.aborted, reason, change.note),
            }  # fmt: skip
            due_at, due_kind = now + self._pack_after, DueKind.PACK
        elif position.result is None:
            due_at, due_kind = clocks.falls_due(match, fields.get("clocks"), position, now)
            if due_at is None and self._idle_after:  # it waits, but not for ever
                due_at, due_kind = now + self._idle_after, DueKind.EXPIRE
            if due_at is not None and due_kind is not DueKind.PLAY_LEFT and now < (match.wake_at or 0) <= due_at:
                wake_at = match.wake_at  # to move it with each act would cost the database a change of its index
        fields |= {"due_at": due_at, "due_kind": due_kind, "wake_at": wake_at or due_at}
        return msgspec.structs.replace(match, **fields)

    def forget(self, match_id: str) -> None:
        """Drops what is cached of a match."""
        self._dropped += 1
        self._cache.pop(match_id, None)

    def on_rewritten(self, listener: Callable[[str], None]) -> None:
        """Calls the listener with each match whose journal was rewritten: what is kept of it tells what it told."""
        self._rewritten.append(listener)

    def rewritten(self, match_id: str) -> None:
        """Drops what is cached of a match whose journal was rewritten, here and wherever else it is kept."""
        self.forget(match_id)
        for listener in self._rewritten:
            listener(match_id)

    def _keep(self, live: Live) -> Live:
        """Keeps what was read or committed, and gives the newest that is known."""
        known = self._cache.get(live.match.id)
        if known is not None and known.match.revision > live.match.revision:
            return known
        self._cache[live.match.id] = live
        self._cache.move_to_end(live.match.id)
        if len(self._cache) > _CACHED:
            self._cache.popitem(last=False)
        return live


def restore(match: Match) -> Live:
    """A stored match with its position and its shuffles.

    Unavailable `MATCH_NEWER` where this program is too old for it, NotFound `RULES_UNKNOWN` where it knows its rules no
    more, engine.Unreadable where it is damaged.
    """
    catalog.game_of(match)
    if match.snapshot is None:
        return Live(match, None, None)
    try:
        position = engine.decode(catalog.find_rules(match.game, match.rules_version), match.snapshot)
    except engine.NewerSchema as error:
        raise newer(match.id) from error
    return Live(match, position, fair_stream(match))


def fair_stream(match: Match) -> FairStream:
    """The fair shuffles of a match, going on from those made so far."""
    return FairStream(
        match=match.id, game=match.game, version=match.rules_version, secret=match.secret,
        contributions=[chair.contribution for chair in match.chairs], used=match.shuffles,
    )  # fmt: skip


def _reason(position: Position[Any]) -> EndReason:
    if not position.left:
        return EndReason.PLAYED
    if position.result is not None and position.result.aborted:
        return EndReason.DESERTED
    return EndReason.RESIGNED if engine.sides_left(position) == 1 else EndReason.PLAYED
