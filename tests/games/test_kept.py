"""What a version of a game's rules writes stays: matches that were kept are played again, and nothing differs."""

from pathlib import Path
from typing import Final

import msgspec
import pytest

from chautari.games import GAMES, find_game
from tests.games import kept as keeping
from tests.games.kept import FILE, read, written

KEPT: Final = {key: [kept for kept in read() if kept.game == key] for key in GAMES}


@pytest.mark.parametrize("key", KEPT)
def test_a_version_of_the_rules_writes_what_it_wrote(key: str) -> None:
    """If not: give the game its next version, and run `python -m tests.games.kept`."""
    game = find_game(key)
    assert [kept.version for kept in KEPT[key]] == [game.version] * 2
    for kept in KEPT[key]:
        assert written(kept, game) == kept


def test_matches_are_kept_of_no_game_that_is_gone() -> None:
    assert {kept.game for kept in read()} == set(GAMES)


@pytest.mark.parametrize("part", ["events", "states"])
def test_what_is_written_in_another_form_is_noticed(monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    """Here a fact that is told by another name, and one more fact, which nothing is done with."""
    game, kept = find_game("bluff"), KEPT["bluff"][0]
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
    monkeypatch.setattr(keeping, "GAMES", {key: GAMES[key] for key in list(GAMES)[:2]})
    keeping.main()
    assert file.read_text().splitlines() == [*lines[:2], lines[3], lines[3]]
