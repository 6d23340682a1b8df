"""`chautari admin`: what it asks, and how it shows what it is told. What it asks for is played here."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from chautari.cli import admin
from chautari.cli.admin import NewKey
from chautari.cli.admin_tables import matches_table
from chautari.cli.admin_where import Where
from chautari.errors import NotFound

MATCH = {
    "name": "matches/m1", "game": "games/bluff", "state": "MATCH_STATE_PLAYING", "revision": 7, "title": "शुक्रबार",
    "seats": [{"display_name": "सीता"}, {"display_name": "\x1b[31mHari[bold]"}, {}],
}  # fmt: skip


class Player:
    """Answers as a server would, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Mapping[str, Any]]] = []
        self.made: list[NewKey] = []
        self.where: list[Where] = []
        self.answers: dict[str, list[Any]] = {}

    def call(self, method: str, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        """The next answer to this method."""
        self.asked.append((method, fields))
        answer = self.answers[method].pop(0)
        if isinstance(answer, Exception):
            raise answer
        return dict(answer)

    def create_key(self, new: NewKey) -> Mapping[str, Any]:
        """A key."""
        self.made.append(new)
        return {"api_key": {"name": "accounts/a/keys/k"}, "secret": "chautari_secret"}

    @contextmanager
    def operate(self, where: Where) -> Iterator["Player"]:
        """This one, wherever."""
        self.where.append(where)
        yield self

    def run(self, *arguments: str, **environment: str) -> Result:
        """Runs `chautari admin`."""
        app = typer.Typer()
        app.add_typer(admin.make_app(self.operate), name="admin")
        return CliRunner().invoke(
            app, ["admin", *arguments], env={"COLUMNS": "160", "CHAUTARI_API_KEY": "", **environment}
        )


def test_lists_are_read_page_by_page_up_to_their_limit() -> None:
    player = Player()
    pages = [{"matches": [MATCH] * 200, "next_page_token": "t"}, {"matches": [MATCH] * 50, "next_page_token": "u"}]
    player.answers["FindMatches"] = list(pages)
    found = player.run(
        "matches", "--limit", "250", "--state", "playing", "--account", "a1", "--game", "bluff", "--json"
    )
    assert len(json.loads(found.stdout)) == 250
    asked = {"account": "accounts/a1", "state": "MATCH_STATE_PLAYING", "game": "games/bluff"}
    assert player.asked == [
        ("FindMatches", {**asked, "page_size": 200}), ("FindMatches", {**asked, "page_size": 50, "page_token": "t"})
    ]  # fmt: skip
    player.answers["FindMatches"] = list(pages)
    assert "more than these 250" in player.run("matches", "--limit", "250").stderr
    player.answers["FindMatches"] = [{}]
    empty = player.run("matches", "--json")
    assert json.loads(empty.stdout) == []


def test_nothing_that_people_wrote_moves_the_terminal() -> None:
    player = Player()
    player.answers["FindMatches"] = [{"matches": [MATCH]}]
    shown = player.run("matches").stdout
    assert "सीता" in shown
    assert "[bold]" in shown
    assert "\x1b[31m" not in shown
    player.answers["InspectMatch"] = [
        {
            "match": MATCH, "view": {"zones": [{"name": "hand.0", "count": 2}], "facts": {"pot": 5}},
            "zones": [{"zone": "hand.0", "cards": ["7H", "QS"]}], "due_time": "2026-11-30T00:00:00Z",
            "due_kind": "pack", "retry_time": "2026-11-30T00:00:24Z",
            "recent": [{"revision": 7, "time": "t", "cause": "CAUSE_SEAT", "seat": 1, "action": "lay\x07 7H"}],
        }
    ]  # fmt: skip
    shown = player.run("show", "m1", "--reveal", "--reason", "a claim").stdout
    assert player.asked[-1] == ("InspectMatch", {"match": "matches/m1", "reveal": True, "reason": "a claim"})
    for part in ("7H QS", "pot: 5", "pack", "again at 2026-11-30T00:00:24Z", "7 t seat 1 lay"):
        assert part in shown
    assert "\x07" not in shown


def test_a_ban_is_for_good_until_a_moment_or_for_a_while() -> None:
    player = Player()
    cases: list[tuple[list[str], datetime | None]] = [
        ([], None),
        (["--until", "2031-05-06"], datetime.fromisoformat("2031-05-06").astimezone()),
        (["--until", "2031-05-06T07:08:09+05:45"], datetime(2031, 5, 6, 1, 23, 9, tzinfo=UTC)),
        (["--for", "36h"], datetime.now(UTC) + timedelta(hours=36)),
        (["--for", "2w"], datetime.now(UTC) + timedelta(weeks=2)),
    ]
    for options, wanted in cases:
        answer = {"account": "accounts/a1"} if wanted is None else {"account": "accounts/a1", "end_time": "then"}
        player.answers["BanAccount"] = [answer]
        said = player.run("ban", "accounts/a1", "--reason", "spam", *options)
        assert ("for good" in said.stdout) == (wanted is None)
        fields = dict(player.asked[-1][1])
        given = fields.pop("end_time", None)
        assert fields == {"account": "accounts/a1", "reason": "spam"}
        if wanted is not None:
            assert abs(datetime.fromisoformat(given) - wanted) < timedelta(minutes=5)
    for wrong in (["--for", "soon"], ["--for", "7"], ["--for", "1d", "--until", "2031-05-06"], ["--until", "later"]):
        refused = player.run("ban", "a1", "--reason", "spam", *wrong)
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert refused.stderr.startswith("chautari: ")
    assert player.run("ban", "a1").exit_code == 2, "it wants a reason"


def test_where_to_operate_is_said_before_or_behind_and_a_server_wants_a_key(tmp_path: Path) -> None:
    player = Player()
    key = tmp_path / "key"
    key.write_text("chautari_abc\n")
    player.answers["ListSigningKeys"] = [
        {"keys": [{"kid": "k", "create_time": "a", "expire_time": "b", "signs": True}]}
    ] * 9
    assert "yes" in player.run("--server", "h:1", "--key-file", str(key), "--tls", "keys", "list").stdout
    player.run("--server", "h:1", "keys", "list", CHAUTARI_API_KEY="chautari_env")
    player.run("--database", "x.db", "keys", "list")
    said = ("--server", "h:1", "--key-file", str(key), "--tls")
    for at in range(len(said)):
        if said[at].startswith("--"):
            player.run(*said[:at], "keys", "list", *said[at:])
    player.run("keys", "list", "--database", "x.db")
    player.run("--server", "h:2", "--database", "y.db", "keys", "list", "--server", "h:1", "--database", "", *said[2:])
    player.run("keys", "list")
    whole = Where("h:1", "chautari_abc", True)
    assert player.where == [
        whole, Where("h:1", "chautari_env"), Where(database="x.db"), *[whole] * 3, Where(database="x.db"),
        Where("h:1", "chautari_abc", True, ""), Where(),
    ]  # fmt: skip
    for refused in (player.run("--server", "h:1", "keys", "list"), player.run("keys", "list", "--server", "h:1")):
        assert refused.exit_code == 1
        assert "CHAUTARI_API_KEY" in refused.stderr
    x = ("--database", "x.db")
    for both in (("--server", "h:1", "keys", "list", *x), (*x, "keys", "list", *said)):
        two = player.run(*both, CHAUTARI_API_KEY="chautari_env")
        assert (two.exit_code, len(player.where)) == (1, 9)
        assert "two places" in two.stderr
    missing = player.run("--server", "h:1", "keys", "list", "--key-file", str(tmp_path / "none"))
    assert (missing.exit_code, len(player.where)) == (1, 9)


@pytest.mark.parametrize(
    "command", ["accounts", "matches", "show", "end", "ban", "lift", "audit", "keys list", "keys rotate", "keys revoke",
                "key create"],
)  # fmt: skip
def test_every_command_says_that_it_takes_where_to_operate(command: str) -> None:
    help_ = Player().run(*command.split(" "), "--help").stdout
    for option in ("--server", "--key-file", "--tls", "--database"):
        assert option in help_


def test_what_is_refused_is_said_and_ends_with_status_1() -> None:
    player = Player()
    player.answers["EndMatch"] = [NotFound("MATCH_UNKNOWN", "there is no such match")]
    refused = player.run("end", "m9", "--reason", "why")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr == "chautari: there is no such match\n"


@pytest.mark.parametrize(("found", "status", "says"), [({"entries": 9}, 0, "9 entries"), ({"broken": 3}, 1, "entry 3")])
def test_a_log_that_was_changed_ends_with_status_1(found: Mapping[str, int], status: int, says: str) -> None:
    player = Player()
    player.answers["CheckAudit"] = [found]
    checked = player.run("audit", "--check")
    assert checked.exit_code == status
    assert says in checked.stdout


def test_the_log_is_a_table() -> None:
    player = Player()
    entry = {
        "number": 3, "time": "t", "origin": "console me", "method": "BanAccount", "target": "accounts/a",
        "outcome": "OK",
        "reason": "they [red]throw\x9b cups", "detail": {"until": "never"},
    }  # fmt: skip
    player.answers["ListAudit"] = [{"entries": [entry]}]
    shown = player.run("audit", "--target", "accounts/a").stdout
    for part in ("console me", "[red]throw", "until never"):
        assert part in shown
    assert "\x9b" not in shown


def test_a_key_is_made_and_its_secret_shown_once() -> None:
    player = Player()
    made = player.run("key", "create", "--scope", "operate", "--scope", "reveal", "--expires", "90d", "--name", "Ops")
    assert made.stdout.startswith("chautari_secret\n")
    [new] = player.made
    assert (new.scopes, new.name, new.account) == (("operate", "reveal"), "Ops", "")
    assert datetime.fromisoformat(new.expire_time) > datetime.now(UTC) + timedelta(days=89)
    player.run("key", "create", "--scope", "read", "--account", "accounts/a1")
    assert (player.made[1].account, player.made[1].expire_time) == ("a1", "")


def test_an_id_stays_on_one_line_in_a_narrow_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    match: dict[str, Any] = {
        "name": "matches/" + 20 * "a",
        "state": "MATCH_STATE_PLAYING",
        "game": "games/gulam_chor",
        "revision": 12,
    }
    matches_table([match | {"title": "Friday night", "seats": [{"display_name": "Quiet Otter"}] * 4}])
    assert match["name"] in capsys.readouterr().out
