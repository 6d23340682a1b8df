"""Levels: how blinds and antes rise while a match goes on until one seat is left. A pure function."""

from typing import Final

_FACTORS: Final = (1, 2, 3, 4, 6, 8, 10, 15, 20, 30, 40, 60, 80, 100)


def factor_of(level: int) -> int:
    """What blinds and antes are multiplied by on a level, from 1 on; after 100 it doubles with every level."""
    if level <= len(_FACTORS):
        return _FACTORS[level - 1]
    return _FACTORS[-1] << level - len(_FACTORS)
