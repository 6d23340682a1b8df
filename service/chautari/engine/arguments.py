"""The arguments of a verb, and what is allowed there.

A verb is a function of (table, settings, seat, arguments…); its typed parameters are its arguments. What is allowed
there is the domain of the argument, which refusal and listing share.
"""

import inspect
from collections.abc import Callable, Collection
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from chautari.cards import ALL_CARDS, JOKER, RANKS, SUITS, UNSEEN, Card
from chautari.engine.facts import At, unwrap
from chautari.engine.look import Look
from chautari.engine.viewers import Seat
from chautari.errors import Refusal

ArgumentType = Literal["card", "cards", "groups", "rank", "suit", "number", "seat", "position", "word"]


@dataclass(frozen=True, slots=True)
class Held:
    """A card argument is taken from this zone, the seat's own where each seat has one; else `CARD_NOT_HELD`."""

    zone: str


@dataclass(frozen=True, slots=True)
class Among:
    """The domain of an argument: what the rules allow there now, a function of the state, settings and seat.

    rule: the stable id, within the game, of the rule that forbids all else; says: that rule in words. Where several
    rules forbid, `rule` is a function that gives the refusal of a value.
    given: the domain, and a `rule` that is a function, also take the values of the arguments before, in order: a card,
    then the spaces open to it. Only the last argument may be `given`; those before it need no domain then.
    A verb all of whose arguments have a domain refuses nothing else. An argument of a type `… | None` may be left out
    where None is in its domain, and must be where nothing else is; else the action is `MALFORMED_ACTION`.
    """

    domain: Callable[..., Collection[Any]]
    rule: str | Callable[..., Refusal]
    says: str = ""
    given: bool = False

    def refusal(self, look: Look[Any], settings: Any, seat: Seat, *values: Any) -> Refusal:
        """The refusal of a value outside the domain: the last of `values`."""
        return self.rule(look, settings, seat, *values) if callable(self.rule) else Refusal(self.rule, self.says)


@dataclass(frozen=True, slots=True)
class Several:
    """How many cards an argument takes: fewer are `MALFORMED_ACTION`, more `RULE_BROKEN`. `high` may name a setting."""

    low: int
    high: int | str

    def most(self, settings: Any) -> int:
        """The most that these settings allow."""
        return self.high if isinstance(self.high, int) else int(getattr(settings, self.high))


Sizes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Groups:
    """How cards are split into groups: the number of cards in each, or a function that says so of a state.

    Groups of other sizes are `MALFORMED_ACTION`, but for those that are `readable`: the verb refuses them by a rule.
    Where no group is wanted, the verb stands alone.
    """

    sizes: Sizes | Callable[[Look[Any], Any, Seat], Sizes]
    readable: Callable[[Look[Any], Any, Seat, Sizes], bool] | None = None

    def wanted(self, look: Look[Any], settings: Any, seat: Seat) -> Sizes:
        """The sizes wanted now."""
        return self.sizes(look, settings, seat) if callable(self.sizes) else self.sizes

    def can_read(self, look: Look[Any], settings: Any, seat: Seat, sizes: Sizes) -> bool:
        """Whether groups of these sizes are well-formed."""
        if self.readable is not None:
            return self.readable(look, settings, seat, sizes)
        return sizes == self.wanted(look, settings, seat)


@dataclass(frozen=True, slots=True)
class Words:
    """A text argument is one of these words: where they are too many to write out, the cells of a board."""

    words: tuple[str, ...]


class _Amount:
    """Marks a number that is chosen from a range, which may have steps: it is described, and never listed."""


AMOUNT: Final = _Amount()

_NONE: Any = inspect.Parameter.empty


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a verb as declared.

    words: what may be written, of a word, rank or suit; of a card, the words that may stand in its place. nullable: it
    may be left out where its domain says so. at: of a position, the zones whose index it is; else empty.
    """

    name: str
    type: ArgumentType
    default: Any
    words: tuple[str, ...]
    held: Held | None
    among: Among | None
    several: Several
    groups: Groups | None
    amount: bool
    nullable: bool
    at: str
    read: Callable[[str], Any]
    """One word as a value of this argument, or as one card of it; None where it cannot be read."""

    @property
    def types(self) -> tuple[ArgumentType, ...]:
        """Its type; two where a word may stand in the place of a card."""
        return ("word", "card") if self.type == "card" and self.words else (self.type,)

    @property
    def optional(self) -> bool:
        """Whether it may be left out."""
        return self.default is not _NONE or self.nullable

    @property
    def is_decided(self) -> bool:
        """Whether it is one word, always there, and its domain says all by itself what is open."""
        one_word = not self.nullable and len(self.types) == 1 and self.type not in ("cards", "groups")
        return one_word and self.among is not None and not self.among.given

    @property
    def is_given(self) -> bool:
        """Whether what is open to it depends on the arguments before it."""
        return self.among is not None and self.among.given


def read_number(word: str) -> int | None:
    """A number as actions write it: at most nine digits, no sign, no leading zero; None for anything else."""
    if word.isascii() and word.isdigit() and len(word) <= 9 and (word[0] != "0" or word == "0"):
        return int(word)
    return None


def cards_by_text(jokers: bool) -> dict[str, Card]:
    """The cards that a game's actions can name; `XX` only where it has `jokers`."""
    return {card.text: card for card in ALL_CARDS if card is not UNSEEN and (jokers or card is not JOKER)}


def arguments_of(function: Callable[..., Any], jokers: bool) -> tuple[Argument, ...]:
    """The arguments of a verb: the parameters of its function behind the first three."""
    hints = get_type_hints(function, include_extras=True)
    parameters = list(inspect.signature(function).parameters.values())[3:]
    return tuple(_argument(one.name, hints[one.name], one.default, jokers) for one in parameters)


def _argument(name: str, hint: Any, default: Any, jokers: bool) -> Argument:
    hint, marks = unwrap(hint)
    held = next((mark for mark in marks if isinstance(mark, Held)), None)
    among = next((mark for mark in marks if isinstance(mark, Among)), None)
    several = next((mark for mark in marks if isinstance(mark, Several)), Several(1, 1000))
    groups = next((mark for mark in marks if isinstance(mark, Groups)), None)
    at = next((mark.zone for mark in marks if isinstance(mark, At)), "")
    kind: ArgumentType
    words: tuple[str, ...] = ()
    read: Callable[[str], Any] = cards_by_text(jokers).get
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    nullable = NoneType in kinds
    hint, *others = [kind for kind in kinds if kind is not NoneType]
    if Card in others:
        kind, words = "card", get_args(hint)
        read = {**cards_by_text(jokers), **dict(zip(words, words, strict=True))}.get
    elif others:
        raise TypeError(f"the argument {name} is one of too many types: a word may stand before a card, and None last")
    elif hint is Card:
        kind = "card"
    elif get_origin(hint) is tuple:
        kind = "cards" if get_args(hint)[0] is Card else "groups"
    elif get_origin(hint) is Literal or hint is str:
        words = get_args(hint) or next(mark.words for mark in marks if isinstance(mark, Words))
        kind = "rank" if words == RANKS else "suit" if words == SUITS else "word"
        read = dict(zip(words, words, strict=True)).get
    elif hint is int:
        kind = "seat" if "seat" in marks else "position" if at else "number"
        read = read_number
    else:
        raise TypeError(f"the argument {name} has a type that no action can carry: {hint}")
    return Argument(
        name.rstrip("_"), kind, default, words, held, among, several, groups, AMOUNT in marks, nullable, at, read
    )
