"""Random matches that end, with all that happened in them: what the tests of every game are run on."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations, pairwise
from random import Random
from typing import Any

import msgspec

from chautari import engine
from chautari.cards import Card
from chautari.engine import Event, FairStream, Game, Position, Setting, Shuffled, Viewer
from chautari.errors import Malformed
from chautari.games import GAMES, find_game

LONGEST = 20_000
"""Steps after which a match counts as endless."""


@dataclass(frozen=True)
class Moment:
    """One step of a match: what was done, what it made happen, and the position after it."""

    seat: int | None
    action: str | None
    """As the journal keeps it; None at the beginning, or where a seat left."""
    position: Position[Any]
    events: list[Event]

    @property
    def outcomes(self) -> list[tuple[Card, ...]]:
        """The shuffles of this step, as the journal keeps them."""
        return [event.cards for event in self.events if isinstance(event, Shuffled)]


@dataclass(frozen=True)
class Match:
    """A whole match, and the places in it at which costly checks are made."""

    moments: list[Moment]
    sampled: tuple[int, ...]
    random: Random

    @property
    def game(self) -> Game[Any, Any]:
        """Its game."""
        return self.moments[0].position.game

    @property
    def viewers(self) -> tuple[Viewer, ...]:
        """Each seat, and somebody without one."""
        return (*range(self.moments[0].position.settings.players), None)

    @property
    def samples(self) -> Iterator[Position[Any]]:
        """The positions at which costly checks are made."""
        return (self.moments[place].position for place in self.sampled)


def whole_match(key: str, trial: int, seed: int, leaving: bool = False, everywhere: bool = False) -> Match:
    """A random match on trial settings of a game, the same for the same arguments.

    leaving: seats resign at random. everywhere: costly checks are made at each step.
    """
    game = find_game(key)
    settings = game.read_settings(game.trials[trial])
    moments = list(play(game, settings, seed, LONGEST, leaving))
    random = Random(seed)
    places = range(len(moments))
    turning = [place for place, (one, other) in enumerate(pairwise(moments), 1) if _turns(one.position, other.position)]
    few = {0, places[-1], *random.sample(turning, min(4, len(turning))), *random.sample(places, min(8, len(places)))}
    return Match(moments, tuple(places) if everywhere else tuple(sorted(few)), random)


def _turns(one: Position[Any], other: Position[Any]) -> bool:
    """Whether something rare happened between two positions: another phase or hand, or a seat left."""
    return (one.phase, one.hands, one.left) != (other.phase, other.hands, other.left)


def play(
    game: Game[Any, Any], settings: Any, seed: int, longest: int, leaving: bool = False, busy: bool = True
) -> Iterator[Moment]:
    """A random match step by step, at most so many. A seat that has left, or all if not `busy`, only times out."""
    random = Random(seed)
    chance = chance_of(game, settings.players, seed)
    position, happened = engine.begin(game, settings, chance)
    yield Moment(None, None, position, happened)
    for _ in range(longest):
        if position.is_over:
            return
        seat: int | None
        if leaving and random.random() < 0.02:
            seat, action = random.randrange(settings.players), None
            position, happened = engine.leave(position, seat)
        else:
            seat, action = _choose(position, random, busy)
            position, happened = engine.act(unlisted(position), seat, action, chance)
        yield Moment(seat, action, position, happened)


def chance_of(game: Game[Any, Any], players: int, seed: int) -> FairStream:
    """The fair stream of a match with this number."""
    secret = sha256(b"%d" % seed).digest()
    return FairStream(
        match=f"m{seed}", game=game.key, version=game.version, secret=secret, contributions=[None] * players
    )


def unlisted(position: Position[Any]) -> Position[Any]:
    """The same position, of which nothing has been listed: the rules look at each action from the beginning."""
    return msgspec.structs.replace(position)


def _choose(position: Position[Any], random: Random, busy: bool) -> tuple[int, str]:
    for seat in random.sample(position.turn, len(position.turn)):
        action = engine.sample(position, seat, random) if busy and seat not in position.left else None
        action = action or engine.timeout_action(position, seat)
        if action is not None:
            return seat, action
    raise AssertionError(f"nobody in turn can do anything in the phase {position.phase}")


def trials() -> list[tuple[str, int]]:
    """Each game with each of its trial settings."""
    return [(key, trial) for key, game in GAMES.items() for trial in range(len(game.trials))]


def pairs_of_settings(game: Game[Any, Any]) -> Iterator[Mapping[str, object]]:
    """Settings such that every two values of every two settings meet, as few as a greedy choice finds.

    Of a range or a list of more than four, the first, the default and the last stand for all; of the players all do.
    """
    values = {setting.name: _values(setting) for setting in game.settings_declared}
    unmet = {
        frozenset({(one, a), (other, b)})
        for one, other in combinations(values, 2) for a in values[one] for b in values[other]
    }  # fmt: skip
    while unmet:
        chosen: dict[str, Any] = dict(sorted(min(unmet, key=lambda pair: sorted(map(repr, pair)))))
        for name, allowed in values.items():
            if name not in chosen:
                met = list(chosen.items())
                meetings = [sum(frozenset({(name, value), one}) in unmet for one in met) for value in allowed]
                chosen[name] = allowed[meetings.index(max(meetings))]
        unmet -= {frozenset(pair) for pair in combinations(chosen.items(), 2)}
        try:
            game.read_settings(chosen)
        except Malformed:
            continue
        yield chosen


def _values(setting: Setting) -> list[Any]:
    if setting.type == "bool":
        return [False, True]
    allowed = list(setting.allowed)
    if setting.range is not None:
        allowed = [*range(setting.range.low, setting.range.high + 1), *setting.range.also]
    if setting.name == "players" or len(allowed) <= 4:
        return allowed
    return list(dict.fromkeys([allowed[0], setting.default, allowed[-1]]))


def largest_settings(game: Game[Any, Any]) -> Any:
    """The settings of a game with every number at its highest, as far as these can be combined, else at its default."""
    given: dict[str, object] = {}
    for setting in sorted(game.settings_declared, key=lambda setting: setting.name != "players"):
        if setting.type == "int":
            try:
                game.read_settings({**given, setting.name: max(_values(setting))})
            except Malformed:
                continue
            given[setting.name] = max(_values(setting))
    return game.read_settings(given)
