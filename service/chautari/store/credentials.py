"""API keys: functions over a connection inside a transaction, alike on every database."""

from typing import Any, Final

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from chautari.app.account_ports import Gone, TooMany
from chautari.app.account_values import ApiKey, made_with
from chautari.app.scopes import known_scopes, write_scopes
from chautari.app.values import SECOND, Micros, RequestKey
from chautari.store import revocations
from chautari.store.accounts import CLOSED, hold
from chautari.store.tables import api_key

REVOKED_KEPT: Final[Micros] = 30 * 24 * 3600 * SECOND
"""For so long a revoked key is kept, so that the request that made it makes no other."""


def add_key(connection: Connection, key: ApiKey, most: int, now: Micros) -> ApiKey:
    """Adds a key; see `app.account_ports`."""
    held = hold(connection, key.account_id)
    if key.request is not None:
        same = (api_key.c.account_id == key.account_id) & (api_key.c.request_id == key.request.id)
        row = connection.execute(select(api_key).where(same)).first()
        if row is not None:
            return _key(row, RequestKey(row.request_id, row.request_digest))
    if held is None or held.kind in CLOSED:
        raise Gone
    if key.made_by is not None:
        maker = (api_key.c.id == key.made_by) & api_key.c.revoked_at.is_(None)
        if connection.execute(select(api_key.c.id).where(maker)).first() is None:
            raise Gone
    holding = (
        (api_key.c.account_id == key.account_id)
        & api_key.c.revoked_at.is_(None)
        & (api_key.c.expires_at.is_(None) | (api_key.c.expires_at > now))
    )
    count = connection.execute(select(func.count()).select_from(api_key).where(holding)).scalar_one()
    if count >= most:
        raise TooMany
    old = api_key.c.account_id == key.account_id, api_key.c.revoked_at <= now - REVOKED_KEPT
    connection.execute(delete(api_key).where(*old))
    connection.execute(
        insert(api_key).values(
            id=key.id,
            account_id=key.account_id,
            digest=key.digest,
            title=key.title,
            scopes=write_scopes(key.scopes),
            created_at=key.created_at,
            expires_at=key.expires_at,
            made_by=key.made_by,
            request_id=None if key.request is None else key.request.id,
            request_digest=None if key.request is None else key.request.digest,
        )
    )
    return key


def find_key(connection: Connection, digest: bytes) -> ApiKey | None:
    """The key with this digest, also one that is revoked or expired."""
    row = connection.execute(select(api_key).where(api_key.c.digest == digest)).first()
    return None if row is None else _key(row)


def keys_of(connection: Connection, account_id: str) -> list[ApiKey]:
    """The keys of an account that are not revoked, the latest created first."""
    query = (
        select(api_key)
        .where((api_key.c.account_id == account_id) & api_key.c.revoked_at.is_(None))
        .order_by(api_key.c.created_at.desc(), api_key.c.id.desc())
    )
    return [_key(row) for row in connection.execute(query)]


def save_key(connection: Connection, key: ApiKey) -> None:
    """Replaces title and time of expiry."""
    values = {"title": key.title, "expires_at": key.expires_at}
    connection.execute(update(api_key).where(api_key.c.id == key.id).values(values))


def note_key_used(connection: Connection, key_id: str, now: Micros) -> None:
    """Notes that a key was used now."""
    connection.execute(update(api_key).where(api_key.c.id == key_id).values(last_used_at=now))


def revoke_key(connection: Connection, account_id: str, key_id: str, now: Micros) -> list[str]:
    """Revokes a key of an account and all that were made with it; gives those that held."""
    hold(connection, account_id)
    valid = keys_of(connection, account_id)
    gone = sorted(made_with(valid, key_id) & {key.id for key in valid})
    connection.execute(update(api_key).where(api_key.c.id.in_(gone)).values(revoked_at=now))
    revocations.add(connection, gone, now)
    return gone


def _key(row: Row[Any], request: RequestKey | None = None) -> ApiKey:
    return ApiKey(
        id=row.id,
        account_id=row.account_id,
        digest=row.digest,
        title=row.title,
        scopes=known_scopes(row.scopes),
        created_at=row.created_at,
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
        made_by=row.made_by,
        revoked_at=row.revoked_at,
        request=request,
    )
