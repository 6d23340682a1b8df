"""What does not hold any more, sign-ins and API keys: functions over a connection, alike on every database."""

from collections.abc import Iterable
from typing import Final

from sqlalchemy import Connection, delete, insert, select

from chautari.app.account_values import Revocation
from chautari.app.values import SECOND, Micros
from chautari.store.tables import revocation

KEPT: Final[Micros] = 3600 * SECOND
"""For so long it is known that something was revoked."""


def add(connection: Connection, subjects: Iterable[str], now: Micros) -> None:
    """Notes that these do not hold any more, and forgets what was noted long ago."""
    rows = [{"subject": subject, "at": now} for subject in sorted(set(subjects))]
    connection.execute(delete(revocation).where(revocation.c.at < now - KEPT))
    if rows:
        connection.execute(delete(revocation).where(revocation.c.subject.in_([row["subject"] for row in rows])))
        connection.execute(insert(revocation), rows)


def since(connection: Connection, at: Micros) -> list[Revocation]:
    """What was revoked at or after a time."""
    query = select(revocation.c.subject, revocation.c.at).where(revocation.c.at >= at)
    return [Revocation(row.subject, row.at) for row in connection.execute(query)]
