"""A server of the API in this process that does what a test says: it knows no game and keeps nothing."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import NoReturn

import grpc
from google.protobuf import any_pb2, duration_pb2, timestamp_pb2
from google.rpc import error_details_pb2, status_pb2

from chautari.v1 import accounts_pb2, event_pb2, match_pb2, matches_pb2, play_pb2, server_pb2, view_pb2
from chautari.v1.accounts_pb2_grpc import AccountsServicer, add_AccountsServicer_to_server
from chautari.v1.matches_pb2_grpc import MatchesServicer, add_MatchesServicer_to_server
from chautari.v1.play_pb2_grpc import PlayServicer, add_PlayServicer_to_server
from chautari.v1.server_pb2_grpc import ServerServicer, add_ServerServicer_to_server

Code = grpc.StatusCode
Context = grpc.aio.ServicerContext[object, object]


class Fails(Exception):
    """An answer that is an error, with the details that Chautari gives."""

    def __init__(
        self, code: grpc.StatusCode, reason: str = "", message: str = "no", *, domain: str = "chautari",
        metadata: dict[str, str] | None = None, field: str = "", wait: float | None = None,
    ) -> None:  # fmt: skip
        super().__init__(message)
        self.code, self.message = code, message
        details: list[any_pb2.Any] = []
        parts: list[object] = []
        if reason:
            parts.append(error_details_pb2.ErrorInfo(reason=reason, domain=domain, metadata=metadata or {}))
        if field:
            violation = error_details_pb2.BadRequest.FieldViolation(field=field, description="must be right")
            parts.append(error_details_pb2.BadRequest(field_violations=[violation]))
        if wait is not None:
            delay = duration_pb2.Duration(nanos=int(wait * 1e9))
            parts.append(error_details_pb2.RetryInfo(retry_delay=delay))
        for part in parts:
            packed = any_pb2.Any()
            packed.Pack(part)  # type: ignore[arg-type]  # each part is a message
            details.append(packed)
        self.status = status_pb2.Status(code=code.value[0], message=message, details=details)

    async def abort(self, context: "Context") -> NoReturn:
        """Ends the call with this error."""
        blob = self.status.SerializeToString()
        await context.abort(self.code, self.message, (("grpc-status-details-bin", blob),))
        raise AssertionError("abort returned")


Sent = play_pb2.Update | play_pb2.MineUpdate | Fails | float
"""What a stream does next: send a message, fail, or wait so many seconds."""


class Fake(PlayServicer, MatchesServicer, AccountsServicer, ServerServicer):
    """What the client is told, and what it asked."""

    def __init__(self) -> None:
        self.acts: list[play_pb2.ActRequest] = []
        self.answers: list[play_pb2.ActResponse | Fails | float] = []
        self.watches: list[play_pb2.WatchRequest] = []
        self.streams: list[Iterable[Sent]] = []
        self.tokens_seen: list[str] = []
        self.valid_token = "access-1"
        self.renewals: list[str] = []
        self.lists: list[matches_pb2.ListMatchesRequest] = []
        self.view = view_pb2.View()
        self.created: list[matches_pb2.CreateMatchRequest] = []
        self.streams_open = 0
        self.heartbeat_seconds: int | Fails = 0
        self.asked_for_limits = 0

    async def _check(self, context: Context) -> None:
        headers = dict(context.invocation_metadata() or ())
        given = str(headers.get("authorization", "")).removeprefix("Bearer ")
        self.tokens_seen.append(given)
        if given != self.valid_token:
            reason = "TOKEN_EXPIRED" if given else "TOKEN_MISSING"
            await Fails(Code.UNAUTHENTICATED, reason).abort(context)

    async def CreateGuest(  # noqa: N802  # the name of the method in the proto
        self, request: accounts_pb2.CreateGuestRequest, context: Context
    ) -> accounts_pb2.CreateGuestResponse:
        account = accounts_pb2.Account(name="accounts/a1", display_name=request.display_name)
        tokens = accounts_pb2.Tokens(access_token=self.valid_token, refresh_token="refresh-1")
        return accounts_pb2.CreateGuestResponse(account=account, tokens=tokens)

    async def RefreshToken(  # noqa: N802
        self, request: accounts_pb2.RefreshTokenRequest, context: Context
    ) -> accounts_pb2.RefreshTokenResponse:
        self.renewals.append(request.refresh_token)
        await asyncio.sleep(0.02)
        number = len(self.renewals) + 1
        tokens = accounts_pb2.Tokens(access_token=self.valid_token, refresh_token=f"refresh-{number}")
        return accounts_pb2.RefreshTokenResponse(tokens=tokens)

    async def GetServerInfo(  # noqa: N802
        self, request: server_pb2.GetServerInfoRequest, context: Context
    ) -> server_pb2.ServerInfo:
        self.asked_for_limits += 1
        if isinstance(self.heartbeat_seconds, Fails):
            await self.heartbeat_seconds.abort(context)
        limits = server_pb2.ServerLimits(heartbeat_seconds=self.heartbeat_seconds)
        return server_pb2.ServerInfo(limits=limits)

    async def CreateMatch(  # noqa: N802
        self, request: matches_pb2.CreateMatchRequest, context: Context
    ) -> match_pb2.Match:
        await self._check(context)
        self.created.append(request)
        return match_pb2.Match(name="matches/m1", game=request.game)

    async def ListMatches(  # noqa: N802
        self, request: matches_pb2.ListMatchesRequest, context: Context
    ) -> matches_pb2.ListMatchesResponse:
        await self._check(context)
        self.lists.append(request)
        start = int(request.page_token or "0")
        names = [f"matches/m{number}" for number in range(start, start + 2)]
        return matches_pb2.ListMatchesResponse(
            matches=[match_pb2.Match(name=name) for name in names], next_page_token=str(start + 2) if start < 4 else ""
        )

    async def Act(  # noqa: N802
        self, request: play_pb2.ActRequest, context: Context
    ) -> play_pb2.ActResponse:
        await self._check(context)
        self.acts.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Fails):
            await answer.abort(context)
        if isinstance(answer, float):
            await asyncio.sleep(answer)
            return play_pb2.ActResponse()
        return answer

    async def View(  # noqa: N802
        self, request: play_pb2.ViewRequest, context: Context
    ) -> view_pb2.View:
        await self._check(context)
        return self.view

    async def Watch(  # noqa: N802
        self, request: play_pb2.WatchRequest, context: Context
    ) -> AsyncIterator[play_pb2.Update]:
        await self._check(context)
        self.watches.append(request)
        async for message in self._play(context):
            assert isinstance(message, play_pb2.Update)
            yield message

    async def WatchMine(  # noqa: N802
        self, request: play_pb2.WatchMineRequest, context: Context
    ) -> AsyncIterator[play_pb2.MineUpdate]:
        await self._check(context)
        async for message in self._play(context):
            assert isinstance(message, play_pb2.MineUpdate)
            yield message

    async def _play(self, context: Context) -> AsyncIterator[play_pb2.Update | play_pb2.MineUpdate]:
        self.streams_open += 1
        try:
            for sent in self.streams.pop(0):
                if isinstance(sent, Fails):
                    await sent.abort(context)
                elif isinstance(sent, float):
                    await asyncio.sleep(sent)
                else:
                    yield sent
        finally:
            self.streams_open -= 1


def make_fake() -> Fake:
    """A fake; methods that no test calls are not there."""
    return Fake()  # type: ignore[abstract]  # the generated base answers the others with UNIMPLEMENTED


@asynccontextmanager
async def serving(fake: Fake, port: int = 0) -> AsyncIterator[str]:
    """The fake behind a port of its own; gives the address."""
    server = grpc.aio.server()
    add_PlayServicer_to_server(fake, server)
    add_MatchesServicer_to_server(fake, server)
    add_AccountsServicer_to_server(fake, server)
    add_ServerServicer_to_server(fake, server)
    port = server.add_insecure_port(f"127.0.0.1:{port}")
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(0)


def step(revision: int, *events: event_pb2.Event, head: bool = False) -> play_pb2.Update:
    """A step of the match `m1`."""
    time = timestamp_pb2.Timestamp(seconds=revision)
    sent = play_pb2.Step(time=time, events=events, head=play_pb2.Head() if head else None)
    return play_pb2.Update(match="matches/m1", revision=revision, step=sent)


def beat(revision: int) -> play_pb2.Update:
    """A heartbeat."""
    return play_pb2.Update(match="matches/m1", revision=revision, heartbeat=play_pb2.Heartbeat())


def end(revision: int, cause: play_pb2.EndCause, *, resume: bool, wait: float = 0.0) -> play_pb2.Update:
    """The last message of a stream."""
    ended = play_pb2.StreamEnd(cause=cause, resume=resume, retry_milliseconds=int(wait * 1000))
    return play_pb2.Update(match="matches/m1", revision=revision, end=ended)


OVER: Callable[[int], play_pb2.Update] = lambda revision: end(revision, play_pb2.END_CAUSE_MATCH_OVER, resume=False)  # noqa: E731
