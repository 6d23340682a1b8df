"""Accounts and refresh tokens: functions over a connection inside a transaction, alike on every database."""

from typing import Any, Final

from sqlalchemy import Connection, Row, delete, insert, select, update

from chautari.app.account_values import Account, AccountKind, RefreshToken
from chautari.app.newer import newer_account
from chautari.app.values import SECOND, Micros
from chautari.store import revocations
from chautari.store.tables import account, refresh_token

_KINDS: Final = frozenset(AccountKind)
_KEPT: Final[Micros] = 30 * 24 * 3600 * SECOND
_FORGOTTEN_AT_ONCE: Final = 10

CLOSED: Final = (AccountKind.MERGED.value, AccountKind.DELETED.value)
"""The kinds of accounts that have ended."""


def add_account(connection: Connection, new: Account, token: RefreshToken) -> None:
    """Adds an account with its first refresh token."""
    connection.execute(
        insert(account).values(
            id=new.id,
            kind=new.kind,
            display_name=new.display_name,
            language=new.language,
            created_at=new.created_at,
            folded_name=new.display_name.casefold(),
        )
    )
    add_token(connection, token)


def find_account(connection: Connection, account_id: str) -> Account | None:
    """The account, None where there is none."""
    row = connection.execute(select(account).where(account.c.id == account_id)).first()
    return None if row is None else from_row(row)


def hold(connection: Connection, account_id: str) -> Account | None:
    """The account, held until the transaction ends: what signs in to it is given and taken one at a time.

    Else a token could be added behind the back of a sign-out, which deletes what it sees.
    """
    row = connection.execute(select(account).where(account.c.id == account_id).with_for_update()).first()
    return None if row is None else from_row(row)


def from_row(row: Row[Any]) -> Account:
    """The account of a row; Unavailable `ACCOUNT_NEWER` where it is of a kind that is not known here."""
    if row.kind not in _KINDS:
        raise newer_account(row.id)
    return Account(
        id=row.id,
        kind=AccountKind(row.kind),
        display_name=row.display_name,
        language=row.language,
        created_at=row.created_at,
    )


def save_account(connection: Connection, changed: Account) -> None:
    """Replaces name and language."""
    still_there = (account.c.id == changed.id) & account.c.kind.not_in(CLOSED)
    connection.execute(
        update(account)
        .where(still_there)
        .values(
            display_name=changed.display_name,
            language=changed.language,
            folded_name=changed.display_name.casefold(),
        )
    )


def add_token(connection: Connection, token: RefreshToken) -> None:
    """Adds a refresh token."""
    connection.execute(
        insert(refresh_token).values(
            digest=token.digest,
            family=token.family,
            account_id=token.account_id,
            expires_at=token.expires_at,
            used_at=token.used_at,
        )
    )


def find_token(connection: Connection, digest: bytes) -> RefreshToken | None:
    """The token with this digest, also one that was used."""
    row = connection.execute(select(refresh_token).where(refresh_token.c.digest == digest)).first()
    return None if row is None else token_from_row(row)


def token_from_row(row: Row[Any]) -> RefreshToken:
    """The token of a row."""
    return RefreshToken(
        digest=row.digest,
        family=row.family,
        account_id=row.account_id,
        expires_at=row.expires_at,
        used_at=row.used_at,
    )


def exchange_token(connection: Connection, digest: bytes, token: RefreshToken, now: Micros) -> bool:
    """Marks a token as used and adds its successor; False where it had been used or revoked."""
    hold(connection, token.account_id)
    unused = (refresh_token.c.digest == digest) & refresh_token.c.used_at.is_(None)
    if connection.execute(update(refresh_token).where(unused).values(used_at=now)).rowcount == 0:
        return False
    add_token(connection, token)
    forget_expired(connection, now)
    return True


def add_successor(connection: Connection, digest: bytes, token: RefreshToken) -> bool:
    """Adds another successor of a token; False where it was revoked."""
    hold(connection, token.account_id)
    if find_token(connection, digest) is None:
        return False
    add_token(connection, token)
    return True


def revoke_family(connection: Connection, family: str, now: Micros) -> None:
    """Deletes every token of a sign-in."""
    whose = select(refresh_token.c.account_id).where(refresh_token.c.family == family).limit(1)
    account_id = connection.execute(whose).scalar()
    if account_id is not None:
        hold(connection, account_id)
    connection.execute(delete(refresh_token).where(refresh_token.c.family == family))
    revocations.add(connection, [family], now)


def revoke_account(connection: Connection, account_id: str, now: Micros) -> list[str]:
    """Deletes every token of an account; gives their families."""
    hold(connection, account_id)
    families = select(refresh_token.c.family).where(refresh_token.c.account_id == account_id).distinct()
    revoked = list(connection.execute(families).scalars())
    connection.execute(delete(refresh_token).where(refresh_token.c.account_id == account_id))
    revocations.add(connection, revoked, now)
    return revoked


def forget_expired(connection: Connection, now: Micros) -> None:
    """Deletes a few of the tokens that expired a month ago: nobody needs to know any more that they were used."""
    old = select(refresh_token.c.digest).where(refresh_token.c.expires_at <= now - _KEPT).limit(_FORGOTTEN_AT_ONCE)
    connection.execute(delete(refresh_token).where(refresh_token.c.digest.in_(old)))
