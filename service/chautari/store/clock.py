"""The clocks of a store in one process."""

import threading
import time
from collections.abc import Callable

from chautari.app.values import Micros


def system_clock() -> Micros:
    """The system's time; it may step back."""
    return time.time_ns() // 1000


class Clock:
    """The system's time, but never earlier than it has been: where the system's clock steps back, this one runs on."""

    def __init__(self, source: Callable[[], Micros] = system_clock, floor: Micros = 0) -> None:
        self._source = source
        self._last = floor
        self._read_at = time.monotonic_ns()
        self._lock = threading.Lock()

    def now(self) -> Micros:
        """The time; from any thread."""
        with self._lock:
            read_at = time.monotonic_ns()
            passed = (read_at - self._read_at) // 1000
            now = self._source()
            if now < self._last:
                now = self._last + passed
            self._last, self._read_at = now, read_at
            return now


class DatabaseClock:
    """The database's time, told from this process's own steady clock: `set` it now and then."""

    def __init__(self) -> None:
        self._ahead: Micros = system_clock() - time.monotonic_ns() // 1000

    def __call__(self) -> Micros:
        """Now."""
        return self._ahead + time.monotonic_ns() // 1000

    def set(self, now: Micros, asked_at: int) -> None:
        """The database said so; asked_at: `monotonic_ns` before it was asked."""
        self._ahead = now - (asked_at + time.monotonic_ns()) // 2000
