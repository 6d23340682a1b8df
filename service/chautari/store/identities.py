"""Identities of providers: functions over a connection inside a transaction, alike on every database."""

from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Row, delete, func, insert, select, update

from chautari.app.account_ports import Gone, TooMany
from chautari.app.account_values import Account, AccountKind, LinkedIdentity, RefreshToken, SpentAttempt
from chautari.app.values import Micros
from chautari.store import accounts
from chautari.store.tables import account, identity, spent_attempt

_FORGOTTEN_AT_ONCE: Final = 10


def sign_in_with(
    connection: Connection,
    new: Account,
    linked: LinkedIdentity,
    token: RefreshToken,
    attempt: SpentAttempt,
    now: Micros,
) -> Account:
    """Signs in by an identity, as a new account where it is linked to none; see `app.account_ports`."""
    _spend(connection, attempt, now)
    known = _find(connection, linked)
    if known is None:
        accounts.add_account(connection, new, token)
        _add(connection, linked)
        return new
    found = accounts.hold(connection, known.account_id)
    if found is None or found.is_closed:  # it has just been merged into another, or deleted
        moved = _find(connection, linked)
        found = None if moved is None else accounts.hold(connection, moved.account_id)
        if found is None or found.is_closed:
            raise Gone
    connection.execute(update(identity).where(identity.c.id == known.id).values(last_used_at=linked.last_used_at))
    accounts.add_token(connection, msgspec.structs.replace(token, account_id=found.id))
    return found


def link_identity(
    connection: Connection, linked: LinkedIdentity, most: int, attempt: SpentAttempt, now: Micros
) -> LinkedIdentity:
    """Links an identity, or gives what it is linked to; see `app.account_ports`."""
    known = _find(connection, linked)
    if known is not None:
        return known
    mine = accounts.hold(connection, linked.account_id)
    if mine is None or mine.is_closed:
        raise Gone
    _spend(connection, attempt, now)
    count = select(func.count()).select_from(identity).where(identity.c.account_id == linked.account_id)
    if connection.execute(count).scalar_one() >= most:
        raise TooMany
    _add(connection, linked)
    _set_kind(connection, linked.account_id, AccountKind.LINKED)
    return linked


def identities_of(connection: Connection, account_id: str) -> list[LinkedIdentity]:
    """The identities of an account, in the order in which they were linked."""
    query = select(identity).where(identity.c.account_id == account_id).order_by(identity.c.linked_at, identity.c.id)
    return [_identity(row) for row in connection.execute(query)]


def unlink_identity(connection: Connection, account_id: str, identity_id: str) -> None:
    """Forgets an identity; without any the account is a guest again."""
    mine = (identity.c.account_id == account_id) & (identity.c.id == identity_id)
    if connection.execute(delete(identity).where(mine)).rowcount and not identities_of(connection, account_id):
        _set_kind(connection, account_id, AccountKind.GUEST)


def _spend(connection: Connection, attempt: SpentAttempt, now: Micros) -> None:
    """Notes that an attempt is completed; Gone where it was, and may not be completed again."""
    row = connection.execute(select(spent_attempt).where(spent_attempt.c.digest == attempt.digest)).first()
    if row is not None:
        if row.again_until <= now:
            raise Gone
        return
    old = select(spent_attempt.c.digest).where(spent_attempt.c.kept_until <= now).limit(_FORGOTTEN_AT_ONCE)
    connection.execute(delete(spent_attempt).where(spent_attempt.c.digest.in_(old)))
    connection.execute(
        insert(spent_attempt).values(
            digest=attempt.digest, again_until=attempt.again_until, kept_until=attempt.kept_until
        )
    )


def _find(connection: Connection, linked: LinkedIdentity) -> LinkedIdentity | None:
    same = (identity.c.issuer == linked.issuer) & (identity.c.subject == linked.subject)
    row = connection.execute(select(identity).where(same)).first()
    return None if row is None else _identity(row)


def _add(connection: Connection, linked: LinkedIdentity) -> None:
    connection.execute(insert(identity).values(msgspec.structs.asdict(linked)))


def _set_kind(connection: Connection, account_id: str, kind: AccountKind) -> None:
    connection.execute(update(account).where(account.c.id == account_id).values(kind=kind))


def _identity(row: Row[Any]) -> LinkedIdentity:
    return LinkedIdentity(
        id=row.id,
        account_id=row.account_id,
        issuer=row.issuer,
        subject=row.subject,
        linked_at=row.linked_at,
        last_used_at=row.last_used_at,
    )
