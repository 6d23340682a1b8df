"""What the service does by itself in a match under way: for seats whose time is up, that left, or that are away."""

from chautari import engine
from chautari.app import clocks
from chautari.app.leaving import desert_change, leave_change
from chautari.app.live import Change, Live
from chautari.app.values import Cause, MatchState, Micros


class NotDue(Exception):
    """Somebody has done it already, or it is not to be done any more."""


def next_move(live: Live | None, now: Micros) -> Change:
    """The next thing that is due, each a change of its own; NotDue where there is none. now: in service time.

    Seats that are away are resigned where that was agreed; who left or is away and must act is played at once; then
    come those whose time is up, the first first and of those due together the lowest seat.
    """
    if live is None or live.match.state is not MatchState.PLAYING or live.position is None or live.fair is None:
        raise NotDue
    match, position = live.match, live.position
    resigned = clocks.to_resign(match)
    if resigned is not None:
        return leave_change(live, (resigned,), Cause.ABANDONED)
    seat = clocks.at_once(match, position)
    if seat is None:
        seat = clocks.run_out(match, now)
        if seat is None:
            raise NotDue
        if clocks.is_deserted(match, position.left):
            return desert_change(live)
    fair = live.fair.resumed(match.shuffles)
    action = engine.timeout_action(position, seat)
    if action is None:
        raise NotDue
    step = engine.act(position, seat, action, fair)
    return Change(
        match=match, position=step.position, fair=fair, events=list(step.events), cause=Cause.CLOCK, seat=seat,
        action=action,
    )  # fmt: skip
