"""Which of our languages a caller reads."""

from collections.abc import Iterator
from typing import Final

from chautari.app.catalog import LANGUAGES

ENGLISH: Final = "en"


def choose(*wishes: str) -> str:
    """Our language for the first of these wishes that names one; English where none does.

    A wish is a language tag (`ne-NP`) or a header `accept-language` (`hi;q=0.8, ne`), empty where there is none.
    """
    for wish in wishes:
        for tag in _by_liking(wish):
            language = tag.partition("-")[0].lower()
            if language in LANGUAGES:
                return language
        if wish.strip():
            return ENGLISH
    return ENGLISH


def _by_liking(header: str) -> Iterator[str]:
    """The tags of a header, the best liked first."""
    weighed = []
    for place, part in enumerate(header.split(",")):
        tag, _, parameter = part.partition(";")
        try:
            weight = float(parameter.partition("=")[2]) if parameter else 1.0
        except ValueError:
            weight = 0.0
        if weight > 0:
            weighed.append((-weight, place, tag.strip()))
    return (tag for _, _, tag in sorted(weighed))
