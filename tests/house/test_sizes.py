"""The parts of a long test at either size."""

import subprocess
import sys
from pathlib import Path

from tests.parts import parts_of

ROOT = Path(__file__).parents[2]
KILLS = "tests/e2e/test_kill.py::test_five_kills_on_sqlite"


def test_the_parts_of_a_day_are_the_first_of_a_night() -> None:
    assert [*parts_of("day", day=2, night=4)] == [1, 2]
    assert [*parts_of("night", day=2, night=4)] == [1, 2, 3, 4]
    assert [*parts_of("night", day=2)] == [1, 2]


def test_a_night_is_one_word_more() -> None:
    command = [sys.executable, "-m", "pytest", "-n0", "-q", "--collect-only", "-m", "soak", "--size=night", KILLS]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    tests = [line for line in run.stdout.splitlines() if line.startswith(KILLS)]
    assert tests == [f"{KILLS}[{part}-{tables}]" for part in range(1, 51) for tables in (1, 4)]
