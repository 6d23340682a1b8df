"""How long a seat has to act, for `create_match(clock=…)`: in a few words, and as a message of the API."""

from datetime import timedelta
from typing import Final, Literal

from chautari.v1 import match_pb2

WhenAway = Literal["play_at_once", "keep_clock", "resign"]
"""What becomes of a seat that timed out several times in a row."""

_WHEN_AWAY: Final[dict[WhenAway, match_pb2.WhenAway]] = {
    "play_at_once": match_pb2.WHEN_AWAY_PLAY_AT_ONCE,
    "keep_clock": match_pb2.WHEN_AWAY_KEEP_CLOCK,
    "resign": match_pb2.WHEN_AWAY_RESIGN,
}

NO_CLOCK: Final = match_pb2.TimeControl(none=match_pb2.NoClock())
"""Nobody's time is ever up."""


def per_move(
    seconds: float, *, away_after: int = 2, when_away: WhenAway = "play_at_once"
) -> match_pb2.TimeControl:  # fmt: skip
    """So many seconds for each move, 3 to 3600. away_after: time-outs in a row, 0 for never."""
    control = match_pb2.TimeControl(away_after=away_after, when_away=_WHEN_AWAY[when_away])
    control.per_move.FromTimedelta(timedelta(seconds=seconds))
    return control


def bank(
    seconds: float, increment: float = 0.0, *, away_after: int = 2, when_away: WhenAway = "play_at_once"
) -> match_pb2.TimeControl:
    """So many seconds for all moves of a seat, 10 to 86400, and what each own move adds, 0 to 600."""
    control = match_pb2.TimeControl(away_after=away_after, when_away=_WHEN_AWAY[when_away])
    control.bank.time.FromTimedelta(timedelta(seconds=seconds))
    control.bank.increment.FromTimedelta(timedelta(seconds=increment))
    return control


def days_per_move(
    days: int, *, away_after: int = 2, when_away: WhenAway = "play_at_once"
) -> match_pb2.TimeControl:  # fmt: skip
    """So many days for each move, 1 to 30."""
    return match_pb2.TimeControl(days_per_move=days, away_after=away_after, when_away=_WHEN_AWAY[when_away])
