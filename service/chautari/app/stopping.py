"""How a match is ended by an operator: a pure function."""

from enum import StrEnum

import msgspec

from chautari import engine
from chautari.app import seating
from chautari.app.audit import Note
from chautari.app.events import AnyEvent, MatchStopped
from chautari.app.live import Change, Live
from chautari.app.values import Cause, EndReason, Match, MatchState, Micros
from chautari.errors import WrongState


class Ending(StrEnum):
    """What becomes of a match that an operator ends: no result, or a placing by the score as it stands."""

    ABORT = "abort"
    AS_IT_STANDS = "as_it_stands"


def stop_change(live: Live, ending: Ending, note: str, audit: Note, now: Micros) -> Change:
    """The change by which an operator ends a match. One under way without a position has a state that cannot be read,
    and loses it.

    WrongState `MATCH_OVER`; `MATCH_NOT_STARTED`, `MATCH_UNREADABLE` where there is nothing that could stand.
    """
    match, position = live.match, live.position
    if match.is_over:
        raise WrongState("MATCH_OVER", "the match has ended")
    stopped = MatchStopped(note, ending is Ending.ABORT)
    if position is None:
        if ending is Ending.AS_IT_STANDS and match.state is MatchState.SEATING:
            raise WrongState("MATCH_NOT_STARTED", "the match has not started, and nothing could stand: abort it")
        if ending is Ending.AS_IT_STANDS:
            raise WrongState("MATCH_UNREADABLE", "the match cannot be read, and nothing could stand: abort it")
        ended = seating.aborted(match, EndReason.OPERATOR, now, note)
        return Change(
            match=msgspec.structs.replace(ended, snapshot=None, must=0, clocks=None), position=None, fair=None,
            events=[stopped, *_over(match), engine.MatchEnded((), (), True)], cause=Cause.OPERATOR, audit=audit,
        )  # fmt: skip
    step = engine.stop(position, aborted=ending is Ending.ABORT)
    return Change(
        match=match, position=step.position, fair=live.fair, events=[stopped, *step.events], cause=Cause.OPERATOR,
        audit=audit, note=note,
    )  # fmt: skip


def _over(match: Match) -> list[AnyEvent]:
    """That nobody is in turn any more, where somebody was; what lies hidden stays so."""
    return [engine.Turned(engine.FINISHED, 0, 0)] if match.state is MatchState.PLAYING else []
