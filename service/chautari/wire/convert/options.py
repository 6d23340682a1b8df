"""What a seat may do, to messages."""

from collections.abc import Iterable, Mapping
from typing import Final

from google.protobuf.internal.containers import RepeatedCompositeFieldContainer

from chautari.engine import Choice, Option
from chautari.v1 import action_pb2, option_pb2

ARGUMENT_TYPES: Final[Mapping[str, action_pb2.ArgumentType]] = {
    "card": action_pb2.ARGUMENT_TYPE_CARD,
    "cards": action_pb2.ARGUMENT_TYPE_CARDS,
    "groups": action_pb2.ARGUMENT_TYPE_GROUPS,
    "rank": action_pb2.ARGUMENT_TYPE_RANK,
    "suit": action_pb2.ARGUMENT_TYPE_SUIT,
    "number": action_pb2.ARGUMENT_TYPE_NUMBER,
    "seat": action_pb2.ARGUMENT_TYPE_SEAT,
    "position": action_pb2.ARGUMENT_TYPE_POSITION,
    "word": action_pb2.ARGUMENT_TYPE_WORD,
}


def fill_options(target: RepeatedCompositeFieldContainer[option_pb2.Option], options: Iterable[Option]) -> None:
    """Writes options into an empty list."""
    for option in options:
        message = target.add()
        message.verb = option.verb
        for choice in option.choices:
            _fill_choice(message.arguments.add(), choice)
        if option.actions is not None:
            message.actions.extend(option.actions)
        message.example = option.example


def _fill_choice(target: option_pb2.ArgumentChoice, choice: Choice) -> None:
    target.name = choice.name
    target.type = ARGUMENT_TYPES[choice.type]
    target.optional = choice.optional
    if choice.values is not None:
        target.values.values.extend(choice.values)
    elif choice.type == "cards":
        selection = target.selection
        selection.cards.extend([card.text for card in choice.cards])
        selection.min, selection.max = choice.low, choice.high
    elif choice.type == "groups":
        groups = target.groups
        groups.cards.extend([card.text for card in choice.cards])
        groups.sizes.extend(choice.sizes)
    else:
        numbers = target.range
        numbers.min, numbers.max, numbers.step = choice.low, choice.high, choice.step
