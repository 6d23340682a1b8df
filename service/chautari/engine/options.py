"""What a seat may do now: legal actions listed where they are few, described where they are many."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from random import Random
from typing import Any, Final

import msgspec

from chautari.cards import Card
from chautari.engine.actions import Argument, ArgumentType, Verb
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
    low, high  of a number that is described: the range; of cards: how many are taken
    cards     of cards and groups: those to choose from, sorted
    optional  it may be left out
    """

    name: str
    type: ArgumentType
    optional: bool
    values: tuple[str, ...] | None = None
    low: int = 0
    high: int = 0
    cards: tuple[Card, ...] = ()


class Option(msgspec.Struct, frozen=True):
    """A verb that the seat may use now.

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
    for verb in position.game.verbs_in(position.phase, position.settings).values():
        actions += _list(verb, position, look, seat)
    return actions


def options(position: Position[Any], seat: Seat) -> list[Option]:
    """All that the seat may do now, described for a client; empty where it is not in turn."""
    if not is_in_turn(position, seat):
        return []
    look = Look(position)
    verbs = position.game.verbs_in(position.phase, position.settings).values()
    described = (_describe(verb, position, look, seat) for verb in verbs)
    return [option for option in described if option is not None]


def sample(position: Position[Any], seat: Seat, random: Random) -> str | None:
    """A legal action of the seat at random, wide choices included; None where it has none."""
    if not is_in_turn(position, seat):
        return None
    look, settings, samplers = Look(position), position.settings, position.game.samplers
    actions: list[str] = []
    for key, verb in position.game.verbs_in(position.phase, settings).items():
        if key not in samplers:
            actions += _list(verb, position, look, seat)
        elif not verb.is_forbidden(look, settings, seat):
            action = samplers[key](look, settings, seat, random)
            if action is not None:
                actions.append(action)
    return actions[int(random.random() * len(actions))] if actions else None


def is_in_turn(position: Position[Any], seat: Seat) -> bool:
    """Whether the seat must or may act now."""
    return seat >= 0 and bool((position.must | position.may) >> seat & 1)


def _list(verb: Verb, position: Position[Any], look: Look[Any], seat: Seat) -> Sequence[str]:
    settings = position.settings
    if verb.wide or (verb.unless is not None and verb.is_forbidden(look, settings, seat)):
        return ()
    if verb.lists is not None:
        return list(verb.lists(look, settings, seat))
    arguments = verb.arguments
    if not arguments:
        return (verb.key,) if verb.decided or _is_legal(verb, position, seat, ()) else ()
    if len(arguments) == 1 and verb.decided:
        among = arguments[0].among
        assert among is not None
        values = among.domain(look, settings, seat)
        if arguments[0].type == "card":
            lines = verb.lines
            return [lines[face] for face in sorted(set(bytes(values)))]
        start = verb.key + " "
        return [start + str(value) for value in values]
    return [
        " ".join([verb.key, *map(str, chosen)])
        for chosen in product(*[_values(argument, look, settings, seat) for argument in arguments])
        if verb.decided or _is_legal(verb, position, seat, chosen)
    ]


def _values(argument: Argument, look: Look[Any], settings: Any, seat: Seat) -> Iterable[Any]:
    """The values that the domain of an argument allows; where it has none, those that can be written.

    Cards come sorted: the order in which a hand lies may be what its seat is not told.
    """
    among, held = argument.among, argument.held
    if argument.type == "card":
        if among is not None:
            return sorted(set(among.domain(look, settings, seat)))
        assert held is not None, f"the card {argument.name} needs a zone or a domain"
        return sorted(set(look.cards(held.zone, seat)))
    if among is not None:
        return among.domain(look, settings, seat)
    return look.seats if argument.type == "seat" else argument.words


def _describe(verb: Verb, position: Position[Any], look: Look[Any], seat: Seat) -> Option | None:
    settings = position.settings
    if not verb.wide:
        actions = tuple(_list(verb, position, look, seat))
        if not actions:
            return None
        choices: tuple[Choice, ...] = ()
        if verb.lists is None:
            choices = tuple(
                Choice(a.name, a.type, a.optional, tuple(map(str, _values(a, look, settings, seat))))
                for a in verb.arguments
            )
        return Option(verb.key, choices, actions, actions[0])
    if verb.is_forbidden(look, settings, seat):
        return None
    wide = []
    for argument in verb.arguments:
        choice = _wide_choice(argument, look, settings, seat)
        if choice.values == () or (choice.type in ("cards", "groups") and len(choice.cards) < choice.low):
            return None
        wide.append(choice)
    example = timeout_action(position, seat) or ""
    return Option(verb.key, tuple(wide), None, example if example.split(" ")[0] == verb.key else "")


def _wide_choice(argument: Argument, look: Look[Any], settings: Any, seat: Seat) -> Choice:
    if argument.type in ("cards", "groups"):
        held = tuple(sorted(look.cards(argument.held.zone, seat))) if argument.held is not None else ()
        most = min(argument.several.most(settings), len(held))
        return Choice(argument.name, argument.type, argument.optional, None, argument.several.low, most, held)
    values = _values(argument, look, settings, seat)
    if isinstance(values, range) and len(values) > LISTED_AT_MOST:
        return Choice(argument.name, argument.type, argument.optional, None, values[0], values[-1])
    return Choice(argument.name, argument.type, argument.optional, tuple(map(str, values)))


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
    if argument.type in ("number", "position"):
        return map(str, range(60))
    return map(str, range(position.settings.players)) if argument.type == "seat" else argument.words
