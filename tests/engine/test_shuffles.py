"""The fair stream by its written algorithm, worked out here a second time, and what a shuffle may and may not give."""

import hashlib
import hmac
from collections import Counter
from collections.abc import Sequence
from itertools import permutations

import pytest

from chautari import engine
from chautari.cards import JOKER, UNSEEN, Card, cards, pack, text
from chautari.engine import FairStream, NotAPermutation, OutOfShuffles, Script, commitment
from chautari.engine.shuffles import permute
from chautari.games import find_game

SECRET = bytes(range(32))
FIRST = (
    "3C 8D 6D 3H 6S 2S 4D AC 2C JC QC TD 4C 7C 8S TC 7H 3S AD 4S KC JS 8H 6H QH TS "
    "7D 6C 4H 2D KS 5H 9S 9C JH 5D AS TH 5S JD KD 3D QD 9D AH 7S 2H 8C KH 5C 9H QS"
)
SECOND = "6C 3D 5S 4H 2C"
SETTINGS = {"players": 4, "muck": True, "deck": "full"}
COMMITMENT = "a7555b082a2a350bf6bf61e4e0450c5e82d30845d5390552ee58c478bfaed7fc"


def stream(
    contributions: Sequence[bytes | None] = (), *, used: int = 0, match: str = "m1", game: str = "bluff"
) -> FairStream:
    """The fair stream of a match."""
    return FairStream(match=match, game=game, version=1, secret=SECRET, contributions=contributions, used=used)


def fields(*parts: bytes) -> bytes:
    """Parts, each behind its length in four bytes."""
    joined = b""
    for part in parts:
        joined += bytes([0, 0, len(part) // 256, len(part) % 256]) + part
    return joined


def order_by_the_book(count: int, source: bytes) -> list[int]:
    """Fisher and Yates with rejection, from the words of the algorithm, over bytes that are long enough."""
    width = 2 if count > 256 else 1
    values = [int.from_bytes(source[at : at + width], "big") for at in range(0, len(source), width)]
    order = list(range(count))
    for k in range(count - 1, 0, -1):
        greatest = 256**width // (k + 1) * (k + 1)
        while values[0] >= greatest:
            values.pop(0)
        j = values.pop(0) % (k + 1)
        order[k], order[j] = order[j], order[k]
    return order


def by_the_book(number: int, given: Sequence[Card], contributions: Sequence[bytes | None]) -> list[Card]:
    """Shuffle `number` of the match of `stream`."""
    own = [
        part if part is not None else hmac.new(SECRET, b"absent" + str(seat).encode(), hashlib.sha256).digest()
        for seat, part in enumerate(contributions)
    ]
    numbers = (str(number).encode(), str(len(given)).encode())
    seed = fields(b"chautari shuffle 1", b"m1", b"bluff", b"1", *numbers, SECRET, *own)
    source = hashlib.shake_256(seed).digest(8 * len(given) + 64)
    return [given[place] for place in order_by_the_book(len(given), source)]


@pytest.mark.parametrize("contributions", [[], [None, None], [b"", b"dice", None, bytes(64)]])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 13, 52, 54, 104, 200, 256, 257, 416])
def test_the_stream_follows_the_written_algorithm(count: int, contributions: list[bytes | None]) -> None:
    given = pack(8, jokers=2)[:count]
    fair = stream(contributions)
    assert [list(fair(given)) for _ in range(12)] == [by_the_book(i, given, contributions) for i in range(12)]


def test_golden_vectors() -> None:
    """These never change: matches that were played must be found as they were."""
    fair = stream([None, b"dice"])
    assert text(fair(pack())) == FIRST
    assert text(fair(cards("2C 3D 4H 5S 6C"))) == SECOND
    assert commitment(match="m1", game="bluff", version=1, settings=SETTINGS, secret=SECRET).hex() == COMMITMENT


def test_the_commitment_is_the_hash_of_what_is_played_and_the_secret() -> None:
    agreed = (b"deck", b'"full"', b"muck", b"true", b"players", b"4")
    parts = fields(b"chautari commitment 2", b"m1", b"bluff", b"1", *agreed, SECRET)
    made = commitment(match="m1", game="bluff", version=1, settings=SETTINGS, secret=SECRET)
    assert made == hashlib.sha256(parts).digest()


def test_a_stream_goes_on_from_a_stored_count() -> None:
    whole, later = stream([b"a"]), stream([b"a"], used=2)
    outcomes = [whole(pack()) for _ in range(3)]
    assert later(pack()) == outcomes[2]
    assert (whole.used, later.used) == (3, 3)


def test_every_part_of_the_input_counts() -> None:
    streams = [
        stream([b"a", b"b"]),
        stream([b"b", b"a"]),
        stream([b"ab", b""]),
        stream([b"a", b"b", b""]),
        stream([b"a", None]),
        stream([b"a", b"b"], match="m1b", game="luff"),
        stream([b"a", b"b"], used=1),
    ]
    assert len({tuple(fair(pack())) for fair in streams}) == len(streams)


def test_a_value_that_would_make_a_bias_is_passed_over() -> None:
    """52 cards: 208 is the greatest multiple of 52 in a byte, so that a first byte from 208 on is not used."""
    seeds = (str(number).encode() for number in range(1000))
    seed = next(seed for seed in seeds if hashlib.shake_256(seed).digest(1)[0] >= 208)
    source = hashlib.shake_256(seed).digest(300)
    order = permute(pack(), seed)
    assert order == [pack()[place] for place in order_by_the_book(52, source[1:])]


def test_no_order_of_four_cards_is_likelier_than_another() -> None:
    """Chi-square over the 24 orders; 23 degrees of freedom exceed 58 once in ten thousand."""
    given, rounds = cards("2C 3D 4H 5S"), 4800
    fair = stream()
    seen = Counter(tuple(fair(given)) for _ in range(rounds))
    expected = rounds / 24
    assert sum((seen[order] - expected) ** 2 / expected for order in permutations(given)) < 58


def test_no_card_of_a_pack_is_likelier_at_a_place() -> None:
    """Chi-square over card and place: 51 × 51 degrees of freedom have a mean of 2601 and a deviation of 72."""
    rounds, fair = 2000, stream()
    seen = Counter((place, card) for _ in range(rounds) for place, card in enumerate(fair(pack())))
    expected = rounds / 52
    chi_square = sum((seen[place, card] - expected) ** 2 / expected for place in range(52) for card in pack())
    assert abs(chi_square - 2601) < 4 * 72


def test_a_script_gives_what_is_written_and_no_more() -> None:
    script = Script([cards("3D 2C"), cards("AS KH")])
    ahead = script.copy()
    assert [script(cards("2C 3D")), script(())] == [cards("3D 2C"), cards("AS KH")]
    assert (script.used, ahead.used) == (2, 0)
    assert ahead(()) == cards("3D 2C")
    with pytest.raises(OutOfShuffles, match="number 3 is wanted"):
        script(cards("2C"))


@pytest.mark.parametrize(
    "outcome",
    [(), pack()[1:], (*pack(), pack()[0]), (*pack()[1:], pack()[1]), (*pack()[1:], JOKER), (*pack()[1:], UNSEEN)],
    ids=["nothing", "one missing", "one twice", "another in its place", "a joker", "an unseen card"],
)
def test_what_is_no_permutation_is_refused(outcome: Sequence[Card]) -> None:
    game = find_game("jutpatti")
    with pytest.raises(NotAPermutation, match="no permutation of the 52 cards shuffled"):
        engine.begin(game, game.read_settings({}), Script([outcome]))
