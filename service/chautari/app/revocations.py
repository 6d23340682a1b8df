"""What does not hold any more: sign-ins that were ended and keys that were deleted, while anybody may still use them.

Access tokens are checked without asking the store, so a process has to know which of them were revoked. It does for
as long as one of them may live: what it revokes itself at once, what another process revokes within a second.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Final

import structlog

from chautari.app.account_ports import CredentialStore
from chautari.app.values import SECOND, Micros
from chautari.errors import ChautariError

KEPT_SECONDS: Final = 20 * 60
"""Longer than any access token lives, and any key is remembered."""
LOOK_SECONDS: Final = 0.5
"""So often a process looks for what others have revoked."""
_OVERLAP: Final[Micros] = 60 * SECOND
"""What was written meanwhile may be seen late by so much."""

Listener = Callable[[frozenset[str]], None]

_log = structlog.get_logger("chautari.accounts")


class Revocations:
    """The sign-ins (families of refresh tokens) and API keys (ids) that were revoked lately."""

    def __init__(self, store: CredentialStore, clock: Callable[[], Micros], *, shared: bool) -> None:
        """shared: whether other processes revoke too."""
        self._store = store
        self._clock = clock
        self._shared = shared
        self._recent: dict[str, Micros] = {}
        self._pruned_at: Micros = 0
        self._listeners: list[Listener] = []
        self._looking: asyncio.Task[None] | None = None

    def __contains__(self, subject: str) -> bool:
        return subject in self._recent

    def on_revoked(self, listener: Listener) -> None:
        """Calls the listener, in the event loop, with what has just been revoked."""
        self._listeners.append(listener)

    def add(self, subjects: Iterable[str]) -> None:
        """Notes what the store has just revoked, and tells those who listen."""
        now = self._clock()
        new = frozenset(subjects) - self._recent.keys()
        if now - self._pruned_at > 60 * SECOND:
            self._recent = {kept: at for kept, at in self._recent.items() if now - at <= KEPT_SECONDS * SECOND}
            self._pruned_at = now
        self._recent.update(dict.fromkeys(new, now))
        if new:
            for listener in self._listeners:
                listener(new)

    async def start(self) -> None:
        """Reads what was revoked before this process, and begins to look for more where others may revoke."""
        await self._look(self._clock() - KEPT_SECONDS * SECOND)
        if self._shared:
            self._looking = asyncio.get_running_loop().create_task(self._keep_looking())

    async def stop(self) -> None:
        """Looks no more."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)

    async def _keep_looking(self) -> None:
        while True:
            looked_at = self._clock()
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await self._look(looked_at - _OVERLAP)
            except ChautariError as error:
                _log.warning("revocations not read", error=error.reason)
            except Exception:  # the loop goes on: without it what others revoke would hold here
                _log.exception("revocations not read")

    async def _look(self, since: Micros) -> None:
        self.add(one.subject for one in await self._store.revocations(since))
