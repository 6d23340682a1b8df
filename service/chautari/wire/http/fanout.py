"""Many who watch one match, for benchmarks: how soon an act has come to all of them, and what they cost at rest."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from statistics import median
from time import perf_counter
from typing import Any, Final

import grpc
import msgspec

from chautari.v1 import play_pb2
from chautari.wire.http.awake import AwakeLine
from chautari.wire.http.load import Player, answer_in, connect

_ON_A_CONNECTION: Final = 40
_MOST_SECONDS: Final = 30.0
_LAST_NEWS_SECONDS: Final = 0.2
"""So long the library has news of calls that have ended, which must not find the loop closed."""


class Fanout(msgspec.Struct, frozen=True):
    """What was measured. micros: the median of an act, itself included, for each watcher; deliveries: how many."""

    micros: float
    deliveries: int


class Events:
    """Those who read server-sent events, and beside them a player who acts.

    All of them are in one thread beside the server, on a machine of maybe two cores: what they do themselves is in the
    figure as soon as it takes them longer than the server takes to send. They are read one after another, without
    sleeping (decision 042).
    """

    def __init__(self, address: str, player: Player, number: int) -> None:
        request = (
            f"GET /v1/{player.match}:watch HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n"
            f"authorization: Bearer {player.token}\r\n\r\n"
        ).encode()
        self._player = player
        self._line = AwakeLine(address)
        self._readers = [AwakeLine(address) for _ in range(number)]
        for reader in self._readers:
            reader.send(request)
        self._revision = 1

    async def begin(self) -> None:
        """All have the first revision."""
        self._read()

    async def act(self) -> bool:
        """Acts until all have it, the player its answer too; False where the match is over."""
        self._line.send(self._player.asking())
        self._revision += 1
        self._read()
        answer = self._line.receive()
        while (body := answer_in(answer)) is None:
            answer += self._line.receive()
        revision = self._player.answered(body)
        assert revision in (0, self._revision), "nobody else changes the match"
        return revision > 0

    async def close(self) -> None:
        """Hangs up."""
        for line in (self._line, *self._readers):
            line.close()

    def _read(self) -> None:
        for reader in self._readers:
            reader.read_event(self._revision)


class Streams:
    """Those who read streams of gRPC, forty on a connection, and beside them a player who acts."""

    def __init__(self, address: str, player: Player, number: int) -> None:
        self._player = player
        self._number = number
        self._seen = 0
        self._revision = 0
        self._all = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._channels: list[grpc.aio.Channel] = []
        for start in range(0, number, _ON_A_CONNECTION):
            channel = grpc.aio.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)])
            self._channels.append(channel)
            for _ in range(min(_ON_A_CONNECTION, number - start)):
                self._tasks.append(asyncio.create_task(self._read(channel)))

    async def begin(self) -> None:
        """All have the first revision."""
        await self._have(1)

    async def act(self) -> bool:
        """Acts until all have it, the player its answer too; False where the match is over."""
        revision = await self._player.act()
        if revision:
            await self._have(revision)
        return revision > 0

    async def close(self) -> None:
        """Hangs up."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(channel.close() for channel in self._channels))
        await asyncio.sleep(_LAST_NEWS_SECONDS)

    async def _have(self, revision: int) -> None:
        """All have seen this revision, some maybe before this is asked; TimeoutError after 30 seconds."""
        if revision != self._revision:
            self._look_for(revision)
        async with asyncio.timeout(_MOST_SECONDS):
            await self._all.wait()

    async def _read(self, channel: grpc.aio.Channel) -> None:
        request = play_pb2.WatchRequest(match=self._player.match).SerializeToString()
        metadata = (("authorization", f"Bearer {self._player.token}"),)
        watch: grpc.aio.UnaryStreamMultiCallable[bytes, bytes] = channel.unary_stream("/chautari.v1.Play/Watch")
        newest = 0
        async for message in watch(request, metadata=metadata):
            revision = play_pb2.Update.FromString(message).revision
            if revision > newest:  # who comes and goes is told too, by the revision at which that was
                newest = revision
                self._sees(revision)

    def _sees(self, revision: int) -> None:
        if revision > self._revision:
            self._look_for(revision)
        if revision == self._revision:
            self._seen += 1
            if self._seen == self._number:
                self._all.set()

    def _look_for(self, revision: int) -> None:
        self._revision, self._seen = revision, 0
        self._all.clear()


@asynccontextmanager
async def _watched(
    kind: str, grpc_at: str, http_at: str, watchers: int
) -> AsyncIterator[Callable[[], Awaitable[bool]]]:  # fmt: skip
    """What acts on a match of one player that so many watch by `sse` or `grpc`, all of them from its first revision."""
    player = Player(await connect(http_at))
    await player.sit_down()
    crowd = Events(http_at, player, watchers) if kind == "sse" else Streams(grpc_at, player, watchers)
    try:
        await crowd.begin()
        yield crowd.act
    finally:
        await crowd.close()
        player.line.close()


async def measure(kind: str, grpc_at: str, http_at: str, watchers: int, seconds: float) -> Fanout:
    """Acts on a match, each when the one before has come to all who watch it by `sse` or `grpc`."""
    async with _watched(kind, grpc_at, http_at, watchers) as act:
        times: list[float] = []
        began = perf_counter()
        end = began + seconds
        while began < end and await act():
            now = perf_counter()
            times.append(now - began)
            began = now
        return Fanout(median(times) / watchers * 1e6, len(times) * watchers)


async def rest(kind: str, grpc_at: str, http_at: str, watchers: int, look: Callable[[], Any]) -> Any:
    """Opens so many streams of one match, and looks at the server while they rest."""
    async with _watched(kind, grpc_at, http_at, watchers):
        return look()
