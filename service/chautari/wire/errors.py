"""The one table from our exceptions to status codes, and the details by which a client understands an error.

Nothing else ever leaves the server: an exception that is none of ours becomes a FAULT that names only its incident.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message
from google.rpc import code_pb2
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, LocalizedMessage, RetryInfo
from google.rpc.status_pb2 import Status

from chautari.errors import (
    BeyondHead,
    ChautariError,
    Conflict,
    Exhausted,
    Forbidden,
    Malformed,
    NotFound,
    Refusal,
    RequestReused,
    StaleRevision,
    Unauthenticated,
    Unavailable,
    WrongState,
)
from chautari.wire.languages import ENGLISH
from chautari.wire.sentences import sentence

DOMAIN: Final = "chautari"

CODES: Final[tuple[tuple[type[ChautariError], int], ...]] = (
    (Malformed, code_pb2.INVALID_ARGUMENT),
    (Refusal, code_pb2.FAILED_PRECONDITION),
    (StaleRevision, code_pb2.ABORTED),
    (RequestReused, code_pb2.ALREADY_EXISTS),
    (WrongState, code_pb2.FAILED_PRECONDITION),
    (Conflict, code_pb2.ABORTED),
    (Forbidden, code_pb2.PERMISSION_DENIED),
    (NotFound, code_pb2.NOT_FOUND),
    (BeyondHead, code_pb2.OUT_OF_RANGE),
    (Unauthenticated, code_pb2.UNAUTHENTICATED),
    (Exhausted, code_pb2.RESOURCE_EXHAUSTED),
    (Unavailable, code_pb2.UNAVAILABLE),
)
"""The first line that an exception is an instance of tells its code."""

_NO_VALUES: Final[Mapping[str, str]] = MappingProxyType({})
_MESSAGE_BYTES: Final = 600
_FIELD_BYTES: Final = 200
_NAME_BYTES: Final = 64
_MOST_FIELDS: Final = 6
"""A status travels in a header, in which grpc takes 8 KiB in all: what callers made long is cut to fit."""


class Violation(Malformed):
    """A request that breaks rules of its message: each field with what it should be."""

    def __init__(self, fields: Sequence[tuple[str, str]]) -> None:
        first, says = fields[0]
        super().__init__("REQUEST_INVALID", f"{first}: {says}" if first else says, field=first)
        self.fields = tuple(fields)


class Failed(Exception):
    """A call has failed, and this is all that its caller is told: in English, until a front knows who reads it.

    rule, values: what a sentence in another language goes by.
    """

    def __init__(self, status: Status, reason: str, rule: str = "", values: Mapping[str, str] = _NO_VALUES) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.rule = rule
        self.values = values


def failed(error: ChautariError) -> Failed:
    """What the caller is told of one of our exceptions."""
    if error.reason == "TOO_MANY_REQUESTS" and isinstance(error, Exhausted):
        return Failed(_too_many(error.message, error.retry_after), error.reason)
    status = _status(error)
    return Failed(status, error.reason, error.rule if isinstance(error, Refusal) else "", error.values)


def said_in(language: str, failure: Failed) -> Failed:
    """The failure with its LocalizedMessage in this language; as it is where there are no words for it."""
    words = "" if language == ENGLISH else sentence(language, failure.reason, failure.rule, failure.values)
    if not words:
        return failure
    status = Status()
    status.CopyFrom(failure.status)
    status.details[-1].Pack(LocalizedMessage(locale=language, message=_cut(words, _MESSAGE_BYTES)))
    return Failed(status, failure.reason, failure.rule, failure.values)


@lru_cache(1024)
def _too_many(message: str, retry_after: float) -> Status:
    """What is told most often where it should cost least: made once for each time to wait, as limits round it."""
    return _status(Exhausted("TOO_MANY_REQUESTS", message, retry_after))


def _status(error: ChautariError) -> Status:
    code = next(code for kind, code in CODES if isinstance(error, kind))
    values = dict(error.values)
    details: list[Message] = []
    if isinstance(error, Refusal) and error.rule != error.reason:
        values["rule"] = error.rule
    if isinstance(error, Malformed) and error.field:
        values.setdefault("field", error.field)
        fields = error.fields if isinstance(error, Violation) else ((error.field, error.message),)
        details.append(_bad_request(fields))
    if isinstance(error, Unavailable) or (isinstance(error, Exhausted) and error.retry_after > 0):
        details.append(_retry_info(error.retry_after))
    return make(code, error.reason, error.message, values, *details).status


def fault(incident: str) -> Failed:
    """A fault of ours: the caller gets its number, by which the log tells the rest."""
    return make(
        code_pb2.INTERNAL, "FAULT", f"the server made a mistake; its log knows it as {incident}", {"incident": incident}
    )


def deadline_passed() -> Failed:
    """The call took longer than it may."""
    return make(code_pb2.DEADLINE_EXCEEDED, "DEADLINE_PASSED", "the call took too long; it may have been done", {})


def method_unknown(path: str) -> Failed:
    """Nobody here knows this method."""
    return make(code_pb2.UNIMPLEMENTED, "METHOD_UNKNOWN", f"this server has no method {path}", {})


def make(code: int, reason: str, message: str, values: dict[str, str], *details: Message) -> Failed:
    """A failure with these details between the two that each has."""
    message = _cut(message, _MESSAGE_BYTES)
    info = ErrorInfo(
        domain=DOMAIN, reason=reason, metadata={name: _cut(value, _NAME_BYTES) for name, value in values.items()}
    )
    status = Status(code=code, message=message)
    for detail in (info, *details, LocalizedMessage(locale=ENGLISH, message=message)):
        packed: AnyMessage = status.details.add()
        packed.Pack(detail)
    return Failed(status, reason)


def _bad_request(fields: Sequence[tuple[str, str]]) -> BadRequest:
    return BadRequest(
        field_violations=[
            BadRequest.FieldViolation(field=_cut(field, _NAME_BYTES), description=_cut(says, _FIELD_BYTES))
            for field, says in fields[:_MOST_FIELDS]
        ]
    )


def _retry_info(seconds: float) -> RetryInfo:
    info = RetryInfo()
    info.retry_delay.FromMilliseconds(max(1, round(seconds * 1000)))
    return info


def _cut(text: str, most: int) -> str:
    encoded = text.encode()
    return text if len(encoded) <= most else encoded[:most].decode(errors="ignore") + "…"
