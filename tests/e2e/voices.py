"""Clients that act and look at one match through either replica, and keep a history of what they were told and when."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Final, TypeVar
from uuid import uuid4

import grpc

from chautari.v1 import play_pb2, view_pb2
from chautari.v1.play_pb2_grpc import PlayStub
from chautari_client import Unavailable
from chautari_client.errors import ChautariError, Faulty, from_rpc_error
from tests.e2e.history import Operation, Outcome
from tests.e2e.programs import drawn, pick

if TYPE_CHECKING:
    from chautari.v1.play_pb2_grpc import PlayAsyncStub

RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")

_UNANSWERED: Final = "tries without an answer"
_TRY_SECONDS: Final = 4.0
_MOST_TRIES: Final = 200
_OPTIONS: Final = [
    ("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0), ("grpc.initial_reconnect_backoff_ms", 20),
    ("grpc.min_reconnect_backoff_ms", 20), ("grpc.max_reconnect_backoff_ms", 500),
]  # fmt: skip


class NoAnswer(Exception):
    """A call was cut off: whether it was done nobody knows."""


class Voice:
    """One client: a connection to each of the replicas, and the rights of one account.

    counts: of operations by outcome, and of tries without an answer.
    """

    def __init__(self, number: int, addresses: Sequence[str], token: str, chance: random.Random) -> None:
        self._number = number
        self._channels = [grpc.aio.insecure_channel(address, options=_OPTIONS) for address in addresses]
        self._stubs = [PlayStub(channel) for channel in self._channels]
        self._headers = [("authorization", f"Bearer {token}")]
        self._chance = chance
        self.counts: Counter[str] = Counter()

    @property
    def ended(self) -> int:
        """How many looks and acts have ended."""
        return self.counts.total() - self.counts[_UNANSWERED]

    async def close(self) -> None:
        """Hangs up."""
        for channel in self._channels:
            await channel.close()

    async def live(self, match: str, seats: int, steps: int) -> list[Operation]:
        """Looks, and then perhaps acts for a seat that may, so often or until the match is over; the history of it."""
        history: list[Operation] = []
        for _ in range(steps):
            view = await self._look(match, self._chance.randrange(seats), history)
            if view.HasField("result"):
                break
            able = [*view.turn.must, *view.turn.may]
            if able and self._chance.random() < 0.7:
                view = await self._look(match, self._chance.choice(able), history)
                if view.options:
                    await self._act(match, view, history)
        return history

    async def _look(self, match: str, seat: int, history: list[Operation]) -> view_pb2.View:
        """The table as a seat sees it; looks that get no answer tell nothing."""
        while True:
            called = time.monotonic()
            request = play_pb2.ViewRequest(match=match, seat=seat)
            try:
                view = await self._try(self._chance.choice(self._stubs).View, request)
            except NoAnswer:
                continue
            seen = sha256(drawn(view).SerializeToString(deterministic=True)).digest() if seat == 0 else b""
            history.append(Operation(self._number, called, time.monotonic(), revision=view.revision, seen=seen))
            self.counts["looks"] += 1
            return view

    async def _act(self, match: str, view: view_pb2.View, history: list[Operation]) -> None:
        """Acts under one id until there is an answer; now and then it gives up, or asks both replicas at once."""
        action = pick(view.options, self._chance)[0]
        named = view.revision if self._chance.random() < 0.5 else None
        request = uuid4()
        message = play_pb2.ActRequest(match=match, seat=view.seat, text=action, revision=named, request_id=str(request))
        called = time.monotonic()
        outcome, revision = await self._insist(message)
        history.append(Operation(self._number, called, time.monotonic(), request.bytes, outcome, revision))
        self.counts[outcome.value] += 1

    async def _insist(self, message: play_pb2.ActRequest) -> tuple[Outcome, int | None]:
        if self._chance.random() < 0.2:
            answers = await asyncio.gather(*(self._ask(stub, message) for stub in self._stubs))
        else:
            answers = [await self._ask(self._chance.choice(self._stubs), message)]
        patience = 0 if self._chance.random() < 0.3 else _MOST_TRIES
        while all(outcome is Outcome.UNKNOWN for outcome, _ in answers) and len(answers) < patience:
            answers.append(await self._ask(self._chance.choice(self._stubs), message))
        done = {revision for outcome, revision in answers if outcome is Outcome.DONE}
        assert len(done) <= 1, f"one act was told to be revisions {done}"
        if done:
            return Outcome.DONE, done.pop()
        # What was refused may still be done by a try that has not been answered, or by its twin.
        return answers[0] if len(answers) == 1 else (Outcome.UNKNOWN, None)

    async def _ask(self, stub: "PlayAsyncStub", message: play_pb2.ActRequest) -> tuple[Outcome, int | None]:
        try:
            answer = await self._try(stub.Act, message)
        except NoAnswer:
            return Outcome.UNKNOWN, None
        except ChautariError as refused:
            told = refused.metadata.get("revision") if refused.reason == "STALE_REVISION" else None
            return Outcome.REFUSED, None if told is None else int(told)
        return Outcome.DONE, answer.revision

    async def _try(self, method: grpc.aio.UnaryUnaryMultiCallable[RequestT, ResponseT], request: RequestT) -> ResponseT:
        """One call; NoAnswer where it was cut off."""
        try:
            return await method(request, metadata=self._headers, timeout=_TRY_SECONDS)
        except grpc.aio.AioRpcError as failed:
            error = from_rpc_error(failed)
        if isinstance(error, Unavailable) or (isinstance(error, Faulty) and not error.reason):
            self.counts[_UNANSWERED] += 1
            await asyncio.sleep(self._chance.uniform(0.0, 0.05))
            raise NoAnswer
        raise error
