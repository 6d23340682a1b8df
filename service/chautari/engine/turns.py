"""Whose turn it is: a phase, the seats that must act, and those that may."""

from collections.abc import Iterable
from typing import Final

import msgspec

from chautari.engine.viewers import Seat, only


class Turn(msgspec.Struct, frozen=True, gc=False):
    """A phase and two sets of seats as bits: those that must act, whose clocks run, and those that only may."""

    phase: str
    must: int
    may: int = 0


def turn(phase: str, *must: Seat, may: Iterable[Seat] = ()) -> Turn:
    """The turn in `phase` of the seats that `must` act; those in `may` are free to, and never have to."""
    if may:
        return Turn(phase, only(*must), only(*may))
    return Turn(phase, 1 << must[0] if len(must) == 1 else only(*must))


FINISHED: Final = "over"
"""The phase of a match that has ended."""

OVER: Final = Turn(FINISHED, 0, 0)
"""Returned by a deal or a verb: the hand is over. The engine scores it, and deals the next one or ends the match."""
