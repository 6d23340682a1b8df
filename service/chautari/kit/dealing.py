"""Dealing: who deals the next hand."""

from typing import Any, Protocol

from chautari.engine import Seat, Table


class DealtFacts(Protocol):
    """What the table knows of dealing."""

    dealer: Seat


def next_deals(table: Table[Any], settings: Any) -> None:
    """The seat after the dealer, whatever happened."""
    facts: DealtFacts = table.facts
    facts.dealer = table.after(facts.dealer)
