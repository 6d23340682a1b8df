"""The games: one page of rules each, and the catalogue of them all."""

from chautari.games.catalog import GAMES, find_game

__all__ = ["GAMES", "find_game"]
