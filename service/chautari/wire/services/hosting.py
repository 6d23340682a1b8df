"""Hosting: what the host of a match may do before its start."""

from chautari.app.caller import Caller
from chautari.app.service import App
from chautari.app.values import Match
from chautari.v1 import hosting_pb2, match_pb2
from chautari.wire.convert.matches import match_to_proto
from chautari.wire.convert.plain import id_of
from chautari.wire.requests import request_key


class Hosting:
    """The service `Hosting`."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._hosting = app.hosting

    async def remove_from_match(self, caller: Caller, request: hosting_pb2.RemoveFromMatchRequest) -> match_pb2.Match:
        """Takes an account's seats from it, and keeps it out."""
        key = request_key("RemoveFromMatch", request)
        account = id_of(request.account)
        return self._answer(await self._hosting.remove(caller, id_of(request.name), account, key), caller)

    async def readmit_to_match(self, caller: Caller, request: hosting_pb2.ReadmitToMatchRequest) -> match_pb2.Match:
        """Lets an account sit down again."""
        key = request_key("ReadmitToMatch", request)
        account = id_of(request.account)
        return self._answer(await self._hosting.readmit(caller, id_of(request.name), account, key), caller)

    async def transfer_host(self, caller: Caller, request: hosting_pb2.TransferHostRequest) -> match_pb2.Match:
        """Makes another account the host."""
        key = request_key("TransferHost", request)
        account = id_of(request.account)
        return self._answer(await self._hosting.hand_on(caller, id_of(request.name), account, key), caller)

    async def close_match(self, caller: Caller, request: hosting_pb2.CloseMatchRequest) -> match_pb2.Match:
        """Ends a match before its start."""
        key = request_key("CloseMatch", request)
        return self._answer(await self._hosting.close(caller, id_of(request.name), key), caller)

    async def renew_code(self, caller: Caller, request: hosting_pb2.RenewCodeRequest) -> match_pb2.Match:
        """Gives a match another code."""
        key = request_key("RenewCode", request)
        return self._answer(await self._hosting.renew_code(caller, id_of(request.name), key), caller)

    def _answer(self, match: Match, caller: Caller) -> match_pb2.Match:
        return match_to_proto(match, caller, self._app.watching.online(match, caller), self._app.store.outages)
