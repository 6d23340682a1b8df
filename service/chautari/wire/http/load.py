"""The other side of HTTP for benchmarks: acts over kept connections, and watchers of server-sent events.

It is written on bare sockets, for it shares the machine with the server that it measures.
"""

import asyncio
import os
from asyncio import Future
from collections.abc import Awaitable, Callable
from statistics import mean
from typing import Final, cast
from uuid import uuid4

from google.protobuf.message import Message

from chautari.v1 import accounts_pb2, match_pb2, matches_pb2, play_pb2
from chautari.wire.grpc.load import Load, drive
from chautari.wire.http.front import BENCH_PATH

_SEATS: Final = 4


class Line(asyncio.Protocol):
    """A connection for one call at a time."""

    def __init__(self) -> None:
        self._waiting: Future[bytes] | None = None
        self._held = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Is open."""
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is none by its type

    def connection_lost(self, exc: Exception | None) -> None:
        """Is closed: whoever waits hears of it."""
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(exc or ConnectionError("the server hung up"))

    def data_received(self, data: bytes) -> None:
        """Gathers an answer."""
        self._held += data
        end = self._held.find(b"\r\n\r\n")
        if end < 0:
            return
        at = self._held.index(b"content-length: ") + 16
        size = int(self._held[at : self._held.index(b"\r\n", at)])
        if len(self._held) < end + 4 + size or self._waiting is None:
            return
        answer, self._held = self._held[end + 4 :], b""
        if self._waiting.done():
            return
        if not answer.startswith(b"{"):
            self._waiting.set_result(answer)
        else:
            self._waiting.set_exception(RuntimeError(answer.decode()))

    def call(self, head: bytes, body: bytes) -> Future[bytes]:
        """Sends a call; the future is its answer."""
        assert self._transport is not None
        self._waiting = asyncio.get_running_loop().create_future()
        self._transport.write(b"%b%d\r\n\r\n%b" % (head, len(body), body))
        return self._waiting

    def close(self) -> None:
        """Hangs up."""
        if self._transport is not None:
            self._transport.abort()


class Player:
    """One connection with an account, and a match that it plays alone."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self.token = ""
        self.match = ""
        self._seat = 0
        self._act = b""
        self.nothing = b""
        self.sizes: list[tuple[int, int]] = []

    async def sit_down(self) -> None:
        """Signs in, where that has not been done, and begins a match on all its seats."""
        if not self.token:
            guest = await self._call("Accounts/CreateGuest", accounts_pb2.CreateGuestRequest())
            self.token = accounts_pb2.CreateGuestResponse.FromString(guest).tokens.access_token
            self._act = self._head("/chautari.v1.Play/Act")
            self.nothing = self._head(BENCH_PATH)
        request = matches_pb2.CreateMatchRequest(game="games/gulam_chor", seats=range(_SEATS))
        request.settings.update({"players": _SEATS})
        match = match_pb2.Match.FromString(await self._call("Matches/CreateMatch", request))
        self.match = match.name
        self._seat = match.turn.must[0]

    async def act(self) -> int:
        """The seat in turn takes a card; gives the revision, 0 where another match was begun for it."""
        request = play_pb2.ActRequest(match=self.match, seat=self._seat, text="take", request_id=str(uuid4()))
        raw = request.SerializeToString()
        answer = await self.line.call(self._act, raw)
        self.sizes.append((len(raw), len(answer)))
        acted = play_pb2.ActResponse.FromString(answer)
        must = acted.update.step.head.turn.must
        if must:
            self._seat = must[0]
            return acted.revision
        await self.sit_down()
        return 0

    def _head(self, path: str) -> bytes:
        token = f"authorization: Bearer {self.token}\r\n" if self.token else ""
        return (
            f"POST {path} HTTP/1.1\r\nhost: localhost\r\n{token}content-type: application/proto\r\n"
            "connect-protocol-version: 1\r\ncontent-length: "
        ).encode()

    async def _call(self, method: str, request: Message) -> bytes:
        return await self.line.call(self._head(f"/chautari.v1.{method}"), request.SerializeToString())


async def connect(address: str) -> Line:
    """A connection to `127.0.0.1:8080`."""
    host, _, port = address.rpartition(":")
    _, line = await asyncio.get_running_loop().create_connection(Line, host, int(port))
    return line


async def measure(address: str, players: int, seconds: float, rounds: int) -> list[tuple[Load, Load]]:
    """Acts and do-nothing calls by turns, so that both meet the same machine: a pair for each round."""
    all_players = [Player(await connect(address)) for _ in range(players)]
    try:
        await asyncio.gather(*(player.sit_down() for player in all_players))
        like = await _acts(all_players, min(1.0, seconds))
        await _nothing(all_players, min(1.0, seconds), like)
        return [(await _acts(all_players, seconds), await _nothing(all_players, seconds, like)) for _ in range(rounds)]
    finally:
        for player in all_players:
            player.line.close()


async def _acts(players: list[Player], seconds: float) -> Load:
    for player in players:
        player.sizes.clear()
    rate, p50 = await drive([player.act for player in players], seconds)
    sizes = [size for player in players for size in player.sizes]
    return Load(rate, p50, round(mean(s[0] for s in sizes)), round(mean(s[1] for s in sizes)))


async def _nothing(players: list[Player], seconds: float, like: Load) -> Load:
    request = like.response_bytes.to_bytes(4, "big") + os.urandom(like.request_bytes - 4)

    def caller(player: Player) -> Callable[[], Awaitable[bytes]]:
        return lambda: player.line.call(player.nothing, request)

    rate, p50 = await drive([caller(player) for player in players], seconds)
    return Load(rate, p50, like.request_bytes, like.response_bytes)
