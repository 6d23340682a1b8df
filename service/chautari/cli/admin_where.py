"""Where `chautari admin` operates: options that each of its commands takes, before its name and behind it."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from chautari.cli.db import Database

KEY: Final = "CHAUTARI_API_KEY"

Server = Annotated[str, typer.Option(help="Operate at HOST:PORT by an API key; else on the database here.")]
KeyFile = Annotated[Path | None, typer.Option(help=f"A file with the API key; or set {KEY}.")]
Tls = Annotated[bool, typer.Option("--tls", help="The server speaks TLS.")]


@dataclass(frozen=True, slots=True)
class Where:
    """Where to operate: at a server, by an API key, or on a database. tls: whether the server speaks TLS."""

    server: str = ""
    key: str = ""
    tls: bool = False
    database: str | None = None


class Chosen:
    """Where to operate, as the options before and behind the name of a command say."""

    def __init__(self) -> None:
        self._key_file: Path | None = None
        self._where = Where()

    def before(
        self, server: Server = "", key_file: KeyFile = None, tls: Tls = False, database: Database = None
    ) -> None:
        """Takes what stands before the command, and forgets what was said for another."""
        self._key_file, self._where = key_file, Where(server, "", tls, database)

    def behind(
        self, server: Server = "", key_file: KeyFile = None, tls: Tls = False, database: Database = None
    ) -> None:
        """Takes what stands behind it: this is meant where an option is given before it too."""
        known = self._where
        self._key_file = key_file or self._key_file
        self._where = Where(
            server or known.server, "", tls or known.tls, known.database if database is None else database
        )

    def where(self) -> Where:
        """The place, with the key that it wants; ValueError where there is none, or two places are named."""
        if self._where.server and self._where.database:
            raise ValueError("--server and --database name two places to operate: give one of them")
        secret = (self._key_file.read_text() if self._key_file else os.environ.get(KEY, "")).strip()
        if self._where.server and not secret:
            raise ValueError(f"a server wants an API key with the scope operate: set {KEY}, or give --key-file")
        return replace(self._where, key=secret)


def command(app: typer.Typer, name: str, chosen: Chosen) -> Callable[[Callable[..., None]], None]:
    """Adds a command, which takes where to operate among its own options too."""

    def add(function: Callable[..., None]) -> None:
        own, more = signature(function), signature(chosen.behind)

        @wraps(function)
        def run(**values: Any) -> None:
            chosen.behind(**{name: values.pop(name) for name in more.parameters})
            function(**values)

        run.__signature__ = own.replace(parameters=[*own.parameters.values(), *more.parameters.values()])  # type: ignore[attr-defined]
        run.__annotations__ = {**function.__annotations__, **chosen.behind.__annotations__}
        app.command(name)(run)

    return add
