"""`chautari db`: the database. `serve` brings its tables up to date by itself."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Protocol

import typer
from rich.console import Console
from rich.progress import Progress

from chautari.errors import ChautariError

Database = Annotated[
    str | None, typer.Option(help="The SQLite file, or a PostgreSQL URL; else CHAUTARI_DATABASE, else var/chautari.db.")
]
AsJson = Annotated[bool, typer.Option("--json", help="An object in place of words.")]


class Check(Protocol):
    """Checks a database; replay: its journals too. progress: is told how many matches are done, and of how many."""

    def __call__(
        self, database: str | None, replay: bool, progress: Callable[[int, int], None], /
    ) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class DatabaseTies:
    """What main lends these commands. current: the revision of the tables, that of this program, and whether it knows
    the first; backup: the file, and whether to overwrite it; restore: the file, and why; renew: why."""

    upgrade: Callable[[str | None, str], None]
    downgrade: Callable[[str | None, str], None]
    current: Callable[[str | None], tuple[str | None, str, bool]]
    backup: Callable[[str | None, Path, bool], Mapping[str, Any]]
    restore: Callable[[str | None, Path, str], Mapping[str, Any]]
    renew: Callable[[str | None, str], str]
    check: Check


def make_app(ties: DatabaseTies) -> typer.Typer:
    """The commands, over the functions that do the work."""
    app = typer.Typer(help="Look at the database, change its tables, back it up, restore and check it.")
    app.command("upgrade")(_upgrade(ties))
    app.command("downgrade")(_downgrade(ties))
    app.command("current")(_current(ties))
    app.command("backup")(_backup(ties))
    app.command("restore")(_restore(ties))
    app.command("renew")(_renew(ties))
    app.command("check")(_check(ties))
    return app


def _upgrade(ties: DatabaseTies) -> Callable[..., None]:
    def run(
        revision: Annotated[str, typer.Argument(help="A revision, or head for the latest.")] = "head",
        database: Database = None,
    ) -> None:
        """Bring the tables up to a revision."""
        with told():
            ties.upgrade(database, revision)
            typer.echo(f"The tables are at revision {ties.current(database)[0]}.")

    return run


def _downgrade(ties: DatabaseTies) -> Callable[..., None]:
    def run(
        revision: Annotated[str, typer.Argument(help="A revision, or base for none.", show_default=False)],
        database: Database = None,
    ) -> None:
        """Take the tables back to a revision. What later ones hold is lost."""
        with told():
            ties.downgrade(database, revision)
            typer.echo(f"The tables are at revision {ties.current(database)[0] or 'base'}.")

    return run


def _current(ties: DatabaseTies) -> Callable[..., None]:
    def run(database: Database = None) -> None:
        """Say at which revision the tables are."""
        with told():
            found, wanted, known = ties.current(database)
            if not known:
                note = f"of a newer program; this one ends with {wanted}"
            else:
                note = "the latest" if found == wanted else f"this program wants {wanted}: upgrade, or serve"
            typer.echo(f"{found or 'base'} ({note})")

    return run


def _backup(ties: DatabaseTies) -> Callable[..., None]:
    def run(
        file: Annotated[Path, typer.Argument(help="Where to write the backup.", show_default=False)],
        database: Database = None,
        overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that is there.")] = False,
        as_json: AsJson = False,
    ) -> None:
        """Back the database up into one file, also while the service runs."""
        with told():
            made = ties.backup(database, file, overwrite)
        if as_json:
            typer.echo(json.dumps(made))
            return
        typer.echo(
            f"{made['path']}: {made['bytes']} bytes, {made['matches']} matches, {made['accounts']} accounts, "
            f"tables at {made['revision']}; checked.\n"
            f"The key that opens its secrets is not in it: without {made['key']} it cannot be served. Keep a copy of "
            "the key too, elsewhere than the backups."
        )

    return run


def _restore(ties: DatabaseTies) -> Callable[..., None]:
    def run(
        file: Annotated[Path, typer.Argument(help="The backup.", show_default=False)],
        database: Database = None,
        reason: Annotated[str, typer.Option(help="Why, for the audit log.")] = "",
        as_json: AsJson = False,
    ) -> None:
        """Put a backup into the place of the database, while the service does not run. What was there is kept."""
        with told():
            restored = ties.restore(database, file, reason)
        if as_json:
            typer.echo(json.dumps(restored))
            return
        kept = restored["kept"]
        typer.echo(
            f"Restored {restored['matches']} matches and {restored['accounts']} accounts from {file}.\n"
            f"{'There was no database before' if kept is None else f'The database that was there is {kept}'}.\n"
            f"Its epoch is now {restored['epoch']}: watchers are told to look anew."
        )

    return run


def _renew(ties: DatabaseTies) -> Callable[..., None]:
    def run(
        reason: Annotated[str, typer.Option(help="Why, for the audit log.")] = "restored by other means",
        database: Database = None,
    ) -> None:
        """Give the database another epoch, so that watchers look anew: after a restore by other means than `restore`.

        Replicas that serve it end themselves within seconds, to be started again.
        """
        with told():
            typer.echo(f"Its epoch is now {ties.renew(database, reason)}: watchers are told to look anew.")

    return run


def _check(ties: DatabaseTies) -> Callable[..., None]:
    def run(
        database: Database = None,
        quick: Annotated[bool, typer.Option("--quick", help="Do not play the journals again.")] = False,
        as_json: AsJson = False,
    ) -> None:
        """Check the file, its tables, seals and audit log, and each journal by playing it again.

        It may run beside the service. Exit status 1: something is wrong.
        """
        with told(), Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("Matches", total=None)
            found = ties.check(database, not quick, lambda done, of: bar.update(task, completed=done, total=of))
        if as_json:
            typer.echo(json.dumps(found))
        else:
            for fault in found["faults"]:
                typer.echo(f"wrong: {fault}")
            for note in found["unchecked"]:
                typer.echo(f"not checked: {note}")
            played = "" if quick else f" with {found['entries']} revisions played again"
            typer.echo(
                f"{found['matches']} matches{played}, {found['audit_entries']} entries of the audit log: "
                f"{len(found['faults'])} faults."
            )
        raise typer.Exit(1 if found["faults"] else 0)

    return run


@contextmanager
def told() -> Iterator[None]:
    """Says what is wrong, and ends with status 1."""
    try:
        yield
    except (ChautariError, ValueError, OSError) as error:
        typer.echo(f"chautari: {error}", err=True)
        raise typer.Exit(1) from None
