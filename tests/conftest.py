"""What the whole run has in common: how long long tests are, and at its end the time of each room beside its budget."""

import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.parts import SIZES, parts_of

# What a property is tried on is the same on every machine, and how long that takes is asserted nowhere.
settings.register_profile("anywhere", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("anywhere")

pytest_plugins = ["tests.hanging"]

_ROOMS = Path(__file__).parent
_times: defaultdict[str, float] = defaultdict(float)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--size=night`, for `-m soak`."""
    parser.addoption("--size", choices=SIZES, default="day", help="how many parts the long tests have")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Runs a long test that takes a `part` once for each: as many as its `soak` mark says."""
    if (sizes := _sizes(metafunc.definition)) and "part" in metafunc.fixturenames:
        metafunc.parametrize("part", parts_of(metafunc.config.getoption("size"), **sizes))


@pytest.fixture
def parts(request: pytest.FixtureRequest) -> int:
    """How many parts there are, for a long test that makes them in one go."""
    return len(parts_of(request.config.getoption("size"), **_sizes(request.node)))


def _sizes(test: pytest.Item) -> dict[str, int]:
    """What the mark of a long test says: `day`, and `night` where that is more."""
    mark = test.get_closest_marker("soak")
    return {} if mark is None else {**mark.kwargs}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Counts the time of a test, its set-up and its end to its room."""
    parts = Path(report.nodeid.split("::")[0]).parts
    if len(parts) > 2 and parts[0] == _ROOMS.name:
        _times[parts[1]] += report.duration


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Prints the seconds of each room, which two workers share, beside the budget in `pyproject.toml`."""
    if not _times or hasattr(terminalreporter.config, "workerinput"):
        return
    budgets = tomllib.loads((_ROOMS.parent / "pyproject.toml").read_text())["tool"]["chautari"]["budgets"]
    terminalreporter.section("seconds by room")
    for room, seconds in sorted(_times.items()):
        budget = budgets.get(room)
        over = " over its budget" if budget is not None and seconds > budget else ""
        terminalreporter.write_line(f"{room:12} {seconds:7.1f} of {budget if budget is not None else '?'}{over}")
