"""A state stays within 4 kB, however much a table agrees on and however long it plays."""

from collections.abc import Callable
from random import Random
from typing import Any, Final

import pytest

from chautari import engine
from chautari.engine import Position, Unreadable
from chautari.games import GAMES, find_game
from tests.games.matches import chance_of, largest_settings, play

STATE_BYTES: Final = 4096


@pytest.mark.parametrize("key", GAMES)
def test_no_state_of_a_match_on_the_largest_settings_is_larger(key: str) -> None:
    """A random match, or the first 1000 actions of a long one."""
    game = find_game(key)
    for moment in play(game, largest_settings(game), 1, 1000):
        assert len(engine.encode(moment.position)) <= STATE_BYTES


def nothing(low: int, high: int, random: Random) -> int:
    """Passes."""
    return 0


def the_least(low: int, high: int, random: Random) -> int:
    """The lowest bet."""
    return low


def a_part(low: int, high: int, random: Random) -> int:
    """Seldom all, else an eighth of it at most, or nothing: thousands from time to time, and most seats stay."""
    return random.choice((0, random.randint(low, max(low, high // random.choice((1, 8, 8, 8))))))


Amount = Callable[[int, int, Random], int]
"""How much is bet, from the limits; 0 to pass."""


def choose(position: Position[Any], amount: Amount, random: Random) -> str:
    """What the seat in turn does; the side of a bet on a pair and what an ace is called are chosen at random."""
    if position.phase == "ace":
        return random.choice(("call high", "call low"))
    low, high = position.facts.limits
    chips = amount(low, high, random)
    if not chips:
        return "pass"
    pair = len({card.rank for card in position.zones["posts"]}) == 1 and position.facts.ace != "low"
    return f"bet {random.choice(('higher', 'lower'))} {chips}" if pair else f"bet {chips}"


@pytest.mark.parametrize("ante", [5, 50])
@pytest.mark.parametrize("aces", ["high", "choice"])
@pytest.mark.parametrize("amount", [nothing, the_least, a_part])
def test_in_between_keeps_all_turns_of_its_longest_match(amount: Amount, aces: str, ante: int) -> None:
    """Eight seats, fifty rounds, and hardly anybody is out before the last: as many turns as there can be."""
    game, random, chance = find_game("in_between"), Random(1), chance_of(find_game("in_between"), 8, 1)
    given = {"players": 8, "rounds": 50, "chips": 10_000, "packs": 2, "aces": aces, "ante": ante, "neighbours": "lose"}
    position = engine.begin(game, game.read_settings(given), chance).position
    largest = 0
    while not position.is_over:
        largest = max(largest, len(engine.encode(position)))
        (seat,) = position.turn
        position = engine.act(position, seat, choose(position, amount, random), chance).position
    over = engine.encode(position)
    assert engine.decode(game, over) == position
    assert position.last_hand is not None
    assert position.last_hand.record["round"] == 50
    assert len(position.last_hand.record["turns"]) >= 350
    assert 2500 < max(largest, len(over)) <= STATE_BYTES


def test_a_state_whose_turns_are_cut_off_is_refused() -> None:
    """Of a match that is over, whose record is made of them."""
    game = find_game("in_between")
    over = [moment.position for moment in play(game, game.read_settings({"players": 2}), 1, 1000)][-1]
    over.facts.turns = over.facts.turns[:-1]
    with pytest.raises(Unreadable, match="damaged"):
        engine.decode(game, engine.encode(over))
