"""What a version of a game's rules writes stays: matches that were kept are played again, and nothing differs."""

from pathlib import Path
from typing import Final

import msgspec
import pytest

from chautari.games import RULES, find_game
from tests.games import kept as keeping
from tests.games.kept import FILE, read, written

KEPT: Final = {rules: [kept for kept in read() if (kept.game, kept.version) == rules] for rules in RULES}


@pytest.mark.parametrize("rules", KEPT, ids=lambda rules: f"{rules[0]}-{rules[1]}")
def test_a_version_of_the_rules_writes_what_it_wrote(rules: tuple[str, int]) -> None:
    """If not: give the game its next version, put the rules of before into `games/old`, and run
    `python -m tests.games.kept`."""
    assert len(KEPT[rules]) == 2
    for kept in KEPT[rules]:
        assert written(kept, RULES[rules]) == kept


def test_matches_are_kept_of_no_game_that_is_gone() -> None:
    assert {(kept.game, kept.version) for kept in read()} == set(RULES)


@pytest.mark.parametrize("part", ["events", "states"])
def test_what_is_written_in_another_form_is_noticed(monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    """Here a fact that is told by another name, and one more fact, which nothing is done with."""
    game = find_game("bluff")
    kept = KEPT["bluff", game.version][0]
    if part == "events":
        monkeypatch.setattr(game, "tellings", tuple((f"said_{name}", *how) for name, *how in game.tellings))
    else:
        longer = msgspec.defstruct("Longer", [("more", int, 0)], bases=(game.facts,))
        opening = game.opening
        monkeypatch.setattr(game, "opening", lambda settings: longer(**msgspec.structs.asdict(opening(settings))))
    found = written(kept, game)
    assert [name for name in ("events", "states") if getattr(found, name) != getattr(kept, name)] == [part]


def test_what_is_kept_stays_until_its_rules_have_another_version(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lines = FILE.read_text().splitlines()[:4]
    file = tmp_path / "kept.jsonl"
    file.write_text("\n".join(lines).replace('"version": 1', '"version": 0', 2).replace(lines[2], lines[3]))
    monkeypatch.setattr(keeping, "FILE", file)
    monkeypatch.setattr(keeping, "RULES", {rules: RULES[rules] for rules in list(RULES)[:2]})
    keeping.main()
    assert file.read_text().splitlines() == [*lines[:2], lines[3], lines[3]]
