"""A pipeline and a front whose methods do what a test says, over a real socket."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, cast

from prometheus_client import CollectorRegistry

from chautari.app.accounts import Accounts
from chautari.app.caller import Caller as AppCaller
from chautari.app.revocations import Listener
from chautari.app.tokens import Identity
from chautari.errors import Unauthenticated
from chautari.v1 import server_pb2
from chautari.wire.grpc import GrpcFront, GrpcOptions
from chautari.wire.limits import Limits
from chautari.wire.methods import Feed, Method
from chautari.wire.metrics import Metrics
from chautari.wire.pipeline import Pipeline, Timing
from tests.wire.made import allowed, methods
from tests.wire.served import Caller

INFO = "/chautari.v1.Server/GetServerInfo"
WATCH = "/chautari.v1.Play/Watch"
TOKEN = "token-of-sita"

Answer = Callable[[AppCaller, Any], Awaitable[Any]]


class SignedIn:
    """Knows one token, and what it may be used for."""

    def __init__(self) -> None:
        self.identity = Identity("sita", 2**62, "sign-in")

    def on_revoked(self, listener: Listener) -> None:
        """Keeps who wants to know."""
        self.revoked = listener

    def known(self, token: str) -> Identity | None:
        """Nobody is remembered."""
        del token
        return None

    async def authenticate(self, token: str) -> Identity:
        """Sita, or nobody."""
        if token != TOKEN:
            raise Unauthenticated("TOKEN_INVALID", "none of ours")
        return self.identity


class StandIn:
    """A front whose `GetServerInfo` and `Watch` a test can set."""

    def __init__(self, timing: Timing, logged: float, options: GrpcOptions) -> None:
        self.registry = CollectorRegistry()
        self.accounts = SignedIn()
        accounts = cast("Accounts", self.accounts)
        self.pipeline = Pipeline(accounts, Limits(allowed()), Metrics(self.registry), timing=timing, logged=logged)
        self.answer: Answer = self._info
        self.items: Callable[[], AsyncGenerator[Any]] = self._nothing
        self.closed = asyncio.Event()
        of = dict(methods())
        of[INFO] = replace(of[INFO], answer=self._answer)
        of[WATCH] = replace(of[WATCH], open=self._open)
        self.methods: dict[str, Method] = of
        self.front = GrpcFront(self.pipeline, of, options)
        self.callers: list[Caller] = []
        self.port = 0

    def caller(self, *options: tuple[str, Any]) -> Caller:
        """Another connection, signed in."""
        caller = Caller(f"127.0.0.1:{self.port}", options)
        caller.token = TOKEN
        self.callers.append(caller)
        return caller

    def count(self, path: str, outcome: str) -> float:
        """How many calls ended so."""
        return self.registry.get_sample_value("chautari_calls_total", {"method": path, "outcome": outcome}) or 0.0

    async def _answer(self, caller: AppCaller, request: Any) -> Any:
        return await self.answer(caller, request)

    async def _info(self, caller: AppCaller, request: Any) -> server_pb2.ServerInfo:
        del caller, request
        return server_pb2.ServerInfo(version="1")

    def _open(self, caller: AppCaller, request: Any) -> Feed:
        del caller
        return Feed(self._watched(), _encode, request.match.removeprefix("matches/"), request.after_revision)

    async def _watched(self) -> AsyncGenerator[Any]:
        try:
            async for item in self.items():
                yield item
        finally:
            self.closed.set()

    async def _nothing(self) -> AsyncGenerator[Any]:
        return
        yield


def _encode(item: Any) -> bytes:
    from chautari.wire.convert.streams import encode_update

    return item if isinstance(item, bytes) else encode_update(item)


@asynccontextmanager
async def standing_in(timing: Timing | None = None, logged: float = 0.0, **options: Any) -> AsyncIterator[StandIn]:
    """A front that runs."""
    stand_in = StandIn(timing or Timing(), logged, GrpcOptions(port=0, **options))
    stand_in.pipeline.start()
    stand_in.port = await stand_in.front.start()
    try:
        yield stand_in
    finally:
        for caller in stand_in.callers:
            await caller.channel.close()
        await stand_in.front.stop(0)
        await stand_in.pipeline.stop()
