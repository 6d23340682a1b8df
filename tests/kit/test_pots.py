"""Pots, by worked examples, and by dividing chips one by one."""

from random import Random

import pytest

from chautari.kit.pots import Pot, share, side_pots, uncalled, win_alone, win_pots


@pytest.mark.parametrize(
    ("paid", "back"),
    [((5, 2, 3), (2, 0, 0)), ((5, 5, 3), (0, 0, 0)), ((0, 0, 2), (0, 0, 2)), ((1, 2), (0, 1)), ((0, 0), (0, 0))],
)
def test_uncalled_chips_go_back_to_the_one_seat_that_paid_most(paid: tuple[int, ...], back: tuple[int, ...]) -> None:
    assert uncalled(paid) == back


def test_one_pot_where_all_paid_the_same() -> None:
    assert side_pots((4, 4, 4), (0, 2)) == [Pot(12, (0, 2))]


def test_a_pot_for_each_height_of_a_live_seat() -> None:
    assert side_pots((10, 40, 25, 40), (0, 1, 2, 3)) == [
        Pot(40, (0, 1, 2, 3)), Pot(45, (1, 2, 3)), Pot(30, (1, 3)),
    ]  # fmt: skip


def test_folded_chips_belong_to_the_pots_that_they_reach() -> None:
    assert side_pots((10, 30, 15, 30), (0, 1, 3)) == [Pot(40, (0, 1, 3)), Pot(45, (1, 3))]


def test_a_pot_of_nothing_is_left_out() -> None:
    assert side_pots((0, 6, 6), (0, 1, 2)) == [Pot(12, (1, 2))]


def test_odd_chips_go_one_each_to_the_first_winners() -> None:
    assert share(7, (2, 0)) == {2: 4, 0: 3}
    assert share(8, (1, 2, 0)) == {1: 3, 2: 3, 0: 2}
    assert share(1, (3, 1)) == {3: 1, 1: 0}


def test_pots_are_what_dividing_chip_by_chip_makes() -> None:
    """Each chip lies at its height, and the live seats that paid up to there can win it."""
    random = Random(1)
    for _ in range(300):
        players = random.randint(2, 6)
        paid = [random.randint(0, 12) for _ in range(players)]
        live = sorted(random.sample(range(players), random.randint(1, players)))
        highest = max(paid[seat] for seat in live)
        paid = [min(own, highest) for own in paid]
        heights: dict[tuple[int, ...], int] = {}
        for height in range(1, highest + 1):
            seats = tuple(seat for seat in live if paid[seat] >= height)
            heights[seats] = heights.get(seats, 0) + sum(own >= height for own in paid)
        assert [(pot.seats, pot.amount) for pot in side_pots(paid, live)] == list(heights.items())
        assert sum(pot.amount for pot in side_pots(paid, live)) == sum(paid)


def test_pots_go_to_the_best_hand_that_can_win_each_and_odd_chips_to_the_first_in_order() -> None:
    """Seat 2 is all in with the best hand; 0 and 3 share the side pot; 1 has folded."""
    won = win_pots((30, 5, 11, 30), {0: 7, 2: 9, 3: 7}, order=(3, 0, 1, 2))
    assert won.pots == [(38, (0, 2, 3), (2,)), (38, (0, 3), (0, 3))]
    assert won.chips == (19, 0, 38, 19)
    odd = win_pots((5, 1, 5), {0: 3, 2: 3}, order=(2, 0, 1))
    assert odd.chips == (5, 0, 6)


def test_the_last_one_wins_everything_whatever_it_holds() -> None:
    assert win_alone((3, 9), 1) == win_pots((3, 9), {1: 0}, order=(0, 1)) == ([(12, (1,), (1,))], (0, 12))
