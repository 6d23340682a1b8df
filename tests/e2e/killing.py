"""Blows under load, and whether anything acknowledged or shown was lost, doubled or left half there."""

import asyncio
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from typer.testing import CliRunner

from chautari import main
from chautari.app import events as journal
from chautari.app.ports import Store
from chautari.app.updates import Step
from chautari.app.values import Cause, Entry, Match
from chautari.cli.app import make_app
from chautari.wire.convert.steps import encode_step
from chautari.wire.records.files import record_to_json
from chautari_client import Client, Update
from tests.e2e.conftest import Guests
from tests.e2e.load import Load
from tests.e2e.programs import PLAYERS, Program, told
from tests.e2e.replay import check_journal

_IN_FLIGHT_SECONDS = 0.05
"""Within this an answer that had left a server before it died has been read."""


@dataclass(frozen=True, eq=False)
class Blow:
    """Something that dies and is started again. struck: the addresses whose programs cannot act meanwhile."""

    name: str
    kill: Callable[[], object]
    start: Callable[[], object]
    struck: Sequence[str]


@dataclass
class Struck:
    """What became of the load. seconds: from each blow to the first act that was acknowledged after it; ready: from
    each to when what was struck was ready again."""

    load: Load
    seconds: list[float] = field(default_factory=list)
    ready: list[float] = field(default_factory=list)
    blows: list[str] = field(default_factory=list)

    def figures(self) -> str:
        """How long it took, for people."""
        told = [
            f"{what} p50 {ordered[len(ordered) // 2]:.2f} s, p95 {ordered[len(ordered) * 95 // 100]:.2f} s"
            for what, ordered in (("ready", sorted(self.ready)), ("the first act", sorted(self.seconds)))
        ]
        what = f"{len(self.seconds)} kills, {self.load.acknowledged} acknowledged acts"
        return f"{what}; from a kill to {' and to '.join(told)}"


@dataclass(frozen=True)
class Seated:
    """A table: its game, and the client of each seat by the address of its server."""

    game: str
    clients: list[tuple[str, Client]]


async def seat(game: str, guests: Guests, *addresses: str) -> Seated:
    """People at a table, who call these servers by turns."""
    called = [addresses[number % len(addresses)] for number in range(PLAYERS[game])]
    return Seated(game, list(zip(called, await guests(*called), strict=True)))


async def strike(tables: Sequence[Seated], blows: Sequence[Blow], count: int, seed: int) -> Struck:
    """Plays at all tables while blows fall, each of them where there are enough, by chance; ends with the matches."""
    load, chance = Load(), random.Random(seed)
    outcome = Struck(load)
    falling = [*blows[:count], *(chance.choice(blows) for _ in range(count - len(blows)))]
    chance.shuffle(falling)
    struck = {
        blow: {client for table in tables for address, client in table.clients if address in blow.struck}
        for blow in blows
    }
    async with asyncio.TaskGroup() as group:
        for number, table in enumerate(tables):
            group.create_task(load.play(table.game, [client for _, client in table.clients], seed + number))
        for blow in falling:
            await load.reach(chance.randrange(5, 80))
            await asyncio.sleep(chance.uniform(0.0, 0.01))
            begun = time.perf_counter()
            await asyncio.to_thread(blow.kill)
            await asyncio.sleep(_IN_FLIGHT_SECONDS)
            before = _acted(load, struck[blow])
            await asyncio.to_thread(blow.start)
            outcome.ready.append(time.perf_counter() - begun)
            while _acted(load, struck[blow]) == before:  # noqa: ASYNC110  # a sum has no event of its own
                await asyncio.sleep(0.005)
            outcome.seconds.append(time.perf_counter() - begun)
            outcome.blows.append(blow.name)
        load.done = True
    return outcome


def _acted(load: Load, clients: set[Client]) -> int:
    """How many acts were acknowledged to programs over these clients."""
    return sum(len(program.done) for program in load.programs if program.client in clients)


async def verify_all(load: Load, folder: Path) -> int:
    """Runs `chautari verify` on the record of every match, fetched from a server; returns how many."""
    return await verify_matches({program.match: program.client for program in load.programs}, folder)


async def verify_matches(matches: Mapping[str, Client], folder: Path) -> int:
    """The same of these matches, each fetched by a client."""
    files = []
    for match, client in matches.items():
        file = folder / f"{match.partition('/')[2]}.chautari.json"
        file.write_text(record_to_json(await client.record(match)))
        files.append(str(file))
    ran = await asyncio.to_thread(CliRunner().invoke, make_app(main.tied()), ["verify", *files])
    assert ran.exit_code == 0, ran.stdout
    assert ran.stdout.count("verify_shuffles.py, which knows no rules, finds the same") == len(files), ran.stdout
    return len(files)


async def check_all(store: Store, load: Load) -> int:
    """Every match replays, and its journal holds what programs were told; returns the number of acts."""
    acts = 0
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
    assert acts >= load.acknowledged
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
