"""Backing up a SQLite file while it is served, and restoring it: all or nothing, and nothing that is there is lost."""

import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from chautari.app.audit import Note
from chautari.errors import Conflict, Exhausted, Malformed, Unavailable
from chautari.store import audit, migrate
from chautari.store.clock import system_clock
from chautari.store.connect import connect, transaction
from chautari.store.files import sync
from chautari.store.lock import ProcessLock
from chautari.store.seal import Sealer
from chautari.store.server import check_seal_of, renew_epoch

_BUSY_SECONDS: Final = 10


class Backup(msgspec.Struct, frozen=True):
    """A backup. revision: of its tables; epoch: of the database then; matches, accounts: how many it holds."""

    path: str
    bytes: int
    revision: str
    epoch: str
    matches: int
    accounts: int


class Restored(msgspec.Struct, frozen=True):
    """What was restored. kept: where the file is that it took the place of, None where there was none."""

    backup: Backup
    epoch: str
    kept: str | None


def back_up(path: Path, target: Path, *, overwrite: bool = False) -> Backup:
    """Copies the database into one file, also while it is served: as it was at one moment, checked, and synced.

    The writer is not held up. Until all is done there is nothing under the name of the target. Malformed
    `BAD_DATABASE` where there is no database; Conflict `FILE_EXISTS`; Exhausted `STORAGE_FULL`.
    """
    if not path.exists():
        raise Malformed("BAD_DATABASE", f"there is no database {path}")
    if target.exists() and not overwrite:
        raise Conflict("FILE_EXISTS", f"{target} is there already: take another name, or overwrite it")
    if target.exists() and target.samefile(path):
        raise Conflict("FILE_EXISTS", f"{target} is the database itself")
    with _draft(target) as draft:
        _copy(path, draft)
        backup = examine(draft)
        _finish(draft, target)
    return msgspec.structs.replace(backup, path=str(target), bytes=target.stat().st_size)


def examine(path: Path) -> Backup:
    """What a backup holds, once it is checked; Malformed `BAD_BACKUP` where it is damaged or none of ours."""
    try:
        with _opened(path, "ro") as driver:
            [verdict] = driver.execute("PRAGMA integrity_check(1)").fetchone()
            if verdict != "ok":
                raise Malformed("BAD_BACKUP", f"{path} is damaged: {verdict}")
            if driver.execute("PRAGMA foreign_key_check").fetchone() is not None:
                raise Malformed("BAD_BACKUP", f"{path} is damaged: something in it belongs to what is not there")
            [revision] = driver.execute("SELECT version_num FROM alembic_version").fetchone() or [""]
            [epoch] = driver.execute("SELECT value FROM server WHERE key = 'epoch'").fetchone() or [""]
            counts = [driver.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("match", "account")]
    except sqlite3.DatabaseError as error:
        raise Malformed("BAD_BACKUP", f"{path} is no backup of a database: {error}") from error
    return Backup(str(path), path.stat().st_size, revision, epoch, *counts)


def restore(path: Path, source: Path, key: bytes, note: Note) -> Restored:
    """Puts a backup into the place of the database; the file that was there is kept beside it.

    The database gets a new epoch, by which watchers notice that revisions may have gone backwards, and the restoring
    is noted in its audit log. Conflict `DATABASE_IN_USE` while it is served; Malformed `BAD_BACKUP`,
    `BAD_DATABASE_REVISION` where it is of a newer program, `WRONG_SEAL_KEY`; Exhausted `STORAGE_FULL`.
    """
    if not source.exists():
        raise Malformed("BAD_BACKUP", f"there is no file {source}")
    if path.exists() and path.samefile(source):
        raise Malformed("BAD_BACKUP", f"{source} is the database itself")
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = ProcessLock(migrate.lock_path(path))
    try:
        backup = examine(source)
        if backup.revision not in migrate.revisions():
            raise Malformed(
                "BAD_DATABASE_REVISION",
                f"{source} has tables of revision {backup.revision!r}, unknown to this program: take a newer one",
            )
        with _draft(path) as draft:
            _copy(source, draft)
            epoch = _renew(draft, key, note)
            examine(draft)
            kept = _set_aside(path)
            _finish(draft, path)
        return Restored(backup, epoch, None if kept is None else str(kept))
    finally:
        lock.release()


def _copy(source: Path, target: Path) -> None:
    """All pages of one state in one step: a copy in several would begin anew with each commit meanwhile."""
    try:
        with _opened(source, "rw") as reading, _opened(target, "rwc") as writing:
            reading.execute("PRAGMA query_only = ON")
            reading.backup(writing)
            writing.execute("PRAGMA journal_mode = DELETE")  # one file, without others beside it
    except sqlite3.DatabaseError as error:
        raise _trouble(error, source) from error


def _renew(path: Path, key: bytes, note: Note) -> str:
    """Gives a database another epoch, once its secrets are found to open with this key."""
    sealer = Sealer(key)
    connection = connect(path)
    try:
        with transaction(connection):
            check_seal_of(connection, sealer)
            epoch = renew_epoch(connection)
            if migrate.current_here(connection) == migrate.head():
                note = msgspec.structs.replace(note, detail={**note.detail, "epoch": epoch})
                audit.add(connection, audit.chain_key(key), note, system_clock())
    finally:
        connection.close()
    with _opened(path, "rw") as driver:
        driver.execute("PRAGMA journal_mode = DELETE")
    return epoch


def _set_aside(path: Path) -> Path | None:
    """Gives the file that is there another name beside its own, and takes away what hangs on it."""
    if not path.exists():
        return None
    with suppress(sqlite3.DatabaseError), _opened(path, "rw") as driver:  # where it is damaged it is kept as it is
        driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    kept = path.with_name(f"{path.name}.before-{stamp}-{secrets.token_hex(2)}")
    try:
        os.link(path, kept)
    except OSError:  # a file system without links: for a moment there is no database under the name
        os.replace(path, kept)
    sync(path.parent)
    for suffix in ("-wal", "-shm"):  # left there they would be taken for the new file's
        with suppress(FileNotFoundError):
            os.replace(f"{path}{suffix}", f"{kept}{suffix}")
    return kept


@contextmanager
def _draft(target: Path) -> Iterator[Path]:
    """A name beside the target for what is not done yet; nothing is left of it."""
    draft = target.with_name(f".{target.name}.{secrets.token_hex(8)}.draft")
    try:
        os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        yield draft
    except OSError as error:
        raise Unavailable("STORAGE_AWAY", f"{error.filename or target}: {error.strerror or error}") from error
    finally:
        for suffix in ("", "-wal", "-shm", "-journal"):
            Path(f"{draft}{suffix}").unlink(missing_ok=True)


def _finish(draft: Path, target: Path) -> None:
    """Brings the draft to the disk, then under its name."""
    sync(draft)
    draft.replace(target)
    sync(target.parent)


@contextmanager
def _opened(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    """A connection of the driver; mode: `ro`, `rw`, or `rwc` to make the file."""
    uri = f"{path.resolve().as_uri()}?mode={mode}"
    driver = sqlite3.connect(uri, uri=True, timeout=_BUSY_SECONDS, isolation_level=None)
    try:
        yield driver
    finally:
        driver.close()


def _trouble(error: sqlite3.DatabaseError, source: Path) -> Exception:
    code: Any = getattr(error, "sqlite_errorcode", 0)
    if code == sqlite3.SQLITE_FULL or code & 0xFF == sqlite3.SQLITE_IOERR:
        return Exhausted("STORAGE_FULL", "the disk is full, or cannot be written to: nothing was changed")
    if code & 0xFF in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return Malformed("BAD_BACKUP", f"{source} is damaged, or no database: {error}")
    return Unavailable("STORAGE_AWAY", f"{source} does not answer: {error}")
