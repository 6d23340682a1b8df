"""The command `chautari`: all its commands together."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from chautari.cli import db, games, rules, serve

Paths = Annotated[list[Path], typer.Argument(help="Files, and folders of them.", show_default=False)]


@dataclass(frozen=True, slots=True)
class Ties:
    """What main lends the commands: the rooms behind it are not theirs to know."""

    serve: serve.Serve
    upgrade: Callable[[str | None, str], None]
    downgrade: Callable[[str | None, str], None]
    current: Callable[[str | None], tuple[str | None, str]]


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
    app.add_typer(db.make_app(ties.upgrade, ties.downgrade, ties.current), name="db")
    app.command("games")(games.games)
    app.command("rules")(rules.rules)
    app.command("scenarios")(scenarios)
    app.command("play")(play)
    return app


def scenarios(paths: Paths) -> None:
    """Run scenario files against the rules, and say what differs."""
    from chautari.cli.scenarios import run_scenarios

    _, failed = run_scenarios(paths)
    raise typer.Exit(1 if failed else 0)


def play(
    game: Annotated[str, typer.Argument(help="The key of a game, such as bluff.", show_default=False)],
    settings: Annotated[list[str] | None, typer.Option("--set", "-s", help="A setting, NAME=VALUE.")] = None,
    seats: Annotated[str, typer.Option(help="The seats that people play here: 0, or 0,2; none to look on.")] = "0",
    seed: Annotated[int | None, typer.Option(help="The same cards and scripts each time.")] = None,
    pause: Annotated[float | None, typer.Option(help="Seconds after each scripted action.")] = None,
) -> None:
    """Play a match in the terminal against scripted seats."""
    from chautari.cli.play import play as play_match

    raise typer.Exit(play_match(game, settings or (), seats, seed, pause))
