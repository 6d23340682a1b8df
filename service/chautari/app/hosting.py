"""What the host of a match may do before its start: arrange it, remove, readmit, hand on, close, renew its code."""

from collections.abc import Callable
from typing import Final

import msgspec

from chautari.app import access, arranging, seating
from chautari.app.arranging import Arrangement
from chautari.app.caller import Caller
from chautari.app.changes import Changes, Unchanged, hosted
from chautari.app.events import AnyEvent, HostChanged, MatchArranged
from chautari.app.live import Change, Live
from chautari.app.name_words import NameWords
from chautari.app.new_matches import Terms, begun_if_full, new_code
from chautari.app.ports import Store
from chautari.app.values import Cause, EndReason, Match, RequestKey, SeatState
from chautari.errors import Malformed, StaleRevision

_MOST_BARRED: Final = 200
"""So many accounts at most are kept out of a match; whoever was removed first may come back first."""
_TRIES: Final = 20


class Hosting:
    """The use cases of hosts. Each raises Forbidden `NO_ACCESS` or `NOT_HOST`, and WrongState `MATCH_STARTED` or
    `MATCH_OVER`."""

    def __init__(self, store: Store, changes: Changes, terms: Terms, words: NameWords) -> None:
        self._store = store
        self._changes = changes
        self._terms = terms
        self._words = words

    async def arrange(
        self, caller: Caller, match_id: str, wanted: Arrangement, etag: str = "", request: RequestKey | None = None
    ) -> Match:
        """Changes what was decided when the match was made, see `arranging.arrange`.

        StaleRevision where `etag` is given and not that of the match as it is.
        """

        def make(live: Live | None) -> Change:
            match = hosted(live, caller, self._store.clock())
            if etag and etag != str(match.revision):
                raise StaleRevision(match.revision)
            arranged, fields = arranging.arrange(match, wanted)
            if not fields:
                raise Unchanged(match)
            if "title" in fields:
                self._words.check(arranged.title, "match.title")
            return begun_if_full(
                arranged, [MatchArranged(fields)], caller.account, request, self._store.clock()
            )  # fmt: skip

        return await self._changes.change(caller, match_id, make, request)

    async def remove(self, caller: Caller, match_id: str, account_id: str, request: RequestKey | None = None) -> Match:
        """Takes an account's seats from it. If it sat on one it cannot sit down again until it is readmitted.

        Malformed `REQUEST_INVALID` for oneself; WrongState `NOT_IN_MATCH`.
        """

        def change(match: Match) -> tuple[Match, list[AnyEvent]]:
            if account_id == caller.account:
                raise Malformed("REQUEST_INVALID", "leave the match instead of removing yourself", field="account")
            seats = match.seats_of(account_id)
            if not seats:
                if account_id in match.barred:
                    raise Unchanged(match)
                raise access.not_in_match()
            sat = any(match.chairs[seat].state is SeatState.TAKEN for seat in seats)
            match, events = seating.take_from(match, account_id, seats)
            if sat:
                barred = (*match.barred, account_id)[-_MOST_BARRED:]
                match = msgspec.structs.replace(match, barred=barred)
            return match, events

        return await self._change(caller, match_id, change, request)

    async def readmit(self, caller: Caller, match_id: str, account_id: str, request: RequestKey | None = None) -> Match:
        """Lets somebody whom the host has removed sit down again; nothing where nobody removed it."""

        def change(match: Match) -> tuple[Match, list[AnyEvent]]:
            if account_id not in match.barred:
                raise Unchanged(match)
            barred = tuple(one for one in match.barred if one != account_id)
            return msgspec.structs.replace(match, barred=barred), []

        return await self._change(caller, match_id, change, request)

    async def hand_on(self, caller: Caller, match_id: str, account_id: str, request: RequestKey | None = None) -> Match:
        """Makes another account that sits in the match its host; WrongState `NOT_IN_MATCH`."""

        def change(match: Match) -> tuple[Match, list[AnyEvent]]:
            if account_id == match.host:
                raise Unchanged(match)
            if not any(match.chairs[seat].state is SeatState.TAKEN for seat in match.seats_of(account_id)):
                raise access.not_in_match()
            return msgspec.structs.replace(match, host=account_id), [HostChanged(account_id)]

        return await self._change(caller, match_id, change, request)

    async def close(self, caller: Caller, match_id: str, request: RequestKey | None = None) -> Match:
        """Ends a match before its start."""

        def change(match: Match) -> tuple[Match, list[AnyEvent]]:
            return seating.closed(match, EndReason.CLOSED, self._store.clock())

        return await self._change(caller, match_id, change, request)

    async def renew_code(self, caller: Caller, match_id: str, request: RequestKey | None = None) -> Match:
        """Gives a match another code, with a whole life before it; the one it had stops working."""

        def change(match: Match) -> tuple[Match, list[AnyEvent]]:
            expires_at = self._store.clock() + self._terms.code
            return msgspec.structs.replace(match, code=code, code_expires_at=expires_at), [MatchArranged(("code",))]

        for _ in range(_TRIES):
            code = new_code()
            if await self._store.find_by_code(code) is not None:
                continue
            try:
                return await self._change(caller, match_id, change, request)
            except ValueError as taken:  # another match has got it meanwhile
                if str(taken) != "code":
                    raise
        raise AssertionError("no free code was found in twenty tries")

    async def _change(
        self, caller: Caller, match_id: str, change: Callable[[Match], tuple[Match, list[AnyEvent]]],
        request: RequestKey | None,
    ) -> Match:  # fmt: skip
        def make(live: Live | None) -> Change:
            match, events = change(hosted(live, caller, self._store.clock()))
            return Change(
                match=match, position=None, fair=None, events=events, cause=Cause.SEATING,
                account_id=caller.account, request=request, chairs=True,
            )  # fmt: skip

        return await self._changes.change(caller, match_id, make, request)
