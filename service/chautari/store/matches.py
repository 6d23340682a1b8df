"""Matches and their chairs, as they are written: functions over a connection inside a transaction, alike on every
database."""

from typing import Any, Final

import msgspec
from sqlalchemy import ColumnElement, Connection, and_, delete, func, insert, select, union, update

from chautari.app.values import Match, Micros
from chautari.store.match_rows import under_code
from chautari.store.seal import Sealer
from chautari.store.tables import chair, match, member

CHANGING: Final = (
    "revision", "state", "phase", "must", "shuffles", "clocks", "due_at", "due_kind", "wake_at", "host", "started_at",
    "ended_at", "outcome", "snapshot",
)  # fmt: skip
"""The columns that a commit replaces. `packed` belongs to the store."""

ARRANGED: Final = (
    "title", "privacy", "disclosure", "start_rule", "seating", "audience", "spectator_delay", "settings", "barred",
    "clock", "commitment", "code", "code_expires_at",
)  # fmt: skip
"""Those that a commit replaces together with the chairs. The others stay as they were created."""

CHAIR: Final = ("match_id", "number", "state", "account_id", "display_name", "contribution", "since")
"""The columns of a chair; the first two are its key."""

_pack: Final = msgspec.msgpack.Encoder().encode
_json: Final = msgspec.json.Encoder().encode


def changing(new: Match) -> tuple[Any, ...]:
    """The values of the columns CHANGING."""
    outcome = None if new.outcome is None else _json(new.outcome).decode()
    due_kind = None if new.due_kind is None else str(new.due_kind)
    return (
        new.revision, str(new.state), new.phase, new.must, new.shuffles,
        None if new.clocks is None else _pack(new.clocks), new.due_at, due_kind, new.wake_at, new.host, new.started_at,
        new.ended_at, outcome, new.snapshot,
    )  # fmt: skip


def chair_rows(new: Match) -> list[tuple[Any, ...]]:
    """The values of the columns CHAIR of each chair."""
    return [
        (new.id, one.number, one.state, one.account_id, one.display_name, one.contribution, one.since)
        for one in new.chairs
    ]


def arranged(new: Match) -> tuple[Any, ...]:
    """The values of the columns ARRANGED."""
    barred = _json(new.barred).decode() if new.barred else None
    return (
        new.title, str(new.privacy), str(new.disclosure), str(new.start_rule), str(new.seating), str(new.audience),
        new.spectator_delay, _json(new.settings).decode(), barred,
        None if new.clock is None else _json(new.clock).decode(), new.commitment, new.code, new.code_expires_at,
    )  # fmt: skip


def add_match(connection: Connection, sealer: Sealer, new: Match, at: Micros) -> None:
    """Adds a match with its chairs. ValueError `id`, `link` or `code` where another match has it."""
    taken = [("id", match.c.id == new.id), ("link", match.c.link == new.link)]
    if new.code is not None:
        taken.append(("code", under_code(new.code, at)))
    for name, condition in taken:
        if connection.execute(select(match.c.id).where(condition)).first() is not None:
            raise ValueError(name)
    connection.execute(
        insert(match).values(
            **dict(zip(CHANGING, changing(new), strict=True)),
            **dict(zip(ARRANGED, arranged(new), strict=True)),
            id=new.id,
            packed=new.packed,
            game=new.game,
            rules_version=new.rules_version,
            created_at=new.created_at,
            link=new.link,
            secret=sealer.seal("match", new.id, new.secret),
        )
    )
    _add_chairs(connection, new)
    _set_members(connection, new, set())


def hosted(connection: Connection, account_id: str, most: int) -> int:
    """How many matches that are not over an account hosts; it is not counted further than `most`.

    Until the transaction ends nobody else counts them: of two new matches at once the second sees the first.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(func.hashtext(account_id))))
    mine = (
        select(match.c.id)
        .join(member, member.c.match_id == match.c.id)
        .where(member.c.account_id == account_id, member.c.active, match.c.host == account_id)
        .limit(most)
    )
    return len(connection.execute(mine).all())


def _add_chairs(connection: Connection, new: Match) -> None:
    rows = [dict(zip(CHAIR, row, strict=True)) for row in chair_rows(new)]
    if rows:
        connection.execute(insert(chair), rows)


def members(connection: Connection, match_id: str) -> set[str]:
    """The accounts that sit in a match, have a seat held, or host it, as they are stored."""
    seated = select(chair.c.account_id).where((chair.c.match_id == match_id) & chair.c.account_id.is_not(None))
    hosting = select(match.c.host).where(match.c.id == match_id)
    return set(connection.execute(union(seated, hosting)).scalars())


def save(connection: Connection, changed: Match, *, chairs: bool) -> bool:
    """Replaces a match whose stored revision is one less, and what hangs on it; False where that is another."""
    before = members(connection, changed.id) if chairs else set()
    guard = (match.c.id == changed.id) & (match.c.revision == changed.revision - 1)
    values = dict(zip(CHANGING, changing(changed), strict=True))
    if connection.execute(update(match).where(guard).values(**values)).rowcount == 0:
        return False
    if chairs:
        arrange(connection, changed)
        save_chairs(connection, changed, before)
    elif changed.is_over:
        retire(connection, changed)
    return True


def arrange(connection: Connection, changed: Match) -> None:
    """Replaces the columns ARRANGED of a match, of which the code alone must be no other's."""
    values = dict(zip(ARRANGED, arranged(changed), strict=True))
    connection.execute(update(match).where(match.c.id == changed.id).values(**values))


def save_chairs(connection: Connection, changed: Match, before: set[str]) -> None:
    """Replaces the chairs of a match, and who is a member of it. before: what `members` gave before it was changed."""
    connection.execute(delete(chair).where(chair.c.match_id == changed.id))
    _add_chairs(connection, changed)
    _set_members(connection, changed, before)


def _set_members(connection: Connection, changed: Match, before: set[str]) -> None:
    if before:
        connection.execute(delete(member).where(_memberships(changed, before)))
    connection.execute(
        insert(member),
        [
            {
                "account_id": account_id,
                "created_at": changed.created_at,
                "match_id": changed.id,
                "active": not changed.is_over,
            }
            for account_id in sorted(members_of(changed))
        ],
    )


def members_of(match: Match) -> set[str]:
    """The accounts that sit in a match, have a seat held, or host it."""
    return {match.host, *(chair.account_id for chair in match.chairs if chair.account_id is not None)}


def retire(connection: Connection, over: Match) -> None:
    """Takes a match that is over from the lists of those that are not."""
    whose = _memberships(over, members(connection, over.id))
    connection.execute(update(member).where(whose).values(active=False))


def _memberships(match: Match, account_ids: set[str]) -> ColumnElement[bool]:
    mine = member.c.account_id.in_(sorted(account_ids))
    return and_(mine, member.c.created_at == match.created_at, member.c.match_id == match.id)
