"""A test that hangs fails, whatever it hangs in and wherever in its life, and does not cost the run."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

HANGING = """
import asyncio, subprocess, sys, threading, time
import pytest

@pytest.fixture
def begins_never():
    threading.Event().wait()

@pytest.fixture
def ends_never():
    yield
    time.sleep(600)

@pytest.fixture
async def task_ends_never():
    yield
    await asyncio.Event().wait()

async def test_awaits():
    await asyncio.Event().wait()

def test_waits():
    threading.Event().wait()

def test_waits_for_a_process():
    subprocess.run([sys.executable, "-c", "import time; time.sleep(600)"])

def test_begins_never(begins_never):
    pass

def test_ends_never(ends_never):
    pass

async def test_task_ends_never(task_ends_never):
    pass

def test_fails_and_ends_never(ends_never):
    raise RuntimeError("this one fails by itself")

@pytest.mark.timeout(600)
def test_has_its_own_time():
    time.sleep(3)

@pytest.mark.soak
def test_has_long():
    time.sleep(3)
"""

STUBBORN = """
import time

def test_lets_nothing_through():
    while True:
        try:
            time.sleep(600)
        except BaseException:
            pass
"""


def run_of(text: str, folder: Path, worker_seconds: int) -> subprocess.CompletedProcess[str]:
    """A run of such tests by our settings, except that each has one second, and its worker so many."""
    planted = folder / "test_planted.py"
    planted.write_text(text)
    command: list[str | Path] = [
        *(sys.executable, "-m", "pytest", "-c", ROOT / "pyproject.toml", "--rootdir", folder, planted, "-m", ""),
        *("-p", "xdist", "-p", "asyncio", "-p", "timeout", "-p", "tests.hanging", "-p", "no:cacheprovider", "-rA"),
        *("-o", "timeout=1", "-o", f"faulthandler_timeout={worker_seconds}"),
    ]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT), "COLUMNS": "300"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_a_test_that_hangs_is_interrupted_and_others_go_on(tmp_path: Path) -> None:
    run = run_of(HANGING, tmp_path, 60)
    summary = re.findall(r"^(PASSED|FAILED|ERROR) test_planted\.py::(\w+)(?: - (.*))?$", run.stdout, re.MULTILINE)
    interrupted = {test for _, test, why in summary if why.startswith("Failed: Timeout")}
    ended = {test for _, test, _ in summary}
    assert ended == set(re.findall(r"def (test_\w+)", HANGING)), run.stdout + run.stderr
    assert interrupted == ended - {"test_has_its_own_time", "test_has_long"}, run.stdout
    assert "crashed" not in run.stdout


def test_one_that_cannot_be_interrupted_ends_the_run_and_is_told(tmp_path: Path) -> None:
    run = run_of(STUBBORN, tmp_path, 2)
    assert run.returncode == 1
    assert "crashed while running 'test_planted.py::test_lets_nothing_through'" in run.stdout, run.stdout + run.stderr
    assert "in test_lets_nothing_through" in run.stderr, "the stack says where it hangs"
