"""What the host of a match may do before its start, without an event loop."""

from collections.abc import Coroutine, Mapping
from typing import Any, TypeVar

from chautari.v1 import match_pb2
from chautari_client.hosting import Hosting
from chautari_client.naming import AccountRef, MatchRef

T = TypeVar("T")


class SyncHosting:
    """The part of `SyncClient` that hosts need."""

    _client: Hosting

    def update_match(
        self, match: MatchRef, changes: match_pb2.Match | None = None, *,
        settings: Mapping[str, object] | None = None, fields: tuple[str, ...] = (), etag: str = "",
        request_id: str | None = None,
    ) -> match_pb2.Match:  # fmt: skip
        """Changes a match before its start."""
        return self._run(
            self._client.update_match(
                match, changes, settings=settings, fields=fields, etag=etag, request_id=request_id
            )
        )

    def remove(
        self, match: MatchRef, account: AccountRef, *, request_id: str | None = None
    ) -> match_pb2.Match:  # fmt: skip
        """Takes an account's seats from it, and keeps it out."""
        return self._run(self._client.remove(match, account, request_id=request_id))

    def readmit(
        self, match: MatchRef, account: AccountRef, *, request_id: str | None = None
    ) -> match_pb2.Match:  # fmt: skip
        """Lets an account that was removed sit down again."""
        return self._run(self._client.readmit(match, account, request_id=request_id))

    def hand_on(
        self, match: MatchRef, account: AccountRef, *, request_id: str | None = None
    ) -> match_pb2.Match:  # fmt: skip
        """Makes another account the host."""
        return self._run(self._client.hand_on(match, account, request_id=request_id))

    def close_match(
        self, match: MatchRef, *, request_id: str | None = None
    ) -> match_pb2.Match:  # fmt: skip
        """Ends a match before its start."""
        return self._run(self._client.close_match(match, request_id=request_id))

    def renew_code(
        self, match: MatchRef, *, request_id: str | None = None
    ) -> match_pb2.Match:  # fmt: skip
        """Gives a match another code."""
        return self._run(self._client.renew_code(match, request_id=request_id))

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        raise NotImplementedError
