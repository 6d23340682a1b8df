"""Lists of matches: one's own, those that one may join, and those that one may watch."""

from collections.abc import AsyncIterator
from enum import StrEnum
from typing import Final

from chautari.app.caller import Caller
from chautari.app.filters import Filter, is_rising, read_filter, with_state
from chautari.app.live import Live
from chautari.app.pages import PageTokens, page_size
from chautari.app.ports import Store
from chautari.app.spectating import Spectating
from chautari.app.values import Match, MatchState, Micros
from chautari.errors import Forbidden

_PAGE: Final = 100


class Which(StrEnum):
    """Which matches to list."""

    MINE = "mine"
    MINE_ACTIVE = "mine_active"
    MY_TURN = "my_turn"
    OPEN = "open"
    PLAYING = "playing"


class Lists:
    """Pages of matches."""

    def __init__(self, store: Store, spectating: Spectating, tokens: PageTokens) -> None:
        self._store = store
        self._spectating = spectating
        self._tokens = tokens

    async def page(
        self, caller: Caller, which: Which, game: str | None, size: int, page_token: str, wanted: str = "",
        order_by: str = "",
    ) -> tuple[list[Match], str]:  # fmt: skip
        """Matches, the latest created first or as `order_by` says, and the token of the next page.

        wanted: a filter as `filters` reads it. Malformed `FILTER_INVALID`, `ORDER_INVALID`, `PAGE_TOKEN_INVALID`.
        """
        condition, rising = read_filter(wanted), is_rising(order_by)
        question = ("matches", which, game, wanted.split(), rising, caller.account)
        cursor = self._tokens.read(page_token, question)
        before = (cursor[0], cursor[1]) if cursor else None
        limit = page_size(size)
        found = await self._find(caller, which, game, before, limit + 1, condition, rising)
        page, token = self._tokens.cut(found, limit, question, lambda match: (match.created_at, match.id))
        if which is Which.PLAYING:
            page = [seen for match in page if (seen := await self._as_seen(match)) is not None]
        return page, token

    async def _find(
        self, caller: Caller, which: Which, game: str | None, before: tuple[Micros, str] | None, limit: int,
        wanted: Filter | None, rising: bool,
    ) -> list[Match]:  # fmt: skip
        if which is Which.OPEN:
            return await self._store.open_matches(
                but_of=caller.account, game=game, before=before, limit=limit, wanted=wanted, rising=rising
            )
        if which is Which.PLAYING:
            # The stored state may be newer than what late spectators see, so the filter is not asked of it.
            return await self._store.playing_matches(
                but_of=caller.account, now=self._store.clock(), game=game, before=before, limit=limit,
                wanted=None if wanted is None else with_state(wanted, MatchState.PLAYING), rising=rising,
            )  # fmt: skip
        return await self._store.matches_of(
            caller.account, active=which is Which.MINE_ACTIVE, my_turn=which is Which.MY_TURN, game=game,
            before=before, limit=limit, wanted=wanted, rising=rising,
        )  # fmt: skip

    async def _as_seen(self, match: Match) -> Match | None:
        """A match as spectators see it, who may be late; None where it is not under way for them any more."""
        if match.spectator_delay:
            try:
                seen, _ = await self._spectating.late(Live(match, None, None))
            except Forbidden:  # it was committed a moment after it is noted to have started
                return None
            match = seen.match
        return match if match.state is MatchState.PLAYING else None


async def active_matches(store: Store, account_id: str) -> AsyncIterator[Match]:
    """The matches of an account that are not over, the latest created first, page by page from the store."""
    before: tuple[Micros, str] | None = None
    while True:
        found = await store.matches_of(account_id, active=True, my_turn=False, game=None, before=before, limit=_PAGE)
        for match in found:
            yield match
        if len(found) < _PAGE:
            return
        before = (found[-1].created_at, found[-1].id)
