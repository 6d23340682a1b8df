"""What a version of a game's rules writes stays: matches that were kept are played again, and nothing differs."""

from typing import Final

import pytest

from chautari.games import GAMES, find_game
from tests.games.kept import Kept, read, written

KEPT: Final = {key: [kept for kept in read() if kept.game == key] for key in GAMES}


@pytest.mark.parametrize("key", KEPT)
def test_a_version_of_the_rules_writes_what_it_wrote(key: str) -> None:
    """If not: give the game its next version, delete its lines, and run `python -m tests.games.kept`."""
    game = find_game(key)
    assert [kept.version for kept in KEPT[key]] == [game.version] * 2
    for kept in KEPT[key]:
        assert written(kept, game) == kept


def test_matches_are_kept_of_no_game_that_is_gone() -> None:
    assert {kept.game for kept in read()} == set(GAMES)


def test_what_is_written_in_another_way_is_noticed() -> None:
    one, other = KEPT["bluff"]
    game = find_game("bluff")
    fewer = Kept(one.game, one.version, {**one.settings, "lay_limit": 51}, one.seed, one.events, one.states, one.acts)
    assert written(fewer, game).states != one.states
    assert {one.events, one.states}.isdisjoint({other.events, other.states})
