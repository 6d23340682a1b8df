"""Where other replicas change matches too: their hints are passed on, and now and then the store is looked at.

A hint may be lost; whoever watches here then hears of a change at the next look, in a second or so.
"""

import asyncio
from typing import Final

import structlog

from chautari.app.feeds import Feeds
from chautari.app.mine import Mine
from chautari.app.ports import Bus, Store
from chautari.errors import ChautariError

_SECONDS: Final = 1.0

_log: Final = structlog.get_logger(__name__)


class Rounds:
    """Looks round for all streams of this process at once."""

    def __init__(self, store: Store, bus: Bus, feeds: Feeds, mine: Mine) -> None:
        self._store = store
        self._bus = bus
        self._feeds = feeds
        self._mine = mine
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begins, unless all changes are made in this process."""
        if not self._store.exclusive:
            self._bus.subscribe(lambda match_id, _: self._mine.hint(match_id))
            self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        """Looks no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(_SECONDS)
            try:
                await self._look()
            except ChautariError:  # the store is away: streams say so by themselves
                pass
            except Exception:  # the loop goes on: without it whoever watches here would miss what others change
                _log.exception("not looked round")

    async def _look(self) -> None:
        watched = self._feeds.watched()
        latest = await self._store.revisions(watched, ()) if watched else {}
        for match_id, revision in latest.items():
            self._feeds.hint(match_id, revision)
        await self._mine.look_round()
