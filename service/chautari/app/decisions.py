"""What operators have decided, as every process learns it: bans and keys; and what follows from a ban at the tables.

Each process looks at the number of the audit log every other second, for an operator may work in another process, or at
the console. A ban is done with when the seats of the account are given up: that is a column, so a crash between the two
leaves it to whoever comes next.
"""

import asyncio
from contextlib import suppress
from typing import Final

import structlog

from chautari.app.bans import Bans
from chautari.app.leaving import vacate_change
from chautari.app.listing import active_matches
from chautari.app.live import Change, Live, LiveMatches
from chautari.app.ports import Store
from chautari.app.tokens import Signer
from chautari.app.values import SECOND, Micros
from chautari.errors import ChautariError

_LOOK_SECONDS: Final = 2.0
_SETTLED_AFTER: Final[Micros] = 15 * SECOND
"""A call that was let in just before the ban may sit down for so long after it."""

_log: Final = structlog.get_logger("chautari.operate")


class NothingLeft(Exception):
    """The account has no seat in this match any more."""


class Decisions:
    """Keeps bans and keys up to date in this process, and gives up the seats of banned accounts."""

    def __init__(self, store: Store, live: LiveMatches, signer: Signer) -> None:
        self._store = store
        self._live = live
        self._signer = signer
        self._seen = -1
        self._looking = asyncio.Lock()
        self._hurried = asyncio.Event()
        self._loop: asyncio.Task[None] | None = None
        self.bans: Final = Bans(store.clock)

    async def start(self) -> None:
        """Learns what has been decided, and begins to look."""
        await self.look()
        self._loop = asyncio.get_running_loop().create_task(self._look_on())

    async def stop(self) -> None:
        """Looks no more."""
        if self._loop is not None:
            self._loop.cancel()
            await asyncio.gather(self._loop, return_exceptions=True)

    async def look(self) -> None:
        """Learns what has been decided meanwhile."""
        async with self._looking:
            last = await self._store.last_note()
            if last != self._seen:
                self.bans.know(await self._store.bans())
                await self._signer.reload()
                self._seen = last

    def hurry(self) -> None:
        """Does what follows from a ban now, and not at the next look."""
        self._hurried.set()

    async def settle(self) -> None:
        """Gives up the seats of those who are banned, and notes those with whom that is done for certain."""
        for ban in self.bans.pending():
            if self.bans.find(ban.account_id) != ban:
                continue
            given_up = await self._vacate(ban.account_id)
            if not given_up and ban.at + _SETTLED_AFTER <= self._store.clock():
                await self._store.seats_left(ban)
                self.bans.know(await self._store.bans())

    async def _vacate(self, account_id: str) -> int:
        """Gives up the seats of an account; how many changes that took."""
        given_up = 0
        async for match in active_matches(self._store, account_id):
            with suppress(NothingLeft):
                while True:
                    await self._live.change(match.id, lambda live: self._without(live, account_id))
                    given_up += 1
        return given_up

    def _without(self, live: Live | None, account_id: str) -> Change:
        change = None if live is None else vacate_change(live, account_id, self._store.clock())
        if change is None:
            raise NothingLeft
        return change

    async def _look_on(self) -> None:
        while True:
            try:
                await self.look()
                await self.settle()
            except ChautariError as error:
                _log.warning("not looked at", error=type(error).__name__)
            except Exception:  # without it no ban would be heard of
                _log.exception("not looked at")
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_SECONDS):
                    await self._hurried.wait()
            self._hurried.clear()
