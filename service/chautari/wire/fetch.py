"""Documents of other servers: what an identity provider says of itself, and its keys.

Only what the issuer's own kind of host serves is fetched: https, and no host of a private network, unless the issuer
is on this machine itself, as in tests. Redirects are followed by the same rules. Size and time are limited.
"""

import asyncio
import ipaddress
import ssl
from functools import cache
from typing import Final
from urllib.parse import urljoin, urlsplit

import httpx
import structlog

from chautari.app.providers import MOST_BYTES, is_loopback
from chautari.errors import Unavailable

SECONDS: Final = 5.0
_REDIRECTS: Final = 3

_log = structlog.get_logger("chautari.fetch")


class Refused(Exception):
    """What a document may not be: too large, too far away, of a host that is not asked."""


async def fetch(url: str, issuer: str) -> bytes:
    """The document at a URL; see `app.providers.Fetch`."""
    local = is_loopback(urlsplit(issuer).hostname or "")
    try:
        async with (
            asyncio.timeout(SECONDS),
            httpx.AsyncClient(timeout=SECONDS, verify=_trusted(), trust_env=not local) as client,
        ):
            for _ in range(1 + _REDIRECTS):
                await _check(url, local)
                async with client.stream("GET", url, headers={"accept": "application/json"}) as answer:
                    if answer.is_redirect:
                        url = urljoin(url, answer.headers["location"])
                        continue
                    if answer.status_code != httpx.codes.OK:
                        raise Refused(f"status {answer.status_code}")
                    return await _read(answer)
            raise Refused("too many redirects")
    except (Refused, httpx.HTTPError, httpx.InvalidURL, OSError, ValueError, TimeoutError) as error:
        _log.warning("a document was not fetched", url=url[:200], error=type(error).__name__, why=str(error)[:200])
        raise Unavailable("PROVIDER_AWAY", "the identity provider cannot be asked now", retry_after=10.0) from None


@cache
def _trusted() -> ssl.SSLContext:
    """The authorities that are trusted, read once."""
    return httpx.create_ssl_context()


async def _read(answer: httpx.Response) -> bytes:
    """The body; what would be larger once it is unpacked is not read to its end."""
    body = bytearray()
    async for part in answer.aiter_bytes():
        body += part
        if len(body) > MOST_BYTES:
            raise Refused(f"more than {MOST_BYTES} bytes")
    return bytes(body)


async def _check(url: str, local: bool) -> None:
    """Refused where a URL is not one to be asked on behalf of this issuer."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if local and is_loopback(host):
        return
    if parts.scheme != "https" or not host:
        raise Refused("not https")
    found = await asyncio.get_running_loop().getaddrinfo(host, parts.port or 443)
    for *_, address in found:
        if not ipaddress.ip_address(str(address[0]).partition("%")[0]).is_global:
            raise Refused("a host of a private network")
