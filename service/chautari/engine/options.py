"""What a seat may do now: legal actions listed where they are few, described where they are many."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import product
from random import Random
from typing import Any, Final

import msgspec

from chautari.cards import Card
from chautari.engine.actions import NUMBERED, Argument, ArgumentType, Verb
from chautari.engine.events import Event
from chautari.engine.look import Look
from chautari.engine.play import timeout_action
from chautari.engine.position import Position
from chautari.engine.table import Table
from chautari.engine.viewers import Seat
from chautari.errors import Malformed, Refusal

LISTED_AT_MOST: Final = 128
"""A range of numbers longer than this is described, not listed."""


class Choice(msgspec.Struct, frozen=True):
    """What may be written for one argument.

    values    each allowed word, card or number as text, in order; None where they are described
    low, high  of a number that is described: the range, by `step`; of cards: how many are taken
    cards     of cards and groups: those to choose from, sorted
    sizes     of groups: how many cards are in each, in order; empty where more than one partition is open
    optional  it may be left out
    """

    name: str
    type: ArgumentType
    optional: bool
    values: tuple[str, ...] | None = None
    low: int = 0
    high: int = 0
    cards: tuple[Card, ...] = ()
    step: int = 1
    sizes: tuple[int, ...] = ()


class Option(msgspec.Struct, frozen=True):
    """A verb that the seat may use now. Where one choice depends on another, there is an option for each first choice.

    choices   by argument, in order
    actions   every legal action of this verb as text; None where they are described only
    example   one legal action, where it is cheap to give one
    """

    verb: str
    choices: tuple[Choice, ...]
    actions: tuple[str, ...] | None
    example: str = ""


def legal(position: Position[Any], seat: Seat) -> list[str]:
    """Each legal action of the seat whose choice is small, as text: verbs in the order of the phase, then by value."""
    if not is_in_turn(position, seat):
        return []
    look = Look(position)
    actions: list[str] = []
    for verb in position.layout.verbs[position.phase].values():
        actions += _list(verb, position, look, seat)
    position.list_for(seat, tuple(actions))
    return actions


def options(position: Position[Any], seat: Seat) -> list[Option]:
    """All that the seat may do now, described for a client; empty where it is not in turn."""
    if not is_in_turn(position, seat):
        return []
    look = Look(position)
    verbs = position.layout.verbs[position.phase].values()
    found = [option for verb in verbs for option in _describe(verb, position, look, seat)]
    position.list_for(seat, [action for option in found for action in option.actions or ()])
    return found


def sample(position: Position[Any], seat: Seat, random: Random) -> str | None:
    """A legal action of the seat at random, wide choices included; None where it has none.

    A sampler speaks for its verb, beside what the verb lists itself; it may make rare what is rare at real tables.
    """
    if not is_in_turn(position, seat):
        return None
    look, settings, samplers = Look(position), position.settings, position.game.samplers
    actions: list[str] = []
    listed: list[str] = []
    for key, verb in position.layout.verbs[position.phase].items():
        if key not in samplers or (verb.lists is not None and not verb.wide):
            lines = _list(verb, position, look, seat)
            actions += lines
            listed += lines
        if key in samplers and (verb.unless is None or verb.unless(look, settings, seat) is None):
            action = samplers[key](look, settings, seat, random)
            if action is not None:
                actions.append(action)
    if listed:
        position.list_for(seat, listed)
    return actions[int(random.random() * len(actions))] if actions else None


def is_in_turn(position: Position[Any], seat: Seat) -> bool:
    """Whether the seat must or may act now."""
    return seat >= 0 and bool((position.must | position.may) >> seat & 1)


def _list(verb: Verb, position: Position[Any], look: Look[Any], seat: Seat) -> Sequence[str]:
    settings = position.settings
    if verb.wide:
        return (verb.key,) if _is_alone(verb, position, look, seat) else ()
    if verb.unless is not None and verb.unless(look, settings, seat) is not None:
        return ()
    if verb.lists is not None:
        return list(verb.lists(look, settings, seat))
    arguments = verb.arguments
    if not arguments:
        return (verb.key,) if verb.decided or _is_legal(verb, position, seat, ()) else ()
    alone = verb.alone
    if alone is not None and alone.among is not None:
        values = alone.among.domain(look, settings, seat)
        if alone.type == "card":
            lines = verb.lines
            return [lines[face] for face in sorted(set(bytes(values)))]
        if alone.at and len(look.layout.names[alone.at]) <= NUMBERED:
            numbered = verb.numbered
            return [numbered[value] for value in values]
        if isinstance(values, range) and values.step == 1 and 0 <= values.start <= values.stop <= NUMBERED:
            return verb.numbered[values.start : values.stop]
        start = verb.key + " "
        return [start + str(value) for value in values]
    if verb.given:
        return [line for _, _, lines in _by_first_choice(verb, look, settings, seat) for line in lines]
    return [
        " ".join([verb.key, *[str(value) for value in chosen if value is not None]])
        for chosen in product(*[_values(argument, look, settings, seat) for argument in arguments])
        if verb.decided or _is_legal(verb, position, seat, chosen)
    ]


def _by_first_choice(
    verb: Verb, look: Look[Any], settings: Any, seat: Seat
) -> Iterator[tuple[tuple[Any, ...], Collection[Any], list[str]]]:
    """Where the last choice depends on those before: these, what is open for the last then, and the actions."""
    *first, last = verb.arguments
    assert last.among is not None
    domain, is_text, lines, key = last.among.domain, bool(last.words), verb.lines, verb.key
    of_cards = len(first) == 1 and first[0].type == "card" and not first[0].words
    for before in product(*[_values(argument, look, settings, seat) for argument in first]):
        values = domain(look, settings, seat, *before)
        if values:
            start = (lines[before[0]] if of_cards else f"{key} {' '.join(map(str, before))}") + " "
            yield before, values, [start + value for value in (values if is_text else map(str, values))]


def _is_alone(verb: Verb, position: Position[Any], look: Look[Any], seat: Seat) -> bool:
    """Whether a verb that takes groups may stand alone now."""
    settings = position.settings
    return (
        verb.wants_nothing(look, settings, seat)
        and not verb.is_forbidden(look, settings, seat)
        and _is_legal(verb, position, seat, ((),))
    )


def _values(argument: Argument, look: Look[Any], settings: Any, seat: Seat) -> Iterable[Any]:
    """The values that the domain of an argument allows; where it has none, those that can be written.

    Cards come sorted: the order in which a hand lies may be what its seat is not told. Words come before cards.
    """
    among, held = argument.among, argument.held
    if argument.type == "card" and not argument.words:
        if among is not None:
            return sorted(set(among.domain(look, settings, seat)))
        assert held is not None, f"the card {argument.name} needs a zone or a domain"
        return sorted(set(look.cards(held.zone, seat)))
    if among is not None:
        return among.domain(look, settings, seat)
    return look.seats if argument.type == "seat" else argument.words


def _describe(verb: Verb, position: Position[Any], look: Look[Any], seat: Seat) -> list[Option]:
    """The option of a verb: none where it is not open, several where an argument is a word or a card."""
    settings = position.settings
    actions = tuple(_list(verb, position, look, seat))
    if not verb.wide:
        if not actions:
            return []
        if verb.marks.describes is not None:
            return list(verb.marks.describes(look, settings, seat))
        if verb.lists is not None:
            return [Option(verb.key, (), actions, actions[0])]
        if verb.given:
            return [
                _listed(verb, [*[(value,) for value in before], tuple(values)], tuple(lines))[0]
                for before, values, lines in _by_first_choice(verb, look, settings, seat)
            ]
        return _listed(verb, [tuple(_values(a, look, settings, seat)) for a in verb.arguments], actions)
    if actions:
        return [Option(verb.key, (), actions, verb.key)]
    if verb.is_forbidden(look, settings, seat):
        return []
    example = timeout_action(position, seat) or ""
    if example.split(" ")[0] != verb.key:
        example = ""
    if verb.marks.forms is not None:
        return [
            Option(verb.key, tuple(map(_worded, verb.arguments, form)), None, example)
            for form in verb.marks.forms(look, settings, seat)
        ]
    wide = []
    for argument in verb.arguments:
        choice = _wide_choice(argument, look, settings, seat)
        if choice is not None:
            wide.append(choice)
        elif not argument.nullable:
            return []
    return [Option(verb.key, tuple(wide), None, example)]


def _listed(verb: Verb, values: Sequence[Sequence[Any]], actions: tuple[str, ...]) -> list[Option]:
    """The option that lists these actions; one for each type where an argument may be a word or a card."""
    choices = [_choice_of(a, a.types[-1], allowed) for a, allowed in zip(verb.arguments, values, strict=True)]
    split = next((place for place, argument in enumerate(verb.arguments) if len(argument.types) > 1), None)
    if split is None:
        return [Option(verb.key, tuple(choices), actions, actions[0])]
    found = []
    words = verb.arguments[split].words
    for kind in verb.arguments[split].types:
        mine = tuple(action for action in actions if (action.split(" ")[split + 1] in words) == (kind == "word"))
        if mine:
            allowed = [value for value in values[split] if (value in words) == (kind == "word")]
            choices[split] = _choice_of(verb.arguments[split], kind, allowed)
            found.append(Option(verb.key, tuple(choices), mine, mine[0]))
    return found


def _choice_of(argument: Argument, kind: ArgumentType, values: Iterable[Any]) -> Choice:
    """A choice among listed values; one that may be left out has None among them."""
    values = tuple(values)
    optional = None in values if argument.nullable else argument.optional
    return Choice(argument.name, kind, optional, tuple(str(value) for value in values if value is not None))


def _worded(argument: Argument, words: Collection[str]) -> Choice:
    """A choice of words in one form of a verb: there it may not be left out."""
    return Choice(argument.name, argument.type, False, tuple(words))


def _wide_choice(argument: Argument, look: Look[Any], settings: Any, seat: Seat) -> Choice | None:
    """What is open for an argument of a verb that is not listed; None where nothing is."""
    if argument.type in ("cards", "groups"):
        held = tuple(sorted(look.cards(argument.held.zone, seat))) if argument.held is not None else ()
        sizes = argument.groups.wanted(look, settings, seat) if argument.groups is not None else ()
        least = sum(sizes) or argument.several.low
        most = sum(sizes) or min(argument.several.most(settings), len(held))
        if len(held) < least:
            return None
        return Choice(argument.name, argument.type, argument.optional, None, least, most, held, sizes=sizes)
    values = _values(argument, look, settings, seat)
    if isinstance(values, range) and values and (argument.amount or len(values) > LISTED_AT_MOST):
        return Choice(
            argument.name, argument.type, argument.optional, None, values[0], values[-1], step=abs(values.step)
        )
    choice = _choice_of(argument, argument.type, values)
    return choice if choice.values else None


class _Motion(Exception):
    """A verb on probation has refused nothing and is about to move."""


class _NoEvents(list[Event]):
    """In place of a table's events: the first motion stops the verb."""

    def append(self, event: Event, /) -> None:
        raise _Motion


_NO_EVENTS: Final = _NoEvents()


def _no_shuffle(cards: tuple[Card, ...]) -> tuple[Card, ...]:
    raise _Motion


def _is_legal(verb: Verb, position: Position[Any], seat: Seat, arguments: tuple[Any, ...]) -> bool:
    """Runs the verb up to its first motion: it refuses before that, or not at all."""
    table: Table[Any] = Table(position, _no_shuffle)
    table.events = _NO_EVENTS
    try:
        if arguments:
            verb.refuse(table, position.settings, seat, arguments)
        verb.run(table, position.settings, seat, *arguments)
    except (Refusal, Malformed):
        return False
    except _Motion:
        return True
    return True


def every_action(position: Position[Any], seat: Seat) -> Iterator[str]:
    """Each action of the phase with small arguments that can be written, legal or not: what tests hold `legal` to."""
    for verb in position.game.verbs_in(position.phase, position.settings).values():
        if verb.wide or verb.lists is not None:
            continue
        for chosen in product(*(_writable(argument, position) for argument in verb.arguments)):
            yield " ".join([verb.key, *chosen])


def _writable(argument: Argument, position: Position[Any]) -> Iterable[str]:
    if argument.type == "card":
        return [card.text for card in sorted({card for cards in position.zones.values() for card in cards})]
    if argument.at:
        return map(str, range(len(position.layout.names[argument.at]) + 1))
    if argument.type in ("number", "position"):
        return map(str, range(60))
    return map(str, range(position.settings.players)) if argument.type == "seat" else argument.words
