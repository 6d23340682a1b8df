"""Every exception that Chautari raises on purpose.

ChautariError
├── Malformed         it cannot be read, or a value is not allowed; asking again in the same words is pointless
├── Refusal           the rules of the game say no; the state is unchanged
├── Conflict          somebody was faster, or the same name means two things (stale revision, seat taken)
├── Forbidden         the caller may not do this, or see whether it could be done
├── NotFound          there is no such thing, for a caller who may know that
├── Unauthenticated   no token, or one that does not hold
├── Exhausted         a limit or a disk is full; `retry_after` seconds may help
└── Unavailable       not now: starting, draining, or the database is away; try again

Each carries a stable `reason` (UPPER_SNAKE) and, as `values`, what its message names. Status codes are the
wire's affair (`wire/errors.py`). A message says what was wrong and what would be right, and nothing of a card
that its reader may not see.
"""

from typing import Final


class ChautariError(Exception):
    """The root; never raised itself."""

    def __init__(self, reason: str, message: str, **values: str | int) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.values: Final = {name: str(value) for name, value in values.items()}


class Malformed(ChautariError):
    """A request, a setting or an action that cannot be read. `field` names the culprit where there is one."""

    def __init__(self, reason: str, message: str, field: str = "", **values: str | int) -> None:
        super().__init__(reason, message, **values)
        self.field = field


class Refusal(ChautariError):
    """The rules refuse an action: one of the codes of the rule specs, and `rule`, a stable id within the game."""

    def __init__(self, rule: str, message: str, *, code: str = "RULE_BROKEN", **values: str | int) -> None:
        super().__init__(code, message, **values)
        self.rule = rule


class Conflict(ChautariError):
    """The thing has changed, is taken, or is in the wrong state for this."""


class StaleRevision(Conflict):
    """The caller named a revision that is no longer the latest; `current` is."""

    def __init__(self, current: int) -> None:
        super().__init__(
            "STALE_REVISION", f"the match is at revision {current} now; look at it again, then act", revision=current
        )
        self.current = current


class RequestReused(Conflict):
    """A `request_id` came again with another request."""

    def __init__(self) -> None:
        super().__init__("REQUEST_ID_REUSED", "this request_id belongs to another request; make a new one")


class WrongState(Conflict):
    """Nothing raced: the match is simply not in a state in which this can be done."""


class Forbidden(ChautariError):
    """Not allowed, or it might not exist: the answer is the same (AIP-211)."""


class NotFound(ChautariError):
    """No such thing."""


class BeyondHead(ChautariError):
    """A cursor that lies behind the last revision, or in a match that is gone."""


class Unauthenticated(ChautariError):
    """No token, or one that is expired, unknown or not ours."""


class Exhausted(ChautariError):
    """Out of quota or of room. `retry_after`: seconds after which it may work, 0 where unknown."""

    def __init__(self, reason: str, message: str, retry_after: float = 0.0, **values: str | int) -> None:
        super().__init__(reason, message, **values)
        self.retry_after = retry_after


class Unavailable(ChautariError):
    """Not now; the same request may be sent again after `retry_after` seconds."""

    def __init__(self, reason: str, message: str, retry_after: float = 1.0) -> None:
        super().__init__(reason, message)
        self.retry_after = retry_after
