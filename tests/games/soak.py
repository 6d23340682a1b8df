"""Random matches of a game by the thousand: they end, keep their cards, and their views stay small.

Every other match is on trial settings, and ends; the others are on settings of which every two values meet, and go on
for 400 actions at most. Playing is cheap and looking is not: one step in sixteen is looked at; where a view is larger
than any before, every step after it is too, until that is no longer so for a while.

`python -m tests.games.soak [GAME…]` prints the figures of each game; `pytest -m soak tests/games/test_soak.py` holds
them to the limits.
"""

import sys
from collections.abc import Iterator, Mapping
from itertools import chain, count
from random import Random
from time import process_time
from typing import Any, Final, NamedTuple

import msgspec

from chautari import engine
from chautari.cards import Card
from chautari.engine import Game, Position
from chautari.games import GAMES, find_game
from tests.games.matches import LONGEST, chance_of, pairs_of_settings

ACTIONS: Final = 100_000
"""Of each part, at least."""
VIEW_BYTES: Final = 16_384
"""What a view with its options may take as JSON."""
_LOOKED_AT: Final = 16
_NOT_BOUNDED: Final = 400
"""Actions after which a match on other than trial settings is broken off."""
_encode: Final = msgspec.json.Encoder(enc_hook=str).encode


class Soaked(NamedTuple):
    """What was seen: bytes of the largest view with its options, and which; the most actions of a match; seconds."""

    game: str
    matches: int
    actions: int
    longest: int
    view_bytes: int
    where: str
    state_bytes: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"{self.game:20} {self.matches} matches {self.actions:8} actions, {self.longest:5} at most; "
            f"view {self.view_bytes:6} bytes ({self.where}); state {self.state_bytes:5} bytes; {self.seconds:5.0f} s"
        )


def soak(key: str, part: int = 1, actions: int = ACTIONS) -> Soaked:
    """Plays random matches of so many actions; AssertionError where one loses cards, or does not end though it should.

    part: each has matches of its own, the same every time.
    """
    game = find_game(key)
    start, played, longest, state_bytes = process_time(), 0, 0, 0
    largest, where = 0, ""
    pairs = list(pairs_of_settings(game))
    first = part * ACTIONS  # so many matches no part has
    for number in count(first):
        if played >= actions:
            break
        bounded, turn = number % 2 == 0, number // 2
        given = game.trials[turn % len(game.trials)] if bounded else pairs[turn % len(pairs)]
        look = 0
        dealt: dict[int, list[Card]] = {}
        step = -1
        for step, position in enumerate(_match(game, given, number, LONGEST if bounded else _NOT_BOUNDED)):
            if look > 0 or step % _LOOKED_AT == number % _LOOKED_AT or position.is_over:
                look -= 1
                lying = sorted(chain.from_iterable(position.zones.values()))
                assert dealt.setdefault(position.hands, lying) == lying, f"{key} {given} {number} {step}: other cards"
                state_bytes = max(state_bytes, len(engine.encode(position)))
                size, seat = _largest_view(position)
                if size > largest:
                    largest, look = size, _LOOKED_AT
                    where = f"seat {seat} of {position.settings.players}, {position.phase}"
        assert step < LONGEST, f"{key} {given} does not end"
        played += step
        longest = max(longest, step)
    return Soaked(key, number - first, played, longest, largest, where, state_bytes, process_time() - start)


def _match(game: Game[Any, Any], given: Mapping[str, object], number: int, most: int) -> Iterator[Position[Any]]:
    """The positions of a random match, of so many actions at most."""
    random = Random(number)
    settings = game.read_settings(given)
    chance = chance_of(game, settings.players, number)
    position = engine.begin(game, settings, chance).position
    yield position
    for _ in range(most):
        if position.is_over:
            return
        seat, action = _choose(position, random)
        position = engine.act(position, seat, action, chance).position
        yield position


def _choose(position: Position[Any], random: Random) -> tuple[int, str]:
    """An action at random of a seat in turn at random; one that only may act, and cannot, is passed over."""
    seats = random.sample(position.turn, len(position.turn))
    for seat in seats:
        action = engine.sample(position, seat, random) or engine.timeout_action(position, seat)
        if action is not None:
            return seat, action
    raise AssertionError(f"nobody in turn can do anything in the phase {position.phase}")


def _largest_view(position: Position[Any]) -> tuple[int, int]:
    """The bytes of the largest view with options, and whose; what a seat out of turn sees is never larger."""
    sizes = [
        (len(_encode((engine.view(position, seat), engine.options(position, seat)))), seat)
        for seat in position.turn or range(position.settings.players)
    ]
    return max(sizes)


def main(keys: list[str]) -> None:
    """Soaks these games, or all, one after another."""
    for key in keys or list(GAMES):
        print(soak(key), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
