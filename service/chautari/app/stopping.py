"""How a match is ended by an operator, and how the seats of a banned account are given up: pure functions."""

from enum import StrEnum

import msgspec

from chautari import engine
from chautari.app import seating
from chautari.app.audit import Note
from chautari.app.events import AnyEvent, MatchStopped
from chautari.app.live import Change, Live
from chautari.app.values import Cause, EndReason, Micros, SeatState
from chautari.errors import WrongState


class Ending(StrEnum):
    """What becomes of a match that an operator ends: no result, or a placing by the score as it stands."""

    ABORT = "abort"
    AS_IT_STANDS = "as_it_stands"


def stop_change(live: Live, ending: Ending, note: str, audit: Note, now: Micros) -> Change:
    """The change by which an operator ends a match.

    WrongState `MATCH_OVER`, and `MATCH_NOT_STARTED` where there is nothing that could stand.
    """
    match, position = live.match, live.position
    if match.is_over:
        raise WrongState("MATCH_OVER", "the match has ended")
    stopped = MatchStopped(note, ending is Ending.ABORT)
    if position is None:
        if ending is Ending.AS_IT_STANDS:
            raise WrongState("MATCH_NOT_STARTED", "the match has not started: abort it instead")
        return Change(
            match=seating.aborted(match, EndReason.OPERATOR, now, note), position=None, fair=None,
            events=[stopped, engine.MatchEnded((), (), True)], cause=Cause.OPERATOR,
            audit=audit,
        )  # fmt: skip
    step = engine.stop(position, aborted=ending is Ending.ABORT)
    return Change(
        match=match, position=step.position, fair=live.fair, events=[stopped, *step.events], cause=Cause.OPERATOR,
        audit=audit, note=note,
    )  # fmt: skip


def vacate_change(live: Live, account_id: str, now: Micros) -> Change | None:
    """The change by which an account loses a seat under way, or all its seats before; None where it has none.

    A host that nobody follows aborts the match.
    """
    match, position = live.match, live.position
    if match.is_over:
        return None
    if position is not None:
        mine = [
            chair.number
            for chair in match.chairs
            if chair.account_id == account_id and chair.state is SeatState.TAKEN and chair.number not in position.left
        ]
        if not mine:
            return None
        step = engine.leave(position, mine[0])
        chairs = tuple(
            msgspec.structs.replace(chair, state=SeatState.LEFT) if chair.number == mine[0] else chair
            for chair in match.chairs
        )
        return Change(
            match=msgspec.structs.replace(match, chairs=chairs), position=step.position, fair=live.fair,
            events=list(step.events), cause=Cause.ABANDONED, seat=mine[0], chairs=True,
        )  # fmt: skip
    seats = match.seats_of(account_id)
    if not seats and match.host != account_id:
        return None
    events: list[AnyEvent]
    match, events = seating.get_up(match, account_id, seats)
    if match.host == account_id:
        match = seating.aborted(match, EndReason.DESERTED, now)
        events.append(engine.MatchEnded((), (), True))
    return Change(match=match, position=None, fair=None, events=events, cause=Cause.SEATING, chairs=True)
