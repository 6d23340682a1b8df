"""Playing cards: one object for each face, in the card order, and their text form.

The card order is the one of the rule specs: suits C D H S, within a suit A 2 … T J Q K, jokers last. A `Card` is an
int that numbers the faces in that order, so cards sort, compare and pack into bytes as ints do. Copies of a card from
several packs are the same object: nothing can tell them apart.
"""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Final, Literal, NewType, Self, cast, get_args

Suit = Literal["C", "D", "H", "S"]
Rank = Literal["A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K"]
CardText = NewType("CardText", str)
"""A card as facts hold it: its text, `7H`."""

SUITS: Final[tuple[Suit, ...]] = get_args(Suit)
RANKS: Final[tuple[Rank, ...]] = get_args(Rank)


class Card(int):
    """One face. Take them from `card()`, `cards()` or `pack()`; never make one.

    text    `7H`, `XX` (a printed joker) or `??` (unseen)
    rank    one of `RANKS`; of a joker `X` and of an unseen card `?`, of which no rule should need to know
    suit    one of `SUITS`; likewise
    low     1 … 13 with the ace low; 0 of a joker
    high    2 … 14 with the ace high; 0 of a joker
    red     whether it is of diamonds or hearts
    """

    text: CardText
    rank: Rank
    suit: Suit
    low: int
    high: int
    red: bool

    def __new__(cls, number: int, rank: str, suit: str) -> Self:
        self = super().__new__(cls, number)
        self.text = CardText(rank + suit)
        self.rank, self.suit = cast(Rank, rank), cast(Suit, suit)
        self.low = RANKS.index(rank) + 1 if rank in RANKS else 0
        self.high = 14 if self.low == 1 else self.low
        self.red = suit in ("D", "H")
        return self

    def __repr__(self) -> str:
        return self.text

    __str__ = __repr__

    def __bool__(self) -> bool:
        return True  # also the ace of clubs, whose number is 0

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return ALL_CARDS.__getitem__, (int(self),)


ALL_CARDS: Final[tuple[Card, ...]] = (
    *(Card(number, rank, suit) for number, (suit, rank) in enumerate((s, r) for s in SUITS for r in RANKS)),
    Card(52, "X", "X"),
    Card(53, "?", "?"),
)
"""Every face by its number: 52 cards, the joker, and the unseen card."""

JOKER: Final = ALL_CARDS[52]
UNSEEN: Final = ALL_CARDS[53]

_BY_TEXT: Final[dict[str, Card]] = {card.text: card for card in ALL_CARDS}

_NAMED: Final[dict[str, Card]] = {card.text: card for card in ALL_CARDS if card is not UNSEEN}

find_card: Final[Callable[[str], Card | None]] = _NAMED.get
"""The card that this text names, or None where it names none. `??` names none."""


def card(text: str) -> Card:
    """The card `7H`, `XX` or `??`; ValueError where the text is none."""
    try:
        return _BY_TEXT[text]
    except KeyError:
        raise ValueError(f"{text!r} is no card: write a rank of A23456789TJQK and a suit of CDHS, or XX") from None


def cards(text: str) -> tuple[Card, ...]:
    """The cards of a list with single spaces, `7H TS AC`, in its order."""
    return tuple(card(word) for word in text.split())


def text(some: Iterable[Card]) -> str:
    """A list of cards as text, `7H TS AC`, in the order given."""
    return " ".join([card.text for card in some])


def unpack(faces: bytes) -> tuple[Card, ...]:
    """The cards whose numbers these bytes hold; `bytes(cards)` is the other way."""
    return tuple([ALL_CARDS[number] for number in faces])


@cache
def pack(packs: int = 1, jokers: int = 0) -> tuple[Card, ...]:
    """`packs` times the 52 cards and `jokers` printed jokers in all, in the card order."""
    return tuple(sorted(ALL_CARDS[:52] * packs)) + (JOKER,) * jokers
