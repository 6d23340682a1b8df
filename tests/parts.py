"""How long the long tests are: in parts of a few minutes, of which a day has few and a night many."""

from typing import Final

SIZES: Final = ("day", "night")


def parts_of(size: str, *, day: int, night: int | None = None) -> range:
    """The numbers of the parts that a run of this size has, from 1.

    Each part takes all its chance from its number, so a part of a day is the same in a night. night: None for as many
    as a day has.
    """
    return range(1, (day if night is None or size == "day" else night) + 1)
