"""`chautari serve`: runs the service, and says where it is and what to try next."""

import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer


class CannotServe(Exception):
    """The service cannot start; the message says why, and what would help."""


@dataclass(frozen=True, slots=True)
class Ready:
    """A service that takes calls. workers: 0 where one process serves; certificate: what to trust, where we made it."""

    host: str
    port: int
    database: str
    version: str
    pid: int
    reflection: bool
    http_port: int | None = None
    workers: int = 0
    edge_port: int | None = None
    edge_host: str = ""
    certificate: str = ""

    @property
    def address(self) -> str:
        """What a client on this machine connects to for gRPC."""
        return _at(self.host, self.port)

    @property
    def http(self) -> str:
        """The URL of the HTTP front for a client on this machine; empty where there is none."""
        return "" if self.http_port is None else f"http://{_at(self.host, self.http_port)}"

    @property
    def edge(self) -> str:
        """The URL of the one port in front, for gRPC and HTTP; empty where there is none."""
        return "" if self.edge_port is None else f"https://{_at(self.edge_host, self.edge_port)}"


def _at(host: str, port: int) -> str:
    """An address by which this machine reaches what listens there."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


Serve = Callable[[Mapping[str, object], Callable[[Ready], None]], None]


def command(serve: Serve) -> Callable[..., None]:
    """The command, over the function that serves."""

    def run(
        host: Annotated[str | None, typer.Option(help="Where to listen; 0.0.0.0 for all the world.")] = None,
        port: Annotated[int | None, typer.Option(help="The port for gRPC; 0 takes a free one.")] = None,
        http_port: Annotated[int | None, typer.Option(help="The port for HTTP; 0 takes a free one.")] = None,
        http: Annotated[bool | None, typer.Option(help="Serve REST, Connect and gRPC-Web beside gRPC.")] = None,
        database: Annotated[str | None, typer.Option(help="The SQLite file, or a PostgreSQL URL.")] = None,
        memory: Annotated[bool | None, typer.Option("--memory", help="Keep nothing after the end.")] = None,
        reflection: Annotated[bool | None, typer.Option(help="Let tools ask for methods and messages.")] = None,
        workers: Annotated[
            int | None, typer.Option(help="Processes that serve together, under a supervisor; with PostgreSQL.")
        ] = None,
        edge: Annotated[str | None, typer.Option(help="`envoy`: put an Envoy in front, one port with TLS.")] = None,
        edge_port: Annotated[int | None, typer.Option(help="The port of the edge; 0 takes a free one.")] = None,
        tls_certificate: Annotated[str | None, typer.Option(help="Its certificate, a PEM file.")] = None,
        tls_key: Annotated[str | None, typer.Option(help="The key of that, a PEM file.")] = None,
        log_level: Annotated[str | None, typer.Option(help="debug, info, warning or error.")] = None,
        ready_file: Annotated[
            Path | None, typer.Option(help="A file to write address, port and pid to, as JSON, when calls are taken.")
        ] = None,
    ) -> None:
        """Run the service. Each option, and more, can also be set in the environment: CHAUTARI_PORT and so on."""
        options = {
            "host": host, "port": port, "http_port": http_port, "http": http, "database": database,
            "memory": memory, "reflection": reflection, "workers": workers, "edge": edge, "edge_port": edge_port,
            "tls_certificate": tls_certificate, "tls_key": tls_key, "log_level": log_level,
        }  # fmt: skip
        try:
            serve(options, lambda ready: _say(ready, ready_file))
        except CannotServe as error:
            typer.echo(f"chautari: {error}", err=True)
            raise typer.Exit(1) from None
        typer.echo("Chautari has stopped.")

    return run


def _say(ready: Ready, ready_file: Path | None) -> None:
    typer.echo(welcome(ready))
    if ready_file is not None:
        draft = ready_file.with_name(f"{ready_file.name}.draft")
        urls = {"address": ready.address, "http": ready.http, "edge": ready.edge}
        draft.write_text(json.dumps({**urls, **asdict(ready)}) + "\n")
        draft.replace(ready_file)


def welcome(ready: Ready) -> str:
    """Where the service is and what to try next."""
    chautari = _how_called()
    looking = f"  grpcurl -plaintext {ready.address} list\n" if ready.reflection else ""
    http = f"REST, Connect and gRPC-Web are on {ready.http}.\n" if ready.http else ""
    workers = f"{ready.workers} workers serve; SIGHUP replaces them one by one.\n" if ready.workers > 1 else ""
    trust = f" (trust {ready.certificate})" if ready.certificate else ""
    edge = f"All of it is on one port with TLS: {ready.edge}{trust}.\n" if ready.edge else ""
    curl = f"  curl {ready.http}/v1/games\n" if ready.http else ""
    page = f", {ready.http}/docs a page about it" if ready.http else ""
    return (
        f"Chautari {ready.version} serves gRPC on {ready.address}; its database is {ready.database}.\n"
        f"{http}{edge}{workers}"
        "\n"
        "Try next, in another terminal:\n"
        f"  {chautari} games         the games, and {chautari} rules bluff for the rules of one\n"
        f"  {chautari} play bluff    a match in the terminal\n"
        f"{curl}{looking}"
        f"A program begins with chautari.v1.Accounts/CreateGuest; protos/ is the contract{page}.\n"
        "clients/python and clients/typescript are clients.\n"
        "\n"
        "Ctrl-C stops it."
    )


def _how_called() -> str:
    """How to call this command in another terminal: through uv, where that called it here."""
    uv = os.environ.get("UV")
    if not uv:
        return "chautari"
    return f"{'uv' if shutil.which('uv') else os.path.relpath(uv)} run chautari"
