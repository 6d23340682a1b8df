"""The processes of a service, as the system shows them."""

from collections.abc import Iterator
from pathlib import Path

from tests.e2e.server import Server


def is_there(pid: int) -> bool:
    """Whether a process is there that is no zombie."""
    return _state(Path(f"/proc/{pid}"))[0] not in ("", "Z")


def workers_of(server: Server) -> list[int]:
    """The workers of a supervisor."""
    return sorted(pid for pid, words in _children(server) if b"work" in words)


def envoys_of(server: Server) -> list[int]:
    """Its Envoys."""
    return sorted(pid for pid, words in _children(server) if b"--disable-hot-restart" in words)


def _children(server: Server) -> Iterator[tuple[int, list[bytes]]]:
    for path in Path("/proc").iterdir():
        state, parent = _state(path) if path.name.isdigit() else ("", 0)
        if state not in ("", "Z") and parent == server.pid:
            try:
                yield int(path.name), (path / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue


def _state(path: Path) -> tuple[str, int]:
    """How a process is, and the number of its parent; empty where it is gone."""
    try:
        state, parent = (path / "stat").read_text().rsplit(")", 1)[1].split()[:2]
    except OSError:
        return "", 0
    return state, int(parent)
