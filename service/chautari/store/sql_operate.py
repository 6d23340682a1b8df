"""The store on a database: what operators do and find, and the log of it."""

from collections.abc import Callable

import msgspec
from sqlalchemy import Connection

from chautari.app.account_values import SigningKey
from chautari.app.audit import AuditCheck, AuditEntry, AuditQuestion, Note
from chautari.app.bans import Ban
from chautari.app.searches import AccountQuestion, AccountRow, MatchQuestion
from chautari.app.values import Match, Micros, RequestKey
from chautari.store import audit, bans, keys, search
from chautari.store.clock import Clock
from chautari.store.seal import Sealer
from chautari.store.sql import OnSql
from chautari.store.uptime import Uptime


class SqlOperate(OnSql):
    """The part of the store on a database that is for operators."""

    def __init__(self, sealer: Sealer, clock: Clock, alive: Uptime) -> None:
        super().__init__(sealer, clock, alive)
        self._chain = audit.chain_key(sealer.key)

    async def note(self, note: Note) -> AuditEntry:
        """See `app.operate_ports`."""
        return await self._write(lambda connection, at: audit.add(connection, self._chain, note, at))

    def _to_note(self, note: Note) -> Callable[[Connection, Micros], AuditEntry]:
        """What adds an entry inside another transaction."""
        return lambda connection, at: audit.add(connection, self._chain, note, at)

    async def last_note(self) -> int:
        """See `app.operate_ports`."""
        return await self._read(audit.last)

    async def find_note(self, account_id: str, request: RequestKey) -> AuditEntry | None:
        """See `app.operate_ports`."""
        return await self._read(lambda connection: audit.find_request(connection, account_id, request))

    async def notes(self, question: AuditQuestion, before: int | None, limit: int) -> list[AuditEntry]:
        """See `app.operate_ports`."""
        return await self._read(lambda connection: audit.entries(connection, question, before, limit))

    async def check_notes(self) -> AuditCheck:
        """See `app.operate_ports`."""
        return await self._read(lambda connection: audit.check(connection, self._chain))

    async def ban(self, ban: Ban, note: Note) -> AuditEntry:
        """See `app.operate_ports`."""

        def work(connection: Connection, at: Micros) -> AuditEntry:
            entry = audit.add(connection, self._chain, note, at)
            bans.add(connection, msgspec.structs.replace(ban, at=at), at)
            return entry

        return await self._write(work)

    async def lift_ban(self, account_id: str, note: Note) -> AuditEntry | None:
        """See `app.operate_ports`."""

        def work(connection: Connection, at: Micros) -> AuditEntry | None:
            if not bans.lift(connection, account_id, at):
                return None
            return audit.add(connection, self._chain, note, at)

        return await self._write(work)

    async def bans(self) -> list[Ban]:
        """See `app.operate_ports`."""
        now = self._clock.now()
        return await self._read(lambda connection: bans.bans(connection, now))

    async def seats_left(self, ban: Ban) -> None:
        """See `app.operate_ports`."""
        await self._write(lambda connection, _: bans.seats_left(connection, ban.account_id, ban.at))

    async def change_keys(
        self, note: Note, *, new: SigningKey | None, older_until: Micros | None = None, revoked: str | None = None
    ) -> AuditEntry | None:
        """See `app.operate_ports`."""

        def work(connection: Connection, at: Micros) -> AuditEntry | None:
            changed = keys.change(connection, self._sealer, at, new=new, older_until=older_until, revoked=revoked)
            return audit.add(connection, self._chain, note, at) if changed else None

        return await self._write(work)

    async def search_accounts(
        self, question: AccountQuestion, after: tuple[str, str] | None, limit: int
    ) -> list[AccountRow]:
        """See `app.operate_ports`."""
        now = self._clock.now()
        return await self._read(lambda connection: search.find_accounts(connection, question, now, after, limit))

    async def search_matches(
        self, question: MatchQuestion, before: tuple[Micros, str] | None, limit: int
    ) -> list[Match]:
        """See `app.operate_ports`."""
        return await self._read(lambda connection: search.find_matches(connection, question, before, limit))
