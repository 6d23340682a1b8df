"""What the service does by itself when its time has come: time-outs, the moves of seats that left or are away, packing
what is over, and ending what nobody starts or goes on with.

Due times are columns, so nothing is lost when a process ends: every replica claims what is due, under a lease. Moves
are claimed apart from what is not urgent, so that neither waits for the other.
"""

import asyncio
from collections import Counter
from collections.abc import Collection, Coroutine, Sequence
from contextlib import suppress
from typing import Any, Final

import structlog

from chautari.app import seating
from chautari.app.leaving import desert_change
from chautari.app.live import Change, Done, Live, LiveMatches
from chautari.app.ports import Store
from chautari.app.timeouts import NotDue, next_move
from chautari.app.values import (
    LEAST_PUT_OFF,
    SECOND,
    Cause,
    Claim,
    Claims,
    DueKind,
    EndReason,
    Match,
    MatchState,
    Micros,
)
from chautari.errors import ChautariError

LEASE: Final[Micros] = 30 * SECOND
MOVE_LEASE: Final[Micros] = SECOND // 2
"""A move whose process was killed is made by another after this. What is not begun by then is left to whoever claims it
next, so that a process that is slow makes no move in vain, nor lets any wait."""
MOVES: Final = (DueKind.CLOCK, DueKind.PLAY_LEFT)
REST: Final = (DueKind.PACK, DueKind.EXPIRE)
_MOVES_AT_ONCE: Final = 512
"""So many of each kind are claimed at once: a claim is a write, and each replica that has work should find some."""
_MOVES_UNDER_WAY: Final = 192
"""More are begun, and claimed, when so few are left to make: three statements full of them keep the database busy."""
_MOVES_IN_A_ROW: Final = 64
"""So many are begun before others in this process have their turn."""
_AGAIN: Final[Micros] = LEAST_PUT_OFF
"""A chore that failed here is not tried here again for so long: another process may know how to do it."""
_AGAIN_AT_LAST: Final[Micros] = 3600 * SECOND
"""One that failed by a fault of the program is tried by nobody for so long at first, then for twice as long each time,
and never for longer than this: a mended release may know how to do it."""
_TRIED: Final[Micros] = 10 * SECOND
"""So long after the time to try again some process has done so."""
_REST_AT_ONCE: Final = 16
_PAUSE_SECONDS: Final = 1.0
_SHORTEST_SECONDS: Final = 0.01
_PULSE_SECONDS: Final = 1.0

_log = structlog.get_logger("chautari.chores")


class Chores:
    """The claim loops, and what is done with each match that they claim."""

    def __init__(self, store: Store, live: LiveMatches) -> None:
        self._store = store
        self._live = live
        self._tasks: set[asyncio.Task[None]] = set()
        self._moving: set[str] = set()
        self._failed: dict[str, Micros] = {}
        """Matches whose move has failed, and until when none is tried."""
        self._put_off: dict[str, tuple[str, str, Micros]] = {}
        """Matches that failed here: the game, the exception, and until when they count as failing."""
        self._loops: list[asyncio.Task[None]] = []
        self._ending = asyncio.Event()
        live.on_done(self._done)

    async def start(self) -> None:
        """Credits an outage that ends now, and begins to claim what is due, what an earlier process left over first."""
        await self._pulse()
        loop = asyncio.get_running_loop()
        self._loops = [loop.create_task(work) for work in (self._keep_alive(), self._claim_moves(), self._claim_rest())]

    async def stop(self) -> None:
        """Claims nothing more, and finishes what is under way: what is claimed here waits for its lease elsewhere."""
        self._ending.set()
        await asyncio.gather(*self._loops, return_exceptions=True)
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def failing(self) -> Counter[tuple[str, str]]:
        """How many matches are put off since a chore failed here by a fault of the program: by game and exception."""
        now = self._store.service_time()
        return Counter((game, error) for game, error, until in list(self._put_off.values()) if until > now)

    async def perform(self, match_id: str) -> None:
        """Does what is due with this match now."""
        live = await self._live.load(match_id, fresh=True)
        if live is None or live.match.due_kind is None:
            return
        if live.match.due_kind is DueKind.PACK:
            if _is_due(live.match, REST, self._store.service_time()):  # else it has ended since it was claimed
                await self._store.pack(match_id)
                self._live.forget(match_id)
            return
        try:
            if live.match.due_kind is DueKind.EXPIRE:
                clock, service_time = self._store.clock, self._store.service_time
                await self._live.change(match_id, lambda live: _expired(live, service_time(), clock()))
                return
            await self._move(match_id)
        except NotDue:
            pass

    async def _move(self, match_id: str) -> None:
        """Makes the moves of a match that are due, until one leaves none: what others leave due is claimed."""
        if match_id in self._moving:
            return
        self._moving.add(match_id)
        try:
            due = True
            while due:
                done = await self._live.change(match_id, lambda live: next_move(live, self._store.service_time()))
                due = _is_due(done.live.match, MOVES, self._store.service_time()) and not self._ending.is_set()
        except NotDue:
            pass
        finally:
            self._moving.discard(match_id)

    def _done(self, done: Done) -> None:
        """A change that leaves something due at once is followed by it at once; what failed before it is tried anew."""
        match = done.live.match
        self._put_off.pop(match.id, None)
        if match.due_kind is DueKind.PLAY_LEFT and match.id not in self._moving and not self._ending.is_set():
            self._begin(self._move(match.id), match.id)

    def _begin(self, work: Coroutine[Any, Any, None], match_id: str) -> None:
        task = asyncio.get_running_loop().create_task(self._try(work, match_id))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _try(self, work: Coroutine[Any, Any, None], match_id: str) -> None:
        try:
            await work
            return
        except ChautariError as error:
            _log.warning("chore put off", match=match_id, error=type(error).__name__)
        except Exception as error:
            await self._fail(match_id, error)
        self._failed[match_id] = self._store.service_time() + _AGAIN

    async def _fail(self, match_id: str, error: Exception) -> None:
        """Puts off what failed by a fault of the program, of a game's rules most likely, for every process."""
        kind, game, pause = type(error).__name__, "", _AGAIN
        try:
            put_off = await self._store.put_off(match_id, _AGAIN_AT_LAST)
        except Exception as also:  # then it is tried again as soon as what another process may do
            _log.warning("not put off", match=match_id, error=type(also).__name__)
        else:
            if put_off is not None:
                now = self._store.service_time()
                game, pause = put_off.game, put_off.until - now
                self._put_off = {one: failed for one, failed in self._put_off.items() if failed[2] > now}
                self._put_off[match_id] = (game, kind, put_off.until + _TRIED)
                self._live.forget(match_id)
        seconds = round(pause / SECOND)
        _log.error("chore failed", match=match_id, game=game, error=kind, again_in_seconds=seconds, exc_info=error)

    async def _claim_moves(self) -> None:
        """Claims moves as they fall due, and makes them side by side."""
        while not self._ending.is_set():
            until = self._store.service_time() + MOVE_LEASE
            claims = await self._claim(MOVES, _MOVES_AT_ONCE, MOVE_LEASE)
            for start in range(0, len(claims.claimed), _MOVES_IN_A_ROW):
                if start and self._store.service_time() >= until:
                    break
                await self._begin_moves(claims.claimed[start : start + _MOVES_IN_A_ROW])
            if len(claims.claimed) < _MOVES_AT_ONCE:
                await self._sleep(self._pause(claims.next_at))

    async def _begin_moves(self, claims: Sequence[Claim]) -> None:
        """Begins these moves, and waits until more may be begun."""
        now = self._store.service_time()
        self._failed = {match_id: until for match_id, until in self._failed.items() if until > now}
        some = [claim for claim in claims if claim.match_id not in self._failed]
        await self._prepared(some)
        for claim in some:
            self._begin(self._move(claim.match_id), claim.match_id)
        await asyncio.sleep(0)
        while len(self._tasks) > _MOVES_UNDER_WAY:
            await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)

    async def _prepared(self, claims: Sequence[Claim]) -> None:
        try:
            await self._live.prepare(claims)
        except ChautariError:  # each move finds out by itself what is wrong
            pass
        except Exception:
            _log.exception("not prepared")

    def _pause(self, next_at: Micros | None) -> float:
        """How long to sleep until something may be due; somebody else may have wound a clock that runs out sooner."""
        if next_at is None:
            return _PAUSE_SECONDS
        left = (next_at - self._store.service_time()) / SECOND
        return min(max(left, _SHORTEST_SECONDS), _PAUSE_SECONDS)

    async def _claim_rest(self) -> None:
        """Claims what is not urgent, and does it one by one."""
        while not self._ending.is_set():
            claims = await self._claim(REST, _REST_AT_ONCE, LEASE)
            for claim in claims.claimed:
                self._live.forget(claim.match_id)
                await self._try(self.perform(claim.match_id), claim.match_id)
            if len(claims.claimed) < _REST_AT_ONCE:
                await self._sleep(_PAUSE_SECONDS)

    async def _claim(self, kinds: Collection[DueKind], limit: int, lease: Micros) -> Claims:
        try:
            return await self._store.claim_due(kinds, limit, lease)
        except ChautariError as error:
            _log.warning("nothing claimed", error=type(error).__name__)
        except Exception:  # the loop goes on: without it nothing that is due would ever be done
            _log.exception("nothing claimed")
        return Claims([], None)

    async def _pulse(self) -> None:
        try:
            outage = await self._store.pulse()
        except ChautariError as error:
            _log.warning("not known to be alive", error=type(error).__name__)
        except Exception:
            _log.exception("not known to be alive")
        else:
            if outage:
                _log.warning("outage credited", seconds=outage / SECOND)

    async def _keep_alive(self) -> None:
        while not self._ending.is_set():
            await self._sleep(_PULSE_SECONDS)
            await self._pulse()

    async def _sleep(self, seconds: float) -> None:
        """Sleeps for so long, or until the chores end."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._ending.wait()


def _is_due(match: Match, kinds: Collection[DueKind], now: Micros) -> bool:
    """Whether the service has to do something of these kinds by itself. now: in service time."""
    return match.due_kind in kinds and (match.due_at or 0) <= now


def _expired(live: Live | None, service_time: Micros, now: Micros) -> Change:
    """The end of a match that nobody has started, or in which nothing has happened for long; NotDue where somebody has
    changed it since it was claimed."""
    if live is None or not _is_due(live.match, (DueKind.EXPIRE,), service_time):
        raise NotDue
    if live.match.state is MatchState.PLAYING:
        return desert_change(live)
    match, events = seating.closed(live.match, EndReason.EXPIRED, now)
    return Change(match=match, position=None, fair=None, events=events, cause=Cause.SEATING, chairs=True)
