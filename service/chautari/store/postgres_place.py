"""Where a PostgreSQL database lies: the cluster, its timeline, the database in it and the tables' own number.

A database that is found at another place than it was left at was restored from a dump or a backup, copied, or is a
standby that took over: revisions may have gone backwards. It gets another epoch, by which watchers notice.
"""

from typing import Final, NamedTuple

import structlog
from sqlalchemy import Connection, insert, select, text, update
from sqlalchemy.exc import DBAPIError

from chautari.app.audit import Note
from chautari.app.values import Micros
from chautari.store import audit, server
from chautari.store.tables import server as table

_KEY: Final = "place"
_PLACE: Final = text(
    "SELECT CASE WHEN pg_is_in_recovery() THEN NULL ELSE concat_ws('/', "
    "(SELECT system_identifier FROM pg_control_system()), "
    "(SELECT oid FROM pg_database WHERE datname = current_database()), "
    "'server'::regclass::oid, left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)) END"
)
_READ_ONLY: Final = text("SELECT current_setting('transaction_read_only')")
_ALONE: Final = text("SELECT pg_advisory_xact_lock(4711471)")

_log: Final = structlog.get_logger(__name__)


class Place(NamedTuple):
    """Where a database is, None where it does not say, and its epoch."""

    here: str | None
    epoch: str


def look(connection: Connection) -> Place:
    """Where the database is now, and its epoch."""
    epoch = connection.execute(select(table.c.value).where(table.c.key == "epoch")).scalar()
    return Place(_here(connection), epoch or "")


def settle(connection: Connection, key: bytes, now: Micros) -> Place:
    """Notes where the database is; where it was left at another place it gets another epoch, which is audited."""
    found = look(connection)
    if found.here is None or connection.execute(_READ_ONLY).scalar_one() == "on":
        return Place(None, found.epoch)
    if _kept(connection) == found.here:
        return look(connection)  # the epoch that came with this place
    connection.execute(_ALONE)
    kept = _kept(connection)
    if kept is None:
        connection.execute(insert(table).values(key=_KEY, value=found.here))
    elif kept != found.here:
        connection.execute(update(table).where(table.c.key == _KEY).values(value=found.here))
        renew(connection, key, now, origin="start", reason=f"the database was left at {kept} and is at {found.here}")
        _log.warning("the database was restored or moved: it has another epoch", was=kept, now=found.here)
    return look(connection)


def renew(connection: Connection, key: bytes, now: Micros, *, origin: str, reason: str) -> str:
    """Gives a database another epoch, and notes it in its audit log."""
    epoch = server.renew_epoch(connection)
    note = Note(
        account_id=None, origin=origin, method="RestoreDatabase", target="database", reason=reason,
        detail={"epoch": epoch},
    )  # fmt: skip
    audit.add(connection, audit.chain_key(key), note, now)
    return epoch


def _kept(connection: Connection) -> str | None:
    found: str | None = connection.execute(select(table.c.value).where(table.c.key == _KEY)).scalar()
    return found


def _here(connection: Connection) -> str | None:
    """None on a standby, and where this is told to administrators only."""
    try:
        with connection.begin_nested():
            found: str | None = connection.execute(_PLACE).scalar()
            return found
    except DBAPIError:
        return None
