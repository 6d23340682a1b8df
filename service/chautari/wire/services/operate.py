"""Operate: what operators do. Each method is noted in the audit log, also where it is refused at the door."""

from collections.abc import Callable
from typing import Any, Final

from chautari.app.caller import Caller
from chautari.app.noting import Operator
from chautari.app.operating import Operating
from chautari.app.scopes import Scope
from chautari.app.signing_keys import SigningKeys
from chautari.app.values import Match
from chautari.v1 import match_pb2, operate_pb2
from chautari.wire.convert import operate as convert
from chautari.wire.convert.plain import id_of, read_time
from chautari.wire.methods import Needs, method
from chautari.wire.requests import request_key

_theirs: Final = method(Needs.ACCOUNT, scope=Scope.OPERATE)
Online = Callable[[Match, Caller], frozenset[str]]


class Operate:
    """The service `Operate`."""

    def __init__(
        self, operating: Operating, signing_keys: SigningKeys, online: Online,
        operator: Callable[[Caller], Operator] = Operator.of,
    ) -> None:  # fmt: skip
        """online: who watches a match; operator: who a caller is, at the console the one who sits there."""
        self._operating = operating
        self._signing_keys = signing_keys
        self._online = online
        self._operator = operator

    async def at_door(self, caller: Caller | None, path: str, reason: str) -> None:
        """A call was refused before its method was reached."""
        await self._operating.noting.refused(caller, path.rpartition("/")[2], reason)

    @_theirs
    async def find_accounts(
        self, caller: Caller, request: operate_pb2.FindAccountsRequest
    ) -> operate_pb2.FindAccountsResponse:
        """Finds accounts."""
        found, token = await self._operating.find_accounts(
            self._operator(caller), convert.account_question(request), request.page_size, request.page_token
        )
        files = [convert.account_file(row) for row in found]
        return operate_pb2.FindAccountsResponse(accounts=files, next_page_token=token)

    @_theirs
    async def find_matches(
        self, caller: Caller, request: operate_pb2.FindMatchesRequest
    ) -> operate_pb2.FindMatchesResponse:
        """Finds matches."""
        found, token = await self._operating.find_matches(
            self._operator(caller), convert.match_question(request), request.page_size, request.page_token
        )
        matches = [convert.match_for_operators(match) for match in found]
        return operate_pb2.FindMatchesResponse(matches=matches, next_page_token=token)

    @_theirs
    async def inspect_match(
        self, caller: Caller, request: operate_pb2.InspectMatchRequest
    ) -> operate_pb2.InspectMatchResponse:
        """Shows a match."""
        file = await self._operating.inspect(
            self._operator(caller), id_of(request.match), reveal=request.reveal, reason=request.reason
        )
        return convert.match_file(file, self._online(file.match, caller))

    @_theirs
    async def end_match(self, caller: Caller, request: operate_pb2.EndMatchRequest) -> match_pb2.Match:
        """Ends a match."""
        key = request_key("EndMatch", request)
        match = await self._operating.end_match(
            self._operator(caller), id_of(request.match), convert.ENDINGS[request.ending], reason=request.reason,
            note=request.note, request=key,
        )  # fmt: skip
        return convert.match_for_operators(match)

    @_theirs
    async def ban_account(self, caller: Caller, request: operate_pb2.BanAccountRequest) -> operate_pb2.Ban:
        """Bans an account."""
        key = request_key("BanAccount", request)
        until = read_time(request.end_time) if request.HasField("end_time") else None
        ban = await self._operating.ban(
            self._operator(caller), id_of(request.account), until, reason=request.reason, request=key
        )
        return convert.ban_to_proto(ban)

    @_theirs
    async def lift_ban(self, caller: Caller, request: operate_pb2.LiftBanRequest) -> operate_pb2.LiftBanResponse:
        """Lifts a ban."""
        key = request_key("LiftBan", request)
        await self._operating.lift_ban(
            self._operator(caller), id_of(request.account), reason=request.reason, request=key
        )  # fmt: skip
        return operate_pb2.LiftBanResponse()

    @_theirs
    async def list_signing_keys(
        self, caller: Caller, request: operate_pb2.ListSigningKeysRequest
    ) -> operate_pb2.ListSigningKeysResponse:
        """Lists the keys that sign access tokens."""
        del request
        return convert.signing_keys(await self._signing_keys.list_keys(self._operator(caller)))

    @_theirs
    async def rotate_signing_keys(
        self, caller: Caller, request: operate_pb2.RotateSigningKeysRequest
    ) -> operate_pb2.ListSigningKeysResponse:
        """Makes a new key."""
        key = request_key("RotateSigningKeys", request)
        keys = await self._signing_keys.rotate(self._operator(caller), reason=request.reason, request=key)
        return convert.signing_keys(keys)

    @_theirs
    async def revoke_signing_key(
        self, caller: Caller, request: operate_pb2.RevokeSigningKeyRequest
    ) -> operate_pb2.ListSigningKeysResponse:
        """Revokes a key."""
        key = request_key("RevokeSigningKey", request)
        keys = await self._signing_keys.revoke(
            self._operator(caller), request.kid, reason=request.reason, request=key
        )  # fmt: skip
        return convert.signing_keys(keys)

    @_theirs
    async def list_audit(self, caller: Caller, request: operate_pb2.ListAuditRequest) -> operate_pb2.ListAuditResponse:
        """Lists the audit log."""
        found, token = await self._operating.audit(
            self._operator(caller), convert.audit_question(request), request.page_size, request.page_token
        )
        entries = [convert.audit_entry(entry) for entry in found]
        return operate_pb2.ListAuditResponse(entries=entries, next_page_token=token)

    @_theirs
    async def check_audit(self, caller: Caller, request: operate_pb2.CheckAuditRequest) -> Any:
        """Checks the seals of the audit log."""
        del request
        checked = await self._operating.check_audit(self._operator(caller))
        return operate_pb2.CheckAuditResponse(entries=checked.entries, broken=checked.broken)
