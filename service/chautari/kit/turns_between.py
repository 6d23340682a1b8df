"""Turns of betting on a card between two others: as a record tells them, and as few bytes until it is written."""

from collections.abc import Iterator
from typing import Final, Literal, get_args

from msgspec.structs import astuple

from chautari.cards import UNSEEN, CardText, cards, text, unpack
from chautari.engine import Record, Seat
from chautari.kit.varints import pack_numbers, unpack_numbers

Outcome = Literal["won", "lost", "post", "passed", "bonus", "pair", "neighbours"]
Called = Literal["high", "low"]
"""What an ace was called."""
Side = Literal["higher", "lower"]
"""What a bet on a pair is on."""

_OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)
_CALLS: Final[tuple[Called | None, ...]] = (None, *get_args(Called))
_SIDES: Final[tuple[Side | None, ...]] = (None, *get_args(Side))
_GAINS: Final = frozenset(("won", "bonus"))
"""Outcomes that bring the seat chips; the others cost it some, or none."""
_NUMBERS: Final = 7
"""How many numbers a turn is packed into."""


class TurnRecord(Record, frozen=True):
    """How one turn went: what was called of an ace, the side of a bet on a pair, and the change of the seat's chips."""

    seat: Seat
    posts: str
    call: Called | None
    side: Side | None
    bet: int
    third: CardText | None
    outcome: Outcome
    paid: int

    @property
    def line(self) -> str:
        """All of it in this order, `0 5H 9D - - 3 8C won 3`; a dash for what there is not."""
        return " ".join(["-" if word is None else str(word) for word in astuple(self)])


def pack_turn(turn: TurnRecord) -> bytes:
    """A turn in 7 bytes, 8 from a bet of 128 on, 9 from 16384 on, and one or two more where a seat paid more than that.

    In order: seat and outcome, call and side, the posts, the third card, the bet, and how much more than it was paid.
    """
    who = turn.seat * len(_OUTCOMES) + _OUTCOMES.index(turn.outcome)
    said = _CALLS.index(turn.call) * len(_SIDES) + _SIDES.index(turn.side)
    faces = cards(f"{turn.posts} {turn.third or UNSEEN}")
    return pack_numbers((who, said, *faces, turn.bet, abs(turn.paid) - turn.bet))


def unpack_turns(packed: bytes) -> Iterator[TurnRecord]:
    """The turns that were packed one behind the other; ValueError where the last one is cut off."""
    numbers = unpack_numbers(packed)
    for who, said, first, second, third, bet, more in zip(*[numbers] * _NUMBERS, strict=True):
        seat, outcome = divmod(who, len(_OUTCOMES))
        call, side = divmod(said, len(_SIDES))
        *posts, turned = unpack(bytes((first, second, third)))
        went, chips = _OUTCOMES[outcome], bet + more
        yield TurnRecord(
            seat, text(posts), _CALLS[call], _SIDES[side], bet, None if turned is UNSEEN else turned.text, went,
            chips if went in _GAINS else -chips,
        )  # fmt: skip
