"""API keys: what a program signs its calls with, without a sign-in.

A key looks like `chautari_` and 49 letters and digits: 256 random bits and a checksum, so that who scans code for
leaked secrets knows one without asking. Only its SHA-256 is kept.
"""

import secrets
import zlib
from collections.abc import Callable
from typing import Final

import msgspec
import structlog

from chautari.app.account_ports import CredentialStore, Gone, TooMany
from chautari.app.account_values import ApiKey, made_with
from chautari.app.caller import Caller
from chautari.app.freshness import check_fresh
from chautari.app.names import check_name
from chautari.app.pages import PageTokens, page_size
from chautari.app.revocations import Revocations
from chautari.app.scopes import Scope, check_scope, with_included
from chautari.app.tokens import Identity, digest
from chautari.app.values import SECOND, Micros, RequestKey
from chautari.errors import ChautariError, Exhausted, Forbidden, Malformed, NotFound, RequestReused, Unauthenticated

PREFIX: Final = "chautari_"
MOST_KEYS: Final = 20
"""An account may have so many that hold."""
REMEMBERED_SECONDS: Final = 30
"""For so long a key that was looked up is not looked up again; one that is revoked is forgotten at once."""
USED_SECONDS: Final = 3600
"""So accurate is the time at which a key was last used."""
_REMEMBERED: Final = 20_000
_DIGITS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_RANDOM_DIGITS: Final = 43  # 62 to this power is just above 2 to the power of 256
_CHECK_DIGITS: Final = 6

_log = structlog.get_logger("chautari.accounts")


class NewKey(msgspec.Struct, frozen=True):
    """What a key is to be. expires_at: None for a key that does not expire by itself."""

    title: str
    scopes: frozenset[Scope]
    expires_at: Micros | None = None


class MadeKey(msgspec.Struct, frozen=True):
    """A key that was made. secret: told once; empty where an earlier call with the same request had made it."""

    key: ApiKey
    secret: str

    @property
    def replayed(self) -> bool:
        """Whether an earlier call had made it."""
        return not self.secret


class _Known(msgspec.Struct, frozen=True):
    identity: Identity
    read_at: Micros


class Keys:
    """The use cases of API keys. A key that calls sees and changes only itself and those that it made."""

    def __init__(
        self, store: CredentialStore, revocations: Revocations, tokens: PageTokens, clock: Callable[[], Micros]
    ) -> None:
        self._store = store
        self._revocations = revocations
        self._tokens = tokens
        self._clock = clock
        self._known: dict[str, _Known] = {}
        self._noted: dict[str, Micros] = {}
        revocations.on_revoked(self._forget)

    async def create(self, caller: Caller, account_id: str, new: NewKey, request: RequestKey | None) -> MadeKey:
        """Makes a key with some of the caller's own scopes; one that a key makes expires with it at the latest.

        Forbidden `NOT_SELF`, `SCOPE_MISSING`; Malformed `NAME_INVALID`, `EXPIRY_INVALID`; Exhausted `TOO_MANY_KEYS`;
        RequestReused.
        """
        own_account(caller, account_id)
        scopes = with_included(new.scopes)
        for scope in scopes - caller.scopes:
            check_scope(caller.scopes, scope)
        check_fresh(caller, self._clock())
        expires_at = self._expiry(new.expires_at, caller)
        new = NewKey(check_name(new.title, "api_key.title"), scopes, expires_at)
        return await self.issue(caller.account, new, request, made_by=caller.key_id or None)

    async def issue(
        self, account_id: str, new: NewKey, request: RequestKey | None = None, *, made_by: str | None = None
    ) -> MadeKey:
        """Makes a key with any scopes, for an operator; what a caller may make is for `create` to say."""
        secret = new_key()
        key = ApiKey(
            id=secrets.token_hex(10), account_id=account_id, digest=digest(secret), title=new.title,
            scopes=with_included(new.scopes), created_at=self._clock(), expires_at=new.expires_at, made_by=made_by,
            request=request,
        )  # fmt: skip
        try:
            made = await self._store.add_key(key, MOST_KEYS)
        except TooMany:
            raise Exhausted(
                "TOO_MANY_KEYS", f"an account has {MOST_KEYS} keys at most: delete one", limit=MOST_KEYS
            ) from None
        except Gone:
            raise _invalid() from None
        if made.id == key.id:
            return MadeKey(made, secret)
        if request is None or made.request is None or made.request.digest != request.digest:
            raise RequestReused
        return MadeKey(made, "")

    async def get(self, caller: Caller, account_id: str, key_id: str) -> ApiKey:
        """A key of the caller's; Forbidden `NOT_SELF`, NotFound `KEY_UNKNOWN`."""
        for key in await self._mine(caller, account_id):
            if key.id == key_id:
                return key
        raise NotFound("KEY_UNKNOWN", "your account has no such API key")

    async def list_keys(self, caller: Caller, account_id: str, size: int, page_token: str) -> tuple[list[ApiKey], str]:
        """The caller's keys, the latest created first, and the token of the next page."""
        question = ("keys", caller.account)
        before = self._tokens.read(page_token, question)
        found = [
            key
            for key in await self._mine(caller, account_id)
            if before is None or (key.created_at, key.id) < (before[0], before[1])
        ]
        return self._tokens.cut(found, page_size(size), question, lambda key: (key.created_at, key.id))

    async def update(
        self, caller: Caller, account_id: str, key_id: str, *, title: str | None, expiry: tuple[Micros | None] | None
    ) -> ApiKey:
        """Changes title or time of expiry, None leaving them; the secret and the scopes of a key never change.

        No key that was made with it lives longer than it does now.
        The errors of `get`; Malformed `NAME_INVALID`, `EXPIRY_INVALID`.
        """
        key = await self.get(caller, account_id, key_id)
        if title is not None:
            key = msgspec.structs.replace(key, title=check_name(title, "api_key.title"))
        if expiry is not None:
            key = msgspec.structs.replace(key, expires_at=self._expiry(expiry[0], caller))
        found = await self._store.keys_of(caller.account) if expiry is not None else []
        changed = [*_shortened(found, key), key]
        for one in changed:
            await self._store.save_key(one)
        self._forget(frozenset(one.id for one in changed))
        return key

    async def delete(self, caller: Caller, account_id: str, key_id: str) -> None:
        """Revokes a key and all that were made with it, at once; one that is gone is passed over.

        Forbidden `NOT_SELF`; `NOT_MADE_BY_KEY` where a key calls, for one that it has not made.
        """
        if any(key.id == key_id for key in await self._mine(caller, account_id)):
            self._revocations.add(await self._store.revoke_key(caller.account, key_id))
        elif any(key.id == key_id for key in await self._store.keys_of(caller.account)):
            raise Forbidden(
                "NOT_MADE_BY_KEY", "an API key deletes only itself and those that it made: use the account's sign-in"
            )

    def known(self, token: str) -> Identity | None:
        """Whom a key speaks for, where it was looked up lately; Unauthenticated `TOKEN_EXPIRED`."""
        now = self._clock()
        known = self._known.get(token)
        if known is None or now - known.read_at >= REMEMBERED_SECONDS * SECOND:
            return None
        return _current(known.identity, now)

    async def check(self, token: str) -> Identity:
        """Whom a key speaks for; Unauthenticated `TOKEN_INVALID` or `TOKEN_EXPIRED`."""
        now = self._clock()
        return self.known(token) or _current((await self._read(token, now)).identity, now)

    def forget_account(self, account_id: str) -> None:
        """Looks the keys of an account up again, if they come again."""
        self._known = {token: known for token, known in self._known.items() if known.identity.account_id != account_id}

    async def _read(self, token: str, now: Micros) -> _Known:
        key = await self._store.find_key(digest(token)) if has_checksum(token) else None
        if key is None or key.revoked_at is not None or key.id in self._revocations:
            self._known.pop(token, None)
            raise _invalid()
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
            self._noted.clear()
        known = self._known[token] = _Known(Identity(key.account_id, key.expires_at, "", key.scopes, key.id), now)
        if now - max(key.last_used_at or 0, self._noted.get(key.id, 0)) >= USED_SECONDS * SECOND:
            self._noted[key.id] = now
            try:
                await self._store.note_key_used(key.id)
            except ChautariError as error:  # a full disk must not keep a key from reading
                _log.warning("use of a key not noted", error=error.reason)
        return known

    def _forget(self, subjects: frozenset[str]) -> None:
        self._known = {token: known for token, known in self._known.items() if known.identity.key_id not in subjects}

    async def _mine(self, caller: Caller, account_id: str) -> list[ApiKey]:
        own_account(caller, account_id)
        found = await self._store.keys_of(caller.account)
        if not caller.key_id:
            return found
        mine = made_with(found, caller.key_id)
        return [key for key in found if key.id in mine]

    def _expiry(self, asked: Micros | None, caller: Caller) -> Micros | None:
        """When a key is to expire: not in the past, and not behind the key that asks for it."""
        if asked is not None and asked <= self._clock():
            raise Malformed("EXPIRY_INVALID", "a key must expire in the future", field="api_key.expire_time")
        if not caller.key_id or caller.expires_at is None:
            return asked
        return caller.expires_at if asked is None else min(asked, caller.expires_at)


def _shortened(found: list[ApiKey], key: ApiKey) -> list[ApiKey]:
    """The keys that were made with this one and would outlive it, as they end with it."""
    ends = key.expires_at
    if ends is None:
        return []
    mine = made_with(found, key.id)
    return [
        msgspec.structs.replace(one, expires_at=ends)
        for one in found
        if one.id in mine and one.id != key.id and (one.expires_at is None or one.expires_at > ends)
    ]


def own_account(caller: Caller, account_id: str) -> None:
    """Forbidden `NOT_SELF` where an account is not the caller's own."""
    if account_id not in ("me", caller.account):
        raise Forbidden("NOT_SELF", "only the account itself may do this, or it might not exist")


def new_key() -> str:
    """A new key: 256 random bits behind the prefix, and a checksum behind them."""
    body = PREFIX + _write(secrets.randbits(256), _RANDOM_DIGITS)
    return body + _checksum(body)


def has_checksum(token: str) -> bool:
    """Whether a text is formed as a key is. It says nothing of whether there is such a key."""
    body, check = token[:-_CHECK_DIGITS], token[-_CHECK_DIGITS:]
    right = len(body) == len(PREFIX) + _RANDOM_DIGITS and token.isascii()
    return right and body.startswith(PREFIX) and check == _checksum(body)


def _checksum(body: str) -> str:
    return _write(zlib.crc32(body.encode()), _CHECK_DIGITS)


def _write(number: int, digits: int) -> str:
    written = ""
    for _ in range(digits):
        number, digit = divmod(number, len(_DIGITS))
        written = _DIGITS[digit] + written
    return written


def _current(identity: Identity, now: Micros) -> Identity:
    if identity.expires_at is not None and identity.expires_at <= now:
        raise Unauthenticated("TOKEN_EXPIRED", "the API key has expired: make another")
    return identity


def _invalid() -> Unauthenticated:
    return Unauthenticated("TOKEN_INVALID", "this API key is unknown or revoked")
