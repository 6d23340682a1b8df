"""Kooli: the counters of Gulan Parish, and the ways of keeping them. Each function gives the new account.

An account of two teams ends in a slam: the losing team has nothing left to give (`split`), or is given the box
(`neutral`). Three players keep one each.
"""

from typing import NamedTuple

from chautari.kit.totals import add_to


def hand_over(kooli: tuple[int, ...], payer: int, payee: int, due: int) -> tuple[int, ...]:
    """The kooli after one has paid another what is due, at most what it has."""
    paid = min(due, kooli[payer])
    return add_to(add_to(kooli, payer, -paid), payee, paid)


class Signs(NamedTuple):
    """Cards that go to and fro as signs of kooli won.

    held: cards by team; neutral: cards that nobody has taken yet; box: the team that holds the box.
    """

    held: tuple[int, ...]
    neutral: int
    box: int | None


def win_signs(signs: Signs, winner: int, steps: int) -> tuple[Signs, bool]:
    """The signs after a team has won so many kooli, and whether that was a slam, which drops further steps."""
    held, neutral, box = signs
    loser = 1 - winner
    for _ in range(steps):
        if box != winner and (box is None or not held[winner]):
            held, neutral, box = add_to((0, 0), winner, sum(held) + neutral), 0, winner
        elif box == winner and not held[winner]:
            return Signs(held, neutral, loser), True
        held = hand_over(held, winner, loser, 1)
    return Signs(held, neutral, box), False


def take_from_all(kooli: tuple[int, ...], winner: int, due: int) -> tuple[int, ...]:
    """Each of the others pays the winner what is due, at most what it has."""
    for payer in range(len(kooli)):
        if payer != winner:
            kooli = hand_over(kooli, payer, winner, due)
    return kooli


def pay_to_all(kooli: tuple[int, ...], loser: int, due: int) -> tuple[int, ...]:
    """The loser pays each of the others, one at a time in turn, until all is paid or he has none."""
    for _ in range(due):
        for step in range(1, len(kooli)):
            kooli = hand_over(kooli, loser, (loser + step) % len(kooli), 1)
    return kooli
