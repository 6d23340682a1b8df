"""What of a text of unknown source is shown as it is."""

import pytest

from chautari.app.signs import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Sita 7H ✓", "Sita 7H ✓"),
        ("क\u094d\u200dष", "क\u094d\u200dष"),
        ("\x1b[2Jgone", "?[2Jgone"),
        ("one\ntwo\ttab", "one?two?tab"),
        ("turned\u202eround", "turned?round"),
        ("", ""),
    ],
)
def test_nothing_that_a_terminal_obeys_is_left(text: str, shown: str) -> None:
    assert printable(text) == shown
