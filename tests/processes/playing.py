"""Tables at which clients play that try again as the published policy says, and in no other way."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import grpc

from chautari_client import Client
from tests.e2e.load import Load
from tests.e2e.programs import PLAYERS, Program, Strict
from tests.e2e.records import check_record


@asynccontextmanager
async def playing(
    address: str, tables: int = 2, root: bytes | None = None, seconds: float = 240.0
) -> AsyncIterator[Load]:
    """Load that stops with the block, or with the first call that fails; each program saw each revision once.

    One whose match had only just begun, and that has not acted, may have seen none.

    root: the certificate to trust, where it is called with TLS; seconds: by when it must have ended.
    """
    credentials = None if root is None else grpc.ssl_channel_credentials(root)
    load = Load(kind=Strict)
    async with AsyncExitStack() as stack:
        groups = []
        for _ in range(tables):
            clients = [Client.connect(address, credentials=credentials) for _ in range(PLAYERS["jutpatti"])]
            for client in clients:
                await stack.enter_async_context(client)
                await client.sign_in_as_guest()
            groups.append(clients)
        async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
            for seed, clients in enumerate(groups):
                group.create_task(load.play("jutpatti", clients, seed))
            yield load
            load.done = True
        for program in load.programs:
            await _check_record(program)
    for program in load.programs:
        seen = list(program.updates)
        assert seen == list(range(min(seen), max(seen) + 1)) if seen else not program.done, seen


async def _check_record(program: Program) -> None:
    """The acts that were acknowledged, and no others, are in the record, each once; and it verifies."""
    record = await program.client.record(program.match)
    check_record(record, await program.client.view(program.match, program.seat))
    acts = [entry.revision for entry in record.entries if entry.action and entry.account and entry.seat == program.seat]
    assert acts == sorted(revision for revision, _ in program.done.values())
