"""A port that stays ours while a server on it is stopped and started again."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager


class HeldPort:
    """A free port of this machine, kept until `close`: no other program and no outgoing connection can get it.

    It is bound and does not listen, with SO_REUSEADDR, so that a server which sets that too may listen there.
    """

    def __init__(self) -> None:
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", 0))
        self.number: int = self._socket.getsockname()[1]

    def close(self) -> None:
        """Gives it back."""
        self._socket.close()


@contextmanager
def held_port() -> Iterator[int]:
    """The number of a port that is kept while this lasts."""
    port = HeldPort()
    try:
        yield port.number
    finally:
        port.close()
