"""Counts and other values by seat."""

from chautari.kit.totals import add_to, set_at


def test_more_for_one_seat() -> None:
    assert add_to((1, 2, 3), 1) == (1, 3, 3)
    assert add_to((1, 2, 3), 2, -5) == (1, 2, -2)


def test_another_value_for_one_seat() -> None:
    assert set_at(("a", "b", "c"), 0, "x") == ("x", "b", "c")
    assert set_at((False,), 0, True) == (True,)
