"""The migrations: run by `serve` when it opens its database, and by `chautari db`.

A database is named by its URL, `sqlite:///chautari.db` (four slashes before an absolute path).
"""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, make_url
from sqlalchemy.exc import ArgumentError

from chautari.errors import Exhausted, Malformed
from chautari.store.connect import connect, driver_of, transaction
from chautari.store.lock import ProcessLock
from chautari.store.sqlite_errors import translate

HEAD: Final = "head"
BASE: Final = "base"


def upgrade(url: str, revision: str = HEAD) -> None:
    """Brings the tables up to a revision, all in one transaction. Conflict `DATABASE_IN_USE` while it is served."""
    with_lock(url, lambda connection: upgrade_here(connection, revision))


def downgrade(url: str, revision: str) -> None:
    """Takes the tables back to a revision, BASE for none, all in one transaction: what came later is lost.

    Conflict `DATABASE_IN_USE` while it is served.
    """
    with_lock(url, lambda connection: downgrade_here(connection, revision))


def current(url: str) -> str | None:
    """The revision that the tables have, None where there are none; also while the database is served."""
    path = sqlite_path(url)
    if not path.exists():
        return None
    connection = connect(path)
    try:
        return current_here(connection)
    finally:
        connection.close()


def head() -> str:
    """The revision that this version of the program wants."""
    revision = ScriptDirectory.from_config(_config()).get_current_head()
    assert revision is not None
    return revision


def revisions() -> set[str]:
    """Every revision that this version of the program knows."""
    return {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}


def upgrade_here(connection: Connection, revision: str = HEAD) -> None:
    """The same inside a transaction of the caller's, on any database.

    Malformed `BAD_DATABASE_REVISION` where a newer program has changed the tables, and by which migration.
    """
    check_known(current_here(connection))
    _run(connection, lambda config: command.upgrade(config, revision))


def downgrade_here(connection: Connection, revision: str) -> None:
    """The same inside a transaction of the caller's, on any database."""
    check_known(current_here(connection))
    _run(connection, lambda config: command.downgrade(config, revision))


def check_known(revision: str | None) -> None:
    """Malformed `BAD_DATABASE_REVISION` where this program lacks the migration that a database is at."""
    if revision is not None and revision not in revisions():
        raise Malformed(
            "BAD_DATABASE_REVISION",
            f"a newer program has brought the tables to revision {revision}, a migration that this one lacks (its last "
            f"is {head()}): take the newer one, or take the tables back with it (`chautari db downgrade {head()}`)",
        )


def current_here(connection: Connection) -> str | None:
    """The same on a connection, on any database."""
    return MigrationContext.configure(connection).get_current_revision()


def with_lock(url: str, work: Callable[[Connection], None]) -> None:
    """Changes the tables of a database that no process serves."""
    path = sqlite_path(url)
    lock = ProcessLock(lock_path(path))
    try:
        change_tables(path, work)
    finally:
        lock.release()


def change_tables(path: Path, work: Callable[[Connection], None]) -> None:
    """Changes the tables of a SQLite file in one transaction; the caller holds its lock.

    SQLite alters a table by copying and dropping it, which foreign keys would forbid: they are off meanwhile, and
    looked at before the commit. Malformed `BAD_DATABASE` where the file is none; Exhausted `STORAGE_FULL`.
    """
    try:
        connection = connect(path, foreign_keys=False)
    except sqlite3.DatabaseError as error:
        if isinstance(full := translate(error), Exhausted):
            raise full from error
        raise Malformed("BAD_DATABASE", f"{path} cannot be opened as a database: {error}") from error
    try:
        with transaction(connection):
            work(connection)
            broken = driver_of(connection).execute("PRAGMA foreign_key_check").fetchall()
            assert not broken, f"a migration broke foreign keys: {broken[:5]}"
    finally:
        connection.close()


def sqlite_path(url: str) -> Path:
    """The file that a URL names; Malformed `BAD_DATABASE_URL` where it names none."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        parsed = None
    if parsed is None or parsed.drivername != "sqlite" or parsed.database in (None, "", ":memory:"):
        raise Malformed("BAD_DATABASE_URL", "a database is given as sqlite:///PATH")
    assert parsed.database is not None
    return Path(parsed.database)


def lock_path(path: Path) -> Path:
    """The lock file of a database, the same by whatever link the database is reached."""
    path = path.resolve()
    return path.with_name(f"{path.name}.lock")


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", "chautari.store:migrations")
    config.set_main_option("path_separator", "os")
    return config


def _run(connection: Connection, work: Callable[[Config], None]) -> None:
    config = _config()
    config.attributes["connection"] = connection
    if not connection.in_transaction():
        connection.begin()  # Alembic leaves a transaction that it finds to whoever began it
    try:
        work(config)
    except CommandError as error:
        raise Malformed("BAD_DATABASE_REVISION", f"the tables cannot be changed so: {error}") from error
