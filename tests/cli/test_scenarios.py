"""`chautari scenarios`: each way in which a file can be wrong is reported, and the last line and exit status say so."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from chautari.cli.app import Ties, make_app
from chautari.cli.scenarios import check_file, run_scenarios

SHUFFLE = (
    "2C 2D 3C 3D 4C 4D 5C 5D 7C 7D 6C AC AD AH AS 2H 2S 3H 3S 4H 4S 5H 5S 6D 6H 6S 7H 7S 8C 8D 8H 8S "
    "9C 9D 9H 9S TC TD TH TS JC JD JH JS QC QD QH QS KC KD KH KS"
)
"""Two seats with five cards each: pairs for nobody, 6C turned up, sevens the jokers, and AC the next card."""


def scenario(*steps: Any, **parts: Any) -> dict[str, Any]:
    """A scenario of Jutpatti for two seats with five cards; `parts` replace or add to it, None takes away."""
    whole = {
        "game": "jutpatti", "about": "A test.", "settings": {"players": 2, "cards": 5}, "shuffles": [SHUFFLE],
        "steps": list(steps), **parts,
    }  # fmt: skip
    return {name: part for name, part in whole.items() if part is not None}


@pytest.fixture
def check(tmp_path: Path) -> Any:
    """What is reported of a scenario, given as a mapping or as the text of its file."""

    def checked(content: object) -> list[str]:
        path = tmp_path / "some.yaml"
        path.write_text(content if isinstance(content, str) else yaml.safe_dump(content), encoding="utf-8")
        return check_file(path)

    return checked


# What holds ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "step",
    [
        {"do": "0 draw deck"},
        {"do": "  0   draw   deck "},
        {"allow": "0 draw deck"},
        {"refuse": "0 draw pile", "code": "RULE_BROKEN"},
        {"timeout": 0},
        {"timeout": 1},
        {"see": {"turn": [0], "phase": "draw", "deck": 41, "joker": "7", "taken": None, "score": [0, 0]}},
        {"see": {"hand.0": "7C 5C 4C 3C 2C", "turned": "6C", "pile": ""}},
        {"see": {"last_hand": None, "last_hand.winner": None}},
        {"view": {"seat": 0, "hand.0": "2C 3C 4C 5C 7C", "hand.1": 5, "deck": 41, "turn": [0]}},
        {"view": {"seat": None, "hand.0": 5, "turned": "6C"}},
        {"view": {"seat": 1, "hand.0": "?? ?? ?? ?? ??"}},
    ],
)
def test_a_step_that_holds(check: Any, step: dict[str, Any]) -> None:
    assert check(scenario(step)) == []


def test_more_shuffles_than_are_used_may_be_listed(check: Any) -> None:
    assert check(scenario(shuffles=[SHUFFLE, "2C"])) == []


def test_allow_changes_nothing(check: Any) -> None:
    assert check(scenario({"allow": "0 draw deck"}, {"see": {"phase": "draw", "deck": 41}})) == []


def test_a_time_out_of_a_seat_without_a_clock_does_nothing(check: Any) -> None:
    assert check(scenario({"timeout": 1}, {"see": {"turn": [0], "phase": "draw"}})) == []


def test_a_hand_is_compared_without_order_also_where_it_is_shown_in_order(check: Any) -> None:
    settings = {"players": 1, "packs": 1, "insurance": False}
    steps = [{"do": "0 bet 10"}, {"see": {"hand.0.1": "3C 2C", "house": "2D"}}]
    assert check({"game": "blackjack", "settings": settings, "shuffles": [SHUFFLE], "steps": steps}) == []


def test_settings_that_must_be_refused(check: Any) -> None:
    assert check({"game": "jutpatti", "settings": {"players": 9}, "error": "BAD_SETTING"}) == []


# What is reported ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("step", "says"),
    [
        ({"see": {"phase": "throw"}}, "phase must be 'throw', and is 'draw'"),
        ({"see": {"turn": [1]}}, "turn must be [1], and is [0]"),
        ({"see": {"deck": 40}}, "deck must hold 40 cards, and holds 41"),
        ({"see": {"hand.0": "2C 3C 4C 5C 8C"}}, "hand.0 must be"),
        ({"see": {"hand.0": "2C 3C 4C 5C"}}, "hand.0 must be"),
        ({"see": {"turned": "6D"}}, "turned must be"),
        ({"see": {"hand.0": "2C 3C 4C 5C 10H"}}, "is no card"),
        ({"see": {"joker": 7}}, "joker must be 7, and is '7'"),
        ({"see": {"runs": False}}, "runs must be False, and is 0"),
        ({"see": {"score": [0]}}, "score must be"),
        ({"see": {"hand.2": 5}}, "no zone or fact"),
        ({"see": {"hand": 5}}, "no zone or fact 'hand'"),
        ({"see": {"trump": "S"}}, "no zone or fact 'trump'"),
        ({"see": {"score.winner": 0}}, "no zone or fact"),
        ({"see": {None: 5}}, "no zone or fact None"),
        ({"view": {"seat": 0, 7: 5}}, "no zone or fact 7"),
        ({"see": 5}, "a step is"),
        ({"see": ["turn"]}, "a step is"),
        ({"view": {"seat": 1, "hand.0": "2C 3C 4C 5C 7C"}}, "hand.0 must be"),
        ({"view": {"hand.0": 5}}, "which seat"),
        ({"view": {"seat": 2}}, "no seat 2"),
        ({"view": {"seat": "0"}}, "no seat '0'"),
        ({"view": {"seat": 0, "phase": "throw"}}, "phase must be"),
        ({"view": 0}, "a step is"),
        ({"do": "0 throw 2C"}, "must be accepted: UNKNOWN_ACTION"),
        ({"do": "1 draw deck"}, "must be accepted: NOT_YOUR_TURN"),
        ({"do": "draw deck"}, "must be a seat and an action"),
        ({"do": "-1 draw deck"}, "must be a seat and an action"),
        ({"do": None}, "must be a seat and an action"),
        ({"do": "² draw deck"}, "must be a seat and an action"),
        ({"allow": "0 draw pile"}, "must be accepted: RULE_BROKEN"),
        ({"refuse": "0 draw pile", "code": "CARD_NOT_HELD"}, "is refused with RULE_BROKEN"),
        ({"refuse": "0 draw deck", "code": "RULE_BROKEN"}, "and is accepted"),
        ({"refuse": "0 draw pile"}, "a step is"),
        ({"do": "0 draw deck", "code": "RULE_BROKEN"}, "a step is"),
        ({"do": "0 draw deck", "see": {"phase": "throw"}}, "a step is"),
        ({"say": "0 draw deck"}, "a step is"),
        ({"timeout": "0"}, "a step is"),
        ({"timeout": None}, "a step is"),
        ({"timeout": 0, "see": {}}, "a step is"),
        ("0 draw deck", "a step is"),
        ({}, "a step is"),
    ],
)
def test_a_step_that_does_not_hold(check: Any, step: Any, says: str) -> None:
    (problem,) = check(scenario(step))
    assert problem.startswith("step 1: ")
    assert says in problem


def test_all_that_differs_in_one_step_is_reported(check: Any) -> None:
    problems = check(scenario({"see": {"phase": "throw", "turn": [1]}}))
    assert len(problems) == 2


def test_steps_are_numbered_from_1_and_an_action_that_fails_ends_the_file(check: Any) -> None:
    steps = [{"see": {"phase": "throw"}}, {"do": "0 throw 2C"}, {"see": {"phase": "throw"}}]
    assert [problem.split(":")[0] for problem in check(scenario(*steps))] == ["step 1", "step 2"]


@pytest.mark.parametrize(
    ("shuffles", "says"),
    [
        ([], "shuffle number 1 is wanted"),
        (None, "shuffle number 1 is wanted"),
        ([SHUFFLE.replace("KS", "KH")], "missing KS"),
        ([SHUFFLE.replace(" KS", "")], "missing KS"),
        ([SHUFFLE + " XX"], "not among them XX"),
        ([SHUFFLE.replace("KS", "1S")], "is no card"),
        (["2C"], "is no permutation"),
        ([5], "shuffles"),
        (5, "shuffles"),
    ],
)
def test_a_shuffle_that_is_missing_or_no_permutation(check: Any, shuffles: Any, says: str) -> None:
    (problem,) = check(scenario(shuffles=shuffles))
    assert problem.startswith("shuffles: ")
    assert says in problem


def test_a_shuffle_that_is_missing_later(check: Any) -> None:
    start = {"game": "gulam_chor", "about": "A test.", "shuffles": [_gulam()]}
    (problem,) = check({**start, "steps": [{"do": "0 take"}]})
    assert problem.startswith("step 1: ")
    assert "shuffle number 2 is wanted" in problem
    (problem,) = check({**start, "steps": [{"allow": "0 take"}]})
    assert "shuffle number 2 is wanted" in problem
    (problem,) = check({**start, "steps": [{"refuse": "0 take", "code": "RULE_BROKEN"}]})
    assert "is accepted" in problem
    (problem,) = check({**start, "steps": [{"timeout": 0}]})
    assert "shuffle number 2 is wanted" in problem


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ({"game": "snap"}, "there is no game 'snap'"),
        ({"game": None}, "game"),
        ({"setting": {}}, "no part called setting"),
        ({"settings": {"players": 9}}, "settings: refused with BAD_SETTING"),
        ({"settings": {"jacks": 9}}, "settings: refused with BAD_SETTING"),
        ({"settings": 5}, "settings"),
        ({"steps": 5}, "steps"),
        ({"error": "BAD_SETTING"}, "must be refused with BAD_SETTING, and are accepted"),
        ({"settings": {"players": 9}, "error": "RULE_BROKEN"}, "refused with BAD_SETTING"),
        ({"result": {"placing": [1, 2]}}, "the match must be over"),
    ],
)
def test_a_part_that_is_wrong(check: Any, parts: dict[str, Any], says: str) -> None:
    (problem,) = check(scenario(**parts))
    assert says in problem


@pytest.mark.parametrize(
    ("result", "problems"),
    [
        ({"placing": [1, 2], "score": [1, 0]}, 0),
        ({"placing": [2, 1], "score": [1, 0]}, 1),
        ({"placing": [2, 1], "score": [0, 1]}, 2),
        ({"placing": [1, 2]}, 0),
        ({"winner": 0}, 1),
        ([1, 2], 1),
    ],
)
def test_a_result_that_differs(check: Any, result: Any, problems: int) -> None:
    won = "2C 8D 2D 9D 3C TD 3D JD 4C QD 6C 4D"
    rest = [card for card in SHUFFLE.split() if card not in won.split()]
    content = scenario({"do": "0 draw deck"}, shuffles=[" ".join([won, *rest])], result=result)
    assert len(check(content)) == problems


@pytest.mark.parametrize("content", ["", "- a list", "just a text", "a: [unclosed", "\t", "game: [1]", "[" * 5000])
def test_a_file_that_is_no_scenario(check: Any, content: str) -> None:
    assert len(check(content)) == 1


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    assert len(check_file(tmp_path / "no such file.yaml")) == 1
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\x00")
    assert len(check_file(tmp_path / "bytes.yaml")) == 1


# The command ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file that holds, one that does not in a folder of its own, and one that is no scenario."""
    (tmp_path / "deep").mkdir()
    (tmp_path / "good.yaml").write_text(yaml.safe_dump(scenario({"do": "0 draw deck"})))
    (tmp_path / "deep/bad.yml").write_text(yaml.safe_dump(scenario({"do": "1 draw deck"})))
    (tmp_path / "notes.txt").write_text("no scenario")
    return tmp_path


def test_what_differs_is_printed_with_its_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_scenarios([folder]) == (1, 1)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{folder}/deep/bad.yml: step 1: ")
    assert lines[1:] == ["1 passed, 1 failed"]


def test_files_and_folders_may_be_named_together(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_scenarios([folder / "good.yaml", folder / "deep", folder / "none.yaml"]) == (1, 2)
    assert capsys.readouterr().out.splitlines()[-1] == "1 passed, 2 failed"


@pytest.mark.parametrize(
    ("name", "status", "last"), [("good.yaml", 0, "1 passed, 0 failed"), (".", 1, "1 passed, 1 failed")]
)
def test_the_exit_status_says_whether_all_hold(folder: Path, name: str, status: int, last: str) -> None:
    ran = CliRunner().invoke(make_app(_ties()), ["scenarios", str(folder / name)])
    assert (ran.exit_code, ran.stdout.splitlines()[-1]) == (status, last)


def _ties() -> Ties:
    """What the command needs of the other rooms: nothing."""

    def untied(*_: object) -> Any:
        raise AssertionError("scenarios need no server")

    lent: Any = untied
    return Ties(**{field.name: lent for field in fields(Ties)})


def _gulam() -> str:
    """A shuffle of Gulam Chor that leaves all four seats with cards."""
    lines = yaml.safe_load((Path(__file__).parents[1] / "scenarios/gulam_chor/90-whole-match-four.yaml").read_text())
    return str(lines["shuffles"][0])


def test_off_is_a_word_and_no_truth_value(check: Any) -> None:
    order = " ".join(f"{rank}{suit}" for suit in "CDHS" for rank in "23456789TJQKA")
    lines = ["game: call_break", "settings: {must_beat: off, break_spades: true}", f'shuffles: ["{order}"]']
    assert check("\n".join([*lines, "steps: [see: {turn: [0]}]"])) == []
    assert "break_spades" in check("\n".join([*lines, "steps: []"]).replace("true", "on"))[0]


def test_a_fact_that_is_a_list_of_cards_is_compared_as_cards_or_with_its_count(check: Any) -> None:
    """`open` of Badam Satti, which is 7H alone before the first card."""
    order = " ".join(f"{rank}{suit}" for suit in "HCDS" for rank in "7A23456TJQK89")
    match = {"game": "badam_satti", "shuffles": [order]}
    told = [{"see": {"open": "7H"}}, {"see": {"open": ["7H"]}}, {"see": {"open": 1}}, {"view": {"seat": 2, "open": 1}}]
    assert check({**match, "steps": told}) == []
    told = [{"see": {"open": 2}}, {"see": {"open": "6H"}}, {"see": {"open": True}}]
    assert check({**match, "steps": told}) == [
        "step 1: open must hold 2 cards, and holds 1",
        "step 2: open must be ['6H'], and is ['7H']",
        "step 3: open must be True, and is ['7H']",
    ]


def test_a_date_is_a_text_and_a_number_beyond_reading_is_reported(check: Any) -> None:
    assert check("game: jutpatti\nabout: 2024-99-99\nsettings: {players: 9}\nerror: BAD_SETTING") == []
    assert check("game: jutpatti\nsettings: {players: " + "9" * 5000 + "}\nerror: BAD_SETTING") != []
