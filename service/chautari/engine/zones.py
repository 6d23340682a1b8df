"""Zones: the places where cards lie, who sees their faces, and how a client lays them out."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, Any

from chautari.engine.viewers import Seat, Viewers

if TYPE_CHECKING:
    from chautari.engine.look import Look


class Sees(Enum):
    """Who sees the faces of a zone."""

    ALL = "all"
    OWNER = "owner"
    OTHERS = "others"
    """All seats but the owner, and nobody without a seat."""
    NONE = "none"


class Kind(StrEnum):
    """How a client lays a zone out; a closed set, so that it needs to know no game."""

    STOCK = "stock"
    PILE = "pile"
    HAND = "hand"
    TRICK = "trick"
    WON = "won"
    MELD = "meld"
    ROW = "row"
    BOARD = "board"
    ASIDE = "aside"


ViewersOf = Callable[["Look[Any]", Seat], Viewers]
"""Who sees the zone of this seat (or index) now: a function of what is public in the state."""


@dataclass(frozen=True, slots=True)
class Listed:
    """Who sees the zones whose seats (or indexes) a public fact lists: `then`; who sees the others: `otherwise`.

    For many zones of which few change: what an action costs does not grow with their number, as with a function.
    """

    fact: str
    then: Sees = Sees.ALL
    otherwise: Sees = Sees.NONE


@dataclass(frozen=True, slots=True)
class Zone:
    """A zone, or one for each seat (`hand.2`) or index (`pos.17`, `row.H`).

    sees      who sees the faces; the count is everybody's
    per_seat  one for each seat
    ordered   the order matters and is shown; an unordered zone is shown sorted
    kind      how a client lays it out; may be left out where the name is a kind, or `deck`
    at_end    who sees it once the match is over, where that differs
    indexes   where they are told apart by something else than seats: their names, in order, or what the settings make
              of them: names, or how many numbers from 0 there are; a rule names one by its number
    """

    name: str
    sees: Sees | Listed | ViewersOf
    per_seat: bool = False
    ordered: bool = False
    kind: Kind | None = None
    at_end: Sees | ViewersOf | None = None
    indexes: tuple[str, ...] | Callable[[Any], int | tuple[str, ...]] | None = None

    @property
    def laid_out_as(self) -> Kind:
        """The kind, declared or by its name."""
        return self.kind or (Kind.STOCK if self.name == "deck" else Kind(self.name))
