"""Two thousand random matches of each game: `pytest -m soak -k 2000`. An ordinary run plays a few."""

import pytest

from chautari.games import GAMES
from tests.games.soak import MATCHES, VIEW_BYTES, soak


@pytest.mark.soak
@pytest.mark.parametrize("key", GAMES)
def test_2000_random_matches_end_keep_their_cards_and_have_small_views(
    key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    soaked = soak(key)
    with capsys.disabled():
        print(f"\n{soaked}", flush=True)
    assert soaked.matches == MATCHES
    assert soaked.view_bytes < VIEW_BYTES


@pytest.mark.parametrize("key", ["gulam_chor", "sequence"])
def test_a_soak_tells_what_it_saw(key: str) -> None:
    soaked = soak(key, matches=2)
    assert 0 < soaked.longest <= soaked.actions
    assert 500 < soaked.view_bytes < VIEW_BYTES
    assert 100 < soaked.state_bytes < 4096
    assert str(soaked).startswith(key)
