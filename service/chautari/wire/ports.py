"""The ports that the fronts listen on: how one is written, and that it cannot be had."""


class PortTaken(OSError):
    """Another program listens there, or this one may not."""


def written(host: str, port: int) -> str:
    """`127.0.0.1:8080`, or `[::1]:8080`."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
