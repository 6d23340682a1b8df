"""The clocks of a match as values: what was agreed, and how they stand. All times are whole microseconds."""

from enum import StrEnum
from typing import Final

import msgspec

from chautari.engine import Seat

_SECOND: Final = 1_000_000
DAY: Final = 86_400 * _SECOND


class WhenAway(StrEnum):
    """What becomes of a seat that is away: it is played at once, or when its time is up, or resigned."""

    PLAY_AT_ONCE = "play_at_once"
    KEEP_CLOCK = "keep_clock"
    RESIGN = "resign"


class TimeControl(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How long a seat has to act; one of move, bank and days is more than 0, or none where there is no clock.

    move       for each move
    bank       for all its moves; increment: what each own move adds to it
    days       for each move, in days
    away_after  after how many time-outs in a row a seat is away; 0 for never
    """

    move: int = 0
    bank: int = 0
    increment: int = 0
    days: int = 0
    away_after: int = 2
    when_away: WhenAway = WhenAway.PLAY_AT_ONCE

    @property
    def runs(self) -> bool:
        """Whether there is a clock at all."""
        return bool(self.move or self.bank or self.days)


NO_CLOCK: Final = TimeControl()
"""What is agreed where a match is to be played without clocks."""


class Clocks(msgspec.Struct, frozen=True, array_like=True):
    """How the clocks of a match stand, by seat, in service time: the database's time less all outages.

    due     when the time of the seat is up; 0 where its clock does not run
    banks   what was left when its clock was last stopped; empty where there are no banks
    missed  its time-outs in a row; away: the seats that are away, as bits
    silent  the time-outs in a row of all seats
    """

    due: tuple[int, ...]
    banks: tuple[int, ...]
    missed: tuple[int, ...]
    away: int = 0
    silent: int = 0

    def is_away(self, seat: Seat) -> bool:
        """Whether this seat is away."""
        return bool(self.away >> seat & 1)
