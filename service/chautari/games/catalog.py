"""The catalogue: every game that can be played, a line each, and the rules of before by which matches go on."""

from typing import Any, Final

from chautari.engine import Game
from chautari.errors import NotFound
from chautari.games import (
    andar_bahar,
    badam_satti,
    beggar_my_neighbour,
    blackjack,
    bluff,
    call_break,
    dehla_pakad,
    dhumbal,
    fifty_six,
    fifty_six_support,
    forty,
    gulam_chor,
    in_between,
    jutpatti,
    kitti,
    last_card,
    marriage,
    memory,
    poker,
    sequence,
    slapjack,
    teen_patti,
    three_two_five,
    twenty_eight,
    twenty_nine,
)

GAMES: Final[dict[str, Game[Any, Any]]] = {
    game.key: game
    for game in (
        andar_bahar.GAME,
        badam_satti.GAME,
        beggar_my_neighbour.GAME,
        blackjack.GAME,
        bluff.GAME,
        call_break.GAME,
        dehla_pakad.GAME,
        dhumbal.GAME,
        fifty_six.GAME,
        fifty_six_support.GAME,
        forty.GAME,
        gulam_chor.GAME,
        in_between.GAME,
        jutpatti.GAME,
        kitti.GAME,
        last_card.GAME,
        marriage.GAME,
        memory.GAME,
        poker.GAME,
        sequence.GAME,
        slapjack.GAME,
        teen_patti.GAME,
        three_two_five.GAME,
        twenty_eight.GAME,
        twenty_nine.GAME,
    )
}
"""By key, in the order of the keys."""

OLD: Final[tuple[Game[Any, Any], ...]] = ()
"""The rules of before, in `old/`, a line each: one goes when no database has a match under way on it any more."""

RULES: Final[dict[tuple[str, int], Game[Any, Any]]] = {
    (game.key, game.version): game for game in (*OLD, *GAMES.values())
}
"""All rules that matches are played by, by key and version."""


def find_game(key: str) -> Game[Any, Any]:
    """The game with this key; NotFound `GAME_UNKNOWN` names those there are."""
    game = GAMES.get(key)
    if game is None:
        raise NotFound("GAME_UNKNOWN", f"there is no game {key!r}; there are {', '.join(GAMES)}", game=key)
    return game
