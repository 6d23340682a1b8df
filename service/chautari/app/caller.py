"""Who calls: an account or nobody, in which language, from where."""

import msgspec

from chautari.app.scopes import ACCOUNT_SCOPES, Scope
from chautari.app.values import Micros
from chautari.errors import Unauthenticated


class Caller(msgspec.Struct, frozen=True):
    """The caller of a use case. account_id: None for an anonymous one.

    sign_in: the family of refresh tokens behind its access token, empty for an API key; expires_at: when its token or
    key runs out; scopes: what that may be used for; key_id: the API key, empty for a sign-in.
    """

    account_id: str | None
    language: str = "en"
    address: str = ""
    expires_at: Micros | None = None
    sign_in: str = ""
    scopes: frozenset[Scope] = ACCOUNT_SCOPES
    key_id: str = ""

    @property
    def account(self) -> str:
        """The account; Unauthenticated `TOKEN_MISSING` where there is none."""
        if self.account_id is None:
            raise Unauthenticated("TOKEN_MISSING", "this needs an access token: sign in as a guest to get one")
        return self.account_id
