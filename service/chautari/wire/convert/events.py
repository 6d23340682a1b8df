"""Events, and what one committed change brought about, to messages.

An event comes here cut for its viewer: faces that the viewer does not see are unseen cards, and its viewers say only
whether this one is among them. A `whole` event, of a record that is disclosed, is shown as to somebody who sees all.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from chautari.app.events import AnyEvent, HostChanged, MatchStarted, SeatTaken, SeatVacated
from chautari.app.values import Cause, EndReason, Micros
from chautari.app.watching import Head, Step
from chautari.engine import (
    NOBODY,
    Dealt,
    HandBegan,
    HandEnded,
    Hidden,
    MatchEnded,
    Moved,
    Put,
    Said,
    SeatLeft,
    Shown,
    Shuffled,
    Take,
    Told,
    Turned,
    seats_of,
)
from chautari.v1 import event_pb2, match_pb2, play_pb2
from chautari.wire.convert.cards import texts
from chautari.wire.convert.options import fill_options
from chautari.wire.convert.plain import account_name, fill_struct, fill_time

CAUSES: Final = {
    Cause.SEAT: play_pb2.CAUSE_SEAT,
    Cause.CLOCK: play_pb2.CAUSE_CLOCK,
    Cause.RULES: play_pb2.CAUSE_RULES,
    Cause.RESIGNED: play_pb2.CAUSE_RESIGNED,
    Cause.ABANDONED: play_pb2.CAUSE_ABANDONED,
    Cause.SEATING: play_pb2.CAUSE_SEATING,
}
END_REASONS: Final = {
    EndReason.PLAYED: match_pb2.END_REASON_PLAYED,
    EndReason.RESIGNED: match_pb2.END_REASON_RESIGNED,
    EndReason.DESERTED: match_pb2.END_REASON_DESERTED,
}
_TAKES: Final = (event_pb2.TAKE_FIRST, event_pb2.TAKE_LAST, event_pb2.TAKE_NAMED)
_PUTS: Final = (event_pb2.PUT_LAST, event_pb2.PUT_FIRST)
assert list(Take) == [Take.FIRST, Take.LAST, Take.NAMED] == [0, 1, 2]
assert list(Put) == [Put.LAST, Put.FIRST] == [0, 1]


def encode_step(step: Step) -> bytes:
    """The `Update` of a step, made once for all streams of its viewer."""
    encoded = step.cache.get("proto")
    if encoded is None:
        update = play_pb2.Update(match=f"matches/{step.match_id}", revision=step.revision)
        _fill_step(update.step, step)
        encoded = step.cache["proto"] = update.SerializeToString()
    return encoded


def _fill_step(target: play_pb2.Step, step: Step) -> None:
    fill_time(target.time, step.at)
    target.cause = CAUSES[step.cause]
    if step.seat is not None:
        target.seat = step.seat
    fill_events(target.events, step.events, step.at, step.cause)
    if step.head is not None:
        fill_head(target.head, step.head)


def fill_head(target: play_pb2.Head, head: Head) -> None:
    """Writes how things stand into an empty message."""
    turn = target.turn
    turn.phase = head.phase
    turn.must.extend(head.must)
    turn.may.extend(head.may)
    if head.options:
        fill_options(target.options, head.options)


def fill_events(target: Any, events: Iterable[AnyEvent], at: Micros, cause: Cause, *, whole: bool = False) -> None:
    """Writes the events of one change into an empty list. at, cause: of the change, from which two events borrow."""
    for event in events:
        kind = type(event)
        fill = _FILLS.get(kind)
        if fill is not None:
            fill(target.add(), event)
        elif kind is Moved:
            _fill_moved(target.add().moved, event, whole)  # type: ignore[arg-type]
        elif kind is MatchStarted:
            fill_time(target.add().match_started.start_time, at)
        elif kind is MatchEnded:
            _fill_ended(target.add().match_ended.result, event, cause)  # type: ignore[arg-type]
        elif kind is Hidden and not whole:
            target.add().hidden.zone = event.zone  # type: ignore[union-attr]


def _fill_moved(target: event_pb2.Moved, event: Moved, whole: bool) -> None:
    cards = texts(event.faces)
    if cards:
        target.cards.extend(cards)
    target.count = len(event.faces)
    target.source = event.source
    target.target = event.target
    target.take = _TAKES[event.take]
    target.put = _PUTS[event.put]
    if event.landing == NOBODY and not whole:
        target.face_down = True


def _fill_ended(target: match_pb2.MatchResult, event: MatchEnded, cause: Cause) -> None:
    target.aborted = event.aborted
    if event.aborted:
        target.reason = match_pb2.END_REASON_DESERTED
        return
    target.placing.extend(event.placing)
    target.score.extend(event.score)
    resigned = cause in (Cause.RESIGNED, Cause.ABANDONED)
    target.reason = match_pb2.END_REASON_RESIGNED if resigned else match_pb2.END_REASON_PLAYED


def _fill_hand_began(target: event_pb2.Event, event: HandBegan) -> None:
    target.hand_began.hand = event.number


def _fill_shuffled(target: event_pb2.Event, event: Shuffled) -> None:
    shuffled = target.shuffled
    shuffled.zone = event.zone or ""
    shuffled.count = len(event.faces)
    if event.zone is not None:
        shuffled.cards.extend(texts(event.faces))


def _fill_dealt(target: event_pb2.Event, event: Dealt) -> None:
    dealt = target.dealt
    dealt.source = event.source
    for zone, faces in zip(event.targets, event.hands, strict=True):
        hand = dealt.hands.add()
        hand.zone = zone
        hand.count = len(faces)
        hand.cards.extend(texts(faces))


def _fill_shown(target: event_pb2.Event, event: Shown) -> None:
    target.shown.zone = event.zone
    target.shown.cards.extend(texts(event.faces))


def _fill_told(target: event_pb2.Event, event: Told) -> None:
    fill_struct(target.told.facts, event.facts)


def _fill_said(target: event_pb2.Event, event: Said) -> None:
    said = target.said
    said.seat = event.seat
    said.text = event.text


def _fill_turned(target: event_pb2.Event, event: Turned) -> None:
    turn = target.turned.turn
    turn.phase = event.phase
    turn.must.extend(seats_of(event.must))
    turn.may.extend(seats_of(event.may))


def _fill_hand_ended(target: event_pb2.Event, event: HandEnded) -> None:
    fill_hand_record(target.hand_ended.record, event)


def fill_hand_record(target: match_pb2.HandRecord, event: HandEnded) -> None:
    """Writes the record of a hand into an empty message."""
    target.hand = event.number
    fill_struct(target.record, event.record)


def _fill_seat_left(target: event_pb2.Event, event: SeatLeft) -> None:
    target.seat_left.seat = event.seat


def _fill_seat_taken(target: event_pb2.Event, event: SeatTaken) -> None:
    taken = target.seat_taken
    taken.seat = event.seat
    taken.account = account_name(event.account_id)
    taken.display_name = event.display_name
    taken.held = event.held


def _fill_seat_vacated(target: event_pb2.Event, event: SeatVacated) -> None:
    target.seat_vacated.seat = event.seat


def _fill_host_changed(target: event_pb2.Event, event: HostChanged) -> None:
    target.host_changed.host = account_name(event.account_id)


_FILLS: Final[dict[type, Callable[[event_pb2.Event, Any], None]]] = {
    HandBegan: _fill_hand_began,
    Shuffled: _fill_shuffled,
    Dealt: _fill_dealt,
    Shown: _fill_shown,
    Told: _fill_told,
    Said: _fill_said,
    Turned: _fill_turned,
    HandEnded: _fill_hand_ended,
    SeatLeft: _fill_seat_left,
    SeatTaken: _fill_seat_taken,
    SeatVacated: _fill_seat_vacated,
    HostChanged: _fill_host_changed,
}
"""How each kind is written; those that need more than the event itself are in `fill_events`."""
