"""The checker of histories itself: it finds what is planted, and nothing in a history that is right."""

import random
from dataclasses import replace

import pytest

from tests.e2e.history import NEVER, Operation, Outcome, violations

A, B, C = b"a" * 16, b"b" * 16, b"c" * 16
Journal = dict[int, bytes]


def right() -> tuple[list[Operation], Journal]:
    """Three acts, some at once, and looks between them; revision 1 is nobody's request."""
    history = [
        Operation(0, 0.0, 1.0, A, Outcome.DONE, 2),
        Operation(1, 0.5, 2.0, B, Outcome.DONE, 3),  # at once with the one before
        Operation(2, 0.2, 0.9, revision=1, seen=b"one"),
        Operation(3, 0.2, 0.9, revision=2, seen=b"two"),
        Operation(2, 2.5, 3.0, revision=3, seen=b"three"),
        Operation(3, 3.5, 4.0, C, Outcome.DONE, 4),
        Operation(4, 4.1, 4.2, b"d" * 16, Outcome.REFUSED, 4),
    ]
    return history, {1: b"", 2: A, 3: B, 4: C}


def test_nothing_is_found_where_all_is_right() -> None:
    assert not violations(*right())


def test_an_act_without_an_answer_may_be_done_or_not_and_whenever() -> None:
    history, journal = right()
    lost = replace(history[5], outcome=Outcome.UNKNOWN, revision=None, ended=3.6)
    assert not violations([*history[:5], lost], journal)
    assert not violations([*history[:5], lost], {1: b"", 2: A, 3: B})
    late = Operation(9, 5.0, 6.0, revision=3, seen=b"three")  # it was not done yet
    assert not violations([*history[:5], lost, late], journal)


@pytest.mark.parametrize(
    ("number", "change", "found"),
    [
        (0, {"revision": 3}, "is not revision 3"),
        (0, {"outcome": Outcome.REFUSED, "revision": None}, "was refused, and is done"),
        (4, {"revision": 2, "seen": b"two"}, "the look of client 2 at revision 2 was called after"),
        (4, {"revision": 5, "seen": b""}, "revision 5, which there is not"),
        (2, {"called": 1.5, "ended": 1.6}, "the look of client 2 at revision 1 was called after the look of client 3"),
        (3, {"called": -1.0, "ended": -0.5}, "that made revision 2 was called after the look of client 3"),
        (6, {"revision": 3}, "the refusal of client 4 at revision 3 was called after"),
        (1, {"called": -2.0, "ended": -1.0}, "that made revision 2 was called after the act of client 1"),
    ],
)
def test_what_is_planted_is_found(number: int, change: dict[str, object], found: str) -> None:
    history, journal = right()
    history[number] = replace(history[number], **change)  # type: ignore[arg-type]  # any field
    assert any(found in line for line in violations(history, journal))


@pytest.mark.parametrize(
    ("journal", "found"),
    [
        ({1: b"", 2: A, 3: C}, f"act {B.hex()} is not revision 3"),
        ({1: b"", 2: A, 3: B, 4: C, 5: B}, f"act {B.hex()} is 2 times in the journal"),
        ({1: b"", 2: B, 3: A, 4: C}, f"act {A.hex()} is not revision 2"),
        ({1: b"", 2: A, 4: B, 5: C}, "the revisions of the journal are [1, 2, 4, 5]"),
        ({1: b"", 2: A, 3: B, 4: C, 5: b"x" * 16}, "is nobody's"),
    ],
)
def test_journals_that_lost_doubled_or_reordered_acts(journal: Journal, found: str) -> None:
    history, _ = right()
    assert any(found in line for line in violations(history, journal))


def test_one_revision_shows_everybody_the_same() -> None:
    history, journal = right()
    history.append(replace(history[4], client=7, seen=b"other"))
    assert violations(history, journal) == ["client 7 was shown another revision 3 than others"]


def test_two_acts_are_not_acknowledged_with_one_revision() -> None:
    history, journal = right()
    history[5] = replace(history[5], revision=3)
    assert "revision 3 was acknowledged to two acts" in violations(history, journal)


def made_up(chance: random.Random) -> tuple[list[Operation], Journal]:
    """A history of a register that is right: every operation takes effect at one moment between call and answer."""
    journal: Journal = {1: b""}
    history = []
    moments = sorted(chance.uniform(0, 10) for _ in range(60))
    for number, moment in enumerate(moments):
        called, ended = moment - chance.expovariate(2), moment + chance.expovariate(2)
        if chance.random() < 0.4:
            request = number.to_bytes(16)
            outcome = Outcome.DONE if chance.random() < 0.8 else Outcome.UNKNOWN
            journal[len(journal) + 1] = request
            revision = len(journal) if outcome is Outcome.DONE else None
            history.append(Operation(number, called, ended, request, outcome, revision))
        else:
            history.append(Operation(number, called, ended, revision=len(journal), seen=b"%d" % len(journal)))
    chance.shuffle(history)
    return history, journal


@pytest.mark.parametrize("seed", range(20))
def test_made_up_histories_are_right_until_a_look_comes_too_late(seed: int) -> None:
    history, journal = made_up(random.Random(seed))
    assert not violations(history, journal)
    last = max(operation.ended for operation in history)
    assert violations([*history, Operation(99, last + 1, last + 2, revision=len(journal) - 1)], journal) or not any(
        operation.outcome is Outcome.DONE and operation.revision == len(journal) for operation in history
    )
    assert not violations([*history, Operation(99, last + 1, NEVER, revision=len(journal))], journal)
