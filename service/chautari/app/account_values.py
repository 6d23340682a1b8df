"""Accounts, what they sign in with, and what has been revoked."""

from collections.abc import Iterable
from enum import StrEnum

import msgspec

from chautari.app.scopes import Scope
from chautari.app.values import Micros, RequestKey


class AccountKind(StrEnum):
    """What an account is: known by its tokens only, or linked to an identity of a provider too; or what it was."""

    GUEST = "guest"
    LINKED = "linked"
    MERGED = "merged"
    DELETED = "deleted"


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """A person, a bot or a program. language: a BCP 47 tag such as `ne`."""

    id: str
    kind: AccountKind
    display_name: str
    language: str
    created_at: Micros

    @property
    def is_closed(self) -> bool:
        """Whether nobody can use it any more."""
        return self.kind in (AccountKind.MERGED, AccountKind.DELETED)


class RefreshToken(msgspec.Struct, frozen=True, kw_only=True):
    """A refresh token as stored: only its SHA-256. Those that replaced one another are one family: a sign-in.

    used_at: when it was exchanged for the next one; a token that comes again after that revokes its family.
    """

    digest: bytes
    family: str
    account_id: str
    expires_at: Micros
    used_at: Micros | None = None


class SigningKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key that signs access tokens. private: the JWK as JSON text, which the store keeps sealed.

    It signs from `created_at` until the next key is made, and is accepted until `expires_at`.
    """

    kid: str
    private: str
    created_at: Micros
    expires_at: Micros


class ApiKey(msgspec.Struct, frozen=True, kw_only=True):
    """An API key as stored: only its SHA-256.

    scopes        what it may be used for, those included among them
    expires_at    None where it does not expire by itself
    last_used_at  accurate to an hour, None where it was never used
    made_by       the key that made it, which it does not outlive; None where a sign-in or an operator did
    revoked_at    None while it holds
    request       the call that made it
    """

    id: str
    account_id: str
    digest: bytes
    title: str
    scopes: frozenset[Scope]
    created_at: Micros
    expires_at: Micros | None = None
    last_used_at: Micros | None = None
    made_by: str | None = None
    revoked_at: Micros | None = None
    request: RequestKey | None = None


def made_with(keys: Iterable[ApiKey], first: str) -> set[str]:
    """A key and those that were made with it, by however many steps; by their ids."""
    makers = {key.id: key.made_by for key in keys}
    found: set[str] = set()
    new = {first}
    while new:
        found |= new
        new = {key_id for key_id, maker in makers.items() if maker in found} - found
    return found


class Revocation(msgspec.Struct, frozen=True):
    """That a sign-in (its family of refresh tokens) or an API key (its id) has not held since `at`."""

    subject: str
    at: Micros


class LinkedIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """What an identity provider knows somebody by, linked to an account: issuer and subject of its ID tokens.

    last_used_at: when it was last signed in with, None where it never was.
    """

    id: str
    account_id: str
    issuer: str
    subject: str
    linked_at: Micros
    last_used_at: Micros | None = None


class SpentAttempt(msgspec.Struct, frozen=True):
    """The digest of an attempt to sign in, which may be completed once; again only until `again_until`.

    kept_until: when the attempt has expired by itself, so that nobody needs to know any more.
    """

    digest: bytes
    again_until: Micros
    kept_until: Micros


class ClosingKind(StrEnum):
    """How an account ended."""

    MERGED = "merged"
    DELETED = "deleted"


class Closing(msgspec.Struct, frozen=True, kw_only=True):
    """That an account ended, and what is still to be done about it.

    survivor: the account that it was merged into, itself still there; None for one that was deleted
    due_at    when somebody has to look after its matches; None once that is done
    """

    account_id: str
    kind: ClosingKind
    survivor: str | None
    at: Micros
    due_at: Micros | None


class Renaming(msgspec.Struct, frozen=True):
    """What becomes of an account in a match: its seats are the successor's, its name another one; None: it stays."""

    account_id: str
    successor: str
    display_name: str | None = None
