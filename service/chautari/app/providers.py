"""Identity providers (OpenID Connect): which are trusted, and the keys with which they sign at the moment."""

import asyncio
import re
import tomllib
import warnings
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

import msgspec
import structlog
from joserfc.errors import JoseError, SecurityWarning
from joserfc.jwk import JWKRegistry, Key

from chautari.errors import Malformed, Unavailable

ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512")
"""Those that a provider may sign with: none that a shared secret checks."""
FRESH_SECONDS: Final = 3600.0
"""For so long keys are taken from memory."""
STALE_SECONDS: Final = 24 * 3600.0
"""For so long they are where the provider does not answer."""
LOOKS: Final = 5
LOOKS_SECONDS: Final = 60.0
"""A key that is not known makes us look again: so often in so many seconds, whatever anybody sends."""
MOST_BYTES: Final = 256 * 1024
_MOST_KEYS: Final = 100

_log = structlog.get_logger("chautari.accounts")


class Provider(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A provider that is trusted to say who somebody is.

    key         its name in requests, `[a-z0-9-]`
    name        what people know it by
    issuer      its `iss`, to the letter; `/.well-known/openid-configuration` behind it says where its keys are
    audiences   the client ids for which its ID tokens are taken
    algorithms  those that it may sign with
    """

    name: str
    issuer: str
    audiences: tuple[str, ...]
    algorithms: tuple[str, ...] = ("RS256",)
    key: str = ""


class Fetch(Protocol):
    """Gets a document of at most MOST_BYTES from another server."""

    async def __call__(self, url: str, issuer: str) -> bytes:
        """The bytes. issuer: on whose behalf; only a host of its kind is asked. Unavailable `PROVIDER_AWAY`."""
        ...


def read_providers(text: str) -> tuple[Provider, ...]:
    """The providers of a TOML file, a table each; Malformed `BAD_PROVIDERS` says what is wrong with it."""
    try:
        tables = tomllib.loads(text)
        read = [msgspec.convert({**table, "key": key}, Provider) for key, table in tables.items()]
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, TypeError) as error:
        raise _bad(str(error)) from error
    for provider in read:
        _check(provider)
    if len({provider.issuer for provider in read}) < len(read):
        raise _bad("two providers have one issuer")
    return tuple(read)


def is_loopback(host: str) -> bool:
    """Whether a host of a URL is this machine, by its plain names and numbers."""
    return host in ("localhost", "::1") or bool(re.fullmatch(r"127(\.\d{1,3}){3}", host))


def _check(provider: Provider) -> None:
    where = f"{provider.key!r}:"
    url = urlsplit(provider.issuer)
    if not re.fullmatch(r"[a-z0-9-]{1,32}", provider.key):
        raise _bad(f"{where} a provider is called by small letters, digits and hyphens, 32 at most")
    if url.scheme != "https" and not (url.scheme == "http" and is_loopback(url.hostname or "")):
        raise _bad(f"{where} its issuer must be an https URL")
    if not url.hostname or url.query or url.fragment or url.username is not None:
        raise _bad(f"{where} its issuer must be a plain URL")
    if not provider.name.strip() or not provider.audiences or not all(provider.audiences):
        raise _bad(f"{where} it needs a name and audiences")
    if not provider.algorithms or not set(provider.algorithms) <= set(ALGORITHMS):
        raise _bad(f"{where} its algorithms must be some of {', '.join(ALGORITHMS)}")


def _bad(why: str) -> Malformed:
    return Malformed("BAD_PROVIDERS", f"the file of identity providers cannot be used: {why}")


class ProviderKeys:
    """The keys of one provider: fetched when they are first needed, kept, and looked for again when another appears."""

    def __init__(self, provider: Provider, fetch: Fetch, clock: Callable[[], float] = monotonic) -> None:
        self._provider = provider
        self._fetch = fetch
        self._clock = clock
        self._keys: list[tuple[Mapping[str, Any], Key]] = []
        self._fetched_at: float | None = None
        self._looked: list[float] = []
        self._lock = asyncio.Lock()

    async def find(self, kid: str | None, algorithm: str) -> Key | None:
        """The key of this id that may sign so, the only such one where no id is given; None where there is none.

        Unavailable `PROVIDER_AWAY` where the provider does not answer and nothing is known.
        """
        now = self._clock()
        if self._fetched_at is None or now - self._fetched_at > FRESH_SECONDS:
            await self._look(self._fetched_at)
        found = self._known(kid, algorithm)
        if found is None and self._may_look_again():
            await self._look(self._fetched_at)
            found = self._known(kid, algorithm)
        return found

    def _known(self, kid: str | None, algorithm: str) -> Key | None:
        fitting = [
            key
            for jwk, key in self._keys
            if (kid is None or jwk.get("kid") == kid)
            and jwk.get("use", "sig") == "sig"
            and jwk.get("alg", algorithm) == algorithm
            and key.key_type == ("EC" if algorithm.startswith("ES") else "RSA")
        ]
        return fitting[0] if len(fitting) == 1 else None

    def _may_look_again(self) -> bool:
        now = self._clock()
        self._looked = [at for at in self._looked if now - at < LOOKS_SECONDS]
        if len(self._looked) >= LOOKS:
            return False
        self._looked.append(now)
        return True

    async def _look(self, seen_at: float | None) -> None:
        """Fetches the keys, unless somebody else has meanwhile; old ones stay for a while where that fails."""
        async with self._lock:
            if self._fetched_at != seen_at:
                return
            try:
                keys = await self._read()
            except Unavailable:
                if self._fetched_at is None or self._clock() - self._fetched_at > STALE_SECONDS:
                    raise
                _log.warning("keys of a provider not read", provider=self._provider.key)
                return
            self._keys = keys
            self._fetched_at = self._clock()

    async def _read(self) -> list[tuple[Mapping[str, Any], Key]]:
        issuer = self._provider.issuer
        found = await self._json(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
        if found.get("issuer") != issuer or not isinstance(found.get("jwks_uri"), str):
            raise self._away("its configuration is of another issuer, or names no keys")
        listed = (await self._json(found["jwks_uri"])).get("keys")
        if not isinstance(listed, list):
            raise self._away("its keys cannot be read")
        keys = []
        for jwk in listed[:_MOST_KEYS]:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error", SecurityWarning)  # a key that is too short
                    keys.append((jwk, JWKRegistry.import_key({**jwk})))
            except (JoseError, SecurityWarning, ValueError, TypeError, AttributeError, LookupError):
                continue  # of a kind that we do not know, or broken: another may do
        return keys

    async def _json(self, url: str) -> dict[str, Any]:
        try:
            return msgspec.json.decode(await self._fetch(url, self._provider.issuer), type=dict[str, Any])
        except (msgspec.DecodeError, RecursionError, ValueError):
            raise self._away("what it sends is no JSON") from None

    def _away(self, why: str) -> Unavailable:
        _log.warning("a provider is of no use", provider=self._provider.key, why=why)
        return Unavailable("PROVIDER_AWAY", f"{self._provider.name} cannot be asked now: try again", retry_after=10.0)
