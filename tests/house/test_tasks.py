"""The checks of pyproject.toml, so that the one test command covers them."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.timeout(1200)  # `types` takes a minute without a cache, and machines are shared
@pytest.mark.parametrize("task", ["lint", "types", "imports", "protos"])
def test_task_finds_nothing(task: str) -> None:
    command = [sys.executable, "-m", "poethepoet", "-C", str(ROOT), task]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
