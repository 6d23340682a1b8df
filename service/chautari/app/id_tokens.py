"""ID tokens: what a provider signs to say who somebody is, and all that must be so before it is believed."""

import json
import time
from typing import Any, Final, TypeGuard

from joserfc import jwt
from joserfc.errors import JoseError

from chautari.app import base64url
from chautari.app.providers import Provider, ProviderKeys
from chautari.errors import Unauthenticated

LEEWAY_SECONDS: Final = 60
"""Clocks may differ by so much."""
_LONGEST_SUBJECT: Final = 255


async def read_subject(provider: Provider, keys: ProviderKeys, token: str, *, nonce: str, begun: int) -> str:
    """Whom an ID token speaks of, the `sub` of its issuer.

    nonce: what the token must carry; begun: when the attempt to sign in began, before which it was not made, in
    seconds since 1970. Unauthenticated `ID_TOKEN_INVALID` names the part that is wrong; Unavailable `PROVIDER_AWAY`.
    """
    algorithm, kid = _header(token)
    if algorithm not in provider.algorithms:
        raise _invalid("alg")
    key = await keys.find(kid, algorithm)
    if key is None:
        raise _invalid("kid")
    try:
        claims: dict[str, Any] = jwt.decode(token, key, algorithms=[algorithm]).claims
    except (JoseError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise _invalid("signature") from error
    wrong = _wrong(claims, provider, nonce, begun)
    if wrong:
        raise _invalid(wrong)
    return str(claims["sub"])


def _header(token: str) -> tuple[str, str | None]:
    try:
        header = json.loads(base64url.decode(token.split(".", maxsplit=1)[0]))
        algorithm, kid = header["alg"], header.get("kid")
        if "crit" in header or not isinstance(algorithm, str) or not isinstance(kid, str | None):
            raise ValueError("another kind of header")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise _invalid("header") from error
    return algorithm, kid


def _wrong(claims: dict[str, Any], provider: Provider, nonce: str, begun: int) -> str:
    """The first claim that is not as it must be; empty where all are."""
    now = time.time()
    audience = claims.get("aud")
    audiences = audience if isinstance(audience, list) else [audience]
    party = claims.get("azp")
    expires, issued, subject = claims.get("exp"), claims.get("iat"), claims.get("sub")
    not_before = claims.get("nbf", 0)
    right = {
        "iss": claims.get("iss") == provider.issuer,
        "aud": any(one in provider.audiences for one in audiences),
        # Who is not the only one that a token is for must be the one that it was given to.
        "azp": party in provider.audiences if party is not None else len(audiences) == 1,
        "exp": _is_time(expires) and expires > now - LEEWAY_SECONDS,
        "iat": _is_time(issued) and begun - LEEWAY_SECONDS <= issued <= now + LEEWAY_SECONDS,
        "nbf": _is_time(not_before) and not_before <= now + LEEWAY_SECONDS,
        "nonce": claims.get("nonce") == nonce,
        "sub": isinstance(subject, str) and 0 < len(subject) <= _LONGEST_SUBJECT and subject.isprintable(),
    }
    return next((claim for claim, is_right in right.items() if not is_right), "")


def _is_time(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**53


def _invalid(part: str) -> Unauthenticated:
    return Unauthenticated(
        "ID_TOKEN_INVALID", f"this ID token cannot be taken, its {part} is wrong: sign in at the provider again",
        part=part,
    )  # fmt: skip
