"""What may be kept of an answer, by whom, and its ETag."""

from hashlib import sha256
from typing import Any, Final

from chautari.v1 import match_pb2
from chautari.wire.http.exchange import Exchange
from chautari.wire.http.problems import Headers
from chautari.wire.methods import Method

_CATALOGUE: Final = "/chautari.v1.Games/"
_KEYS: Final = "/chautari.v1.Server/GetSigningKeys"
_RECORD: Final = "/chautari.v1.Play/Record"
_SECRETS: Final = ("/chautari.v1.Accounts/", "/chautari.v1.Identities/", "/chautari.v1.Keys/CreateApiKey")
_SECONDS: Final = 300
_FOR_EVER: Final = b"private, max-age=31536000, immutable"
_OVER: Final = (match_pb2.MATCH_STATE_FINISHED, match_pb2.MATCH_STATE_ABORTED)


def headers_of(exchange: Exchange, method: Method, answer: Any, body: bytes) -> Headers:
    """The headers about keeping: the catalogue for a while, the record of a match that is over for ever, and nothing of
    what is private. The ETag of a match is its revision, that of the catalogue its content, packed or not."""
    if method.path.startswith(_CATALOGUE) or method.path == _KEYS:
        who = "private" if b"authorization" in exchange.headers else "public"
        return [
            (b"cache-control", f"{who}, max-age={_SECONDS}".encode()),
            (b"etag", b'W/"%b"' % sha256(body).hexdigest()[:24].encode()),
            (b"vary", b"Accept-Language, Authorization"),
        ]
    if method.path == _RECORD and answer.state in _OVER:
        return [(b"cache-control", _FOR_EVER), (b"vary", b"Authorization")]
    headers: Headers = [(b"cache-control", b"no-store")]
    revision = getattr(answer, "revision", 0)
    if revision:
        headers.append((b"etag", b'"%d"' % revision))
    return headers


def is_secret(method: Method) -> bool:
    """Whether the answer may hold a token or a new key, so that not even its packed size should tell of it."""
    return method.path.startswith(_SECRETS)


def is_unchanged(exchange: Exchange, headers: Headers) -> bool:
    """Whether the caller has this very answer already."""
    asked = exchange.headers.get(b"if-none-match")
    if asked is None or (b"cache-control", b"no-store") in headers:
        return False
    etag = dict(headers).get(b"etag")
    tags = [tag.strip().removeprefix(b"W/") for tag in asked.split(b",")]
    return etag is not None and (etag.removeprefix(b"W/") in tags or b"*" in tags)
