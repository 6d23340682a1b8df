"""What a newer release has written and this program cannot read: another replica can, so callers try again there."""

from typing import Final

from chautari.errors import Unavailable

_LEFT: Final = (
    "is as a newer release of the server left it, and this replica cannot read it: nothing was changed; try again, and "
    "another replica answers"
)


def newer(match_id: str) -> Unavailable:
    """What is told of such a match; nothing was changed."""
    return Unavailable("MATCH_NEWER", f"match {match_id} {_LEFT}")


def newer_account(account_id: str) -> Unavailable:
    """The same of an account."""
    return Unavailable("ACCOUNT_NEWER", f"account {account_id} {_LEFT}")
