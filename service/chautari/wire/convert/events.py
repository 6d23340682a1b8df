"""Events to messages.

An event comes here cut for its viewer: faces that the viewer does not see are unseen cards, and its viewers say only
whether this one is among them. A `whole` event, of a record that is disclosed, is shown as to somebody who sees all.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Final

from chautari.app.events import (
    AnyEvent,
    HostChanged,
    MatchArranged,
    MatchClosed,
    MatchStarted,
    MatchStopped,
    SeatAway,
    SeatHanded,
    SeatsDrawn,
    SeatTaken,
    SeatVacated,
)
from chautari.app.values import Cause, EndReason, Micros
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
from chautari.wire.convert.cards import encode_texts, texts
from chautari.wire.convert.parts import number, part, struct, text
from chautari.wire.convert.plain import account_name, fill_struct, fill_time

CAUSES: Final = {
    Cause.SEAT: play_pb2.CAUSE_SEAT,
    Cause.CLOCK: play_pb2.CAUSE_CLOCK,
    Cause.RULES: play_pb2.CAUSE_RULES,
    Cause.RESIGNED: play_pb2.CAUSE_RESIGNED,
    Cause.ABANDONED: play_pb2.CAUSE_ABANDONED,
    Cause.SEATING: play_pb2.CAUSE_SEATING,
    Cause.OPERATOR: play_pb2.CAUSE_OPERATOR,
}
END_REASONS: Final = {
    EndReason.PLAYED: match_pb2.END_REASON_PLAYED,
    EndReason.RESIGNED: match_pb2.END_REASON_RESIGNED,
    EndReason.DESERTED: match_pb2.END_REASON_DESERTED,
    EndReason.OPERATOR: match_pb2.END_REASON_OPERATOR,
    EndReason.CLOSED: match_pb2.END_REASON_CLOSED,
    EndReason.EXPIRED: match_pb2.END_REASON_EXPIRED,
}
_MOVED: Final = event_pb2.Event.MOVED_FIELD_NUMBER
_COUNT: Final = event_pb2.Moved.COUNT_FIELD_NUMBER
_SOURCE: Final = event_pb2.Moved.SOURCE_FIELD_NUMBER
_TARGET: Final = event_pb2.Moved.TARGET_FIELD_NUMBER
_WAYS: Final = [
    [number(event_pb2.Moved.TAKE_FIELD_NUMBER, take) + number(event_pb2.Moved.PUT_FIELD_NUMBER, put) for put in puts]
    for puts in [(event_pb2.PUT_LAST, event_pb2.PUT_FIRST)]
    for take in (event_pb2.TAKE_FIRST, event_pb2.TAKE_LAST, event_pb2.TAKE_NAMED)
]
"""The encoded fields `take` and `put`."""
_FACE_DOWN: Final = number(event_pb2.Moved.FACE_DOWN_FIELD_NUMBER, 1)
_TOLD: Final = event_pb2.Event.TOLD_FIELD_NUMBER
_FACTS: Final = event_pb2.Told.FACTS_FIELD_NUMBER
assert event_pb2.Moved.CARDS_FIELD_NUMBER == 1

assert list(Take) == [Take.FIRST, Take.LAST, Take.NAMED] == [0, 1, 2]
assert list(Put) == [Put.LAST, Put.FIRST] == [0, 1]


def fill_events(target: Any, events: Iterable[AnyEvent], at: Micros, cause: Cause, *, whole: bool = False) -> None:
    """Writes the events of one change into an empty list."""
    for event in events:
        encoded = encode_event(event, at, cause, whole=whole)
        if encoded:
            target.add().MergeFromString(encoded)


def encode_event(event: AnyEvent, at: Micros, cause: Cause, *, whole: bool = False) -> bytes:
    """An `Event`; empty where its reader needs none. at, cause: of its change, from which two events borrow."""
    kind = type(event)
    if kind is Moved:
        return _encode_moved(event, landed=whole)  # type: ignore[arg-type]
    if kind is Told:
        return _encode_told(event)  # type: ignore[arg-type]
    message = event_pb2.Event()
    if kind is MatchStarted:
        fill_time(message.match_started.start_time, at)
    elif kind is MatchEnded:
        _fill_ended(message.match_ended.result, event, cause)  # type: ignore[arg-type]
    elif not (whole and kind is Hidden):
        _FILLS[kind](message, event)
    return message.SerializeToString()


def _encode_moved(event: Moved, *, landed: bool = False) -> bytes:
    """By hand: there is one in nearly every action, and hardly ever the same. landed: shown also where it lies now."""
    faces = event.faces
    face_down = event.landing == NOBODY and not landed
    way = _encode_way(len(faces), event.source, event.target, event.take, event.put, face_down=face_down)
    return part(_MOVED, encode_texts(faces) + way)


@lru_cache(maxsize=8192)
def _encode_way(count: int, source: str, target: str, take: Take, put: Put, *, face_down: bool) -> bytes:
    """What a `Moved` has behind its cards."""
    way = number(_COUNT, count) + text(_SOURCE, source) + text(_TARGET, target) + _WAYS[take][put]
    return way + _FACE_DOWN if face_down else way


def _encode_told(event: Told) -> bytes:
    return part(_TOLD, part(_FACTS, struct(event.facts)))


def _fill_ended(target: match_pb2.MatchResult, event: MatchEnded, cause: Cause) -> None:
    target.aborted = event.aborted
    if not event.aborted:
        target.placing.extend(event.placing)
        target.score.extend(event.score)
    if cause is Cause.OPERATOR:
        target.reason = match_pb2.END_REASON_OPERATOR
    elif event.aborted:
        target.reason = match_pb2.END_REASON_DESERTED
    else:
        resigned = cause in (Cause.RESIGNED, Cause.ABANDONED)
        target.reason = match_pb2.END_REASON_RESIGNED if resigned else match_pb2.END_REASON_PLAYED


def _fill_hand_began(target: event_pb2.Event, event: HandBegan) -> None:
    target.hand_began.hand = event.number
    target.hand_began.cards_stay = event.keeps


def _fill_shuffled(target: event_pb2.Event, event: Shuffled) -> None:
    shuffled = target.shuffled
    shuffled.zone = event.zone or ""
    shuffled.count = len(event.faces)
    if event.zone is not None and (cards := texts(event.faces)):
        shuffled.cards.extend(cards)


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


def _fill_said(target: event_pb2.Event, event: Said) -> None:
    said = target.said
    said.seat = event.seat
    said.text = event.text


def _fill_hidden(target: event_pb2.Event, event: Hidden) -> None:
    target.hidden.zone = event.zone


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
    target.seat_vacated.removed = bool(event.removed)


def _fill_seat_handed(target: event_pb2.Event, event: SeatHanded) -> None:
    target.seat_handed.seat = event.seat
    target.seat_handed.account = account_name(event.account_id)


def _fill_seat_away(target: event_pb2.Event, event: SeatAway) -> None:
    target.seat_away.seat = event.seat
    target.seat_away.away = event.away


def _fill_host_changed(target: event_pb2.Event, event: HostChanged) -> None:
    target.host_changed.host = account_name(event.account_id)


def _fill_match_stopped(target: event_pb2.Event, event: MatchStopped) -> None:
    target.match_stopped.SetInParent()
    target.match_stopped.note = event.note
    target.match_stopped.aborted = event.aborted


def _fill_match_closed(target: event_pb2.Event, event: MatchClosed) -> None:
    target.match_ended.result.aborted = True
    target.match_ended.result.reason = END_REASONS[event.reason]


def _fill_match_arranged(target: event_pb2.Event, event: MatchArranged) -> None:
    paths = sorted("start" if field == "start_rule" else field for field in event.fields)
    target.match_updated.update_mask.paths.extend(paths)


def _fill_seats_drawn(target: event_pb2.Event, event: SeatsDrawn) -> None:
    target.seats_drawn.before.extend(event.before)


_FILLS: Final[dict[type, Callable[[event_pb2.Event, Any], None]]] = {
    HandBegan: _fill_hand_began,
    Shuffled: _fill_shuffled,
    Dealt: _fill_dealt,
    Shown: _fill_shown,
    Hidden: _fill_hidden,
    Said: _fill_said,
    Turned: _fill_turned,
    HandEnded: _fill_hand_ended,
    SeatLeft: _fill_seat_left,
    SeatTaken: _fill_seat_taken,
    SeatVacated: _fill_seat_vacated,
    SeatHanded: _fill_seat_handed,
    SeatAway: _fill_seat_away,
    HostChanged: _fill_host_changed,
    MatchStopped: _fill_match_stopped,
    MatchClosed: _fill_match_closed,
    MatchArranged: _fill_match_arranged,
    SeatsDrawn: _fill_seats_drawn,
}
"""How each kind is written; those that need more than the event itself are in `encode_event`."""
