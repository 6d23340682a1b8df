"""Kooli: handing over, the signs that go to and fro beside a box, and the accounts of three players."""

import pytest

from chautari.kit.kooli import Signs, hand_over, pay_to_all, take_from_all, win_signs


@pytest.mark.parametrize(("due", "after"), [(2, (4, 8)), (6, (0, 12)), (9, (0, 12))])
def test_the_payer_hands_over_at_most_what_it_has(due: int, after: tuple[int, ...]) -> None:
    assert hand_over((6, 6), 0, 1, due) == after


START = Signs((0, 0), 5, None)


@pytest.mark.parametrize(
    ("won", "after"),
    [
        ("0", Signs((4, 1), 0, 0)),
        ("00", Signs((3, 2), 0, 0)),
        ("00000", Signs((0, 5), 0, 0)),
        ("01", Signs((5, 0), 0, 0)),
        ("011", Signs((1, 4), 0, 1)),
        ("0110", Signs((0, 5), 0, 1)),
        ("01100", Signs((4, 1), 0, 0)),
    ],
)
def test_signs_one_step_at_a_time(won: str, after: Signs) -> None:
    signs = START
    for winner in won:
        signs, slam = win_signs(signs, int(winner), 1)
        assert not slam
    assert signs == after


@pytest.mark.parametrize("team", [0, 1])
def test_one_more_than_all_cards_makes_a_slam_and_gives_the_box(team: int) -> None:
    before, slam = win_signs(START, team, 5)
    assert (slam, before.held[team], before.box) == (False, 0, team)
    after, slam = win_signs(before, team, 1)
    assert (slam, after.box, after.held[1 - team]) == (True, 1 - team, 5)


def test_steps_after_a_slam_are_dropped() -> None:
    after, slam = win_signs(START, 0, 9)
    assert (slam, after) == (True, Signs((0, 5), 0, 1))


def test_one_who_wins_against_two_takes_from_each_what_he_has() -> None:
    assert take_from_all((6, 6, 6), 1, 2) == (4, 10, 4)
    assert take_from_all((1, 6, 6), 1, 3) == (0, 10, 3)


@pytest.mark.parametrize(
    ("kooli", "due", "after"),
    [((6, 6, 6), 2, (8, 2, 8)), ((6, 3, 6), 2, (7, 0, 8)), ((6, 1, 6), 2, (6, 0, 7)), ((6, 4, 6), 5, (8, 0, 8))],
)
def test_one_who_loses_against_two_pays_them_in_turn(kooli: tuple[int, ...], due: int, after: tuple[int, ...]) -> None:
    """Seat 1 pays, seat 2 first."""
    assert pay_to_all(kooli, 1, due) == after
