"""Connections to a SQLite file, and transactions on them."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sqlalchemy import URL, Connection, NullPool, create_engine

from chautari.errors import Unavailable

BUSY_SECONDS: Final = 5
"""So long is waited for another program that writes."""
_CHECKPOINT_PAGES: Final = 4000
"""The WAL is copied into the file each time it has grown by 16 MB: a page that changes often is copied once."""
_WRITER_PAGES: Final = 4 * _CHECKPOINT_PAGES
"""For one who sees to it in good time."""
_CACHE_KIB: Final = 16 * 1024
_OLDEST: Final = (3, 35, 0)
"""The first with RETURNING."""


def connect(path: Path, *, foreign_keys: bool = True, query_only: bool = False, writes: bool = False) -> Connection:
    """A connection that may pass from thread to thread, and whose transactions are ours to begin and end.

    writes: for `writer`, which waits for locks and makes checkpoints itself.
    """
    if sqlite3.sqlite_version_info < _OLDEST:
        raise Unavailable("SQLITE_TOO_OLD", f"SQLite {sqlite3.sqlite_version} is too old: 3.35 is wanted, or later")
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        poolclass=NullPool,
        connect_args={
            "isolation_level": None,
            "check_same_thread": False,
            "timeout": 0 if writes else BUSY_SECONDS,
            "cached_statements": 256,
        },
    )
    connection = engine.connect()
    pragmas = (
        "journal_mode = WAL",
        "synchronous = FULL",
        f"foreign_keys = {'ON' if foreign_keys else 'OFF'}",
        f"wal_autocheckpoint = {_WRITER_PAGES if writes else _CHECKPOINT_PAGES}",
        f"cache_size = -{_CACHE_KIB}",
        "temp_store = MEMORY",
        f"query_only = {'ON' if query_only else 'OFF'}",
    )
    try:
        for pragma in pragmas:
            driver_of(connection).execute(f"PRAGMA {pragma}")
    except BaseException:
        connection.close()
        raise
    return connection


def driver_of(connection: Connection) -> sqlite3.Connection:
    """The driver's own connection."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    return driver


@contextmanager
def transaction(connection: Connection, mode: str = "IMMEDIATE") -> Iterator[Connection]:
    """A transaction: IMMEDIATE writes, DEFERRED reads one state. It is rolled back where its body raises."""
    driver = driver_of(connection)
    driver.execute(f"BEGIN {mode}")
    try:
        yield connection
        driver.execute("COMMIT")
    except BaseException:
        roll_back(connection)
        raise
    forget_transaction(connection)


def roll_back(connection: Connection) -> None:
    """Rolls back what is under way, if anything is."""
    driver = driver_of(connection)
    if driver.in_transaction:
        driver.execute("ROLLBACK")
    forget_transaction(connection)


def forget_transaction(connection: Connection) -> None:
    """Tells SQLAlchemy, which believes that it began a transaction itself, that ours is over."""
    if connection.in_transaction():
        connection.rollback()  # the driver is in none and does nothing
