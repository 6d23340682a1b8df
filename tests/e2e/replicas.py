"""Two replicas on one PostgreSQL, for the tests that kill them or leave them alone."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from tests.cluster import Cluster, running_cluster
from tests.e2e.server import Server

KEY = "5a" * 32
"""Seals the secrets of the database; every replica has it."""


class Pair:
    """Two servers on one database of one PostgreSQL."""

    def __init__(self, cluster: Cluster, url: str, servers: list[Server]) -> None:
        self.cluster = cluster
        self.url = url
        self.servers = servers

    @property
    def addresses(self) -> list[str]:
        """Where each of them answers gRPC."""
        return [server.address for server in self.servers]

    def start(self) -> None:
        """Starts both at once; on an empty database one of them makes the tables."""
        with ThreadPoolExecutor() as starting:
            list(starting.map(Server.start, self.servers))

    def start_what_is_down(self) -> None:
        """Starts what a test that failed has left killed."""
        if not self.cluster.is_running:
            self.cluster.start()
        for server in self.servers:
            if not server.is_running():
                server.start()

    def close(self) -> None:
        """Kills both where they run. No call has ended in a fault."""
        for server in self.servers:
            server.close()
            assert "fault" not in server.output, server.output


@contextmanager
def running_pair(folder: Path, *, off_by: Sequence[float] = (0.0, 0.0), **environment: str) -> Iterator[Pair]:
    """Two replicas, and a PostgreSQL of their own that loses nothing when it is killed.

    off_by: how many seconds the clock of each is ahead.
    """
    with running_cluster(durable=True) as cluster:
        url = cluster.url(cluster.make_database())
        servers = []
        for name, seconds in zip(("one", "two"), off_by, strict=True):
            (folder / name).mkdir()
            servers.append(Server(folder / name, url, CHAUTARI_KEY=KEY, **environment))
            servers[-1].clock_off_by = seconds
        pair = Pair(cluster, url, servers)
        try:
            pair.start()
            yield pair
        finally:
            pair.close()
