"""The catalogue as the wire shows it: games, their words and their pages."""

from typing import Any

from chautari.app.newer import newer
from chautari.app.values import Match
from chautari.engine import Game
from chautari.errors import NotFound
from chautari.games import GAMES, LANGUAGES, RULES, Wording, find_game, page, wording

__all__ = ["LANGUAGES", "Wording", "find", "find_rules", "game_of", "games", "page", "wording"]


def games() -> list[Game[Any, Any]]:
    """Every game, by key."""
    return [GAMES[key] for key in sorted(GAMES)]


def find(key: str) -> Game[Any, Any]:
    """The game with this key; NotFound `GAME_UNKNOWN`."""
    return find_game(key)


def game_of(match: Match) -> Game[Any, Any]:
    """The game of a stored match, by its own rules, or by those of now where this program knows them no more, for what
    is told of a match without its state; Unavailable `MATCH_NEWER` where only a newer release has them.
    """
    game = RULES.get((match.game, match.rules_version)) or GAMES.get(match.game)
    if game is None or match.rules_version > game.version:
        raise newer(match.id)
    return game


def find_rules(key: str, version: int) -> Game[Any, Any]:
    """The game by this version of its rules; NotFound `GAME_UNKNOWN`, `RULES_UNKNOWN`."""
    game = RULES.get((key, version))
    if game is None:
        raise NotFound(
            "RULES_UNKNOWN",
            f"this program has version {find_game(key).version} of the rules of {key}, not {version}: take an older "
            "release",
            game=key, version=version,
        )  # fmt: skip
    return game
