"""A replica whose clock is an hour wrong: time is the database's, so nobody notices."""

import asyncio
import random
import time
from pathlib import Path

import pytest

from tests.e2e.conftest import Guests
from tests.e2e.programs import PLAYERS, SHORT, Program
from tests.e2e.records import check_record
from tests.e2e.replicas import running_pair

HOUR = 3600.0
GAME = "jutpatti"


@pytest.mark.parametrize("off_by", [pytest.param(HOUR, marks=pytest.mark.soak), -HOUR])
async def test_a_replica_an_hour_wrong_plays_with_one_that_is_right(
    off_by: float, guests: Guests, tmp_path: Path
) -> None:
    with running_pair(tmp_path, off_by=(0.0, off_by)) as pair:
        clients = await guests(*(pair.addresses[seat % 2] for seat in range(PLAYERS[GAME])))
        strangers = await guests(*reversed(pair.addresses))
        for client, stranger in zip(clients, strangers, strict=False):  # tokens of one hold at the other
            stranger._connection.tokens = client._connection.tokens
            assert (await stranger.account()).name == (await client.account()).name
        match = await clients[0].create_match(GAME, SHORT[GAME], seats=[0])
        for client in clients[1:]:
            await client.join(code=match.code)
        programs = [Program(client, match.name, seat, random.Random(seat)) for seat, client in enumerate(clients)]
        await asyncio.gather(*(program.play() for program in programs))
        record = await clients[0].record(match)
        check_record(record, await clients[0].view(match, 0))
        times = [entry.time.ToMicroseconds() for entry in record.entries]
        assert times == sorted(times)
        for client in clients:
            told = (await client.view(match, None)).server_time.ToMicroseconds() / 1e6
            assert abs(told - time.time()) < HOUR / 2
