"""`kill -9` under load, and again on the same database: nothing acknowledged or shown is lost, doubled, half there."""

import asyncio
import random

import pytest

from chautari.app import events as journal
from chautari.app.updates import Step
from chautari.app.values import Cause, Entry, Match
from chautari.wire.convert.events import encode_step
from chautari_client import Update
from tests.e2e.conftest import Guests
from tests.e2e.load import Load
from tests.e2e.programs import PLAYERS, Program, told
from tests.e2e.replay import check_journal
from tests.e2e.server import Server


async def kill_under_load(server: Server, guests: Guests, kills: int, tables: tuple[str, ...]) -> Load:
    """Plays at all tables while the server is killed and started again; returns when every match is over."""
    load, chance = Load(), random.Random(kills)
    async with asyncio.TaskGroup() as group:
        for number, game in enumerate(tables):
            clients = await guests(server.address, count=PLAYERS[game])
            group.create_task(load.play(game, clients, number))
        for _ in range(kills):
            await load.reach(chance.randrange(5, 80))
            await asyncio.sleep(chance.uniform(0.0, 0.01))
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.start)
        load.done = True
    return load


async def check_all(server: Server, load: Load) -> int:
    """Every match replays, and its journal holds what programs were told; returns the number of acts."""
    acts = 0
    async with server.store() as store:
        for name in sorted({program.match for program in load.programs}):
            match = await store.find_match(name.removeprefix("matches/"))
            assert match is not None
            entries = await store.entries(match.id, 0, 100_000)
            assert check_journal(match, entries) is not None
            assert match.is_over
            for program in load.programs:
                if program.match == name:
                    _check_told(program, match, entries)
            acts += sum(entry.cause is Cause.SEAT for entry in entries)
    return acts


def _check_told(program: Program, match: Match, entries: list[Entry]) -> None:
    """What this program was told of its match is what the journal holds."""
    by_request = {entry.request.id: entry for entry in entries if entry.request is not None}
    for request_id, (revision, action) in program.done.items():
        entry = by_request[request_id]  # else it is lost
        assert (entry.revision, entry.seat, entry.action) == (revision, program.seat, action)
    assert not program.refused & by_request.keys(), "a refused act is in the journal"
    for revision, update in program.updates.items():
        assert told(update) == told(_as_told(entries[revision - 1], program.seat))


def _as_told(entry: Entry, viewer: int | None) -> Update:
    events = journal.redact(journal.decode(entry.events), viewer)
    step = Step(entry.match_id, entry.revision, entry.at, entry.cause, entry.seat, events, None, {})
    return Update.FromString(encode_step(step))


async def test_ten_kills_lose_and_double_nothing(own_server: Server, guests: Guests) -> None:
    load = await kill_under_load(own_server, guests, 10, ("bluff", "dehla_pakad", "gulam_chor", "jutpatti"))
    own_server.stop()
    acts = await check_all(own_server, load)
    assert acts >= load.acknowledged >= 50


@pytest.mark.soak
async def test_two_hundred_kills_lose_and_double_nothing(own_server: Server, guests: Guests) -> None:
    load = await kill_under_load(own_server, guests, 200, ("bluff", "dehla_pakad", "gulam_chor", "jutpatti") * 4)
    own_server.stop()
    assert await check_all(own_server, load) >= load.acknowledged


async def test_killed_right_after_an_answer(own_server: Server, guests: Guests) -> None:
    """The answer is there, so the act is: killed in the very moment, again and again."""
    [client] = await guests(own_server.address)
    match = await client.create_match("gulam_chor", seats=[0, 1, 2, 3])
    for _ in range(2):
        view = await client.view(match)
        [seat] = view.turn.must
        options = (await client.view(match, seat)).options
        answer = await client.act(match, seat, options[0].actions[0])
        own_server.kill()
        await asyncio.to_thread(own_server.start)
        assert (await client.view(match)).revision == answer.revision  # with the tokens of before
