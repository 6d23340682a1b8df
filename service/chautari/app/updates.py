"""What streams carry: a revision as one viewer may know it, signs of life, who came and went, and the end."""

from enum import StrEnum

import msgspec

from chautari import engine
from chautari.app import events as journal
from chautari.app.clocks import SeatClock, shown
from chautari.app.events import AnyEvent
from chautari.app.live import Live
from chautari.app.spectating import Seen
from chautari.app.values import Cause, Entry, Micros, Standing
from chautari.engine import Seat, Viewer


class Head(msgspec.Struct, frozen=True):
    """How things stand at the newest revision for one viewer."""

    phase: str
    must: tuple[Seat, ...]
    may: tuple[Seat, ...]
    options: list[engine.Option]
    clocks: tuple[SeatClock, ...] = ()


class Step(msgspec.Struct, frozen=True):
    """One revision as one viewer may know it. cache: the encoded forms that transports have made of it."""

    match_id: str
    revision: int
    at: Micros
    cause: Cause
    seat: Seat | None
    events: list[AnyEvent]
    head: Head | None
    cache: dict[str, bytes] = {}


class Beat(msgspec.Struct, frozen=True):
    """A sign of life, with the cursor."""

    match_id: str
    revision: int
    at: Micros


class PresenceChange(msgspec.Struct, frozen=True):
    """An account that sits there came or went: one for each of its seats."""

    match_id: str
    revision: int
    seat: Seat
    online: bool


class EndCause(StrEnum):
    """Why a stream ends."""

    MATCH_OVER = "match_over"
    DRAINING = "draining"
    SLOW = "slow"
    TOKEN = "token"
    NO_ACCESS = "no_access"
    FAULT = "fault"
    SEAT_MOVED = "seat_moved"
    ALL_SENT = "all_sent"
    BANNED = "banned"


class End(msgspec.Struct, frozen=True):
    """The last message of a stream; resume: calling again with the cursor goes on.

    seat: where the seats were drawn by lot, the one with which it goes on.
    """

    match_id: str
    revision: int
    cause: EndCause
    resume: bool
    retry_ms: int = 0
    seat: Seat | None = None


class MineSummary(msgspec.Struct, frozen=True):
    """How all matches of an account stand; truncated: there are more; epoch: of the database."""

    standings: list[Standing]
    truncated: bool
    epoch: str


class MineChange(msgspec.Struct, frozen=True):
    """How one match of an account stands now."""

    standing: Standing
    member: bool = True


def cut_step(entry: Entry, events: list[AnyEvent], viewer: Viewer, newest: Live | None, outages: Micros) -> Step:
    """What an entry of the journal is to this viewer. newest: the match, where the entry is its latest; outages: all
    together, as the store has them."""
    head = None
    if newest is not None and newest.position is not None:
        position = newest.position
        acts = viewer is not None and viewer not in position.left
        head = Head(
            position.phase, engine.seats_of(position.must), engine.seats_of(position.may),
            engine.options(position, viewer) if acts and viewer is not None else [],
            shown(newest.match, outages),
        )  # fmt: skip
    cut = journal.redact(events, viewer)
    return Step(entry.match_id, entry.revision, entry.at, entry.cause, entry.seat, cut, head, {})


def cut_late_step(entry: Entry, events: list[AnyEvent], newest: Seen | None) -> Step:
    """What an entry is to a late spectator. newest: the match as that one sees it, where the entry is its latest."""
    head = None
    view = None if newest is None else newest.view(None)
    if view is not None:
        head = Head(view.phase, view.must, view.may, [])
    cut = journal.redact(events, None)
    return Step(entry.match_id, entry.revision, entry.at, entry.cause, entry.seat, cut, head, {})
