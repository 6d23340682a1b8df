"""Facts: all of the state that is no card and no turn, who knows it, and how a client shows it."""

from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from chautari.cards import RANKS, SUITS, CardText
from chautari.engine.viewers import Viewer, Viewers

if TYPE_CHECKING:
    from chautari.engine.look import Look


class Facts(msgspec.Struct, array_like=True, gc=False):
    """The base of each game's facts: plain values, tuples, and `Record`s; never a list, so that nothing is shared.

    Bytes stand for themselves or in a tuple, not in a `Record`.

    A name that Python reserves ends in `_`; the key of the fact is the name without it.
    Mark a field with a `Show`, or with `SECRET` or a `Private` where not everybody may know it.
    """


class Record(msgspec.Struct, frozen=True, gc=False, rename=lambda name: name.rstrip("_")):
    """The base of a fact that is an object, such as the record of the last hand."""


F = TypeVar("F", bound=Facts)
T = TypeVar("T")
BySeat = Annotated[tuple[T, ...], "by seat"]
"""A value for each seat, in the order of the seats."""
Side = Annotated[int, "side"]
"""A partnership, or a seat where each plays alone, from 0 on."""
BySide = Annotated[tuple[T, ...], "by side"]
"""A value for each side, in the order of the sides."""


class Show(StrEnum):
    """How a client that does not know the game shows a fact."""

    BADGE = "badge"
    """On the seats it names, or each value on its seat."""
    LABEL = "label"
    """A line on the table."""
    SCORE = "score"
    """The score line."""
    HIDDEN = "hidden"
    """Not at all: the table shows it in another way."""
    BOARD = "board"
    """As the `Board` that it is marked with."""


@dataclass(frozen=True, slots=True)
class Board:
    """A board of rows and columns, as a client draws it that does not know the game.

    The fact that it marks says what lies there: a text for each row, and in it a character for each cell, `.` where
    nothing lies, else the number of the side whose piece it is.
    cells: the name of each cell, as actions write it, row by row. prints: what is printed on it, a card or nothing.
    """

    columns: int
    cells: tuple[str, ...]
    prints: tuple[CardText | Literal[""], ...]


@dataclass(frozen=True, slots=True)
class At:
    """A number is a position: the index of one of the zones of this name. An argument that is none is
    `MALFORMED_ACTION`.
    """

    zone: str


@dataclass(frozen=True, slots=True)
class Private:
    """A fact that only some may know: `viewers` tells who, from the state; the others are shown `instead`.

    each_own: of a fact by seat, they are shown `instead` of each value but that of their own seat.
    """

    viewers: "Callable[[Look[Any]], Viewers]"
    instead: object = None
    each_own: bool = False

    def shown_to(self, value: Any, viewer: Viewer) -> Any:
        """What somebody is shown of the value, who may not see it all."""
        if not self.each_own:
            return self.instead
        return tuple([own if seat == viewer else self.instead for seat, own in enumerate(value)])


def _nobody(_look: object) -> Viewers:
    return 0


SECRET: Final = Private(_nobody)
"""A fact that the rules keep to themselves: nobody is shown it, not even that it exists."""


Shape = Literal["one", "list", "by_seat", "by_side", "list_by_seat"]


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact as declared, or one field of a record.

    type: seat, side, position, int, text, bool, card, rank, suit, record, or mixed where it is a number at one time and
    a text at another, or some of each together. Of bytes it is text, in base64.
    shape: `one`, `list`, or a value for each seat or side, `list_by_seat` where that is several. optional: it, or a
    value in it, may be null. board: where it is shown as one.
    words: the words that a text may be, where they are known; empty else. fields: those of a record. at: of a
    position, the zones whose index it is; else empty.
    convert: makes of a value that is not null what JSON has, None where it is that already; what `plain` does, faster.
    """

    name: str
    field: str
    type: str
    shape: Shape
    optional: bool
    show: Show
    private: Private | None
    convert: Callable[[Any], Any] | None
    board: Board | None
    words: tuple[str, ...]
    fields: "tuple[Fact, ...]"
    at: str

    @property
    def secret(self) -> bool:
        """Whether no client is ever told of it."""
        return self.private is SECRET


def declared(facts: type[Facts | Record]) -> tuple[Fact, ...]:
    """The facts of a game, or the fields of a record, in the order of its page."""
    hints = get_type_hints(facts, include_extras=True)
    return tuple(_declared(name, hints[name]) for name in facts.__struct_fields__)


def _declared(field: str, hint: Any) -> Fact:
    name = field.rstrip("_")
    show: Show | None = None
    private: Private | None = None
    board: Board | None = None
    hint, marks = unwrap(hint)
    for mark in marks:
        if isinstance(mark, Show):
            show = mark
        elif isinstance(mark, Private):
            private = mark
        elif isinstance(mark, Board):
            board, show = mark, Show.BOARD
    shape: Shape = "by_seat" if "by seat" in marks else "by_side" if "by side" in marks else "one"
    hint, more, optional = _not_null(hint)
    marks += more
    if get_origin(hint) is tuple:
        if shape == "one":
            shape = "list"
        hint, inner = unwrap(get_args(hint)[0])
        hint, more, null = _not_null(hint)
        marks += inner + more
        optional = optional or null
    several = get_origin(hint) is tuple
    kind = ""
    if several:
        first, *others = get_args(hint)
        kind = "" if others == [...] else "mixed"
        if shape == "by_seat":
            shape = "list_by_seat"
        hint, inner = unwrap(first)
        marks += inner
    kind = kind or _type(hint, marks)
    if show is None:
        on_seats = kind == "seat" or shape in ("by_seat", "list_by_seat")
        show = Show.SCORE if name == "score" else Show.BADGE if on_seats else Show.LABEL
        if kind == "record":
            show = Show.HIDDEN
    convert: Callable[[Any], Any] | None = plain
    if not several and (hint in (int, str, bool, CardText) or get_origin(hint) is Literal):
        convert = None if shape == "one" else list
    words = tuple(dict.fromkeys(_words(hint))) if kind in ("text", "mixed") else ()
    fields = declared(hint) if kind == "record" else ()
    at = next((mark.zone for mark in marks if isinstance(mark, At)), "")
    return Fact(name, field, kind, shape, optional, show, private, convert, board, words, fields, at)


def _words(hint: Any) -> Iterator[str]:
    """The words among the values of a type."""
    if get_origin(hint) is Literal:
        yield from (value for value in get_args(hint) if isinstance(value, str) and value)
    elif get_origin(hint) in (Union, UnionType):
        for option in get_args(hint):
            yield from _words(option)


def unwrap(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """A type without its annotations, and these."""
    marks: tuple[Any, ...] = ()
    while get_origin(hint) is Annotated:
        hint, *more = get_args(hint)
        marks += tuple(more)
    return hint, marks


def _not_null(hint: Any) -> tuple[Any, tuple[Any, ...], bool]:
    """A type without `None` among its options, its marks, and whether there was one."""
    if get_origin(hint) not in (Union, UnionType):
        return hint, (), False
    options = get_args(hint)
    some = tuple(option for option in options if option is not type(None))
    hint, marks = unwrap(some[0] if len(some) == 1 else Union[some])  # noqa: UP007
    return hint, marks, len(some) < len(options)


def _type(hint: Any, marks: tuple[Any, ...]) -> str:
    for mark in ("seat", "side"):
        if mark in marks:
            return mark
    if any(isinstance(mark, At) for mark in marks):
        return "position"
    if hint is CardText:
        return "card"
    if get_origin(hint) is Literal:
        values = get_args(hint)
        if values == RANKS:
            return "rank"
        if values == SUITS:
            return "suit"
        return "text" if isinstance(values[0], str) else "int"
    if get_origin(hint) in (Union, UnionType):
        return "mixed" if "int" in {_type(option, ()) for option in get_args(hint)} else "text"
    if isinstance(hint, type):
        if issubclass(hint, Record):
            return "record"
        if hint is bool:
            return "bool"
        if hint is int:
            return "int"
    return "text"


_PLAIN: Final = frozenset((int, str, bool, type(None)))
_write: Final = msgspec.msgpack.Encoder().encode
_read: Final = msgspec.msgpack.Decoder().decode


def plain(value: Any) -> Any:
    """A fact's value as JSON has it: numbers, texts, lists and objects; bytes as a text, in base64."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, Record) or (type(value) is tuple and value and isinstance(value[0], (tuple, Record))):
        return _read(_write(value))
    if isinstance(value, (tuple, list)):
        return [item if type(item) in _PLAIN else plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, (int, str)):
        return value
    raise TypeError(f"a fact cannot hold {value!r}")
