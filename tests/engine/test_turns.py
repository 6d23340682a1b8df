"""Whose turn it is while several answer."""

import pytest

from chautari.engine import Look, Script, Table, Turn, only
from tests.games.tables import table


@pytest.mark.parametrize(("asked", "answers", "left"), [((0, 1, 3), 1, (0, 3)), ((0, 3), 0, (3,)), ((0, 3), 2, (0, 3))])
def test_the_others_stay_in_turn_in_the_same_phase(asked: tuple[int, ...], answers: int, left: tuple[int, ...]) -> None:
    draft = Table(table("bluff", phase="answer", turn=asked), Script(()))
    assert draft.still_in_turn(answers) == Turn("answer", only(*left))


def test_after_the_last_answer_nobody_is() -> None:
    assert Table(table("bluff", phase="answer", turn=[2]), Script(())).still_in_turn(2) is None


@pytest.mark.parametrize(("seat", "among", "nearest"), [(1, (1, 2), 1), (1, (0, 3), 3), (3, (2,), 2), (0, (0,), 0)])
def test_the_nearest_seat_may_be_the_seat_itself(seat: int, among: tuple[int, ...], nearest: int) -> None:
    assert Look(table("bluff", phase="play", settings={"players": 4})).nearest(seat, among) == nearest


def test_a_round_begins_anywhere_and_each_seat_comes_once() -> None:
    look = Look(table("bluff", phase="play", settings={"players": 4}))
    assert [look.round_from(seat) for seat in look.seats] == [(0, 1, 2, 3), (1, 2, 3, 0), (2, 3, 0, 1), (3, 0, 1, 2)]
