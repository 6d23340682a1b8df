"""The other side of HTTP for benchmarks: acts over kept connections, and watchers of server-sent events.

It is written on bare sockets, for it shares the machine with the server that it measures.
"""

import asyncio
from asyncio import Future
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from statistics import median
from time import perf_counter
from typing import Final, cast

from google.protobuf.message import Message

from chautari.v1 import accounts_pb2, match_pb2, matches_pb2, play_pb2
from chautari.wire.grpc.load import ROUNDS, SEATS, Load, Look, Paced, drive, load_of, pace, taking
from chautari.wire.nothing import PATH, asking_for

_MATCHES: Final = 100
_LONG: Final = 1_900
_SHORT: Final = 20
_ABOUT: Final = 10


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
        answer = answer_in(self._held)
        if answer is None or self._waiting is None:
            return
        self._held = b""
        if not self._waiting.done():
            self._waiting.set_result(answer)

    def call(self, head: bytes, body: bytes) -> Future[bytes]:
        """Sends a call; the future is its answer."""
        assert self._transport is not None
        self._waiting = asyncio.get_running_loop().create_future()
        self._transport.write(_request(head, body))
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
        self._nothing = b""
        self._answer = b""
        self.sizes: list[tuple[int, int]] = []

    async def sit_down(self) -> None:
        """Signs in, where that has not been done, and begins a match on all its seats."""
        if not self.token:
            guest = await self._call("Accounts/CreateGuest", accounts_pb2.CreateGuestRequest())
            self.token = accounts_pb2.CreateGuestResponse.FromString(guest).tokens.access_token
            self._act = self._head("/chautari.v1.Play/Act")
            self._nothing = self._head(PATH)
        request = matches_pb2.CreateMatchRequest(game="games/gulam_chor", seats=range(SEATS))
        request.settings.update({"players": SEATS, "rounds": ROUNDS})
        match = match_pb2.Match.FromString(await self._call("Matches/CreateMatch", request))
        self.match = match.name
        self._seat = match.turn.must[0]

    async def act(self) -> int:
        """The seat in turn takes a card; gives the revision, 0 where another match was begun for it."""
        raw = taking(self.match, self._seat)
        self._answer = answer = await self.line.call(self._act, raw)
        self.sizes.append((len(raw), len(answer)))
        revision = self.answered(answer)
        if not revision:
            await self.sit_down()
        return revision

    def asking(self) -> bytes:
        """The request of the next act, for who sends it by another line."""
        return _request(self._act, taking(self.match, self._seat))

    def answered(self, answer: bytes) -> int:
        """Takes the answer to an act; gives the revision, 0 where the match is over."""
        acted = play_pb2.ActResponse.FromString(_unless_refused(answer))
        must = acted.update.step.head.turn.must
        if not must:
            return 0
        self._seat = must[0]
        return acted.revision

    async def nothing(self, answered: int, wait: float) -> None:
        """The same for the caller, its message and the reading of an answer included, but that nothing is done in so
        many seconds."""
        await self.line.call(self._nothing, asking_for(answered, wait, taking(self.match, self._seat)))
        play_pb2.ActResponse.FromString(self._answer)

    def _head(self, path: str) -> bytes:
        token = f"authorization: Bearer {self.token}\r\n" if self.token else ""
        return (
            f"POST {path} HTTP/1.1\r\nhost: localhost\r\n{token}content-type: application/proto\r\n"
            "connect-protocol-version: 1\r\ncontent-length: "
        ).encode()

    async def _call(self, method: str, request: Message) -> bytes:
        answer = await self.line.call(self._head(f"/chautari.v1.{method}"), request.SerializeToString())
        return _unless_refused(answer)


def answer_in(data: bytes) -> bytes | None:
    """The body of an answer, None as long as there is more to come."""
    end = data.find(b"\r\n\r\n")
    if end < 0:
        return None
    at = data.index(b"content-length: ") + 16
    size = int(data[at : data.index(b"\r\n", at)])
    return None if len(data) < end + 4 + size else data[end + 4 :]


def _request(head: bytes, body: bytes) -> bytes:
    return b"%b%d\r\n\r\n%b" % (head, len(body), body)


def _unless_refused(answer: bytes) -> bytes:
    """An answer; RuntimeError with what it says where it is a refusal, which is JSON."""
    if answer.startswith(b"{"):
        raise RuntimeError(answer.decode())
    return answer


async def connect(address: str) -> Line:
    """A connection to `127.0.0.1:8080`."""
    host, _, port = address.rpartition(":")
    _, line = await asyncio.get_running_loop().create_connection(Line, host, int(port))
    return line


async def measure(
    address: str, players: int, seconds: float, rounds: int, look: Look = tuple, wait: float = 0.0
) -> list[tuple[Load, Load]]:
    """Acts and do-nothing calls by turns, so that both meet the same machine: a pair for each round. wait: seconds that
    the process of the server waits in each of the latter."""
    async with _seated(address, players) as seated:
        like = await _acts(seated, min(1.0, seconds))
        await _nothing(seated, min(1.0, seconds), like)
        return [
            (await _acts(seated, seconds, look), await _nothing(seated, seconds, like, look, wait))
            for _ in range(rounds)
        ]


async def measure_paced(address: str, players: int, rate: float, seconds: float) -> Paced:
    """Acts at so many a second in all."""
    async with _seated(address, players) as seated:
        await _acts(seated, min(1.0, seconds))
        return await pace([player.act for player in seated], rate, seconds)


async def open_matches(address: str, number: int) -> None:
    """Begins so many matches, which go on; a player has at most a hundred of them."""
    players = [Player(await connect(address)) for _ in range(-(-number // _MATCHES))]

    async def begin(player: Player, count: int) -> None:
        for _ in range(count):
            await player.sit_down()

    try:
        counts = [min(_MATCHES, number - start) for start in range(0, number, _MATCHES)]
        await asyncio.gather(*(begin(player, count) for player, count in zip(players, counts, strict=True)))
    finally:
        for player in players:
            player.line.close()


async def measure_long(address: str, rounds: int) -> list[tuple[float, float]]:
    """The median seconds of acts about the tenth of a match, and about the 2 000th of another, for so many pairs.

    The acts of both are made by turns, after the long match has been played so far.
    """
    pairs = []
    for _ in range(rounds):
        long, short = [Player(await connect(address)) for _ in range(2)]
        await long.sit_down()
        while (await long.act()) < _LONG:
            pass
        times: tuple[list[float], list[float]] = ([], [])
        for _ in range(_ABOUT):
            await short.sit_down()
            for _ in range(_SHORT):
                for player, taken in zip((short, long), times, strict=True):
                    began = perf_counter()
                    await player.act()
                    taken.append(perf_counter() - began)
        pairs.append((median(times[0]), median(times[1])))
        for player in (long, short):
            player.line.close()
    return pairs


@asynccontextmanager
async def _seated(address: str, players: int) -> AsyncIterator[list[Player]]:
    seated = [Player(await connect(address)) for _ in range(players)]
    try:
        await asyncio.gather(*(player.sit_down() for player in seated))
        yield seated
    finally:
        for player in seated:
            player.line.close()


async def _acts(players: list[Player], seconds: float, look: Look = tuple) -> Load:
    for player in players:
        player.sizes.clear()
    driven = await drive([player.act for player in players], seconds, look)
    return load_of(driven, [size for player in players for size in player.sizes])


async def _nothing(players: list[Player], seconds: float, like: Load, look: Look = tuple, wait: float = 0.0) -> Load:
    size = like.response_bytes
    driven = await drive([partial(player.nothing, size, wait) for player in players], seconds, look)
    return load_of(driven, [(like.request_bytes, size)])
