"""Watching one's own matches: how they stand all at once at first, then each that changes."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Iterable
from typing import Final

import structlog

from chautari.app import access
from chautari.app.bans import Bans
from chautari.app.caller import Caller
from chautari.app.clocks import first_due
from chautari.app.events import SeatVacated
from chautari.app.live import Done, LiveMatches
from chautari.app.ports import Store
from chautari.app.spectating import Spectating
from chautari.app.updates import Beat, End, EndCause, MineChange, MineSummary
from chautari.app.values import Cause, Match, SeatState, Standing
from chautari.errors import ChautariError

_MOST: Final = 200
_GATHER_SECONDS: Final = 0.02
_AWAY_SECONDS: Final = 1.0

_log: Final = structlog.get_logger(__name__)


class Told:
    """What one stream has told: of each match that its account is in the revision, and which ended lately."""

    def __init__(self) -> None:
        self.revisions: dict[str, int] = {}
        self._ended: deque[str] = deque(maxlen=_MOST)

    def is_new(self, match: Match, *, member: bool) -> bool:
        """Whether this has not been told yet, as it is about to be: several ways lead here from one change."""
        if match.is_over or not member:
            before = self.revisions.pop(match.id, None)
            if not member:
                return before is not None
            if match.id in self._ended:
                return False
            self._ended.append(match.id)
            return True
        if self.revisions.get(match.id) == match.revision:
            return False
        self.revisions[match.id] = match.revision
        return True


class Mine:
    """Streams of the matches of an account."""

    def __init__(
        self, store: Store, live: LiveMatches, spectating: Spectating, bans: Bans, *, heartbeat_seconds: float
    ) -> None:
        self._store = store
        self._live = live
        self._spectating = spectating
        self._heartbeat = heartbeat_seconds
        self._queues: dict[str, dict[asyncio.Queue[str], Told]] = {}
        """Of each account that watches here its streams, each with what it has told."""
        self._is_draining = False
        self._bans = bans
        bans.on_new(self._wake)
        live.on_done(self._done)
        self._known: dict[str, int] = {}
        """Up to which revision the matches of those who watch here have been told, or are about to be."""
        self._elsewhere: set[str] = set()
        self._looking: asyncio.Task[None] | None = None

    async def look_round(self) -> None:
        """Looks at the store for what no hint has told of: matches that changed, began or ended."""
        accounts, known = list(self._queues), dict(self._known)
        latest = await self._store.revisions((), accounts) if accounts else {}
        for match_id, revision in latest.items():
            if revision > known.get(match_id, 0):
                self.hint(match_id)
        for match_id in known.keys() - latest.keys():  # it is over, or nobody of those who watch sits there now
            self.hint(match_id)
        since = {match_id: revision for match_id, revision in self._known.items() if match_id not in known}
        self._known = since | latest  # who has begun to watch since is compared the next time

    def hint(self, match_id: str) -> None:
        """Some other replica may have committed a change: those who sit there and watch here are told."""
        if self._queues:
            self._elsewhere.add(match_id)
            if self._looking is None or self._looking.done():
                self._looking = asyncio.get_running_loop().create_task(self._look())

    async def _look(self) -> None:
        await asyncio.sleep(_GATHER_SECONDS)
        while self._elsewhere:
            match_id = self._elsewhere.pop()
            try:
                live = await self._live.load(match_id, fresh=True)
            except ChautariError as error:
                if error.reason == "STORAGE_AWAY":  # what was heard of must not be forgotten
                    self._elsewhere.add(match_id)
                    await asyncio.sleep(_AWAY_SECONDS)
                continue  # what cannot be read here, as what a newer release has written, holds up no other
            except Exception:
                _log.exception("a match cannot be read", match=match_id)
                continue
            if live is not None:
                self._tell(live.match, self._told_of(match_id))

    def _told_of(self, match_id: str) -> list[str]:
        """The accounts here that were told to be in a match: who has got up elsewhere sits there no more."""
        return [
            account
            for account, streams in self._queues.items()
            if any(match_id in told.revisions for told in streams.values())
        ]

    def drain(self) -> None:
        """Ends every stream: the server is about to stop."""
        self._is_draining = True
        for queues in self._queues.values():
            for queue in queues:
                queue.put_nowait("")

    def _wake(self, account: str) -> None:
        """Tells the streams of an account that there is something to do."""
        for queue in self._queues.get(account, ()):
            queue.put_nowait("")

    async def watch(self, caller: Caller) -> AsyncGenerator[MineSummary | MineChange | Beat | End]:
        """How the caller's matches stand: all at once at first, then each that changes; the newest is always told."""
        account = caller.account
        queue: asyncio.Queue[str] = asyncio.Queue()
        queues = self._queues.setdefault(account, {})
        told = queues[queue] = Told()
        try:
            if not self._store.exclusive:
                for match_id, revision in (await self._store.revisions((), (account,))).items():
                    self._known.setdefault(match_id, revision)
            standings = await self._store.standings(account, _MOST + 1)
            told.revisions.update((standing.match_id, standing.revision) for standing in standings[:_MOST])
            yield MineSummary(standings[:_MOST], len(standings) > _MOST, self._store.epoch)
            while not self._is_draining:
                if has_expired(caller, self._store.clock()):
                    yield End("", 0, EndCause.TOKEN, True)
                    return
                if self._bans.find(account):
                    yield End("", 0, EndCause.BANNED, False)
                    return
                changed: set[str] = set()
                try:
                    async with asyncio.timeout(self._heartbeat):
                        changed.add(await queue.get())
                except TimeoutError:
                    yield Beat("", 0, self._store.clock())
                while not queue.empty():
                    changed.add(queue.get_nowait())
                for match_id in sorted(changed - {""}):
                    change = await self._standing(caller, match_id, told)
                    if change is not None:
                        yield change
            yield End("", 0, EndCause.DRAINING, True, 500)
        finally:
            del queues[queue]
            if not queues:
                self._queues.pop(account, None)

    async def _standing(self, caller: Caller, match_id: str, told: Told) -> MineChange | None:
        live = await self._live.load(match_id, fresh=True)
        if live is None:
            return None
        match = live.match
        member = access.is_member(match, caller)
        if not told.is_new(match, member=member):
            return None
        if not member:
            match = (await self._spectating.seen(live, caller)).match
        mine = [chair for chair in match.chairs if chair.account_id == caller.account]
        taken = [chair.number for chair in mine if chair.state is SeatState.TAKEN]
        my_turn = any(match.must >> seat & 1 for seat in taken) and not match.is_over
        due_at = first_due(match, taken, self._store.outages) if member else None
        return MineChange(Standing(match_id, match.revision, match.state, my_turn, due_at), member)

    def _done(self, done: Done) -> None:
        """This process committed a change: its members are told."""
        if not self._queues:
            return
        others = {done.entry.account_id}
        if done.entry.cause is Cause.SEATING:
            others |= {event.removed for event in done.events if isinstance(event, SeatVacated)}
        self._tell(done.live.match, others)

    def _tell(self, match: Match, others: Iterable[str | None]) -> None:
        accounts = {match.host, *others, *(chair.account_id for chair in match.chairs)}
        for account in accounts:
            for queue in self._queues.get(account or "", ()):
                queue.put_nowait(match.id)


def has_expired(caller: Caller, now: int) -> bool:
    """Whether the caller's token has run out."""
    return caller.expires_at is not None and caller.expires_at <= now
