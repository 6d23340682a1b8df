"""Cards as values."""

from chautari.cards import ALL_CARDS, SUITS
from chautari.cli.cards_text import action_text


def test_every_card_is_true_also_the_ace_of_clubs_whose_number_is_0() -> None:
    assert all(ALL_CARDS)


def test_every_card_of_an_action_is_drawn_with_its_sign() -> None:
    for card in ALL_CARDS[:52]:
        assert action_text(f"play {card}").plain == f"play\u00a0{card}{'♣♦♥♠'[SUITS.index(card.suit)]}"
