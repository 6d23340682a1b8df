"""Whoever would like to call with a token that the server never gave."""

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey

from tests.wire.served import Served


def encoded(data: Any) -> str:
    """A part of a token."""
    return encoded_bytes(json.dumps(data).encode())


def encoded_bytes(data: bytes) -> str:
    """The same of any bytes."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(part: str) -> bytes:
    """What a part says."""
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def signed(header: dict[str, Any], claims: dict[str, Any], key: ECKey) -> str:
    """A token as no library would make it."""
    said = f"{encoded(header)}.{encoded(claims)}"
    private = key.private_key
    assert private is not None
    numbers = decode_dss_signature(private.sign(said.encode(), ECDSA(SHA256())))
    return f"{said}.{encoded_bytes(b''.join(number.to_bytes(32, 'big') for number in numbers))}"


def anything(*values: Any) -> tuple[Any, ...]:
    """Values of any types."""
    return values


class Forger:
    """Who has seen a good token, knows the public keys, and has a way with JWTs. Some forgeries take our own key."""

    def __init__(self, served: Served, token: str) -> None:
        self.token = token
        self.head, self.body, self.signature = token.split(".")
        self.header: dict[str, Any] = json.loads(decoded(self.head))
        self.claims: dict[str, Any] = json.loads(decoded(self.body))
        self.ours = served.app._signer._keys[self.header["kid"]]

    def signed(self, claims: dict[str, Any]) -> str:
        """Other claims, signed with our key."""
        return signed(self.header, claims, self.ours)

    def under(self, header: Any, signature: str | None = None) -> str:
        """The claims under another header, with the old signature or this one."""
        return f"{encoded(header)}.{self.body}.{self.signature if signature is None else signature}"

    def damaged(self) -> Iterator[str]:
        """The token with one sign changed at many places, and with parts lost, doubled, swapped or added."""
        for place in range(0, len(self.token), 7):
            for sign in {"A", "B", "~", ".", " "} - {self.token[place]}:
                yield self.token[:place] + sign + self.token[place + 1 :]
        yield from (self.token[:-1], self.token[1:], self.token + "A", self.token + "=", self.token * 2)
        head, body, signature = self.head, self.body, self.signature
        yield from (
            f"{head}.{body}",
            f"{head}.{body}.",
            f".{body}.{signature}",
            f"{head}..{signature}",
            "...",
            "..",
            ".",
        )
        yield from (
            f"{body}.{head}.{signature}",
            f"{head}.{body}.{signature}.",
            f"{head}.{body}.{signature}.{signature}",
        )
        yield from (f"{head}.{body}.{signature}.{head}.{body}", self.token.upper(), self.token.swapcase(), "x")
        yield from ("A" * 5000, f"{head}.{'A' * 6000}.{signature}", "." * 3000)

    def of_another_algorithm(self) -> Iterator[str]:
        """What those try who hope that the header decides how it is checked."""
        public: dict[str, Any] = dict(self.ours.as_dict(private=False))
        for algorithm in anything(
            "none", "None", "NONE", "nOnE", "", None, 1, [], {}, True, ["ES256"], "es256", "ES512", "RS256"
        ):
            for signature in (self.signature, ""):
                yield self.under({**self.header, "alg": algorithm}, signature)
        secrets = (self.ours.as_pem(private=False), self.ours.as_der(private=False), json.dumps(public).encode(), b"")
        for secret in (*secrets, public["x"].encode(), decoded(public["x"])):  # the public key, taken for a secret
            head = encoded({**self.header, "alg": "HS256"})
            made = hmac.digest(secret, f"{head}.{self.body}".encode(), hashlib.sha256)
            yield f"{head}.{self.body}.{encoded_bytes(made)}"
        other_curve, rsa = ECKey.generate_key("P-384"), RSAKey.generate_key(2048)
        yield jwt.encode({**self.header, "alg": "ES384"}, self.claims, other_curve, algorithms=["ES384"])
        yield jwt.encode({**self.header, "alg": "RS256"}, self.claims, rsa)
        zeros, ones = encoded_bytes(bytes(64)), encoded_bytes(b"\xff" * 64)
        yield from (
            self.under(self.header, signature) for signature in (zeros, ones, encoded_bytes(b"\x30\x06" + bytes(6)))
        )

    def of_another_key(self) -> Iterator[str]:
        """Signed well, with a key of the forger's own, which the header names or even brings along."""
        key = ECKey.generate_key("P-256")
        public = key.as_dict(private=False)
        for more in anything(
            {}, {"jwk": public}, {"jku": "https://203.0.113.7/keys"}, {"x5u": "file:///etc/passwd"}, {"x5c": ["A"]}
        ):
            yield signed({**self.header, **more}, self.claims, key)
        for kid in ("", "unknown", "../../etc/passwd", "..", "' OR 1=1 --", "\x00", "a" * 500, "छ", public["x"]):
            yield signed({"alg": "ES256", "kid": kid}, self.claims, key)
        for kid in anything(None, 1, 1.5, True, [], {}, [self.header["kid"]], {"kid": self.header["kid"]}, [[[]]]):
            yield self.under({**self.header, "kid": kid})
        yield self.under({"alg": "ES256"})

    def of_other_headers(self) -> Iterator[str]:
        """Headers that are none, or want something done that is not done."""
        for header in anything(
            [], "x", 1, None, {}, {"alg": {}}, {**self.header, "crit": ["exp"]}, {**self.header, "b64": False}
        ):
            yield self.under(header)
        yield self.under({**self.header, "zip": "DEF"})
        yield f"{encoded_bytes(b'[' * 1000)}.{self.body}.{self.signature}"
        yield f"{encoded_bytes(b'1' * 5000)}.{self.body}.{self.signature}"[:2000]
        twice = b'{"alg":"none","alg":"ES256","kid":"%s"}' % self.header["kid"].encode()
        yield f"{encoded_bytes(twice)}.{self.body}.{self.signature}"
        for broken in (b"\xff\xfe", b"{", b"{}{}", b'{"alg":"ES256"', b"\xef\xbb\xbf{}", b""):
            yield f"{encoded_bytes(broken)}.{self.body}.{self.signature}"

    def of_other_claims(self) -> Iterator[str]:
        """Each claim changed under the old signature; and, as only we could, signed again."""
        for name, value in self.claims.items():
            for other in anything(
                None, "", "x", 0, -1, [], {}, [value], value + value if isinstance(value, str) else value + 10**6
            ):
                yield f"{self.head}.{encoded({**self.claims, name: other})}.{self.signature}"
        for name in self.claims.keys() - {"iat"}:
            yield self.signed({claim: value for claim, value in self.claims.items() if claim != name})
        for changed in anything(
            {"iss": "another"}, {"iss": None}, {"iss": ["chautari"]}, {"aud": "another"}, {"aud": ["chautari"]},
            {"sub": None}, {"sub": 7}, {"sub": ["x"]}, {"scope": None}, {"scope": ["operate"]},
            {"exp": None}, {"exp": "soon"}, {"exp": []}, {"exp": float("inf")}, {"exp": float("nan")},
        ):  # fmt: skip
            yield self.signed({**self.claims, **changed})
