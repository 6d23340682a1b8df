"""Accounts: a guest signs in with one call, and stays signed in by refresh tokens that change at each use."""

import secrets
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, Protocol

import msgspec

from chautari.app.account_ports import AccountStore, ClosingStore
from chautari.app.account_values import Account, AccountKind, RefreshToken
from chautari.app.bans import Bans
from chautari.app.caller import Caller
from chautari.app.guest_names import guest_name
from chautari.app.keys import PREFIX, Keys, own_account
from chautari.app.name_words import NameWords
from chautari.app.names import check_name
from chautari.app.revocations import Listener, Revocations
from chautari.app.tokens import Identity, Signer, digest, new_secret
from chautari.app.values import SECOND, Micros
from chautari.errors import Forbidden, NotFound, Unauthenticated

REFRESH_SECONDS: Final = 90 * 24 * 3600
_LONGEST_TOKEN: Final = 2048
GRACE_SECONDS: Final = 60
"""A refresh token may be exchanged again for so long: its answer may have been lost on the way."""


class Tokens(msgspec.Struct, frozen=True):
    """What a program signs its calls with. The refresh token is told once and never again."""

    access: str
    access_expires_at: Micros
    refresh: str
    refresh_expires_at: Micros


class SignedIn(msgspec.Struct, frozen=True):
    """An account and its tokens. is_new: whether it was made by this sign-in."""

    account: Account
    tokens: Tokens
    is_new: bool = True


class AccountsStore(AccountStore, ClosingStore, Protocol):
    """What accounts need of a store."""


class Accounts:
    """The use cases of accounts."""

    def __init__(
        self, store: AccountsStore, signer: Signer, keys: Keys, revocations: Revocations, bans: Bans,
        words: NameWords, clock: Callable[[], Micros],
    ) -> None:  # fmt: skip
        self._store = store
        self._words = words
        self._signer = signer
        self._keys = keys
        self._revocations = revocations
        self._bans = bans
        self._clock = clock

    async def create_guest(self, display_name: str, language: str) -> SignedIn:
        """Makes a guest and signs it in. Each call makes another; an empty name gets a friendly one."""
        account = self.make_account(AccountKind.GUEST, display_name, language)

        async def keep(token: RefreshToken) -> Account:
            await self._store.add_account(account, token)
            return account

        return await self.sign_in_kept(account, keep)

    def make_account(self, kind: AccountKind, display_name: str, language: str) -> Account:
        """A new account, which the store does not know yet; an empty name gets a friendly one. `NAME_INVALID`."""
        return Account(
            id=secrets.token_hex(10),
            kind=kind,
            display_name=self._checked(display_name, "display_name") or guest_name(secrets.token_bytes, language),
            language=language or "en",
            created_at=self._clock(),
        )

    async def sign_in_kept(self, new: Account, keep: Callable[[RefreshToken], Awaitable[Account]]) -> SignedIn:
        """Another sign-in. keep: keeps its refresh token, and gives the account that signs in, this new one or not.

        Forbidden `ACCOUNT_BANNED`.
        """
        now = self._clock()
        secret, token = self._refresh_token(new.id, secrets.token_hex(10), now)
        account = await keep(token)
        self._bans.check(account.id)
        return SignedIn(account, await self._tokens(account.id, secret, token, now), account.id == new.id)

    async def refresh(self, refresh_token: str) -> Tokens:
        """Exchanges a refresh token for new tokens; Unauthenticated where it is unknown, expired or used before.

        A token that comes again after its grace may be stolen: its whole sign-in is revoked (`TOKEN_REUSED`).
        """
        now = self._clock()
        old = await self._store.find_token(digest(refresh_token))
        if old is None:
            raise Unauthenticated("TOKEN_INVALID", "this refresh token is unknown or revoked: sign in again")
        if old.expires_at <= now:
            raise Unauthenticated("TOKEN_EXPIRED", "this refresh token has expired: sign in again")
        self._bans.check(old.account_id)
        secret, token = self._refresh_token(old.account_id, old.family, now)
        if old.used_at is None and await self._store.exchange_token(old.digest, token):
            return await self._tokens(old.account_id, secret, token, now)
        used = await self._store.find_token(old.digest)
        if used is None or used.used_at is None or used.used_at + GRACE_SECONDS * SECOND < now:
            await self._revoke(old.family)
            raise Unauthenticated(
                "TOKEN_REUSED", "this refresh token was exchanged before, so its sign-in is revoked: sign in again"
            )
        if not await self._store.add_successor(old.digest, token):
            raise Unauthenticated("TOKEN_INVALID", "this refresh token is unknown or revoked: sign in again")
        return await self._tokens(old.account_id, secret, token, now)

    def known(self, token: str) -> Identity | None:
        """Whom a token or key speaks for, where it was checked lately; None where it takes `authenticate` to find out.

        Unauthenticated `TOKEN_EXPIRED`; Forbidden `ACCOUNT_BANNED`.
        """
        identity = self._keys.known(token) if token.startswith(PREFIX) else self._signer.known(token)
        if identity is not None:
            self._bans.check(identity.account_id)
        return identity

    async def authenticate(self, token: str) -> Identity:
        """Whom an access token or an API key speaks for; Unauthenticated `TOKEN_INVALID` or `TOKEN_EXPIRED`.

        Forbidden `ACCOUNT_BANNED` where that account is banned.
        """
        if len(token) > _LONGEST_TOKEN:
            raise Unauthenticated(
                "TOKEN_INVALID", f"no token of this service has more than {_LONGEST_TOKEN} characters"
            )
        checked = self._keys.check(token) if token.startswith(PREFIX) else self._signer.check(token)
        identity = await checked
        self._bans.check(identity.account_id)
        return identity

    async def read_sign_in(self, access_token: str) -> Identity:
        """Whose access token this is, also where its sign-in has been ended; Unauthenticated as `authenticate`.

        An API key is none: Forbidden `SIGN_IN_NEEDED`.
        """
        if access_token.startswith(PREFIX):
            raise Forbidden("SIGN_IN_NEEDED", "an API key does not do here: sign in and use the access token")
        identity = await self._signer.decode(access_token)
        if identity.expires_at is not None and identity.expires_at <= self._clock():
            raise Unauthenticated("TOKEN_EXPIRED", "the access token has expired: refresh it and call again")
        return identity

    def forget(self, account_id: str, revoked: Iterable[str]) -> None:
        """An account has ended, and with it these sign-ins and keys: what is remembered of it does not hold."""
        self._revocations.add(revoked)
        self._keys.forget_account(account_id)

    def on_revoked(self, listener: Listener) -> None:
        """Calls the listener with each set of sign-ins and keys that do not hold any more."""
        self._revocations.on_revoked(listener)

    async def get(self, caller: Caller, account_id: str) -> Account:
        """An account, the caller's own as `me`; in place of one that was merged the one that it was merged into.

        NotFound `ACCOUNT_UNKNOWN`.
        """
        account = await self._store.find_account(caller.account if account_id == "me" else account_id)
        if account is not None and account.kind is AccountKind.MERGED:
            closing = await self._store.find_closing(account.id)
            account = await self._store.find_account(closing.survivor or "") if closing is not None else None
        if account is None:
            raise NotFound("ACCOUNT_UNKNOWN", "there is no such account")
        return account

    async def update(self, caller: Caller, account_id: str, display_name: str | None, language: str | None) -> Account:
        """Changes name or language, None leaving them; only the account itself may (`NOT_SELF`)."""
        own_account(caller, account_id)
        account = await self.get(caller, caller.account)
        if account.id != caller.account:
            raise Unauthenticated("TOKEN_INVALID", "this account has been merged into another: sign in again")
        if display_name is not None:
            name = self._checked(check_name(display_name, "account.display_name"), "account.display_name")
            account = msgspec.structs.replace(account, display_name=name)
        if language is not None:
            account = msgspec.structs.replace(account, language=language or "en")
        await self._store.save_account(account)
        return account

    async def sign_out(self, caller: Caller, refresh_token: str, everywhere: bool) -> None:
        """Revokes a sign-in, or all of the account, and their access tokens: here at once, elsewhere within a second.

        The sign-in is that of the refresh token, also where an anonymous caller has one, else that of the caller.
        A token of another account is passed over; Unauthenticated where nothing says whose sign-in it is, Forbidden
        `SIGN_IN_NEEDED` where only an API key does.
        """
        account_id, family = caller.account_id, caller.sign_in
        if refresh_token:
            token = await self._store.find_token(digest(refresh_token))
            if token is None and account_id is None:
                raise Unauthenticated("TOKEN_INVALID", "this refresh token is unknown or revoked")
            if token is None or account_id not in (None, token.account_id):
                return
            account_id, family = token.account_id, token.family
        elif caller.key_id:
            raise Forbidden("SIGN_IN_NEEDED", "an API key has no sign-in to end: delete the key instead")
        if everywhere:
            self._revocations.add(await self._store.revoke_account(account_id or caller.account))
        else:
            await self._revoke(family or caller.account)

    async def _revoke(self, family: str) -> None:
        await self._store.revoke_family(family)
        self._revocations.add([family])

    async def public_keys(self) -> list[dict[str, str]]:
        """The public keys that check access tokens, as JWKs."""
        return await self._signer.public_keys()

    def _checked(self, name: str, field: str) -> str:
        """A name that an account may have, or none. `NAME_INVALID`, `NAME_REFUSED`."""
        name = check_name(name, field, optional=True)
        return self._words.check_account(name, field) if name else ""

    def _refresh_token(self, account_id: str, family: str, now: Micros) -> tuple[str, RefreshToken]:
        secret = new_secret()
        expires_at = now + REFRESH_SECONDS * SECOND
        return secret, RefreshToken(digest=digest(secret), family=family, account_id=account_id, expires_at=expires_at)

    async def _tokens(self, account_id: str, secret: str, token: RefreshToken, now: Micros) -> Tokens:
        access, expires_at = await self._signer.sign(account_id, token.family, now)
        return Tokens(access, expires_at, secret, token.expires_at)
