"""What the engine costs: the time of an action in random matches, and the size and time of an encoded state.

Times are those of the processor, and the least of several rounds: a machine may be shared, and noise only adds.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from statistics import fmean
from time import process_time
from typing import Any, Final, NamedTuple, TypeVar

from chautari import engine
from chautari.engine import FairStream, Game, Position, Table
from chautari.games import find_game

_ROUNDS_AT_LEAST: Final = 3
_SEEDS: Final = 3
"""So many different matches are played on each of the trial settings, again and again."""
_SECRET: Final = bytes(range(32))
T = TypeVar("T")


class StateCost(NamedTuple):
    """The states of random matches: bytes of the largest; microseconds to encode one, to decode it, and to copy it.

    A state is never written to: its copy is a draft on which an action can be tried.
    """

    bytes: int
    encode: float
    decode: float
    copy: float


def bench_engine(game_key: str, seconds: float = 2.0) -> float:
    """Microseconds an action in random matches: listing what is legal, choosing, acting, and the events of it.

    A round plays one match on each of the trial settings of the game, the deals included. As many rounds are played as
    fit into the seconds, three at least, with three seeds by turns; the mean of the least of each seed.
    """
    game = find_game(game_key)
    least = [float("inf")] * _SEEDS
    end, number = process_time() + seconds, 0
    while number < _ROUNDS_AT_LEAST or process_time() < end:
        seed = number % _SEEDS
        least[seed] = min(least[seed], microseconds_an_action(game, game.trials, seed))
        number += 1
    return fmean(least)


def microseconds_an_action(game: Game[Any, Any], trials: Sequence[Mapping[str, object]], seed: int) -> float:
    """What an action costs in one random match on each of these settings."""
    start = process_time()
    actions = sum([_play(game, given, seed) for given in trials])
    return (process_time() - start) * 1e6 / actions


def bench_state(game_key: str, seconds: float = 1.0) -> StateCost:
    """What encoding, decoding and copying cost, over all states of some matches: the least of what fits the seconds."""
    game = find_game(game_key)
    positions: list[Position[Any]] = []
    for given in game.trials:
        _play(game, given, 0, positions)
    blobs = [engine.encode(position) for position in positions]
    return StateCost(
        max(map(len, blobs)),
        _each(positions, engine.encode, seconds / 3),
        _each(blobs, lambda blob: engine.decode(game, blob), seconds / 3),
        _each(positions, lambda position: Table(position, _no_chance), seconds / 3),
    )


def _no_chance(cards: tuple[Any, ...]) -> tuple[Any, ...]:
    raise AssertionError("a copy shuffles nothing")


def _play(
    game: Game[Any, Any], given: Mapping[str, object], seed: int, played: list[Position[Any]] | None = None
) -> int:  # fmt: skip
    """Plays a random match on these settings, the same for the same seed; returns how many actions it had.

    played: the positions on which a seat acted are added here.
    """
    chance = Random(seed)
    settings = game.read_settings(given)
    shuffle = FairStream(
        match=f"bench-{seed}", game=game.key, version=game.version, secret=_SECRET,
        contributions=[None] * settings.players,
    )  # fmt: skip
    actions = 0
    position = engine.begin(game, settings, shuffle).position
    while turn := position.turn:
        seat = turn[int(chance.random() * len(turn))]
        action = engine.sample(position, seat, chance)
        if action is not None:  # else a seat that only may act, and cannot
            if played is not None:
                played.append(position)
            actions += 1
            position = engine.act(position, seat, action, shuffle).position
    return actions


def _each(items: Sequence[T], do: Callable[[T], object], seconds: float) -> float:
    """Microseconds to do this to one of the items."""
    least = float("inf")
    end, number = process_time() + seconds, 0
    while number < _ROUNDS_AT_LEAST or process_time() < end:
        start = process_time()
        for item in items:
            do(item)
        least = min(least, (process_time() - start) * 1e6 / len(items))
        number += 1
    return least
