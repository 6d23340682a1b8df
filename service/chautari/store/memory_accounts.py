"""The store in memory: accounts, what they sign in with, and signing keys."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import msgspec

from chautari.app.account_ports import Gone, TooMany
from chautari.app.account_values import (
    Account,
    AccountKind,
    ApiKey,
    LinkedIdentity,
    RefreshToken,
    Revocation,
    SigningKey,
    SpentAttempt,
    made_with,
)
from chautari.app.values import Micros
from chautari.store.clock import Clock
from chautari.store.uptime import Timed, Uptime


class MemoryAccounts(Timed, ABC):
    """The part of the store in memory that keeps accounts."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock, Uptime(clock.now(), 0))
        self._accounts: dict[str, Account] = {}
        self._tokens: dict[bytes, RefreshToken] = {}
        self._keys: dict[str, SigningKey] = {}
        self._api_keys: dict[str, ApiKey] = {}
        self._revocations: dict[str, Revocation] = {}
        self._identities: dict[str, LinkedIdentity] = {}
        self._spent: dict[bytes, SpentAttempt] = {}

    async def add_account(self, account: Account, token: RefreshToken) -> None:
        """See `app.account_ports`."""
        self._check()
        if account.id in self._accounts:
            raise ValueError(f"there is an account {account.id}")
        self._accounts[account.id] = account
        self._tokens[token.digest] = token

    async def find_account(self, account_id: str) -> Account | None:
        """See `app.account_ports`."""
        self._check()
        return self._accounts.get(account_id)

    async def save_account(self, account: Account) -> None:
        """See `app.account_ports`."""
        self._check()
        old = self._accounts.get(account.id)
        if old is not None and not old.is_closed:
            self._accounts[account.id] = msgspec.structs.replace(
                old, display_name=account.display_name, language=account.language
            )

    async def add_token(self, token: RefreshToken) -> None:
        """See `app.account_ports`."""
        self._check()
        self._tokens[token.digest] = token

    async def find_token(self, digest: bytes) -> RefreshToken | None:
        """See `app.account_ports`."""
        self._check()
        return self._tokens.get(digest)

    async def exchange_token(self, digest: bytes, token: RefreshToken) -> bool:
        """See `app.account_ports`."""
        self._check()
        old = self._tokens.get(digest)
        if old is None or old.used_at is not None:
            return False
        self._tokens[digest] = msgspec.structs.replace(old, used_at=self._clock.now())
        self._tokens[token.digest] = token
        return True

    async def add_successor(self, digest: bytes, token: RefreshToken) -> bool:
        """See `app.account_ports`."""
        self._check()
        if digest not in self._tokens:
            return False
        self._tokens[token.digest] = token
        return True

    async def revoke_family(self, family: str) -> None:
        """See `app.account_ports`."""
        self._check()
        self._tokens = {digest: token for digest, token in self._tokens.items() if token.family != family}
        self._note_revoked([family])

    async def revoke_account(self, account_id: str) -> list[str]:
        """See `app.account_ports`."""
        self._check()
        revoked = {token.family for token in self._tokens.values() if token.account_id == account_id}
        self._tokens = {digest: token for digest, token in self._tokens.items() if token.account_id != account_id}
        self._note_revoked(revoked)
        return sorted(revoked)

    async def add_key(self, key: ApiKey, most: int) -> ApiKey:
        """See `app.account_ports`."""
        self._check()
        now = self._clock.now()
        mine = [one for one in self._api_keys.values() if one.account_id == key.account_id]
        if key.request is not None:
            for one in mine:
                if one.request is not None and one.request.id == key.request.id:
                    return one
        owner = self._accounts.get(key.account_id)
        if owner is None or owner.is_closed:
            raise Gone
        maker = self._api_keys.get(key.made_by or "")
        if key.made_by is not None and (maker is None or maker.revoked_at is not None):
            raise Gone
        holding = [one for one in mine if one.revoked_at is None and (one.expires_at is None or one.expires_at > now)]
        if len(holding) >= most:
            raise TooMany
        self._api_keys[key.id] = key
        return key

    async def find_key(self, digest: bytes) -> ApiKey | None:
        """See `app.account_ports`."""
        self._check()
        return next((_shown(key) for key in self._api_keys.values() if key.digest == digest), None)

    async def keys_of(self, account_id: str) -> list[ApiKey]:
        """See `app.account_ports`."""
        self._check()
        mine = [key for key in self._api_keys.values() if key.account_id == account_id and key.revoked_at is None]
        return [_shown(key) for key in sorted(mine, key=lambda key: (key.created_at, key.id), reverse=True)]

    async def save_key(self, key: ApiKey) -> None:
        """See `app.account_ports`."""
        self._change_key(key.id, title=key.title, expires_at=key.expires_at)

    async def note_key_used(self, key_id: str) -> None:
        """See `app.account_ports`."""
        self._change_key(key_id, last_used_at=self._clock.now())

    async def revoke_key(self, account_id: str, key_id: str) -> list[str]:
        """See `app.account_ports`."""
        held = await self.keys_of(account_id)
        gone = sorted(made_with(held, key_id) & {key.id for key in held})
        for each in gone:
            self._change_key(each, revoked_at=self._clock.now())
        self._note_revoked(gone)
        return gone

    async def revocations(self, since: Micros) -> list[Revocation]:
        """See `app.account_ports`."""
        self._check()
        return [one for one in self._revocations.values() if one.at >= since]

    def _note_revoked(self, subjects: Iterable[str]) -> None:
        now = self._clock.now()
        self._revocations |= {subject: Revocation(subject, now) for subject in subjects}

    def _change_key(self, key_id: str, **changed: Any) -> None:
        self._check()
        old = self._api_keys.get(key_id)
        if old is not None:
            self._api_keys[key_id] = msgspec.structs.replace(old, **changed)

    async def sign_in_with(
        self, account: Account, identity: LinkedIdentity, token: RefreshToken, attempt: SpentAttempt
    ) -> Account:
        """See `app.account_ports`."""
        self._check()
        self._spend(attempt)
        known = self._find_identity(identity)
        if known is None:
            await self.add_account(account, token)
            self._identities[identity.id] = identity
            return account
        self._identities[known.id] = msgspec.structs.replace(known, last_used_at=identity.last_used_at)
        self._tokens[token.digest] = msgspec.structs.replace(token, account_id=known.account_id)
        return self._accounts[known.account_id]

    async def link_identity(self, identity: LinkedIdentity, most: int, attempt: SpentAttempt) -> LinkedIdentity:
        """See `app.account_ports`."""
        self._check()
        known = self._find_identity(identity)
        if known is not None:
            return known
        owner = self._accounts.get(identity.account_id)
        if owner is None or owner.is_closed:
            raise Gone
        self._spend(attempt)
        if len(await self.identities_of(identity.account_id)) >= most:
            raise TooMany
        self._identities[identity.id] = identity
        self._set_kind(identity.account_id, AccountKind.LINKED)
        return identity

    async def identities_of(self, account_id: str) -> list[LinkedIdentity]:
        """See `app.account_ports`."""
        self._check()
        mine = [identity for identity in self._identities.values() if identity.account_id == account_id]
        return sorted(mine, key=lambda identity: (identity.linked_at, identity.id))

    async def unlink_identity(self, account_id: str, identity_id: str) -> None:
        """See `app.account_ports`."""
        self._check()
        known = self._identities.get(identity_id)
        if known is not None and known.account_id == account_id:
            del self._identities[identity_id]
            if not await self.identities_of(account_id):
                self._set_kind(account_id, AccountKind.GUEST)

    def _find_identity(self, identity: LinkedIdentity) -> LinkedIdentity | None:
        wanted = (identity.issuer, identity.subject)
        return next((one for one in self._identities.values() if (one.issuer, one.subject) == wanted), None)

    def _set_kind(self, account_id: str, kind: AccountKind) -> None:
        self._accounts[account_id] = msgspec.structs.replace(self._accounts[account_id], kind=kind)

    def _spend(self, attempt: SpentAttempt) -> None:
        known = self._spent.setdefault(attempt.digest, attempt)
        if known.again_until <= self._clock.now():
            raise Gone

    async def signing_keys(self) -> list[SigningKey]:
        """See `app.account_ports`."""
        self._check()
        now = self._clock.now()
        valid = [key for key in self._keys.values() if key.expires_at > now]
        return sorted(valid, key=lambda key: (key.created_at, key.kid), reverse=True)

    async def add_signing_key(self, key: SigningKey) -> None:
        """See `app.account_ports`."""
        self._check()
        self._keys[key.kid] = key

    @abstractmethod
    def _check(self) -> None:
        """Unavailable where the store is closed."""


def _shown(key: ApiKey) -> ApiKey:
    return msgspec.structs.replace(key, request=None)
