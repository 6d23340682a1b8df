"""A database that is full or takes no changes, under servers that run: no wrong answer, and all goes on by itself."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle
from pathlib import Path

import pytest
from grpc_health.v1 import health_pb2

from chautari.app.clocks import GRACE
from chautari.app.values import SECOND, Cause
from chautari.v1 import play_pb2
from chautari_client import Client, Retry, View, per_move
from tests.e2e.conftest import HEARTBEAT_SECONDS, QUICK_TO_RECONNECT
from tests.e2e.killing import verify_matches
from tests.e2e.programs import SHORT, Program
from tests.e2e.raw import Raw, Stream
from tests.e2e.refusing import (
    Trouble,
    act,
    another_program_writes,
    create,
    every_write_finds_it_full,
    guest,
    insist,
    join,
    no_file_grows,
    refused,
    refused_over_http,
    sessions_are_read_only,
)
from tests.e2e.replay import check_journal
from tests.e2e.replicas import Pair
from tests.e2e.server import Server
from tests.wire.over_http import Http

SEATS = 3
MOVE_SECONDS = 3.0


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Server]:
    """A server on SQLite."""
    server = Server(tmp_path, CHAUTARI_HEARTBEAT_SECONDS=str(HEARTBEAT_SECONDS))
    server.start()
    yield server
    server.close()
    assert "fault" not in server.output, server.output


@dataclass
class Scene:
    """People of a match under way, who try once and are told; somebody who comes late; and who watches.

    waiting: a match with a free seat; timed: one in which moves are made for who does not make them.
    """

    servers: Sequence[Server]
    people: list[Client]
    late: Client
    match: str
    waiting: str
    timed: str
    streams: list[Stream]
    told: list[int] = field(default_factory=list)
    """The revisions of the match that the first of the streams has brought."""

    async def view(self) -> View:
        """The table as the seat sees it that must act."""
        [seat] = (await self.people[0].view(self.match)).turn.must
        return await self.people[seat].view(self.match, seat)

    async def look(self, revision: int) -> None:
        """Whoever reads at whichever server is told that the match is at this revision, and nothing else is there."""
        for client in self.people:
            assert (await client.view(self.match)).revision == revision
            assert (await client.get_match(self.match)).revision == revision
            assert (await client.get_match(self.waiting)).revision == 1
            assert len((await client.record(self.match)).entries) == revision
            assert {match.name async for match in client.matches()} <= {self.match, self.waiting, self.timed}
            seen = client.watch(self.match, after=0)
            assert [(await anext(seen)).revision for _ in range(revision)] == list(range(1, revision + 1))
            await seen.aclose()
        for server in self.servers:
            http = Http(f"http://{server.http_address}")
            assert (await http.ask("GET", "/readyz")).status == 200
            await http.close()
            async with Raw(server.address) as raw:
                answer = health_pb2.HealthCheckResponse.FromString(await raw.ask("/grpc.health.v1.Health/Check", b""))
                assert answer.status == health_pb2.HealthCheckResponse.SERVING

    async def beat(self) -> None:
        """The streams of before are alive: each brings a heartbeat of now."""
        for stream in self.streams:
            for _ in range(2):
                await self.read(stream, "heartbeat")

    async def read(self, stream: Stream, kind: str) -> None:
        """Reads a stream, which was never cut, up to a message of a kind."""
        async with asyncio.timeout(60):
            while True:
                update = await stream.read()
                assert isinstance(update, play_pb2.Update)
                if stream is self.streams[0] and update.HasField("step"):
                    self.told.append(update.revision)
                if update.HasField(kind):
                    return


@asynccontextmanager
async def scene(servers: Sequence[Server]) -> AsyncIterator[Scene]:
    """The scene, set up at these servers by turns."""
    async with AsyncExitStack() as stack:

        async def client(server: Server) -> Client:
            made = Client.connect(server.address, retry=Retry(tries=1), options=QUICK_TO_RECONNECT)
            await made.sign_in_as_guest()
            return await stack.enter_async_context(made)

        turns = cycle(servers)
        people = [await client(next(turns)) for _ in range(SEATS)]
        clock = per_move(MOVE_SECONDS, away_after=0)
        timed = await people[0].create_match("gulam_chor", players=2, seats=[0, 1], clock=clock)
        match = await people[0].create_match("gulam_chor", SHORT["gulam_chor"], seats=[0], privacy="public")
        for one in people[1:]:
            await one.join(match)
        waiting = await people[0].create_match("bluff", players=2, seats=[0], privacy="public")
        streams = []
        for server in servers:
            raw = await stack.enter_async_context(Raw(server.address))
            await raw.sign_in()
            streams.append(raw.watch(match.name))
        yield Scene(servers, people, await client(next(turns)), match.name, waiting.name, timed.name, streams)


async def live_through(scene: Scene, trouble: Trouble, reason: str) -> None:
    """Some acts, then the trouble, in which all that changes is refused and all that reads works; then all goes on."""
    people, timed = scene.people, scene.timed
    view = await scene.view()
    answer = await people[view.seat].act(scene.match, view.seat, view.options[0].actions[0])
    view = await scene.view()
    action = view.options[0].actions[0]
    asks = [
        act(people[view.seat], scene.match, view.seat, action), create(people[1]), create(people[2]),
        join(scene.late, scene.waiting), guest(scene.late),
    ]  # fmt: skip
    http = Http(f"http://{scene.servers[-1].http_address}", people[view.seat]._connection.access_token)
    with trouble():
        for _ in range(3):
            await refused(asks, reason)
            await refused_over_http(http, scene.match, view.seat, action, reason)
            await scene.look(answer.revision)
        standing = (await people[0].view(timed)).revision
        await scene.beat()
        await until_overdue(people[0], timed)
        assert (await people[0].view(timed)).revision == standing
    await http.close()
    done = await asyncio.gather(*(insist(ask) for ask in asks))
    again = await asyncio.gather(*(ask.once() for ask in asks[:3]))
    assert [(told.revision, told.replayed) for told in (done[0], again[0])] == [
        (answer.revision + 1, False), (answer.revision + 1, True)
    ]  # fmt: skip
    assert [made.name for made in again[1:]] == [made.name for made in done[1:3]]
    async with asyncio.timeout(60):
        while (await people[0].view(timed)).revision == standing:  # noqa: ASYNC110  # the server does it by itself
            await asyncio.sleep(0.05)
    await people[0].resign(timed, 0)


async def until_overdue(client: Client, match: str) -> None:
    """Waits until the time of a seat has been up for a while."""
    async with asyncio.timeout(60):
        while True:
            view = await client.view(match)
            [due] = [clock.due_time for clock in view.clocks if clock.HasField("due_time")]
            if view.server_time.ToMicroseconds() > due.ToMicroseconds() + GRACE + SECOND // 2:
                return
            await asyncio.sleep(0.05)


async def play_on(scene: Scene, folder: Path) -> None:
    """The match to its end: who watched all the while saw each revision once, and records verify."""
    programs = [Program(client, scene.match, seat, random.Random(seat)) for seat, client in enumerate(scene.people)]
    await asyncio.gather(*(program.play() for program in programs))
    await scene.read(scene.streams[0], "end")
    last = (await scene.people[0].get_match(scene.match)).revision
    assert scene.told == list(range(1, last + 1))[-len(scene.told) :]
    assert await verify_matches(dict.fromkeys((scene.match, scene.timed), scene.people[0]), folder) == 2


async def check(server: Server, scene: Scene) -> None:
    """What is stored replays; and nothing of what was refused is there twice or half."""
    async with server.store() as store:
        for name in (scene.match, scene.timed):
            match = await store.find_match(name.removeprefix("matches/"))
            assert match is not None
            entries = await store.entries(match.id, 0, 100_000)
            check_journal(match, entries)
            assert any(entry.cause is Cause.CLOCK for entry in entries) == (name == scene.timed)


@pytest.mark.parametrize(
    ("trouble", "reason"),
    [
        pytest.param(no_file_grows, "STORAGE_FULL", id="full"),
        pytest.param(another_program_writes, "STORAGE_AWAY", id="locked", marks=pytest.mark.soak),
    ],
)
async def test_sqlite(
    trouble: Callable[[Server], AbstractContextManager[None]], reason: str, alone: Server, tmp_path: Path
) -> None:
    async with scene([alone]) as here:
        await live_through(here, partial(trouble, alone), reason)
        await play_on(here, tmp_path)
    assert alone.stop() == 0
    await check(alone, here)


@pytest.mark.parametrize("name", ["full", "read-only"])
async def test_postgresql(name: str, pair: Pair, tmp_path: Path) -> None:
    troubles = {
        "full": (partial(every_write_finds_it_full, pair.cluster, pair.url.rpartition("/")[2]), "STORAGE_FULL"),
        "read-only": (partial(sessions_are_read_only, pair.cluster), "STORAGE_AWAY"),
    }
    async with scene(pair.servers) as here:
        await live_through(here, *troubles[name])
        await play_on(here, tmp_path)
    await check(pair.servers[0], here)
