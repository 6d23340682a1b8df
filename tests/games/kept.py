"""Whole matches that were kept, and what the rules wrote of them then: `python -m tests.games.kept` renews them.

What one version of a game's rules writes, its states and its journals, another program reads that has the same version:
a newer release, or an older one that still serves beside it. So it may not change.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from json import dumps, loads
from pathlib import Path
from typing import Any, Final

from chautari import engine
from chautari.engine import Game
from chautari.games import RULES
from tests.engine.journal import encode_events
from tests.games.matches import Moment, chance_of, play

FILE: Final = Path(__file__).with_name("kept.jsonl")
_LONGEST: Final = 400
_SEEDS: Final = range(1, 6)
_OF_EACH: Final = 2


@dataclass(frozen=True)
class Kept:
    """A match from its deal to its end. acts: `0 pass`, the seat first; seed: of its shuffles.

    events, states: a digest of all that the version of the rules has written of it.
    """

    game: str
    version: int
    settings: dict[str, object]
    seed: int
    events: str
    states: str
    acts: Sequence[str]


def written(kept: Kept, game: Game[Any, Any]) -> Kept:
    """The match with what these rules write of it."""
    settings = game.read_settings(kept.settings)
    chance = chance_of(game, settings.players, kept.seed)
    events, states = sha256(), sha256()
    position, happened = engine.begin(game, settings, chance)
    for act in (*kept.acts, ""):
        events.update(encode_events(happened))
        states.update(engine.encode(position))
        if act:
            seat, _, action = act.partition(" ")
            position, happened = engine.act(position, int(seat), action, chance)
    assert position.is_over
    return replace(kept, version=game.version, events=events.hexdigest()[:16], states=states.hexdigest()[:16])


def read() -> list[Kept]:
    """Those that were kept."""
    return [Kept(**loads(line)) for line in FILE.read_text().splitlines()]


def _played(game: Game[Any, Any]) -> Iterator[Kept]:
    """The shortest whole matches, each on other trial settings."""
    shortest: list[tuple[int, Kept]] = []
    for trial in game.trials:
        found = []
        for seed in _SEEDS:
            moments = list(play(game, game.read_settings(trial), seed, _LONGEST))
            if moments[-1].position.is_over:
                acts = [_act(moment) for moment in moments[1:]]
                found.append((len(acts), Kept(game.key, game.version, dict(trial), seed, "", "", acts)))
        shortest += sorted(found, key=lambda one: one[0])[:1]
    for _, kept in sorted(shortest, key=lambda one: one[0])[:_OF_EACH]:
        yield written(kept, game)


def _act(moment: Moment) -> str:
    return f"{moment.seat} {moment.action}"


def main() -> None:
    """Keeps matches of each game by each version of its rules that there is: those that are kept stay as long."""
    before = read()
    lines = []
    for game in RULES.values():
        kept = [one for one in before if (one.game, one.version) == (game.key, game.version)]
        lines += [f"{dumps(asdict(one))}\n" for one in kept or _played(game)]
    FILE.write_text("".join(lines))


if __name__ == "__main__":
    main()
