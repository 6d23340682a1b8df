"""Events: every change of a state, in order. Folding them gives each state without the game's module.

An event carries who sees its faces or values, so that anybody may cut it for a viewer later without the state of that
moment. `engine.redact` cuts, `engine.fold` folds; nothing else reads the viewers.
"""

from enum import IntEnum
from typing import Any, Final

import msgspec

from chautari.cards import Card, unpack
from chautari.engine.viewers import ALL, NOBODY, Seat, Viewers

OUTSIDE: Final = ""
"""In place of a source zone: the cards lay in no zone before, being part of a pack just shuffled."""


class Take(IntEnum):
    """Which cards of the source a motion takes."""

    FIRST = 0
    """As many from its front: the next cards of a deck."""
    LAST = 1
    """As many from its end: the top of a pile."""
    NAMED = 2
    """By face, of equal ones the first."""


class Put(IntEnum):
    """Where in the target a motion puts its cards; among themselves they keep their order."""

    LAST = 0
    FIRST = 1


class HandBegan(msgspec.Struct, frozen=True, array_like=True, gc=False, tag=1):
    """A hand begins; number counts from 1. All zones are empty now. The same number again: its cards were thrown in.

    keeps: the cards stay where they lie, as in a game that goes on from hand to hand with what is on the table.
    """

    number: int
    keeps: bool = False


class Shuffled(msgspec.Struct, frozen=True, array_like=True, gc=False, tag=2):
    """The cards of `zone`, or a new pack put there, lie in a new order; without a zone a lot was drawn, nothing moved.

    faces: the outcome, first card first. viewers: who sees the order (those who see an ordered zone, else nobody).
    """

    faces: bytes
    zone: str | None
    viewers: Viewers = NOBODY

    @property
    def cards(self) -> tuple[Card, ...]:
        """The outcome."""
        return unpack(self.faces)


class Dealt(msgspec.Struct, frozen=True, array_like=True, gc=False, tag=3):
    """Cards from the front of `source`, round by round, to the zones `targets` of `seats`, each at its end.

    hands: the faces by target; viewers: who sees them, by target.
    """

    source: str
    targets: tuple[str, ...]
    hands: tuple[bytes, ...]
    viewers: tuple[Viewers, ...]


class Moved(msgspec.Struct, frozen=True, array_like=True, gc=False, tag=4):
    """Cards go from one zone to another, in this order.

    viewers: who sees the faces on the way; landing: who sees them once they lie in the target.
    """

    faces: bytes
    source: str
    target: str
    viewers: Viewers
    landing: Viewers
    take: Take = Take.NAMED
    put: Put = Put.LAST

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards moved."""
        return unpack(self.faces)


class Shown(msgspec.Struct, frozen=True, array_like=True, gc=False, tag=5):
    """The viewers of a zone have widened: these see its cards from now on."""

    zone: str
    faces: bytes
    viewers: Viewers


class Hidden(msgspec.Struct, frozen=True, array_like=True, gc=False, tag=6):
    """The viewers of a zone have narrowed: these see only its count from now on."""

    zone: str
    viewers: Viewers


class Told(msgspec.Struct, frozen=True, array_like=True, gc=False, tag=7):
    """Facts have new values. Others than the viewers are told `instead`, by name; a fact missing there is not told."""

    facts: dict[str, Any]
    viewers: Viewers = ALL
    instead: dict[str, Any] = {}


class Said(msgspec.Struct, frozen=True, array_like=True, gc=False, tag=8):
    """A seat acted. text: the action as it was; told: what the others hear of it, `` where only that it acted."""

    seat: Seat
    text: str
    told: str


class Turned(msgspec.Struct, frozen=True, array_like=True, gc=False, tag=9):
    """The turn: the phase, and the seats that must or may act now, as bits."""

    phase: str
    must: int
    may: int


class HandEnded(msgspec.Struct, frozen=True, array_like=True, gc=False, tag=10):
    """A hand has ended; its record, which everybody may know."""

    number: int
    record: dict[str, Any]


class SeatLeft(msgspec.Struct, frozen=True, array_like=True, gc=False, tag=11):
    """A seat resigned or was abandoned; the rules play it from now on."""

    seat: Seat


class MatchEnded(msgspec.Struct, frozen=True, array_like=True, gc=False, tag=12):
    """The match is over: placing and score by seat. aborted: nobody was left, the placing means nothing."""

    placing: tuple[int, ...]
    score: tuple[int, ...]
    aborted: bool = False


Event = HandBegan | Shuffled | Dealt | Moved | Shown | Hidden | Told | Said | Turned | HandEnded | SeatLeft | MatchEnded
