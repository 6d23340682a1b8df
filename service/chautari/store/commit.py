"""The hot path: one act is one row of the journal and one guarded update, by hand on SQLite's driver."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final

from sqlalchemy import Connection

from chautari.app.ports import Overtaken, RequestSeen
from chautari.app.values import Entry, Match, Micros
from chautari.store import journal, matches, packing
from chautari.store.group_commit import GroupCommit, Job, savepoint
from chautari.store.sqlite_errors import is_fatal

_ADD: Final = f"INSERT INTO journal ({', '.join(journal.COLUMNS)}) VALUES ({', '.join('?' for _ in journal.COLUMNS)})"
_REMOVE: Final = "DELETE FROM journal WHERE match_id = ? AND revision = ?"
_SAVE: Final = (
    f"UPDATE match SET {', '.join(f'{column} = ?' for column in matches.CHANGING)} WHERE id = ? AND revision = ?"
)
_SAVE_LOOSE: Final = f"{_SAVE} AND packed = 0"
_SEEN: Final = f"SELECT {', '.join(journal.COLUMNS)} FROM journal WHERE account_id = ? AND request_id = ?"
_PACKED: Final = "SELECT blob FROM packed WHERE match_id = ?"


class Commit:
    """The job of one change of a match; it gives the time of the commit. also: what is written with it, if anything."""

    __slots__ = ("_also", "_chairs", "_entry", "_match")

    def __init__(
        self, match: Match, entry: Entry, *, chairs: bool, also: Callable[[Connection, Micros], object] | None = None
    ) -> None:
        self._match = match
        self._entry = entry
        self._chairs = chairs
        self._also = also

    @property
    def is_brief(self) -> bool:
        """See `Job`: whether nothing but the entry and the row of the match is to be written."""
        return not self._chairs and self._also is None and not self._match.is_over

    def entry_row(self, at: Micros) -> tuple[Any, ...]:
        """The values of the row of the journal."""
        return journal.to_row(self._entry, at)

    def match_row(self) -> tuple[Any, ...]:
        """The new values of the row of the match, then its id and the revision that it must have."""
        return (*matches.changing(self._match), self._match.id, self._match.revision - 1)

    def __call__(self, group: GroupCommit, at: Micros, /) -> Micros:
        """Adds the entry and saves the match, and what hangs on it where that has changed."""
        if self.is_brief:
            self._commit(group.driver, at)
            return at
        with savepoint(group.driver):
            if self._also is not None:
                self._also(group.connection, at)
            before = matches.members(group.connection, self._match.id)
            self._commit(group.driver, at)
            if self._chairs:
                matches.save_chairs(group.connection, self._match, before)
            elif self._match.is_over:
                matches.retire(group.connection, self._match)
        return at

    def _commit(self, driver: sqlite3.Connection, at: Micros) -> None:
        """Adds the entry, then saves the match if it is still at the revision before; where that fails, it is as if
        neither had been tried."""
        try:
            driver.execute(_ADD, self.entry_row(at))
        except sqlite3.IntegrityError:
            self._raise_seen(driver)
            raise Overtaken from None
        try:
            values = self.match_row()
            if driver.execute(_SAVE_LOOSE, values).rowcount == 0:
                self._raise_seen_packed(driver)
                if driver.execute(_SAVE, values).rowcount == 0:
                    raise Overtaken
        except Exception as error:
            if is_fatal(error):
                raise
            driver.execute(_REMOVE, (self._entry.match_id, self._entry.revision))
            if isinstance(error, sqlite3.IntegrityError):
                raise ValueError("code") from error  # the only column of these that is unique
            raise

    def _raise_seen(self, driver: sqlite3.Connection) -> None:
        """Raises RequestSeen where the entry's request is in a journal."""
        if self._entry.request is None:
            return
        row = driver.execute(_SEEN, (self._entry.account_id, self._entry.request.id)).fetchone()
        if row is not None:
            raise RequestSeen(journal.from_row(row))

    def _raise_seen_packed(self, driver: sqlite3.Connection) -> None:
        """Raises RequestSeen where the entry's request is among the match's packed entries."""
        request, account_id = self._entry.request, self._entry.account_id
        row = driver.execute(_PACKED, (self._match.id,)).fetchone()
        if row is None or request is None or account_id is None:
            return
        seen = packing.find(self._match.id, row[0], account_id, request)
        if seen is not None:
            raise RequestSeen(seen)


_MOST: Final = 64


def commit_together(driver: sqlite3.Connection, jobs: Sequence[Job[Any]], at: Micros) -> Mapping[Job[Any], Micros]:
    """Does the plain commits with two statements for up to 64 of them; where one of them fails, it rolls back."""
    plain = [job for job in jobs if isinstance(job, Commit) and job.is_brief]
    if len(plain) < 2:
        return {}
    for start in range(0, len(plain), _MOST):
        some = plain[start : start + _MOST]
        add, save = _statements(len(some))
        try:
            driver.execute(add, [value for commit in some for value in commit.entry_row(at)])
            saved = driver.execute(save, [value for commit in some for value in commit.match_row()]).rowcount
        except Exception as error:
            if is_fatal(error):
                raise
            saved = 0
        if saved != len(some):
            if driver.in_transaction:
                driver.execute("ROLLBACK")
            return {}
    return dict.fromkeys(plain, at)


@cache
def _statements(count: int) -> tuple[str, str]:
    """The statements that add so many entries, and that save so many matches which are loose and not overtaken.

    OR ROLLBACK spares SQLite the copies of pages by which it could undo the statement alone.
    """
    columns = (*matches.CHANGING, "id", "revision")
    entries = ", ".join([f"({', '.join('?' * len(journal.COLUMNS))})"] * count)
    values = ", ".join([f"({', '.join('?' * len(columns))})"] * count)
    changes = ", ".join(f"{name} = new.column{number}" for number, name in enumerate(matches.CHANGING, 1))
    same = f"match.id = new.column{len(columns) - 1} AND match.revision = new.column{len(columns)}"
    return (
        f"INSERT OR ROLLBACK INTO journal ({', '.join(journal.COLUMNS)}) VALUES {entries}",
        f"UPDATE OR ROLLBACK match SET {changes} FROM (VALUES {values}) AS new WHERE {same} AND match.packed = 0",
    )
