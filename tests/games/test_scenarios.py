"""Scenario files: those that came with the specs, which stay as they are, and our own golden games."""

from pathlib import Path

import pytest
import yaml

from chautari.cli.scenarios import check_file
from chautari.games import GAMES

GIVEN = Path(__file__).parents[1] / "scenarios"
OWN = Path(__file__).parent / "scripts"

FILES = sorted([*GIVEN.rglob("*.yaml"), *OWN.rglob("*.yaml")])


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_scenario_holds(path: Path) -> None:
    assert check_file(path) == []


@pytest.mark.parametrize("key", GAMES)
def test_every_game_has_scenarios_and_a_whole_match_among_them(key: str) -> None:
    own = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in FILES if path.parent.name == key]
    assert own
    assert any("result" in scenario for scenario in own)


def test_every_scenario_is_of_a_game_of_its_folder_and_says_what_it_is_about() -> None:
    for path in FILES:
        scenario = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert scenario["game"] == path.parent.name, path
        assert scenario["about"].endswith("."), path
        assert path.parent.parent != OWN or scenario["source"], path
