"""Whether calls should be sent to this process: looked at all the time, and told where it changes."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

_SECONDS: Final = 1.0

_log: Final = structlog.get_logger(__name__)


class Readiness:
    """Looks each second whether the database answers, and tells those who want to know as soon as that changes.

    Reads are what counts: a database that is full, or takes no changes for a while, still answers.
    """

    def __init__(self, works: Callable[[], Awaitable[bool]], tell: Callable[[bool], Awaitable[None]]) -> None:
        self._works = works
        self._tell = tell
        self._is_ready = True
        self._looking: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begins to look."""
        self._looking = asyncio.get_running_loop().create_task(self._look())

    async def stop(self) -> None:
        """Looks no more."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(_SECONDS)
            try:
                is_ready = await self._works()
                if is_ready != self._is_ready:
                    (_log.info if is_ready else _log.warning)(
                        "the database answers again" if is_ready else "the database does not answer"
                    )
                    self._is_ready = is_ready
                    await self._tell(is_ready)
            except Exception:  # else nobody would ever be told that it is back
                _log.exception("not looked at")
