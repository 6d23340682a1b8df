"""An identity provider on this machine: its configuration, keys that change, and ID tokens with any claims."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

from joserfc import jwt
from joserfc.jwk import ECKey, Key, RSAKey

from chautari.app.providers import Provider

CLIENT = "chautari-web"


@cache
def rsa_key(number: int) -> RSAKey:
    """A key that is made once for all tests."""
    return RSAKey.generate_key(2048, {"kid": f"rsa{number}"})


class Issuer:
    """What it serves may be changed by a test: `documents` by path, each a body or a redirect to another URL."""

    def __init__(self) -> None:
        self.url = ""
        self.keys: list[Key] = [rsa_key(0)]
        self.documents: dict[str, bytes | str] = {}
        self.asked: Counter[str] = Counter()
        self.away = False

    def provider(self, **changed: Any) -> Provider:
        """Trust in it."""
        given: dict[str, Any] = {
            "key": "home", "name": "Home", "issuer": self.url, "audiences": (CLIENT, "chautari-phone"),
            "algorithms": ("RS256", "ES256"),
        }  # fmt: skip
        return Provider(**{**given, **changed})

    def token(
        self, nonce: str, /, *, key: Key | None = None, header: dict[str, Any] | None = None, **claims: Any
    ) -> str:
        """An ID token; a claim that is None is left out."""
        key = key or self.keys[0]
        now = int(time.time())
        usual = {
            "iss": self.url, "aud": CLIENT, "sub": "sita", "nonce": nonce, "iat": now, "exp": now + 300, "email": "s@x",
        }  # fmt: skip
        kept = {name: value for name, value in {**usual, **claims}.items() if value is not None}
        alg = "ES256" if isinstance(key, ECKey) else "RS256"
        return jwt.encode({"alg": alg, "kid": key.kid, **(header or {})}, kept, key, algorithms=[alg, "RS512", "HS256"])

    def served(self, path: str) -> bytes | str | None:
        """What is at a path."""
        self.asked[path] += 1
        if path in self.documents:
            return self.documents[path]
        if path == "/.well-known/openid-configuration":
            return json.dumps({"issuer": self.url, "jwks_uri": f"{self.url}/keys"}).encode()
        if path == "/keys":
            return json.dumps({"keys": [key.as_dict(private=False) for key in self.keys]}).encode()
        return None

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answers one request."""
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            found = None if self.away else self.served(head.split()[1].decode())
            if isinstance(found, str):
                writer.write(f"HTTP/1.1 302 Found\r\nlocation: {found}\r\ncontent-length: 0\r\n\r\n".encode())
            elif found is None:
                writer.write(b"HTTP/1.1 503 Away\r\ncontent-length: 0\r\n\r\n")
            else:
                writer.write(f"HTTP/1.1 200 OK\r\ncontent-length: {len(found)}\r\n\r\n".encode() + found)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # it read enough
        finally:
            writer.close()


@asynccontextmanager
async def running_issuer() -> AsyncIterator[Issuer]:
    """An issuer that answers on a port of this machine."""
    issuer = Issuer()
    server = await asyncio.start_server(issuer.answer, "127.0.0.1", 0)
    issuer.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield issuer
