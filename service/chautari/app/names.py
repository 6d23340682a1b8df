"""Names that people give: what they may hold, and random ones for guests."""

import unicodedata
from typing import Final

from chautari.app.ports import Random
from chautari.errors import Malformed

LONGEST_NAME: Final = 64
_JOINERS: Final = "\u200c\u200d"
"""Zero-width joiners, which Devanagari and emoji need between other characters."""
_MARKS_IN_A_ROW: Final = 6
_ADJECTIVES: Final = (
    "Amber", "Brave", "Calm", "Clever", "Early", "Gentle", "Golden", "Happy", "Kind", "Lucky", "Merry", "Patient",
    "Quick", "Quiet", "Silver", "Sunny", "Swift", "Wise",
)  # fmt: skip
_ANIMALS: Final = (
    "Barbet", "Bulbul", "Crane", "Danphe", "Deer", "Dhole", "Falcon", "Gaur", "Hornbill", "Ibis", "Langur", "Myna",
    "Otter", "Panda", "Peacock", "Pika", "Takin", "Tiger", "Yak",
)  # fmt: skip


def check_name(given: str, field: str, *, optional: bool = False) -> str:
    """The name in NFC without outer blanks; Malformed `NAME_INVALID` says what it may not hold.

    Letters of any script, digits, signs and single blanks; at most 64 characters; no control characters, none that
    turn the direction of writing, none that cannot be seen, and not more than six marks upon one letter.
    """
    name = unicodedata.normalize("NFC", given).strip(" ")
    if not name and optional:
        return ""
    if len(name) > LONGEST_NAME:
        raise _invalid(field, f"it has {len(name)} characters, and at most {LONGEST_NAME} are allowed")
    marks = 0
    for place, character in enumerate(name):
        category = unicodedata.category(character)
        marks = marks + 1 if category[0] == "M" else 0
        joins = character in _JOINERS and 0 < place < len(name) - 1
        if (category[0] == "C" and not joins) or category in ("Zl", "Zp"):
            raise _invalid(field, f"the character U+{ord(character):04X} is not allowed in it")
        if marks > _MARKS_IN_A_ROW:
            raise _invalid(field, f"it has more than {_MARKS_IN_A_ROW} marks upon one letter")
    if not any(unicodedata.category(character)[0] in "LNSP" for character in name):
        raise _invalid(field, "there must be something to see in it")
    return " ".join(name.split())


def guest_name(random: Random) -> str:
    """A friendly name for somebody who gave none: `Lucky Danphe 417`."""
    first, second, high, low = random(4)
    number = 100 + (high << 8 | low) % 900
    return f"{_ADJECTIVES[first % len(_ADJECTIVES)]} {_ANIMALS[second % len(_ANIMALS)]} {number}"


def _invalid(field: str, why: str) -> Malformed:
    return Malformed("NAME_INVALID", f"this name cannot be used: {why}", field=field)
