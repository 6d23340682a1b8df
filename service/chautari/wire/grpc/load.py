"""The other side of the wire for benchmarks: matches in which seats act as fast as they are answered, and bare calls.

A match of the load is Gulam Chor with all seats in one account, for there a seat in turn can always `take`.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from statistics import mean, median, quantiles
from time import perf_counter
from typing import Any, Final
from uuid import uuid4

import grpc
import msgspec

from chautari.v1 import accounts_pb2, match_pb2, matches_pb2, play_pb2
from chautari.wire.nothing import PATH, asking_for

_Unary = grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]

SEATS: Final = 4
ROUNDS: Final = 50
"""A match is as long as it can be: to begin and to end one is no act, and takes longer."""
_OPTIONS: Final = [("grpc.use_local_subchannel_pool", 1)]


Look = Callable[[], Sequence[float]]
"""Looks at meters that only go up, such as the processor time that a server has used."""


class Driven(msgspec.Struct, frozen=True):
    """How calls went. rate: of them a second; p50: the median seconds of one; spent: by each meter for one of them."""

    rate: float
    p50: float
    spent: tuple[float, ...]


class Load(Driven, frozen=True):
    """What was measured: how calls went, and the mean sizes of their messages."""

    request_bytes: int
    response_bytes: int


class Paced(msgspec.Struct, frozen=True):
    """How calls went that came at a fixed rate, in seconds."""

    p50: float
    p99: float


class Player:
    """One connection with an account, and a match that it plays alone."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._channel = channel
        self._act: _Unary = channel.unary_unary("/chautari.v1.Play/Act")
        self._token = ""
        self._match = ""
        self._seat = 0
        self.sizes: list[tuple[int, int]] = []
        self.answer = b""

    async def sit_down(self) -> None:
        """Signs in, where that has not been done, and begins a match on all its seats."""
        if not self._token:
            guest = await self._call("Accounts/CreateGuest", accounts_pb2.CreateGuestRequest())
            self._token = accounts_pb2.CreateGuestResponse.FromString(guest).tokens.access_token
        request = matches_pb2.CreateMatchRequest(game="games/gulam_chor", seats=range(SEATS))
        request.settings.update({"players": SEATS, "rounds": ROUNDS})
        match = match_pb2.Match.FromString(await self._call("Matches/CreateMatch", request))
        self._match = match.name
        self._seat = match.turn.must[0]

    async def act(self) -> None:
        """The seat in turn takes a card."""
        raw = taking(self._match, self._seat)
        self.answer = answer = await self._act(raw, metadata=self._metadata())
        self.sizes.append((len(raw), len(answer)))
        must = play_pb2.ActResponse.FromString(answer).update.step.head.turn.must
        if must:
            self._seat = must[0]
        else:
            await self.sit_down()

    async def nothing(self, call: _Unary, answered: int, wait: float) -> None:
        """The same for the caller, its message and the reading of an answer included, but that nothing is done in so
        many seconds."""
        await call(asking_for(answered, wait, taking(self._match, self._seat)), metadata=self._metadata())
        play_pb2.ActResponse.FromString(self.answer)

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
        self._nothing: list[_Unary] = [channel.unary_unary(PATH) for channel in self._channels]

    async def sit_down(self) -> None:
        """Begins all matches."""
        await asyncio.gather(*(player.sit_down() for player in self._players))

    async def acts(self, seconds: float, look: Look = tuple) -> Load:
        """Acts on all matches at once, each as soon as its last act was answered."""
        for player in self._players:
            player.sizes.clear()
        driven = await drive([player.act for player in self._players], seconds, look)
        return load_of(driven, [size for player in self._players for size in player.sizes])

    async def nothing(self, seconds: float, like: Load, look: Look = tuple, wait: float = 0.0) -> Load:
        """As many calls at once that do nothing but `wait`, with messages of the same sizes and the same headers."""
        size = like.response_bytes
        calls = [
            partial(player.nothing, self._nothing[number % len(self._nothing)], size, wait)
            for number, player in enumerate(self._players)
        ]
        return load_of(await drive(calls, seconds, look), [(like.request_bytes, size)])

    async def paced(self, rate: float, seconds: float) -> Paced:
        """Acts at so many a second in all, however long they take."""
        return await pace([player.act for player in self._players], rate, seconds)

    async def close(self) -> None:
        """Ends the connections."""
        await asyncio.gather(*(channel.close() for channel in self._channels))


def taking(match: str, seat: int) -> bytes:
    """The request of a seat to take a card."""
    return play_pb2.ActRequest(match=match, seat=seat, text="take", request_id=str(uuid4())).SerializeToString()


def load_of(driven: Driven, sizes: Sequence[tuple[int, int]]) -> Load:
    """How calls with messages of these sizes went."""
    requests, responses = (round(mean(size)) for size in zip(*sizes, strict=True))
    return Load(driven.rate, driven.p50, driven.spent, requests, responses)


async def drive(calls: Sequence[Callable[[], Awaitable[Any]]], seconds: float, look: Look = tuple) -> Driven:
    """Makes each call again and again for so long."""
    times: list[float] = []
    before, start = look(), perf_counter()
    end = start + seconds

    async def repeat(call: Callable[[], Awaitable[Any]]) -> None:
        began = perf_counter()
        while began < end:
            await call()
            now = perf_counter()
            times.append(now - began)
            began = now

    await asyncio.gather(*(repeat(call) for call in calls))
    took, after = perf_counter() - start, look()
    spent = tuple((now - then) / len(times) for then, now in zip(before, after, strict=True))
    return Driven(len(times) / took, median(times), spent)


async def pace(calls: Sequence[Callable[[], Awaitable[Any]]], rate: float, seconds: float) -> Paced:
    """Makes calls at so many a second in all. One that has to wait for its turn has taken that long too."""
    times: list[float] = []
    start = perf_counter()

    async def repeat(number: int, call: Callable[[], Awaitable[Any]]) -> None:
        due = start + number / rate
        while due < start + seconds:
            began = due
            if (early := due - perf_counter()) > 0:
                await asyncio.sleep(early)
                began = perf_counter()  # a timer that is late is ours, and no part of the call
            await call()
            times.append(perf_counter() - began)
            due += len(calls) / rate

    await asyncio.gather(*(repeat(number, call) for number, call in enumerate(calls)))
    return Paced(*(quantiles(times, n=100)[at] for at in (49, 98)))


async def measure(
    address: str, players: int, seconds: float, rounds: int, look: Look = tuple, wait: float = 0.0
) -> list[tuple[Load, Load]]:
    """Acts and do-nothing calls by turns, so that both meet the same machine: a pair for each round. wait: seconds that
    the process of the server waits in each of the latter."""
    async with _rig(address, players) as rig:
        like = await rig.acts(min(1.0, seconds))
        await rig.nothing(min(1.0, seconds), like)
        return [(await rig.acts(seconds, look), await rig.nothing(seconds, like, look, wait)) for _ in range(rounds)]


async def measure_paced(address: str, players: int, rate: float, seconds: float) -> Paced:
    """Acts at so many a second in all."""
    async with _rig(address, players) as rig:
        await rig.acts(min(1.0, seconds))
        return await rig.paced(rate, seconds)


@asynccontextmanager
async def _rig(address: str, players: int) -> AsyncIterator[Rig]:
    rig = Rig(address, players)
    try:
        await rig.sit_down()
        yield rig
    finally:
        await rig.close()
