"""What an error of PostgreSQL, or of the way to it, is to the caller of a store."""

from typing import Final

import asyncpg
from sqlalchemy.exc import DBAPIError

from chautari.errors import ChautariError, Exhausted, Unavailable

_FULL: Final = ("53100", "53200", "54000")
"""disk_full, out_of_memory, program_limit_exceeded."""


def translate(error: BaseException) -> Exception:
    """The error as `app.ports` names it; itself where it is none of the database's."""
    cause = driver_error(error)
    if isinstance(cause, asyncpg.PostgresError) and getattr(cause, "sqlstate", "") in _FULL:
        return Exhausted("STORAGE_FULL", "the database is full: nothing was changed; try later", retry_after=30.0)
    if isinstance(cause, (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError)):
        return Unavailable("STORAGE_AWAY", "the database does not answer: nothing was changed; try again")
    if isinstance(error, ChautariError) or not isinstance(error, DBAPIError):
        return error if isinstance(error, Exception) else Unavailable("STORAGE_AWAY", "the database is closed")
    return Unavailable("STORAGE_AWAY", "the database does not answer: nothing was changed; try again")


def driver_error(error: BaseException) -> BaseException:
    """The driver's error behind one of SQLAlchemy's, which wraps it twice."""
    if isinstance(error, DBAPIError) and error.orig is not None:
        return error.orig.__cause__ or error.orig
    return error


def violated(error: BaseException) -> str:
    """The unique constraint that a write would have broken; empty where it was another error."""
    cause = driver_error(error)
    return str(cause.constraint_name or "") if isinstance(cause, asyncpg.UniqueViolationError) else ""
