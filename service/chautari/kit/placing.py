"""Placing: who comes first, from a score for each seat. Equal seats share a place, and the next place is skipped."""

from collections.abc import Sequence
from typing import Any

from chautari.engine import Look


def most_first(scores: Sequence[Any]) -> tuple[int, ...]:
    """The place of each seat, the highest score being best: 5 3 5 makes 1 3 1."""
    return tuple(1 + sum(other > score for other in scores) for score in scores)


def fewest_first(scores: Sequence[Any]) -> tuple[int, ...]:
    """The place of each seat, the lowest score being best."""
    return tuple(1 + sum(other < score for other in scores) for score in scores)


def most_points(look: Look[Any], settings: Any) -> tuple[int, ...]:
    """The placing of a game in which the highest score is best."""
    return most_first(look.facts.score)
