"""The audit log: functions over a connection inside a transaction, alike on every database."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Row, func, insert, select, update

from chautari.app.audit import FIRST, AuditCheck, AuditEntry, AuditQuestion, Note, NoteSeen, check_chain, seal
from chautari.app.values import Micros, RequestKey
from chautari.store.tables import audit, server

_LAST: Final = "audit"
"""The row of `server` that keeps the number and the seal of the last entry."""
_READ_AT_ONCE: Final = 1000
_json: Final = msgspec.json.Encoder(order="sorted").encode
_detail: Final = msgspec.json.Decoder(dict[str, str]).decode


def chain_key(sealing_key: bytes) -> bytes:
    """The key of the seals, made from the one that seals secrets."""
    return sha256(b"chautari audit" + sealing_key).digest()


def add(connection: Connection, key: bytes, note: Note, at: Micros) -> AuditEntry:
    """Adds an entry. NoteSeen where its request was seen."""
    if note.request is not None and note.account_id is not None:
        seen = find_request(connection, note.account_id, note.request)
        if seen is not None:
            raise NoteSeen(seen)
    known = connection.execute(select(server.c.value).where(server.c.key == _LAST).with_for_update()).scalar()
    number, before = _read_last(known)
    entry = AuditEntry(number=number + 1, at=at, note=note, seal=seal(key, before, number + 1, at, note))
    connection.execute(
        insert(audit).values(
            number=entry.number,
            at=at,
            account_id=note.account_id,
            key_id=note.key_id,
            origin=note.origin,
            method=note.method,
            target=note.target,
            reason=note.reason,
            outcome=note.outcome,
            detail=_json(note.detail).decode(),
            request_id=None if note.request is None else note.request.id,
            request_digest=None if note.request is None else note.request.digest,
            seal=entry.seal,
        )
    )
    last = f"{entry.number} {entry.seal.hex()}"
    if known is None:
        connection.execute(insert(server).values(key=_LAST, value=last))
    else:
        connection.execute(update(server).where(server.c.key == _LAST).values(value=last))
    return entry


def _read_last(value: str | None) -> tuple[int, bytes]:
    if value is None:
        return 0, FIRST
    number, _, sealed = value.partition(" ")
    return int(number), bytes.fromhex(sealed)


def last(connection: Connection) -> int:
    """The number of the last entry, 0 where there is none."""
    return connection.execute(select(func.max(audit.c.number))).scalar() or 0


def entries(connection: Connection, question: AuditQuestion, before: int | None, limit: int) -> list[AuditEntry]:
    """The entries with numbers below `before`, the latest first."""
    query = select(audit).order_by(audit.c.number.desc()).limit(limit)
    for column, wanted in (
        (audit.c.account_id, question.account_id),
        (audit.c.target, question.target),
        (audit.c.method, question.method),
    ):
        if wanted:
            query = query.where(column == wanted)
    if before is not None:
        query = query.where(audit.c.number < before)
    return [_entry(row) for row in connection.execute(query)]


def find_request(connection: Connection, account_id: str, request: RequestKey) -> AuditEntry | None:
    """The entry that a request of this operator made."""
    mine = (audit.c.account_id == account_id) & (audit.c.request_id == request.id)
    row = connection.execute(select(audit).where(mine)).first()
    return None if row is None else _entry(row)


def check(connection: Connection, key: bytes) -> AuditCheck:
    """Checks every seal."""
    known = connection.execute(select(server.c.value).where(server.c.key == _LAST)).scalar()
    return check_chain(key, _all(connection), _read_last(known))


def _all(connection: Connection) -> Iterator[AuditEntry]:
    after = 0
    while True:
        query = select(audit).where(audit.c.number > after).order_by(audit.c.number).limit(_READ_AT_ONCE)
        found = connection.execute(query).all()
        if not found:
            return
        yield from map(_entry, found)
        after = found[-1].number


def _entry(row: Row[Any]) -> AuditEntry:
    request = None if row.request_id is None else RequestKey(row.request_id, row.request_digest)
    note = Note(
        account_id=row.account_id, key_id=row.key_id, origin=row.origin, method=row.method, target=row.target,
        reason=row.reason, outcome=row.outcome, detail=_detail(row.detail), request=request,
    )  # fmt: skip
    return AuditEntry(number=row.number, at=row.at, note=note, seal=row.seal)
