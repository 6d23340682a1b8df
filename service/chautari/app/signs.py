"""Signs that may be shown as they are, in a terminal and in a file, and a text of nothing else."""

from typing import Final

JOINERS: Final = "\u200c\u200d"
"""Devanagari and emoji are written with them; they are as good as letters."""


def is_sign(character: str) -> bool:
    """Whether a character is shown as it is: no terminal obeys it, and no line ends with it."""
    return character.isprintable() or character in JOINERS


def printable(text: str) -> str:
    """A text of unknown source on one line, with a question mark for all that is no sign."""
    return "".join(character if is_sign(character) else "?" for character in text)
