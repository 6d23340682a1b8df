"""A caller without the client's manners: it sends what it likes, also what no client would, and sees each status."""

import struct
from collections.abc import Sequence
from typing import Self

import grpc

from chautari.v1 import accounts_pb2, matches_pb2, play_pb2
from chautari.v1.accounts_pb2_grpc import AccountsStub
from chautari.v1.matches_pb2_grpc import MatchesStub
from chautari.v1.play_pb2_grpc import PlayStub
from chautari_client import to_struct

Stream = grpc.aio.UnaryStreamCall[play_pb2.WatchRequest, play_pb2.Update]
MineStream = grpc.aio.UnaryStreamCall[play_pb2.WatchMineRequest, play_pb2.MineUpdate]


class Raw:
    """One connection and, once signed in, one token."""

    def __init__(self, address: str) -> None:
        options = [("grpc.use_local_subchannel_pool", 1)]
        self._channel = grpc.aio.insecure_channel(address, options=options)
        self._accounts = AccountsStub(self._channel)
        self._matches = MatchesStub(self._channel)
        self._play = PlayStub(self._channel)
        self.token = ""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self._channel.close()

    @property
    def headers(self) -> list[tuple[str, str]]:
        """The headers of a call."""
        return [("authorization", f"Bearer {self.token}")] if self.token else []

    async def sign_in(self, name: str = "Raw") -> None:
        """Signs in as a guest."""
        answer = await self._accounts.CreateGuest(accounts_pb2.CreateGuestRequest(display_name=name))
        self.token = answer.tokens.access_token

    async def create(self, game: str, seats: Sequence[int] = (), **settings: object) -> str:
        """A match; its name."""
        request = matches_pb2.CreateMatchRequest(game=f"games/{game}", settings=to_struct(settings), seats=seats)
        return (await self._matches.CreateMatch(request, metadata=self.headers)).name

    def watch(self, match: str) -> Stream:
        """A watch as a spectator."""
        return self._play.Watch(play_pb2.WatchRequest(match=match), metadata=self.headers)

    def watch_mine(self) -> MineStream:
        """The stream of one's own matches."""
        return self._play.WatchMine(play_pb2.WatchMineRequest(), metadata=self.headers)

    async def send(self, method: str, body: bytes) -> bytes:
        """Any bytes as the request of a method, such as `Play/Act`."""
        return await self.ask(f"/chautari.v1.{method}", body)

    async def ask(self, path: str, body: bytes) -> bytes:
        """The same of any service."""
        call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = self._channel.unary_unary(path)
        return await call(body, metadata=self.headers, timeout=30)

    async def status(self, method: str, body: bytes) -> grpc.StatusCode:
        """The status that these bytes get."""
        try:
            await self.send(method, body)
        except grpc.aio.AioRpcError as error:
            return error.code()
        return grpc.StatusCode.OK


def text_field(number: int, value: bytes) -> bytes:
    """A field of a message that holds these bytes, whether they are text or not."""
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _varint(number: int) -> bytes:
    out = b""
    while number > 127:
        out += struct.pack("B", number & 127 | 128)
        number >>= 7
    return out + struct.pack("B", number)
