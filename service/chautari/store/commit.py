"""The hot path: one act is one row of the journal and one guarded update, by hand on SQLite's driver."""

import sqlite3
from typing import Final

from chautari.app.ports import Overtaken, RequestSeen
from chautari.app.values import Entry, Match, Micros
from chautari.store import journal, matches, packing
from chautari.store.writer import Writer, is_fatal, savepoint

_ADD: Final = f"INSERT INTO journal ({', '.join(journal.COLUMNS)}) VALUES ({', '.join('?' for _ in journal.COLUMNS)})"
_REMOVE: Final = "DELETE FROM journal WHERE match_id = ? AND revision = ?"
_SAVE: Final = (
    f"UPDATE match SET {', '.join(f'{column} = ?' for column in matches.CHANGING)} WHERE id = ? AND revision = ?"
)
_SAVE_LOOSE: Final = f"{_SAVE} AND packed = 0"
_SEEN: Final = f"SELECT {', '.join(journal.COLUMNS)} FROM journal WHERE account_id = ? AND request_id = ?"
_PACKED: Final = "SELECT blob FROM packed WHERE match_id = ?"


class Commit:
    """The job of one change of a match; it gives the time of the commit."""

    __slots__ = ("_chairs", "_entry", "_match")

    def __init__(self, match: Match, entry: Entry, *, chairs: bool) -> None:
        self._match = match
        self._entry = entry
        self._chairs = chairs

    def __call__(self, writer: Writer, at: Micros, /) -> Micros:
        """Adds the entry and saves the match, and what hangs on it where that has changed."""
        if not self._chairs and not self._match.is_over:
            self._commit(writer.driver, at)
            return at
        with savepoint(writer.driver):
            before = matches.members(writer.connection, self._match.id)
            self._commit(writer.driver, at)
            if self._chairs:
                matches.save_chairs(writer.connection, self._match, before)
            else:
                matches.retire(writer.connection, self._match)
        return at

    def _commit(self, driver: sqlite3.Connection, at: Micros) -> None:
        """Adds the entry, then saves the match if it is still at the revision before; where that fails, it is as if
        neither had been tried."""
        match, entry = self._match, self._entry
        try:
            driver.execute(_ADD, journal.to_row(entry, at))
        except sqlite3.IntegrityError:
            self._raise_seen(driver)
            raise Overtaken from None
        try:
            values = (*matches.changing(match), match.id, match.revision - 1)
            if driver.execute(_SAVE_LOOSE, values).rowcount == 0:
                self._raise_seen_packed(driver)
                if driver.execute(_SAVE, values).rowcount == 0:
                    raise Overtaken
        except Exception as error:
            if is_fatal(error):
                raise
            driver.execute(_REMOVE, (entry.match_id, entry.revision))
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
