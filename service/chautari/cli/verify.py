"""`chautari verify`: whether records hold, by playing them again; no server is asked."""

import json
import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Final, Protocol

import typer

from chautari.app.signs import printable
from chautari.cli import verify_shuffles
from chautari.errors import ChautariError

_LISTED: Final = 20


class Verdict(Protocol):
    """What became of verifying a record, in lines for people."""

    match: str
    game: str
    checked: list[str]
    unchecked: list[str]
    more: int

    @property
    def differences(self) -> Sequence[object]:
        """What does not hold."""
        ...


Verify = Callable[[str], tuple[Verdict, str]]
"""The verdict on the text of a record, in either form, and the record in JSON."""


def command(verify: Verify) -> Callable[..., None]:
    """The command, over the function that verifies."""

    def run(
        records: Annotated[list[str], typer.Argument(help="Files in JSON or text form; - reads the input.")],
    ) -> None:
        """Verify records of matches: shuffles, events and results, by playing them again.

        Exit status 1: something does not hold; 2: a record cannot be read, or played by this program.
        """
        statuses = [verify_file(verify, name) for name in records]
        raise typer.Exit(1 if 1 in statuses else max(statuses))

    return run


def verify_file(verify: Verify, name: str) -> int:
    """Says what became of one file; its exit status."""
    try:
        verdict, as_json = verify(read_file(name))
    except OSError as error:
        typer.echo(f"{printable(name)}: {printable(error.strerror or str(error))}", err=True)
        return 2
    except UnicodeDecodeError:
        typer.echo(f"{printable(name)}: this is no text in UTF-8", err=True)
        return 2
    except ChautariError as error:
        typer.echo(f"{printable(name)}: {printable(error.message)}", err=True)
        return 2
    typer.echo(printable(f"{name}: {verdict.match}, {verdict.game}"))
    found = [str(difference) for difference in verdict.differences]
    more = verdict.more
    try:
        apart, count = verify_shuffles.check(json.loads(as_json))
    except verify_shuffles.NothingToCheck:
        pass
    else:
        found += [f"verify_shuffles.py: {line}" for line in apart]
        if not apart:
            verdict.checked.append(f"verify_shuffles.py, which knows no rules, finds the same {count} shuffles")
    more += max(0, len(found) - _LISTED)
    for line in found[:_LISTED]:
        typer.echo(printable(f"  differs    {line}"))
    if more:
        typer.echo(f"  differs    and {more} more")
    for line in [] if found else verdict.checked:
        typer.echo(printable(f"  holds      {line}"))
    for line in verdict.unchecked:
        typer.echo(printable(f"  unchecked  {line}"))
    return 1 if found else 0


def read_file(name: str) -> str:
    """The text of a file, `-` for the input; OSError, UnicodeDecodeError."""
    if name == "-":
        return sys.stdin.buffer.read().decode("utf-8-sig")
    with open(name, encoding="utf-8-sig") as file:
        return file.read()
