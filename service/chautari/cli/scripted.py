"""Seats that are played by a script: simple, quick, and with no more than their own view and options.

They are there so that a table is full; they do not think.
"""

from collections.abc import Sequence
from random import Random
from typing import Final

from chautari.engine import Choice, Option

_USUAL: Final = 0.5
"""How often a script does what the rules would do for it if its time ran out."""


def choices(options: Sequence[Option], usual: str | None, random: Random) -> list[str]:
    """What a scripted seat tries, in this order, until the rules accept one: the last is always legal, where it can be.

    usual: the action that the rules take for a seat whose time ran out, None where its clock does not run.
    """
    tries = [] if usual is not None and random.random() < _USUAL else [_pick(options, random)]
    if usual is not None:
        tries.append(usual)
    tries += [option.example for option in options if option.example]
    tries += [option.actions[0] for option in options if option.actions]
    return tries


def _pick(options: Sequence[Option], random: Random) -> str:
    option = random.choice(options)
    if option.actions:
        return random.choice(option.actions)
    words = [option.verb]
    for choice in option.choices:
        if choice.optional and random.random() < 0.5:
            break
        words += _words(choice, random)
    return " ".join(words)


def _words(choice: Choice, random: Random) -> list[str]:
    """One argument at random."""
    if choice.values is not None:
        return [random.choice(choice.values)]
    if choice.type == "cards":
        count = min(random.randint(choice.low, max(choice.low, choice.high)), len(choice.cards))
        return [card.text for card in random.sample(choice.cards, count)]
    if choice.type == "groups":
        left = random.sample(choice.cards, len(choice.cards))
        words: list[str] = []
        for size in choice.sizes:
            words += ["/"] * bool(words) + [card.text for card in left[:size]]
            del left[:size]
        return words
    return [str(random.randrange(choice.low, choice.high + 1, choice.step))]
