"""A watch over each transport as whoever reads the bytes sees it: updates until the stream ends or breaks."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass

import grpc
from google.protobuf.json_format import Parse

from chautari.v1 import play_pb2
from chautari.v1.play_pb2_grpc import PlayStub
from tests.wire.over_http import Http, framed

BROKEN = (OSError, EOFError, TimeoutError, ValueError, grpc.aio.AioRpcError, asyncio.IncompleteReadError)
"""What a reader meets where its connection is cut; ValueError: in the middle of a length."""


class Over(Exception):
    """All has been told."""


@dataclass(frozen=True)
class Wanted:
    """What is watched, by whom, and behind which revision."""

    match: str
    seat: int | None
    token: str
    after: int


Updates = AsyncGenerator[play_pb2.Update]
Way = Callable[[str, Wanted], Updates]
"""Opens a stream at an address. Over where there is no more to come; one of BROKEN where it was cut."""


async def over_grpc(address: str, wanted: Wanted) -> Updates:
    """Of the gRPC port."""
    async with grpc.aio.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
        request = play_pb2.WatchRequest(match=wanted.match, seat=wanted.seat, after_revision=wanted.after)
        call = PlayStub(channel).Watch(request, metadata=[("authorization", f"Bearer {wanted.token}")], timeout=60)
        async for update in call:
            yield update


async def begun(http: Http) -> None:
    """Reads the head of an answer; Over where there is no more to come."""
    head = await http.begin()
    if head.status == 204:
        raise Over
    assert head.status in (200, 503), head  # 503: it is not ready yet
    if head.status == 503:
        raise ConnectionError


async def over_sse(address: str, wanted: Wanted) -> Updates:
    """Of the HTTP port, resumed by `Last-Event-ID` as a browser does it."""
    http = Http(f"http://{address}", wanted.token)
    seat = "" if wanted.seat is None else f"&seat={wanted.seat}"
    try:
        path = f"/v1/{wanted.match}:watch?afterRevision=0{seat}"
        await http.send("GET", path, accept="text/event-stream", last_event_id=str(wanted.after))
        await begun(http)
        kept = b""
        while part := await http.part():
            *events, kept = (kept + part).split(b"\n\n")
            for event in events:
                fields = dict(line.split(b": ", 1) for line in event.split(b"\n") if b": " in line)
                assert fields.get(b"event") != b"problem", fields
                if b"data" in fields:
                    update = Parse(fields[b"data"], play_pb2.Update())
                    assert not update.HasField("step") or fields[b"id"].partition(b"-")[0] == b"%d" % update.revision
                    yield update
    finally:
        await http.close()


async def over_connect(address: str, wanted: Wanted) -> Updates:
    """Of the HTTP port, by the Connect protocol."""
    http = Http(f"http://{address}", wanted.token)
    request = play_pb2.WatchRequest(match=wanted.match, seat=wanted.seat, after_revision=wanted.after)
    try:
        await http.send(
            "POST", "/chautari.v1.Play/Watch", framed(request), content_type="application/connect+proto",
            connect_protocol_version="1",
        )  # fmt: skip
        await begun(http)
        kept = b""
        while part := await http.part():
            kept += part
            while len(kept) >= 5 and len(kept) >= (end := 5 + int.from_bytes(kept[1:5], "big")):
                flags, message, kept = kept[0], kept[5:end], kept[end:]
                if flags:
                    assert "error" not in json.loads(message), message
                else:
                    yield play_pb2.Update.FromString(message)
    finally:
        await http.close()


WAYS: dict[str, Way] = {"gRPC": over_grpc, "SSE": over_sse, "Connect": over_connect}


async def watch_through_cuts(
    way: Way, addresses: Callable[[], str], match: str, seat: int | None, token: str
) -> tuple[dict[int, play_pb2.Update], int]:
    """All steps of a match from the first to the last, and how many streams broke on the way.

    addresses: where the next stream is opened. Nothing may be missing, come twice or out of order in what they bring.
    """
    steps: dict[int, play_pb2.Update] = {}
    broken = 0
    while True:
        try:
            async with aclosing(way(addresses(), Wanted(match, seat, token, len(steps)))) as updates:
                async for update in updates:
                    if update.HasField("step"):
                        assert update.revision == len(steps) + 1, "a gap, a repeat, or another order"
                        steps[update.revision] = update
                    else:
                        assert update.revision <= len(steps) or not steps, "it is told of what it has not been sent"
                    if update.end.cause == play_pb2.END_CAUSE_MATCH_OVER:
                        return steps, broken
        except Over:
            return steps, broken
        except BROKEN:
            broken += 1
            await asyncio.sleep(0.002)
