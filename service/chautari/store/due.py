"""What is due with matches: functions over a connection inside a transaction, alike on every database."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import BigInteger, Connection, Select, case, literal, select, union_all, update

from chautari.app.values import LEAST_PUT_OFF, Claim, DueKind, Micros, PutOff
from chautari.store.tables import match


def claim(
    connection: Connection, now: Micros, kinds: Collection[DueKind], limit: int, lease: Micros
) -> list[Claim]:  # fmt: skip
    """Claims matches of which something of these kinds is due, at most so many of each; those due first come first.

    now: in service time. The time to look again is moved on: by the lease, or, where nothing is due yet, to when it is.
    """
    later = case((match.c.due_at > now, match.c.due_at), else_=now + lease)
    moved = (
        update(match)
        .where(match.c.id.in_(union_all(*(_come(kind, now, limit) for kind in kinds))))
        .values(wake_at=later)
        .returning(match.c.id, match.c.revision, match.c.due_at)
    )
    claimed = [(row.due_at or 0, row.id, row.revision) for row in connection.execute(moved)]
    return [Claim(match_id, revision) for due_at, match_id, revision in sorted(claimed) if due_at <= now]


def _come(kind: DueKind, now: Micros, limit: int) -> Select[Any]:
    """The matches to be looked at first for this kind, found once before any is changed.

    Each kind by itself comes out of the index in order, so that a claim takes no longer where many wait. The limit is
    no parameter, for the plan depends on it.
    """
    first = (
        select(match.c.id)
        .where(match.c.due_kind == str(kind), match.c.wake_at <= now)
        .order_by(match.c.wake_at)
        .limit(literal(limit, literal_execute=True))
        .with_for_update(skip_locked=True)
        .cte(f"first_{kind}")
    )
    return select(first.c.id)


def put_off(connection: Connection, now: Micros, match_id: str, most: Micros) -> PutOff | None:
    """Moves on when to look at a match again in which something is due; None where nothing is. now: in service time."""
    late = literal(now, BigInteger) - match.c.due_at
    until = case(
        (late < LEAST_PUT_OFF, now + literal(LEAST_PUT_OFF, BigInteger)), (late > most, now + most), else_=now + late
    )
    is_due = (match.c.id == match_id) & (match.c.due_at <= now)
    moved = update(match).where(is_due).values(wake_at=until).returning(match.c.game, match.c.wake_at)
    row = connection.execute(moved).first()
    return None if row is None else PutOff(row.game, row.wake_at)


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
