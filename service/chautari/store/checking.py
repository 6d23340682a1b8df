"""Checking a SQLite file, also while it is served: the file itself, its tables, seals, log, and every journal."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
from sqlalchemy import Connection, select

from chautari.app.values import Entry, Match
from chautari.errors import Malformed, Unavailable
from chautari.store import audit, journal, keys, match_rows, matches, migrate, packing
from chautari.store.connect import connect, driver_of, transaction
from chautari.store.seal import BrokenSeal, Sealer
from chautari.store.server import check_seal
from chautari.store.tables import closing, match, member, server

_MOST: Final = 100
"""Faults that are listed of each kind."""
_ENTRIES: Final = 1_000_000

Judge = Callable[[Match, list[Entry]], list[str]]
"""What is wrong with the journal of a match."""


class Checked(msgspec.Struct, frozen=True):
    """What a check found. unchecked: what could not be looked at, and why."""

    revision: str
    matches: int
    entries: int
    audit_entries: int
    faults: list[str]
    unchecked: list[str]


class Skipped(Exception):
    """The judge could not look at a match; the message says why."""


def check(path: Path, key: bytes, judge: Judge | None, progress: Callable[[int, int], None]) -> Checked:
    """Checks one state of the database. judge: None to leave the journals; progress: is told matches done and all.

    Malformed `BAD_DATABASE`, `BAD_DATABASE_REVISION`, `WRONG_SEAL_KEY`.
    """
    if not path.exists():
        raise Malformed("BAD_DATABASE", f"there is no database {path}")
    sealer = Sealer(key)
    try:
        connection = connect(path, query_only=True)
    except sqlite3.DatabaseError as error:
        raise Malformed("BAD_DATABASE", f"{path} cannot be opened as a database: {error}") from error
    try:
        with transaction(connection, "DEFERRED"):
            return _Check(connection, sealer, key, judge, progress).run()
    except sqlite3.DatabaseError as error:
        raise Malformed("BAD_DATABASE", f"{path} is damaged: {error}") from error
    finally:
        connection.close()


class _Check:
    def __init__(
        self, connection: Connection, sealer: Sealer, key: bytes, judge: Judge | None,
        progress: Callable[[int, int], None],
    ) -> None:  # fmt: skip
        self._connection = connection
        self._driver = driver_of(connection)
        self._sealer = sealer
        self._key = key
        self._judge = judge
        self._progress = progress
        self._faults: list[str] = []
        self._unchecked: list[str] = []
        self._entries = 0
        self._closed: dict[str, str | None] = {}
        """Accounts that ended, which lists may have forgotten, and those that took their places."""

    def run(self) -> Checked:
        """Everything in turn."""
        found = self._driver.execute(f"PRAGMA integrity_check({_MOST})").fetchall()
        self._faults += [f"the file: {row[0]}" for row in found if row[0] != "ok"]
        for table, row, parent, _ in self._driver.execute("PRAGMA foreign_key_check").fetchall()[:_MOST]:
            self._faults.append(f"table {table}, row {row}: what it belongs to in {parent} is not there")
        revision = migrate.current_here(self._connection)
        if revision != migrate.head():
            raise Malformed(
                "BAD_DATABASE_REVISION",
                f"the tables are at revision {revision}, this program wants {migrate.head()}: upgrade them first",
            )
        sealed = self._connection.execute(select(server.c.value).where(server.c.key == "seal")).scalar()
        check_seal(self._sealer, sealed or "")
        self._check_keys()
        log = audit.check(self._connection, audit.chain_key(self._key))
        if log.broken:
            self._faults.append(f"the audit log: entry {log.broken} is changed, or missing")
        count = self._check_matches()
        return Checked(revision or "", count, self._entries, log.entries, self._faults, self._unchecked)

    def _check_keys(self) -> None:
        try:
            keys.signing_keys(self._connection, self._sealer, 0)
        except BrokenSeal as error:
            self._faults.append(f"a signing key: {error}")

    def _check_matches(self) -> int:
        closings = self._connection.execute(select(closing.c.account_id, closing.c.survivor))
        self._closed = {row.account_id: row.survivor for row in closings}
        ids = list(self._connection.execute(select(match.c.id).order_by(match.c.created_at, match.c.id)).scalars())
        for number, match_id in enumerate(ids, 1):
            self._faults += [f"match {match_id}: {fault}" for fault in self._match_faults(match_id)]
            self._progress(number, len(ids))
        return len(ids)

    def _match_faults(self, match_id: str) -> list[str]:
        try:
            found = match_rows.find_match(self._connection, self._sealer, match_id)
        except BrokenSeal:
            return ["its secret does not open"]
        except (ValueError, msgspec.MsgspecError, Unavailable) as error:  # the last where it may be of a newer release
            return [f"its row cannot be read: {error.__cause__ or error}"]
        assert found is not None
        faults = self._member_faults(found)
        if self._judge is None:
            return faults
        try:
            entries = journal.entries(self._connection, packing.Unpacked(0), match_id, 0, _ENTRIES)
            self._entries += len(entries)
            return faults + self._judge(found, entries)
        except Skipped as skipped:
            self._unchecked.append(f"match {match_id}: {skipped}")
        except Exception as error:  # a blob that cannot be unpacked: whatever it raises, it is a fault of the match
            faults.append(f"its journal cannot be read: {error}")
        return faults

    def _member_faults(self, found: Match) -> list[str]:
        mine = member.c.match_id == found.id
        stored = {row.account_id: row.active for row in self._connection.execute(select(member).where(mine))}
        wanted = matches.members_of(found)
        missing = wanted - stored.keys() - self._closed.keys()
        others = stored.keys() - wanted - set(self._closed.values())
        wrong = [account_id for account_id, active in stored.items() if active == found.is_over]
        return ["the list of its members is not what its chairs say"] if missing or others or wrong else []
