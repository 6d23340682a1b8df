"""A real NATS server of the tests' own, from a wheel, which can be stopped and started again on its port."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.ports import held_port


class Nats:
    """A running NATS server."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.url = f"nats://127.0.0.1:{port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it and waits until it takes connections."""
        program = Path(sys.executable).with_name("nats-server")
        self._process = subprocess.Popen(
            [str(program), "-a", "127.0.0.1", "-p", str(self.port)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        end = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                assert self._process.poll() is None, "NATS did not start"
                assert time.monotonic() < end
                time.sleep(0.02)
            else:
                return

    def stop(self) -> None:
        """Ends it at once."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


@contextmanager
def running_nats() -> Iterator[Nats]:
    """A NATS on a free port, which ends with the block."""
    with held_port() as port:
        nats = Nats(port)
        try:
            nats.start()
            yield nats
        finally:
            nats.stop()
