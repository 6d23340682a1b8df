"""Who deals next, who partners whom, and the placing by score: what many games do alike."""

import pytest

from chautari.engine import Look, Script, Table
from chautari.kit.dealing import next_deals, rounds_are_over
from chautari.kit.partners import is_on_side_of, side_of, two_sides
from chautari.kit.placing import most_points
from tests.games.tables import table


def test_the_deal_goes_round() -> None:
    draft = Table(table("memory", phase="first", settings={"players": 3}, dealer=1), Script(()))
    dealers = []
    for _ in range(3):
        next_deals(draft, None)
        dealers.append(draft.facts.dealer)
    assert dealers == [2, 0, 1]


@pytest.mark.parametrize(("hand_no", "over"), [(1, False), (2, False), (3, True)])
def test_a_match_has_as_many_hands_as_rounds(hand_no: int, over: bool) -> None:
    position = table("memory", phase="first", settings={"players": 3, "rounds": 3}, hand_no=hand_no)
    assert rounds_are_over(Look(position), position.settings) == over


def test_the_highest_score_is_best() -> None:
    look = Look(table("memory", phase="first", settings={"players": 4}, score=(3, 5, 3, 0)))
    assert most_points(look, None) == (2, 1, 2, 4)


def test_partners_sit_opposite() -> None:
    assert [side_of(seat) for seat in range(4)] == [0, 1, 0, 1]
    assert two_sides(None) == ((0, 2), (1, 3))


@pytest.mark.parametrize(("other", "seats"), [(0, [0, 2]), (3, [1, 3]), (None, [])])
def test_a_seat_and_its_partner_are_of_one_side(other: int | None, seats: list[int]) -> None:
    assert [seat for seat in range(4) if is_on_side_of(other, seat)] == seats
