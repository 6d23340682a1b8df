"""Cards in the terminal, by letters, sign and colour, and the actions and values that have cards in them."""

from collections.abc import Iterable
from typing import Any, Final

from rich.text import Text

from chautari.cards import SUITS, UNSEEN, find_card

_SIGNS: Final = {"C": ("♣", "green"), "D": ("♦", "bright_blue"), "H": ("♥", "red"), "S": ("♠", "bold")}
"""Four suits, four colours; the letter is always there, so that no meaning hangs on a colour or a sign alone."""


def card_text(card: str) -> Text:
    """A card by its letters and its suit's sign: `7H♥`."""
    if card == UNSEEN.text:
        return Text("▒▒", "dim")
    sign, style = _SIGNS.get(card[-1:], ("", "magenta"))
    return Text(card + sign, style)


def cards_text(cards: Iterable[str]) -> Text:
    """Cards side by side."""
    return Text(" ").join([card_text(card) for card in cards])


def action_text(action: str) -> Text:
    """An action with its cards drawn as cards; no line ends within it."""
    return Text("\u00a0").join([card_text(word) if find_card(word) or word == UNSEEN.text else Text(word)
                           for word in action.split()])  # fmt: skip


def value_text(value: Any) -> Text:
    """The value of a fact, or of a record of a hand; text that is cards is drawn as cards."""
    if isinstance(value, bool):
        return Text("yes" if value else "no")
    if value is None or value == "":
        return Text("–")
    if isinstance(value, list):
        has_lines = any(isinstance(item, str) and " " in item for item in value)
        return Text("; " if has_lines else " ").join([value_text(item) for item in value])
    if isinstance(value, dict):
        return Text(", ").join([Text(f"{name} ").append_text(value_text(item)) for name, item in value.items()])
    text = str(value)
    words = text.split(" ")
    if all(find_card(word) for word in words):
        return cards_text(words)
    return card_text(text) if text in SUITS else Text(text)
