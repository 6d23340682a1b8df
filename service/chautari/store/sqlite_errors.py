"""What an error of SQLite is to the caller of a store."""

import sqlite3
from typing import Final

from sqlalchemy.exc import DBAPIError

from chautari.errors import Exhausted, Unavailable

_FULL: Final = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_TRUNCATE,
    sqlite3.SQLITE_IOERR_SHMSIZE,
}
"""What a file system without room, or a quota that is used up, is to SQLite."""


def is_fatal(error: Exception) -> bool:
    """Whether an error means that the transaction is lost, not only the statement."""
    return type(cause_of(error)) in (sqlite3.OperationalError, sqlite3.InternalError, sqlite3.DatabaseError)


def translate(error: BaseException) -> Exception:
    """What a failed transaction, or a failed read, is to its caller."""
    cause = cause_of(error)
    if not isinstance(cause, sqlite3.Error):
        return error if isinstance(error, Exception) else away("the database is closed")
    if getattr(cause, "sqlite_errorcode", 0) in _FULL:
        return Exhausted("STORAGE_FULL", "the server's disk is full: nothing was changed; try later", retry_after=30.0)
    if getattr(cause, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_READONLY:
        return away("the database takes no changes now: nothing was changed; try again")
    return away("the database does not answer: nothing was changed; try again")


def is_held(error: BaseException) -> bool:
    """Whether another program has the database, and has kept it for as long as it was waited for."""
    return getattr(cause_of(error), "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY


def cause_of(error: BaseException) -> BaseException | None:
    """The driver's error behind one of SQLAlchemy's."""
    return error.orig if isinstance(error, DBAPIError) else error


def away(message: str) -> Unavailable:
    """Nothing was written, for this reason."""
    return Unavailable("STORAGE_AWAY", message)
