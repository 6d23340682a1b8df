"""When a child that died is followed by another."""

from chautari.processes import children


def test_who_dies_soon_and_often_is_followed_later_and_later() -> None:
    assert [children.pause(deaths) for deaths in range(5)] == [0.0, 0.1, 0.2, 0.4, 0.8]
    assert children.pause(8) == children.pause(10_000) == children.LONGEST_PAUSE


def test_who_has_lived_for_long_is_followed_at_once() -> None:
    assert children.is_settled(60.0)
    assert not children.is_settled(1.0)
