"""The other side of the wire for benchmarks: matches in which seats act as fast as they are answered, and bare calls.

A match of the load is Gulam Chor with all seats in one account, for there a seat in turn can always `take`.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from statistics import mean, median
from time import perf_counter
from typing import Any, Final
from uuid import uuid4

import grpc
import msgspec

from chautari.v1 import accounts_pb2, match_pb2, matches_pb2, play_pb2
from chautari.wire.grpc.front import BENCH_METHOD

_Unary = grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]

_SEATS: Final = 4
_OPTIONS: Final = [("grpc.use_local_subchannel_pool", 1)]


class Load(msgspec.Struct, frozen=True):
    """What was measured. rate: calls a second; p50: the median seconds of one; sizes: the mean of messages."""

    rate: float
    p50: float
    request_bytes: int
    response_bytes: int


class Player:
    """One connection with an account, and a match that it plays alone."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._channel = channel
        self._act: _Unary = channel.unary_unary("/chautari.v1.Play/Act")
        self._token = ""
        self._match = ""
        self._seat = 0
        self.sizes: list[tuple[int, int]] = []

    async def sit_down(self) -> None:
        """Signs in, where that has not been done, and begins a match on all its seats."""
        if not self._token:
            guest = await self._call("Accounts/CreateGuest", accounts_pb2.CreateGuestRequest())
            self._token = accounts_pb2.CreateGuestResponse.FromString(guest).tokens.access_token
        request = matches_pb2.CreateMatchRequest(game="games/gulam_chor", seats=range(_SEATS))
        request.settings.update({"players": _SEATS})
        match = match_pb2.Match.FromString(await self._call("Matches/CreateMatch", request))
        self._match = match.name
        self._seat = match.turn.must[0]

    async def act(self) -> None:
        """The seat in turn takes a card."""
        request = play_pb2.ActRequest(match=self._match, seat=self._seat, text="take", request_id=str(uuid4()))
        raw = request.SerializeToString()
        answer = await self._act(raw, metadata=self._metadata())
        self.sizes.append((len(raw), len(answer)))
        must = play_pb2.ActResponse.FromString(answer).update.step.head.turn.must
        if must:
            self._seat = must[0]
        else:
            await self.sit_down()

    async def _call(self, method: str, request: Any) -> bytes:
        call: _Unary = self._channel.unary_unary(f"/chautari.v1.{method}")
        answer: bytes = await call(request.SerializeToString(), metadata=self._metadata())
        return answer

    def _metadata(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self._token}"),) if self._token else ()


class Rig:
    """A server under load: so many connections, each with a match."""

    def __init__(self, address: str, players: int) -> None:
        self._channels = [grpc.aio.insecure_channel(address, options=_OPTIONS) for _ in range(min(players, 8))]
        self._players = [Player(self._channels[number % len(self._channels)]) for number in range(players)]
        self._nothing: list[_Unary] = [channel.unary_unary(BENCH_METHOD) for channel in self._channels]

    async def sit_down(self) -> None:
        """Begins all matches."""
        await asyncio.gather(*(player.sit_down() for player in self._players))

    async def acts(self, seconds: float) -> Load:
        """Acts on all matches at once, each as soon as its last act was answered."""
        for player in self._players:
            player.sizes.clear()
        rate, p50 = await drive([player.act for player in self._players], seconds)
        sizes = [size for player in self._players for size in player.sizes]
        return Load(rate, p50, round(mean(s[0] for s in sizes)), round(mean(s[1] for s in sizes)))

    async def nothing(self, seconds: float, like: Load) -> Load:
        """As many calls at once that do nothing, with messages of the same sizes and the same headers."""
        request = like.response_bytes.to_bytes(4, "big") + os.urandom(like.request_bytes - 4)
        metadata = self._players[0]._metadata()

        def caller(number: int) -> Callable[[], Awaitable[Any]]:
            call = self._nothing[number % len(self._nothing)]
            return lambda: call(request, metadata=metadata)

        rate, p50 = await drive([caller(number) for number in range(len(self._players))], seconds)
        return Load(rate, p50, like.request_bytes, like.response_bytes)

    async def close(self) -> None:
        """Ends the connections."""
        await asyncio.gather(*(channel.close() for channel in self._channels))


async def drive(calls: list[Callable[[], Awaitable[Any]]], seconds: float) -> tuple[float, float]:
    """Makes each call again and again for so long; calls a second, and the median time of one."""
    times: list[float] = []
    start = perf_counter()
    end = start + seconds

    async def repeat(call: Callable[[], Awaitable[Any]]) -> None:
        began = perf_counter()
        while began < end:
            await call()
            now = perf_counter()
            times.append(now - began)
            began = now

    await asyncio.gather(*(repeat(call) for call in calls))
    return len(times) / (perf_counter() - start), median(times)


async def measure(address: str, players: int, seconds: float, rounds: int) -> list[tuple[Load, Load]]:
    """Acts and do-nothing calls by turns, so that both meet the same machine: a pair for each round."""
    rig = Rig(address, players)
    try:
        await rig.sit_down()
        like = await rig.acts(min(1.0, seconds))
        await rig.nothing(min(1.0, seconds), like)
        return [(await rig.acts(seconds), await rig.nothing(seconds, like)) for _ in range(rounds)]
    finally:
        await rig.close()
