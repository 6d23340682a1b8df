"""What the service does by itself when its time has come: the moves of seats that left, packing what is over, and
ending what nobody starts.

Due times are columns, so nothing is lost when a process ends: every replica claims what is due, under a lease.
"""

import asyncio
from typing import Final

import structlog

from chautari import engine
from chautari.app import seating
from chautari.app.live import Change, Done, Live, LiveMatches
from chautari.app.ports import Store
from chautari.app.values import SECOND, Cause, DueKind, EndReason, MatchState, Micros
from chautari.errors import ChautariError

LEASE: Final[Micros] = 30 * SECOND
_CLAIMED_AT_ONCE: Final = 16
_PAUSE_SECONDS: Final = 1.0

_log = structlog.get_logger("chautari.chores")


class NotDue(Exception):
    """Somebody has done it already, or it is not to be done any more."""


class Chores:
    """The claim loop, and what is done with each match that it claims."""

    def __init__(self, store: Store, live: LiveMatches) -> None:
        self._store = store
        self._live = live
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop: asyncio.Task[None] | None = None
        self._stopping = False
        live.on_done(self._done)

    async def start(self) -> None:
        """Begins to claim what is due, what was left over by an earlier process first."""
        self._loop = asyncio.get_running_loop().create_task(self._claim())

    async def stop(self) -> None:
        """Claims nothing more, and finishes what is under way."""
        self._stopping = True
        if self._loop is not None:
            self._loop.cancel()
            await asyncio.gather(self._loop, return_exceptions=True)
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def perform(self, match_id: str) -> None:
        """Does what is due with this match now."""
        live = await self._live.load(match_id, fresh=True)
        if live is None or live.match.due_kind is None:
            return
        if live.match.due_kind is DueKind.PACK:
            if (live.match.due_at or 0) <= self._store.clock() + LEASE:  # else it has ended since it was claimed
                await self._store.pack(match_id)
                self._live.forget(match_id)
            return
        try:
            if live.match.due_kind is DueKind.EXPIRE:
                await self._live.change(match_id, lambda live: _expired(live, self._store.clock()))
                return
            while True:
                await self._live.change(match_id, _play_left)
        except NotDue:
            pass

    def _done(self, done: Done) -> None:
        """A change that leaves something due at once is followed by it at once."""
        match = done.live.match
        if match.due_kind is DueKind.PLAY_LEFT and not self._stopping:
            self._spawn(match.id)

    def _spawn(self, match_id: str) -> None:
        task = asyncio.get_running_loop().create_task(self._try(match_id))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _try(self, match_id: str) -> None:
        try:
            await self.perform(match_id)
        except ChautariError as error:
            _log.warning("chore put off", match=match_id, error=type(error).__name__)
        except Exception:
            _log.exception("chore failed", match=match_id)

    async def _claim(self) -> None:
        while True:
            claimed: list[str] = []
            try:
                claimed = await self._store.claim_due(_CLAIMED_AT_ONCE, LEASE)
            except ChautariError as error:
                _log.warning("nothing claimed", error=type(error).__name__)
            except Exception:  # the loop goes on: without it nothing that is due would ever be done
                _log.exception("nothing claimed")
            for match_id in claimed:
                self._live.forget(match_id)
                await self._try(match_id)
            if len(claimed) < _CLAIMED_AT_ONCE:
                await asyncio.sleep(_PAUSE_SECONDS)


def _expired(live: Live | None, now: Micros) -> Change:
    """The end of a match that nobody has started; NotDue where somebody has changed it since it was claimed."""
    if live is None or live.match.due_kind is not DueKind.EXPIRE or (live.match.due_at or 0) > now + LEASE:
        raise NotDue
    match, events = seating.closed(live.match, EndReason.EXPIRED, now)
    return Change(match=match, position=None, fair=None, events=events, cause=Cause.SEATING, chairs=True)


def _play_left(live: Live | None) -> Change:
    """The time-out action of the first seat that left and must act; NotDue where there is none."""
    if live is None or live.match.state is not MatchState.PLAYING or live.position is None or live.fair is None:
        raise NotDue
    position = live.position
    seat = next((seat for seat in engine.must_act(position) if seat in position.left), None)
    if seat is None:
        raise NotDue
    fair = live.fair.resumed(live.match.shuffles)
    step = engine.time_out(position, seat, fair)
    assert step is not None
    return Change(
        match=live.match, position=step.position, fair=fair, events=list(step.events), cause=Cause.CLOCK, seat=seat,
        action=engine.timeout_action(position, seat) or "",
    )  # fmt: skip
