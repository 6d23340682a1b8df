"""What an error of PostgreSQL, or of the way to it, is to the caller of a store."""

from typing import Final

import asyncpg
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from chautari.errors import ChautariError, Exhausted, Malformed, Unavailable

_FULL: Final = ("53100", "53200", "54000")
"""disk_full, out_of_memory, program_limit_exceeded."""
_READ_ONLY: Final = "25006"
_AGAIN: Final = ("40001", "40P01", "0A000", "26000", "42P05")
"""serialization_failure, deadlock_detected, and three that a statement prepared before the tables changed, or on a
connection that a pooler has lent to somebody else, ends with: nothing was done, and another try may do it."""
_HELD: Final = "55P03"
"""lock_not_available."""
_UNKEPT: Final = ("22021", "22P05")
"""A text holds what PostgreSQL keeps in none: a zero byte."""
_LOST: Final = ("08", "57P")
"""Of connections that end: whether a commit was done before is not known."""
_OURS: Final = ("22", "23", "42")
"""Of single rows and statements: the others of a batch are none the worse for it."""


def translate(error: BaseException, *, writing: bool = False) -> Exception:
    """The error as `app.ports` names it; itself where it is none of the database's. Nothing of the driver's words is
    in it. writing: what failed may have been a commit."""
    if isinstance(error, ChautariError):
        return error
    state = sqlstate(error)
    if state in _FULL:
        return Exhausted("STORAGE_FULL", "the database is full: nothing was changed; try later", retry_after=30.0)
    if state in _UNKEPT:
        return Malformed("REQUEST_INVALID", "a text holds a character that cannot be kept: leave out zero bytes")
    if state == _READ_ONLY:
        return Unavailable("STORAGE_AWAY", "the database takes no changes now: nothing was changed; try again")
    if state == _HELD:
        return Unavailable(
            "STORAGE_AWAY", "another program holds what is to be changed: nothing was changed; try again"
        )
    if not is_storage(error):
        return error if isinstance(error, Exception) else Unavailable("STORAGE_AWAY", "the database is closed")
    if writing and is_lost(error):
        return Unavailable(
            "STORAGE_AWAY",
            "the database did not answer, so what was asked for may be done: ask again, with the same request_id",
        )
    return Unavailable("STORAGE_AWAY", "the database does not answer: nothing was changed; try again")


def is_storage(error: BaseException) -> bool:
    """Whether it comes from the database, its driver, the pool, or the network to it."""
    kinds = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, SQLAlchemyError, OSError)
    return isinstance(driver_error(error), (*kinds, TimeoutError))


def is_lost(error: BaseException) -> bool:
    """Whether nobody knows what became of the statement: the connection ended, or nothing came in time."""
    state = sqlstate(error)
    return state.startswith(_LOST) if state else is_storage(error)


def is_for_another(error: BaseException) -> bool:
    """Whether the connection should not be used again: it ended, or leads to a server that takes no changes now."""
    return is_lost(error) or sqlstate(error) == _READ_ONLY


def may_be_tried_again(error: BaseException) -> bool:
    """Whether nothing was done, and the very same may succeed at once."""
    return sqlstate(error) in _AGAIN


def is_of_one_row(error: BaseException) -> bool:
    """Whether a statement of many rows failed for one of them."""
    return sqlstate(error).startswith(_OURS)


def is_held(error: BaseException) -> bool:
    """Whether somebody else held a row, or a table, for longer than is waited: nothing was done."""
    return sqlstate(error) == _HELD


def sqlstate(error: BaseException) -> str:
    """The code of an error that the server told; empty where it was another."""
    cause = driver_error(error)
    return str(getattr(cause, "sqlstate", None) or "") if isinstance(cause, asyncpg.PostgresError) else ""


def driver_error(error: BaseException) -> BaseException:
    """The driver's error behind one of SQLAlchemy's, which wraps it twice."""
    if isinstance(error, DBAPIError) and error.orig is not None:
        return error.orig.__cause__ or error.orig
    return error


def violated(error: BaseException) -> str:
    """The unique constraint that a write would have broken; empty where it was another error."""
    cause = driver_error(error)
    return str(cause.constraint_name or "") if isinstance(cause, asyncpg.UniqueViolationError) else ""
