"""A million decks: no card is likelier at a place, nor behind another card, nor where it lay in the deck before.

Each statistic is held to a p of 1 in 10 000; the secret is fixed, so a run says the same on every machine.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import sha256
from math import erfc, sqrt

import pytest

from chautari.cards import pack
from chautari.cli import verify_shuffles
from chautari.engine import FairStream
from chautari.engine.shuffles import STREAM_DOMAIN, framed, framed_number

SEED = 14_2026
CARDS = 52
_AT_ONCE = 5_000


def p_value(statistic: float, freedom: int) -> float:
    """How often chi-square of so many degrees of freedom is larger: Wilson and Hilferty, good from thirty on."""
    spread = 2 / (9 * freedom)
    return 0.5 * erfc(((statistic / freedom) ** (1 / 3) - 1 + spread) / sqrt(2 * spread))


def chi_square(seen: Counter[int], cells: int) -> float:
    """Of counts in so many cells, each of which is as likely as any other."""
    expected = seen.total() / cells
    return sum((count - expected) ** 2 / expected for count in seen.values()) + (cells - len(seen)) * expected


def decks(count: int, seed: int) -> Iterator[list[bytes]]:
    """Shuffled decks, a card a byte, some thousands at a time; each match shuffles fifty times."""
    numbers = {card: number for number, card in enumerate(pack())}
    chance, some = random.Random(seed), list[bytes]()
    cards = pack()
    for match in range(count // 50):
        fair = FairStream(
            match=f"m{match}", game="bluff", version=1, secret=chance.randbytes(32),
            contributions=[chance.randbytes(16), None],
        )  # fmt: skip
        some += [bytes(map(numbers.__getitem__, fair(cards))) for _ in range(50)]
        if len(some) >= _AT_ONCE:
            yield some
            some = []
    yield some


def p_values(count: int, seed: int) -> dict[str, float]:
    """How likely it is that fair decks look less even than these, by what is looked at."""
    places = [Counter[int]() for _ in range(CARDS)]
    behind, before, above = Counter[int](), Counter[int](), Counter[bool]()
    for some in decks(count, seed):
        lying = b"".join(some)
        for place in range(CARDS):
            places[place].update(lying[place::CARDS])
        for place in (0, 17, 34):  # pairs far apart, which do not hang together
            behind.update(map(_pair, lying[place::CARDS], lying[place + 1 :: CARDS]))
        before.update(map(_pair, lying[0::CARDS], lying[CARDS::CARDS]))
        above.update(map(int.__lt__, lying[0::CARDS], lying[51::CARDS]))
    # Each card is at one place of each deck, so the squares have a mean of 52 × 51, that of 51 × 51 degrees × 52 / 51.
    at_places = sum(chi_square(seen, CARDS) for seen in places) * (CARDS - 1) / CARDS
    pairs = CARDS * (CARDS - 1)
    return {
        "card by place": p_value(at_places, (CARDS - 1) ** 2),
        "card behind card": p_value(chi_square(behind, pairs), pairs - 1),
        "first card by the one of the deck before": p_value(chi_square(before, CARDS**2), CARDS**2 - 1),
        "first above last": erfc(abs(above[True] - above.total() / 2) / sqrt(above.total() / 2)),
    }


def _pair(first: int, second: int) -> int:
    return first * CARDS + second


def agree(count: int, seed: int) -> None:
    """The file that a sceptic reads makes the same orders."""
    chance, cards = random.Random(seed), pack()
    texts: list[str] = [card.text for card in cards]
    for _ in range(count):
        secret, own = chance.randbytes(32), [chance.choice([None, chance.randbytes(20)]) for _ in range(4)]
        number = chance.randrange(40)
        fair = FairStream(match="m", game="bluff", version=1, secret=secret, contributions=own, used=number)
        parts = [STREAM_DOMAIN.encode(), b"m", b"bluff", b"1"]
        given = [verify_shuffles.contribution(one or b"", secret, seat) for seat, one in enumerate(own)]
        seed_bytes = framed(parts) + framed_number(number) + framed_number(CARDS) + framed([secret, *given])
        assert [card.text for card in fair(cards)] == verify_shuffles.shuffled(texts, seed_bytes)


def test_p_values_are_those_of_the_tables() -> None:
    assert p_value(124.342, 100) == pytest.approx(0.05, rel=0.02)
    assert p_value(149.449, 100) == pytest.approx(0.001, rel=0.02)
    assert p_value(61.098, 100) == pytest.approx(0.9993, rel=0.001)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda deck: deck if deck[0] else deck[1:] + deck[:1],  # one card in fifty-two is never first
        lambda deck: deck if sha256(deck).digest()[0] < 240 else bytes(sorted(deck[:26])) + deck[26:],
    ],
    ids=["first card", "order"],
)
def test_a_bias_is_found(spoil: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    fair = decks
    monkeypatch.setattr(
        "tests.engine.test_shuffle_statistics.decks",
        lambda count, seed: ([spoil(deck) for deck in some] for some in fair(count, seed)),
    )
    assert min(p_values(30_000, SEED).values()) < 1e-6


def test_decks_are_even_and_the_verifier_agrees() -> None:
    found = p_values(20_000, SEED)
    print(f"seed {SEED}: {found}")
    assert min(found.values()) > 1e-4
    agree(300, SEED)


@pytest.mark.soak(day=1, night=100)
@pytest.mark.timeout(36_000)
def test_millions_of_decks_are_even_and_the_verifier_agrees(parts: int) -> None:
    """All parts together: the more decks, the smaller a bias is found."""
    found = p_values(parts * 1_000_000, SEED + 1)
    print(f"{parts} 000 000 decks, seed {SEED + 1}: p {found}")
    assert min(found.values()) > 1e-4
    agree(20_000, SEED + 1)
