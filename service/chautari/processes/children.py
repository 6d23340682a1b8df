"""What all children of a supervisor have in common: how they are signalled, and when one that died is followed."""

import os
from contextlib import suppress
from typing import Final

LONGEST_PAUSE: Final = 10.0
_FIRST_PAUSE: Final = 0.1
_SETTLED_SECONDS: Final = 30.0
"""A child that has lived for so long is replaced at once when it dies; one that has not, after a pause that grows."""


def send(pid: int, number: int) -> None:
    """Sends a signal to a child that nobody has waited for yet.

    asyncio's own way looks first whether the child has ended, and so takes its status from who waits.
    """
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def is_settled(seconds: float) -> bool:
    """Whether a child that has lived for so long died by chance, and not because it cannot live."""
    return seconds > _SETTLED_SECONDS


def pause(deaths: int) -> float:
    """How many seconds to wait after so many quick deaths in a row."""
    return min(_FIRST_PAUSE * 2 ** min(deaths - 1, 20), LONGEST_PAUSE) if deaths else 0.0
