"""A shoe that runs out, at a table of blackjack."""

from typing import Any

from chautari.cards import Card, text
from chautari.engine import Look, Table
from chautari.kit.shoe import cards_left, next_card, renew
from tests.games.tables import table


def at_a_table(lying: str) -> Table[Any]:
    """A table on which a shuffle turns the cards round."""
    position = table("blackjack", lying, phase="play", settings={"players": 1})

    def turned(cards: tuple[Card, ...], /) -> tuple[Card, ...]:
        return cards[::-1]

    return Table(position, turned)


def lies(look: Look[Any], zone: str) -> str:
    return text(look.cards(zone))


def test_the_next_card_is_the_first_of_the_shoe() -> None:
    shoe = at_a_table("deck: 5C 2C | discard: 9H")
    next_card(shoe, "house")
    assert [lies(shoe, zone) for zone in ("house", "deck", "discard")] == ["5C", "2C", "9H"]


def test_the_discards_are_shuffled_only_when_a_card_is_needed() -> None:
    shoe = at_a_table("deck: 5C | discard: 2C 3C")
    next_card(shoe, "hand", 1)
    assert (text(shoe.cards("hand", 1)), lies(shoe, "discard")) == ("5C", "2C 3C")
    next_card(shoe, "house")
    assert [lies(shoe, zone) for zone in ("house", "deck", "discard")] == ["3C", "2C", ""]


def test_renewing_mixes_what_is_left_with_the_discards() -> None:
    shoe = at_a_table("deck: 5C | discard: 2C 9C")
    assert cards_left(shoe) == 3
    renew(shoe)
    assert (lies(shoe, "deck"), cards_left(shoe)) == ("9C 5C 2C", 3)
