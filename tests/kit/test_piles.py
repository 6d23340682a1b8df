"""A deck that is made anew of a pile."""

from typing import Any

import pytest

from chautari.cards import Card, text
from chautari.engine import Shuffled, Table
from chautari.kit.piles import renew_deck
from tests.games.tables import table


def turned(cards: tuple[Card, ...], /) -> tuple[Card, ...]:
    return cards[::-1]


@pytest.mark.parametrize(
    ("lying", "keep", "deck", "pile"),
    [
        ("pile: 2C 9H 5C", 1, "9H 2C", "5C"),
        ("pile: 2C 9H 5C", 0, "9H 5C 2C", ""),
        ("deck: 3C | pile: 2C 9H", 0, "9H 3C 2C", ""),
        ("pile: 2C", 1, "", "2C"),
    ],
)
def test_all_but_the_last_of_the_pile_are_shuffled_into_the_deck(lying: str, keep: int, deck: str, pile: str) -> None:
    on: Table[Any] = Table(table("jutpatti", lying, phase="draw"), turned)
    renew_deck(on, keep=keep)
    assert (text(on.cards("deck")), text(on.cards("pile"))) == (deck, pile)
    assert isinstance(on.events[-1], Shuffled)
