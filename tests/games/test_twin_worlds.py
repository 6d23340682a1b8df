"""No viewer can tell apart two worlds that differ only in what it has not seen: every game, every phase, every role.

An ordinary run makes some hundred pairs of worlds for each game; each part of a soak makes some ten thousand.
"""

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from chautari.engine import Game, Position, Step, Viewer, view
from chautari.games import GAMES
from tests.games.leaky import LEAKS, LEAKY
from tests.games.matches import LONGEST, play, trials
from tests.games.secrecy import Leak, faces, role
from tests.games.twins import answered_otherwise, begun, other_secrets, reordered, swapped
from tests.parts import parts_of


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`rounds`: the numbers of those in which each check is made on each trial of a game; a soak has many."""
    if "rounds" in metafunc.fixturenames:
        soak = metafunc.config.getoption("markexpr") == "soak"
        marks = [pytest.mark.soak] if soak else []
        numbers = parts_of(metafunc.config.getoption("size"), day=1, night=100)
        parts = [range(50 * part, 50 * (part + 1)) for part in numbers]
        chosen = [
            pytest.param(GAMES[key], trial, rounds, id=f"{key}-{trial}-{rounds.start}", marks=marks)
            for key, trial in trials() for rounds in (parts if soak else [range(1)])
        ]  # fmt: skip
        metafunc.parametrize(("game", "trial", "rounds"), chosen)


# (a) At one state ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_views_options_and_refusals_do_not_tell_worlds_apart(game: Game[Any, Any], trial: int, rounds: range) -> None:
    """Two cards that the viewer does not see have changed places, or what lies in no order lies in another."""
    for position, viewer, random in situations(game, trial, 20, rounds):
        for twins in (swapped(position, viewer, random), reordered(position, viewer, random)):
            if twins is not None:
                twins.look()
                twins.ask(random)


def test_views_do_not_tell_secret_facts(game: Game[Any, Any], trial: int, rounds: range) -> None:
    for position, viewer, random in situations(game, trial, 10, rounds):
        for twins in other_secrets(position, viewer):
            assert view(twins.one, viewer) == view(twins.other, viewer)
            if game.key in AT_WILL:
                twins.look()
                twins.ask(random)


AT_WILL = {"bluff", "leaky"}
"""Games whose secret facts may have any value: nothing else that a seat knows follows from them."""


# (b) Along the same actions ───────────────────────────────────────────────────────────────────────────────────────────


def test_streams_do_not_tell_worlds_apart(game: Game[Any, Any], trial: int, rounds: range) -> None:
    for position, viewer, random in situations(game, trial, 24, rounds):
        twins = swapped(position, viewer, random)
        if twins is not None:
            twins.go_on(12, random)


def test_streams_do_not_tell_shuffles_apart(game: Game[Any, Any], trial: int, rounds: range) -> None:
    """From the deal on: two cards have changed places in the outcome of a shuffle."""
    settings = game.read_settings(game.trials[trial])
    for number in rounds:
        random = Random(f"{game.key} {trial} {number}")
        for _ in range(12):
            twins = begun(game, settings, random.choice((*range(settings.players), None)), random)
            if twins is not None:
                twins.go_on(25, random)


def test_streams_do_not_tell_how_cards_lie_that_have_no_order(game: Game[Any, Any], trial: int, rounds: range) -> None:
    """Neither to others nor to those who see them; there is nothing at which this may end."""
    for position, viewer, random in situations(game, trial, 12, rounds):
        reordered(position, viewer, random).go_on(20, random)


def test_streams_do_not_tell_sealed_answers(game: Game[Any, Any], trial: int, rounds: range) -> None:
    """Until the last seat that was asked has answered."""
    settings = game.read_settings(game.trials[trial])
    if not any(verb.is_sealed(settings) for verb in game.verbs.values()):
        return
    for position, viewer, random in situations(game, trial, 30, rounds):
        twins = answered_otherwise(position, viewer, random)
        if twins is not None:
            twins.look()
            twins.ask(random)
            while len(twins.one.turn) > 1:
                twins.go_on(1, random)


def test_events_show_faces_only_to_those_who_see_the_zone(game: Game[Any, Any], trial: int, rounds: range) -> None:
    """Of whole matches, to every viewer; that nothing else is seen is what the page says of its zones."""
    settings = game.read_settings(game.trials[trial])
    for seed in (trial + number for number in rounds):
        for moment in play(game, settings, seed, LONGEST, leaving=seed % 2 == 1):
            for viewer in (*range(settings.players), None):
                for _ in faces(Step(moment.position, moment.events), viewer):
                    pass


# That they mean something ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("key", GAMES)
def test_every_phase_and_role_has_its_twins(key: str) -> None:
    made: Counter[tuple[str, str]] = Counter()
    for trial in range(len(GAMES[key].trials)):
        for position, viewer, random in situations(GAMES[key], trial, 40, range(1)):
            if swapped(position, viewer, random) is not None:
                made[position.phase, role(position, viewer)] += 1
    assert {*GAMES[key].phases} <= {phase for phase, _ in made}
    assert {"in turn", "spectator"} <= {of for _, of in made}
    assert {"waiting", "partner"} & {of for _, of in made}


def leaks(leak: str) -> bool:
    """Whether the tests above find anything in the game that is made to leak."""
    checks = [
        test_views_options_and_refusals_do_not_tell_worlds_apart,
        test_views_do_not_tell_secret_facts,
        test_streams_do_not_tell_worlds_apart,
        test_streams_do_not_tell_shuffles_apart,
        test_streams_do_not_tell_how_cards_lie_that_have_no_order,
        test_streams_do_not_tell_sealed_answers,
    ]
    LEAKY.trials = ({"leak": leak},)
    for check in checks:
        try:
            check(LEAKY, 0, range(6))
        except Leak:
            return True
    return False


@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_is_found(leak: str) -> None:
    assert leaks(leak)


def test_no_leak_is_found_where_there_is_none() -> None:
    assert not leaks("nothing")


def situations(
    game: Game[Any, Any], trial: int, each: int, rounds: range
) -> Iterator[tuple[Position[Any], Viewer, Random]]:  # fmt: skip
    """Positions of random matches on a trial with a viewer each, one of each phase of a match among them.

    each: so many at least are of each round, whose chance is its own.
    """
    settings = game.read_settings(game.trials[trial])
    for number in rounds:
        yield from _situations(game, settings, each, Random(f"{game.key} {trial} {number}"))


def _situations(
    game: Game[Any, Any], settings: Any, count: int, random: Random
) -> Iterator[tuple[Position[Any], Viewer, Random]]:  # fmt: skip
    viewers = (*range(settings.players), None)
    while count > 0:
        leaving = random.random() < 0.3
        moments = [moment.position for moment in play(game, settings, random.randrange(1 << 30), LONGEST, leaving)]
        phases = {position.phase: position for position in random.sample(moments, len(moments))}
        for position in [*phases.values(), *random.sample(moments, min(len(moments), 5))]:
            acting = random.choice(position.turn) if position.turn else None
            yield position, acting if random.random() < 0.3 else random.choice(viewers), random
            count -= 1
