"""What the whole run has in common: at its end, the time that each room took beside its budget."""

import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# What a property is tried on is the same on every machine, and how long that takes is asserted nowhere.
settings.register_profile("anywhere", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("anywhere")

_ROOMS = Path(__file__).parent
_times: defaultdict[str, float] = defaultdict(float)


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
