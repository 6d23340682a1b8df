"""Where chance comes from: a script, the fair stream, or the journal. Each is a `Shuffle`.

The fair stream: shuffle i of a match (counted from 0 across all its hands) orders n cards, given in the card order, by
Fisher and Yates: for k from n−1 down to 1, the cards at k and at j change places, j uniform in 0 … k. Each j comes
from the bytes of SHAKE-256 over the shuffle's input: one byte at a time (two, high byte first, where n > 256); a value
of at least the greatest multiple of k+1 that fits is passed over (rejection, never a remainder with a bias), else j is
its remainder modulo k+1.

The input: the texts and bytes of (domain, match, game, rules version, i, n, secret, contributions…), each preceded
by its length as four bytes, high byte first; numbers are written in decimal. The contribution of a seat that gave none
is HMAC-SHA-256(secret, "absent" ‖ seat). The commitment is SHA-256 over (domain, match, secret) so written.
"""

import hmac
from collections.abc import Iterable, Sequence
from hashlib import sha256, shake_256
from typing import Final

from chautari.cards import Card

STREAM_DOMAIN: Final = "chautari shuffle 1"
COMMITMENT_DOMAIN: Final = "chautari commitment 1"
SECRET_BYTES: Final = 32


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
        self._secret = secret
        self._before = [STREAM_DOMAIN.encode(), match.encode(), game.encode(), b"%d" % version]
        self._after = [absent(secret, seat) if given is None else given for seat, given in enumerate(contributions)]

    def __call__(self, cards: tuple[Card, ...], /) -> Sequence[Card]:
        """The outcome of shuffle number `used`."""
        count = len(cards)
        parts = [*self._before, b"%d" % self.used, b"%d" % count, self._secret, *self._after]
        self.used += 1
        return permute(cards, framed(parts))


def permute(cards: Sequence[Card], seed: bytes) -> list[Card]:
    """Orders the cards by the stream of this input."""
    order = list(cards)
    count = len(order)
    width = 1 if count <= 256 else 2
    size = 256**width
    stream = shake_256(seed)
    drawn = stream.digest(width * (count + 32))
    at = 0
    for k in range(count - 1, 0, -1):
        limit = size - size % (k + 1)
        while True:
            if at == len(drawn):
                drawn = stream.digest(2 * len(drawn))
            value = drawn[at] if width == 1 else drawn[at] << 8 | drawn[at + 1]
            at += width
            if value < limit:
                break
        j = value % (k + 1)
        order[k], order[j] = order[j], order[k]
    return order


def commitment(match: str, secret: bytes) -> bytes:
    """What is published of a secret before anyone sits down: 32 bytes."""
    return sha256(framed([COMMITMENT_DOMAIN.encode(), match.encode(), secret])).digest()


def absent(secret: bytes, seat: int) -> bytes:
    """The fixed contribution of a seat that gave none."""
    return hmac.digest(secret, b"absent%d" % seat, "sha256")


def framed(parts: Iterable[bytes]) -> bytes:
    """The parts one after another, each preceded by its length as four bytes, so that no two lists read the same."""
    return b"".join([len(part).to_bytes(4, "big") + part for part in parts])
