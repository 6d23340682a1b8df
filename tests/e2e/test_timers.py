"""Time-outs, most of them on two replicas of one PostgreSQL: each that is due fires once, whoever dies, races it or was
away."""

import asyncio
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from chautari.app.clocks import GRACE
from chautari.app.ports import Store
from chautari.app.values import SECOND, Cause, Entry
from chautari.v1 import match_pb2, play_pb2
from chautari_client import Client, Refused, per_move
from tests.e2e.conftest import Guests
from tests.e2e.killing import verify_matches
from tests.e2e.replay import check_journal
from tests.e2e.replicas import Pair, running_pair
from tests.e2e.server import Server

MOVE = 3
"""Seconds for each move."""
_DEADLINE_SECONDS = 120.0
_OUTAGE_SECONDS = 4.0
"""More than a move, so that all would be due in it."""
_AT_ONCE = 2000
_UNTIL_ALL_ARE_DUE_SECONDS = 75.0
_UNTIL_ALL_ARE_READ_SECONDS = 5.0
_KILLED_AFTER_SECONDS = 0.2


@dataclass(frozen=True)
class Duty:
    """What a seat had to do at a revision of a match, and until when, in microseconds by the database's clock."""

    match: str
    revision: int
    seat: int
    due: int


async def make(client: Client, seconds: float = MOVE) -> Duty:
    """The first duty in a match of two seats that one account plays, each move of which is timed; none is ever away."""
    clock = per_move(seconds, away_after=0)
    return await duty(client, (await client.create_match("gulam_chor", players=2, seats=[0, 1], clock=clock)).name)


async def duty(client: Client, match: str) -> Duty:
    """What is to be done in such a match now: one seat at a time must act, and each action begins another duty."""
    view = await client.view(match, 0)
    [clock] = [clock for clock in view.clocks if clock.HasField("due_time")]
    return Duty(match, view.revision, clock.seat, clock.due_time.ToMicroseconds())


async def ended(store: Store, of: Duty) -> Entry:
    """What ended this duty, which is waited for."""
    match = of.match.removeprefix("matches/")
    async with asyncio.timeout(_DEADLINE_SECONDS):
        while not (entries := await store.entries(match, of.revision, 1)):  # noqa: ASYNC110  # another process does it
            await asyncio.sleep(0.05)
    [entry] = entries
    assert (entry.revision, entry.seat) == (of.revision + 1, of.seat)
    return entry


async def timed_out(store: Store, of: Duty, outages: int = 0) -> float:
    """Waits until this duty is timed out, and not too early. outages: microseconds to be given back. Gives the seconds
    that it was late."""
    entry = await ended(store, of)
    assert entry.cause is Cause.CLOCK
    assert entry.at >= of.due + outages
    return (entry.at - of.due - outages) / SECOND


async def check(store: Store, client: Client, match: str) -> None:
    """Ends a match, which replays: each of its time-outs was for a seat that had to act; none came twice at once."""
    await client.resign(match, 0)
    found = await store.find_match(match.removeprefix("matches/"))
    assert found is not None
    entries = await store.entries(found.id, 0, 100_000)
    check_journal(found, entries)
    for before, entry in pairwise(entries):
        # When a clock was wound is not in the journal; what is stamped later by the time that its commit took.
        assert entry.cause is not Cause.CLOCK or entry.at - before.at > SECOND


async def test_each_time_out_fires_once_while_a_replica_is_killed(
    pair: Pair, guests: Guests, tmp_path: Path
) -> None:  # fmt: skip
    first, second = pair.servers
    steady, doomed = await guests(second.address, first.address)
    duties = []
    for number in range(60):
        duties.append((await make((steady, doomed)[number % 2]), (steady, doomed)[number % 2]))
        await asyncio.sleep(0.02)
    async with second.store() as store:
        for of, _ in duties[:10]:
            await timed_out(store, of)
        await asyncio.to_thread(first.kill)
        for of, _ in duties:
            await timed_out(store, of)
        await asyncio.to_thread(first.start)
        for of, client in duties:
            await check(store, client, of.match)
    assert await verify_matches({of.match: client for of, client in duties}, tmp_path) == len(duties)


async def test_of_an_act_and_the_time_out_of_its_duty_one_wins(pair: Pair, guests: Guests) -> None:
    clients = await guests(*pair.addresses)
    async with pair.servers[0].store() as store:

        async def race(number: int) -> None:
            chance, client = random.Random(number), clients[number % 2]
            of = await make(client)
            while (view := await client.view(of.match, of.seat)).revision != of.revision:  # on a slow machine
                of = await duty(client, of.match)
            move = view.options[0].actions[0]
            await asyncio.sleep((of.due + GRACE) / SECOND + chance.uniform(-0.03, 0.05) - time.time())
            refusal = None
            try:
                await client.act(of.match, of.seat, move, revision=of.revision)
            except Refused as refused:
                refusal = refused.reason
            assert refusal in (None, "STALE_REVISION")
            assert (await ended(store, of)).cause is (Cause.CLOCK if refusal else Cause.SEAT)
            await check(store, client, of.match)

        await asyncio.gather(*(race(number) for number in range(60)))


async def test_two_replicas_that_start_together_after_an_outage_credit_it_once(pair: Pair, guests: Guests) -> None:
    [client] = await guests(pair.addresses[0])
    database = pair.url.rpartition("/")[2]
    duties = [await make(client) for _ in range(10)]
    for server in pair.servers:
        server.kill()
    alive, before = map(int, pair.cluster.run("SELECT last_alive, outages FROM pulse", database).split("|"))
    await asyncio.sleep(_OUTAGE_SECONDS)
    await asyncio.to_thread(pair.start)
    now = "floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
    after, until = map(int, pair.cluster.run(f"SELECT outages, {now} FROM pulse", database).split("|"))
    assert _OUTAGE_SECONDS * SECOND <= after - before <= until - alive
    async with pair.servers[0].store() as store:
        for of in duties:
            await timed_out(store, of, after - before)
            await check(store, client, of.match)


async def test_a_seat_that_is_away_comes_back_by_joining_and_by_acting(pair: Pair, guests: Guests) -> None:
    sita, hari = await guests(*pair.addresses)
    clock = per_move(MOVE, away_after=1, when_away="keep_clock")
    match = await sita.create_match("gulam_chor", players=2, seats=[0], clock=clock)
    await hari.join(code=match.code)
    of = await duty(sita, match.name)
    who, other = (sita, hari) if of.seat == 0 else (hari, sita)
    async with asyncio.timeout(_DEADLINE_SECONDS):
        await _is_away(other, of)
        await who.join(match)
        assert (await _told(other, of))[:2] == [True, False]
        await _act(other, of, 1 - of.seat)
        await _is_away(other, of)
        before = len(await _told(other, of))
        await _act(other, of, 1 - of.seat)
        await _act(who, of, of.seat)
        assert False in (await _told(other, of))[before:]


async def _is_away(client: Client, of: Duty) -> None:
    """Waits until it is."""
    while not (await client.get_match(of.match)).seats[of.seat].away:  # noqa: ASYNC110  # another process says so
        await asyncio.sleep(0.05)


async def _told(client: Client, of: Duty) -> list[bool]:
    """Each time that the seat went away, and came back, by the record."""
    events = [event for entry in (await client.record(of.match)).entries for event in entry.events]
    return [event.seat_away.away for event in events if event.HasField("seat_away") and event.seat_away.seat == of.seat]


async def _act(client: Client, of: Duty, seat: int) -> None:
    """A seat acts as soon as it is its turn and its time is not up meanwhile."""
    while True:
        view = await client.view(of.match, seat)
        if seat in view.turn.must:
            with suppress(Refused):
                await client.act(of.match, seat, view.options[0].actions[0], revision=view.revision)
                return
        await asyncio.sleep(0.05)


@contextmanager
def serving(store: str, replicas: int, folder: Path) -> Iterator[list[Server]]:
    """So many servers on a database of their own."""
    if store == "postgresql":
        with running_pair(folder) as pair:
            for spare in pair.servers[replicas:]:
                spare.stop()
            yield pair.servers[:replicas]
        return
    server = Server(folder)
    try:
        server.start()
        yield [server]
    finally:
        server.close()
    assert "fault" not in server.output, server.output


async def fired_once(client: Client, of: Duty) -> float:
    """Gives the seconds that this duty was timed out late, by the time of the commit, once that is done."""
    entries = await entries_after(client, of)
    times = [entry.time.ToMicroseconds() for entry in entries]
    assert (entries[0].revision, entries[0].seat) == (of.revision + 1, of.seat)
    assert all(entry.cause == play_pb2.CAUSE_CLOCK for entry in entries)
    assert times[0] >= of.due
    assert all(after - before > SECOND for before, after in pairwise(times)), "each duty is timed anew"
    return (times[0] - of.due) / SECOND


async def entries_after(client: Client, of: Duty) -> list[play_pb2.RecordEntry]:
    """What came after this duty, once there is anything."""
    async with asyncio.timeout(_DEADLINE_SECONDS):
        while not (entries := (await client.record(of.match)).entries[of.revision :]):  # noqa: ASYNC110  # the server does
            await asyncio.sleep(0.2)
    return list(entries)


async def ended_once(client: Client, of: Duty) -> float:
    """Gives the seconds that this duty's time-out, and with it the match, ended late."""
    entries = await entries_after(client, of)
    assert [entry.cause for entry in entries] in (
        [play_pb2.CAUSE_CLOCK],
        [play_pb2.CAUSE_CLOCK, play_pb2.CAUSE_ABANDONED],
    )
    assert (await client.get_match(of.match)).state == match_pb2.MATCH_STATE_FINISHED
    return (entries[-1].time.ToMicroseconds() - of.due) / SECOND


async def make_last(client: Client, seconds: float) -> Duty:
    """A match whose next time-out is its last move."""
    clock = per_move(seconds, away_after=0)
    return await duty(client, (await client.create_match("poker", players=2, hands=1, seats=[0, 1], clock=clock)).name)


async def make_resigning(client: Client, seconds: float) -> Duty:
    """A match whose next time-out is followed by a resignation, and so by its end."""
    clock = per_move(seconds, away_after=1, when_away="resign")
    return await duty(client, (await client.create_match("gulam_chor", players=2, seats=[0, 1], clock=clock)).name)


KINDS = {
    "moves": (make, fired_once),
    "last moves": (make_last, ended_once),
    "resignations": (make_resigning, ended_once),
}


@pytest.mark.soak(day=1, night=3)
@pytest.mark.parametrize(
    ("kind", "store", "replicas", "killed"),
    [
        (kind, store, replicas, False)
        for kind in KINDS for store, replicas in (("sqlite", 1), ("postgresql", 1), ("postgresql", 2))
    ] + [(kind, "postgresql", 2, True) for kind in KINDS],
)  # fmt: skip
async def test_two_thousand_are_due_at_the_same_moment(
    part: int, kind: str, store: str, replicas: int, killed: bool, guests: Guests, tmp_path: Path
) -> None:  # fmt: skip
    """Nobody asks the servers for anything while they are at it. killed: one of them, in the midst of it."""
    make_one, look = KINDS[kind]
    with serving(store, replicas, tmp_path) as servers:
        clients = await guests(*(server.address for server in servers))
        moment = time.time() + _UNTIL_ALL_ARE_DUE_SECONDS
        duties = []
        for first in range(0, _AT_ONCE, 8):
            left = moment - time.time()
            made = (make_one(clients[number % replicas], left) for number in range(first, first + 8))
            duties += await asyncio.gather(*made)
        if killed:
            await asyncio.sleep(moment + _KILLED_AFTER_SECONDS - time.time())
            servers[0].kill()
        await asyncio.sleep(moment + _UNTIL_ALL_ARE_READ_SECONDS - time.time())
        if killed:
            await asyncio.to_thread(servers[0].start)
        late = sorted([await look(clients[number % replicas], of) for number, of in enumerate(duties)])
    middle, most = late[_AT_ONCE // 2], late[_AT_ONCE * 99 // 100]
    print(
        f"part {part}: {_AT_ONCE} {kind} due at one moment, {store}, replicas: {replicas}, one killed: {killed}: none "
        f"lost, none twice, late by p50 {middle:.2f} s, p99 {most:.2f} s"
    )
