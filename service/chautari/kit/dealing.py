"""Dealing: who deals the next hand, and whether there is one."""

from typing import Any, Protocol

from chautari.engine import Look, Seat, Table


class DealtFacts(Protocol):
    """What the table knows of dealing."""

    dealer: Seat


def next_deals(table: Table[Any], settings: Any) -> None:
    """The seat after the dealer, whatever happened."""
    facts: DealtFacts = table.facts
    facts.dealer = table.after(facts.dealer)


def rounds_are_over(look: Look[Any], settings: Any) -> bool:
    """Whether the match has had its hands: a fixed number, the setting `rounds`."""
    return bool(look.facts.hand_no == settings.rounds)
