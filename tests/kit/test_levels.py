"""Levels of blinds, as the page of poker lists them."""

from chautari.kit.levels import factor_of


def test_factors_by_level() -> None:
    found = [factor_of(level) for level in range(1, 18)]
    assert found == [1, 2, 3, 4, 6, 8, 10, 15, 20, 30, 40, 60, 80, 100, 200, 400, 800]
