"""Mutations that are each sent several times, at once and again much later, to either replica."""

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar
from uuid import uuid4

import grpc
from google.protobuf.message import Message

from chautari.v1 import accounts_pb2, match_pb2
from chautari_client.errors import from_rpc_error

AnswerT = TypeVar("AnswerT", bound=Message)

_MOST = 5
_LATE = 0.3
_REMEMBERED = 200


@dataclass(frozen=True)
class Person:
    """An account and its token."""

    account: str
    token: str


@dataclass(frozen=True)
class Sent:
    """A mutation that was sent before, and the answer that it got."""

    method: str
    body: bytes
    token: str


class Repeater:
    """Sends each mutation one to five times, in any order, over two replicas, eight calls at once at most.

    Now and then it sends one of long before, too. calls: made so far, by method; late: how those were answered.
    """

    def __init__(self, addresses: Sequence[str], chance: random.Random) -> None:
        self._channels = [grpc.aio.insecure_channel(address) for address in addresses]
        self._chance = chance
        self._at_once = asyncio.Semaphore(8)
        self._before: list[Sent] = []
        self.calls: Counter[str] = Counter()
        self.late: Counter[str] = Counter()

    async def close(self) -> None:
        """Hangs up."""
        for channel in self._channels:
            await channel.close()

    async def guest(self, name: str) -> Person:
        """A new account."""
        body = await self._call("Accounts/CreateGuest", accounts_pb2.CreateGuestRequest(display_name=name))
        answer = accounts_pb2.CreateGuestResponse.FromString(body)
        return Person(answer.account.name, answer.tokens.access_token)

    async def ask(self, method: str, request: Message, who: Person, kind: type[AnswerT]) -> AnswerT:
        """One call that changes nothing."""
        return kind.FromString(await self._call(method, request, who.token))

    async def mutate(self, method: str, request: Message, who: Person, kind: type[AnswerT]) -> AnswerT:
        """Sends a mutation one to five times under a new id; every time it gets an answer, and the same one."""
        request.request_id = str(uuid4())  # type: ignore[attr-defined]  # every mutation has one
        sent = Sent(method, request.SerializeToString(), who.token)
        late = [self._late(self._chance.choice(self._before))] if self._chance.random() < _LATE and self._before else []
        times = self._chance.randint(1, _MOST)
        answers = (await asyncio.gather(*(self._once(sent) for _ in range(times)), *late))[:times]
        self._before.append(sent)
        del self._before[:-_REMEMBERED]
        told = {_told(kind.FromString(answer)) for answer in answers}
        assert len(told) == 1, f"{method} gave several answers: {told}"
        self.calls[method] += times
        return kind.FromString(self._chance.choice(answers))

    async def _once(self, sent: Sent) -> bytes:
        async with self._at_once:
            return await self._raw(sent.method, sent.body, sent.token)

    async def _late(self, sent: Sent) -> bytes:
        """One of before: whatever it is answered, it does nothing; what has an effect is found at the end."""
        self.calls[sent.method] += 1
        try:
            await self._once(sent)
        except grpc.aio.AioRpcError as failed:
            error = from_rpc_error(failed)
            assert error.code not in (grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN), error
            self.late[error.reason] += 1
        else:
            self.late["OK"] += 1
        return b""

    async def _call(self, method: str, request: Message, token: str = "") -> bytes:
        return await self._raw(method, request.SerializeToString(), token)

    async def _raw(self, method: str, body: bytes, token: str) -> bytes:
        channel = self._chance.choice(self._channels)
        call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"/chautari.v1.{method}")
        return await call(body, metadata=[("authorization", f"Bearer {token}")] if token else [], timeout=20)


def _told(answer: Message) -> bytes:
    """An answer without what tells the first from its repeats, and without what is told once only."""
    copy = type(answer)()
    copy.CopyFrom(answer)
    for name in ("replayed", "secret", "view", "update", "already_existed"):
        if name in copy.DESCRIPTOR.fields_by_name:
            copy.ClearField(name)
    match = copy if isinstance(copy, match_pb2.Match) else getattr(copy, "match", None)
    if isinstance(match, match_pb2.Match) and match.state != match_pb2.MATCH_STATE_SEATING:
        # It goes on by itself where a seat was given up, and a repeat is answered with what it is by then.
        for name in ("revision", "etag", "turn", "result", "state", "end_time", "secret"):
            match.ClearField(name)
    return copy.SerializeToString(deterministic=True)
