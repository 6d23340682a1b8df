"""An Envoy of the tests' own, in front of services that come and go behind it."""

import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from chautari.processes import EdgeAway, EdgePlan, Replica, bootstrap, certificate_for, find_envoy
from tests.ports import held_port

_READY_SECONDS = 60.0


def envoy_program() -> str:
    """The program; the test is skipped where there is none for this machine."""
    try:
        return find_envoy()
    except EdgeAway as error:
        pytest.skip(str(error))


@dataclass(frozen=True)
class Envoy:
    """One that runs. root: the certificate to trust; replicas: the ports behind it."""

    port: int
    root: bytes
    replicas: tuple[Replica, ...]

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"127.0.0.1:{self.port}"


@contextmanager
def running_envoy(
    replicas: tuple[Replica, ...], often: float = 1.0, heartbeat: float = 20.0, calls_per_second: int = 0
) -> Iterator[Envoy]:
    """An Envoy in front of these, with a certificate of its own."""
    program = envoy_program()
    with tempfile.TemporaryDirectory(prefix="chautari-envoy-") as name, held_port() as port:
        folder = Path(name)
        certificate, key = certificate_for(folder)
        plan = EdgePlan(
            replicas=replicas, certificate=certificate, key=key, admin=str(folder / "admin"), port=port, often=often,
            heartbeat=heartbeat, calls_per_second=calls_per_second,
        )  # fmt: skip
        (folder / "envoy.yaml").write_text(bootstrap(plan))
        command = [program, "-c", str(folder / "envoy.yaml"), "--disable-hot-restart", "--concurrency", "1"]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen([*command, "--log-level", "error"], stdout=log, stderr=log)
        try:
            _wait(port, process, folder / "log")
            yield Envoy(port, certificate.read_bytes(), replicas)
        finally:
            process.kill()
            process.wait(20)


def _wait(port: int, process: "subprocess.Popen[bytes]", log: Path) -> None:
    end = time.monotonic() + _READY_SECONDS
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"Envoy did not start: {log.read_text()}")
        time.sleep(0.02)
