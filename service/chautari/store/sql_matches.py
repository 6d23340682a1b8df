"""The store on a database: matches and their journals, but for the commit of an act."""

from collections.abc import Collection, Sequence

from sqlalchemy import Connection

from chautari.app.filters import Filter
from chautari.app.ports import Overtaken, RequestSeen, TooManyOpen
from chautari.app.values import Claims, DueKind, Entry, Match, Micros, PutOff, RequestKey, Standing
from chautari.store import due, journal, lists, match_rows, matches, uptime
from chautari.store.sql import OnSql


class SqlMatches(OnSql):
    """The part of the store that keeps matches."""

    async def find_match(self, match_id: str) -> Match | None:
        """See `app.ports`."""
        return await self._read(lambda connection: match_rows.find_match(connection, self._sealer, match_id))

    async def find_by_code(self, code: str) -> Match | None:
        """See `app.ports`."""
        now = self._clock.now()
        return await self._read(lambda connection: match_rows.find_by_code(connection, self._sealer, code, now))

    async def find_by_link(self, link: str) -> Match | None:
        """See `app.ports`."""
        return await self._read(lambda connection: match_rows.find_by_link(connection, self._sealer, link))

    async def revisions(self, match_ids: Collection[str], account_ids: Collection[str]) -> dict[str, int]:
        """See `app.ports`."""
        return await self._read(lambda connection: lists.revisions(connection, match_ids, account_ids))

    async def find_request(self, account_id: str, request: RequestKey, match_id: str | None) -> Entry | None:
        """See `app.ports`."""
        return await self._read(lambda connection: journal.find_request(connection, account_id, request, match_id))

    async def matches_of(
        self, account_id: str, *, active: bool, my_turn: bool, game: str | None,
        before: tuple[Micros, str] | None, limit: int, wanted: Filter | None = None, rising: bool = False,
    ) -> list[Match]:  # fmt: skip
        """See `app.ports`."""
        return await self._read(
            lambda connection: lists.matches_of(
                connection, account_id, active=active, my_turn=my_turn, game=game, before=before, limit=limit,
                wanted=wanted, rising=rising,
            )
        )  # fmt: skip

    async def open_matches(
        self, *, but_of: str, game: str | None, before: tuple[Micros, str] | None, limit: int,
        wanted: Filter | None = None, rising: bool = False,
    ) -> list[Match]:  # fmt: skip
        """See `app.ports`."""
        return await self._read(
            lambda connection: lists.open_matches(
                connection, but_of=but_of, game=game, before=before, limit=limit, wanted=wanted, rising=rising
            )
        )  # fmt: skip

    async def playing_matches(
        self, *, but_of: str, now: Micros, game: str | None, before: tuple[Micros, str] | None, limit: int,
        wanted: Filter | None = None, rising: bool = False,
    ) -> list[Match]:  # fmt: skip
        """See `app.ports`."""
        return await self._read(
            lambda connection: lists.playing_matches(
                connection, but_of=but_of, now=now, game=game, before=before, limit=limit, wanted=wanted, rising=rising
            )
        )  # fmt: skip

    async def standings(self, account_id: str, limit: int) -> list[Standing]:
        """See `app.ports`."""
        return await self._read(lambda connection: lists.standings(connection, account_id, limit, self.outages))

    async def find_matches(self, match_ids: Sequence[str]) -> list[Match]:
        """See `app.ports`."""
        return await self._read(lambda connection: match_rows.find_matches(connection, self._sealer, match_ids))

    async def claim_due(self, kinds: Collection[DueKind], limit: int, lease: Micros) -> Claims:
        """See `app.ports`."""

        def claim(connection: Connection, at: Micros) -> Claims:
            now = uptime.service_time(connection, at)
            if now is None:
                return Claims([], None)
            claimed = due.claim(connection, now, kinds, limit, lease)
            return Claims(claimed, due.next_wake(connection, kinds))

        return await self._write(claim)

    async def put_off(self, match_id: str, most: Micros) -> PutOff | None:
        """See `app.ports`."""

        def put_off(connection: Connection, at: Micros) -> PutOff | None:
            now = uptime.service_time(connection, at)
            return None if now is None else due.put_off(connection, now, match_id, most)

        return await self._write(put_off)

    def _add_match(self, connection: Connection, match: Match, entry: Entry, at: Micros, open_at_most: int) -> Micros:
        """The transaction of a new match."""
        if entry.account_id is not None and entry.request is not None:
            seen = journal.find_request(connection, entry.account_id, entry.request, None)
            if seen is not None:
                raise RequestSeen(seen)
        if open_at_most and matches.hosted(connection, match.host, open_at_most) >= open_at_most:
            raise TooManyOpen
        matches.add_match(connection, self._sealer, match, at)
        journal.add_entry(connection, entry, at)
        return at

    def _save_match(self, connection: Connection, match: Match, entry: Entry, at: Micros, *, chairs: bool) -> None:
        """The transaction of a change of a match, where it is no hot one; Overtaken as `commit` says."""
        if not matches.save(connection, match, chairs=chairs):
            raise Overtaken
        journal.add_entry(connection, entry, at)
