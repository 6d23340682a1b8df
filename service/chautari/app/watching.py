"""Watching: streams of what happens in a match, each from its own cursor, fed by the journal.

A stream reads the journal behind its last revision; hints only tell it when to look. What one viewer may know of a
revision is cut once and given to all streams of that viewer. Nothing waits for a reader: a slow one is simply behind.
"""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncGenerator
from typing import Final

from chautari.app import access
from chautari.app import events as journal
from chautari.app.caller import Caller
from chautari.app.events import AnyEvent
from chautari.app.live import Done, Live, LiveMatches
from chautari.app.ports import Bus, Store
from chautari.app.updates import Beat, End, EndCause, MineChange, MineSummary, PresenceChange, Step, cut_step
from chautari.app.values import Entry, Micros, SeatState, Standing
from chautari.engine import Seat, Viewer
from chautari.errors import BeyondHead

_RECENT: Final = 64
"""So many entries of a watched match are kept at hand."""
_PAGE: Final = 100
_CUTS: Final = 512
_LOOK_AGAIN_SECONDS: Final = 0.02
_MINE: Final = 200


class _Feed:
    """What is at hand of one watched match: its head, the latest entries, the cuts made of them, and who watches."""

    def __init__(self) -> None:
        self.streams = 0
        self.head = 0
        self.live: Live | None = None
        self.recent: deque[tuple[Entry, list[AnyEvent]]] = deque(maxlen=_RECENT)
        self.cuts: OrderedDict[tuple[int, Viewer, bool], Step] = OrderedDict()
        self.changed = asyncio.Event()
        self.present: Counter[str] = Counter()
        self.notices: deque[tuple[int, Seat, bool]] = deque(maxlen=_RECENT)
        self.noticed = 0

    def wake(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()


class Watching:
    """Streams of matches, and of the matches of an account."""

    def __init__(self, store: Store, live: LiveMatches, bus: Bus, *, heartbeat_seconds: float) -> None:
        self._store = store
        self._live = live
        self._heartbeat = heartbeat_seconds
        self._feeds: dict[str, _Feed] = {}
        self._mine: dict[str, set[asyncio.Queue[str]]] = {}
        self._draining = asyncio.Event()
        live.on_done(self._done)
        bus.subscribe(self._hint)

    def drain(self) -> None:
        """Ends every stream: the server is about to stop."""
        self._draining.set()
        for feed in self._feeds.values():
            feed.wake()
        for queues in self._mine.values():
            for queue in queues:
                queue.put_nowait("")

    def online(self, match_id: str) -> frozenset[str]:
        """The accounts that watch this match here."""
        feed = self._feeds.get(match_id)
        return frozenset(feed.present) if feed else frozenset()

    def step_of(self, done: Done, viewer: Viewer) -> Step:
        """What a change just committed is to this viewer."""
        feed = self._feeds.get(done.entry.match_id)
        if feed is not None:
            return self._cut(feed, done.entry, done.events, viewer)
        return cut_step(done.entry, done.events, viewer, done.live)

    async def step_again(self, entry: Entry, viewer: Viewer) -> Step:
        """What an entry of the journal is to this viewer."""
        live = await self._live.load(entry.match_id, fresh=True)
        newest = live if live is not None and live.match.revision == entry.revision else None
        return cut_step(entry, journal.decode(entry.events), viewer, newest)

    async def watch(
        self, caller: Caller, match_id: str, seat: Seat | None, after: int | None
    ) -> AsyncGenerator[Step | Beat | PresenceChange | End]:
        """Each revision behind `after` once, in order, and then as it comes; None: only what comes.

        Ends with an `End`. Forbidden `NO_ACCESS`, `NOT_SEATED`; BeyondHead where `after` is no revision yet.
        """
        live = access.visible(await self._live.load(match_id, fresh=True), caller)
        if seat is not None:
            access.check_seat(live.match, caller, seat)
        revision = live.match.revision
        if after is not None and after > revision:
            raise BeyondHead("BEYOND_HEAD", f"the match is at revision {revision}", revision=revision)
        feed = self._feeds.get(match_id)
        if feed is None:
            feed = self._feeds[match_id] = _Feed()
        if revision >= feed.head:
            feed.head, feed.live = revision, live
        feed.streams += 1
        self._come(feed, caller, live)
        try:
            async for message in self._stream(feed, caller, match_id, seat, revision if after is None else after):
                yield message
        finally:
            feed.streams -= 1
            self._go(feed, caller)
            if not feed.streams and self._feeds.get(match_id) is feed:
                del self._feeds[match_id]

    async def _stream(
        self, feed: _Feed, caller: Caller, match_id: str, viewer: Viewer, cursor: int
    ) -> AsyncGenerator[Step | Beat | PresenceChange | End]:
        noticed = feed.noticed
        if cursor == feed.head and not (feed.live and feed.live.match.is_over):
            yield Beat(match_id, cursor, self._store.clock())
        while True:
            while cursor < feed.head:
                for entry, events in await self._entries(feed, match_id, cursor):
                    newest = feed.live or await self._live.load(match_id, fresh=True)
                    if newest is None or not self._may_stay(newest, caller, viewer):  # its seat may be another's by now
                        yield End(match_id, cursor, EndCause.NO_ACCESS, False)
                        return
                    cursor = entry.revision
                    yield self._cut(feed, entry, events, viewer)
            live = await self._at_head(feed, match_id, cursor)
            if live is None:
                if cursor >= feed.head:
                    await asyncio.sleep(_LOOK_AGAIN_SECONDS)
                continue
            if live.match.is_over:
                yield End(match_id, cursor, EndCause.MATCH_OVER, False)
                return
            if self._draining.is_set():
                yield End(match_id, cursor, EndCause.DRAINING, True, 500)
                return
            if _expired(caller, self._store.clock()):
                yield End(match_id, cursor, EndCause.TOKEN, True)
                return
            if not self._may_stay(live, caller, viewer):
                yield End(match_id, cursor, EndCause.NO_ACCESS, False)
                return
            for number, seat, online in list(feed.notices):
                if number > noticed:
                    noticed = number
                    yield PresenceChange(match_id, cursor, seat, online)
            if cursor == feed.head and noticed == feed.noticed and not self._draining.is_set():
                try:
                    async with asyncio.timeout(self._heartbeat):
                        await feed.changed.wait()
                except TimeoutError:
                    await self._look(feed, match_id)
                    yield Beat(match_id, cursor, self._store.clock())

    async def watch_mine(self, caller: Caller) -> AsyncGenerator[MineSummary | MineChange | Beat | End]:
        """How the caller's matches stand: all at once at first, then each that changes; the newest is always told."""
        account = caller.account
        queue: asyncio.Queue[str] = asyncio.Queue()
        queues = self._mine.setdefault(account, set())
        queues.add(queue)
        try:
            standings = await self._store.standings(account, _MINE + 1)
            yield MineSummary(standings[:_MINE], len(standings) > _MINE)
            known = {standing.match_id for standing in standings}
            while not self._draining.is_set():
                if _expired(caller, self._store.clock()):
                    yield End("", 0, EndCause.TOKEN, True)
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
                    change = await self._standing(account, match_id, known)
                    if change is not None:
                        yield change
            yield End("", 0, EndCause.DRAINING, True, 500)
        finally:
            queues.discard(queue)
            if not queues:
                self._mine.pop(account, None)

    # Within ───────────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _standing(self, account: str, match_id: str, known: set[str]) -> MineChange | None:
        live = await self._live.load(match_id, fresh=True)
        if live is None:
            return None
        match = live.match
        member = bool(match.seats_of(account)) or match.host == account
        if not member and match_id not in known:
            return None
        if member and not match.is_over:
            known.add(match_id)
        else:
            known.discard(match_id)
        mine = [chair for chair in match.chairs if chair.account_id == account and chair.state is SeatState.TAKEN]
        my_turn = any(match.must >> chair.number & 1 for chair in mine) and not match.is_over
        return MineChange(Standing(match_id, match.revision, match.state, my_turn), member)

    def _done(self, done: Done) -> None:
        """This process committed a change: feed it on without another look at the store."""
        entry = done.entry
        feed = self._feeds.get(entry.match_id)
        if feed is not None and entry.revision > feed.head:
            if feed.recent and feed.recent[-1][0].revision != entry.revision - 1:
                feed.recent.clear()
            feed.recent.append((entry, done.events))
            feed.head, feed.live = entry.revision, done.live
            feed.wake()
        if self._mine:
            self._tell_members(done.live, entry)

    def _tell_members(self, live: Live, entry: Entry) -> None:
        match = live.match
        for account in {match.host, entry.account_id, *(chair.account_id for chair in match.chairs)}:
            for queue in self._mine.get(account or "", ()):
                queue.put_nowait(match.id)

    def _hint(self, match_id: str, revision: int) -> None:
        """Some replica committed a change."""
        feed = self._feeds.get(match_id)
        if feed is not None and revision > feed.head:
            feed.head, feed.live = revision, None
            feed.recent.clear()
            feed.wake()

    async def _entries(self, feed: _Feed, match_id: str, cursor: int) -> list[tuple[Entry, list[AnyEvent]]]:
        """The next entries behind the cursor and up to the head: those at hand, else a page from the store.

        The store may hold more by now, of which this process has not been told: they come when it has.
        """
        recent = feed.recent
        if recent and recent[0][0].revision <= cursor + 1 <= recent[-1][0].revision:
            return [(entry, events) for entry, events in recent if entry.revision > cursor]
        stored = await self._store.entries(match_id, cursor, min(_PAGE, feed.head - cursor))
        if not stored:
            await asyncio.sleep(_LOOK_AGAIN_SECONDS)
        return [(entry, journal.decode(entry.events)) for entry in stored]

    async def _look(self, feed: _Feed, match_id: str) -> None:
        """Looks at the store where no hint has come for long: one may have been lost."""
        live = await self._live.load(match_id, fresh=True)
        if live is not None and live.match.revision > feed.head:
            self._hint(match_id, live.match.revision)

    async def _at_head(self, feed: _Feed, match_id: str, cursor: int) -> Live | None:
        """The match at the head; None where the head has moved on meanwhile."""
        if feed.live is None:
            live = await self._live.load(match_id, fresh=True)
            if live is not None and live.match.revision >= feed.head:
                feed.head, feed.live = live.match.revision, live
        return feed.live if cursor == feed.head else None

    def _cut(self, feed: _Feed, entry: Entry, events: list[AnyEvent], viewer: Viewer) -> Step:
        newest = feed.live if feed.live is not None and feed.live.match.revision == entry.revision else None
        key = (entry.revision, viewer, newest is not None)
        step = feed.cuts.get(key)
        if step is None:
            step = feed.cuts[key] = cut_step(entry, events, viewer, newest)
            if len(feed.cuts) > _CUTS:
                feed.cuts.popitem(last=False)
        return step

    def _may_stay(self, live: Live, caller: Caller, viewer: Viewer) -> bool:
        match = live.match
        if viewer is not None:
            return viewer in match.seats_of(caller.account)
        return match.privacy == "public" or access.is_member(match, caller)

    def _come(self, feed: _Feed, caller: Caller, live: Live) -> None:
        account = caller.account
        feed.present[account] += 1
        if feed.present[account] == 1:
            self._notice(feed, live, account, True)

    def _go(self, feed: _Feed, caller: Caller) -> None:
        account = caller.account
        feed.present[account] -= 1
        if not feed.present[account]:
            del feed.present[account]
            if feed.live is not None:
                self._notice(feed, feed.live, account, False)

    def _notice(self, feed: _Feed, live: Live, account: str, online: bool) -> None:
        for seat in live.match.seats_of(account):
            feed.noticed += 1
            feed.notices.append((feed.noticed, seat, online))
        feed.wake()


def _expired(caller: Caller, now: Micros) -> bool:
    """Whether the caller's token has run out."""
    return caller.expires_at is not None and caller.expires_at <= now
