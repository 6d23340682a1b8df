"""The store in memory: accounts, what they sign in with, and signing keys."""

from abc import ABC, abstractmethod

import msgspec

from chautari.app.values import Account, RefreshToken, SigningKey
from chautari.store.clock import Clock


class MemoryAccounts(ABC):
    """The part of the store in memory that keeps accounts."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._accounts: dict[str, Account] = {}
        self._tokens: dict[bytes, RefreshToken] = {}
        self._keys: dict[str, SigningKey] = {}

    async def add_account(self, account: Account, token: RefreshToken) -> None:
        """See `app.ports`."""
        self._check()
        if account.id in self._accounts:
            raise ValueError(f"there is an account {account.id}")
        self._accounts[account.id] = account
        self._tokens[token.digest] = token

    async def find_account(self, account_id: str) -> Account | None:
        """See `app.ports`."""
        self._check()
        return self._accounts.get(account_id)

    async def save_account(self, account: Account) -> None:
        """See `app.ports`."""
        self._check()
        old = self._accounts.get(account.id)
        if old is not None:
            self._accounts[account.id] = msgspec.structs.replace(
                old, display_name=account.display_name, language=account.language
            )

    async def add_token(self, token: RefreshToken) -> None:
        """See `app.ports`."""
        self._check()
        self._tokens[token.digest] = token

    async def find_token(self, digest: bytes) -> RefreshToken | None:
        """See `app.ports`."""
        self._check()
        return self._tokens.get(digest)

    async def exchange_token(self, digest: bytes, token: RefreshToken) -> bool:
        """See `app.ports`."""
        self._check()
        old = self._tokens.get(digest)
        if old is None or old.used_at is not None:
            return False
        self._tokens[digest] = msgspec.structs.replace(old, used_at=self._clock.now())
        self._tokens[token.digest] = token
        return True

    async def revoke_family(self, family: str) -> None:
        """See `app.ports`."""
        self._check()
        self._tokens = {digest: token for digest, token in self._tokens.items() if token.family != family}

    async def revoke_account(self, account_id: str) -> None:
        """See `app.ports`."""
        self._check()
        self._tokens = {digest: token for digest, token in self._tokens.items() if token.account_id != account_id}

    async def signing_keys(self) -> list[SigningKey]:
        """See `app.ports`."""
        self._check()
        now = self._clock.now()
        valid = [key for key in self._keys.values() if key.expires_at > now]
        return sorted(valid, key=lambda key: (key.created_at, key.kid), reverse=True)

    async def add_signing_key(self, key: SigningKey) -> None:
        """See `app.ports`."""
        self._check()
        self._keys[key.kid] = key

    @abstractmethod
    def _check(self) -> None:
        """Unavailable where the store is closed."""
