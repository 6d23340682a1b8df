"""The clock of a store in one process."""

import threading
import time
from collections.abc import Callable

from chautari.app.values import Micros


def system_clock() -> Micros:
    """The system's time; it may step back."""
    return time.time_ns() // 1000


class Clock:
    """The system's time, but never earlier than it has been, also where the system's clock steps back."""

    def __init__(self, source: Callable[[], Micros] = system_clock, floor: Micros = 0) -> None:
        self._source = source
        self._last = floor
        self._lock = threading.Lock()

    def now(self) -> Micros:
        """The time; from any thread."""
        with self._lock:
            self._last = max(self._last, self._source())
            return self._last
