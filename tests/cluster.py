"""A PostgreSQL of the tests' own, in a folder that is removed at the end, which can be killed."""

import os
import secrets
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from chautari.cli import own_postgres
from tests.ports import held_port

_SETTINGS = (
    "fsync=off", "full_page_writes=off", "max_connections=200", "shared_buffers=64MB", "max_wal_size=256MB",
    "listen_addresses=127.0.0.1",
)  # fmt: skip


class Cluster(own_postgres.Cluster):
    """A PostgreSQL that is started, killed and stopped, and makes databases."""

    @property
    def is_running(self) -> bool:
        """Whether its process is there."""
        return self.process is not None and self.process.poll() is None

    def kill(self) -> None:
        """`kill -9` of the server and of all its backends."""
        assert self.process is not None
        backends = self.children()
        self.process.kill()
        self.process.wait(20)
        for pid in backends:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        while any(map(_is_running, backends)):  # they hold the memory that the next one needs
            time.sleep(0.005)

    def kill_backend(self) -> None:
        """`kill -9` of one backend that serves a client, upon which PostgreSQL ends all and recovers by itself."""
        served = "backend_type = 'client backend' AND pid <> pg_backend_pid()"
        pid = self.run(f"SELECT pid FROM pg_stat_activity WHERE {served} ORDER BY random() LIMIT 1")
        if pid:
            os.kill(int(pid), signal.SIGKILL)

    def make_database(self) -> str:
        """A new database; returns its name."""
        name = f"test_{secrets.token_hex(6)}"
        self.run(f"CREATE DATABASE {name}")
        return name


@contextmanager
def running_cluster(*, durable: bool = False, folder: Path | None = None) -> Iterator[Cluster]:
    """A PostgreSQL on a free port, which ends with the block. durable: what it has committed outlives its `kill`;
    folder: where its files are made.

    What a process wrote the system keeps when it dies, so that takes no fsync.
    """
    base = Path(tempfile.mkdtemp(prefix="chautari-pg-", dir=folder))
    commits = f"synchronous_commit={'on' if durable else 'off'}"
    with held_port() as port:
        cluster = Cluster(base, port, [*_SETTINGS, commits])
        try:
            cluster.make_files()
            cluster.start()
            yield cluster
        finally:
            cluster.stop()
            shutil.rmtree(base, ignore_errors=True)


def _is_running(pid: int) -> bool:
    """Whether a process has not ended; one that nobody has waited for yet has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
