"""The catalogue as the wire shows it: games, their words and their pages."""

from typing import Any

from chautari.engine import Game
from chautari.games import GAMES, LANGUAGES, Wording, find_game, page, wording

__all__ = ["LANGUAGES", "Wording", "find", "games", "page", "wording"]


def games() -> list[Game[Any, Any]]:
    """Every game, by key."""
    return [GAMES[key] for key in sorted(GAMES)]


def find(key: str) -> Game[Any, Any]:
    """The game with this key; NotFound `GAME_UNKNOWN`."""
    return find_game(key)
