"""Jack and nine: the ranks in their order, what they count, and packs made of them."""

from chautari.cards import card, cards, text
from chautari.kit.jack_nine import card_points, is_thrown_in, jack_high, jack_low, pack_of


def test_the_order_of_ranks() -> None:
    hearts = cards("6H 7H 8H QH KH TH AH 9H JH")
    assert sorted(sorted(hearts), key=jack_high) == list(hearts)
    assert jack_high(card("JC")) == jack_high(card("JS"))


def test_points() -> None:
    assert card_points(cards("JH 9S AC TD KH QS 8C 7D 6H")) == 7
    assert card_points([]) == 0


def test_a_pack_has_each_rank_as_often_as_it_is_named() -> None:
    assert text(pack_of("JJ9")) == "9C JC JC 9D JD JD 9H JH JH 9S JS JS"
    assert card_points(pack_of("J9ATKQ87")) == 28
    assert card_points(pack_of("JJ9ATKQ87")) == 40
    assert card_points(pack_of("JJ99AATTKKQQ")) == 56


def test_the_order_upside_down() -> None:
    assert sorted(cards("8H QH JH 9H"), key=jack_low) == list(cards("JH 9H QH 8H"))


def test_hands_that_are_thrown_in() -> None:
    assert [is_thrown_in(cards(hand)) for hand in ("JC JD JH JS", "7C 8D QH KS", "JC JD JH 9S", "TC 7C 8C QC")] == [
        True, True, False, False,
    ]  # fmt: skip
