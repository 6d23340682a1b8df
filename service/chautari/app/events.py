"""The events of a match's journal: those of its rules, and those of what surrounds them, its seating above all."""

from typing import Final, get_args

import msgspec

from chautari import engine
from chautari.app.account_values import Renaming
from chautari.app.newer import newer
from chautari.app.values import EndReason, Entry
from chautari.engine import Seat


class SeatTaken(msgspec.Struct, frozen=True, array_like=True, tag=20):
    """An account sat down; held: it is only kept for the account, which has not sat down yet."""

    seat: Seat
    account_id: str
    display_name: str
    held: bool = False


class SeatVacated(msgspec.Struct, frozen=True, array_like=True, tag=21):
    """A seat became free before the start; removed: the account from which the host took it, if it did."""

    seat: Seat
    removed: str = ""


class MatchStarted(msgspec.Struct, frozen=True, array_like=True, tag=22):
    """The match started; the first hand follows."""


class HostChanged(msgspec.Struct, frozen=True, array_like=True, tag=23):
    """Another account became the host."""

    account_id: str


class MatchClosed(msgspec.Struct, frozen=True, array_like=True, tag=24):
    """The match ended before its start: closed by its host, or expired."""

    reason: EndReason


class MatchArranged(msgspec.Struct, frozen=True, array_like=True, tag=25):
    """The host arranged the match anew before the start; fields: what has changed."""

    fields: tuple[str, ...]


class SeatsDrawn(msgspec.Struct, frozen=True, array_like=True, tag=26):
    """The seats were drawn by lot: on each seat now sits who sat on the seat listed there before."""

    before: tuple[Seat, ...]


class MatchStopped(msgspec.Struct, frozen=True, array_like=True, tag=27):
    """An operator ended the match; note: what is told of it to those who see the match. `MatchEnded` follows."""

    note: str
    aborted: bool


class SeatHanded(msgspec.Struct, frozen=True, array_like=True, tag=30):
    """A seat is another account's now: the two were merged. Whatever else there is to the seat stays."""

    seat: Seat
    account_id: str


class SeatAway(msgspec.Struct, frozen=True, array_like=True, tag=31):
    """A seat of a match under way is away, since its time ran out again and again; or it is back."""

    seat: Seat
    away: bool


SeatingEvent = (
    SeatTaken
    | SeatVacated
    | MatchStarted
    | HostChanged
    | MatchClosed
    | MatchArranged
    | SeatsDrawn
    | MatchStopped
    | SeatHanded
    | SeatAway
)
AnyEvent = SeatingEvent | engine.Event

_SEATING: Final = frozenset(get_args(SeatingEvent))

_encoder: Final = msgspec.msgpack.Encoder()
_decoder: Final = msgspec.msgpack.Decoder(list[AnyEvent])


def encode(events: list[AnyEvent]) -> bytes:
    """Events as an entry keeps them."""
    return _encoder.encode(events)


def decode(blob: bytes) -> list[AnyEvent]:
    """The events of an entry."""
    return _decoder.decode(blob)


def of(entry: Entry) -> list[AnyEvent]:
    """The events of an entry; Unavailable `MATCH_NEWER` where there is one of a kind that is not known here."""
    return _known(entry.match_id, entry.events)


def _known(match_id: str, blob: bytes) -> list[AnyEvent]:
    try:
        return decode(blob)
    except msgspec.ValidationError:
        raise newer(match_id) from None


def renamed(match_id: str, blob: bytes, renaming: Renaming) -> bytes:
    """The events of an entry, with another account or name where they speak of this account; the same where not.

    Unavailable `MATCH_NEWER` as above.
    """
    if renaming.account_id.encode() not in blob:
        return blob
    events = _known(match_id, blob)
    return encode([_renamed(event, renaming) if type(event) in _SEATING else event for event in events])


def _renamed(event: AnyEvent, renaming: Renaming) -> AnyEvent:
    if not isinstance(event, SeatTaken | HostChanged | SeatHanded) or event.account_id != renaming.account_id:
        return event
    event = msgspec.structs.replace(event, account_id=renaming.successor)
    if isinstance(event, SeatTaken) and renaming.display_name is not None:
        event = msgspec.structs.replace(event, display_name=renaming.display_name)
    return event


def redact(events: list[AnyEvent], viewer: engine.Viewer) -> list[AnyEvent]:
    """The events as this viewer may see them; those of the seating are everybody's, and come before the others."""
    if not events or type(events[0]) not in _SEATING:
        return engine.redact(events, viewer)  # type: ignore[arg-type, return-value]
    seating = [event for event in events if type(event) in _SEATING]
    rules = [event for event in events if type(event) not in _SEATING]
    return [*seating, *engine.redact(rules, viewer)]  # type: ignore[arg-type]
