"""What the engine costs: the time of an action in random matches, and the size and time of an encoded state."""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

from chautari import engine
from chautari.engine import FairStream, Game, Position
from chautari.games import find_game

_ROUNDS_AT_LEAST = 5
_SECRET = bytes(range(32))
T = TypeVar("T")


class StateCost(NamedTuple):
    """Encoding states of random matches: the size of the largest in bytes, microseconds to encode and to decode one."""

    bytes: int
    encode: float
    decode: float


def bench_engine(game_key: str, seconds: float = 2.0) -> float:
    """Microseconds an action in random matches: listing what is legal, choosing, acting, and the events of it.

    A round plays one match on each of the trial settings of the game, the deals included; the median of as many rounds
    as fit into the seconds, five at least.
    """
    game = find_game(game_key)
    rounds: list[float] = []
    end = perf_counter() + seconds
    while perf_counter() < end or len(rounds) < _ROUNDS_AT_LEAST:
        start = perf_counter()
        actions = sum(_count(_match(game, trial, len(rounds))) for trial in range(len(game.trials)))
        rounds.append((perf_counter() - start) * 1e6 / actions)
    return median(rounds)


def bench_state(game_key: str, seconds: float = 1.0) -> StateCost:
    """What encoding and decoding cost, over all states of some matches: medians of the rounds that fit the seconds."""
    game = find_game(game_key)
    positions = [position for trial in range(len(game.trials)) for position in _match(game, trial, 0)]
    blobs = [engine.encode(position) for position in positions]
    encoding = _each(positions, engine.encode, seconds / 2)
    decoding = _each(blobs, lambda blob: engine.decode(game, blob), seconds / 2)
    return StateCost(max(map(len, blobs)), encoding, decoding)


def state_bytes(game_key: str) -> int:
    """The size in bytes of the largest encoded state of random matches, one on each of the trial settings."""
    game = find_game(game_key)
    states = (position for trial in range(len(game.trials)) for position in _match(game, trial, 0))
    return max(len(engine.encode(position)) for position in states)


def _match(game: Game[Any, Any], trial: int, seed: int) -> Iterator[Position[Any]]:
    """The positions of a random match on these trial settings, the same for the same seed."""
    chance = Random(seed)
    settings = game.read_settings(game.trials[trial])
    shuffle = FairStream(
        match=f"bench-{trial}-{seed}", game=game.key, version=game.version, secret=_SECRET,
        contributions=[None] * settings.players,
    )  # fmt: skip
    position = engine.begin(game, settings, shuffle).position
    while not position.is_over:
        yield position
        turn = position.turn
        seat = turn[int(chance.random() * len(turn))]
        action = engine.sample(position, seat, chance)
        while action is None:  # a seat that only may act, and cannot
            seat = turn[int(chance.random() * len(turn))]
            action = engine.sample(position, seat, chance)
        position = engine.act(position, seat, action, shuffle).position


def _count(positions: Iterator[Position[Any]]) -> int:
    """How many there are: as many as actions, since the last position of a match is not among them."""
    return sum(1 for _ in positions)


def _each(items: Sequence[T], do: Callable[[T], object], seconds: float) -> float:
    """Microseconds to do this to one of the items."""
    rounds: list[float] = []
    end = perf_counter() + seconds
    while perf_counter() < end or len(rounds) < _ROUNDS_AT_LEAST:
        start = perf_counter()
        for item in items:
            do(item)
        rounds.append((perf_counter() - start) * 1e6 / len(items))
    return median(rounds)
