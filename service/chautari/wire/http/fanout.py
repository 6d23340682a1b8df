"""Many who watch one match, for benchmarks: how soon an act has come to all of them, and what they cost at rest."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from statistics import median
from time import perf_counter
from typing import Any, Final, cast

import grpc
import msgspec

from chautari.v1 import play_pb2
from chautari.wire.http.load import Player, connect

_BATCH: Final = 50
_END: Final = b"\n\n\r\n"
"""The end of an event, and of the chunk that it is sent as."""


class Fanout(msgspec.Struct, frozen=True):
    """What was measured. micros: the median of an act, itself included, for each watcher; deliveries: how many."""

    micros: float
    deliveries: int


class Crowd:
    """Those who watch: it knows when all of them have seen a revision."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._seen = 0
        self._revision = 0
        self._all = asyncio.Event()

    def wait_for(self, revision: int) -> Awaitable[Any]:
        """All have seen this revision; called before it is made, or by the time that it may have come."""
        if revision != self._revision:
            self._start(revision)
        return self._all.wait()

    def sees(self, revision: int) -> None:
        """One of them has seen a revision."""
        if revision > self._revision:
            self._start(revision)
        if revision == self._revision:
            self._seen += 1
            if self._seen == self._size:
                self._all.set()

    def _start(self, revision: int) -> None:
        self._revision, self._seen = revision, 0
        self._all.clear()


class Events(asyncio.Protocol):
    """Somebody who reads server-sent events, each to its end, and looks at nothing but their ids.

    All of them are in one process beside the server, on a machine of maybe two cores: what they do themselves is in the
    figure as soon as it takes them longer than the server takes to send.
    """

    def __init__(self, crowd: Crowd, request: bytes) -> None:
        self._crowd = crowd
        self._request = request
        self._held = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Asks."""
        self._transport = cast("asyncio.Transport", transport)
        self._transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        """Reads the last event that came; one that is cut in two waits for its end."""
        if self._held:
            data = self._held + data
        if not data.endswith(_END):
            self._held = data
            return
        self._held = b""
        at = data.rfind(b"\nid: ")
        if at >= 0:
            self._crowd.sees(int(data[at + 5 : data.index(b"-", at)]))

    def close(self) -> None:
        """Hangs up."""
        if self._transport is not None:
            self._transport.abort()


async def _events(address: str, player: Player, crowd: Crowd, number: int) -> list[Callable[[], Any]]:
    host, _, port = address.rpartition(":")
    request = (
        f"GET /v1/{player.match}:watch HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n"
        f"authorization: Bearer {player.token}\r\n\r\n"
    ).encode()
    loop = asyncio.get_running_loop()
    made: list[Callable[[], Any]] = []
    for start in range(0, number, _BATCH):
        batch = [
            loop.create_connection(lambda: Events(crowd, request), host, int(port))
            for _ in range(min(_BATCH, number - start))
        ]
        made += [reader.close for _, reader in await asyncio.gather(*batch)]
    return made


async def _over_grpc(address: str, player: Player, crowd: Crowd, number: int) -> list[Callable[[], Any]]:
    """Over so many streams of gRPC, forty on a connection."""
    request = play_pb2.WatchRequest(match=player.match).SerializeToString()
    metadata = (("authorization", f"Bearer {player.token}"),)
    made: list[Callable[[], Any]] = []

    async def read(channel: grpc.aio.Channel) -> None:
        watch: grpc.aio.UnaryStreamMultiCallable[bytes, bytes] = channel.unary_stream("/chautari.v1.Play/Watch")
        async for message in watch(request, metadata=metadata):
            crowd.sees(play_pb2.Update.FromString(message).revision)

    channel = None
    for index in range(number):
        if index % 40 == 0:
            channel = grpc.aio.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)])
        assert channel is not None
        made.append(asyncio.create_task(read(channel)).cancel)
    return made


@asynccontextmanager
async def _watched(
    kind: str, grpc_at: str, http_at: str, watchers: int
) -> AsyncIterator[tuple[Player, Crowd]]:  # fmt: skip
    """A match of one player that so many watch by `sse` or `grpc`, all of them from its first revision on."""
    player = Player(await connect(http_at))
    await player.sit_down()
    crowd = Crowd(watchers)
    if kind == "sse":
        close = await _events(http_at, player, crowd, watchers)
    else:
        close = await _over_grpc(grpc_at, player, crowd, watchers)
    try:
        await crowd.wait_for(1)
        yield player, crowd
    finally:
        for end in close:
            end()
        player.line.close()


async def measure(kind: str, grpc_at: str, http_at: str, watchers: int, seconds: float) -> Fanout:
    """Acts on a match, each when the one before has come to all who watch it by `sse` or `grpc`."""
    async with _watched(kind, grpc_at, http_at, watchers) as (player, crowd):
        times: list[float] = []
        match, end = player.match, perf_counter() + seconds
        while perf_counter() < end and player.match == match:
            began = perf_counter()
            revision = await player.act()
            if not revision:
                break
            await crowd.wait_for(revision)
            times.append(perf_counter() - began)
        return Fanout(median(times) / watchers * 1e6, len(times) * watchers)


async def rest(kind: str, grpc_at: str, http_at: str, watchers: int, look: Callable[[], Any]) -> Any:
    """Opens so many streams of one match, and looks at the server while they rest."""
    async with _watched(kind, grpc_at, http_at, watchers):
        return look()
