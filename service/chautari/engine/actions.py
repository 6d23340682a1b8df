"""Actions: how a verb declares its arguments, and how one line of text becomes them.

A verb is a function of (table, settings, seat, arguments…); its typed parameters are its arguments. What is allowed
there is the domain of the argument, which refusal and listing share.
"""

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from chautari.cards import ALL_CARDS, JOKER, RANKS, SUITS, UNSEEN, Card
from chautari.engine.facts import unwrap
from chautari.engine.look import Look
from chautari.engine.turns import Turn
from chautari.engine.viewers import Seat
from chautari.errors import Malformed, Refusal

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
class At:
    """A number argument is a position: the index of one of the zones of this name; no index is `MALFORMED_ACTION`."""

    zone: str


@dataclass(frozen=True, slots=True)
class Words:
    """A text argument is one of these words: where they are too many to write out, the cells of a board."""

    words: tuple[str, ...]


class _Amount:
    """Marks a number that is chosen from a range, which may have steps: it is described, and never listed."""


POSITION: Final = "position"
"""Marks a number, of a fact or an argument, that is a place on the table."""
AMOUNT = _Amount()

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


NUMBERED: Final = 104

VerbFunction = Callable[..., Turn]
Listing = Callable[[Look[Any], Any, Seat], Collection[str]]
Rule = tuple[str, str] | tuple[str, str, Mapping[str, str | int]]
"""The stable id, within the game, of a rule, and that rule in words; or with values that these words name: `{owes}`."""
Unless = Callable[[Look[Any], Any, Seat], Refusal | Rule | None]
Reading = Callable[[Look[Any], Any, Seat, Sequence[str]], list[Any]]
Forms = Sequence[Sequence[Collection[str]]]


@dataclass(frozen=True, slots=True)
class _Marks:
    sealed: Callable[[Any], bool] | bool = False
    lists: Listing | None = None
    reads: Reading | None = None
    tells: str = ""
    free: bool = False
    exists: Callable[[Any], bool] | None = None
    unless: Unless | None = None
    forms: Callable[[Look[Any], Any, Seat], Forms] | None = None
    describes: Callable[[Look[Any], Any, Seat], Sequence[Any]] | None = None


_MARKS = "__chautari_verb__"
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
        setattr(function, _MARKS, _Marks(sealed, lists, reads, tells, free, exists, unless, forms, describes))
        return function

    return mark


class _Written(dict[Any, str]):
    """By value, the verb and that value as text, made when it is first asked for."""

    def __init__(self, key: str) -> None:
        self._key = key

    def __missing__(self, value: Any) -> str:
        text = self[value] = f"{self._key} {value}"
        return text


class Verb:
    """A verb of a game: its function, its arguments, and what it says of itself.

    decided: what its listing says is legal, with no need to run it. wide: its choice is described, not listed.
    given: its last choice depends on those before it. lines: by the number of a card, the verb and that card as text;
    numbered: the verb and a number, for the numbers below `NUMBERED`; written: the verb and any value. alone: its one
    argument, if a domain decides it.
    """

    __slots__ = (
        "_known", "_least", "_limited", "_most", "_nullable", "_reads", "_simple", "_taken", "_worded", "alone",
        "arguments", "cards_at", "decided", "given", "jokers", "key", "lines", "lists", "marks", "numbered", "run",
        "sealed", "unless", "wide", "written",
    )  # fmt: skip

    def __init__(self, function: VerbFunction, jokers: bool) -> None:
        self.jokers = jokers
        self.key = function.__name__.rstrip("_")
        self.run = function
        self.marks: _Marks = getattr(function, _MARKS, _Marks())
        self.lists, self.sealed, self.unless = self.marks.lists, self.marks.sealed, self.marks.unless
        self.lines = [f"{self.key} {card}" for card in ALL_CARDS]
        self.numbered = [f"{self.key} {number}" for number in range(NUMBERED)]
        self.written = _Written(self.key)
        self.arguments = _arguments(function, jokers)
        if self.arguments and self.marks.free:
            raise TypeError(f"the verb {self.key} has arguments: it is not free, give each its domain")
        by_domains = bool(self.arguments) and all(argument.among is not None for argument in self.arguments)
        self.given = bool(self.arguments) and self.arguments[-1].is_given
        unarguable = not self.arguments and self.unless is not None
        self.decided = self.marks.free or unarguable or by_domains or self.given
        self.cards_at = [
            place for place, argument in enumerate(self.arguments) if argument.type in ("card", "cards", "groups")
        ]
        many = any(
            argument.type in ("cards", "groups")
            or argument.amount
            or (argument.type in ("number", "position") and argument.among is None)
            for argument in self.arguments
        )
        self.wide = self.marks.forms is not None or (many and self.lists is None)
        self._least = sum(not argument.optional and argument.type != "groups" for argument in self.arguments)
        self._reads = self.marks.reads or self._read_in_order
        takes_rest = bool(self.arguments) and self.arguments[-1].type in ("cards", "groups")
        self._most = 1000 if takes_rest else len(self.arguments)
        self._worded = self.marks.reads is None and not any(
            argument.nullable or argument.type in ("cards", "groups") for argument in self.arguments
        )
        self._simple = self._worded and not any(argument.at for argument in self.arguments)
        self._known: dict[str, Sequence[Any]] = {}
        self.alone = self.arguments[0] if len(self.arguments) == 1 and self.arguments[0].is_decided else None
        self._nullable = [(place, argument) for place, argument in enumerate(self.arguments) if argument.nullable]
        self._taken = [(place, argument) for place, argument in enumerate(self.arguments) if argument.held is not None]
        self._limited = [
            (place, argument)
            for place, argument in enumerate(self.arguments)
            if argument.among is not None or argument.type in ("cards", "seat")
        ]

    def __repr__(self) -> str:
        return f"Verb({self.usage})"

    @property
    def usage(self) -> str:
        """How it is written: `lay RANK CARDS`."""
        names = [f"[{a.name.upper()}]" if a.optional else a.name.upper() for a in self.arguments]
        return " ".join([self.key, *names])

    def exists(self, settings: Any) -> bool:
        """Whether the game has this verb with these settings."""
        return self.marks.exists is None or self.marks.exists(settings)

    def is_sealed(self, settings: Any) -> bool:
        """Whether the others only hear that the seat acted."""
        return self.sealed(settings) if callable(self.sealed) else self.sealed

    def read(self, look: Look[Any], settings: Any, seat: Seat, words: Sequence[str]) -> Sequence[Any]:
        """The arguments; Malformed `MALFORMED_ACTION`, or a Refusal that a domain or a missing card makes."""
        if self._simple and len(words) == len(self.arguments):
            values = self._read_simple(words)
        else:
            values = self._reads(look, settings, seat, words)
        if values:
            self.refuse(look, settings, seat, values)
        if self.unless is not None:
            refusal = self.unless(look, settings, seat)
            if refusal is not None:
                raise refusal_of(refusal)
        return values

    def read_listed(self, look: Look[Any], settings: Any, seat: Seat, text: str) -> Sequence[Any]:
        """The arguments of an action that has been listed: it is legal, and what can be read of it alone is kept."""
        values = self._known.get(text)
        if values is None:
            words = text.split(" ")[1:]
            if not self._worded or len(words) != len(self.arguments):
                return self._reads(look, settings, seat, words)
            values = self._known[text] = self._read_simple(words)
        return values

    def _read_simple(self, words: Sequence[str]) -> list[Any]:
        """The arguments, where there is one word for each."""
        arguments = self.arguments
        values = [arguments[place].read(word) for place, word in enumerate(words)] if words else []
        if None in values:
            place = values.index(None)
            raise self.malformed(arguments[place], words[place])
        return values

    def _read_in_order(self, look: Look[Any], settings: Any, seat: Seat, words: Sequence[str]) -> list[Any]:
        """The arguments in their order: what may be left out is there as far as words are left over for it."""
        place, spare = 0, len(words) - self._least
        if spare < 0 or len(words) > self._most:
            raise self.malformed()
        values: list[Any] = []
        for argument in self.arguments:
            if argument.type == "cards":
                values.append(self._read_cards(argument, words[place:]))
            elif argument.type == "groups":
                values.append(self._read_groups(argument, look, settings, seat, words[place:]))
            elif spare == 0 and argument.optional:
                values.append(None if argument.nullable else argument.default)
            else:
                value = argument.read(words[place])
                if value is None or (argument.at and value >= len(look.layout.names[argument.at])):
                    raise self.malformed(argument, words[place])
                values.append(value)
                place += 1
                spare -= argument.optional
        for at, argument in self._nullable:
            self._refuse_presence(argument, look, settings, seat, values[at])
        return values

    def malformed(self, argument: Argument | None = None, word: str = "") -> Malformed:
        """The refusal of an action that cannot be read, saying how it is written."""
        if argument is None:
            return Malformed("MALFORMED_ACTION", f"write it as: {self.usage}", field="action", verb=self.key)
        allowed = {
            "card": "a card such as 7H" + " or XX" * self.jokers,
            "cards": "cards such as 7H TS",
            "groups": "groups of cards with / between them, as many cards in each as are wanted now",
            "number": "a number in digits without sign or leading zero, at most nine",
            "seat": "a seat number",
            "position": "the number of a position",
        }.get(argument.type) or "one of " + " ".join(argument.words)
        return Malformed(
            "MALFORMED_ACTION", f"{word!r} cannot be read as the {argument.name} of {self.key}: it takes {allowed}",
            field="action", verb=self.key, argument=argument.name,
        )  # fmt: skip

    def refuse(self, look: Look[Any], settings: Any, seat: Seat, values: Sequence[Any]) -> None:
        """Refuses arguments that are not held, then those outside their domain."""
        alone = self.alone
        if alone is not None and alone.among is not None:
            value = values[0]
            if alone.held is not None and value not in look.cards(alone.held.zone, seat):
                raise not_held(value, alone.held.zone)
            if value not in alone.among.domain(look, settings, seat):
                raise alone.among.refusal(look, settings, seat, value)
            return
        for place, argument in self._taken:
            assert argument.held is not None
            zone, value = argument.held.zone, values[place]
            if value is None or type(value) is str:
                continue  # it was left out, or is a word in the place of a card
            held = look.cards(zone, seat)
            if argument.type == "card":
                if value not in held:
                    raise not_held(value, zone)
            else:
                refuse_unheld(value if argument.type == "cards" else [c for g in value for c in g], held, zone)
        for place, argument in self._limited:
            value = values[place]
            if value is None:
                continue
            among = argument.among
            if among is not None:
                before = values[:place] if among.given else ()
                if value not in among.domain(look, settings, seat, *before):
                    raise among.refusal(look, settings, seat, *before, value)
            elif argument.type == "cards":
                most = argument.several.most(settings)
                if len(value) > most:
                    raise Refusal("TOO_MANY_CARDS", f"{self.key} takes at most {most} cards here", most=most)
            elif value >= look.players:
                raise Refusal("NO_SUCH_SEAT", f"there are seats 0 to {look.players - 1}")

    def _read_cards(self, argument: Argument, words: Sequence[str]) -> tuple[Card, ...]:
        found = []
        for word in words:
            card = argument.read(word)
            if card is None:
                raise self.malformed(argument, word)
            found.append(card)
        if len(found) < argument.several.low:
            raise self.malformed()
        return tuple(found)

    def _read_groups(
        self, argument: Argument, look: Look[Any], settings: Any, seat: Seat, words: Sequence[str]
    ) -> tuple[tuple[Card, ...], ...]:
        groups: list[list[Card]] = [[]] if words else []
        for word in words:
            if word == "/":
                groups.append([])
                continue
            card = argument.read(word)
            if card is None:
                raise self.malformed(argument, word)
            groups[-1].append(card)
        sizes = tuple(map(len, groups))
        if 0 in sizes or (argument.groups is not None and not argument.groups.can_read(look, settings, seat, sizes)):
            raise self.malformed(argument, " ".join(words))
        return tuple(map(tuple, groups))

    def _refuse_presence(self, argument: Argument, look: Look[Any], settings: Any, seat: Seat, value: Any) -> None:
        """Refuses an argument that is missing now, or not wanted."""
        if argument.among is not None:
            domain = argument.among.domain(look, settings, seat)
            if (value is None and None not in domain) or (value is not None and set(domain) <= {None}):
                raise self.malformed()


def refusal_of(forbidden: Refusal | Rule) -> Refusal:
    """What a verb is refused with; a rule becomes words only here, for a listing asks for it at every turn."""
    if isinstance(forbidden, Refusal):
        return forbidden
    if len(forbidden) == 2:
        return Refusal(*forbidden)
    rule, words, values = forbidden
    return Refusal(rule, words.format_map(values), code="RULE_BROKEN", **values)


def not_held(card: Card, zone: str) -> Refusal:
    """The refusal of a card that is not where the verb takes cards from."""
    return Refusal("NOT_HELD", f"{card} is not in your {zone}", code="CARD_NOT_HELD", card=card.text)


def refuse_unheld(wanted: Sequence[Card], held: Sequence[Card], zone: str) -> None:
    """Refuses cards, counting copies, that are not held."""
    left = list(held)
    for card in wanted:
        try:
            left.remove(card)
        except ValueError:
            raise not_held(card, zone) from None


def cards_by_text(jokers: bool) -> dict[str, Card]:
    """The cards that a game's actions can name; `XX` only where it has `jokers`."""
    return {card.text: card for card in ALL_CARDS if card is not UNSEEN and (jokers or card is not JOKER)}


def _arguments(function: VerbFunction, jokers: bool) -> tuple[Argument, ...]:
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
        kind = "seat" if "seat" in marks else "position" if at or POSITION in marks else "number"
        read = read_number
    else:
        raise TypeError(f"the argument {name} has a type that no action can carry: {hint}")
    return Argument(
        name.rstrip("_"), kind, default, words, held, among, several, groups, AMOUNT in marks, nullable, at, read
    )
