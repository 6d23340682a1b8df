"""`chautari db`: the tables of the database. `serve` brings them up to date by itself."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from chautari.errors import ChautariError

Database = Annotated[str | None, typer.Option(help="The SQLite file; else CHAUTARI_DATABASE, else var/chautari.db.")]


def make_app(
    upgrade: Callable[[str | None, str], None],
    downgrade: Callable[[str | None, str], None],
    current: Callable[[str | None], tuple[str | None, str]],
) -> typer.Typer:
    """The commands, over the functions that do the work."""
    app = typer.Typer(help="Look at the tables of the database, and change them.", no_args_is_help=True)

    @app.command("upgrade")
    def run_upgrade(
        revision: Annotated[str, typer.Argument(help="A revision, or head for the latest.")] = "head",
        database: Database = None,
    ) -> None:
        """Bring the tables up to a revision."""
        with _told():
            upgrade(database, revision)
            typer.echo(f"The tables are at revision {current(database)[0]}.")

    @app.command("downgrade")
    def run_downgrade(
        revision: Annotated[str, typer.Argument(help="A revision, or base for none.", show_default=False)],
        database: Database = None,
    ) -> None:
        """Take the tables back to a revision. What later ones hold is lost."""
        with _told():
            downgrade(database, revision)
            typer.echo(f"The tables are at revision {current(database)[0] or 'base'}.")

    @app.command("current")
    def run_current(database: Database = None) -> None:
        """Say at which revision the tables are."""
        with _told():
            found, wanted = current(database)
            note = "the latest" if found == wanted else f"this program wants {wanted}: upgrade, or serve"
            typer.echo(f"{found or 'base'} ({note})")

    return app


@contextmanager
def _told() -> Iterator[None]:
    """Says what is wrong, and ends with status 1."""
    try:
        yield
    except (ChautariError, ValueError, OSError) as error:
        typer.echo(f"chautari: {error}", err=True)
        raise typer.Exit(1) from None
