"""The measures of the engine measure something; how much is not for a test."""

import json

import pytest

from chautari.cli import bench
from chautari.cli.bench import run_bench
from chautari.cli.bench_engine import bench_engine, bench_state


def test_an_action_and_a_state_cost_something() -> None:
    assert bench_engine("gulam_chor", seconds=0) > 0
    cost = bench_state("gulam_chor", seconds=0)
    assert cost.encode > 0
    assert cost.decode > 0
    assert cost.copy > 0
    assert 50 < cost.bytes < 4096


def test_it_is_told_what_is_measured_now_and_beside_the_figures(capsys: pytest.CaptureFixture[str]) -> None:
    run_bench(["engine.bluff", "state.bluff.bytes"], as_json=True, seconds=0, measure=lambda *_: [])
    told = capsys.readouterr()
    assert told.err.splitlines() == ["engine.bluff …", "state.bluff …"]
    assert [figure["name"] for figure in json.loads(told.out)] == ["engine.bluff", "state.bluff.bytes"]


def test_what_cannot_be_measured_is_told_and_costs_no_other_figure(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(key: str, seconds: float) -> None:
        raise RuntimeError("too busy")

    monkeypatch.setattr(bench, "bench_engine", fails)
    with pytest.raises(SystemExit) as ended:
        run_bench(["engine.bluff", "state.bluff.bytes"], as_json=True, seconds=0, measure=lambda *_: [])
    told = capsys.readouterr()
    assert ended.value.code == 1
    assert "engine.bluff cannot be measured: too busy" in told.err
    assert [figure["name"] for figure in json.loads(told.out)] == ["state.bluff.bytes"]
