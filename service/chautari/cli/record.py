"""`chautari record`: the record of a match, from a file or a server, as text, JSON or PHH."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final, Literal, Protocol

import typer

from chautari.app.signs import printable
from chautari.cli.verify import read_file
from chautari.errors import ChautariError

Form = Literal["text", "json", "phh"]
Convert = Callable[[str, Form], str]
"""A record, given as a file of either form has it, in another form."""

TOKEN: Final = "CHAUTARI_TOKEN"


class Fetch(Protocol):
    """Fetches a record from a server, in JSON. tls: whether to speak TLS; token: empty for a guest."""

    def __call__(self, server: str, match: str, seat: int | None, token: str, tls: bool, /) -> str: ...


def command(convert: Convert, fetch: Fetch) -> Callable[..., None]:
    """The command, over the functions that convert and fetch."""

    def run(
        source: Annotated[str, typer.Argument(help="A file, - for the input; with --server a match, matches/…")],
        server: Annotated[str, typer.Option(help="Fetch the record from HOST:PORT.")] = "",
        seat: Annotated[int | None, typer.Option(min=0, help="As this seat, which is yours, sees it.")] = None,
        token_file: Annotated[
            Path | None, typer.Option(help=f"A file with a token or key; or set {TOKEN}; else you are a guest.")
        ] = None,
        tls: Annotated[bool, typer.Option("--tls", help="The server speaks TLS.")] = False,
        as_json: Annotated[bool, typer.Option("--json", help="In JSON, as it is kept and verified.")] = False,
        phh: Annotated[bool, typer.Option("--phh", help="Hands of hold'em in the poker hand history format.")] = False,
        out: Annotated[Path | None, typer.Option(help="Write it to this file.")] = None,
    ) -> None:
        """Show the record of a match as text to read, in JSON, or in PHH.

        Exit status 2: there is no such record, or it has no such form.
        """
        if as_json and phh:
            raise typer.BadParameter("choose one of --json and --phh")
        token = ""
        form: Form = "json" if as_json else "phh" if phh else "text"
        try:
            if server:
                token = (token_file.read_text() if token_file else os.environ.get(TOKEN, "")).strip()
                text = fetch(server, source if "/" in source else f"matches/{source}", seat, token, tls)
            else:
                text = read_file(source)
            written = convert(text, form)
            if out is None:
                typer.echo("\n".join(map(printable, written.split("\n"))) if sys.stdout.isatty() else written, nl=False)
            else:
                out.write_text(written, encoding="utf-8")
        except OSError as error:
            typer.echo(printable(f"{error.filename or source}: {error.strerror or error}"), err=True)
            if source.startswith("matches/") and not server:
                typer.echo("A match is fetched from a server: add --server HOST:PORT.", err=True)
            raise typer.Exit(2) from None
        except UnicodeDecodeError:
            typer.echo(f"{printable(source)}: this is no text in UTF-8", err=True)
            raise typer.Exit(2) from None
        except ChautariError as error:
            typer.echo(f"{printable(source)}: {printable(error.message)}", err=True)
            if server and error.reason == "NO_ACCESS" and not token:
                typer.echo(
                    f"You asked as a guest. Set {TOKEN} to the key or token of somebody who may see it.", err=True
                )
            raise typer.Exit(2) from None

    return run
