"""The course of chips in a hand, at a table of teen patti."""

from chautari.engine import Script, Table
from chautari.kit.chips import begin_hand, give_up, pay, put_out, seats_in, seats_live
from tests.games.tables import table


def test_chips_go_from_a_seat_into_the_pot() -> None:
    facts = table("teen_patti", phase="bet", settings={"players": 3, "chips": 20}).facts
    pay(facts, 1, 5)
    pay(facts, 1, 2)
    assert (facts.chips, facts.score) == ((20, 13, 20), (20, 13, 20))
    assert (facts.paid, facts.pot) == ((0, 7, 0), 7)


def test_the_score_may_count_from_another_number_than_the_chips() -> None:
    facts = table("poker", phase="preflop", settings={"players": 2, "chips": 20}).facts
    pay(facts, 0, 3)
    assert (facts.chips, facts.score) == ((17, 20), (-3, 0))


def test_a_hand_begins_with_those_who_are_not_out() -> None:
    draft = Table(table("teen_patti", phase="bet", settings={"players": 3}, hand_no=4), Script(()))
    put_out(draft.facts, 1)
    pay(draft.facts, 2, 1)
    begin_hand(draft.facts)
    facts = draft.facts
    assert (facts.hand_no, facts.live, facts.paid, facts.pot) == (5, (True, False, True), (0, 0, 0), 0)
    assert (facts.out, facts.out_in) == ((False, True, False), (0, 4, 0))
    assert (seats_in(draft), seats_live(draft)) == ([0, 2], [0, 2])


def test_who_gives_up_is_not_out() -> None:
    draft = Table(table("teen_patti", phase="bet", settings={"players": 3}, live=(True, True, True)), Script(()))
    give_up(draft.facts, 0)
    assert (seats_in(draft), seats_live(draft)) == ([0, 1, 2], [1, 2])
