"""Watching: streams of what happens in a match, each from its own cursor, fed by the journal.

A stream reads the journal behind its last revision; hints only tell it when to look. What one viewer may know of a
revision is cut once and given to all streams of that viewer. Nothing waits for a reader: a slow one is simply behind.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from math import inf

from chautari.app import access
from chautari.app import events as journal
from chautari.app.bans import Bans
from chautari.app.caller import Caller
from chautari.app.events import AnyEvent, SeatsDrawn
from chautari.app.feed import Feed
from chautari.app.feeds import LOOK_AGAIN_SECONDS, Feeds
from chautari.app.live import Done, Live, LiveMatches
from chautari.app.mine import Mine, has_expired
from chautari.app.parking import News, Parked, Post, Send
from chautari.app.ports import Bus, Store
from chautari.app.rounds import Rounds
from chautari.app.spectating import Spectating, is_late
from chautari.app.updates import Beat, End, EndCause, MineChange, MineSummary, PresenceChange, Step, cut_step
from chautari.app.values import Cause, Entry, Match, MatchState
from chautari.engine import Seat, Viewer
from chautari.errors import BeyondHead

Message = Step | Beat | PresenceChange | End


class Watching:
    """Streams of matches, and of the matches of an account."""

    def __init__(
        self, store: Store, live: LiveMatches, bus: Bus, spectating: Spectating, bans: Bans, *,
        heartbeat_seconds: float,
    ) -> None:  # fmt: skip
        self._store = store
        self._live = live
        self._spectating = spectating
        self._heartbeat = heartbeat_seconds
        self._draining = False
        self._feeds = Feeds(store, live, bus, spectating, heartbeat_seconds)
        self._mine = Mine(store, live, spectating, bans, heartbeat_seconds=heartbeat_seconds)
        self.rounds = Rounds(store, bus, self._feeds, self._mine)
        self._bans = bans
        bans.on_new(self._feeds.wake_account)

    def drain(self) -> None:
        """Ends every stream: the server is about to stop."""
        self._draining = True
        self._feeds.wake()
        self._mine.drain()

    def watch_mine(self, caller: Caller) -> AsyncGenerator[MineSummary | MineChange | Beat | End]:
        """How the caller's matches stand: all at once at first, then each that changes; the newest is always told."""
        return self._mine.watch(caller)

    def online(self, match: Match, caller: Caller) -> frozenset[str]:
        """The accounts that watch this match here, as far as this caller may know it: players go when it is over."""
        feed = self._feeds.find(match.id)
        return frozenset() if feed is None or is_late(match, caller) else frozenset(feed.present)

    def step_of(self, done: Done, viewer: Viewer) -> Step:
        """What a change just committed is to this viewer."""
        feed = self._feeds.find(done.entry.match_id)
        if feed is not None:
            return feed.cut(done.entry, done.events, viewer)
        return cut_step(done.entry, done.events, viewer, done.live, self._store.outages)

    async def step_again(self, entry: Entry, viewer: Viewer) -> Step:
        """What an entry of the journal is to this viewer."""
        live = await self._live.load(entry.match_id, fresh=True)
        newest = live if live is not None and live.match.revision == entry.revision else None
        return cut_step(entry, journal.of(entry), viewer, newest, self._store.outages)

    async def watch(
        self,
        caller: Caller,
        match_id: str,
        viewer: Viewer,
        after: int | None,
        ticket: str = "",
        post: Post | None = None,
        epoch: str = "",
    ) -> AsyncGenerator[Message]:
        """Each revision behind `after` once, in order, and then as it comes; None: only what comes.

        Whoever only watches gets each revision when it is old enough. Ends with an `End`. Forbidden `NO_ACCESS`,
        `NOT_SEATED`; BeyondHead where `after` is no revision yet, or `epoch` not that of the database. post: where a
        step is put straight before the reader of a stream that has nothing else to do; it does not come out of here
        then.
        """
        live: Live | None = access.visible(await self._live.load(match_id, fresh=True), caller, ticket)
        assert live is not None
        if viewer is not None:
            access.check_seat(live.match, caller, viewer)
        revision = (await self._spectating.seen(live, caller)).match.revision
        if epoch and epoch != self._store.epoch:
            raise BeyondHead(
                "EPOCH_CHANGED", "the server was restored from a backup: take a fresh view", epoch=self._store.epoch
            )
        if after is not None and after > revision:
            raise BeyondHead("BEYOND_HEAD", f"the match is at revision {revision}", revision=revision)
        feed = self._feeds.open(live)
        feed.come(caller.account, live)
        post = post or Post()
        parked = Parked(post, self._takes(feed, caller, viewer, post))
        cursor, noticed = revision if after is None else after, feed.noticed
        try:
            waits_late = viewer is None and is_late(live.match, caller)
            may_move = viewer is not None and live.match.state is MatchState.SEATING
            if not waits_late and cursor == feed.head and not (feed.live and feed.live.match.is_over):
                yield Beat(match_id, cursor, self._store.clock())
            while True:
                if waits_late:
                    async with aclosing(self._late(feed, caller, match_id, cursor, ticket)) as messages:
                        async for message in messages:
                            yield message
                            cursor = message.revision
                            if type(message) is End:
                                return
                    waits_late, noticed = False, feed.noticed
                while cursor < feed.head and not waits_late:
                    at_hand = feed.next_to(cursor)
                    for entry, events in at_hand or await self._feeds.entries(feed, match_id, cursor, feed.head):
                        newest = feed.live or await self._feeds.newest(feed, match_id)
                        moved = _moved(events, viewer) if may_move else None
                        if moved is not None:
                            yield End(match_id, cursor, EndCause.SEAT_MOVED, True, seat=moved)
                            return
                        if newest is None or not _may_stay(newest, caller, viewer, ticket):  # the seat may be another's
                            yield End(match_id, cursor, EndCause.NO_ACCESS, False)
                            return
                        if viewer is None and is_late(newest.match, caller):
                            waits_late = True  # it has got up, and only watches from now on
                            break
                        cursor = entry.revision
                        yield feed.cut(entry, events, viewer)
                if waits_late:
                    continue
                live = feed.live if cursor == feed.head else None
                live = live or await self._feeds.at_head(feed, match_id, cursor)
                if live is None:
                    if cursor >= feed.head:
                        await asyncio.sleep(LOOK_AGAIN_SECONDS)
                    continue
                end = self._end(caller, live, live.match, viewer, cursor, ticket)
                if end is not None:
                    yield end
                    return
                if noticed != feed.noticed:
                    for number, seat, online in list(feed.notices):
                        if number > noticed:
                            noticed = number
                            yield PresenceChange(match_id, cursor, seat, online)
                if cursor == feed.head and noticed == feed.noticed and not self._draining:
                    parked.cursor = cursor
                    has_work = await feed.parking.wait(parked)
                    cursor = parked.cursor
                    if not has_work:
                        await self._feeds.look(feed, match_id)
                        yield Beat(match_id, cursor, self._store.clock())
        finally:
            feed.go(caller.account)
            self._feeds.close(feed, match_id)

    def _takes(self, feed: Feed, caller: Caller, viewer: Viewer, post: Post) -> Callable[[News], Send | None]:
        """How an entry of a match that goes on is sent to a reader, where the stream would do no more than that."""
        expires_at = inf if caller.expires_at is None else caller.expires_at

        def take(news: News) -> Send | None:
            give = post.give
            if give is None or expires_at <= news.entry.at:
                return None
            if not (news.is_for_all and viewer is None) and not _may_be_given(feed.live, news.entry, caller, viewer):
                return None
            return give(*news.of(viewer))

        return take

    async def _late(
        self, feed: Feed, caller: Caller, match_id: str, cursor: int, ticket: str
    ) -> AsyncGenerator[Message]:
        """The stream of somebody who sees the match late. It ends without an `End` where that is over: by sitting down.

        Nothing wakes it but what it may see: when its messages come tells nothing of what it may not see yet either.
        """
        live = await self._feeds.newest(feed, match_id)
        if live is None:
            return
        late = self._feeds.open_late(feed, await self._spectating.seen(live, caller))
        try:
            if cursor == late.head and not late.seen.match.is_over:
                yield Beat(match_id, cursor, self._store.clock())
            while True:
                live = await self._feeds.newest(feed, match_id)
                if live is None or not is_late(live.match, caller):
                    return
                if late.failed is not None:
                    raise late.failed
                if cursor < late.head:
                    if not access.may_watch(live.match, caller, ticket):
                        yield End(match_id, cursor, EndCause.NO_ACCESS, False)
                        return
                    for entry, events in await self._feeds.entries(feed, match_id, cursor, late.head):
                        cursor = entry.revision
                        yield late.cut(entry, events)
                    continue
                changed = late.changed
                end = self._end(caller, live, late.seen.match, None, cursor, ticket)
                if end is not None:
                    yield end
                    return
                try:
                    async with asyncio.timeout(self._heartbeat):
                        await changed.wait()
                except TimeoutError:
                    yield Beat(match_id, cursor, self._store.clock())
        finally:
            self._feeds.close_late(feed, late)

    def _end(
        self, caller: Caller, live: Live, seen: Match, viewer: Viewer, cursor: int, ticket: str
    ) -> End | None:  # fmt: skip
        """Why a stream that has sent all there is ends now; None where it goes on. seen: the match as it may see it."""
        if seen.is_over:
            return End(seen.id, cursor, EndCause.MATCH_OVER, False)
        if self._draining:
            return End(seen.id, cursor, EndCause.DRAINING, True, 500)
        if has_expired(caller, self._store.clock()):
            return End(seen.id, cursor, EndCause.TOKEN, True)
        if self._bans.find(caller.account):
            return End(seen.id, cursor, EndCause.BANNED, False)
        if not _may_stay(live, caller, viewer, ticket):
            return End(seen.id, cursor, EndCause.NO_ACCESS, False)
        return None


def _moved(events: list[AnyEvent], viewer: Viewer) -> Seat | None:
    """The seat on which who sat on the viewer's sits now, where seats were drawn by lot and it is another one."""
    drawn = next((event for event in events if type(event) is SeatsDrawn), None)
    if drawn is None or viewer is None or drawn.before[viewer] == viewer:
        return None
    return drawn.before.index(viewer)


def _may_stay(live: Live, caller: Caller, viewer: Viewer, ticket: str) -> bool:
    if viewer is not None:
        return viewer in live.match.seats_of(caller.account)
    return access.may_watch(live.match, caller, ticket)


def _may_be_given(live: Live | None, entry: Entry, caller: Caller, viewer: Viewer) -> bool:
    """Whether a stream that rests would do no more with an entry than send it."""
    if live is None:
        return False
    match = live.match
    if viewer is None:
        return access.is_open(match) or access.is_member(match, caller)
    return entry.cause is not Cause.SEATING and match.chairs[viewer].account_id == caller.account_id
