"""The README's promises about its own commands."""

from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_ci_runs_the_test_command_of_the_readme() -> None:
    command = next(line for line in (ROOT / "README.md").read_text().splitlines() if line.endswith("uv run pytest"))
    assert (ROOT / ".ci/run").read_text().splitlines()[-1] == command
