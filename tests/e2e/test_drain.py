"""SIGTERM: streams end with DRAINING, calls under way are answered, and everybody goes on after the next start."""

import asyncio

import grpc
import pytest

from chautari.v1 import play_pb2
from chautari_client import Unavailable
from chautari_client.errors import from_rpc_error
from tests.e2e.conftest import Guests
from tests.e2e.load import Load
from tests.e2e.programs import PLAYERS
from tests.e2e.raw import Raw
from tests.e2e.server import NotReady, Server


async def test_streams_end_with_draining_and_a_status(own_server: Server) -> None:
    async with Raw(own_server.address) as raw:
        await raw.sign_in()
        match = await raw.create("gulam_chor")
        call = raw.watch(match)
        messages = aiter(call)
        assert (await anext(messages)).HasField("heartbeat")
        mine = aiter(raw.watch_mine())
        assert (await anext(mine)).HasField("summary")
        stopping = asyncio.create_task(asyncio.to_thread(own_server.stop))
        last = await anext(messages)
        assert last.end.cause == play_pb2.END_CAUSE_DRAINING
        assert last.end.resume
        assert last.revision == 1
        assert (await anext(mine)).end.cause == play_pb2.END_CAUSE_DRAINING
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await anext(messages)
        error = from_rpc_error(caught.value)
        assert isinstance(error, Unavailable)
        assert error.reason == "DRAINING"
        assert error.retry_after is not None
        assert await stopping == 0


async def test_programs_play_on_through_graceful_restarts(own_server: Server, guests: Guests) -> None:
    clients = await guests(own_server.address, count=PLAYERS["jutpatti"])
    load = Load()
    async with asyncio.timeout(200), asyncio.TaskGroup() as group:
        group.create_task(load.play("jutpatti", clients, 0))
        for _ in range(2):
            await load.reach(10)
            assert await asyncio.to_thread(own_server.stop) == 0
            await asyncio.to_thread(own_server.start)
        load.done = True
    for program in load.programs:
        assert list(program.updates) == list(range(min(program.updates), max(program.updates) + 1))


async def test_second_server_on_the_same_database_is_refused(server: Server) -> None:
    other = Server(server.folder)
    with pytest.raises(NotReady, match="has this database open"):
        await asyncio.to_thread(other.start)
    other.close()
    assert server.is_running()
