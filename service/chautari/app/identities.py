"""Identities of providers: linked to an account, signed in with, unlinked."""

import secrets
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from chautari.app.account_ports import Gone, IdentityStore, TooMany
from chautari.app.account_values import Account, AccountKind, LinkedIdentity, RefreshToken, SpentAttempt
from chautari.app.accounts import Accounts, SignedIn
from chautari.app.attempts import Attempts, Begun, nonce_of
from chautari.app.caller import Caller
from chautari.app.freshness import check_fresh
from chautari.app.id_tokens import read_subject
from chautari.app.keys import own_account
from chautari.app.pages import PageTokens, of_another_list, page_size
from chautari.app.providers import Fetch, Provider, ProviderKeys
from chautari.app.values import SECOND, Micros
from chautari.errors import Exhausted, NotFound, Unauthenticated, WrongState

MOST_IDENTITIES: Final = 10
"""An account may be linked to so many."""


class Proven(msgspec.Struct, frozen=True):
    """Whom an ID token spoke of, and the attempt that it completes."""

    issuer: str
    subject: str
    attempt: SpentAttempt


class Identities:
    """The use cases of identities."""

    def __init__(
        self, store: IdentityStore, accounts: Accounts, providers: Sequence[Provider], fetch: Fetch | None,
        attempts: Attempts, tokens: PageTokens, clock: Callable[[], Micros],
    ) -> None:  # fmt: skip
        """fetch: gets the documents of providers; needed where there are any."""
        self._store = store
        self._accounts = accounts
        self._providers = {provider.key: provider for provider in providers}
        self._keys = {provider.key: ProviderKeys(provider, fetch) for provider in providers if fetch is not None}
        self._attempts = attempts
        self._tokens = tokens
        self._clock = clock

    @property
    def providers(self) -> list[Provider]:
        """Those that one may sign in at, in the order of the configuration."""
        return list(self._providers.values())

    def list_providers(self, size: int, page_token: str) -> tuple[list[Provider], str]:
        """The trusted providers in the order in which to show them, and the token of the next page: it goes on behind
        the last one of this page, wherever that is then.

        Malformed `PAGE_TOKEN_INVALID`, also where that one is trusted no more.
        """
        question = ("providers", "behind a key")
        last = self._tokens.read(page_token, question)
        keys = list(self._providers)
        if last is not None and last not in keys:
            raise of_another_list()
        begin = 0 if last is None else keys.index(last) + 1
        return self._tokens.cut(self.providers[begin:], page_size(size), question, lambda provider: provider.key)

    def begin(self, caller: Caller, provider: str) -> Begun:
        """Begins an attempt, which this caller may complete; NotFound `PROVIDER_UNKNOWN`."""
        self._provider(provider)
        return self._attempts.begin(provider, caller.account_id)

    async def sign_in(self, caller: Caller, attempt: str, id_token: str, display_name: str, language: str) -> SignedIn:
        """Signs in as the account that the identity is linked to, else as a new one.

        Unauthenticated `ATTEMPT_INVALID`, `ID_TOKEN_INVALID`; Unavailable `PROVIDER_AWAY`; Malformed `NAME_INVALID`.
        """
        new = self._accounts.make_account(AccountKind.LINKED, display_name, language)
        proven = await self._prove(caller, attempt, id_token)
        identity = self._identity(new.id, proven)

        async def keep(token: RefreshToken) -> Account:
            return await self._store.sign_in_with(
                new, msgspec.structs.replace(identity, last_used_at=identity.linked_at), token, proven.attempt
            )

        try:
            return await self._accounts.sign_in_kept(new, keep)
        except Gone:
            raise _spent() from None

    async def link(self, caller: Caller, account_id: str, attempt: str, id_token: str) -> LinkedIdentity:
        """Links an identity to the caller's account, which keeps its id; one that is linked to it already stays.

        WrongState `IDENTITY_TAKEN` where it is another account's; Exhausted `TOO_MANY_IDENTITIES`; Forbidden
        `NOT_SELF`; those of `sign_in`.
        """
        own_account(caller, account_id)
        check_fresh(caller, self._clock())
        proven = await self._prove(caller, attempt, id_token)
        try:
            linked = await self._store.link_identity(
                self._identity(caller.account, proven), MOST_IDENTITIES, proven.attempt
            )
        except Gone:
            raise _spent() from None
        except TooMany:
            raise Exhausted(
                "TOO_MANY_IDENTITIES", f"an account is linked to {MOST_IDENTITIES} at most: unlink one",
                limit=MOST_IDENTITIES,
            ) from None  # fmt: skip
        if linked.account_id != caller.account:
            raise WrongState(
                "IDENTITY_TAKEN", "this identity belongs to another account: sign in with it, then merge the two"
            )
        return linked

    async def unlink(self, caller: Caller, account_id: str, identity_id: str) -> None:
        """Forgets an identity of the caller's; one that is gone is passed over. Forbidden `NOT_SELF`."""
        own_account(caller, account_id)
        check_fresh(caller, self._clock())
        await self._store.unlink_identity(caller.account, identity_id)

    async def list_identities(
        self, caller: Caller, account_id: str, size: int, page_token: str
    ) -> tuple[list[LinkedIdentity], str]:
        """The caller's identities in the order in which they were linked, and the token of the next page."""
        own_account(caller, account_id)
        question = ("identities", caller.account)
        after = self._tokens.read(page_token, question)
        found = [
            identity
            for identity in await self._store.identities_of(caller.account)
            if after is None or (identity.linked_at, identity.id) > (after[0], after[1])
        ]
        return self._tokens.cut(found, page_size(size), question, lambda identity: (identity.linked_at, identity.id))

    def provider_of(self, issuer: str) -> Provider | None:
        """The provider with this issuer, None where it is trusted no more."""
        return next((provider for provider in self._providers.values() if provider.issuer == issuer), None)

    async def _prove(self, caller: Caller, attempt: str, id_token: str) -> Proven:
        begun = self._attempts.read(attempt, caller.account_id)
        provider = self._provider(begun.provider)
        subject = await read_subject(
            provider, self._keys[provider.key], id_token, nonce=nonce_of(attempt), begun=begun.begun_at // SECOND
        )
        return Proven(provider.issuer, subject, self._attempts.spent(attempt, begun))

    def _provider(self, key: str) -> Provider:
        provider = self._providers.get(key)
        if provider is None:
            raise NotFound("PROVIDER_UNKNOWN", "this server knows no such identity provider")
        return provider

    def _identity(self, account_id: str, proven: Proven) -> LinkedIdentity:
        return LinkedIdentity(
            id=secrets.token_hex(10), account_id=account_id, issuer=proven.issuer, subject=proven.subject,
            linked_at=self._clock(),
        )  # fmt: skip


def _spent() -> Unauthenticated:
    return Unauthenticated("ATTEMPT_INVALID", "this attempt to sign in was completed before: begin another")
