"""Listing: what is legal of a verb, as text. How to find that is settled once for each verb, and then only done."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any, Final

from chautari.cards import Card
from chautari.engine.actions import NUMBERED, Verb
from chautari.engine.arguments import Argument
from chautari.engine.events import Event
from chautari.engine.look import Look
from chautari.engine.marks import Unless
from chautari.engine.table import Table
from chautari.engine.viewers import Seat
from chautari.errors import Malformed, Refusal

Lister = Callable[[Look[Any], Any, Seat], Collection[str]]
Sampler = Callable[[Look[Any], Any, Seat, Random], str | None]


@dataclass(frozen=True, slots=True)
class Offer:
    """A verb that a phase offers.

    unless   what forbids it now, whatever its arguments; to be asked before the others
    lists    its legal actions; none where they are described only
    sampler  draws one at random, in place of what is listed, or where it is `listed_too`, beside it
    """

    verb: Verb
    unless: Unless | None
    lists: Lister
    sampler: Sampler | None
    listed_too: bool


def offer(verb: Verb, sampler: Sampler | None) -> Offer:
    """What a phase offers by this verb."""
    listed_too = sampler is None or (verb.lists is not None and not verb.wide)
    return Offer(verb, verb.unless, _lister(verb), sampler, listed_too)


def _lister(verb: Verb) -> Lister:
    alone = verb.alone
    if verb.wide:
        return _lister_of_alone(verb)
    if verb.lists is not None:
        return verb.lists
    if not verb.arguments:
        line = (verb.key,)
        return (lambda look, settings, seat: line) if verb.decided else _lister_on_trial(verb)
    if alone is not None and alone.among is not None:
        return _lister_of_cards(verb, alone.among.domain) if alone.type == "card" else _lister_of_values(verb, alone)
    if verb.given:
        return lambda look, settings, seat: [
            line for _, _, lines in by_first_choice(verb, look, settings, seat) for line in lines
        ]
    return _lister_of_products(verb)


def _lister_of_cards(verb: Verb, domain: Callable[..., Collection[Any]]) -> Lister:
    """The cards of a domain, each once, in the card order."""
    line = verb.lines.__getitem__
    return lambda look, settings, seat: list(map(line, sorted(set(bytes(domain(look, settings, seat))))))


def _lister_of_values(verb: Verb, argument: Argument) -> Lister:
    """The values of a domain in its order, which often is a range of small numbers."""
    assert argument.among is not None
    domain, numbered, written = argument.among.domain, verb.numbered, verb.written.__getitem__

    def lists(look: Look[Any], settings: Any, seat: Seat) -> Collection[str]:
        values = domain(look, settings, seat)
        if type(values) is range and values.step == 1 and 0 <= values.start <= values.stop <= NUMBERED:
            return numbered[values.start : values.stop]
        return list(map(written, values))

    return lists


def _lister_of_products(verb: Verb) -> Lister:
    """All that the domains of the arguments make together; on trial, where these do not say all."""
    arguments, key, decided = verb.arguments, verb.key, verb.decided
    return lambda look, settings, seat: [
        " ".join([key, *[str(value) for value in chosen if value is not None]])
        for chosen in product(*[values_of(argument, look, settings, seat) for argument in arguments])
        if decided or _is_legal(verb, look, settings, seat, chosen)
    ]


def _lister_on_trial(verb: Verb) -> Lister:
    """A verb without arguments that nothing but itself refuses."""
    line = (verb.key,)
    return lambda look, settings, seat: line if _is_legal(verb, look, settings, seat, ()) else ()


def _lister_of_alone(verb: Verb) -> Lister:
    """A wide verb: it is listed only where it takes groups, and may stand alone now."""
    line, groups = (verb.key,), verb.arguments[-1].groups if verb.arguments else None
    if groups is None:
        return lambda look, settings, seat: ()
    return lambda look, settings, seat: (
        line if not groups.wanted(look, settings, seat) and _is_legal(verb, look, settings, seat, ((),)) else ()
    )


def by_first_choice(
    verb: Verb, look: Look[Any], settings: Any, seat: Seat
) -> Iterator[tuple[tuple[Any, ...], Collection[Any], list[str]]]:
    """Where the last choice depends on those before: these, what is open for the last then, and the actions."""
    *first, last = verb.arguments
    assert last.among is not None
    domain, is_text, lines, key = last.among.domain, bool(last.words), verb.lines, verb.key
    of_cards = len(first) == 1 and first[0].type == "card" and not first[0].words
    for before in product(*[values_of(argument, look, settings, seat) for argument in first]):
        values = domain(look, settings, seat, *before)
        if values:
            start = (lines[before[0]] if of_cards else f"{key} {' '.join(map(str, before))}") + " "
            yield before, values, [start + value for value in (values if is_text else map(str, values))]


def values_of(argument: Argument, look: Look[Any], settings: Any, seat: Seat) -> Iterable[Any]:
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


class _Motion(Exception):
    """A verb on trial has refused nothing and is about to move."""


class _NoEvents(list[Event]):
    """In place of a table's events: the first motion stops the verb."""

    def append(self, event: Event, /) -> None:
        raise _Motion


_NO_EVENTS: Final = _NoEvents()


def _no_shuffle(cards: tuple[Card, ...]) -> tuple[Card, ...]:
    raise _Motion


def _is_legal(verb: Verb, look: Look[Any], settings: Any, seat: Seat, arguments: tuple[Any, ...]) -> bool:
    """Runs the verb up to its first motion: it refuses before that, or not at all."""
    table: Table[Any] = Table(look._position, _no_shuffle)
    table.events = _NO_EVENTS
    try:
        if arguments:
            verb.refuse(table, settings, seat, arguments)
        verb.run(table, settings, seat, *arguments)
    except (Refusal, Malformed):
        return False
    except _Motion:
        return True
    return True
