"""A pile: cards are thrown on the zone `pile`, and make the zone `deck` anew when that has run out."""

from typing import Any

from chautari.engine import Table


def renew_deck(table: Table[Any], *, keep: int = 0) -> None:
    """The cards of the pile, but for its last `keep`, are shuffled into the deck."""
    table.sweep("pile", to="deck", keep=keep)
    table.shuffle("deck")
