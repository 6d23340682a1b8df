"""One process at a time: a lock file beside the database."""

import fcntl
import os
from pathlib import Path

from chautari.errors import Conflict


class ProcessLock:
    """Held from its making until `release`, or until the process ends, however it ends.

    Conflict `DATABASE_IN_USE` names the process that holds it. The file stays: removing it would let two hold it.
    """

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(self._file, 20).decode(errors="replace").strip() or "unknown"
            os.close(self._file)
            raise Conflict(
                "DATABASE_IN_USE",
                f"process {holder} has this database open ({path} is locked): end it first, use another file, "
                "or ask the service itself (--server, where the command has it)",
                pid=holder,
            ) from None
        os.ftruncate(self._file, 0)
        os.write(self._file, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        """Lets the next process in; harmless a second time."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
