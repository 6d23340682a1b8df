"""The store on a database: accounts, what they sign in with, and signing keys."""

from chautari.app.account_values import (
    Account,
    ApiKey,
    Closing,
    LinkedIdentity,
    RefreshToken,
    Renaming,
    Revocation,
    SigningKey,
    SpentAttempt,
)
from chautari.app.values import Micros
from chautari.store import accounts, closings, credentials, identities, keys, revocations
from chautari.store.sql import OnSql


class SqlAccounts(OnSql):
    """The part of the store that keeps accounts."""

    async def add_account(self, account: Account, token: RefreshToken) -> None:
        """See `app.account_ports`."""
        await self._write(lambda connection, _: accounts.add_account(connection, account, token))

    async def find_account(self, account_id: str) -> Account | None:
        """See `app.account_ports`."""
        return await self._read(lambda connection: accounts.find_account(connection, account_id))

    async def save_account(self, account: Account) -> None:
        """See `app.account_ports`."""
        await self._write(lambda connection, _: accounts.save_account(connection, account))

    async def add_token(self, token: RefreshToken) -> None:
        """See `app.account_ports`."""
        await self._write(lambda connection, _: accounts.add_token(connection, token))

    async def find_token(self, digest: bytes) -> RefreshToken | None:
        """See `app.account_ports`."""
        return await self._read(lambda connection: accounts.find_token(connection, digest))

    async def exchange_token(self, digest: bytes, token: RefreshToken) -> bool:
        """See `app.account_ports`."""
        return await self._write(lambda connection, at: accounts.exchange_token(connection, digest, token, at))

    async def add_successor(self, digest: bytes, token: RefreshToken) -> bool:
        """See `app.account_ports`."""
        return await self._write(lambda connection, _: accounts.add_successor(connection, digest, token))

    async def revoke_family(self, family: str) -> None:
        """See `app.account_ports`."""
        await self._write(lambda connection, at: accounts.revoke_family(connection, family, at))

    async def revoke_account(self, account_id: str) -> list[str]:
        """See `app.account_ports`."""
        return await self._write(lambda connection, at: accounts.revoke_account(connection, account_id, at))

    async def add_key(self, key: ApiKey, most: int) -> ApiKey:
        """See `app.account_ports`."""
        return await self._write(lambda connection, at: credentials.add_key(connection, key, most, at))

    async def find_key(self, digest: bytes) -> ApiKey | None:
        """See `app.account_ports`."""
        return await self._read(lambda connection: credentials.find_key(connection, digest))

    async def keys_of(self, account_id: str) -> list[ApiKey]:
        """See `app.account_ports`."""
        return await self._read(lambda connection: credentials.keys_of(connection, account_id))

    async def save_key(self, key: ApiKey) -> None:
        """See `app.account_ports`."""
        await self._write(lambda connection, _: credentials.save_key(connection, key))

    async def note_key_used(self, key_id: str) -> None:
        """See `app.account_ports`."""
        await self._write(lambda connection, at: credentials.note_key_used(connection, key_id, at))

    async def revoke_key(self, account_id: str, key_id: str) -> list[str]:
        """See `app.account_ports`."""
        return await self._write(lambda connection, at: credentials.revoke_key(connection, account_id, key_id, at))

    async def revocations(self, since: Micros) -> list[Revocation]:
        """See `app.account_ports`."""
        return await self._read(lambda connection: revocations.since(connection, since))

    async def sign_in_with(
        self, account: Account, identity: LinkedIdentity, token: RefreshToken, attempt: SpentAttempt
    ) -> Account:
        """See `app.account_ports`."""
        return await self._write(
            lambda connection, at: identities.sign_in_with(connection, account, identity, token, attempt, at)
        )

    async def link_identity(self, identity: LinkedIdentity, most: int, attempt: SpentAttempt) -> LinkedIdentity:
        """See `app.account_ports`."""
        return await self._write(
            lambda connection, at: identities.link_identity(connection, identity, most, attempt, at)
        )

    async def identities_of(self, account_id: str) -> list[LinkedIdentity]:
        """See `app.account_ports`."""
        return await self._read(lambda connection: identities.identities_of(connection, account_id))

    async def unlink_identity(self, account_id: str, identity_id: str) -> None:
        """See `app.account_ports`."""
        await self._write(lambda connection, _: identities.unlink_identity(connection, account_id, identity_id))

    async def merge_account(self, account_id: str, survivor: str, due_at: Micros) -> list[str]:
        """See `app.account_ports`."""
        return await self._write(
            lambda connection, at: closings.merge_account(connection, account_id, survivor, due_at, at)
        )

    async def delete_account(self, account_id: str, name: str, due_at: Micros) -> list[str]:
        """See `app.account_ports`."""
        return await self._write(
            lambda connection, at: closings.delete_account(connection, account_id, name, due_at, at)
        )

    async def find_closing(self, account_id: str) -> Closing | None:
        """See `app.account_ports`."""
        return await self._read(lambda connection: closings.find_closing(connection, account_id))

    async def merged_into(self, account_id: str) -> list[Closing]:
        """See `app.account_ports`."""
        return await self._read(lambda connection: closings.merged_into(connection, account_id))

    async def claim_closings(self, limit: int, lease: Micros) -> list[Closing]:
        """See `app.account_ports`."""
        now = self._clock.now()
        if not await self._read(lambda connection: closings.has_due(connection, now)):
            return []
        return await self._write(lambda connection, at: closings.claim_closings(connection, at, limit, lease))

    async def settle_closing(self, account_id: str) -> None:
        """See `app.account_ports`."""
        await self._write(lambda connection, _: closings.settle_closing(connection, account_id))

    async def rename_over(self, renaming: Renaming, limit: int) -> list[str]:
        """See `app.account_ports`."""
        return await self._write(lambda connection, _: closings.rename_over(connection, renaming, limit))

    async def rename_in_match(self, match_id: str, renaming: Renaming) -> None:
        """See `app.account_ports`."""
        await self._write(lambda connection, _: closings.rename_in_match(connection, match_id, renaming))

    async def matches_asked(self, account_id: str) -> list[str]:
        """See `app.account_ports`."""
        return await self._read(lambda connection: closings.matches_asked(connection, account_id))

    async def sign_ins_of(self, account_id: str) -> list[RefreshToken]:
        """See `app.account_ports`."""
        return await self._read(lambda connection: closings.sign_ins_of(connection, account_id))

    async def signing_keys(self) -> list[SigningKey]:
        """See `app.account_ports`."""
        now = self._clock.now()
        return await self._read(lambda connection: keys.signing_keys(connection, self._sealer, now))

    async def add_signing_key(self, key: SigningKey) -> None:
        """See `app.account_ports`."""
        await self._write(lambda connection, at: keys.add_signing_key(connection, self._sealer, key, at))
