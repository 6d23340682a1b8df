"""Names that people give: what they may hold."""

import unicodedata
from typing import Final

from chautari.errors import Malformed

LONGEST_NAME: Final = 64
"""Characters, as a person counts them."""
MOST_CODE_POINTS: Final = 200
"""Some scripts write one character with several."""
_NON_JOINER, _JOINER = "\u200c", "\u200d"
_EMOJI_STYLES: Final = "\ufe0e\ufe0f"
_KEYCAPS: Final = "0123456789#*"
_MARKS_IN_A_ROW: Final = 6
_VIRAMA: Final = 9
"""The combining class of the signs that join two consonants of an Indic script."""
_BLANKS: Final = " \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_UNSEEN: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\ufffc\ufffd\U0001d159"
    + "".join(map(chr, (*range(0xFE00, 0xFE0E), *range(0xE0100, 0xE01F0))))
)
"""Letters, marks and signs that show nothing, or stand for what could not be shown."""
_JOINED_LETTERS: Final = ("ARABIC", "SYRIAC", "MONGOLIAN", "NKO", "MANDAIC")
"""Scripts whose letters are joined, and in which a non-joiner parts two of them."""


def check_name(given: str, field: str, *, optional: bool = False) -> str:
    """The name in NFC, with single plain blanks between its words; Malformed `NAME_INVALID` says what it may not hold.

    Letters of any script, digits, signs and blanks of any kind; at most 64 characters as a person counts them; no
    control characters, none that turn the direction of writing, none that cannot be seen (the joiners of Devanagari, of
    Arabic and of emoji are taken where they join), and not more than six marks upon one letter.
    """
    name = unicodedata.normalize("NFC", given).strip(_BLANKS)
    if not name and optional:
        return ""
    if len(name) > MOST_CODE_POINTS:
        raise _invalid(field, f"it has {len(name)} code points, and at most {MOST_CODE_POINTS} are allowed")
    marks = 0
    for place, character in enumerate(name):
        category = unicodedata.category(character)
        marks = marks + 1 if category[0] == "M" else 0
        if not _may_stand(name, place, category):
            raise _invalid(field, f"the character U+{ord(character):04X} is not allowed in it, or not there")
        if marks > _MARKS_IN_A_ROW:
            raise _invalid(field, f"it has more than {_MARKS_IN_A_ROW} marks upon one letter")
    if not any(unicodedata.category(character)[0] in "LNSP" for character in name):
        raise _invalid(field, "there must be something to see in it")
    seen = characters(name)
    if seen > LONGEST_NAME:
        raise _invalid(field, f"it has {seen} characters, and at most {LONGEST_NAME} are allowed")
    return " ".join(name.split())


def characters(text: str) -> int:
    """How many characters a person sees, or nearly so: marks, conjuncts, and what makes up one emoji count as one."""
    count, flags = 0, 0
    for place, character in enumerate(text):
        before = text[place - 1] if place else ""
        flags = flags + 1 if "\U0001f1e6" <= character <= "\U0001f1ff" else 0
        goes_on = (
            unicodedata.category(character)[0] == "M"
            or character in (_JOINER, _NON_JOINER)
            or "\U0001f3fb" <= character <= "\U0001f3ff"  # the colour of a skin
            or (before == _JOINER)
            or (bool(before) and unicodedata.combining(before) == _VIRAMA and unicodedata.category(character)[0] == "L")
            or (flags and flags % 2 == 0)
        )
        count += not goes_on
    return count


def _may_stand(name: str, place: int, category: str) -> bool:
    """Whether a character may stand at this place of a name."""
    character = name[place]
    before = name[place - 1] if place else ""
    after = name[place + 1 : place + 2]
    if character in (_JOINER, _NON_JOINER):
        return bool(before) and bool(after) and _joins(character, before, after)
    if character in _EMOJI_STYLES:
        return bool(before) and (unicodedata.category(before) == "So" or before in _KEYCAPS)
    return character not in _UNSEEN and category[0] != "C" and category not in ("Zl", "Zp")


def _joins(character: str, before: str, after: str) -> bool:
    """Whether a joiner between these two has anything to do there."""
    if unicodedata.combining(before) == _VIRAMA:
        return unicodedata.category(after)[0] == "L" or after == " "
    if character == _JOINER:
        return (before in _EMOJI_STYLES or _is_sign(before)) and _is_sign(after)
    return _is_joined(before) and _is_joined(after)


def _is_sign(character: str) -> bool:
    return unicodedata.category(character)[0] == "S"


def _is_joined(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith(_JOINED_LETTERS)


def _invalid(field: str, why: str) -> Malformed:
    return Malformed("NAME_INVALID", f"this name cannot be used: {why}", field=field)
