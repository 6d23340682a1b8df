"""The application as one value: its use cases over a store and a bus."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from chautari.app.accounts import Accounts
from chautari.app.attempts import Attempts
from chautari.app.changes import Changes
from chautari.app.chores import Chores
from chautari.app.closing import Closings
from chautari.app.decisions import Decisions
from chautari.app.exports import Exports
from chautari.app.hosting import Hosting
from chautari.app.identities import Identities
from chautari.app.keys import Keys
from chautari.app.listing import Lists
from chautari.app.live import LiveMatches
from chautari.app.matches import Matches
from chautari.app.name_words import NameWords, usual_words
from chautari.app.new_matches import Terms
from chautari.app.noting import Noting
from chautari.app.operating import Operating
from chautari.app.pages import PageTokens
from chautari.app.playing import Playing
from chautari.app.ports import Bus, Listener, Store
from chautari.app.providers import Fetch, Provider
from chautari.app.records import Records
from chautari.app.revocations import Revocations
from chautari.app.signing_keys import SigningKeys
from chautari.app.spectating import Spectating
from chautari.app.tokens import Signer
from chautari.app.values import SECOND
from chautari.app.watching import Watching

PACK_AFTER_SECONDS: Final = 24 * 3600
_TERMS: Final = Terms()


class LocalBus:
    """Hints within one process."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def publish(self, match_id: str, revision: int) -> None:
        """Tells every listener at once."""
        for listener in self._listeners:
            listener(match_id, revision)

    def subscribe(self, listener: Listener) -> None:
        """Calls the listener with each hint."""
        self._listeners.append(listener)

    def start(self) -> None:
        """There is nothing to begin."""

    async def close(self) -> None:
        """Nor to end."""


class App:
    """Accounts, matches, play, watching and records over one store. Start it before use, drain it, then close it."""

    def __init__(
        self, store: Store, bus: Bus, *, page_key: bytes, heartbeat_seconds: float = 20.0,
        pack_after_seconds: float = PACK_AFTER_SECONDS, providers: Sequence[Provider] = (), fetch: Fetch | None = None,
        terms: Terms = _TERMS, name_words: NameWords | None = None,
    ) -> None:  # fmt: skip
        """page_key: what is secret of this service and the same in each replica; fetch: for the keys of providers;
        name_words: those that no name may hold; None for the usual ones."""
        clock: Callable[[], int] = store.clock
        self.store = store
        self._revocations = Revocations(store, clock, shared=not store.exclusive)
        self._signer = Signer(store, self._revocations)
        pack_after = int(pack_after_seconds * SECOND)
        live = LiveMatches(store, bus, pack_after=pack_after, expire_after=terms.expire, idle_after=terms.idle)
        tokens = PageTokens(page_key)
        words = name_words or usual_words()
        self._decisions = Decisions(store, live, self._signer)
        self.bans = self._decisions.bans
        self.keys = Keys(store, self._revocations, tokens, clock)
        self.accounts = Accounts(store, self._signer, self.keys, self._revocations, self.bans, words, clock)
        self.identities = Identities(store, self.accounts, providers, fetch, Attempts(page_key, clock), tokens, clock)
        spectating = Spectating(store)
        self.watching = Watching(store, live, bus, spectating, self.bans, heartbeat_seconds=heartbeat_seconds)
        changes = Changes(store, live, spectating)
        self.matches = Matches(store, live, spectating, changes, terms, words)
        self.lists = Lists(store, spectating, tokens)
        self.hosting = Hosting(store, changes, terms, words)
        self.playing = Playing(store, live, self.watching, spectating)
        self.records = Records(store, live, spectating, tokens)
        self.chores = Chores(store, live)
        noting = Noting(store)
        self.operating = Operating(store, live, self._decisions, tokens, noting)
        self.signing_keys = SigningKeys(store, self._signer, noting)
        self.closings = Closings(store, self.accounts, live, changes, self.matches)
        self.exports = Exports(store, self.accounts, tokens)

    async def start(self) -> None:
        """Reads the keys and begins the chores."""
        await self._revocations.start()
        await self._signer.start()
        await self._decisions.start()
        self.watching.rounds.start()
        await self.chores.start()
        await self.closings.start()

    async def drain(self) -> None:
        """Ends the streams and the chores; calls under way go on."""
        self.watching.drain()
        await self.watching.rounds.stop()
        await self.chores.stop()
        await self.closings.stop()
        await self._revocations.stop()
        await self._decisions.stop()
        await asyncio.sleep(0)

    async def close(self) -> None:
        """Lets go of the store."""
        await self.store.close()
