"""Signing keys: functions over a connection inside a transaction, alike on every database."""

from sqlalchemy import Connection, delete, insert, select, update

from chautari.app.account_values import SigningKey
from chautari.app.values import Micros
from chautari.store.seal import Sealer
from chautari.store.tables import signing_key


def signing_keys(connection: Connection, sealer: Sealer, now: Micros) -> list[SigningKey]:
    """The keys that are not expired, the newest first."""
    query = (
        select(signing_key)
        .where(signing_key.c.expires_at > now)
        .order_by(signing_key.c.created_at.desc(), signing_key.c.kid.desc())
    )
    return [
        SigningKey(
            kid=row.kid,
            private=sealer.open("signing_key", row.kid, row.private).decode(),
            created_at=row.created_at,
            expires_at=row.expires_at,
        )
        for row in connection.execute(query)
    ]


def change(
    connection: Connection, sealer: Sealer, now: Micros, *,
    new: SigningKey | None, older_until: Micros | None, revoked: str | None,
) -> bool:  # fmt: skip
    """Deletes a key, ends the older ones sooner, adds one; False, and nothing is done, where the first is not there."""
    if revoked is not None:
        there = (signing_key.c.kid == revoked) & (signing_key.c.expires_at > now)
        if connection.execute(delete(signing_key).where(there)).rowcount == 0:
            return False
    if older_until is not None:
        longer = signing_key.c.expires_at > older_until
        connection.execute(update(signing_key).where(longer).values(expires_at=older_until))
    if new is not None:
        add_signing_key(connection, sealer, new, now)
    return True


def add_signing_key(connection: Connection, sealer: Sealer, key: SigningKey, now: Micros) -> None:
    """Adds a key, its private part sealed, and deletes those that are expired."""
    connection.execute(delete(signing_key).where(signing_key.c.expires_at <= now))
    connection.execute(
        insert(signing_key).values(
            kid=key.kid,
            private=sealer.seal("signing_key", key.kid, key.private.encode()),
            created_at=key.created_at,
            expires_at=key.expires_at,
        )
    )
