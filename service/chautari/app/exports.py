"""The export of an account: all that the service knows of it, in pages, since it may have played much."""

import msgspec

from chautari.app.account_values import Account, ApiKey, Closing, LinkedIdentity, RefreshToken
from chautari.app.accounts import Accounts
from chautari.app.caller import Caller
from chautari.app.keys import own_account
from chautari.app.pages import PageTokens, page_size
from chautari.app.ports import Store
from chautari.app.values import Match


class Export(msgspec.Struct, frozen=True):
    """A page of an export. What is not a match is on the first page only, and account is None on the others."""

    account: Account | None
    identities: list[LinkedIdentity]
    keys: list[ApiKey]
    sign_ins: list[RefreshToken]
    merged: list[Closing]
    matches: list[Match]
    next_page_token: str


class Exports:
    """The use case of exporting."""

    def __init__(self, store: Store, accounts: Accounts, tokens: PageTokens) -> None:
        self._store = store
        self._accounts = accounts
        self._tokens = tokens

    async def export(self, caller: Caller, account_id: str, size: int, page_token: str) -> Export:
        """A page; Forbidden `NOT_SELF`, Malformed `PAGE_TOKEN_INVALID`."""
        own_account(caller, account_id)
        question = ("export", caller.account)
        cursor = self._tokens.read(page_token, question)
        limit = page_size(size)
        matches = await self._store.matches_of(
            caller.account, active=False, my_turn=False, game=None,
            before=(cursor[0], cursor[1]) if cursor else None, limit=limit + 1,
        )  # fmt: skip
        matches, token = self._tokens.cut(matches, limit, question, lambda match: (match.created_at, match.id))
        if cursor:
            return Export(None, [], [], [], [], matches, token)
        return Export(
            await self._accounts.get(caller, "me"),
            await self._store.identities_of(caller.account),
            await self._store.keys_of(caller.account),
            await self._store.sign_ins_of(caller.account),
            await self._store.merged_into(caller.account),
            matches,
            token,
        )
