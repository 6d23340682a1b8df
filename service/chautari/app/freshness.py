"""How old a sign-in may be for what cannot be undone, or lasts longer than it does.

An access token lives for a quarter of an hour. Whoever steals one should not be able to make more of it than that: end
the account, merge it, give it another way in. For these the token must be young, so that it takes the refresh token,
or another sign-in, to call them.
"""

from typing import Final

from chautari.app.caller import Caller
from chautari.app.tokens import ACCESS_SECONDS
from chautari.app.values import SECOND, Micros
from chautari.errors import Unauthenticated

FRESH_SECONDS: Final = 120
"""A sign-in and a refresh are fresh for so long."""


def check_fresh(caller: Caller, now: Micros) -> None:
    """Unauthenticated `SIGN_IN_OLD` where the caller's access token was signed too long ago. A key is no sign-in."""
    if caller.sign_in:
        check_young(caller.expires_at, now)


def check_young(expires_at: Micros | None, now: Micros, field: str = "authorization") -> None:
    """The same for the access token that expires then: all live equally long. field: where it was told."""
    if expires_at is not None and expires_at - now < (ACCESS_SECONDS - FRESH_SECONDS) * SECOND:
        raise Unauthenticated(
            "SIGN_IN_OLD", f"{field}: this takes a sign-in or a refresh of the last {FRESH_SECONDS} seconds: refresh "
            "the token and call again", field=field, seconds=FRESH_SECONDS,
        )  # fmt: skip
