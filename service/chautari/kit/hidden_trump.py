"""A hidden trump: one seat knows it, until somebody who cannot follow suit has it shown.

Source: Pagat.com, 28 and 29. A card that lies face down for it is in the zone `trump_card`.
"""

from collections.abc import Sequence
from typing import Any

from chautari.cards import Card, Suit
from chautari.engine import ALL, NOBODY, Rule, Seat, Table, Viewers, only


def knowers(trump: str | None, chooser: Seat | None) -> Viewers:
    """Who knows what was chosen: the seat that did, nobody before; and all once the trump has been shown."""
    if trump is not None:
        return ALL
    return NOBODY if chooser is None else only(chooser)


def no_asking(hand: Sequence[Card], led: Suit | None) -> Rule | None:
    """Why a seat with this hand may not have the trump shown: it leads, or can follow suit."""
    if led is None:
        return "LEADER_MAY_NOT_ASK", "who leads may not ask for the trump: play a card"
    if led in [card.suit for card in hand]:
        return "FOLLOW_SUIT", "you hold a card of the suit led: play it"
    return None


def turn_up(table: Table[Any], chooser: Seat | None) -> int:
    """A card that lies face down for the trump, now shown, goes back to its hand.

    Returns how many cards of the trick have been played: those behind them cut.
    """
    table.sweep("trump_card", to="hand", to_seat=chooser)
    return table.count("trick")
