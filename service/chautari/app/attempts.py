"""Attempts to sign in at a provider: nobody else's ID token, and no old one, completes them.

The server keeps nothing of an attempt that was begun. It signs what it must know again, and gives a nonce that is the
digest of it: an ID token with this nonce was made for whoever holds the attempt.
"""

import hmac
import secrets
from collections.abc import Callable
from hashlib import sha256
from typing import Final

import msgspec

from chautari.app import base64url
from chautari.app.account_values import SpentAttempt
from chautari.app.values import SECOND, Micros
from chautari.errors import Unauthenticated

ATTEMPT_SECONDS: Final = 600
AGAIN_SECONDS: Final = 60
"""For so long an attempt may be completed again: the answer may have been lost on the way."""
_SIGNATURE: Final = 32


class Begun(msgspec.Struct, frozen=True):
    """An attempt, as it is told to who began it. nonce: for the provider."""

    attempt: str
    nonce: str
    expires_at: Micros


class Attempt(msgspec.Struct, frozen=True, array_like=True):
    """What an attempt says. account_id: who began it, empty for somebody who was not signed in."""

    provider: str
    account_id: str
    begun_at: Micros
    random: bytes


class Attempts:
    """Makes and reads attempts with a key that all replicas share."""

    def __init__(self, key: bytes, clock: Callable[[], Micros]) -> None:
        self._key = hmac.digest(key, b"attempts to sign in at a provider", "sha256")
        self._clock = clock

    def begin(self, provider: str, account_id: str | None) -> Begun:
        """A new attempt."""
        attempt = Attempt(provider, account_id or "", self._clock(), secrets.token_bytes(16))
        body = msgspec.msgpack.encode(attempt)
        text = base64url.encode(self._sign(body) + body)
        return Begun(text, nonce_of(text), attempt.begun_at + ATTEMPT_SECONDS * SECOND)

    def read(self, text: str, account_id: str | None) -> Attempt:
        """The attempt; Unauthenticated `ATTEMPT_INVALID` where it is none, too old, or of another caller."""
        try:
            blob = base64url.decode(text)
            signature, body = blob[:_SIGNATURE], blob[_SIGNATURE:]
            attempt = msgspec.msgpack.decode(body, type=Attempt)
        except (ValueError, msgspec.DecodeError) as error:
            raise _invalid() from error
        signed = hmac.compare_digest(signature, self._sign(body)) and text == base64url.encode(blob)
        fresh = self._clock() < attempt.begun_at + ATTEMPT_SECONDS * SECOND
        if not signed or not fresh or attempt.account_id != (account_id or ""):
            raise _invalid()
        return attempt

    def spent(self, text: str, attempt: Attempt) -> SpentAttempt:
        """What the store keeps of an attempt that is completed now."""
        kept_until = attempt.begun_at + ATTEMPT_SECONDS * SECOND
        return SpentAttempt(sha256(text.encode()).digest(), self._clock() + AGAIN_SECONDS * SECOND, kept_until)

    def _sign(self, body: bytes) -> bytes:
        return hmac.digest(self._key, body, "sha256")


def nonce_of(attempt: str) -> str:
    """The nonce of an attempt, from which it cannot be found."""
    return base64url.encode(sha256(b"nonce of " + attempt.encode()).digest())


def _invalid() -> Unauthenticated:
    return Unauthenticated("ATTEMPT_INVALID", "this attempt to sign in is over, or somebody else's: begin another")
