"""Access tokens: short-lived, signed with ES256, and checked without asking the store."""

import asyncio
import json
import secrets
import time
from hashlib import sha256
from math import inf
from typing import Any, Final

import msgspec
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey

from chautari.app import base64url
from chautari.app.account_ports import KeyStore
from chautari.app.account_values import SigningKey
from chautari.app.revocations import Revocations
from chautari.app.scopes import ACCOUNT_SCOPES, Scope, known_scopes, write_scopes
from chautari.app.values import SECOND, Micros
from chautari.errors import Unauthenticated

ALGORITHM: Final = "ES256"
ISSUER: Final = "chautari"
ACCESS_SECONDS: Final = 15 * 60
KEY_SIGNS_SECONDS: Final = 30 * 24 * 3600
"""A key signs for this long, and is accepted for as long as a token that it signed last may live."""
_REMEMBERED: Final = 20_000
_LOOK_SECONDS: Final = 0.25
"""So often at most the store is asked for a key that is not known."""
_NO_TOKEN: Final = (JoseError, ValueError, ArithmeticError, LookupError, TypeError, AttributeError, RecursionError)
"""What comes of reading something else as a token."""


class Identity(msgspec.Struct, frozen=True):
    """Whom a token speaks for, until when, what for, and the sign-in or the API key (the other is empty)."""

    account_id: str
    expires_at: Micros | None
    sign_in: str
    scopes: frozenset[Scope] = ACCOUNT_SCOPES
    key_id: str = ""


class Signer:
    """Signs and checks access tokens. Keys are in the store, and change by themselves; each token names its `kid`."""

    def __init__(self, store: KeyStore, revocations: Revocations) -> None:
        self._store = store
        self._revocations = revocations
        self._keys: dict[str, ECKey] = {}
        self._newest: SigningKey | None = None
        self._known: dict[str, Identity] = {}
        self._looked_at = -inf
        self._looking = asyncio.Lock()
        self._asked = 0
        self._heard = 0
        revocations.on_revoked(self._forget)

    async def start(self) -> None:
        """Reads the keys, and makes the first one where there is none."""
        await self._read_keys()
        await self._current()

    async def sign(
        self, account_id: str, sign_in: str, now: Micros, scopes: frozenset[Scope] = ACCOUNT_SCOPES
    ) -> tuple[str, Micros]:
        """An access token for this account, sign-in and scopes, and when it expires."""
        kid, key = await self._current()
        issued = now // SECOND
        expires = issued + ACCESS_SECONDS
        claims = {
            "iss": ISSUER, "aud": ISSUER, "sub": account_id, "sid": sign_in, "scope": write_scopes(scopes),
            "iat": issued, "exp": expires,
        }  # fmt: skip
        return jwt.encode({"alg": ALGORITHM, "kid": kid}, claims, key), expires * SECOND

    def known(self, token: str) -> Identity | None:
        """Whom the token speaks for, where it was checked before; Unauthenticated `TOKEN_EXPIRED`.

        One that has expired stays known: to find that out again and again would cost more than to remember it.
        """
        identity = self._known.get(token)
        if identity is not None and identity.expires_at is not None and identity.expires_at <= self._store.clock():
            raise Unauthenticated("TOKEN_EXPIRED", "the access token has expired: refresh it and call again")
        return identity

    async def check(self, token: str) -> Identity:
        """Whom the token speaks for; Unauthenticated `TOKEN_INVALID` or `TOKEN_EXPIRED`."""
        identity = self.known(token)
        if identity is None:
            identity = await self._read(token)
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[token] = identity
            self.known(token)
        return identity

    async def public_keys(self) -> list[dict[str, str]]:
        """The keys that tokens are checked with, as public JWKs, the newest first."""
        await self._read_keys()
        return [
            {**{name: str(value) for name, value in key.as_dict(private=False).items()}, "use": "sig", "alg": ALGORITHM}
            for key in self._keys.values()
        ]

    async def _read(self, token: str) -> Identity:
        identity = await self.decode(token)
        if identity.sign_in in self._revocations:
            raise Unauthenticated("TOKEN_INVALID", "this sign-in has been ended: sign in again")
        return identity

    async def decode(self, token: str) -> Identity:
        """Whom a token speaks for, also where it has expired or its sign-in has been ended. `TOKEN_INVALID`."""
        try:
            header = json.loads(base64url.decode(token.split(".", maxsplit=1)[0]))
            kid = header["kid"]
            if header.get("alg") != ALGORITHM:
                raise ValueError("another algorithm")
            key = self._keys.get(kid) or await self._look_for(kid)
            claims: dict[str, Any] = jwt.decode(token, key, algorithms=[ALGORITHM]).claims
            if claims["iss"] != ISSUER or claims["aud"] != ISSUER or not isinstance(claims["sub"], str):
                raise ValueError("another issuer or audience")
            scopes = known_scopes(claims["scope"])
            identity = Identity(claims["sub"], int(claims["exp"]) * SECOND, str(claims["sid"]), scopes)
        except _NO_TOKEN as error:
            raise Unauthenticated(
                "TOKEN_INVALID", "the access token is none of this service's: sign in again"
            ) from error
        return identity

    def _forget(self, subjects: frozenset[str]) -> None:
        """Reads the tokens of these sign-ins again, if they come again."""
        self._known = {token: known for token, known in self._known.items() if known.sign_in not in subjects}

    async def _look_for(self, kid: str) -> ECKey:
        """A key that another replica may have made. Who comes soon after the last look waits, and is not refused."""
        came = time.monotonic()
        if (early := self._looked_at + _LOOK_SECONDS - came) > 0:
            await asyncio.sleep(early)
        async with self._looking:
            if self._looked_at <= came:
                await self._read_keys()
        return self._keys[kid]

    async def reload(self) -> None:
        """Reads the keys anew: one may be new, and what was signed with one that is revoked holds no more."""
        await self._read_keys()

    async def _read_keys(self) -> None:
        began = time.monotonic()
        self._asked += 1
        asked = self._asked
        stored = await self._store.signing_keys()
        if asked < self._heard:  # whoever asked later was answered sooner, and knows more
            return
        self._heard, self._looked_at = asked, began
        if self._keys.keys() - {key.kid for key in stored}:
            self._known.clear()
        self._keys = {key.kid: ECKey.import_key(json.loads(key.private)) for key in stored}
        self._newest = stored[0] if stored else None

    def make_key(self) -> SigningKey:
        """A new key, younger than those that are known; it is not kept yet."""
        key = ECKey.generate_key("P-256", {"kid": secrets.token_hex(8)})
        now = max(self._store.clock(), self._newest.created_at + 1 if self._newest else 0)
        expires = now + (KEY_SIGNS_SECONDS + ACCESS_SECONDS) * SECOND
        private = json.dumps(key.as_dict(private=True))
        return SigningKey(kid=str(key.kid), private=private, created_at=now, expires_at=expires)

    async def _current(self) -> tuple[str, ECKey]:
        now = self._store.clock()
        newest = self._newest
        if newest is None or newest.created_at + KEY_SIGNS_SECONDS * SECOND <= now:
            await self._store.add_signing_key(self.make_key())
            await self._read_keys()
            newest = self._newest
            assert newest is not None
        return newest.kid, self._keys[newest.kid]


def new_secret() -> str:
    """A token of 256 random bits, for refresh tokens and links; only its digest is kept."""
    return secrets.token_urlsafe(32)


def digest(secret: str) -> bytes:
    """What is kept of a secret token."""
    return sha256(secret.encode()).digest()
