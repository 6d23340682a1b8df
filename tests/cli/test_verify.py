"""`chautari verify`, and the file that checks shuffles alone."""

import ast
import json
import re
import subprocess
import sys
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from google.protobuf.json_format import MessageToJson

from chautari import engine
from chautari.app.new_matches import NewMatch
from chautari.app.values import Disclosure, SeatingRule
from chautari.cli import verify_shuffles
from chautari.wire.records.files import read_record, record_to_json
from chautari.wire.records.text import record_to_text
from tests.app.tables import guest, running_app
from tests.cli.test_commands import call
from tests.wire.recorded import eventful, played, record_of, sitting

ALONE = Path(verify_shuffles.__file__)


@pytest.fixture
async def record(tmp_path: Path) -> Path:
    """The record of a match of Kitti, in both forms."""
    found = await played("kitti")
    (tmp_path / "kitti.txt").write_text(record_to_text(found))
    path = tmp_path / "कित्ती.chautari.json"
    path.write_text(record_to_json(found))
    return path


def changed(path: Path, change: Any) -> Path:
    """A copy with this change of its JSON."""
    plain = json.loads(path.read_text())
    change(plain)
    other = path.with_name("changed.chautari.json")
    other.write_text(json.dumps(plain))
    return other


def alone(*paths: Path) -> "subprocess.CompletedProcess[str]":
    """Runs the file that checks shuffles, without any package that is installed."""
    command = [sys.executable, "-I", "-S", str(ALONE), *map(str, paths)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_the_file_that_stands_alone_is_short_and_needs_nothing() -> None:
    source = ALONE.read_text()
    assert len(source.splitlines()) <= 200
    imported = {
        name.name.partition(".")[0] for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import)
        for name in node.names
    } | {str(node.module) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)}  # fmt: skip
    assert imported <= sys.stdlib_module_names


def test_a_record_holds(record: Path) -> None:
    for path in (record, record.with_name("kitti.txt")):
        result = call("verify", str(path))
        assert result.exit_code == 0, result.output
        assert "games/kitti" in result.stdout
        assert "differs" not in result.stdout
        assert re.search(r"verify_shuffles.py, which knows no rules, finds the same \d+ shuffles", result.stdout)
    ran = alone(record)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert re.search(r"the commitment and \d+ shuffles are as they must be", ran.stdout)


def test_what_differs_is_named_with_its_revision(record: Path) -> None:
    def swap(plain: Any) -> None:
        shuffle = next(e["shuffles"][0] for e in plain["entries"] if "shuffles" in e)
        shuffle["cards"][:2] = shuffle["cards"][1::-1]

    path = changed(record, swap)
    result = call("verify", str(path))
    assert result.exit_code == 1
    assert "differs    revision 2, shuffles[0].cards[0]" in result.stdout
    assert "holds" not in result.stdout
    ran = alone(path)
    assert ran.returncode == 1
    assert "revision 2, shuffle 0: another order follows from the secret" in ran.stdout


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("secret", "AAAA", "commitment"),
        ("settings", {"players": 3}, "commitment"),
        ("contributions", [], "another order"),
        ("commitment", "AAAA", "commitment"),
    ],
)
def test_what_the_shuffles_are_made_from(record: Path, field: str, value: object, says: str) -> None:
    path = changed(record, lambda plain: plain.update({field: value}))
    assert call("verify", str(path)).exit_code != 0
    ran = alone(path)
    assert ran.returncode == 1
    assert says in ran.stdout


@pytest.fixture
async def drawn(tmp_path: Path) -> Path:
    """The record of a match whose seats were drawn by lot, and where one account has added to the shuffles."""
    path = tmp_path / "drawn.chautari.json"
    path.write_text(record_to_json(await eventful()))
    return path


def lot_of(plain: Any) -> list[int]:
    """The lot in a record."""
    [lot] = [
        event["seatsDrawn"] for entry in plain["entries"] for event in entry.get("events", []) if "seatsDrawn" in event
    ]
    before: list[int] = lot["before"]
    return before


def again(plain: Any) -> None:
    """The lot once more, at the end of the record."""
    plain["entries"][-1]["events"].append({"seatsDrawn": {"before": [*lot_of(plain)]}})


def exchange(plain: Any) -> None:
    """What two seats have added exchanged together with their places in the lot."""
    before, added = lot_of(plain), plain["contributions"]
    before[:2], added[:2] = before[1::-1], added[1::-1]


def test_the_file_that_stands_alone_draws_the_seats_again(drawn: Path) -> None:
    plain = json.loads(drawn.read_text())
    assert any(plain["contributions"])
    assert sorted(lot_of(plain)) == [0, 1, 2]
    ran = alone(drawn)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_the_file_that_stands_alone_reads_the_names_of_the_protos_too(drawn: Path) -> None:
    record = read_record(drawn.read_text())
    drawn.write_text(MessageToJson(record, preserving_proto_field_name=True))
    assert "seats_drawn" in drawn.read_text()
    ran = alone(drawn)
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
    found = alone(changed(drawn, lambda plain: plain["seats"].reverse()))
    assert (found.returncode, ELSEWHERE in found.stdout) == (1, True)


ELSEWHERE, NO_LOT = "another account sat down there, or was drawn for it", "the lot is not one of these seats"
LOTS: dict[str, tuple[Any, str]] = {
    "reversed": (lambda plain: lot_of(plain).reverse(), ELSEWHERE),
    "moved on": (lambda plain: lot_of(plain).append(lot_of(plain).pop(0)), ELSEWHERE),
    "too few": (lambda plain: lot_of(plain).pop(), NO_LOT),
    "too many": (lambda plain: lot_of(plain).append(3), NO_LOT),
    "two exchanged": (exchange, ELSEWHERE),
    "drawn again": (again, "one lot at most, before the first shuffle"),
}


async def test_a_match_that_ended_before_its_start_has_no_lot(tmp_path: Path) -> None:
    async with running_app() as app:
        host, friend = await guest(app), await guest(app)
        match = await app.matches.create(host, NewMatch(game="bluff", seats=(0,), seating=SeatingRule.RANDOM), None)
        await app.matches.join(friend, link=match.link, seats=(1,))
        await app.matches.leave(friend, match.id)
        await app.hosting.close(host, match.id)
        path = tmp_path / "closed.chautari.json"
        path.write_text(record_to_json(await record_of(app, host, match, None)))
    ran = alone(path)
    assert (ran.returncode, ran.stdout.partition(": ")[2]) == (0, "the commitment and 0 shuffles are as they must be\n")


@pytest.mark.parametrize(("change", "says"), LOTS.values(), ids=LOTS)
def test_another_lot_is_found(drawn: Path, change: Any, says: str) -> None:
    ran = alone(changed(drawn, change))
    assert ran.returncode == 1, ran.stdout
    assert says in ran.stdout


def test_only_the_lot_that_follows_from_the_secret_holds() -> None:
    chance = Random(18)
    about = [b"m", b"bluff", b"3"]
    for count in (1, 2, 3, 4, 4, 4):
        secret = chance.randbytes(32)
        absent = [b""] * count
        [only] = [
            lot for lot in permutations(range(count))
            if not verify_shuffles.check_lot([*lot], absent, about, secret)
        ]  # fmt: skip
        assert only == engine.draw_seats(
            match="m", game="bluff", version=3, secret=secret, contributions=[None] * count
        )
        added = [chance.choice((None, chance.randbytes(16))) for _ in range(count)]
        lot = engine.draw_seats(match="m", game="bluff", version=3, secret=secret, contributions=added)
        drawn = [added[seat] or b"" for seat in lot]
        assert verify_shuffles.check_lot([*lot], drawn, about, secret) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "a record begins with the line"),
        ("hello", "a record begins with the line"),
        ("{", "no JSON"),
        ("{}", "format_version"),
        ("[" * 5000, "a record begins with the line"),
        ('{"a":' * 5000, "no JSON"),
        ('{"formatVersion": 2, "news": 1}', "form 2, this program reads form 1: take a newer program"),
        ('{"formatVersion": 1, "news": 1}', "news"),
        ('{"formatVersion": 1, "game": "games/whist"}', "there is no game 'whist'"),
        ('{"formatVersion": 1, "game": "games/bluff", "rulesVersion": 99}', "version 1 of the rules of bluff, not 99"),
        ('{"formatVersion": 1, "game": "games/bluff", "rulesVersion": 1, "settings": {"players": 1}}', "players"),
        ('{"formatVersion": 1, "nextPageToken": "x"}', "one page of a record"),
        ("chautari record 2\nseating\n", "form 2"),
        ("chautari record 1\nseating\n", "cut for its reader"),
        ("chautari record 1\ncomplete: yes\n", "no line `seating`"),
        ("chautari record 1\nsomething\nseating\n", "line 2"),
    ],
)  # fmt: skip
def test_what_is_no_record_is_told(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "x"
    path.write_text(text)
    result = call("verify", str(path))
    assert result.exit_code == 2, result.output
    assert says in result.stderr
    assert alone(path).returncode == 2
    assert "Traceback" not in alone(path).stderr


def test_files_that_are_not_there(tmp_path: Path, record: Path) -> None:
    missing, binary = tmp_path / "missing", tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    for path in (missing, binary, tmp_path):
        assert call("verify", str(path)).exit_code == 2
        assert alone(path).returncode == 2
    worst = changed(record, lambda plain: plain.update({"revision": 1}))
    assert call("verify", str(missing), str(worst), str(record)).exit_code == 1
    assert alone().returncode == 2


def test_a_terminal_obeys_no_record(record: Path) -> None:
    def hostile(plain: Any) -> None:
        plain["seats"][0]["displayName"] = "\x1b[2J\u202e\u2028evil\x9b"
        plain["entries"][3]["action"] = "\x1b]0;gone\x07"

    result = call("verify", str(changed(record, hostile)))
    assert result.exit_code == 1
    assert all(sign.isprintable() or sign == "\n" for sign in result.stdout)


async def test_what_stays_secret_is_said_to_be_unchecked(tmp_path: Path) -> None:
    record = await played("poker", disclosure=Disclosure.SHOWN_ONLY)
    path = tmp_path / "poker.chautari.json"
    path.write_text(record_to_json(record))
    result = call("verify", str(path))
    assert result.exit_code == 0, result.output
    assert "unchecked  the shuffles and the commitment: cards not shown stay secret" in result.stdout
    ran = alone(path)
    assert ran.returncode == 2
    assert "the secret is not disclosed" in ran.stdout


async def test_a_match_under_way(tmp_path: Path) -> None:
    async with sitting("bluff") as match:
        await match.go_on(4)
        path = tmp_path / "bluff.chautari.json"
        path.write_text(record_to_json(await match.record(0)))
    result = call("verify", str(path))
    assert result.exit_code == 0, result.output
    assert "unchecked  the shuffles and the commitment: the match is not over" in result.stdout
