"""Values with cards in them, as the terminal shows them."""

from typing import Any

import pytest

from chautari.cli.cards_text import value_text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (True, "yes"),
        (None, "–"),
        ("", "–"),
        (["7H", "TS"], "7H♥ TS♠"),
        ([1, 2], "1 2"),
        ({"bid": 3, "suit": "S"}, "bid 3, suit S♠"),
        (["7H 8H", "", "QS QD"], "7H♥ 8H♥; –; QS♠ QD♦"),
        (["0 AH 9C high - 3 4H lost -3", "1 7H 7D - higher 4 QS won 4"],
         "0 AH 9C high - 3 4H lost -3; 1 7H 7D - higher 4 QS won 4"),
    ],
)  # fmt: skip
def test_values_are_told_apart(value: Any, shown: str) -> None:
    assert value_text(value).plain == shown
