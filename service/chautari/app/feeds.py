"""The feeds of the matches that are watched here, and what moves them on: changes, hints, time, looks at the store."""

import asyncio
from typing import Final

from chautari.app import events as journal
from chautari.app.events import AnyEvent
from chautari.app.feed import Feed, LateFeed
from chautari.app.live import Done, Live, LiveMatches
from chautari.app.parking import Clock
from chautari.app.ports import Bus, Store
from chautari.app.spectating import Seen, Spectating
from chautari.app.values import SECOND, Entry

_PAGE: Final = 100
_SHORTEST_SECONDS: Final = 0.001
LOOK_AGAIN_SECONDS: Final = 0.02


class Feeds:
    """The feeds of the matches that are watched here, by match, and how each gets on."""

    def __init__(self, store: Store, live: LiveMatches, bus: Bus, spectating: Spectating, heartbeat: float) -> None:
        self._store = store
        self._live = live
        self._spectating = spectating
        self._heartbeat = heartbeat
        self._by_match: dict[str, Feed] = {}
        self._clock = Clock(heartbeat)
        live.on_done(self._done)
        live.on_rewritten(self._rewritten)
        bus.subscribe(self.hint)

    def watched(self) -> list[str]:
        """The matches that are watched here."""
        return list(self._by_match)

    def find(self, match_id: str) -> Feed | None:
        """The feed of a match; None where nobody watches it here."""
        return self._by_match.get(match_id)

    def open(self, live: Live) -> Feed:
        """The feed of a match for another stream, which closes it at its end. live: the match as it has been read."""
        feed = self._by_match.get(live.match.id)
        if feed is None:
            feed = self._by_match[live.match.id] = Feed(self._clock, lambda: self._store.outages)
        if live.match.revision >= feed.head:
            _go_on(feed, live)
        feed.streams += 1
        return feed

    def close(self, feed: Feed, match_id: str) -> None:
        """A stream has ended."""
        feed.streams -= 1
        if not feed.streams and self._by_match.get(match_id) is feed:
            del self._by_match[match_id]

    def open_late(self, feed: Feed, seen: Seen) -> LateFeed:
        """What late spectators of a match are sent, for another stream, which closes it at its end."""
        late = feed.late
        if late is None:
            late = feed.late = LateFeed(seen)
            late.mover = asyncio.get_running_loop().create_task(self._move(feed, late, seen.match.id))
        late.streams += 1
        return late

    def close_late(self, feed: Feed, late: LateFeed) -> None:
        """A stream of a late spectator has ended."""
        late.streams -= 1
        if not late.streams:
            if late.mover is not None:
                late.mover.cancel()
            if feed.late is late:
                feed.late = None

    def wake(self) -> None:
        """Tells all streams that there is something to do."""
        for feed in self._by_match.values():
            feed.wake()
            if feed.late is not None:
                feed.late.wake()

    def wake_account(self, account: str) -> None:
        """Tells the streams of an account, and those beside it, that there is something to do."""
        for feed in self._by_match.values():
            if account in feed.present:
                feed.wake()
                if feed.late is not None:
                    feed.late.wake()

    async def entries(self, feed: Feed, match_id: str, cursor: int, head: int) -> list[tuple[Entry, list[AnyEvent]]]:
        """The next entries behind the cursor and up to the head: those at hand, else a page from the store.

        The store may hold more by now, of which this process has not been told: they come when it has.
        """
        recent = feed.recent
        if recent and recent[0][0].revision <= cursor + 1 <= recent[-1][0].revision:
            return [(entry, events) for entry, events in recent if cursor < entry.revision <= head]
        stored = await self._store.entries(match_id, cursor, min(_PAGE, head - cursor))
        if not stored:
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
            live = await self._live.load(match_id, fresh=True)
            if live is not None and live.match.revision <= cursor and feed.head == head:  # the hint was false
                feed.head, feed.live = live.match.revision, live
        return [(entry, journal.of(entry)) for entry in stored]

    async def newest(self, feed: Feed, match_id: str) -> Live | None:
        """The match as it is now; where another replica has changed it, it is read for all streams at once."""
        if feed.live is None:
            live = await self._live.load(match_id, fresh=True)
            if live is None or live.match.revision < feed.head:
                return live
            _go_on(feed, live)
        return feed.live

    async def at_head(self, feed: Feed, match_id: str, cursor: int) -> Live | None:
        """The match at the head; None where the head has moved on meanwhile."""
        await self.newest(feed, match_id)
        return feed.live if cursor == feed.head else None

    async def look(self, feed: Feed, match_id: str) -> None:
        """Looks at the store where no hint has come for long: one may have been lost."""
        live = await self._live.load(match_id, fresh=True)
        if live is not None and live.match.revision > feed.head:
            self.hint(match_id, live.match.revision)

    def _done(self, done: Done) -> None:
        """This process committed a change: feed it on without another look at the store."""
        entry = done.entry
        feed = self._by_match.get(entry.match_id)
        if feed is not None and entry.revision > feed.head:
            if feed.recent and feed.recent[-1][0].revision != entry.revision - 1:
                feed.recent.clear()
            feed.recent.append((entry, done.events))
            feed.head, feed.live = entry.revision, done.live
            if done.live.match.is_over:
                feed.wake()  # each stream tells its reader that there is no more
            else:
                feed.spread(entry, done.events)

    def _rewritten(self, match_id: str) -> None:
        """The journal of a match tells something else now: what was cut of it is not told again."""
        self._spectating.forget(match_id)
        feed = self._by_match.get(match_id)
        if feed is not None:
            feed.live = None
            feed.recent.clear()
            feed.cuts.clear()
            if feed.late is not None:
                feed.late.cuts.clear()

    def hint(self, match_id: str, revision: int) -> None:
        """Some replica committed a change."""
        feed = self._by_match.get(match_id)
        if feed is not None and revision > feed.head:
            feed.head, feed.live = revision, None
            feed.recent.clear()
            feed.wake()

    async def _move(self, feed: Feed, late: LateFeed, match_id: str) -> None:
        """Moves on what late spectators see, when its time has come."""
        try:
            while True:
                changed = feed.changed
                live = await self._live.load(match_id, fresh=True)
                if live is None:
                    return
                seen, more_at = await self._spectating.late(live)
                if seen.match.revision > late.head:
                    late.seen = seen
                    late.wake()
                if more_at is None:
                    try:
                        async with asyncio.timeout(self._heartbeat):
                            await changed.wait()
                    except TimeoutError:
                        pass
                else:
                    due = (more_at - self._store.clock()) / SECOND
                    await asyncio.sleep(min(max(due, _SHORTEST_SECONDS), self._heartbeat))
        except Exception as error:  # whoever watches is told, and opens another stream
            late.failed = error
            late.wake()


def _go_on(feed: Feed, live: Live) -> None:
    """One stream has read the match. Where it is further than any had heard, the others are told: a hint that comes of
    it later tells nothing new."""
    is_news = live.match.revision > feed.head
    feed.head, feed.live = live.match.revision, live
    if is_news:
        feed.wake()
