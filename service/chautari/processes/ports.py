"""Ports on which several processes of one supervisor listen together."""

import socket
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reserved:
    """A port that is kept until `close`. Whoever listens there with SO_REUSEPORT, as the same user, may."""

    port: int
    held: socket.socket

    def close(self) -> None:
        """Gives it back."""
        self.held.close()


def reserve(host: str, port: int) -> Reserved:
    """Keeps a port, 0 for a free one, without listening on it; OSError where another program listens there.

    Who listens with SO_REUSEPORT does not notice others who do so too: the first look is therefore without it, so that
    two services do not share a port unasked.
    """
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    if port:
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(address)
            except OSError as error:
                raise OSError(f"cannot listen on {where}: {(error.strerror or str(error)).lower()}") from None
    held = socket.socket(family, kind, protocol)
    try:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        held.bind(address)
    except OSError as error:
        held.close()
        raise OSError(f"cannot listen on {where}: {(error.strerror or str(error)).lower()}") from None
    return Reserved(held.getsockname()[1], held)
