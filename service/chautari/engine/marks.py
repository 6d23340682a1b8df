"""What a verb says of itself beyond the signature of its function."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from chautari.engine.look import Look
from chautari.engine.turns import Turn
from chautari.engine.viewers import Seat
from chautari.errors import Refusal

VerbFunction = Callable[..., Turn]
Listing = Callable[[Look[Any], Any, Seat], Collection[str]]
Rule = tuple[str, str] | tuple[str, str, Mapping[str, str | int]]
"""The stable id, within the game, of a rule, and that rule in words; or with values that these words name: `{owes}`."""
Unless = Callable[[Look[Any], Any, Seat], Refusal | Rule | None]
Reading = Callable[[Look[Any], Any, Seat, Sequence[str]], list[Any]]
Forms = Sequence[Sequence[Collection[str]]]


@dataclass(frozen=True, slots=True)
class Marks:
    """What `verb` says of one; its parameters tell what each is."""

    sealed: Callable[[Any], bool] | bool = False
    lists: Listing | None = None
    reads: Reading | None = None
    tells: str = ""
    free: bool = False
    exists: Callable[[Any], bool] | None = None
    unless: Unless | None = None
    forms: Callable[[Look[Any], Any, Seat], Forms] | None = None
    describes: Callable[[Look[Any], Any, Seat], Sequence[Any]] | None = None


_ATTRIBUTE: Final = "__chautari_verb__"
V = TypeVar("V", bound=VerbFunction)


def verb(
    *, sealed: Callable[[Any], bool] | bool = False, lists: Listing | None = None, reads: Reading | None = None,
    tells: str = "", free: bool = False, exists: Callable[[Any], bool] | None = None, unless: Unless | None = None,
    forms: Callable[[Look[Any], Any, Seat], Forms] | None = None,
    describes: Callable[[Look[Any], Any, Seat], Sequence[Any]] | None = None,
) -> Callable[[V], V]:  # fmt: skip
    """Says more about a verb than its signature can.

    sealed: the others hear that the seat acted, not what it said (a function of the settings, or always).
    lists: its legal actions as text, where they are no product of domains (a card and the spaces it fits).
    reads: makes the arguments of the words itself, where these have no fixed order.
    tells: by this rule, it shows others something of hidden cards; the twin-world tests end there.
    free: it has no arguments, and nothing forbids it in its phase; left out, a listing runs it to see.
    exists: whether the game has it, by settings; where not, it is `UNKNOWN_ACTION`.
    unless: what forbids it now, whatever its arguments, as a refusal or, which costs a listing less, a `Rule`; None
        where nothing does. Refusal and listing share it.
    forms: the ways in which it may be written now, each with the words open for each argument, in any combination; it
        is described by them, and not listed.
    describes: its options, where the engine cannot make them of its arguments; the actions in them are those that it
        `lists`.
    """

    def mark(function: V) -> V:
        setattr(function, _ATTRIBUTE, Marks(sealed, lists, reads, tells, free, exists, unless, forms, describes))
        return function

    return mark


def marks_of(function: VerbFunction) -> Marks:
    """What a verb says of itself; the defaults where it says nothing."""
    marks: Marks = getattr(function, _ATTRIBUTE, Marks())
    return marks


def refusal_of(forbidden: Refusal | Rule) -> Refusal:
    """What a verb is refused with; a rule becomes words only here, for a listing asks for it at every turn."""
    if isinstance(forbidden, Refusal):
        return forbidden
    if len(forbidden) == 2:
        return Refusal(*forbidden)
    rule, words, values = forbidden
    return Refusal(rule, words.format_map(values), code="RULE_BROKEN", **values)
