"""The games: one page of rules each, the catalogue of them all, and the words in which people read of them."""

from chautari.games.catalog import GAMES, RULES, find_game
from chautari.games.wording import LANGUAGES, Wording, page, wording

__all__ = ["GAMES", "LANGUAGES", "RULES", "Wording", "find_game", "page", "wording"]
