"""What is due with matches: functions over a connection inside a transaction, alike on every database."""

from collections.abc import Collection

from sqlalchemy import Connection, case, select, update

from chautari.app.values import Claim, DueKind, Micros
from chautari.store.tables import match


def claim(
    connection: Connection, now: Micros, kinds: Collection[DueKind], limit: int, lease: Micros
) -> list[Claim]:  # fmt: skip
    """Claims matches of which something of these kinds is due, those to be looked at first; each is claimed once.

    now: in service time. The time to look again is moved on: by the lease, or, where nothing is due yet, to when it is.
    """
    come = (
        select(match.c.id)
        .where(match.c.due_kind.in_([str(kind) for kind in kinds]), match.c.wake_at <= now)
        .order_by(match.c.wake_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    later = case((match.c.due_at > now, match.c.due_at), else_=now + lease)
    claiming = (
        update(match)
        .where(match.c.id.in_(come))
        .values(wake_at=later)
        .returning(match.c.id, match.c.revision, match.c.due_at)
    )
    return [Claim(row.id, row.revision) for row in connection.execute(claiming) if (row.due_at or 0) <= now]


def next_wake(connection: Connection, kinds: Collection[DueKind]) -> Micros | None:
    """When a match is to be looked at next for something of these kinds, in service time."""
    return min(
        (
            at
            for kind in kinds
            if (
                at := connection.execute(
                    select(match.c.wake_at)
                    .where(match.c.due_kind == str(kind), match.c.wake_at.is_not(None))
                    .order_by(match.c.wake_at)
                    .limit(1)
                ).scalar()
            )
            is not None
        ),
        default=None,
    )
