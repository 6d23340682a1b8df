"""What became of verifying a record."""

from dataclasses import dataclass, field
from typing import Final

from chautari.wire.records.differences import Difference

_MOST: Final = 100
"""Differences that are listed; one wrong card early on makes many."""


@dataclass(slots=True)
class Verdict:
    """What became of verifying a record.

    checked: what was found right, or looked at; unchecked: what cannot be checked, and why. more: differences not
    listed.
    """

    match: str = ""
    game: str = ""
    checked: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    more: int = 0

    @property
    def holds(self) -> bool:
        """Whether nothing differs."""
        return not self.differences

    def note(self, difference: Difference) -> None:
        """Adds what differs."""
        if len(self.differences) < _MOST:
            self.differences.append(difference)
        else:
            self.more += 1
