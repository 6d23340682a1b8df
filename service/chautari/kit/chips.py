"""Chips: what every betting game does with them in a hand, from the first payment to who cannot go on."""

from typing import Any, Protocol

from chautari.engine import Look, Seat
from chautari.kit.totals import add_to, set_at


class ChipFacts(Protocol):
    """What the table knows of chips, by seat where several seats pay into one pot.

    paid: in this hand; live: dealt in, and not given up; out: for good, since the hand `out_in`.
    """

    hand_no: int
    chips: tuple[int, ...]
    score: tuple[int, ...]
    pot: int
    paid: tuple[int, ...]
    live: tuple[bool, ...]
    out: tuple[bool, ...]
    out_in: tuple[int, ...]


def seats_in(look: Look[Any]) -> list[Seat]:
    """The seats that are not out."""
    return [seat for seat, out in enumerate(look.facts.out) if not out]


def seats_live(look: Look[Any]) -> list[Seat]:
    """The seats that were dealt in and have not given up the hand."""
    return [seat for seat, live in enumerate(look.facts.live) if live]


def begin_hand(facts: ChipFacts) -> None:
    """The next hand: nobody has paid, and everybody who is not out is live."""
    facts.hand_no += 1
    facts.live = tuple([not out for out in facts.out])
    facts.paid = (0,) * len(facts.out)
    facts.pot = 0


def pay(facts: ChipFacts, seat: Seat, amount: int) -> None:
    """Chips of a seat go into the pot."""
    facts.chips = add_to(facts.chips, seat, -amount)
    facts.score = add_to(facts.score, seat, -amount)
    facts.paid = add_to(facts.paid, seat, amount)
    facts.pot += amount


def give_up(facts: ChipFacts, seat: Seat) -> None:
    """The seat cannot win this hand any more."""
    facts.live = set_at(facts.live, seat, False)


def put_out(facts: ChipFacts, seat: Seat) -> None:
    """The seat is out for good, from this hand on."""
    facts.out = set_at(facts.out, seat, True)
    facts.out_in = set_at(facts.out_in, seat, facts.hand_no)
