"""Matches: create, find, join, leave, start, resign, play again."""

from typing import Final

from chautari.app import access
from chautari.app.caller import Caller
from chautari.app.scopes import Scope
from chautari.app.service import App
from chautari.app.values import Audience, Match
from chautari.v1 import match_pb2, matches_pb2
from chautari.wire.convert.arrangements import arrangement_from_proto
from chautari.wire.convert.matches import match_to_proto, new_match_from_proto, seats_from_proto, which_from_proto
from chautari.wire.convert.plain import id_of
from chautari.wire.convert.views import view_to_proto
from chautari.wire.methods import Quota, method
from chautari.wire.requests import request_key

_PAGE: Final = 20
_LARGEST_PAGE: Final = 100


def _quota(request: matches_pb2.FindMatchRequest | matches_pb2.JoinMatchRequest) -> Quota | None:
    """A code is short enough to be guessed; a link is not."""
    return Quota.CODE if request.WhichOneof("by") == "code" else None


def _code(request: matches_pb2.FindMatchRequest | matches_pb2.JoinMatchRequest) -> str | None:
    """The code as people give it, without the blanks and hyphens by which they group it; None where none is given."""
    return request.code.replace("-", "").replace(" ", "").upper() if request.HasField("code") else None


class Matches:
    """The service `Matches`."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._matches = app.matches

    async def create_match(self, caller: Caller, request: matches_pb2.CreateMatchRequest) -> match_pb2.Match:
        """Creates a match, or with `validate_only` says what it would be."""
        key = request_key("CreateMatch", request)
        new = new_match_from_proto(request)
        return self._answer(await self._matches.create(caller, new, key, request.validate_only), caller)

    async def get_match(self, caller: Caller, request: matches_pb2.GetMatchRequest) -> match_pb2.Match:
        """Gives a match."""
        return self._answer(await self._matches.get(caller, id_of(request.name), request.ticket), caller)

    async def update_match(self, caller: Caller, request: matches_pb2.UpdateMatchRequest) -> match_pb2.Match:
        """Changes a match before its start."""
        key = request_key("UpdateMatch", request)
        wanted = arrangement_from_proto(request)
        match_id, etag = id_of(request.match.name), request.match.etag
        return self._answer(await self._app.hosting.arrange(caller, match_id, wanted, etag, key), caller)

    async def list_matches(
        self, caller: Caller, request: matches_pb2.ListMatchesRequest
    ) -> matches_pb2.ListMatchesResponse:
        """Lists matches, those created last first."""
        which, game = which_from_proto(request.which), id_of(request.game) or None
        size = min(request.page_size or _PAGE, _LARGEST_PAGE)
        found, token = await self._app.lists.page(
            caller, which, game, size, request.page_token, request.filter, request.order_by
        )
        return matches_pb2.ListMatchesResponse(
            matches=[self._answer(match, caller) for match in found], next_page_token=token
        )

    @method(quota=_quota, scope=Scope.READ)
    async def find_match(self, caller: Caller, request: matches_pb2.FindMatchRequest) -> match_pb2.Match:
        """Finds a match by its code or link."""
        match = await self._matches.find(caller, code=_code(request), link=request.link or None)
        answer = self._answer(match, caller)
        if request.link and not access.may_watch(match, caller) and match.audience is Audience.LINK:
            answer.ticket = access.ticket_of(match, caller)
        return answer

    @method(quota=_quota)
    async def join_match(self, caller: Caller, request: matches_pb2.JoinMatchRequest) -> matches_pb2.JoinMatchResponse:
        """Sits the caller down."""
        key = request_key("JoinMatch", request)
        seats = seats_from_proto(request.seats)
        match = await self._matches.join(
            caller, match_id=id_of(request.name) or None, code=_code(request), link=request.link or None,
            seats=seats, count=request.count, contribution=request.contribution or None, request=key,
        )  # fmt: skip
        mine = match.seats_of(caller.account)
        named = [seat for seat in seats if seat in mine]  # a lot may have moved it
        view = await self._app.playing.joined(caller, match, min(named or mine, default=None))
        return matches_pb2.JoinMatchResponse(match=self._answer(match, caller), view=view_to_proto(view))

    async def leave_match(self, caller: Caller, request: matches_pb2.LeaveMatchRequest) -> match_pb2.Match:
        """Gives up seats before the start."""
        key = request_key("LeaveMatch", request)
        seats = seats_from_proto(request.seats)
        return self._answer(await self._matches.leave(caller, id_of(request.name), seats, key), caller)

    async def start_match(self, caller: Caller, request: matches_pb2.StartMatchRequest) -> match_pb2.Match:
        """Starts a match whose seats are all taken."""
        key = request_key("StartMatch", request)
        return self._answer(await self._matches.start(caller, id_of(request.name), key), caller)

    async def resign_match(self, caller: Caller, request: matches_pb2.ResignMatchRequest) -> match_pb2.Match:
        """Gives a seat up in a match under way."""
        key = request_key("ResignMatch", request)
        return self._answer(await self._matches.resign(caller, id_of(request.name), request.seat, key), caller)

    async def rematch_match(self, caller: Caller, request: matches_pb2.RematchMatchRequest) -> match_pb2.Match:
        """Asks for another match with the same people."""
        key = request_key("RematchMatch", request)
        contribution = request.contribution or None
        return self._answer(await self._matches.rematch(caller, id_of(request.name), contribution, key), caller)

    def _answer(self, match: Match, caller: Caller) -> match_pb2.Match:
        return match_to_proto(match, caller, self._app.watching.online(match, caller), self._app.store.outages)
