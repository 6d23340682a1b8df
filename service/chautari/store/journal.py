"""The journals of matches: functions over a connection inside a transaction, alike on every database."""

from bisect import bisect_right
from collections.abc import Iterable
from typing import Any, Final

from sqlalchemy import Connection, delete, insert, literal, select, update

from chautari.app.newer import newer
from chautari.app.values import Cause, DueKind, Entry, Micros, RequestKey
from chautari.store import packing
from chautari.store.tables import journal, match, packed

COLUMNS: Final = (
    "match_id", "revision", "at", "cause", "seat", "account_id", "action", "events", "request_id", "request_digest",
)  # fmt: skip


def to_row(entry: Entry, at: Micros) -> tuple[Any, ...]:
    """The values of COLUMNS."""
    request = entry.request
    key, digest = (None, None) if request is None else (request.id, request.digest)
    return (
        entry.match_id, entry.revision, at, str(entry.cause), entry.seat, entry.account_id, entry.action, entry.events,
        key, digest,
    )  # fmt: skip


def from_row(row: Iterable[Any]) -> Entry:
    """The entry with these values of COLUMNS; Unavailable `MATCH_NEWER` where it has a cause that is not known here."""
    match_id, revision, at, cause, seat, account_id, action, events, key, digest = row
    try:
        known = Cause(cause)
    except ValueError:
        raise newer(match_id) from None
    return Entry(
        match_id=match_id, revision=revision, at=at, cause=known, seat=seat, account_id=account_id,
        action=action, events=events, request=None if key is None else RequestKey(key, digest),
    )  # fmt: skip


_select: Final = select(*(journal.c[name] for name in COLUMNS))


def add_entry(connection: Connection, entry: Entry, at: Micros) -> None:
    """Adds an entry."""
    connection.execute(insert(journal).values(dict(zip(COLUMNS, to_row(entry, at), strict=True))))


def entries(connection: Connection, unpacked: packing.Unpacked, match_id: str, after: int, limit: int) -> list[Entry]:
    """The entries with revisions above `after`, in order, packed or not."""
    rows = connection.execute(
        _select.where((journal.c.match_id == match_id) & (journal.c.revision > after))
        .order_by(journal.c.revision)
        .limit(limit)
    )
    blob = packed_blob(connection, match_id)
    return merge([from_row(row) for row in rows], unpacked.entries(match_id, blob) if blob else [], after, limit)


def merge(loose: list[Entry], packed: list[Entry], after: int, limit: int) -> list[Entry]:
    """The loose entries, all above `after`, and the packed ones above it, in order, at most `limit`."""
    if not packed:
        return loose
    first = bisect_right(packed, after, key=_revision)
    return sorted([*loose, *packed[first : first + limit]], key=_revision)[:limit]


def _revision(entry: Entry) -> int:
    return entry.revision


def packed_blob(connection: Connection, match_id: str) -> bytes | None:
    """The packed entries of a match, None where it is not packed."""
    return connection.execute(select(packed.c.blob).where(packed.c.match_id == match_id)).scalar()


def find_request(connection: Connection, account_id: str, request: RequestKey, match_id: str | None) -> Entry | None:
    """The entry that a request of this account made; where the match is named, also a packed one."""
    row = connection.execute(
        _select.where((journal.c.account_id == account_id) & (journal.c.request_id == request.id))
    ).first()
    if row is not None:
        return from_row(row)
    blob = None if match_id is None else packed_blob(connection, match_id)
    if match_id is None or blob is None:
        return None
    return packing.find(match_id, blob, account_id, request)


_moves: Final = (journal.c.revision > 1) & (
    (journal.c.cause != literal(Cause.SEATING.value)) | journal.c.request_id.is_(None)
)


def to_pack(connection: Connection, match_id: str) -> list[Entry]:
    """The entries of a match that packing moves: all but the first, and those that requests to be seated have made.

    These stay as they are: whoever created a match, or joined it by its code, named none, so that such a request is
    found by its own id only.
    """
    rows = connection.execute(_select.where((journal.c.match_id == match_id) & _moves).order_by(journal.c.revision))
    return [from_row(row) for row in rows]


def pack(connection: Connection, match_id: str, moved: list[Entry], blob: bytes | None) -> None:
    """Puts the packed form of these entries in their place; nothing where the match is packed. It is due no more."""
    mine = match.c.id == match_id
    connection.execute(
        update(match).where(mine & (match.c.due_kind == DueKind.PACK)).values(due_at=None, due_kind=None, wake_at=None)
    )
    if connection.execute(update(match).where(mine & ~match.c.packed).values(packed=True)).rowcount == 0:
        return
    if blob is None:
        return
    connection.execute(insert(packed).values(match_id=match_id, entries=len(moved), blob=blob))
    inside = journal.c.revision.between(moved[0].revision, moved[-1].revision)
    connection.execute(delete(journal).where((journal.c.match_id == match_id) & inside & _moves))
