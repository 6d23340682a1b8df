"""What a seat may do now: legal actions listed where they are few, described where they are many."""

from collections.abc import Collection, Iterable, Sequence
from random import Random
from typing import Any, Final

import msgspec

from chautari.cards import Card
from chautari.engine.actions import Verb
from chautari.engine.arguments import Argument, ArgumentType
from chautari.engine.listing import Offer, by_first_choice, values_of
from chautari.engine.look import Look
from chautari.engine.play import is_in_turn, timeout_action
from chautari.engine.position import Position
from chautari.engine.viewers import Seat

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
    look, settings = Look(position), position.settings
    actions: list[str] = []
    for offer in position.layout.offers[position.phase]:
        unless = offer.unless
        if unless is None or unless(look, settings, seat) is None:
            actions += offer.lists(look, settings, seat)
    position.list_for(seat, tuple(actions))
    return actions


def options(position: Position[Any], seat: Seat) -> list[Option]:
    """All that the seat may do now, described for a client; empty where it is not in turn."""
    if not is_in_turn(position, seat):
        return []
    look = Look(position)
    offers = position.layout.offers[position.phase]
    found = [option for offer in offers for option in _describe(offer, position, look, seat)]
    position.list_for(seat, [action for option in found for action in option.actions or ()])
    return found


def sample(position: Position[Any], seat: Seat, random: Random) -> str | None:
    """A legal action of the seat at random, wide choices included; None where it has none.

    A sampler speaks for its verb, beside what the verb lists itself; it may make rare what is rare at real tables.
    """
    if not is_in_turn(position, seat):
        return None
    look, settings = Look(position), position.settings
    actions: list[str] = []
    drawn: list[str] = []
    for offer in position.layout.offers[position.phase]:
        unless, sampler = offer.unless, offer.sampler
        if unless is not None and unless(look, settings, seat) is not None:
            continue
        if offer.listed_too:
            actions += offer.lists(look, settings, seat)
        if sampler is not None:
            action = sampler(look, settings, seat, random)
            if action is not None:
                actions.append(action)
                drawn.append(action)
    if not actions:
        return None
    position.list_for(seat, [action for action in actions if action not in drawn] if drawn else actions)
    return actions[int(random.random() * len(actions))]


def _describe(offer: Offer, position: Position[Any], look: Look[Any], seat: Seat) -> list[Option]:
    """The option of a verb: none where it is not open, several where an argument is a word or a card."""
    verb, settings = offer.verb, position.settings
    if offer.unless is not None and offer.unless(look, settings, seat) is not None:
        return []
    actions = tuple(offer.lists(look, settings, seat))
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
                for before, values, lines in by_first_choice(verb, look, settings, seat)
            ]
        return _listed(verb, [tuple(values_of(a, look, settings, seat)) for a in verb.arguments], actions)
    if actions:
        return [Option(verb.key, (), actions, verb.key)]
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
    values = values_of(argument, look, settings, seat)
    if isinstance(values, range) and values and (argument.amount or len(values) > LISTED_AT_MOST):
        return Choice(
            argument.name, argument.type, argument.optional, None, values[0], values[-1], step=abs(values.step)
        )
    choice = _choice_of(argument, argument.type, values)
    return choice if choice.values else None
