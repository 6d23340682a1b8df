"""Whole matches by several programs over real sockets: each keeps its own picture, and it is always the server's."""

import asyncio
import json
import random
import subprocess
import sys
from contextlib import aclosing
from pathlib import Path

import pytest

from chautari.v1 import match_pb2
from chautari_client import Client, MatchRecord, MatchResult
from tests.e2e.conftest import Guests
from tests.e2e.programs import PLAYERS, SHORT, Program
from tests.e2e.records import check_record
from tests.e2e.server import Server

ROOT = Path(__file__).parents[2]


async def sit_down(game: str, clients: list[Client], **settings: object) -> str:
    """A match with one client on each seat, under way; its name."""
    match = await clients[0].create_match(game, {**SHORT[game], **settings}, seats=[0])
    for client in clients[1:]:
        match = (await client.join(code=match.code)).match
    return match.name


@pytest.mark.parametrize("game", SHORT)
async def test_programs_play_a_whole_match(game: str, server: Server, guests: Guests) -> None:
    clients = await guests(server.address, count=PLAYERS[game])
    onlooker = (await guests(server.address))[0]
    match = await clients[0].create_match(game, SHORT[game], seats=[0], privacy="public")
    looking = asyncio.create_task(Program(onlooker, match.name, None, random.Random(0)).play())
    programs = [Program(client, match.name, seat, random.Random(seat)) for seat, client in enumerate(clients)]
    for client in clients[1:]:
        await client.join(match)
    results = await asyncio.gather(*(program.play() for program in programs), looking)
    assert len({result.SerializeToString() for result in results}) == 1
    assert all(program.compared for program in programs)
    await check_everywhere(clients, match.name)


async def check_everywhere(clients: list[Client], match: str) -> MatchRecord:
    """The record is the same for every seat, and it replays."""
    records = [await client.record(match, seat) for seat, client in enumerate(clients)]
    assert all(record == records[0] for record in records)
    final = await clients[0].view(match, 0)
    check_record(records[0], final)
    return records[0]


@pytest.mark.parametrize("game", ["gulam_chor", "bluff"])
async def test_programs_in_processes_of_their_own(game: str, server: Server, guests: Guests) -> None:
    [host] = await guests(server.address)
    match = await host.create_match(game, SHORT[game])
    command = [sys.executable, "-m", "tests.e2e.programs", server.address, match.code]
    processes = [
        await asyncio.create_subprocess_exec(*command, str(seed), cwd=ROOT, stdout=subprocess.PIPE)
        for seed in range(PLAYERS[game])
    ]
    async with asyncio.timeout(120):
        told = await asyncio.gather(*(process.communicate() for process in processes))
    assert [process.returncode for process in processes] == [0] * len(processes)
    reports = [json.loads(out) for out, _ in told]
    assert sorted(report["seat"] for report in reports) == list(range(PLAYERS[game]))
    assert all(report["compared"] > 0 for report in reports)
    record = await host.record(match)
    assert {tuple(report["placing"]) for report in reports} == {tuple(record.result.placing)}
    check_record(record, await host.view(match))


async def test_one_account_in_several_seats(server: Server, guests: Guests) -> None:
    [client] = await guests(server.address)
    match = await client.create_match("jutpatti", SHORT["jutpatti"], seats=[0, 1])
    assert list(match.my_seats) == [0, 1]
    programs = [Program(client, match.name, seat, random.Random(seat)) for seat in (0, 1)]
    results: list[MatchResult] = await asyncio.gather(*(program.play() for program in programs))
    assert results[0] == results[1]


async def test_watch_mine_tells_whose_turn_it_is(server: Server, guests: Guests) -> None:
    clients = await guests(server.address, count=2)
    match = await clients[0].create_match("bluff", players=2, seats=[0])
    await clients[1].join(code=match.code)
    held = (await clients[0].view(match, 0)).options[0].arguments[1].selection.cards
    async with aclosing(clients[0].watch_mine()) as updates, asyncio.timeout(60):
        [status] = (await anext(updates)).summary.matches
        told = [(status.my_turn, status.member)]
        for seat, action in ((0, f"lay K {held[0]}"), (1, "accept")):
            acted = await clients[seat].act(match, seat, action)
            while status.revision < acted.revision:
                status = (await anext(updates)).changed
                assert status.match == match.name
            must = (await clients[0].view(match, 0)).turn.must
            assert (status.revision, status.my_turn) == (acted.revision, 0 in must)
            told.append((status.my_turn, status.member))
        assert told[:2] == [(True, True), (False, True)]
        await clients[1].resign(match, 1)
        while status.state != match_pb2.MATCH_STATE_FINISHED:
            status = (await anext(updates)).changed
        assert (status.my_turn, status.member) == (False, True)


async def test_resign_leave_rematch(server: Server, guests: Guests) -> None:
    clients = await guests(server.address, count=3)
    waiting = await clients[0].create_match("gulam_chor", seats=[0], start="by_host", players=3)
    for client in clients[1:]:
        await client.join(link=waiting.link)
    await clients[2].leave(waiting)
    await clients[2].join(code=waiting.code)
    started = await clients[0].start(waiting)
    assert started.turn.phase
    await clients[1].resign(waiting, 1)
    over = await clients[2].resign(waiting, 2)
    assert (over.result.reason, list(over.result.placing)) == (2, [1, 3, 2])
    again = await clients[1].rematch(waiting)
    assert [seat.account for seat in again.seats][1:] == [seat.account for seat in over.seats][:-1]
    assert list(again.my_seats) == [2]
    joined = await asyncio.gather(*(client.rematch(waiting) for client in (clients[0], clients[2])))
    assert {match.name for match in joined} == {again.name}
