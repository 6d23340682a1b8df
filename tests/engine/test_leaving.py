"""Leaving: who is placed where when seats resign or are abandoned, and what goes on at the table."""

from typing import Any

import pytest

from chautari import engine
from chautari.engine import FairStream, MatchEnded, Position, SeatLeft, Turned
from chautari.errors import Refusal
from chautari.games import find_game
from tests.engine.timeouts import time_out


def stream(key: str, players: int) -> FairStream:
    return FairStream(match="m", game=key, version=1, secret=bytes(32), contributions=[None] * players)


def start(key: str, **settings: object) -> Position[Any]:
    """The first turn of a match."""
    game = find_game(key)
    chosen = game.read_settings(settings)
    return engine.begin(game, chosen, stream(key, chosen.players)).position


def placing(position: Position[Any]) -> tuple[int, ...]:
    assert position.result is not None
    assert not position.result.aborted
    return position.result.placing


def test_a_seat_that_leaves_stays_at_the_table_and_all_goes_on() -> None:
    before = start("bluff", players=4)
    after, events = engine.leave(before, 2)
    assert events == [SeatLeft(2)]
    assert (after.left, after.turn, after.phase, after.zones, after.facts) == (
        (2,), before.turn, before.phase, before.zones, before.facts
    )  # fmt: skip
    assert engine.sides_left(after) == 3


def test_the_seat_is_played_by_its_time_outs() -> None:
    position = engine.leave(start("jutpatti", players=3), 0).position
    step = time_out(position, 0, stream("jutpatti", 3))
    assert step is not None
    assert (step.position.phase, step.position.turn, step.position.left) == ("throw", (0,), (0,))


def test_who_leaves_twice_is_passed_over() -> None:
    once = engine.leave(start("bluff", players=4), 2).position
    again, events = engine.leave(once, 2, 1)
    assert (again.left, events) == ((2, 1), [SeatLeft(1)])


def test_with_one_seat_left_the_match_is_over_and_later_leavers_are_better() -> None:
    position = start("bluff", players=4)
    for seat in (2, 0):
        position = engine.leave(position, seat).position
        assert not position.is_over
    position, events = engine.leave(position, 3)
    assert position.is_over
    assert placing(position) == (3, 1, 4, 2)
    assert [type(event) for event in events] == [SeatLeft, Turned, MatchEnded]
    assert (position.turn, position.left) == ((), (2, 0, 3))


def test_leavers_are_behind_all_who_played_on() -> None:
    """Seat 1 leaves with the match still open among three: whatever its hand is worth, it is last."""
    shuffle = stream("jutpatti", 4)
    position = engine.leave(start("jutpatti", players=4, target=1), 1).position
    while not position.is_over:
        step = time_out(position, position.turn[0], shuffle)
        assert step is not None
        position = step.position
    places = placing(position)
    assert places[1] == 4
    assert max(places[seat] for seat in (0, 2, 3)) < 4


def test_a_winner_that_has_left_is_last_all_the_same() -> None:
    shuffle = stream("bluff", 2)
    position = start("bluff", players=3, lay_limit=50)
    position = engine.leave(position, 0).position
    while not position.is_over:
        step = time_out(position, position.turn[0], shuffle)
        assert step is not None
        position = step.position
    assert placing(position)[0] == 3


@pytest.mark.parametrize(("leaver", "places"), [(0, (3, 1, 3, 1)), (2, (3, 1, 3, 1)), (1, (1, 3, 1, 3))])
def test_a_partnership_leaves_with_one_of_its_seats(leaver: int, places: tuple[int, ...]) -> None:
    """Two sides: the other one has won at once, whatever the score."""
    position = engine.leave(start("dehla_pakad"), leaver).position
    assert position.is_over
    assert placing(position) == places
    assert position.left == (leaver,)


def test_partners_that_leave_together_count_as_one_side() -> None:
    assert placing(engine.leave(start("dehla_pakad"), 3, 1).position) == (1, 3, 1, 3)


@pytest.mark.parametrize("key", ["bluff", "dehla_pakad", "gulam_chor", "jutpatti"])
def test_with_nobody_left_the_match_is_aborted(key: str) -> None:
    position, events = engine.leave(start(key), 0, 1, 2, 3)
    assert position.is_over
    assert position.result is not None
    assert position.result.aborted
    assert isinstance(events[-1], MatchEnded)
    assert events[-1].aborted
    assert engine.decode(position.game, engine.encode(position)) == position


def test_nobody_leaves_a_match_that_has_ended() -> None:
    over = engine.leave(start("dehla_pakad"), 0).position
    with pytest.raises(Refusal) as caught:
        engine.leave(over, 1)
    assert caught.value.reason == "MATCH_OVER"
    assert time_out(over, 1, stream("dehla_pakad", 4)) is None


def test_who_left_is_in_the_state() -> None:
    position = engine.leave(start("gulam_chor", players=5), 4, 1).position
    assert engine.decode(position.game, engine.encode(position)).left == (4, 1)
    assert engine.view(position, None).left == (4, 1)


def test_a_match_stopped_from_outside_is_placed_as_it_stands_or_has_no_result() -> None:
    position = engine.leave(start("bluff", players=4), 2).position
    stopped = engine.stop(position, aborted=False).position
    assert stopped.result is not None
    assert not stopped.result.aborted
    assert stopped.result.placing[2] == 4
    assert stopped.left == (2,), "nobody else has left: all were there until it was stopped"
    aborted, events = engine.stop(position, aborted=True)
    assert aborted.result is not None
    assert aborted.result.aborted
    assert any(isinstance(event, engine.MatchEnded) and event.aborted for event in events)
    assert (stopped.must, stopped.may, aborted.must, aborted.may) == (0, 0, 0, 0)
    with pytest.raises(Refusal, match="has ended"):
        engine.stop(stopped, aborted=True)
