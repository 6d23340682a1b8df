"""The door that every call passes: who calls, whether that is too often, and whether it may call this method at all.

What is refused most often is refused first and costs least: a token that is known is found in a table, one that is not
costs its address a token of a bucket before it is checked, which takes longer than all the rest.
"""

from collections.abc import Awaitable
from contextlib import suppress
from typing import Any, Final, Protocol, TypeVar

from chautari.app.accounts import Accounts
from chautari.app.caller import Caller
from chautari.app.scopes import Scope, check_scope
from chautari.app.tokens import Identity
from chautari.errors import ChautariError, Exhausted, Forbidden, Unauthenticated
from chautari.wire.limits import Buckets, Limits
from chautari.wire.methods import Method, Needs, Quota

R = TypeVar("R")

_PLAYERS: Final = 50_000
_SIGNED: Final = (Needs.ACCOUNT, Needs.SIGN_IN)
_READS: Final = frozenset((Scope.READ,))
_WRONG_CODES: Final = ("CODE_UNKNOWN", "CODE_EXPIRED", "MATCH_STARTED", "MATCH_OVER")
"""What a code is answered that sits nobody down: whoever guesses learns no more than these, and no faster."""
_WRONG: Final = ("TOKEN_INVALID", "TOKEN_REUSED", "ATTEMPT_INVALID", "ID_TOKEN_INVALID")


class Asked(Protocol):
    """What is to be known of a call here."""

    def header(self, name: str) -> str:
        """A header by its name in small letters, all its lines with commas between them; empty where there is none."""

    def address(self) -> str:
        """Where the call comes from, without a port."""


class Admission:
    """The door of one process."""

    def __init__(self, accounts: Accounts, limits: Limits) -> None:
        self._accounts = accounts
        self._limits = limits
        self._players: set[str] = set()

    def recall(self, method: Method, call: Asked) -> Caller | None:
        """The same for a caller whose token is known, without a pause; None where it takes more to say who calls."""
        if method.needs is not Needs.ACCOUNT:
            return None
        identity = self._accounts.known(_bearer(call))
        return None if identity is None else self._signed_in(identity, method, call)

    def _signed_in(self, identity: Identity, method: Method, call: Asked) -> Caller:
        """The caller with this token, whose account and address this call counts for."""
        self._limits.calls.take(identity.account_id)
        address = ""
        if self._limits.address.are_bounded or method.at_door is not None:
            address = call.address()
            self._limits.address.take(address)
        return Caller(
            identity.account_id, "en", address, identity.expires_at, identity.sign_in, identity.scopes, identity.key_id
        )  # fmt: skip

    async def admit(self, method: Method, call: Asked) -> Caller:
        """Who calls. A call without an account counts for its address, any other for its account and the address.

        Unauthenticated `TOKEN_MISSING`, `TOKEN_INVALID`, `TOKEN_EXPIRED`; Exhausted `TOO_MANY_REQUESTS`.
        """
        if method.needs in _SIGNED:
            token = _bearer(call)
            if not token:
                self._limits.anonymous.take(call.address())
                raise Unauthenticated("TOKEN_MISSING", "this needs an access token: sign in as a guest to get one")
            return self._signed_in(self._accounts.known(token) or await self._authenticate(token, call), method, call)
        address = call.address()
        self._limits.anonymous.take(address)
        language = call.header("accept-language")
        if method.needs is Needs.EITHER and (token := _bearer(call)):
            try:
                identity = self._accounts.known(token) or await self._authenticate(token, call)
            except Unauthenticated:
                pass  # whoever may call without a token may call with one that does not hold
            else:
                return Caller(
                    identity.account_id, language, address, identity.expires_at, identity.sign_in, identity.scopes,
                    identity.key_id,
                )  # fmt: skip
        return Caller(None, language, address)

    async def _authenticate(self, token: str, call: Asked) -> Identity:
        """Whom a token speaks for that is not known here; where it does not hold, that counts for the address."""
        address = call.address()
        self._limits.tokens.take(address)
        is_wrong = False
        try:
            return await self._accounts.authenticate(token)
        except Unauthenticated as error:
            is_wrong = error.reason == "TOKEN_INVALID"
            raise
        finally:
            if not is_wrong:
                self._limits.tokens.give_back(address)

    async def count_wrong(self, call: Asked, answering: Awaitable[R]) -> R:
        """What a call answers that brings a token in its request; one that does not hold counts for the address.

        Exhausted `TOO_MANY_REQUESTS` where there were too many of those; who brings one that holds is not held up.
        """
        try:
            return await answering
        except Unauthenticated as error:
            if error.reason in _WRONG:
                self._limits.tokens.take(call.address())
            raise

    def quota(self, quota: Quota, call: Asked, caller: Caller, request: Any) -> tuple[Buckets, str]:
        """What a call uses up beside the number of calls, and for whom.

        Whoever has not acted in a match has a bucket of its own there: by that of the match a spectator who sees it
        late could tell how fast others act.
        """
        if quota is Quota.MATCH:
            own = f"{request.match} {caller.account_id}"
            return self._limits.acts, request.match if own in self._players else own
        return (self._limits.guests if quota is Quota.GUEST else self._limits.codes), call.address()

    def settle(self, quota: Quota, buckets: Buckets, key: str, error: ChautariError | None) -> None:
        """Counts a call that has ended so for its quota, or not. Whoever may act counts for the match from then on."""
        if not counts(quota, error):
            buckets.give_back(key)
        elif quota is Quota.MATCH and " " in key:
            if len(self._players) >= _PLAYERS:
                self._players.clear()
            self._players.add(key)
            with suppress(Exhausted):
                buckets.take(key.partition(" ")[0])


def check_leave(method: Method, caller: Caller) -> None:
    """Forbidden `SCOPE_MISSING`, `SIGN_IN_NEEDED` where what the caller showed is not for this method."""
    if caller.account_id is None:
        return
    check_scope(caller.scopes, method.scope)
    if method.changes and caller.scopes == _READS:
        check_scope(caller.scopes, Scope.PLAY)
    if method.needs is Needs.SIGN_IN and not caller.sign_in:
        raise Forbidden("SIGN_IN_NEEDED", "an API key may not do this: sign in and use the access token")


def counts(quota: Quota, error: ChautariError | None) -> bool:
    """Whether a call that ended so counts for its quota."""
    if quota is Quota.CODE:
        return error is not None and error.reason in _WRONG_CODES
    return quota is Quota.GUEST or not isinstance(error, Forbidden)


def _bearer(call: Asked) -> str:
    kind, _, token = call.header("authorization").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""
