"""What the use cases of accounts need from a store. What holds for every port is said in `app.ports`."""

from typing import Protocol

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


class TooMany(Exception):
    """The account has as many of these as it may have."""


class Gone(Exception):
    """What a write depends on has been revoked or closed meanwhile."""


class AccountStore(Protocol):
    """Accounts and what they sign in with."""

    async def add_account(self, account: Account, token: RefreshToken) -> None:
        """Keeps a new account with its first refresh token."""

    async def find_account(self, account_id: str) -> Account | None:
        """The account, None where there is none."""

    async def save_account(self, account: Account) -> None:
        """Replaces name and language of an account."""

    async def add_token(self, token: RefreshToken) -> None:
        """Keeps the first refresh token of another sign-in."""

    async def find_token(self, digest: bytes) -> RefreshToken | None:
        """The refresh token with this SHA-256, also one that was exchanged; None where it is unknown or revoked."""

    async def exchange_token(self, digest: bytes, token: RefreshToken) -> bool:
        """Marks a token as used and keeps its successor; False, and nothing changes, where it was used or revoked."""

    async def add_successor(self, digest: bytes, token: RefreshToken) -> bool:
        """Keeps another successor of a token that was used; False, and nothing changes, where it was revoked."""

    async def revoke_family(self, family: str) -> None:
        """Forgets every token of a sign-in, and notes that it is revoked."""

    async def revoke_account(self, account_id: str) -> list[str]:
        """The same for every sign-in of an account; gives their families."""


class CredentialStore(Protocol):
    """API keys, and what was revoked lately."""

    async def add_key(self, key: ApiKey, most: int) -> ApiKey:
        """Keeps a new key and gives it; where its request was seen, the key that that made, perhaps revoked by now.

        TooMany where the account has `most` keys that hold; Gone where the key that makes it does not hold any more.
        """

    async def find_key(self, digest: bytes) -> ApiKey | None:
        """The key with this SHA-256, also one that is revoked or expired; without its request."""

    async def keys_of(self, account_id: str) -> list[ApiKey]:
        """The keys of an account that are not revoked, the latest created first; without their requests."""

    async def save_key(self, key: ApiKey) -> None:
        """Replaces title and time of expiry of a key."""

    async def note_key_used(self, key_id: str) -> None:
        """Notes that a key was used now."""

    async def revoke_key(self, account_id: str, key_id: str) -> list[str]:
        """Revokes a key of this account, and all that were made with it by however many steps; gives those that held.

        None can be made with any of them at the same time.
        """

    async def revocations(self, since: Micros) -> list[Revocation]:
        """What was revoked at or after `since`, as far back as an hour; in no order."""


class IdentityStore(Protocol):
    """Identities of providers, linked to accounts. What an attempt to sign in or to link brings about spends it."""

    async def sign_in_with(
        self, account: Account, identity: LinkedIdentity, token: RefreshToken, attempt: SpentAttempt
    ) -> Account:
        """Signs in the account that issuer and subject of the identity are linked to, and gives it.

        Where they are linked to none the new account is kept with the identity. The token becomes that of the account.
        Gone where the attempt was spent and may not come again.
        """

    async def link_identity(self, identity: LinkedIdentity, most: int, attempt: SpentAttempt) -> LinkedIdentity:
        """Keeps an identity, whose account is a linked one from now on; where its issuer and subject are linked
        already, perhaps to another account, nothing changes, and what is linked is given.

        TooMany where the account has `most`; Gone where the attempt was spent and may not come again.
        """

    async def identities_of(self, account_id: str) -> list[LinkedIdentity]:
        """The identities of an account, in the order in which they were linked."""

    async def unlink_identity(self, account_id: str, identity_id: str) -> None:
        """Forgets an identity of this account, which is a guest again where it was the last one."""


class ClosingStore(Protocol):
    """Accounts that end: merged into another, or deleted."""

    async def merge_account(self, account_id: str, survivor: str, due_at: Micros) -> list[str]:
        """Closes an account in favour of another, whose its identities and API keys become; gives its sign-ins, which
        are revoked. What was merged into it is merged into the survivor. Gone where either is closed."""

    async def delete_account(self, account_id: str, name: str, due_at: Micros) -> list[str]:
        """Closes an account: all that is known of it goes but its id, with this name. Gives its sign-ins and API keys,
        which are revoked. Gone where it is closed."""

    async def find_closing(self, account_id: str) -> Closing | None:
        """How an account ended, None where it did not."""

    async def merged_into(self, account_id: str) -> list[Closing]:
        """The accounts that were merged into this one, the earliest first."""

    async def claim_closings(self, limit: int, lease: Micros) -> list[Closing]:
        """Claims closings whose due time has come, by moving it on by the lease."""

    async def settle_closing(self, account_id: str) -> None:
        """Notes that nothing more is to be done."""

    async def rename_over(self, renaming: Renaming, limit: int) -> list[str]:
        """Renames an account in so many of its matches that are over, their journals included, and takes them from its
        list, to that of its successor if that is another; gives them, none where there are no more."""

    async def rename_in_match(self, match_id: str, renaming: Renaming) -> None:
        """Renames an account in what the journal of a match says of its seats, and on these where its name changes."""

    async def matches_asked(self, account_id: str) -> list[str]:
        """The matches whose journals have a request of this account, packed ones left out."""

    async def sign_ins_of(self, account_id: str) -> list[RefreshToken]:
        """The latest refresh token of each sign-in of an account."""


class KeyStore(Protocol):
    """The keys that sign access tokens."""

    def clock(self) -> Micros:
        """The database's time."""
        ...

    async def signing_keys(self) -> list[SigningKey]:
        """Those that are not expired, the newest first."""

    async def add_signing_key(self, key: SigningKey) -> None:
        """Keeps a new key; it signs from now on."""
