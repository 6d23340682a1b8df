"""The clocks of a match under way: pure functions from how they stood to how they stand after a change.

Only a seat that must act has a clock running. It is wound anew when a duty begins: by the seat's own move, in another
phase or hand; a duty that goes on across another seat's move keeps its clock.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from chautari.app.clock_values import DAY, Clocks, TimeControl, WhenAway
from chautari.app.events import AnyEvent, SeatAway
from chautari.app.values import SECOND, Cause, DueKind, Match, MatchState, Micros
from chautari.engine import Game, HandEnded, Position, Seat
from chautari.errors import Malformed

GRACE: Final[Micros] = SECOND // 10
"""So long after its time a seat is timed out: what it did in time may still be on its way to the database."""
OVERTIME: Final[Micros] = 10 * SECOND
"""What a seat has for each move at least, however empty its bank."""

MOVE: Final = (3 * SECOND, 3600 * SECOND)
BANK: Final = (10 * SECOND, DAY)
INCREMENT: Final = (0, 600 * SECOND)
DAYS: Final = (1, 30)
AWAY_AFTER: Final = (0, 20)
"""The ranges of what can be agreed."""

_ROUNDS_ALL_AWAY: Final = 3
_ROUNDS_NEVER_AWAY: Final = 20
_MOST: Final = 10_000


def default_control(game: Game[Any, Any]) -> TimeControl:
    """How long a seat has to act in a match of this game whose creator says nothing."""
    return TimeControl(move=game.turn_seconds * SECOND)


def check_control(control: TimeControl) -> TimeControl | None:
    """What a match keeps of this; None where it is played without clocks. Malformed `REQUEST_INVALID` out of range."""
    for name, value, (least, most), unit, by in (
        ("per_move", control.move, MOVE, "seconds", SECOND), ("bank.time", control.bank, BANK, "seconds", SECOND),
        ("bank.increment", control.increment, INCREMENT, "seconds", SECOND),
        ("days_per_move", control.days, DAYS, "days", 1),
    ):  # fmt: skip
        if value and not least <= value <= most:
            raise Malformed(
                "REQUEST_INVALID", f"it is from {least // by} to {most // by} {unit}", field=f"clock.{name}"
            )
    if not AWAY_AFTER[0] <= control.away_after <= AWAY_AFTER[1]:
        raise Malformed(
            "REQUEST_INVALID", f"it is from {AWAY_AFTER[0]} to {AWAY_AFTER[1]} time-outs", field="clock.away_after"
        )
    return control if control.runs else None


def wound(
    match: Match, position: Position[Any], cause: Cause, seat: Seat | None, events: Sequence[AnyEvent], now: Micros
) -> Clocks:
    """How the clocks of a match stand after a change. match: as it was before, but for seats that have come back."""
    control = match.clock
    assert control is not None
    old = match.clocks
    players = len(match.chairs)
    if old is None:
        old = Clocks((0,) * players, (control.bank,) * players if control.bank else (), (0,) * players)
    missed, away, silent = old.missed, old.away, old.silent
    left = position.left
    actor = seat if cause is Cause.SEAT or cause is Cause.CLOCK else None
    if actor is not None:
        if cause is Cause.SEAT:
            silent = 0
            if missed[actor]:
                missed = _with(missed, actor, 0)
                away &= ~(1 << actor)
        elif actor not in left:
            count = min(missed[actor] + 1, _MOST)
            missed, silent = _with(missed, actor, count), min(silent + 1, _MOST)
            if control.away_after and count >= control.away_after:
                away |= 1 << actor
    for gone in left:
        away &= ~(1 << gone)
    before = Clocks(old.due, old.banks, missed, away, silent)
    must = position.must
    if not (must | any(old.due)):
        return before
    at_once = _at_once(control, before, left, players)
    new_duty = match.phase != position.phase or any(type(event) is HandEnded for event in events)
    due, banks = list(old.due), list(old.banks)
    for one in range(players):
        runs_until = due[one]
        runs = must >> one & 1 and not at_once >> one & 1 and one not in left
        if runs and runs_until and one != actor and not new_duty:
            continue
        if banks and runs_until:
            if one == actor and cause is Cause.CLOCK:
                banks[one] = 0
            else:
                used = max(banks[one], OVERTIME) - max(runs_until - now, 0)
                banks[one] = max(banks[one] - max(used, 0), 0) + (control.increment if one == actor else 0)
        due[one] = now + _given(control, banks[one] if banks else 0) if runs else 0
    return Clocks(tuple(due), tuple(banks), missed, away, silent)


def _given(control: TimeControl, bank: Micros) -> Micros:
    """How long a seat has for a move that begins now."""
    return control.move or (max(bank, OVERTIME) if control.bank else control.days * DAY)


def _with(counts: tuple[int, ...], seat: Seat, count: int) -> tuple[int, ...]:
    return (*counts[:seat], count, *counts[seat + 1 :])


def _at_once(control: TimeControl, clocks: Clocks, left: Sequence[Seat], players: int) -> int:
    """The seats, as bits, that are played at once: those away, unless all are."""
    if not clocks.away or control.when_away is not WhenAway.PLAY_AT_ONCE or _all_away(clocks, left, players):
        return 0
    return clocks.away


def _all_away(clocks: Clocks, left: Sequence[Seat], players: int) -> bool:
    return all(clocks.is_away(seat) or seat in left for seat in range(players))


def falls_due(
    match: Match, clocks: Clocks | None, position: Position[Any], now: Micros
) -> tuple[Micros | None, DueKind | None]:
    """When the service has to do what by itself in a match under way whose clocks stand like this."""
    control = match.clock
    if position.left and any(position.must >> seat & 1 for seat in position.left):
        return now, DueKind.PLAY_LEFT
    if control is None or clocks is None:
        return None, None
    if clocks.away and (
        control.when_away is WhenAway.RESIGN
        or position.must & _at_once(control, clocks, position.left, len(match.chairs))
    ):
        return now, DueKind.PLAY_LEFT
    running = [due for due in clocks.due if due]
    return (min(running) + GRACE, DueKind.CLOCK) if running else (None, None)


def at_once(match: Match, position: Position[Any]) -> Seat | None:
    """The first seat that must act and is played at once: one that left, or that is away."""
    seats = match.clocks and match.clock and _at_once(match.clock, match.clocks, position.left, len(match.chairs))
    for seat in range(len(match.chairs)):
        if position.must >> seat & 1 and (seat in position.left or (seats or 0) >> seat & 1):
            return seat
    return None


def to_resign(match: Match) -> Seat | None:
    """The first seat that is away where such a seat is resigned."""
    control, clocks = match.clock, match.clocks
    if control is None or clocks is None or not clocks.away or control.when_away is not WhenAway.RESIGN:
        return None
    return (clocks.away & -clocks.away).bit_length() - 1


def run_out(match: Match, now: Micros) -> Seat | None:
    """The seat whose time ran out first and long enough ago; of those due together the first."""
    if match.clocks is None:
        return None
    out = [(due, seat) for seat, due in enumerate(match.clocks.due) if due and due + GRACE <= now]
    return min(out)[1] if out else None


def is_deserted(match: Match, left: Sequence[Seat]) -> bool:
    """Whether nobody has acted for so long that the match is given up."""
    control, clocks, players = match.clock, match.clocks, len(match.chairs)
    if control is None or clocks is None:
        return False
    if not control.away_after:
        return clocks.silent >= _ROUNDS_NEVER_AWAY * players
    return _all_away(clocks, left, players) and clocks.silent >= _ROUNDS_ALL_AWAY * players


def come_back(clocks: Clocks, seats: Sequence[Seat]) -> Clocks:
    """The clocks where these seats are there again."""
    missed = tuple(0 if seat in seats else count for seat, count in enumerate(clocks.missed))
    away = clocks.away & ~sum(1 << seat for seat in seats)
    return Clocks(clocks.due, clocks.banks, missed, away, 0)


def told(before: Clocks | None, after: Clocks) -> list[AnyEvent]:
    """What is told of seats that are away now, or have come back."""
    was = before.away if before else 0
    if was == after.away:
        return []
    return [SeatAway(seat, after.is_away(seat)) for seat in range(len(after.due)) if (was ^ after.away) >> seat & 1]


class SeatClock(msgspec.Struct, frozen=True):
    """The clock of a seat as it is shown. due_at: by the database's clock, None where it does not run; bank: what was
    left when it was last stopped, None where there are no banks."""

    seat: Seat
    due_at: Micros | None
    bank: Micros | None


def shown(match: Match, outages: Micros) -> tuple[SeatClock, ...]:
    """The clocks that run, by seat; where there are banks those of all seats."""
    clocks = match.clocks
    if clocks is None or match.state is not MatchState.PLAYING:
        return ()
    return tuple(
        SeatClock(seat, due + outages if due else None, clocks.banks[seat] if clocks.banks else None)
        for seat, due in enumerate(clocks.due)
        if due or clocks.banks
    )


def first_due(match: Match, seats: Sequence[Seat], outages: Micros) -> Micros | None:
    """When the time of one of these seats is up first, by the database's clock; None where no clock of theirs runs."""
    if match.clocks is None or match.state is not MatchState.PLAYING:
        return None
    return first_of(match.clocks, seats, outages)


def first_of(clocks: Clocks, seats: Sequence[Seat], outages: Micros) -> Micros | None:
    """The same of clocks alone."""
    running = [clocks.due[seat] for seat in seats if clocks.due and clocks.due[seat]]
    return min(running) + outages if running else None
