"""Actions: how one line of text becomes the arguments of a verb, or is refused."""

from collections.abc import Sequence
from typing import Any, Final

from chautari.cards import ALL_CARDS, Card
from chautari.engine.arguments import Argument, arguments_of
from chautari.engine.look import Look
from chautari.engine.marks import VerbFunction, marks_of, refusal_of
from chautari.engine.viewers import Seat
from chautari.errors import Malformed, Refusal

NUMBERED: Final = 104
"""`Verb.numbered` has the numbers below this."""


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
        self.marks = marks_of(function)
        self.lists, self.sealed, self.unless = self.marks.lists, self.marks.sealed, self.marks.unless
        self.lines = [f"{self.key} {card}" for card in ALL_CARDS]
        self.numbered = [f"{self.key} {number}" for number in range(NUMBERED)]
        self.written = _Written(self.key)
        self.arguments = arguments_of(function, jokers)
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
