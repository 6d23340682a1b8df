"""Where chance comes from: a script, the fair stream, or the journal. Each is a `Shuffle`.

The fair stream: shuffle i of a match (counted from 0 across all its hands) orders n cards, given in the card order, by
Fisher and Yates: for k from n−1 down to 1, the cards at k and at j change places, j uniform in 0 … k. Each j comes
from the bytes of SHAKE-256 over the shuffle's input: one byte at a time (two, high byte first, where n > 256); a value
of at least the greatest multiple of k+1 that fits is passed over (rejection, never a remainder with a bias), else j is
its remainder modulo k+1.

The input: the texts and bytes of (domain, match, game, rules version, i, n, secret, contributions…), each preceded
by its length as four bytes, high byte first; numbers are written in decimal. The contribution of a seat that gave none
is HMAC-SHA-256(secret, "absent" ‖ seat).

The commitment is SHA-256 over (domain, match, game, rules version, then for each setting in the order of the names its
name and its value as JSON writes it, secret) so written: what a table has agreed on is fixed with its cards.
"""

import hmac
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256, shake_256
from struct import unpack
from typing import Any, Final, Protocol, TypeVar

from chautari.cards import Card

T = TypeVar("T")

STREAM_DOMAIN: Final = "chautari shuffle 1"
SEATING_DOMAIN: Final = "chautari seating 1"
COMMITMENT_DOMAIN: Final = "chautari commitment 2"


class Shuffle(Protocol):
    """Where chance comes from: it orders cards, which it is given in the card order."""

    def __call__(self, cards: tuple[Card, ...], /) -> Sequence[Card]:
        """The outcome, first card first: a permutation of `cards`."""
        ...


class NotAPermutation(ValueError):
    """A shuffle gave other cards than it was given: a fault of its script or journal, never of a player."""

    def __init__(self, given: Sequence[Card], outcome: Sequence[Card]) -> None:
        missing, extra = list(given), []
        for card in outcome:
            if card in missing:
                missing.remove(card)
            else:
                extra.append(card)
        super().__init__(
            f"the outcome of a shuffle is no permutation of the {len(given)} cards shuffled: "
            f"missing {' '.join(map(str, missing)) or 'none'}, not among them {' '.join(map(str, extra)) or 'none'}"
        )


class OutOfShuffles(LookupError):
    """A script or a journal has no further outcome."""


class Script:
    """Outcomes written beforehand, one for each shuffle; a scenario file's, or a journal's in a replay."""

    def __init__(self, outcomes: Iterable[Sequence[Card]]) -> None:
        self._outcomes = [tuple(outcome) for outcome in outcomes]
        self.used = 0

    def __call__(self, cards: tuple[Card, ...], /) -> Sequence[Card]:
        """The next outcome as written; the engine checks that it is a permutation."""
        if self.used == len(self._outcomes):
            raise OutOfShuffles(f"shuffle number {self.used + 1} is wanted ({len(cards)} cards), none is left")
        self.used += 1
        return self._outcomes[self.used - 1]

    def copy(self) -> "Script":
        """A script that goes on from here without using this one up."""
        copy = Script(())
        copy._outcomes, copy.used = self._outcomes, self.used
        return copy


class FairStream:
    """The fair shuffles of one match. `used` counts those drawn so far; go on from a stored count."""

    def __init__(
        self, *, match: str, game: str, version: int, secret: bytes, contributions: Sequence[bytes | None],
        used: int = 0,
    ) -> None:  # fmt: skip
        self.used = used
        self._before = framed([STREAM_DOMAIN.encode(), match.encode(), game.encode(), b"%d" % version])
        given = [absent(secret, seat) if own is None else own for seat, own in enumerate(contributions)]
        self._after = framed([secret, *given])

    def __call__(self, cards: tuple[Card, ...], /) -> Sequence[Card]:
        """The outcome of shuffle number `used`."""
        number, count = self.used, len(cards)
        self.used += 1
        return permute(cards, self._before + framed_number(number) + framed_number(count) + self._after)

    def resumed(self, used: int) -> "FairStream":
        """The same stream, going on behind `used` shuffles; this one stays where it is."""
        other = FairStream.__new__(FairStream)
        other._before, other._after, other.used = self._before, self._after, used
        return other


def permute(cards: Sequence[T], seed: bytes) -> list[T]:
    """Orders the cards, or whatever they are, by the stream of this input."""
    order = list(cards)
    left = len(order)
    if left < 2:
        return order
    if left > 256:
        return _permute_many(order, seed)
    stream, read, size = shake_256(seed), 0, left + 32
    while True:
        for value in stream.digest(size)[read:]:
            j = _REMAINDERS[left][value]
            if j < left:
                left -= 1
                order[left], order[j] = order[j], order[left]
                if left == 1:
                    return order
        read, size = size, 2 * size


def _permute_many(order: list[T], seed: bytes) -> list[T]:
    """Orders more than 256 cards, for which two bytes are drawn at a time."""
    left = len(order)
    stream, read, size = shake_256(seed), 0, 2 * (left + 32)
    while True:
        drawn = stream.digest(size)[read:]
        for value in unpack(f">{len(drawn) // 2}H", drawn):
            if value < 65536 - 65536 % left:
                j = value % left
                left -= 1
                order[left], order[j] = order[j], order[left]
                if left == 1:
                    return order
        read, size = size, 2 * size


def draw_seats(
    *, match: str, game: str, version: int, secret: bytes, contributions: Sequence[bytes | None]
) -> tuple[int, ...]:  # fmt: skip
    """The lot for the seats of a match, just before its start: for each seat, the one on which its account sat before.

    It is the order of the numbers of the seats by the same stream, whose input is (domain, match, game, rules version,
    n, secret, contributions…): these in the order of the seats before the lot.
    """
    head = framed([SEATING_DOMAIN.encode(), match.encode(), game.encode(), b"%d" % version])
    given = [absent(secret, seat) if own is None else own for seat, own in enumerate(contributions)]
    count = len(contributions)
    return tuple(permute(range(count), head + framed_number(count) + framed([secret, *given])))


_REMAINDERS: Final = [b"", *((bytes(range(n)) * (256 // n)).ljust(256, b"\xff") for n in range(1, 257))]
"""By n and a byte, the remainder of the byte modulo n; 255, which is none, where the byte is to be passed over."""


def commitment(*, match: str, game: str, version: int, settings: Mapping[str, Any], secret: bytes) -> bytes:
    """What is published of a secret, and of what is played with it, before anyone sits down: 32 bytes."""
    agreed = [part.encode() for name in sorted(settings) for part in (name, json.dumps(settings[name]))]
    parts = [COMMITMENT_DOMAIN.encode(), match.encode(), game.encode(), b"%d" % version, *agreed, secret]
    return sha256(framed(parts)).digest()


def absent(secret: bytes, seat: int) -> bytes:
    """The fixed contribution of a seat that gave none."""
    return hmac.digest(secret, b"absent%d" % seat, "sha256")


@lru_cache(maxsize=4096)
def framed_number(number: int) -> bytes:
    """A number as a part."""
    return framed([b"%d" % number])


def framed(parts: Iterable[bytes]) -> bytes:
    """The parts one after another, each preceded by its length as four bytes, so that no two lists read the same."""
    return b"".join([len(part).to_bytes(4, "big") + part for part in parts])
