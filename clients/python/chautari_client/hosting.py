"""What the host of a match may do before its start: change it, remove and readmit, hand on, close, renew its code."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from chautari.v1 import hosting_pb2, match_pb2, matches_pb2
from chautari_client.connection import Connection
from chautari_client.naming import AccountRef, MatchRef, name_of, request_id_of
from chautari_client.plain import to_struct

if TYPE_CHECKING:
    from chautari.v1.hosting_pb2_grpc import HostingAsyncStub
    from chautari.v1.matches_pb2_grpc import MatchesAsyncStub


class Hosting:
    """The methods of hosts; `Client` has them."""

    _connection: Connection
    _matches: "MatchesAsyncStub"
    _hosting: "HostingAsyncStub"

    async def update_match(
        self, match: MatchRef, changes: match_pb2.Match | None = None, *,
        settings: Mapping[str, object] | None = None, fields: tuple[str, ...] = (), etag: str = "",
        request_id: str | None = None,
    ) -> match_pb2.Match:  # fmt: skip
        """Changes a match before its start: what is set in `changes`, or its `fields`, and these settings.

        etag: that of the match as it was seen; Stale where it has changed since.
        """
        request = matches_pb2.UpdateMatchRequest(request_id=request_id_of(request_id))
        if changes is not None:
            request.match.CopyFrom(changes)
        request.match.name, request.match.etag = name_of(match), etag
        if settings is not None:
            request.match.settings.CopyFrom(to_struct(settings))
        request.update_mask.paths.extend(fields)
        if fields and settings is not None:
            request.update_mask.paths.extend(f"settings.{name}" for name in settings)
        return await self._connection.call(self._matches.UpdateMatch, request)

    async def remove(self, match: MatchRef, account: AccountRef, *, request_id: str | None = None) -> match_pb2.Match:
        """Takes an account's seats from it, and keeps it out until it is readmitted."""
        request = hosting_pb2.RemoveFromMatchRequest(
            name=name_of(match), account=name_of(account), request_id=request_id_of(request_id)
        )
        return await self._connection.call(self._hosting.RemoveFromMatch, request)

    async def readmit(self, match: MatchRef, account: AccountRef, *, request_id: str | None = None) -> match_pb2.Match:
        """Lets an account that was removed sit down again."""
        request = hosting_pb2.ReadmitToMatchRequest(
            name=name_of(match), account=name_of(account), request_id=request_id_of(request_id)
        )
        return await self._connection.call(self._hosting.ReadmitToMatch, request)

    async def hand_on(self, match: MatchRef, account: AccountRef, *, request_id: str | None = None) -> match_pb2.Match:
        """Makes another account that sits in the match its host."""
        request = hosting_pb2.TransferHostRequest(
            name=name_of(match), account=name_of(account), request_id=request_id_of(request_id)
        )
        return await self._connection.call(self._hosting.TransferHost, request)

    async def close_match(
        self, match: MatchRef, *, request_id: str | None = None
    ) -> match_pb2.Match:  # fmt: skip
        """Ends a match before its start."""
        request = hosting_pb2.CloseMatchRequest(name=name_of(match), request_id=request_id_of(request_id))
        return await self._connection.call(self._hosting.CloseMatch, request)

    async def renew_code(
        self, match: MatchRef, *, request_id: str | None = None
    ) -> match_pb2.Match:  # fmt: skip
        """Gives a match another code; the one it had stops working."""
        request = hosting_pb2.RenewCodeRequest(name=name_of(match), request_id=request_id_of(request_id))
        return await self._connection.call(self._hosting.RenewCode, request)
