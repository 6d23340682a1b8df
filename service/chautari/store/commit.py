"""The commit of a change on SQLite: a row of the journal and a guarded update, by hand on the driver.

See `commit_together` for many of them at one stroke, which is how most are done.
"""

import sqlite3
from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from chautari.app.ports import Overtaken, RequestSeen
from chautari.app.values import Entry, Match, Micros
from chautari.store import journal, matches, packing
from chautari.store.group_commit import GroupCommit, savepoint
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
    """The job of one change of a match; it gives the time of the commit. also: what is written with it, if anything.

    is_brief: see `Job`; whether nothing but the entry and the row of the match is to be written.
    """

    __slots__ = ("_also", "_entry", "chairs", "is_brief", "match")

    def __init__(
        self, match: Match, entry: Entry, *, chairs: bool, also: Callable[[Connection, Micros], object] | None = None
    ) -> None:
        self.match = match
        self.chairs = chairs
        self._entry = entry
        self._also = also
        self.is_brief = not chairs and also is None and not match.is_over

    @property
    def is_by_itself(self) -> bool:
        """Whether nothing of another kind is written with it."""
        return self._also is None

    def entry_row(self, at: Micros) -> tuple[Any, ...]:
        """The values of the row of the journal."""
        return journal.to_row(self._entry, at)

    def match_row(self, more: tuple[Any, ...] = ()) -> tuple[Any, ...]:
        """The new values of the row of the match, then its id and the revision that it must have.

        more: those of further columns, behind `matches.CHANGING`.
        """
        return (*matches.changing(self.match), *more, self.match.id, self.match.revision - 1)

    def __call__(self, group: GroupCommit, at: Micros, /) -> Micros:
        """Adds the entry and saves the match, and what hangs on it where that has changed."""
        if self.is_brief:
            self._commit(group, at)
            return at
        with savepoint(group.driver):
            if self._also is not None:
                self._also(group.connection, at)
            before = matches.members(group.connection, self.match.id)
            self._commit(group, at)
            if self.chairs:
                _arrange(group.connection, self.match)
                matches.save_chairs(group.connection, self.match, before)
            elif self.match.is_over:
                matches.retire(group.connection, self.match)
        return at

    def _commit(self, group: GroupCommit, at: Micros) -> None:
        """Adds the entry, then saves the match if it is still at the revision before; where that fails, it is as if
        neither had been tried."""
        driver, execute = group.driver, group.execute
        try:
            execute(_ADD, self.entry_row(at))
        except sqlite3.IntegrityError:
            self._raise_seen(driver)
            raise Overtaken from None
        try:
            values = self.match_row()
            if execute(_SAVE_LOOSE, values).rowcount == 0:
                self._raise_seen_packed(driver)
                if driver.execute(_SAVE, values).rowcount == 0:
                    raise Overtaken
        except Exception as error:
            if is_fatal(error):
                raise
            driver.execute(_REMOVE, (self._entry.match_id, self._entry.revision))
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
        row = driver.execute(_PACKED, (self.match.id,)).fetchone()
        if row is None or request is None or account_id is None:
            return
        seen = packing.find(self.match.id, row[0], account_id, request)
        if seen is not None:
            raise RequestSeen(seen)


def _arrange(connection: Connection, changed: Match) -> None:
    """Replaces what a host may arrange; ValueError `code` where another match is seating under that."""
    try:
        matches.arrange(connection, changed)
    except IntegrityError as error:
        raise ValueError("code") from error  # the only one of these columns that is unique
