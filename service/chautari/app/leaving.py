"""The changes by which people give up their seats in a match, and are there again: pure functions."""

from collections.abc import Sequence

import msgspec

from chautari import engine
from chautari.app import seating
from chautari.app.clocks import come_back
from chautari.app.events import SeatAway
from chautari.app.live import Change, Live
from chautari.app.values import Cause, EndReason, Match, MatchState, Micros, SeatState
from chautari.engine import Seat


def get_up_change(match: Match, account_id: str, seats: Sequence[Seat], now: Micros) -> Change:
    """Seats are given up before the start. A host that has none left, and that nobody follows, aborts the match."""
    match, events = seating.get_up(match, account_id, seats)
    if match.host == account_id and not match.seats_of(account_id):
        match = seating.aborted(match, EndReason.DESERTED, now)
        events.append(engine.MatchEnded((), (), True))
    return Change(match=match, position=None, fair=None, events=events, cause=Cause.SEATING, chairs=True)


def leave_change(live: Live, seats: Sequence[Seat], cause: Cause) -> Change:
    """Seats are given up, all at once, in a match under way: from then on the rules play them."""
    match, position = live.match, live.position
    assert position is not None
    step = engine.leave(position, *seats)
    chairs = tuple(
        msgspec.structs.replace(chair, state=SeatState.LEFT) if chair.number in seats else chair
        for chair in match.chairs
    )
    return Change(
        match=msgspec.structs.replace(match, chairs=chairs), position=step.position, fair=live.fair,
        events=list(step.events), cause=cause, seat=seats[0], chairs=True,
    )  # fmt: skip


def desert_change(live: Live) -> Change:
    """Nobody is there any more: all who stay leave at once, which aborts the match."""
    assert live.position is not None
    left = live.position.left
    return leave_change(live, [seat for seat in range(len(live.match.chairs)) if seat not in left], Cause.ABANDONED)


def vacate_change(live: Live, account_id: str, now: Micros) -> Change | None:
    """An account loses a seat under way, or all its seats before the start; None where it has none to lose."""
    match, position = live.match, live.position
    if match.is_over:
        return None
    if position is not None:
        mine = [
            chair.number
            for chair in match.chairs
            if chair.account_id == account_id and chair.state is SeatState.TAKEN and chair.number not in position.left
        ]
        return leave_change(live, mine[:1], Cause.ABANDONED) if mine else None
    seats = match.seats_of(account_id)
    return get_up_change(match, account_id, seats, now) if seats or match.host == account_id else None


def come_back_change(live: Live, account_id: str) -> Change | None:
    """The seats of an account that are away are there again; None where none is away."""
    match, position = live.match, live.position
    if match.state is not MatchState.PLAYING or position is None or match.clocks is None:
        return None
    seats = [seat for seat in match.seats_of(account_id) if match.clocks.is_away(seat)]
    if not seats:
        return None
    return Change(
        match=msgspec.structs.replace(match, clocks=come_back(match.clocks, seats)), position=position, fair=live.fair,
        events=[SeatAway(seat, False) for seat in seats], cause=Cause.SEATING,
    )  # fmt: skip
