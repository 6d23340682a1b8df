"""Page tokens: opaque, signed, and good for the question that they were made for only (AIP-158)."""

import hmac
from collections.abc import Callable
from hashlib import sha256
from typing import Any, Final, TypeVar

import msgspec

from chautari.app import base64url
from chautari.errors import Malformed

T = TypeVar("T")

LARGEST_PAGE: Final = 200
_SIGNATURE: Final = 12


def page_key_of(secret: bytes) -> bytes:
    """The key of page tokens, which the key that seals secrets gives: the same in all replicas."""
    return sha256(b"page tokens" + secret).digest()


class PageTokens:
    """Makes and reads page tokens with a key that all replicas share."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def make(self, question: tuple[Any, ...], cursor: Any) -> str:
        """A token that goes on behind the cursor."""
        body = msgspec.msgpack.encode(cursor)
        return base64url.encode(self._sign(question, body) + body)

    def read(self, token: str, question: tuple[Any, ...]) -> Any:
        """The cursor; None for an empty token; Malformed `PAGE_TOKEN_INVALID` where it is not of this question."""
        if not token:
            return None
        try:
            blob = base64url.decode(token)
            signature, body = blob[:_SIGNATURE], blob[_SIGNATURE:]
            if hmac.compare_digest(signature, self._sign(question, body)):
                return msgspec.msgpack.decode(body)
        except (ValueError, msgspec.DecodeError):
            pass
        raise of_another_list()

    def cut(
        self, found: list[T], limit: int, question: tuple[Any, ...], cursor: Callable[[T], Any]
    ) -> tuple[list[T], str]:  # fmt: skip
        """A page of what was found, of which one more than `limit` was asked for, and the token of the next page.

        cursor: that of the last one on a page.
        """
        page = found[:limit]
        return page, self.make(question, cursor(page[-1])) if len(found) > limit else ""

    def _sign(self, question: tuple[Any, ...], body: bytes) -> bytes:
        return hmac.digest(self._key, msgspec.msgpack.encode(question) + body, "sha256")[:_SIGNATURE]


def page_size(asked: int, default: int = 50, largest: int = LARGEST_PAGE) -> int:
    """How many to give: 0 is the default, too many are the most there may be."""
    return min(asked, largest) if asked > 0 else default


def of_another_list() -> Malformed:
    """The refusal of a page token behind which this list does not go on."""
    message = "this page token is of another list: start again without one"
    return Malformed("PAGE_TOKEN_INVALID", message, field="page_token")
