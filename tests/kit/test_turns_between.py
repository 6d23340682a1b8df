"""Turns of betting on a card between two others, packed and unpacked."""

from random import Random
from typing import Any, get_args

import pytest

from chautari.cards import pack, text
from chautari.kit.turns_between import Called, Outcome, Side, TurnRecord, pack_turn, unpack_turns


def turn(**fields: Any) -> TurnRecord:
    """Seat 0 has passed on 5H 9D, where no field says otherwise."""
    given = {"seat": 0, "posts": "5H 9D", "call": None, "side": None, "bet": 0, "third": None, "outcome": "passed",
             "paid": 0}  # fmt: skip
    return TurnRecord(**{**given, **fields})


def any_turn(random: Random) -> TurnRecord:
    """A turn of any seat, with any outcome."""
    outcome = random.choice(get_args(Outcome))
    bet = random.choice((0, 1, random.randrange(200), random.randrange(80_001)))
    chips = bet + random.choice((0, 0, 1, 2 * bet))
    *posts, third = random.choices(pack(), k=3)
    return turn(
        seat=random.randrange(8), posts=text(posts), call=random.choice((None, *get_args(Called))),
        side=random.choice((None, *get_args(Side))), bet=bet, third=random.choice((None, third.text)),
        outcome=outcome, paid=chips if outcome in ("won", "bonus") else -chips,
    )  # fmt: skip


def test_turns_are_unpacked_as_they_were_packed() -> None:
    random = Random(1)
    turns = [any_turn(random) for _ in range(5000)]
    assert list(unpack_turns(b"".join(map(pack_turn, turns)))) == turns


@pytest.mark.parametrize("outcome", get_args(Outcome))
@pytest.mark.parametrize("seat", [0, 7])
def test_each_outcome_of_each_seat(outcome: Outcome, seat: int) -> None:
    one = turn(seat=seat, outcome=outcome, paid=2 if outcome in ("won", "bonus") else -2)
    assert list(unpack_turns(pack_turn(one))) == [one]


@pytest.mark.parametrize(
    ("bet", "paid", "size"),
    [(0, 0, 7), (127, -127, 7), (128, -128, 8), (16_384, -16_384, 9), (100, -300, 8), (80_000, -80_000, 9)],
)
def test_a_turn_takes_few_bytes(bet: int, paid: int, size: int) -> None:
    """The largest of all: the last card and the last seat in every place."""
    outcome = "post" if bet else "neighbours"
    one = turn(seat=7, posts="KS KS", call="low", side="lower", bet=bet, third="KS", outcome=outcome, paid=paid)
    assert len(pack_turn(one)) == size
    assert list(unpack_turns(pack_turn(one))) == [one]


def test_the_line_of_a_turn_says_everything() -> None:
    assert turn().line == "0 5H 9D - - 0 - passed 0"
    lost = turn(seat=7, posts="AS AH", call="low", side="lower", bet=3, third="AC", outcome="lost", paid=-9)
    assert lost.line == "7 AS AH low lower 3 AC lost -9"


def test_none_are_no_bytes() -> None:
    assert list(unpack_turns(b"")) == []


def test_a_turn_that_is_cut_off_is_refused() -> None:
    """Behind a number, or within one."""
    for packed in (pack_turn(turn()), pack_turn(turn(bet=128, outcome="lost", third="2C", paid=-128))):
        for size in range(1, len(packed)):
            with pytest.raises(ValueError, match=r"shorter|cut off"):
                list(unpack_turns(packed[:size]))
