"""The store on SQLite: accounts, what they sign in with, and signing keys."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Connection

from chautari.app.values import Account, Micros, RefreshToken, SigningKey
from chautari.store import accounts, keys
from chautari.store.clock import Clock
from chautari.store.seal import Sealer

T = TypeVar("T")


class SqliteAccounts(ABC):
    """The part of the store on SQLite that keeps accounts."""

    def __init__(self, sealer: Sealer, clock: Clock) -> None:
        self._sealer = sealer
        self._clock = clock

    async def add_account(self, account: Account, token: RefreshToken) -> None:
        """See `app.ports`."""
        await self._write(lambda connection, _: accounts.add_account(connection, account, token))

    async def find_account(self, account_id: str) -> Account | None:
        """See `app.ports`."""
        return await self._read(lambda connection: accounts.find_account(connection, account_id))

    async def save_account(self, account: Account) -> None:
        """See `app.ports`."""
        await self._write(lambda connection, _: accounts.save_account(connection, account))

    async def add_token(self, token: RefreshToken) -> None:
        """See `app.ports`."""
        await self._write(lambda connection, _: accounts.add_token(connection, token))

    async def find_token(self, digest: bytes) -> RefreshToken | None:
        """See `app.ports`."""
        return await self._read(lambda connection: accounts.find_token(connection, digest))

    async def exchange_token(self, digest: bytes, token: RefreshToken) -> bool:
        """See `app.ports`."""
        return await self._write(lambda connection, at: accounts.exchange_token(connection, digest, token, at))

    async def revoke_family(self, family: str) -> None:
        """See `app.ports`."""
        await self._write(lambda connection, _: accounts.revoke_family(connection, family))

    async def revoke_account(self, account_id: str) -> None:
        """See `app.ports`."""
        await self._write(lambda connection, _: accounts.revoke_account(connection, account_id))

    async def signing_keys(self) -> list[SigningKey]:
        """See `app.ports`."""
        now = self._clock.now()
        return await self._read(lambda connection: keys.signing_keys(connection, self._sealer, now))

    async def add_signing_key(self, key: SigningKey) -> None:
        """See `app.ports`."""
        await self._write(lambda connection, at: keys.add_signing_key(connection, self._sealer, key, at))

    @abstractmethod
    async def _write(self, work: Callable[[Connection, Micros], T]) -> T:
        """Runs a function in the writer's transaction, with its time."""

    @abstractmethod
    async def _read(self, work: Callable[[Connection], T]) -> T:
        """Runs a function on one state of the database, that of the last commit."""
