"""The published retry policy: gRPC itself follows it, and so do the clients of this project."""

import re
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import grpc
import pytest

from chautari.v1 import play_pb2
from chautari.v1.play_pb2_grpc import PlayStub

if TYPE_CHECKING:
    from chautari.v1.play_pb2_grpc import PlayAsyncStub
from chautari_client import Client, Retry, Unavailable
from chautari_client.connection import Connection
from tests.client.fake import Code, Fails, Fake

ROOT = Path(__file__).parents[2]
DONE = play_pb2.ActResponse(revision=7)
AWAY = Fails(Code.UNAVAILABLE, "DRAINING")
SIGNED = (("authorization", "Bearer access-1"),)


@pytest.fixture(params=["service_config.json", "service_config_with_request_id.json"])
async def play(request: pytest.FixtureRequest, address: str) -> "AsyncIterator[tuple[str, PlayAsyncStub]]":
    """A plain channel that has nothing but the published document."""
    config = (ROOT / "protos" / request.param).read_text()
    options = (("grpc.service_config", config), ("grpc.use_local_subchannel_pool", 1))
    async with grpc.aio.insecure_channel(address, options=options) as channel:
        yield request.param, PlayStub(channel)


async def test_grpc_makes_a_call_again_as_the_document_says(play: "tuple[str, PlayAsyncStub]", fake: Fake) -> None:
    name, stub = play
    fake.answers = [AWAY, AWAY, DONE]
    act = play_pb2.ActRequest(match="matches/m1", text="take", request_id=str(uuid.uuid4()))
    if "request_id" in name:
        assert (await stub.Act(act, metadata=SIGNED)).revision == 7
        assert len(fake.acts) == 3
    else:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub.Act(act, metadata=SIGNED)
        assert caught.value.code() is Code.UNAVAILABLE
        assert len(fake.acts) == 1, "what changes something is not repeated for who may give no request_id"


async def test_python_client_tries_as_often_as_the_document_says(client: Client, fake: Fake) -> None:
    fake.answers = [AWAY] * 9
    with pytest.raises(Unavailable):
        await client.act("matches/m1", 0, "take")
    assert len(fake.acts) == Retry().tries == 4
    assert (Retry().first_seconds, Retry().most_seconds, Retry().growth) == (0.1, 2.0, 4.0)


async def test_python_client_does_not_repeat_what_could_have_a_request_id_and_has_none(
    address: str, fake: Fake
) -> None:
    fake.answers = [AWAY, DONE]
    connection = Connection(
        address, credentials=None, retry=Retry(first_seconds=0.01), timeout_seconds=10, language="", options=(),
        api_key="access-1",
    )  # fmt: skip
    try:
        with pytest.raises(Unavailable):
            await connection.call(PlayStub(connection.channel).Act, play_pb2.ActRequest(match="matches/m1"))
    finally:
        await connection.close()
    assert len(fake.acts) == 1


def test_typescript_client_has_the_same_policy() -> None:
    source = (ROOT / "clients/typescript/src/retry.ts").read_text()
    found = re.search(r"DEFAULT_RETRY: Retry = \{ tries: (\d+), first: (\d+), most: ([\d_]+), growth: (\d+)", source)
    assert found is not None
    tries, first, most, growth = (int(number.replace("_", "")) for number in found.groups())
    assert (tries, first / 1000, most / 1000, growth) == (
        Retry().tries, Retry().first_seconds, Retry().most_seconds, Retry().growth,
    )  # fmt: skip
