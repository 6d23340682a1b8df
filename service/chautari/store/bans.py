"""Bans: functions over a connection inside a transaction, alike on every database."""

from sqlalchemy import ColumnElement, Connection, delete, insert, or_, select, update

from chautari.app.bans import Ban
from chautari.app.values import Micros
from chautari.store.tables import ban


def add(connection: Connection, new: Ban, now: Micros) -> None:
    """Keeps a ban in place of the one that the account has, and deletes those that have run out."""
    connection.execute(delete(ban).where((ban.c.account_id == new.account_id) | ~in_force(now)))
    connection.execute(
        insert(ban).values(
            account_id=new.account_id, at=new.at, until=new.until, reason=new.reason, seats_left=new.seats_left
        )
    )


def lift(connection: Connection, account_id: str, now: Micros) -> bool:
    """Deletes the ban of the account; False where it has none in force."""
    there = (ban.c.account_id == account_id) & in_force(now)
    return connection.execute(delete(ban).where(there)).rowcount > 0


def bans(connection: Connection, now: Micros) -> list[Ban]:
    """Those in force, by account."""
    return [
        Ban(account_id=row.account_id, at=row.at, until=row.until, reason=row.reason, seats_left=row.seats_left)
        for row in connection.execute(select(ban).where(in_force(now)).order_by(ban.c.account_id))
    ]


def seats_left(connection: Connection, account_id: str, at: Micros) -> None:
    """Notes that the seats are given up because of the ban that began at this moment."""
    this = (ban.c.account_id == account_id) & (ban.c.at == at)
    connection.execute(update(ban).where(this).values(seats_left=True))


def in_force(now: Micros) -> ColumnElement[bool]:
    """Whether a ban has not run out."""
    return or_(ban.c.until.is_(None), ban.c.until > now)
