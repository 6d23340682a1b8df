"""What a call may raise.

ChautariError
├── Refused            the server looked at it and says no: a rule of the game, or the state of the match
│   ├── Malformed      it cannot be read, or a value is not allowed
│   ├── NotAllowed     the caller may not do this, or see whether it could be done
│   ├── NotFound       there is no such thing
│   ├── NotSignedIn    no token, or one that does not hold: sign in anew
│   ├── Stale          the match has gone on since the revision that was named; `revision` is the current one
│   ├── RequestReused  the `request_id` belongs to another request
│   ├── SeatMoved      the seats were drawn by lot: the account of the watched seat sits on another one
│   ├── BeyondHead     the cursor lies behind the newest revision; `revision` is that one
│   │   └── EpochChanged  the server was restored from a backup: start from a fresh view
│   └── Exhausted      a limit was reached; `retry_after` seconds may help
├── Unavailable        not now: nobody there, starting, draining; a call may have been done all the same
│   └── TimedOut       no answer within the deadline; the call may have been done
└── Faulty             a fault of the server, or an answer that is none of ours

A program reads `reason` (an `ErrorReason` of the API without its common beginning) and `rule`; `str()` is for people.
"""

from collections.abc import Mapping
from typing import Final

import grpc
from google.rpc import error_details_pb2, status_pb2

DOMAIN: Final = "chautari"
_DETAILS: Final = "grpc-status-details-bin"


class ChautariError(Exception):
    """A call that was not done, or of which nobody knows whether it was.

    code         the gRPC status
    reason       why, as `ErrorReason` names it: `RULE_BROKEN`; empty where the answer did not come from Chautari
    message      the same for people, in English
    localized    the same in the caller's language, where the server has it; else empty
    rule         the rule of the game behind a refusal, an id that does not change; else empty
    metadata     the values that the message speaks of
    violations   by field, what is wrong with it
    retry_after  seconds after which it may work, None where nothing is known
    """

    def __init__(
        self, code: grpc.StatusCode, message: str, *, reason: str = "", metadata: Mapping[str, str] | None = None,
        violations: Mapping[str, str] | None = None, retry_after: float | None = None, localized: str = "",
    ) -> None:  # fmt: skip
        super().__init__(f"{reason}: {message}" if reason else f"{code.name}: {message}")
        self.code: Final = code
        self.reason: Final = reason
        self.message: Final = message
        self.localized: Final = localized
        self.metadata: Final = dict(metadata or {})
        self.rule: Final = self.metadata.get("rule", "")
        self.violations: Final = dict(violations or {})
        self.retry_after: Final = retry_after


class Refused(ChautariError):
    """The server looked at it and says no."""


class Malformed(Refused):
    """It cannot be read, or a value is not allowed; `violations` names the fields."""


class NotAllowed(Refused):
    """The caller may not do this, or it might not exist."""


class NotFound(Refused):
    """There is no such thing."""


class NotSignedIn(Refused):
    """No token, or one that does not hold."""


class Stale(Refused):
    """The match has gone on since the revision that the call named."""

    @property
    def revision(self) -> int:
        """The current revision; 0 where the server did not say."""
        return _number(self.metadata.get("revision", ""))


class RequestReused(Refused):
    """The `request_id` was used for another request."""


class BeyondHead(Refused):
    """The cursor lies behind the newest revision of the match."""

    @property
    def revision(self) -> int:
        """The newest revision; 0 where the server did not say."""
        return _number(self.metadata.get("revision", ""))


class EpochChanged(BeyondHead):
    """The server's database has been restored from a backup since: what is known of its matches is void.

    Start from a fresh view. What was done after the backup has not happened.
    """

    @property
    def epoch(self) -> str:
        """The epoch of the database now."""
        return self.metadata.get("epoch", "")


class SeatMoved(Refused):
    """The seats were drawn by lot: the account of the watched seat sits on `seat` now. Watch that one."""

    def __init__(self, seat: int) -> None:
        super().__init__(grpc.StatusCode.PERMISSION_DENIED, f"the seats were drawn, and yours is seat {seat} now")
        self.seat: Final = seat


class Exhausted(Refused):
    """A limit, or a disk, is full."""


class Unavailable(ChautariError):
    """Nobody answers, or not now. The call may have been done: repeat it with the same `request_id`."""


class TimedOut(Unavailable):
    """No answer came within the deadline. The call may have been done: repeat it with the same `request_id`."""


class Faulty(ChautariError):
    """A fault of the server, or an answer that no Chautari server gives."""


class Gap(LookupError):
    """An update that does not follow the table's revision: fetch a fresh view."""


_BY_CODE: Final[Mapping[grpc.StatusCode, type[ChautariError]]] = {
    grpc.StatusCode.FAILED_PRECONDITION: Refused,
    grpc.StatusCode.INVALID_ARGUMENT: Malformed,
    grpc.StatusCode.PERMISSION_DENIED: NotAllowed,
    grpc.StatusCode.NOT_FOUND: NotFound,
    grpc.StatusCode.UNAUTHENTICATED: NotSignedIn,
    grpc.StatusCode.ABORTED: Stale,
    grpc.StatusCode.ALREADY_EXISTS: RequestReused,
    grpc.StatusCode.OUT_OF_RANGE: BeyondHead,
    grpc.StatusCode.RESOURCE_EXHAUSTED: Exhausted,
    grpc.StatusCode.UNAVAILABLE: Unavailable,
    grpc.StatusCode.DEADLINE_EXCEEDED: TimedOut,
}


def from_rpc_error(error: grpc.aio.AioRpcError) -> ChautariError:
    """The exception for a failed call, with all that the server told of it."""
    code = error.code()
    info, request = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
    retry, localized = error_details_pb2.RetryInfo(), error_details_pb2.LocalizedMessage()
    for detail in _status(error).details:
        for known in (info, request, retry, localized):
            detail.Unpack(known)
    ours = info.domain == DOMAIN
    kind = EpochChanged if ours and info.reason == "EPOCH_CHANGED" else _BY_CODE.get(code, Faulty)
    return kind(
        code, error.details() or "", reason=info.reason if ours else "", metadata=info.metadata if ours else {},
        violations={violation.field: violation.description for violation in request.field_violations},
        retry_after=retry.retry_delay.ToTimedelta().total_seconds() if retry.HasField("retry_delay") else None,
        localized=localized.message,
    )  # fmt: skip


def _status(error: grpc.aio.AioRpcError) -> status_pb2.Status:
    for key, value in error.trailing_metadata() or ():
        if key == _DETAILS and isinstance(value, bytes):
            try:
                return status_pb2.Status.FromString(value)
            except ValueError:  # DecodeError is one: whatever it is, it is not ours
                break
    return status_pb2.Status()


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else 0
