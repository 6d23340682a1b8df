"""What is at hand of one watched match: its latest entries, what was cut of them, who watches, and how late."""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from typing import Final

from chautari.app import access
from chautari.app.events import AnyEvent
from chautari.app.live import Live
from chautari.app.parking import Clock, News, Parking
from chautari.app.spectating import Seen
from chautari.app.updates import Step, cut_late_step, cut_step
from chautari.app.values import Entry, Micros
from chautari.engine import Seat, Viewer

_RECENT: Final = 64
"""So many entries of a watched match are kept at hand."""
_CUTS: Final = 512


class LateFeed:
    """What late spectators are sent: the match as far as it is old enough. One task moves it on for all of them."""

    def __init__(self, seen: Seen) -> None:
        self.streams = 0
        self.seen = seen
        self.cuts: OrderedDict[tuple[int, bool], Step] = OrderedDict()
        self.changed = asyncio.Event()
        self.failed: Exception | None = None
        self.mover: asyncio.Task[None] | None = None

    @property
    def head(self) -> int:
        """The latest revision that is old enough."""
        return self.seen.match.revision

    def wake(self) -> None:
        """Tells the streams that there is something to do."""
        self.changed.set()
        self.changed = asyncio.Event()

    def cut(self, entry: Entry, events: list[AnyEvent]) -> Step:
        """What an entry is to a spectator, made once for all of them."""
        newest = self.seen if self.head == entry.revision else None
        key = (entry.revision, newest is not None)
        step = self.cuts.get(key)
        if step is None:
            step = self.cuts[key] = cut_late_step(entry, events, newest)
            if len(self.cuts) > _CUTS:
                self.cuts.popitem(last=False)
        return step


class Feed:
    """What is at hand of one watched match: its head, the latest entries, the cuts made of them, and who watches."""

    def __init__(self, clock: Clock, outages: Callable[[], Micros]) -> None:
        self._outages = outages
        self.streams = 0
        self.head = 0
        self.parking = Parking(clock)
        self.live: Live | None = None
        self.recent: deque[tuple[Entry, list[AnyEvent]]] = deque(maxlen=_RECENT)
        self.cuts: OrderedDict[tuple[int, Viewer, bool], Step] = OrderedDict()
        self.changed = asyncio.Event()
        self.present: Counter[str] = Counter()
        self.notices: deque[tuple[int, Seat, bool]] = deque(maxlen=_RECENT)
        self.noticed = 0
        self.late: LateFeed | None = None

    def wake(self) -> None:
        """Tells the streams that there is something to do."""
        self.parking.wake()
        self._tell()

    def spread(self, entry: Entry, events: list[AnyEvent]) -> None:
        """Brings the streams an entry that was just made."""
        self.parking.spread(News(entry, lambda viewer: self.cut(entry, events, viewer), self._is_open))
        self._tell()

    def _is_open(self) -> bool:
        """Whether everybody may see the match as it is now, and at once."""
        return self.live is not None and access.is_open(self.live.match)

    def _tell(self) -> None:
        """Tells whoever moves late spectators on."""
        if self.late is not None:
            self.changed.set()
            self.changed = asyncio.Event()

    def come(self, account: str, live: Live) -> None:
        """A stream of this account begins."""
        self.present[account] += 1
        if self.present[account] == 1:
            self._notice(live, account, True)

    def go(self, account: str) -> None:
        """A stream of this account has ended."""
        self.present[account] -= 1
        if not self.present[account]:
            del self.present[account]
            if self.live is not None:
                self._notice(self.live, account, False)

    def _notice(self, live: Live, account: str, online: bool) -> None:
        for seat in live.match.seats_of(account):
            self.noticed += 1
            self.notices.append((self.noticed, seat, online))
        self.wake()

    def next_to(self, cursor: int) -> tuple[tuple[Entry, list[AnyEvent]], ...]:
        """The entry behind the cursor, where that is the head and at hand."""
        recent = self.recent
        return (recent[-1],) if recent and recent[-1][0].revision == cursor + 1 == self.head else ()

    def cut(self, entry: Entry, events: list[AnyEvent], viewer: Viewer) -> Step:
        """What an entry is to this viewer, made once for all its streams."""
        newest = self.live if self.live is not None and self.live.match.revision == entry.revision else None
        key = (entry.revision, viewer, newest is not None)
        step = self.cuts.get(key)
        if step is None:
            step = self.cuts[key] = cut_step(entry, events, viewer, newest, self._outages())
            if len(self.cuts) > _CUTS:
                self.cuts.popitem(last=False)
        return step
