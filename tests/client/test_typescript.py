"""The TypeScript client: built with the Node that the project brings, tested by its own tests, and against a server."""

import asyncio
import json
import random
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from chautari.app.freshness import FRESH_SECONDS
from tests.client.typescript import CLIENT
from tests.e2e.proxy import Proxy
from tests.wire.served import pass_by, serving

_SECONDS = 120.0
_TOLD_BY_README = "http://127.0.0.1:8080"

pytestmark = pytest.mark.xdist_group("typescript")


def test_its_own_tests_pass(built: Any) -> None:
    built.node("node_modules/typescript/bin/tsc", "-p", "tsconfig.test.json")
    assert "failed" not in built.node("node_modules/vitest/vitest.mjs", "run")


def test_a_second_build_does_nothing(built: Any) -> None:
    made = (CLIENT / "dist/src/index.js").stat().st_mtime_ns
    built.build()
    assert (CLIENT / "dist/src/index.js").stat().st_mtime_ns == made


def test_lock_names_no_registry() -> None:
    packages = json.loads((CLIENT / "package-lock.json").read_text())["packages"]
    assert not [name for name, package in packages.items() if "resolved" in package]
    assert all("integrity" in package for name, package in packages.items() if name)


def test_generated_messages_carry_no_options_of_the_server(built: Any) -> None:
    generated = "".join(path.read_text() for path in (CLIENT / "gen").rglob("*.ts"))
    assert "buf_validate" not in generated
    assert "google_api" not in generated
    assert "CreateGuestRequest" in generated


async def test_a_node_program_plays_matches(built: Any) -> None:
    """Connections are cut again and again, so that streams are taken up and calls made once more all the time."""
    games = [
        ["gulam_chor", {"players": 2, "rounds": 2}],
        ["memory", {"players": 2, "cards": 16}],
        ["jutpatti", {"players": 2}],
    ]
    async with (
        serving(http=True, calls_per_second=0, anonymous_per_second=0, streams_per_account=0) as served,
        Proxy("127.0.0.1", int(served.http.rpartition(":")[2])) as proxy,
    ):
        cutting = asyncio.create_task(proxy.cut_by_chance(random.Random(1), most_seconds=0.5))
        program = CLIENT / "test/match.mjs"
        output = await run(built, program, f"http://{proxy.address}", *(json.dumps(game) for game in games))
        cutting.cancel()
    lines = [json.loads(line) for line in output.splitlines()]
    for line, (game, _) in zip(lines, games, strict=False):
        assert line["game"] == game
        assert line["one"]["placing"] == line["other"]["placing"]
        assert min(line["one"]["compared"], line["other"]["compared"]) > 0
        assert line["entries"] > line["one"]["acts"]
    assert lines[-1] == {
        "reason": "NO_ACCESS", "kind": "NotAllowed", "mine": ["दशैँ"] * len(games), "lost": True, "out": True,
    }  # fmt: skip


async def test_a_sign_in_that_is_too_old_renews_itself(built: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    del built
    async with serving(http=True) as served:
        process = await asyncio.create_subprocess_exec(
            Path(sys.executable).with_name("node"), CLIENT / "test/old.mjs", served.http,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            async with asyncio.timeout(_SECONDS):
                assert await process.stdout.readline() == b"signed in\n"
                pass_by(served, monkeypatch, FRESH_SECONDS + 1)
                output, _ = await process.communicate(b"go on\n")
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
    assert json.loads(output) == {"title": "bot", "renewals": 1, "gone": "TOKEN_INVALID"}, output.decode()


async def test_the_example_of_the_readme_plays_a_match(built: Any) -> None:
    [program] = re.findall(r"```ts\n(.*?)```", (CLIENT / "README.md").read_text(), re.S)
    assert program.count(_TOLD_BY_README) == 2
    async with serving(http=True) as served:
        program = program.replace(_TOLD_BY_README, served.http)
        output = await run(built, "--input-type=module-typescript", "--eval", program)
    assert sorted(output.splitlines()) in (
        ["seat 0 is placed 1", "seat 1 is placed 1"],
        ["seat 0 is placed 1", "seat 1 is placed 2"],
        ["seat 0 is placed 2", "seat 1 is placed 1"],
    )


async def run(built: Any, *arguments: str | Path) -> str:
    """Runs a program, which finds the client as a package by its name, and gives what it prints."""
    del built
    process = await asyncio.create_subprocess_exec(
        Path(sys.executable).with_name("node"), *arguments, cwd=CLIENT,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    try:
        async with asyncio.timeout(_SECONDS):
            output, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    text = output.decode()
    assert process.returncode == 0, text
    return text
