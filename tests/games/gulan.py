"""Tables of Gulan Parish: a match at its first call, calls in turn, and what the seat in turn may do."""

from typing import Any

from chautari import engine
from chautari.cards import Card, cards, text
from chautari.engine import Position
from chautari.games import find_game
from tests.games.tables import do, refused


def packed(game: str, **settings: Any) -> str:
    """The pack of a game in the card order: what its first shuffle may make."""
    asked: list[str] = []

    def order(given: tuple[Card, ...]) -> tuple[Card, ...]:
        asked.append(text(given))
        return given

    engine.begin(find_game(game), find_game(game).read_settings(settings), order)
    return asked[0]


def start(game: str = "twenty_eight", *shuffles: str, **settings: Any) -> Position[Any]:
    """A match at its first call; cards as they lie in the card order, if nothing else is said."""
    script = engine.Script(map(cards, shuffles or (packed(game, **settings),)))
    return engine.begin(find_game(game), find_game(game).read_settings(settings), script).position


def say(position: Position[Any], *calls: str) -> Position[Any]:
    """Each call by the seat in turn; `1 pass` holds that it is seat 1."""
    for call in calls:
        assert position.turn == (int(call[0]),), f"{call}: {position.turn} is in turn"
        position = do(position, call)
    return position


def may_play(position: Position[Any], seat: int = 0) -> str:
    """The cards that this seat may play."""
    return " ".join(action.split()[1] for action in engine.legal(position, seat) if action.startswith("play"))


def may(position: Position[Any], verb: str, seat: int = 0) -> bool:
    """Whether this seat may use the verb, as listed; and that trying says the same."""
    listed = verb in engine.legal(position, seat)
    if not listed:
        assert refused(position, f"{seat} {verb}") == "RULE_BROKEN"
    return listed
