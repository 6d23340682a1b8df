"""How the use cases change a match: once for each request, and what a repeated one is answered."""

from collections.abc import Awaitable, Callable

from chautari.app import access
from chautari.app.account_values import Account
from chautari.app.caller import Caller
from chautari.app.live import Change, Live, LiveMatches
from chautari.app.ports import RequestSeen, Store, request_matches
from chautari.app.spectating import Spectating, is_end_ahead
from chautari.app.values import Match, MatchState, Micros, RequestKey
from chautari.errors import Conflict, Forbidden, Malformed, NotFound, RequestReused, WrongState


class Unchanged(Exception):
    """Nothing is to be done: the match stays as it is."""

    def __init__(self, match: Match) -> None:
        super().__init__()
        self.match = match


class Changes:
    """Changes of matches, and what is answered to one that comes again."""

    def __init__(self, store: Store, live: LiveMatches, spectating: Spectating) -> None:
        self._store = store
        self._live = live
        self._spectating = spectating
        self._end: Callable[[str], Awaitable[None]] | None = None

    def on_ended(self, end: Callable[[str], Awaitable[None]]) -> None:
        """end: gives up what an account that has ended got by a call that it was still making."""
        self._end = end

    async def change(
        self, caller: Caller, match_id: str, make: Callable[[Live | None], Change], request: RequestKey | None
    ) -> Match:
        """The match as `make` changes it, or leaves it by raising Unchanged; for a repeated request the earlier answer.

        RequestReused; what `make` raises.
        """
        try:
            return (await self._live.change(match_id, make)).live.match
        except Unchanged as unchanged:
            entry = await self._store.find_request(caller.account, request, match_id) if request is not None else None
            return unchanged.match if entry is None else await self.again(caller, RequestSeen(entry), request)
        except RequestSeen as seen:
            return await self.again(caller, seen, request)
        except (Conflict, Forbidden, Malformed):
            if request is not None:
                entry = await self._store.find_request(caller.account, request, match_id)
                if entry is not None:
                    return await self.again(caller, RequestSeen(entry), request)
            raise

    async def again(self, caller: Caller, seen: RequestSeen, request: RequestKey | None) -> Match:
        """The answer to a repeated request: the match that it made or changed; as it left it, to who is not in it."""
        if request is None or not request_matches(seen.entry, request):
            raise RequestReused
        live = await self._live.load(seen.entry.match_id, fresh=True)
        if live is None:
            raise access.no_access()
        if not access.is_member(live.match, caller):
            return await self._spectating.at(live.match, seen.entry.revision)
        return live.match

    async def account(self, caller: Caller) -> Account:
        """The account of the caller; NotFound `ACCOUNT_UNKNOWN`."""
        account = await self._store.find_account(caller.account)
        if account is None or account.is_closed:
            raise account_unknown()
        return account

    async def seated(self, account: Account, match: Match) -> Match:
        """The match, where the account that has just been given a seat in it still exists; NotFound `ACCOUNT_UNKNOWN`.

        Whoever ends an account closes it first and looks for its matches then, and whoever seats it looks at it
        last: whichever of the two comes later sees what the other did, in whatever process.
        """
        now = await self._store.find_account(account.id)
        if now is not None and not now.is_closed:
            return match
        if self._end is not None:
            await self._end(account.id)
        raise account_unknown()


def account_unknown() -> NotFound:
    """The refusal of an account that has ended while it called."""
    return NotFound("ACCOUNT_UNKNOWN", "your account does not exist any more")


def before_start(match: Match, caller: Caller, now: Micros) -> Match:
    """The match, where it has not started; WrongState `MATCH_STARTED`, `MATCH_OVER` name it to who may watch it.

    That it has started is told to all, and that it is over when they see it.
    """
    named = {"match": f"matches/{match.id}"} if access.may_watch(match, caller) else {}
    if match.is_over and not is_end_ahead(match, caller, now):
        raise WrongState("MATCH_OVER", "the match has ended", **named)
    if match.state is not MatchState.SEATING:
        message = "the match has started: nobody sits down any more, and who gives a seat up resigns it"
        raise WrongState("MATCH_STARTED", message, **named)
    return match


def hosted(live: Live | None, caller: Caller, now: Micros) -> Match:
    """The match, for its host, where it has not started; Forbidden `NO_ACCESS`, `NOT_HOST` to who may see it."""
    match = access.known(live, caller).match
    if match.host != caller.account:
        raise Forbidden("NOT_HOST", "only the host of the match may do this")
    return before_start(match, caller, now)
