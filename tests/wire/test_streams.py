"""Readers that are slow, and a server that stops."""

import asyncio
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2

from chautari.app.tokens import ACCESS_SECONDS
from chautari.app.updates import Beat
from chautari.app.values import SECOND
from chautari.v1 import matches_pb2, play_pb2, server_pb2
from chautari.wire.errors import Failed
from chautari.wire.pipeline import Timing
from tests.waiting import until
from tests.wire.served import Caller, Code, Refused, serving
from tests.wire.stand_in import TOKEN, WATCH, standing_in

BIG = play_pb2.Update(match="matches/" + "a" * 100_000, revision=1).SerializeToString()


class Watcher:
    """A call without a transport."""

    def header(self, name: str) -> str:
        return f"Bearer {TOKEN}" if name == "authorization" else ""

    def address(self) -> str:
        return "here"

    def seconds_left(self) -> float | None:
        return None

    def request(self, kind: Any) -> Any:
        return kind(match="matches/abc", after_revision=4)

    def reply(self, method: object, answer: object) -> None:
        raise AssertionError


class Clock:
    """A clock that a test moves, for how long a message takes to be read."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("chautari.wire.readers.perf_counter", clock)
    monkeypatch.setattr("chautari.wire.pipeline.perf_counter", clock)
    monkeypatch.setattr("chautari.wire.sending.perf_counter", clock)
    return clock


async def beats() -> Any:
    """Three messages."""
    for revision in (5, 6, 7):
        yield Beat("abc", revision, 0)


async def test_reader_that_comes_back_is_told_that_it_was_slow(clock: Clock) -> None:
    async with standing_in(Timing(write=0.04)) as stand_in:
        stand_in.items = beats
        sent: list[play_pb2.Update] = []

        async def write(data: bytes) -> None:
            sent.append(play_pb2.Update.FromString(data))
            [reader] = stand_in.pipeline._sending._readers.values()
            if len(sent) == 2:
                clock.now += 0.06
                await until(lambda: reader.is_slow)

        with pytest.raises(Failed) as caught:
            await stand_in.pipeline.stream(stand_in.methods[WATCH], Watcher(), write)
        assert [update.revision for update in sent] == [5, 6, 6]
        assert (sent[-1].end.cause, sent[-1].end.resume) == (play_pb2.END_CAUSE_SLOW, True)
        assert sent[-1].match == "matches/abc"
        assert caught.value.reason == "READER_SLOW"
        assert "revision" in str(caught.value.status)
        assert stand_in.closed.is_set()


async def test_reader_that_does_not_come_back_is_cut_off() -> None:
    async with standing_in(Timing(write=0.05)) as stand_in:
        stand_in.items = beats

        async def write(data: bytes) -> None:
            await asyncio.sleep(3600)

        with pytest.raises(Failed) as caught:
            async with asyncio.timeout(60):
                await stand_in.pipeline.stream(stand_in.methods[WATCH], Watcher(), write)
        assert caught.value.reason == "READER_SLOW"
        assert stand_in.closed.is_set()
        assert not stand_in.pipeline._sending._readers
        assert stand_in.count(WATCH, "READER_SLOW") == 1


async def test_reader_that_does_not_even_read_why_its_stream_ends_is_cut_off(clock: Clock) -> None:
    async with standing_in(Timing(write=0.04)) as stand_in:
        stand_in.items = beats
        sent: list[play_pb2.Update] = []

        async def write(data: bytes) -> None:
            sent.append(play_pb2.Update.FromString(data))
            [reader] = stand_in.pipeline._sending._readers.values()
            clock.now += 0.06
            await until(lambda: reader.is_slow)
            if sent[-1].HasField("end"):
                clock.now += 1
                await asyncio.sleep(3600)

        with pytest.raises(Failed) as caught:
            async with asyncio.timeout(60):
                await stand_in.pipeline.stream(stand_in.methods[WATCH], Watcher(), write)
        assert caught.value.reason == "READER_SLOW"
        assert len(sent) == 2
        assert not stand_in.pipeline._sending._readers


async def test_reader_over_a_socket_that_stops_reading(clock: Clock) -> None:
    async with standing_in(Timing(write=0.2)) as stand_in:

        async def floods() -> Any:
            while True:
                yield BIG

        stand_in.items = floods
        call = stand_in.caller().watch("matches/abc")
        assert (await call.read()).revision == 1
        async with asyncio.timeout(60):
            while not stand_in.closed.is_set():
                clock.now += 1
                await asyncio.sleep(0.05)
        refused = await read_to_the_error(call)
        assert (refused.code, refused.reason) == (Code.UNAVAILABLE, "READER_SLOW")


async def read_to_the_error(call: Any) -> Refused:
    """What a stream ends with, whatever comes before."""
    try:
        while await call.read() is not grpc.aio.EOF:
            pass
    except grpc.aio.AioRpcError as error:
        return Refused.of(error)
    raise AssertionError("the stream ended well")


async def test_server_that_stops_ends_its_streams_and_answers_what_runs() -> None:
    async with serving() as served:
        guest, other = Caller(served.address), Caller(served.address)
        await guest.sign_in()
        match = await guest.create("jutpatti", seats=(0, 1), players=2)
        watch = guest.watch(match.name, seat=0)
        mine = guest.stream("Play/WatchMine", play_pb2.WatchMineRequest())
        health: grpc.aio.UnaryStreamMultiCallable[Any, Any] = other.channel.unary_stream(
            "/grpc.health.v1.Health/Watch",
            request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
            response_deserializer=health_pb2.HealthCheckResponse.FromString,
        )
        watching: Any = health(health_pb2.HealthCheckRequest(service="chautari.v1.Play"))
        assert (await watch.read()).HasField("heartbeat")
        assert (await mine.read()).HasField("summary")
        assert (await watching.read()).status == health_pb2.HealthCheckResponse.SERVING
    last = await watch.read()
    assert (last.end.cause, last.end.resume) == (play_pb2.END_CAUSE_DRAINING, True)
    assert (last.revision, last.match) == (match.revision, match.name)
    assert last.end.retry_milliseconds > 0
    assert (await mine.read()).end.cause == play_pb2.END_CAUSE_DRAINING
    assert (await watching.read()).status == health_pb2.HealthCheckResponse.NOT_SERVING
    for call in (watch, mine):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call.read()
        refused = Refused.of(caught.value)
        assert (refused.code, refused.reason) == (Code.UNAVAILABLE, "DRAINING")
        assert refused.wait
    for caller in (guest, other):
        await caller.channel.close()


async def test_call_in_the_last_moment_is_told_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving() as served:
        caller = Caller(served.address)
        await caller.call("Server/GetServerInfo", server_pb2.GetServerInfoRequest())

        async def calls() -> Refused:
            while True:
                try:
                    await caller.call("Server/GetServerInfo", server_pb2.GetServerInfoRequest())
                except grpc.aio.AioRpcError as error:
                    return Refused.of(error)

        calling = asyncio.create_task(calls())
        monkeypatch.setattr("chautari.running._linger", lambda: asyncio.wait([calling]))
    refused = await calling
    assert (refused.code, refused.reason) == (Code.UNAVAILABLE, "DRAINING")
    assert refused.wait
    await caller.channel.close()


async def test_stream_of_a_match_that_is_over_ends_well() -> None:
    async with serving() as served:
        guest = await served.guest()
        match = await guest.create("bluff", seats=(0,), players=2)
        await guest.call("Matches/LeaveMatch", matches_pb2.LeaveMatchRequest(name=match.name))
        call = guest.watch(match.name, after_revision=0)
        updates = []
        while (update := await call.read()) is not grpc.aio.EOF:
            updates.append(update)
        assert [update.revision for update in updates] == [1, 2, 2]
        assert updates[1].step.events[-1].match_ended.result.aborted
        assert (updates[-1].end.cause, updates[-1].end.resume) == (play_pb2.END_CAUSE_MATCH_OVER, False)
        assert await call.code() is Code.OK


async def test_stream_ends_with_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(heartbeat_seconds=0.2) as served:
        guest = await served.guest()
        match = await guest.create("bluff", seats=(0,), players=2)
        call = guest.watch(match.name)
        assert (await call.read()).HasField("heartbeat")
        late = served.app.store.clock() + (ACCESS_SECONDS + 1) * SECOND
        monkeypatch.setattr(served.app.store, "clock", lambda: late)
        while not (update := await call.read()).HasField("end"):
            assert update.HasField("heartbeat") or update.HasField("presence")
        assert (update.end.cause, update.end.resume) == (play_pb2.END_CAUSE_TOKEN, True)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call.read()
        refused = Refused.of(caught.value)
        assert (refused.code, refused.reason) == (Code.UNAUTHENTICATED, "TOKEN_EXPIRED")
