"""Ports that several processes listen on together, and nobody else."""

import socket

import pytest

from chautari.processes import reserve


def listening(port: int, *, shared: bool) -> socket.socket:
    """A socket that listens."""
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, int(shared))
    try:
        one.bind(("127.0.0.1", port))
        one.listen()
    except OSError:
        one.close()
        raise
    return one


def test_several_listen_on_a_port_that_is_kept() -> None:
    kept = reserve("127.0.0.1", 0)
    with listening(kept.port, shared=True), listening(kept.port, shared=True):
        with pytest.raises(OSError, match="in use"):
            listening(kept.port, shared=False)
        kept.close()


@pytest.mark.parametrize("shared", [False, True])
def test_port_on_which_another_program_listens_is_refused(shared: bool) -> None:
    """Also where that one would share it: its callers are not ours."""
    with listening(0, shared=shared) as other:
        port = other.getsockname()[1]
        with pytest.raises(OSError, match=f"cannot listen on 127.0.0.1:{port}: address already in use"):
            reserve("127.0.0.1", port)
