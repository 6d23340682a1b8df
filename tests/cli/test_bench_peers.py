"""Other libraries are compared with where they are installed; how the comparison comes out is not for a test."""

from importlib.util import find_spec

import pytest

from chautari.cli.bench import run_bench
from chautari.cli.bench_peers import PEERS, bench_peer
from chautari.games import find_game


def test_both_sides_play() -> None:
    ours, theirs = bench_peer("pokerkit.six_handed", seconds=0)
    assert ours > 0
    assert theirs > 0


@pytest.mark.parametrize("name", PEERS)
def test_our_side_is_a_game_with_settings_that_it_takes(name: str) -> None:
    peer = PEERS[name]
    settings = find_game(peer.game).read_settings(peer.settings)
    assert settings.players in (1, 2, 6)


@pytest.mark.skipif(find_spec("rlcard") is not None, reason="it is installed here")
def test_a_library_that_is_missing_is_named_with_what_installs_it() -> None:
    with pytest.raises(SystemExit, match="rlcard is not installed: uv run --group bench"):
        run_bench(["peers.rlcard.uno"], as_json=True, seconds=0, measure=lambda *_: [])
