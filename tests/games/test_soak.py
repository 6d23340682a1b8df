"""Random matches of each game for long: `pytest -m soak tests/games/test_soak.py`. An ordinary run plays a few."""

import pytest

from chautari.games import GAMES
from tests.games.soak import ACTIONS, VIEW_BYTES, soak


@pytest.mark.soak(day=5, night=50)
@pytest.mark.parametrize("key", GAMES)
def test_random_matches_end_keep_their_cards_and_have_small_views(
    part: int, key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    soaked = soak(key, part)
    with capsys.disabled():
        print(f"\npart {part}: {soaked}", flush=True)
    assert soaked.actions >= ACTIONS
    assert soaked.view_bytes < VIEW_BYTES


@pytest.mark.parametrize("key", ["gulam_chor", "sequence"])
def test_a_soak_tells_what_it_saw(key: str) -> None:
    soaked = soak(key, actions=1_000)
    assert soaked.matches > 1
    assert soaked.actions >= 1_000
    assert 0 < soaked.longest <= soaked.actions
    assert 500 < soaked.view_bytes < VIEW_BYTES
    assert 100 < soaked.state_bytes < 4096
    assert str(soaked).startswith(key)
