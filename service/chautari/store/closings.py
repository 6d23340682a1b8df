"""Accounts that end: functions over a connection inside a transaction, alike on every database."""

from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, delete, func, insert, select, update

from chautari.app import events
from chautari.app.account_ports import Gone
from chautari.app.account_values import Account, AccountKind, Closing, ClosingKind, RefreshToken, Renaming
from chautari.app.newer import newer_account
from chautari.app.values import Micros
from chautari.store import accounts, packing, revocations
from chautari.store.journal import packed_blob
from chautari.store.tables import account, api_key, chair, closing, identity, journal, match, member, packed
from chautari.store.tables import refresh_token as token

_KINDS: Final = tuple(kind.value for kind in ClosingKind)


def merge_account(connection: Connection, account_id: str, survivor: str, due_at: Micros, now: Micros) -> list[str]:
    """Closes an account in favour of another; see `app.account_ports`."""
    kept = _open(connection, account_id, survivor)[survivor]
    connection.execute(update(identity).where(identity.c.account_id == account_id).values(account_id=survivor))
    forgotten = {"request_id": None, "request_digest": None}  # ids of requests are an account's own
    connection.execute(
        update(api_key).where(api_key.c.account_id == account_id).values(account_id=survivor, **forgotten)
    )
    linked = select(func.count()).select_from(identity).where(identity.c.account_id == survivor)
    if kept.kind is AccountKind.GUEST and connection.execute(linked).scalar_one():
        connection.execute(update(account).where(account.c.id == survivor).values(kind=AccountKind.LINKED))
    connection.execute(update(account).where(account.c.id == account_id).values(kind=AccountKind.MERGED))
    connection.execute(update(closing).where(closing.c.survivor == account_id).values(survivor=survivor))
    _close(
        connection, Closing(account_id=account_id, kind=ClosingKind.MERGED, survivor=survivor, at=now, due_at=due_at)
    )
    return accounts.revoke_account(connection, account_id, now)


def delete_account(connection: Connection, account_id: str, name: str, due_at: Micros, now: Micros) -> list[str]:
    """Closes an account and forgets what is known of it; see `app.account_ports`."""
    _open(connection, account_id)
    keys = list(connection.execute(select(api_key.c.id).where(api_key.c.account_id == account_id)).scalars())
    revocations.add(connection, keys, now)
    connection.execute(delete(api_key).where(api_key.c.account_id == account_id))
    connection.execute(delete(identity).where(identity.c.account_id == account_id))
    gone = {"kind": AccountKind.DELETED, "display_name": name, "folded_name": name.casefold(), "language": "en"}
    merged = select(closing.c.account_id).where(closing.c.survivor == account_id)
    connection.execute(update(account).where((account.c.id == account_id) | account.c.id.in_(merged)).values(**gone))
    connection.execute(
        update(closing).where(closing.c.survivor == account_id).values(survivor=None, kind=ClosingKind.DELETED)
    )
    _close(connection, Closing(account_id=account_id, kind=ClosingKind.DELETED, survivor=None, at=now, due_at=due_at))
    return accounts.revoke_account(connection, account_id, now) + keys


def _open(connection: Connection, *account_ids: str) -> dict[str, Account]:
    """These accounts, held until the transaction ends; Gone where one is closed or unknown."""
    ids = sorted(account_ids)  # always in one order: nobody waits for another in a circle
    query = select(account).where(account.c.id.in_(ids)).order_by(account.c.id).with_for_update()
    found = {row.id: accounts.from_row(row) for row in connection.execute(query)}
    if len(found) < len(ids) or any(one.is_closed for one in found.values()):
        raise Gone
    return found


def _close(connection: Connection, closed: Closing) -> None:
    connection.execute(
        insert(closing).values(
            account_id=closed.account_id, kind=closed.kind, survivor=closed.survivor, at=closed.at, due_at=closed.due_at
        )
    )


def find_closing(connection: Connection, account_id: str) -> Closing | None:
    """How an account ended."""
    row = connection.execute(select(closing).where(closing.c.account_id == account_id)).first()
    return None if row is None else _closing(row)


def merged_into(connection: Connection, account_id: str) -> list[Closing]:
    """The accounts that were merged into this one, the earliest first."""
    query = select(closing).where(closing.c.survivor == account_id).order_by(closing.c.at, closing.c.account_id)
    return [_closing(row) for row in connection.execute(query)]


def has_due(connection: Connection, now: Micros) -> bool:
    """Whether there is anything to claim."""
    return connection.execute(select(closing.c.account_id).where(_due(now)).limit(1)).first() is not None


def claim_closings(connection: Connection, now: Micros, limit: int, lease: Micros) -> list[Closing]:
    """Moves due times that have come on by the lease; the earliest first, each claimed once."""
    come = (
        select(closing.c.account_id)
        .where(_due(now))
        .order_by(closing.c.due_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    claim = update(closing).where(closing.c.account_id.in_(come)).values(due_at=now + lease).returning(closing)
    return [_closing(row) for row in connection.execute(claim)]


def settle_closing(connection: Connection, account_id: str) -> None:
    """Nothing more is to be done."""
    connection.execute(update(closing).where(closing.c.account_id == account_id).values(due_at=None))


def rename_over(connection: Connection, renaming: Renaming, limit: int) -> list[str]:
    """Renames an account in matches that are over, and takes them from its list; see `app.account_ports`."""
    old, new = renaming.account_id, renaming.successor
    query = (
        select(member.c.match_id, member.c.created_at)
        .where(member.c.account_id == old, ~member.c.active)
        .order_by(member.c.created_at)
        .limit(limit)
    )
    found = connection.execute(query).all()
    for match_id, created_at in found:
        rename_in_match(connection, match_id, renaming)
        seats = (chair.c.match_id == match_id) & (chair.c.account_id == old)
        connection.execute(update(chair).where(seats).values(account_id=new))
        connection.execute(update(match).where((match.c.id == match_id) & (match.c.host == old)).values(host=new))
        at = (member.c.created_at == created_at) & (member.c.match_id == match_id)
        connection.execute(delete(member).where(at & member.c.account_id.in_((old, new))))
        if new != old:
            row = {"account_id": new, "created_at": created_at, "match_id": match_id, "active": False}
            connection.execute(insert(member).values(row))
    return [row.match_id for row in found]


def rename_in_match(connection: Connection, match_id: str, renaming: Renaming) -> None:
    """Renames an account in a match and its journal, packed or not; what it asked for is not known by its id then."""
    old, new = renaming.account_id, renaming.successor
    if renaming.display_name is not None:
        seats = (chair.c.match_id == match_id) & (chair.c.account_id == old)
        connection.execute(update(chair).where(seats).values(display_name=renaming.display_name))
    mine = journal.c.match_id == match_id
    if new != old:
        changed = {"account_id": new, "request_id": None, "request_digest": None}
        connection.execute(update(journal).where(mine & (journal.c.account_id == old)).values(changed))
    for revision, before in connection.execute(select(journal.c.revision, journal.c.events).where(mine)).all():
        after = events.renamed(match_id, before, renaming)
        if after != before:
            connection.execute(update(journal).where(mine & (journal.c.revision == revision)).values(events=after))
    blob = packed_blob(connection, match_id)
    if blob is not None:
        changed_blob = packing.rename(match_id, blob, renaming)
        if changed_blob != blob:
            connection.execute(update(packed).where(packed.c.match_id == match_id).values(blob=changed_blob))


def matches_asked(connection: Connection, account_id: str) -> list[str]:
    """The matches whose journals have a request of this account."""
    asked = (journal.c.account_id == account_id) & journal.c.request_id.is_not(None)
    return list(connection.execute(select(journal.c.match_id).where(asked).distinct()).scalars())


def sign_ins_of(connection: Connection, account_id: str) -> list[RefreshToken]:
    """The latest refresh token of each sign-in."""
    query = select(token).where((token.c.account_id == account_id) & token.c.used_at.is_(None))
    latest: dict[str, RefreshToken] = {}
    for row in connection.execute(query.order_by(token.c.expires_at)):
        latest[row.family] = accounts.token_from_row(row)
    return list(latest.values())


def _due(now: Micros) -> ColumnElement[bool]:
    """Whether it is time for what this program can do: another end of an account is left to newer ones."""
    return (closing.c.due_at <= now) & closing.c.kind.in_(_KINDS)


def _closing(row: Row[Any]) -> Closing:
    if row.kind not in _KINDS:
        raise newer_account(row.account_id)
    return Closing(
        account_id=row.account_id, kind=ClosingKind(row.kind), survivor=row.survivor, at=row.at, due_at=row.due_at
    )
