"""What those see who only watch, where a match is shown to them late: folded from the events that are old enough.

Nothing of a revision that is too new goes into it, so no answer can tell of one. Seating is not delayed: up to the
start everybody who may watch sees the match as it is. From then on a revision is seen once it is as old as the delay
says, the end too. Members see everything at once.
"""

import asyncio
from collections import OrderedDict, deque
from typing import Any, Final

import msgspec

from chautari import engine
from chautari.app import access, catalog
from chautari.app import events as journal
from chautari.app.caller import Caller
from chautari.app.clock_values import Clocks
from chautari.app.events import (
    AnyEvent,
    HostChanged,
    MatchClosed,
    MatchStarted,
    SeatAway,
    SeatHanded,
    SeatTaken,
    SeatVacated,
)
from chautari.app.live import Live
from chautari.app.ports import Store
from chautari.app.values import SECOND, Chair, Entry, Match, MatchState, Micros, SeatState
from chautari.engine import Picture, Position

_KEPT: Final = 500
_PAGE: Final = 100
_SURELY_SEEN: Final[Micros] = 60 * SECOND
"""So long after its end was old enough a match is not folded any more: it is shown as it is."""


class Seen(msgspec.Struct, frozen=True):
    """A match as one caller sees it. position: of the latest revision, where that is seen; else there is a picture."""

    match: Match
    position: Position[Any] | None = None
    picture: Picture | None = None

    def view(self, viewer: engine.Viewer) -> engine.View | None:
        """The table as a seat, or a spectator, sees it; None before the start."""
        if self.position is not None:
            return engine.view(self.position, viewer)
        if self.picture is None:
            return None
        game = catalog.game_of(self.match)
        return engine.pictured(self.picture, game.layout(game.read_settings(self.match.settings)), None)


class Past:
    """A match at a revision behind its latest. It only moves on: by one entry at a time, each cut for spectators."""

    def __init__(self, match: Match) -> None:
        self.revision = 0
        self.is_started = False
        self.lock: Final = asyncio.Lock()
        self.ahead: Final[deque[Entry]] = deque()
        """Entries that have been read and are too new."""
        self._picture: Final = Picture()
        self._host = match.host
        self._chairs: list[Chair] = [Chair(number=number) for number in range(len(match.chairs))]
        self._closed = False
        self._away = 0

    @property
    def read(self) -> int:
        """The last revision that has been read."""
        return self.ahead[-1].revision if self.ahead else self.revision

    def take(self, entry: Entry) -> None:
        """Goes on by this entry, which is the next."""
        events = journal.redact(journal.of(entry), None)
        for event in events:
            self._seat(event)
        engine.fold(self._picture, [event for event in events if isinstance(event, engine.Event)])
        self.revision = entry.revision

    def _seat(self, event: AnyEvent) -> None:
        match event:
            case SeatTaken():
                state = SeatState.HELD if event.held else SeatState.TAKEN
                self._chairs[event.seat] = Chair(
                    number=event.seat, state=state, account_id=event.account_id, display_name=event.display_name,
                    since=0 if event.held else self.revision + 1,
                )  # fmt: skip
            case SeatVacated():
                self._chairs[event.seat] = Chair(number=event.seat)
            case SeatHanded():
                self._chairs[event.seat] = msgspec.structs.replace(
                    self._chairs[event.seat], account_id=event.account_id
                )
            case HostChanged():
                self._host = event.account_id
            case MatchStarted():
                self.is_started = True
            case MatchClosed():
                self._closed = True
            case SeatAway():
                self._away = self._away & ~(1 << event.seat) | event.away << event.seat
            case _:
                pass

    def _clocks(self) -> Clocks | None:
        """Who was away. Whose time ran is not told late: it would be over before it is seen."""
        return Clocks((), (), (), self._away) if self._away else None

    def seen(self, match: Match) -> Seen:
        """The match as it was. match: the latest; what it was created with, and who sits where once it has started."""
        picture, ended = self._picture, self._picture.result
        state, chairs = MatchState.SEATING, tuple(self._chairs)
        if self.is_started:
            state = MatchState.PLAYING
            chairs = tuple(
                msgspec.structs.replace(
                    chair, state=SeatState.LEFT if chair.number in picture.left else SeatState.TAKEN
                )
                for chair in match.chairs
            )  # fmt: skip
        if ended is not None or self._closed:
            state = MatchState.ABORTED if ended is None or ended.aborted else MatchState.FINISHED
        is_over = state in (MatchState.FINISHED, MatchState.ABORTED)
        was = msgspec.structs.replace(
            match, revision=self.revision, state=state, chairs=chairs, host=self._host, snapshot=None, packed=False,
            shuffles=0,
            phase=picture.phase if self.is_started else None, must=picture.must, may=picture.may,
            started_at=match.started_at if self.is_started else None, ended_at=match.ended_at if is_over else None,
            outcome=match.outcome if is_over else None, clocks=self._clocks(), due_at=None, due_kind=None, wake_at=None,
            code=None, code_expires_at=None,
        )  # fmt: skip
        return Seen(was, picture=self._picture if self.is_started else None)


class Spectating:
    """Who sees a match how late."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._pasts: OrderedDict[str, Past] = OrderedDict()

    async def seen(self, live: Live, caller: Caller) -> Seen:
        """The match as this caller, who may see it, sees it now; Forbidden `NO_ACCESS` where it is too new at all."""
        if not is_late(live.match, caller):
            return Seen(live.match, live.position)
        seen, _ = await self.late(live)
        return seen

    async def late(self, live: Live) -> tuple[Seen, Micros | None]:
        """The match as late spectators see it now, and when they see more of it; None: nothing more has happened.

        Forbidden `NO_ACCESS` where all of it is too new.
        """
        match, now = live.match, self._store.clock()
        delay = match.spectator_delay
        if match.ended_at is not None and match.ended_at + delay + _SURELY_SEEN <= now:
            return Seen(match, live.position), None
        past = self._pasts.get(match.id)
        if past is None:
            past = self._pasts[match.id] = Past(match)
            if len(self._pasts) > _KEPT:
                self._pasts.popitem(last=False)
        self._pasts.move_to_end(match.id)
        async with past.lock:
            more_at = await self._move_on(past, match, now - delay)
            if not past.revision:
                raise access.no_access()
            return past.seen(match), None if more_at is None else more_at + delay

    def forget(self, match_id: str) -> None:
        """Folds a match anew, if it is asked for."""
        self._pasts.pop(match_id, None)

    async def at(self, match: Match, revision: int) -> Match:
        """A match as it was at one of its revisions, to somebody without a seat."""
        past = Past(match)
        while past.revision < revision:
            entries = await self._store.entries(match.id, past.revision, min(_PAGE, revision - past.revision))
            if not entries:
                break
            for entry in entries:
                past.take(entry)
        return past.seen(match).match

    async def _move_on(self, past: Past, match: Match, until: Micros) -> Micros | None:
        """Takes what was committed by then, and all that came before the start; gives when the next one was."""
        while True:
            while past.ahead:
                entry = past.ahead[0]
                if entry.at > until and (past.is_started or _starts(entry)):
                    return entry.at
                past.take(past.ahead.popleft())
            if past.read >= match.revision:
                return None
            past.ahead.extend(await self._store.entries(match.id, past.read, _PAGE))
            if not past.ahead:
                return None


def is_late(match: Match, caller: Caller) -> bool:
    """Whether this caller sees the match with a delay from its start on: whoever is a member does not."""
    return bool(match.spectator_delay) and not access.is_member(match, caller)


def is_end_ahead(match: Match, caller: Caller, now: Micros) -> bool:
    """Whether a match that had started is over, and this caller, who sees it late, is not there yet."""
    is_ended = match.started_at is not None and match.ended_at is not None
    return is_ended and is_late(match, caller) and (match.ended_at or 0) + match.spectator_delay > now


def shows_as_playing(match: Match, now: Micros) -> bool:
    """Whether who is no member sees a match under way at this moment, as late as its spectators are."""
    if match.started_at is None or match.started_at + match.spectator_delay > now:
        return False
    return match.state is MatchState.PLAYING or (
        match.ended_at is not None and match.ended_at + match.spectator_delay > now
    )


def _starts(entry: Entry) -> bool:
    return any(type(event) is MatchStarted for event in journal.of(entry))
