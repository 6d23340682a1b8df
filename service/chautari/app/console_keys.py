"""API keys that are made at the console: how there comes to be a first operator."""

import secrets
from collections.abc import Iterable

from chautari.app.account_values import Account, AccountKind, RefreshToken
from chautari.app.audit import Note
from chautari.app.keys import Keys, MadeKey, NewKey
from chautari.app.names import check_name
from chautari.app.noting import Operator, said_reason
from chautari.app.pages import PageTokens
from chautari.app.ports import Store
from chautari.app.revocations import Revocations
from chautari.app.scopes import Scope
from chautari.app.tokens import digest, new_secret
from chautari.app.values import Micros
from chautari.errors import Malformed, NotFound


async def create_key(
    store: Store, who: Operator, page_key: bytes, *, scopes: Iterable[Scope], title: str, account_id: str, name: str,
    expires_at: Micros | None, reason: str,
) -> MadeKey:  # fmt: skip
    """Makes a key with any scopes, for an account that is there or for a new one of this name; it is noted.

    NotFound `ACCOUNT_UNKNOWN`; Malformed `NAME_INVALID`, `EXPIRY_INVALID`, `REASON_MISSING`; Exhausted `TOO_MANY_KEYS`.
    """
    reason = said_reason(reason)
    revocations = Revocations(store, store.clock, shared=False)
    keys = Keys(store, revocations, PageTokens(page_key), store.clock)
    if expires_at is not None and expires_at <= store.clock():
        raise Malformed("EXPIRY_INVALID", "a key must expire later than now", field="expire_time")
    if account_id:
        if await store.find_account(account_id) is None:
            raise NotFound("ACCOUNT_UNKNOWN", "there is no such account")
    else:
        account_id = await _add_account(store, check_name(name, "name", optional=True) or "Operator")
    made = await keys.issue(account_id, NewKey(check_name(title, "title"), frozenset(scopes), expires_at))
    key = made.key
    await store.note(
        Note(
            account_id=who.account_id, origin=who.origin, method="CreateApiKey", target=f"accounts/{account_id}",
            reason=reason, detail={"key": key.id, "scopes": " ".join(sorted(key.scopes)), "title": key.title},
        )
    )  # fmt: skip
    return made


async def _add_account(store: Store, name: str) -> str:
    """A new account that is used by its keys only: nobody has its refresh token, which has expired."""
    now = store.clock()
    account = Account(
        id=secrets.token_hex(10), kind=AccountKind.GUEST, display_name=name, language="en", created_at=now
    )  # fmt: skip
    family = secrets.token_hex(10)
    token = RefreshToken(digest=digest(new_secret()), family=family, account_id=account.id, expires_at=now)
    await store.add_account(account, token)
    return account.id
