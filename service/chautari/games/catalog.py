"""The catalogue: every game that can be played, a line each."""

from typing import Any, Final

from chautari.engine import Game
from chautari.errors import NotFound
from chautari.games import bluff, call_break, dehla_pakad, gulam_chor, jutpatti

GAMES: Final[dict[str, Game[Any, Any]]] = {
    game.key: game
    for game in (
        bluff.GAME,
        call_break.GAME,
        dehla_pakad.GAME,
        gulam_chor.GAME,
        jutpatti.GAME,
    )
}
"""By key, in the order of the keys."""


def find_game(key: str) -> Game[Any, Any]:
    """The game with this key; NotFound `GAME_UNKNOWN` names those there are."""
    game = GAMES.get(key)
    if game is None:
        raise NotFound("GAME_UNKNOWN", f"there is no game {key!r}; there are {', '.join(GAMES)}", game=key)
    return game
