"""The command `chautari`: all its commands together."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from chautari.cli import admin, db, games, record, rules, serve, verify

Measure = Callable[..., Any]
"""Drives a server; see `chautari.cli.bench_server`."""

Paths = Annotated[list[Path], typer.Argument(help="Files, and folders of them.", show_default=False)]


@dataclass(frozen=True, slots=True)
class Ties:
    """What main lends the commands: the rooms behind it are not theirs to know."""

    serve: serve.Serve
    work: Callable[[int], None]
    database: db.DatabaseTies
    operate: admin.Open
    measure: Measure
    verify: verify.Verify
    convert: record.Convert
    fetch: record.Fetch


def make_app(ties: Ties) -> typer.Typer:
    """The command with everything it can do."""
    app = typer.Typer(
        help="Card games as a service: serve them, play them, read their rules.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.command("serve")(serve.command(ties.serve))
    app.command("work", hidden=True)(work(ties.work))
    app.add_typer(db.make_app(ties.database), name="db")
    app.add_typer(admin.make_app(ties.operate), name="admin")
    app.command("games")(games.games)
    app.command("rules")(rules.rules)
    app.command("scenarios")(scenarios)
    app.command("play")(play)
    app.command("bench")(bench(ties.measure))
    app.command("record")(record.command(ties.convert, ties.fetch))
    app.command("verify")(verify.command(ties.verify))
    return app


def work(run_worker: Callable[[int], None]) -> Callable[..., None]:
    """The command that a supervisor starts its workers with."""

    def run(line: Annotated[int, typer.Argument(help="The descriptor of the line to the supervisor.")]) -> None:
        """Serve as one worker of several (`chautari serve --workers` starts these)."""
        run_worker(line)

    return run


def bench(measure: Measure) -> Callable[..., None]:
    """The command that measures."""

    def run(
        names: Annotated[list[str] | None, typer.Argument(help="What to measure: engine, act.grpc.sqlite, …")] = None,
        as_json: Annotated[bool, typer.Option("--json", help="A list of objects in place of a table.")] = False,
        seconds: Annotated[float, typer.Option(help="For how long to measure each thing.")] = 2.0,
    ) -> None:
        """Measure the engine and the service on this machine, each figure beside its limit.

        Exit status 1: something could not be measured.
        """
        from chautari.cli.bench import run_bench

        run_bench(names or (), as_json, seconds, measure)

    return run


def scenarios(paths: Paths) -> None:
    """Run scenario files against the rules, and say what differs."""
    from chautari.cli.scenarios import run_scenarios

    _, failed = run_scenarios(paths)
    raise typer.Exit(1 if failed else 0)


def play(
    game: Annotated[str, typer.Argument(help="The key of a game, such as bluff.", show_default=False)],
    settings: Annotated[
        list[str] | None, typer.Option("--setting", "-s", help="A setting, NAME=VALUE; as often as wanted.")
    ] = None,
    seats: Annotated[str, typer.Option(help="The seats that people play here: 0, or 0,2; none to look on.")] = "0",
    seed: Annotated[int | None, typer.Option(help="The same cards and scripts each time.")] = None,
    pause: Annotated[float | None, typer.Option(min=0, max=60, help="Seconds after each scripted action.")] = None,
) -> None:
    """Play a match in the terminal against scripted seats."""
    from chautari.cli.play import play as play_match

    raise typer.Exit(play_match(game, settings or (), seats, seed, pause))
