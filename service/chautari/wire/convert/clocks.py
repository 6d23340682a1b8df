"""Clocks: what is agreed and how they stand, between messages and values."""

from collections.abc import Iterable
from typing import Any, Final

from chautari.app.clock_values import NO_CLOCK, TimeControl, WhenAway
from chautari.app.clocks import SeatClock
from chautari.v1 import match_pb2
from chautari.wire.convert.plain import fill_time

_WHEN_AWAY: Final = {
    WhenAway.PLAY_AT_ONCE: match_pb2.WHEN_AWAY_PLAY_AT_ONCE,
    WhenAway.KEEP_CLOCK: match_pb2.WHEN_AWAY_KEEP_CLOCK,
    WhenAway.RESIGN: match_pb2.WHEN_AWAY_RESIGN,
}
_FROM_WHEN_AWAY: Final = {number: value for value, number in _WHEN_AWAY.items()}


def control_from_proto(message: match_pb2.TimeControl) -> TimeControl | None:
    """What is to be agreed; None where the message names no kind: the default."""
    kind = message.WhichOneof("kind")
    if kind is None:
        return None
    if kind == "none":
        return NO_CLOCK
    fields: dict[str, int] = {}
    if kind == "per_move":
        fields["move"] = message.per_move.ToMicroseconds()
    elif kind == "bank":
        fields["bank"] = message.bank.time.ToMicroseconds()
        fields["increment"] = message.bank.increment.ToMicroseconds()
    else:
        fields["days"] = message.days_per_move
    if message.HasField("away_after"):
        fields["away_after"] = message.away_after
    return TimeControl(when_away=_FROM_WHEN_AWAY.get(message.when_away, WhenAway.PLAY_AT_ONCE), **fields)


def fill_control(target: match_pb2.TimeControl, control: TimeControl | None) -> None:
    """Writes what is agreed into an empty message."""
    if control is None or not control.runs:
        target.none.SetInParent()
        return
    if control.move:
        target.per_move.FromMicroseconds(control.move)
    elif control.bank:
        target.bank.time.FromMicroseconds(control.bank)
        if control.increment:
            target.bank.increment.FromMicroseconds(control.increment)
    else:
        target.days_per_move = control.days
    target.away_after = control.away_after
    target.when_away = _WHEN_AWAY[control.when_away]


def fill_clocks(target: Any, clocks: Iterable[SeatClock]) -> None:
    """Writes how clocks stand into an empty list."""
    for clock in clocks:
        message: match_pb2.Clock = target.add(seat=clock.seat)
        if clock.due_at is not None:
            fill_time(message.due_time, clock.due_at)
        if clock.bank is not None:
            message.bank.SetInParent()
            message.bank.FromMicroseconds(clock.bank)
