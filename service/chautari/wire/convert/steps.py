"""What one committed change brought about, to the `Update` that its watchers are sent."""

from functools import lru_cache
from typing import Final

from google.protobuf.timestamp_pb2 import Timestamp

from chautari.app.events import AnyEvent
from chautari.app.updates import Head, Step
from chautari.app.values import SECOND, Cause, Micros
from chautari.engine import NOBODY, HandBegan, Hidden, Said, SeatLeft, Shuffled, Turned
from chautari.v1 import match_pb2, play_pb2
from chautari.wire.convert.clocks import fill_clocks
from chautari.wire.convert.events import CAUSES, encode_event
from chautari.wire.convert.options import fill_options
from chautari.wire.convert.parts import number, part

_MATCH: Final = play_pb2.Update.MATCH_FIELD_NUMBER
_REVISION: Final = play_pb2.Update.REVISION_FIELD_NUMBER
_STEP: Final = play_pb2.Update.STEP_FIELD_NUMBER
_TIME: Final = play_pb2.Step.TIME_FIELD_NUMBER
_SECONDS: Final = Timestamp.SECONDS_FIELD_NUMBER
_NANOS: Final = Timestamp.NANOS_FIELD_NUMBER
_CAUSE: Final = play_pb2.Step.CAUSE_FIELD_NUMBER
_SEAT: Final = play_pb2.Step.SEAT_FIELD_NUMBER
_EVENTS: Final = play_pb2.Step.EVENTS_FIELD_NUMBER
_HEAD: Final = play_pb2.Step.HEAD_FIELD_NUMBER

_RECURRENT: Final = frozenset((HandBegan, Hidden, Said, Turned, SeatLeft))
"""Those that are alike in many matches, and for all who see them."""


def encode_step(step: Step, epoch: bytes = b"") -> bytes:
    """The `Update` of a step, made once for all streams of its viewer. epoch: the encoded field of that name."""
    encoded = step.cache.get("proto")
    if encoded is None:
        parts = [_encode_time(step.at), _encode_cause(step.cause, step.seat)]
        for event in step.events:
            kind = type(event)
            if kind in _RECURRENT or (kind is Shuffled and event.viewers == NOBODY):  # type: ignore[union-attr]
                parts.append(_encode_recurrent(event))
            else:
                parts.append(part(_EVENTS, encode_event(event, step.at, step.cause)))
        head = step.head
        if head is not None:
            parts.append(
                part(_HEAD, _encode_head(head))
                if head.options or head.clocks
                else _listed_turn(head.phase, head.must, head.may)
            )
        name = f"matches/{step.match_id}".encode()
        encoded = part(_MATCH, name) + number(_REVISION, step.revision) + part(_STEP, b"".join(parts)) + epoch
        step.cache["proto"] = encoded
    return encoded


@lru_cache(maxsize=64)
def _encode_time(at: Micros) -> bytes:
    """The field `time`, which all have in common that were committed together."""
    seconds, micros = divmod(at, SECOND)
    return part(_TIME, _encode_seconds(seconds) + number(_NANOS, micros * 1000))


@lru_cache(maxsize=8)
def _encode_seconds(seconds: int) -> bytes:
    return number(_SECONDS, seconds)


@lru_cache(maxsize=1024)
def _encode_cause(cause: Cause, seat: int | None) -> bytes:
    """The fields `cause` and, where there is one, `seat`."""
    encoded = number(_CAUSE, CAUSES[cause])
    return encoded if seat is None else encoded + number(_SEAT, seat)


def _encode_head(head: Head) -> bytes:
    turn = _encode_turn(head.phase, head.must, head.may)
    message = play_pb2.Head()
    fill_clocks(message.clocks, head.clocks)
    fill_options(message.options, head.options)
    return turn + message.SerializeToString()


@lru_cache(maxsize=4096)
def _listed_turn(phase: str, must: tuple[int, ...], may: tuple[int, ...]) -> bytes:
    """The field `head` of a step, with nothing but the turn."""
    return part(_HEAD, _encode_turn(phase, must, may))


@lru_cache(maxsize=4096)
def _encode_turn(phase: str, must: tuple[int, ...], may: tuple[int, ...]) -> bytes:
    """A `Head` with nothing but the turn."""
    return play_pb2.Head(turn=match_pb2.Turn(phase=phase, must=must, may=may)).SerializeToString()


@lru_cache(maxsize=8192)
def _encode_recurrent(event: AnyEvent) -> bytes:
    """The field `events` of a step with an event that comes again and again, in this match and in others."""
    return part(_EVENTS, encode_event(event, 0, Cause.RULES))  # none borrows from its change
