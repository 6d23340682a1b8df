"""A disk that really is full, under programs that play: all goes on when there is room again."""

import asyncio
import errno
import os
import random
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from chautari_client import Exhausted
from tests.cluster import running_cluster
from tests.e2e.conftest import Guests
from tests.e2e.killing import check_all, verify_all
from tests.e2e.load import Load
from tests.e2e.programs import PLAYERS, Program
from tests.e2e.replicas import KEY
from tests.e2e.server import Server

LONG: dict[str, dict[str, object]] = {
    "bluff": {"players": 3},
    "dehla_pakad": {"max_hands": 5},
    "gulam_chor": {"players": 3, "rounds": 15},
}
REFUSALS = 30

pytestmark = [pytest.mark.soak, pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a disk")]


class Disk:
    """A small disk in memory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ballast = folder / "ballast"

    def fill(self) -> None:
        """Leaves not a byte."""
        with self._ballast.open("ab", buffering=0) as ballast:
            for size in (1 << 20, 1 << 12, 1):
                try:
                    while ballast.write(bytes(size)) == size:
                        pass
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise

    def free(self) -> None:
        """There is room again."""
        self._ballast.unlink()


@contextmanager
def mounted(megabytes: int) -> Iterator[Disk]:
    """A disk, which is gone with the block."""
    folder = Path(tempfile.mkdtemp(prefix="chautari-disk-"))
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=755", "tmpfs", folder], check=True)
    try:
        yield Disk(folder)
    finally:
        subprocess.run(["umount", folder], check=True)
        folder.rmdir()


@dataclass
class Patient(Program):
    """A program that also waits for room. refusals: how often there was none."""

    refusals: int = 0

    async def _insist(self, action: str, revision: int, request_id: str) -> int:
        while True:
            try:
                return await super()._insist(action, revision, request_id)
            except Exhausted as full:
                if full.reason != "STORAGE_FULL" or not full.retry_after:
                    raise
                self.refusals += 1
                await asyncio.sleep(0.1)


async def play_through(disk: Disk, addresses: Sequence[str], guests: Guests, mend: Callable[[], object]) -> Load:
    """Matches in the midst of which the disk is full for a while; mend: what somebody does when there is room again."""
    load = Load()
    for number, game in enumerate([*LONG] * 3):
        called = [addresses[seat % len(addresses)] for seat in range(PLAYERS[game])]
        clients = await guests(*called)
        match = await clients[0].create_match(game, LONG[game], seats=[0])
        for client in clients[1:]:
            await client.join(code=match.code)
        load.programs += [
            Patient(client, match.name, seat, random.Random(f"{number} {seat}")) for seat, client in enumerate(clients)
        ]

    def refusals() -> int:
        return sum(program.refusals for program in load.programs if isinstance(program, Patient))

    async with asyncio.timeout(200), asyncio.TaskGroup() as group:
        for program in load.programs:
            group.create_task(program.play())
        await load.reach(100)
        await asyncio.to_thread(disk.fill)
        before = load.acknowledged
        while refusals() < REFUSALS:  # noqa: ASYNC110  # a sum has no event of its own
            await asyncio.sleep(0.01)
        during = load.acknowledged - before
        await asyncio.to_thread(disk.free)
        await asyncio.to_thread(mend)
    print(f"{load.acknowledged} acts, {during} of them while the disk was full, and {refusals()} refused")
    return load


async def test_sqlite_on_a_disk_that_is_full(guests: Guests, tmp_path: Path) -> None:
    with mounted(64) as disk:
        server = Server(disk.folder)
        server.start()
        load = await play_through(disk, [server.address], guests, lambda: None)
        await verify_all(load, tmp_path)
        assert server.stop() == 0
        async with server.store() as store:
            await check_all(store, load)
        server.close()
        assert "fault" not in server.output, server.output


async def test_postgresql_on_a_disk_that_is_full(guests: Guests, tmp_path: Path) -> None:
    with mounted(192) as disk, running_cluster(durable=True, folder=disk.folder) as cluster:
        url = cluster.url(cluster.make_database())
        server = Server(tmp_path, url, CHAUTARI_KEY=KEY)
        server.start()

        def mend() -> None:
            """Where it could not even write its log PostgreSQL has ended."""
            if cluster.process is None or cluster.process.poll() is not None:
                cluster.start()

        load = await play_through(disk, [server.address], guests, mend)
        await verify_all(load, tmp_path)
        async with server.store() as store:
            await check_all(store, load)
        server.close()
        assert "fault" not in server.output, server.output
