"""Failures as problem details (RFC 9457), with the details of `google.rpc.Status` under `details`."""

import math
from typing import Any, Final

import msgspec
from google.rpc import code_pb2
from google.rpc.error_details_pb2 import RetryInfo

from chautari.wire.errors import Failed
from chautari.wire.http.json_out import SHORT
from chautari.wire.http.statuses import http_status

MEDIA_TYPE: Final = b"application/problem+json"

_CHALLENGE: Final = b'Bearer realm="chautari"'
_BAD_TOKEN: Final = b', error="invalid_token"'
_BAD_TOKENS: Final = ("TOKEN_INVALID", "TOKEN_EXPIRED")
"""What is told of a token that was there and does not hold (RFC 6750 section 3.1)."""

Headers = list[tuple[bytes, bytes]]


def problem(failure: Failed, status: int | None = None) -> dict[str, Any]:
    """The members of the problem. `type` is the page of its reason on the same server."""
    error = failure.status
    return {
        "type": f"/errors/{failure.reason}",
        "title": failure.reason.replace("_", " ").capitalize(),
        "status": status or http_status(error.code, failure.reason),
        "detail": error.message,
        "reason": failure.reason,
        "code": code_pb2.Code.Name(error.code),
        "details": [SHORT.plain(detail) for detail in error.details],
    }


def problem_of(failure: Failed, status: int | None = None) -> tuple[int, Headers, bytes]:
    """Status, headers and body of the answer to a call that failed."""
    members = problem(failure, status)
    headers: Headers = [(b"content-type", MEDIA_TYPE), (b"cache-control", b"no-store"), *more_headers(failure)]
    return members["status"], headers, msgspec.json.encode(members)


def more_headers(failure: Failed) -> Headers:
    """What a failure says in headers: when to try again, how to sign in, and how a body may be packed."""
    headers: Headers = []
    wait = retry_seconds(failure)
    if wait:
        headers.append((b"retry-after", b"%d" % wait))
    if failure.status.code == code_pb2.UNAUTHENTICATED:
        headers.append((b"www-authenticate", _CHALLENGE + (_BAD_TOKEN if failure.reason in _BAD_TOKENS else b"")))
    if failure.reason == "CONTENT_TYPE_UNKNOWN" and failure.status.code == code_pb2.UNIMPLEMENTED:
        headers.append((b"accept-encoding", b"gzip"))
    return headers


def retry_seconds(failure: Failed) -> int:
    """After how many whole seconds it may be tried again; 0 where nothing is said."""
    for detail in failure.status.details:
        if detail.TypeName() == "google.rpc.RetryInfo":
            info = RetryInfo()
            detail.Unpack(info)
            return math.ceil(info.retry_delay.ToMilliseconds() / 1000)
    return 0
