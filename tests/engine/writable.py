"""Every action that can be written in a position, legal or not: what listings are held to."""

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

from chautari.engine import Position
from chautari.engine.arguments import Argument


def every_action(position: Position[Any]) -> Iterator[str]:
    """Each action of the phase whose arguments are small, with all that can be written for each of them."""
    for verb in position.layout.verbs.get(position.phase, {}).values():
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
