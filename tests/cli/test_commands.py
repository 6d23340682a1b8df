"""The commands: what they print, and how they end."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from chautari import main
from chautari.cli.app import make_app
from chautari.games import GAMES

ROOT = Path(__file__).parents[2]


APP = make_app(main.tied())


def call(*arguments: str, **environment: str) -> Result:
    """Runs `chautari` in this process."""
    return CliRunner().invoke(APP, arguments, env={"COLUMNS": "120", **environment})


def run(*arguments: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs `chautari` in a process of its own, to its end."""
    return subprocess.run(
        [sys.executable, "-m", "chautari.main", *arguments], capture_output=True, text=True, check=False, cwd=cwd,
        env={**os.environ, "COLUMNS": "120", **environment}, timeout=180,
    )  # fmt: skip


@contextmanager
def serving(folder: Path, *arguments: str, **environment: str) -> Iterator[dict[str, object]]:
    """`chautari serve` while it runs, as its ready file tells it; it must end well."""
    ready = folder / "ready.json"
    ready.unlink(missing_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-m", "chautari.main", "serve", "--port", "0", "--ready-file", str(ready), *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder, env={**os.environ, **environment},
    )  # fmt: skip
    try:
        end = time.monotonic() + 120
        while not ready.exists() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        assert ready.exists(), process.communicate(timeout=5)
        yield {**json.loads(ready.read_text()), "process": process}
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert "has stopped" in output


def test_games_lists_the_catalogue_without_the_parts_of_a_server() -> None:
    listed = call("games")
    assert listed.exit_code == 0
    for key in GAMES:
        assert key in listed.stdout
    loaded = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "chautari.main", "games"],
        capture_output=True, text=True, check=True,
    ).stderr  # fmt: skip
    for heavy in ("grpc", "sqlalchemy", "alembic", "google.protobuf", "joserfc", "protovalidate"):
        assert f" {heavy}\n" not in loaded
        assert f" {heavy}." not in loaded


def test_rules_prints_a_page() -> None:
    page = call("rules", "bluff")
    assert page.exit_code == 0
    assert page.stdout.startswith("# Bluff")
    nepali = call("rules", "bluff", "--language", "ne")
    assert "खेलाडी" in nepali.stdout
    unknown = call("rules", "whist")
    assert unknown.exit_code == 2
    assert "bluff" in unknown.stderr
    assert "Traceback" not in unknown.stderr


def test_scenarios_say_by_their_status_whether_all_passed(tmp_path: Path) -> None:
    good = ROOT / "tests/scenarios/bluff"
    passed = call("scenarios", str(good))
    assert passed.exit_code == 0
    assert passed.stdout.splitlines()[-1] == f"{len(list(good.iterdir()))} passed, 0 failed"
    (tmp_path / "bad.yaml").write_text("game: whist\n")
    failed = call("scenarios", str(good), str(tmp_path))
    assert failed.exit_code == 1
    assert failed.stdout.splitlines()[-1].endswith(" passed, 1 failed")


def test_database_goes_up_and_down(tmp_path: Path) -> None:
    database = str(tmp_path / "deep" / "chautari.db")
    assert call("db", "current", "--database", database).stdout.startswith("base (this program wants ")
    assert call("db", "upgrade", "--database", database).exit_code == 0
    assert call("db", "current", "--database", database).stdout.endswith("(the latest)\n")
    assert call("db", "current", CHAUTARI_DATABASE=database).stdout.endswith("(the latest)\n")
    assert call("db", "downgrade", "base", "--database", database).stdout == "The tables are at revision base.\n"
    wrong = call("db", "upgrade", "nowhere", "--database", database)
    assert wrong.exit_code == 1
    assert wrong.stderr.startswith("chautari: ")
    assert "Traceback" not in wrong.stderr
    other = call("db", "current", "--database", "mysql://localhost/chautari")
    assert (other.exit_code, other.stdout) == (1, "")
    assert "sqlite:///" in other.stderr


def test_serve_says_where_it_is_and_stops_when_told(tmp_path: Path) -> None:
    with serving(tmp_path, "--database", "data/chautari.db") as ready:
        assert (ready["host"], ready["address"]) == ("127.0.0.1", f"127.0.0.1:{ready['port']}")
        with socket.create_connection(("127.0.0.1", int(str(ready["port"])))):
            pass
        assert (tmp_path / "data/chautari.db").exists()
        key = tmp_path / "data/chautari.key"
        assert key.stat().st_mode & 0o077 == 0
        locked = run("serve", "--port", "0", "--database", str(tmp_path / "data/chautari.db"))
        assert locked.returncode == 1
        assert "another process" in locked.stderr or "has this database open" in locked.stderr
        downgrade = run("db", "downgrade", "base", "--database", str(tmp_path / "data/chautari.db"))
        assert downgrade.returncode == 1
        assert "has this database open" in downgrade.stderr
        taken = run("serve", "--port", str(ready["port"]), "--memory")
        assert taken.returncode == 1
        assert f"127.0.0.1:{ready['port']}" in taken.stderr
        sealed = run("serve", "--port", "0", cwd=tmp_path, CHAUTARI_KEY="short")
        assert sealed.returncode == 1
        assert "64 hexadecimal digits" in sealed.stderr
        for refused in (locked, downgrade, taken, sealed):
            assert "Traceback" not in refused.stderr
            assert refused.stderr.startswith("chautari: ")


def test_serve_prints_what_to_try_next(tmp_path: Path) -> None:
    with serving(tmp_path, "--memory", UV="") as ready:
        process = ready["process"]
        assert isinstance(process, subprocess.Popen)
        assert process.stdout is not None
        lines = [process.stdout.readline().rstrip() for _ in range(10)]
    assert lines[0].startswith("Chautari ")
    assert lines[0].endswith(f"serves gRPC on {ready['address']}; its database is memory.")
    assert lines[1] == f"REST, Connect and gRPC-Web are on {ready['http']}."
    assert any(line.strip().startswith("chautari play bluff") for line in lines)
    assert f"{ready['http']}/docs" in lines[8]
    assert any(line.strip().startswith(f"grpcurl -plaintext {ready['address']} list") for line in lines)


@pytest.mark.parametrize(
    ("environment", "says"),
    [
        ({"CHAUTARI_METRICS_PORT": "many"}, "CHAUTARI_METRICS_PORT must be a whole number, not 'many'"),
        ({"CHAUTARI_REFLECTION": "perhaps"}, "CHAUTARI_REFLECTION must be true or false"),
        ({"CHAUTARI_METRICS_PORT": "70000"}, "port must be from 0 to 65535"),
        ({"CHAUTARI_LOG_LEVEL": "loud"}, "log_level must be one of debug, info, warning, error"),
        ({"CHAUTARI_DATABASE": "mysql://x"}, "sqlite:///"),
    ],
)
def test_serve_refuses_what_it_cannot_be(environment: dict[str, str], says: str) -> None:
    refused = call("serve", "--port", "0", **environment)
    assert refused.exit_code == 1
    assert says in refused.stderr
    assert "Traceback" not in refused.stderr


def test_what_is_there_at_the_start_is_passed_over_when_python_looks_for_circles(tmp_path: Path) -> None:
    """It is not looked at while it is made either, which would make each start slower."""
    program = """
import gc, os, signal
from chautari.main import serve
searches = []
gc.callbacks.append(lambda phase, _: phase == "start" and searches.append(gc.get_freeze_count()))
def ready(_):
    print(searches, gc.isenabled(), gc.get_freeze_count() > 100_000)
    os.kill(os.getpid(), signal.SIGTERM)
searches.clear()
serve({"memory": True, "port": 0, "http_port": 0, "log_level": "error"}, ready)
print(gc.isenabled())
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path, timeout=180
    )
    searches, *told = ran.stdout.replace("]", "]\n", 1).splitlines()
    assert searches.count(",") < 5, searches
    assert told == [" True True", "True"], ran.stdout
