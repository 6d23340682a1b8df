"""The store in memory: for the tests of the use cases, and to measure what the database costs.

It keeps the promises of `app.ports` as the others do, but the one that anything outlives the process.
"""

import asyncio
import secrets
from collections.abc import Callable, Collection

import msgspec

from chautari.app.audit import Note
from chautari.app.ports import Overtaken, RequestSeen, TooManyOpen
from chautari.app.values import (
    LEAST_PUT_OFF,
    Cause,
    Claim,
    Claims,
    DueKind,
    Entry,
    Match,
    MatchState,
    Micros,
    PutOff,
    RequestKey,
)
from chautari.errors import Unavailable
from chautari.store import matches
from chautari.store.clock import Clock, system_clock
from chautari.store.memory_lists import MemoryLists


class MemoryStore(MemoryLists):
    """The store in memory. It implements `app.ports.Store`."""

    exclusive: bool = True

    def __init__(self, clock: Callable[[], Micros] = system_clock) -> None:
        super().__init__(Clock(clock))
        self._closed = False
        self.epoch = secrets.token_hex(8)
        self._requests: dict[tuple[str, bytes], Entry] = {}
        self._packed_requests: dict[tuple[str, str, bytes], Entry] = {}
        self._codes: dict[str, str] = {}
        self._links: dict[str, str] = {}

    # ── Matches ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def add_match(
        self, match: Match, entry: Entry, *, open_at_most: int = 0, late: Callable[[Micros], object] | None = None
    ) -> asyncio.Future[Micros]:
        """See `app.ports`. Nothing is ever late here."""
        del late
        return _at_once(lambda: self._add_match(match, entry, open_at_most))

    def _add_match(self, match: Match, entry: Entry, open_at_most: int) -> Micros:
        self._check()
        self._refuse_seen(entry)
        hosted = sum(one.host == match.host and not one.is_over for one in self._of(match.host))
        if 0 < open_at_most <= hosted:
            raise TooManyOpen
        for name, taken in (
            ("id", match.id in self._matches),
            ("link", match.link in self._links),
            ("code", match.code is not None and self._under(match.code) is not None),
        ):
            if taken:
                raise ValueError(name)
        self._links[match.link] = match.id
        self._journals[match.id] = []
        self._keep(match)
        self._keep_members(match)
        return self._keep_entry(entry)

    async def find_match(self, match_id: str) -> Match | None:
        """See `app.ports`."""
        self._check()
        return self._matches.get(match_id)

    async def find_by_code(self, code: str) -> Match | None:
        """See `app.ports`."""
        self._check()
        return self._under(code)

    def _under(self, code: str) -> Match | None:
        match = self._matches.get(self._codes.get(code, ""))
        return match if match is not None and match.holds_code(self._clock.now()) else None

    async def find_by_link(self, link: str) -> Match | None:
        """See `app.ports`."""
        self._check()
        match_id = self._links.get(link)
        return None if match_id is None else self._matches[match_id]

    def commit(
        self, match: Match, entry: Entry, *, chairs: bool = False, late: Callable[[Micros], object] | None = None,
        audit: Note | None = None,
    ) -> asyncio.Future[Micros]:  # fmt: skip
        """See `app.ports`. Nothing is ever late here."""
        del late
        return _at_once(lambda: self._commit(match, entry, chairs=chairs, audit=audit))

    def _commit(self, match: Match, entry: Entry, *, chairs: bool, audit: Note | None) -> Micros:
        self._check()
        if audit is not None:
            self._refuse_noted(audit)
        self._refuse_seen(entry)
        if entry.request is not None and entry.account_id is not None:
            seen = self._packed_requests.get((match.id, entry.account_id, entry.request.id))
            if seen is not None:
                raise RequestSeen(seen)
        old = self._matches.get(match.id)
        if old is None or old.revision != match.revision - 1:
            raise Overtaken
        if chairs and match.state is MatchState.SEATING and match.code is not None:
            other = self._under(match.code)
            if other is not None and other.id != match.id and other.state is MatchState.SEATING:
                raise ValueError("code")
        names = (*matches.CHANGING, *matches.ARRANGED, "chairs") if chairs else matches.CHANGING
        self._keep(msgspec.structs.replace(old, **{name: getattr(match, name) for name in names}))
        if chairs:
            self._keep_members(match)
        if audit is not None:
            self._add_note(audit)
        return self._keep_entry(entry)

    async def entries(self, match_id: str, after: int, limit: int) -> list[Entry]:
        """See `app.ports`."""
        self._check()
        return [entry for entry in self._journals.get(match_id, ()) if entry.revision > after][:limit]

    async def revisions(self, match_ids: Collection[str], account_ids: Collection[str]) -> dict[str, int]:
        """See `app.ports`."""
        self._check()
        asked = set(match_ids)
        for account_id in account_ids:
            asked |= {m for m in self._matches_of.get(account_id, ()) if not self._matches[m].is_over}
        return {m: self._matches[m].revision for m in asked if m in self._matches}

    async def find_request(self, account_id: str, request: RequestKey, match_id: str | None) -> Entry | None:
        """See `app.ports`."""
        self._check()
        loose = self._requests.get((account_id, request.id))
        if loose is not None or match_id is None:
            return loose
        return self._packed_requests.get((match_id, account_id, request.id))

    async def claim_due(self, kinds: Collection[DueKind], limit: int, lease: Micros) -> Claims:
        """See `app.ports`."""
        self._check()
        if self._uptime.is_out(self._clock.now()):
            return Claims([], None)
        now = self.service_time()
        claimed = []
        for kind in kinds:
            for match in self._waiting(kind)[:limit]:
                if (match.wake_at or 0) > now:
                    break
                is_due = (match.due_at or 0) <= now
                self._keep(msgspec.structs.replace(match, wake_at=now + lease if is_due else match.due_at))
                if is_due:
                    claimed.append((match.due_at or 0, match.id, match.revision))
        return Claims(
            [Claim(match_id, revision) for _, match_id, revision in sorted(claimed)],
            min((match.wake_at or 0 for kind in kinds for match in self._waiting(kind)), default=None),
        )

    async def put_off(self, match_id: str, most: Micros) -> PutOff | None:
        """See `app.ports`."""
        self._check()
        now, match = self.service_time(), self._matches.get(match_id)
        if match is None or match.due_at is None or match.due_at > now or self._uptime.is_out(self._clock.now()):
            return None
        until = now + min(max(now - match.due_at, LEAST_PUT_OFF), most)
        self._keep(msgspec.structs.replace(match, wake_at=until))
        return PutOff(match.game, until)

    def _waiting(self, kind: DueKind) -> list[Match]:
        """The matches to be looked at for something of this kind, those first whose time comes first."""
        waiting = [match for match in self._matches.values() if match.wake_at is not None and match.due_kind == kind]
        return sorted(waiting, key=lambda match: (match.wake_at or 0, match.id))

    async def pulse(self) -> Micros:
        """See `app.ports`."""
        self._check()
        now = self._clock.now()
        outage = self._uptime.outage(now)
        self._uptime.note(now, self._uptime.outages + outage)
        return outage

    async def pack(self, match_id: str) -> None:
        """See `app.ports`."""
        self._check()
        match = self._matches.get(match_id)
        if match is None:
            return
        if match.due_kind is DueKind.PACK:
            match = msgspec.structs.replace(match, due_at=None, due_kind=None, wake_at=None)
        if not match.packed:
            self._pack_requests(self._journals[match_id])
        self._matches[match_id] = msgspec.structs.replace(match, packed=True)

    # ── The store itself ──────────────────────────────────────────────────────────────────────────────────────────────

    async def check(self) -> None:
        """See `app.ports`."""
        self._check()

    async def close(self) -> None:
        """See `app.ports`."""
        self._closed = True

    def _check(self) -> None:
        if self._closed:
            raise Unavailable("STORAGE_AWAY", "the store is closed")

    def _refuse_seen(self, entry: Entry) -> None:
        if entry.request is not None and entry.account_id is not None:
            seen = self._requests.get((entry.account_id, entry.request.id))
            if seen is not None:
                raise RequestSeen(seen)

    def _keep(self, match: Match) -> None:
        old = self._matches.get(match.id)
        if old is not None and old.code is not None and old.code != match.code:
            self._codes.pop(old.code)
        if match.code is not None and match.state is MatchState.SEATING:
            self._codes[match.code] = match.id
        self._matches[match.id] = match

    def _keep_members(self, match: Match) -> None:
        for account_id in matches.members_of(match):
            self._matches_of.setdefault(account_id, set()).add(match.id)

    def _keep_entry(self, entry: Entry) -> Micros:
        at = self._clock.now()
        entry = msgspec.structs.replace(entry, at=at)
        self._journals[entry.match_id].append(entry)
        if entry.request is not None and entry.account_id is not None:
            self._requests[entry.account_id, entry.request.id] = entry
        return at

    def _pack_requests(self, entries: list[Entry]) -> None:
        """What packing loses: from then on a request is found through its match only, but those of its seating."""
        for number, entry in enumerate(entries[1:], 1):
            if entry.cause is Cause.SEATING and entry.request is not None:
                continue
            if entry.request is not None and entry.account_id is not None:
                del self._requests[entry.account_id, entry.request.id]
                self._packed_requests[entry.match_id, entry.account_id, entry.request.id] = entry
            entries[number] = msgspec.structs.replace(entry, request=None)


def _at_once(write: Callable[[], Micros]) -> asyncio.Future[Micros]:
    """The outcome of a write that takes no time."""
    future = asyncio.get_running_loop().create_future()
    try:
        future.set_result(write())
    except Exception as error:
        future.set_exception(error)
    return future
