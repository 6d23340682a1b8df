"""The store in memory: what operators do and find, and the log of it."""

from collections.abc import Iterable
from typing import Final

import msgspec

from chautari.app.account_values import SigningKey
from chautari.app.audit import FIRST, AuditCheck, AuditEntry, AuditQuestion, Note, NoteSeen, check_chain, seal
from chautari.app.bans import Ban
from chautari.app.filters import Filter, holds
from chautari.app.searches import AccountQuestion, AccountRow, MatchQuestion
from chautari.app.values import Match, MatchState, Micros, RequestKey
from chautari.store import matches
from chautari.store.clock import Clock
from chautari.store.memory_closings import MemoryClosings
from chautari.store.search import MOST_ACTIVE

_CHAIN: Final = bytes(32)


class MemoryOperate(MemoryClosings):
    """The part of the store in memory that is for operators."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self._bans: dict[str, Ban] = {}
        self._notes: list[AuditEntry] = []

    async def note(self, note: Note) -> AuditEntry:
        """See `app.operate_ports`."""
        self._check()
        return self._add_note(note)

    def _refuse_noted(self, note: Note) -> None:
        if note.request is not None and note.account_id is not None:
            seen = self._find_note(note.account_id, note.request)
            if seen is not None:
                raise NoteSeen(seen)

    def _add_note(self, note: Note) -> AuditEntry:
        self._refuse_noted(note)
        number, at = len(self._notes) + 1, self._clock.now()
        before = self._notes[-1].seal if self._notes else FIRST
        entry = AuditEntry(number=number, at=at, note=note, seal=seal(_CHAIN, before, number, at, note))
        self._notes.append(entry)
        return entry

    async def last_note(self) -> int:
        """See `app.operate_ports`."""
        self._check()
        return len(self._notes)

    async def find_note(self, account_id: str, request: RequestKey) -> AuditEntry | None:
        """See `app.operate_ports`."""
        self._check()
        return self._find_note(account_id, request)

    def _find_note(self, account_id: str, request: RequestKey) -> AuditEntry | None:
        for entry in self._notes:
            asked = entry.note.request
            if entry.note.account_id == account_id and asked is not None and asked.id == request.id:
                return entry
        return None

    async def notes(self, question: AuditQuestion, before: int | None, limit: int) -> list[AuditEntry]:
        """See `app.operate_ports`."""
        self._check()
        return [
            entry
            for entry in reversed(self._notes)
            if (not question.account_id or entry.note.account_id == question.account_id)
            and (not question.target or entry.note.target == question.target)
            and (not question.method or entry.note.method == question.method)
            and (before is None or entry.number < before)
        ][:limit]

    async def check_notes(self) -> AuditCheck:
        """See `app.operate_ports`."""
        self._check()
        last = (len(self._notes), self._notes[-1].seal) if self._notes else (0, FIRST)
        return check_chain(_CHAIN, self._notes, last)

    async def ban(self, ban: Ban, note: Note) -> AuditEntry:
        """See `app.operate_ports`."""
        self._check()
        entry = self._add_note(note)
        self._bans[ban.account_id] = msgspec.structs.replace(ban, at=entry.at)
        return entry

    async def lift_ban(self, account_id: str, note: Note) -> AuditEntry | None:
        """See `app.operate_ports`."""
        self._check()
        if account_id not in self._in_force():
            return None
        entry = self._add_note(note)
        del self._bans[account_id]
        return entry

    async def bans(self) -> list[Ban]:
        """See `app.operate_ports`."""
        self._check()
        return sorted(self._in_force().values(), key=lambda ban: ban.account_id)

    def _in_force(self) -> dict[str, Ban]:
        now = self._clock.now()
        return {key: ban for key, ban in self._bans.items() if ban.until is None or ban.until > now}

    async def seats_left(self, ban: Ban) -> None:
        """See `app.operate_ports`."""
        self._check()
        known = self._bans.get(ban.account_id)
        if known is not None and known.at == ban.at:
            self._bans[ban.account_id] = msgspec.structs.replace(known, seats_left=True)

    async def change_keys(
        self, note: Note, *, new: SigningKey | None, older_until: Micros | None = None, revoked: str | None = None
    ) -> AuditEntry | None:
        """See `app.operate_ports`."""
        self._check()
        if revoked is not None and revoked not in self._keys:
            return None
        entry = self._add_note(note)
        if revoked is not None:
            del self._keys[revoked]
        for kid, key in self._keys.items() if older_until is not None else ():
            assert older_until is not None
            self._keys[kid] = msgspec.structs.replace(key, expires_at=min(key.expires_at, older_until))
        if new is not None:
            self._keys[new.kid] = new
        return entry

    async def search_accounts(
        self, question: AccountQuestion, after: tuple[str, str] | None, limit: int
    ) -> list[AccountRow]:
        """See `app.operate_ports`."""
        self._check()
        banned = self._in_force()
        prefix = question.name_prefix.casefold()
        found = sorted(
            (account.display_name.casefold(), account.id)
            for account in self._accounts.values()
            if (not question.account_id or account.id == question.account_id)
            and account.display_name.casefold().startswith(prefix)
            and (not question.banned or account.id in banned)
        )
        return [
            AccountRow(account=self._accounts[key[1]], ban=banned.get(key[1]), active_matches=self._active(key[1]))
            for key in found
            if after is None or key > after
        ][:limit]

    def _active(self, account_id: str) -> int:
        active = (match for match in self._matches.values() if not match.is_over)
        return min(MOST_ACTIVE, sum(account_id in matches.members_of(match) for match in active))

    async def search_matches(
        self, question: MatchQuestion, before: tuple[Micros, str] | None, limit: int
    ) -> list[Match]:
        """See `app.operate_ports`."""
        self._check()
        return page(
            (
                match
                for match in self._matches.values()
                if (not question.match_id or match.id == question.match_id)
                and (not question.code or (match.code == question.code and match.state is MatchState.SEATING))
                and (not question.account_id or question.account_id in matches.members_of(match))
                and (not question.failing or match.is_put_off)
                and (question.state is None or match.state is question.state)
            ),
            question.game or None, before, limit,
        )  # fmt: skip


def page(
    found: Iterable[Match], game: str | None, before: tuple[Micros, str] | None, limit: int,
    wanted: Filter | None = None, rising: bool = False,
) -> list[Match]:  # fmt: skip
    """A page of a list: the latest created first, or the oldest, without secrets and snapshots."""

    def is_behind(place: tuple[Micros, str]) -> bool:
        return before is None or (place > before if rising else place < before)

    ordered = sorted(
        (
            match
            for match in found
            if (game is None or match.game == game)
            and (wanted is None or holds(wanted, match))
            and is_behind((match.created_at, match.id))
        ),
        key=lambda match: (match.created_at, match.id),
        reverse=not rising,
    )
    return [msgspec.structs.replace(match, secret=b"", snapshot=None) for match in ordered[:limit]]
