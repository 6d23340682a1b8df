"""A shoe: the zone `deck`, which is made anew of the zone `discard` when it runs out."""

from typing import Any

from chautari.engine import Look, Seat, Table


def next_card(table: Table[Any], to: str, seat: Seat | None = None) -> None:
    """The next card of the shoe goes to this zone (of this seat or index)."""
    if not table.count("deck"):
        renew(table)
    table.draw("deck", to=to, to_seat=seat)


def renew(table: Table[Any]) -> None:
    """The discards are shuffled into the shoe."""
    table.sweep("discard", to="deck")
    table.shuffle("deck")


def cards_left(look: Look[Any]) -> int:
    """How many cards can still come out of the shoe."""
    return look.count("deck") + look.count("discard")
