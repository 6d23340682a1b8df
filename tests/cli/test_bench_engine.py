"""The measures of the engine measure something; how much is not for a test."""

from chautari.cli.bench_engine import bench_engine, bench_state


def test_an_action_and_a_state_cost_something() -> None:
    assert bench_engine("gulam_chor", seconds=0) > 0
    cost = bench_state("gulam_chor", seconds=0)
    assert cost.encode > 0
    assert cost.decode > 0
    assert cost.copy > 0
    assert 50 < cost.bytes < 4096
