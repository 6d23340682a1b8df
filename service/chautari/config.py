"""What can be set from outside, read from the environment once: `CHAUTARI_DATABASE`, `CHAUTARI_PORT` and so on."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib.metadata import version
from ipaddress import ip_network
from pathlib import Path
from typing import Final, Self

from chautari.variables import read_fields, write_fields

VERSION: Final = version("chautari")
_PREFIX: Final = "CHAUTARI_"
_DATABASE: Final = "CHAUTARI_DATABASE"
_URL: Final = "CHAUTARI_DATABASE_URL"
_POSTGRESQL: Final = ("postgresql://", "postgres://")
_NATS: Final = ("nats://", "tls://")
_LOOPBACK: Final = ("localhost", "::1")
_MOST_WORKERS: Final = 256
_PORTS: Final = ("port", "http_port", "metrics_port", "edge_port")
_MORE_THAN_0: Final = (
    "body_seconds", "code_seconds", "call_seconds", "heartbeat_seconds", "slow_reader_seconds", "largest_message",
)  # fmt: skip


class BadConfig(ValueError):
    """A variable of the environment, or an option of the command line, that cannot be what it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """How the service runs. Each field is the variable `CHAUTARI_` and its name in capitals. 0 stands for no limit.

    database               the SQLite file, or `postgresql://USER:PASSWORD@HOST/NAME`; also as DATABASE_URL
    pooler                 whether `database` leads to a pooler that lends a connection for a transaction only, as
                           PgBouncer does; left out: found out at the start
    hints                  how replicas hear of changes: `postgresql` (LISTEN and NOTIFY), `nats://HOST:4222,nats://…`
                           (`tls://` too; with the extra `nats`), or `none`: each looks once a second, as all do beside
    hints_url              where PostgreSQL is listened to, if `database` leads to such a pooler
    key_file               holds the key that seals secrets there; made at a first start; left out: beside it
    key                    that key itself, 64 hexadecimal digits, in place of a file
    providers_file         the identity providers that are trusted, a TOML file with a table each; left out: none
    names_file             words that no name may hold, one a line; left out: a short list of ours
    memory                 keep everything in memory only, and lose it at the end
    host, port             where gRPC listens; port 0 takes a free one
    http                   whether there is an HTTP front: REST, Connect, gRPC-Web
    http_port              where it listens; 0 takes a free one. Left out: 8080, or a free one where `port` is 0
    origins                pages that may call from a browser, `https://play.example,https://…`; `*` for all
    connections            at once, of gRPC and of HTTP as many each
    connections_per_address  of HTTP at once; those of trusted proxies are not counted. Left out: 1000, and no limit
                           where only this machine can call
    body_seconds           how long the head of a request may take to come, and then its body
    metrics_port           where figures for Prometheus are served, on the same host; 0 for nowhere. The port of HTTP:
                           at `/metrics` there
    reflection             whether tools may ask for the methods and messages
    trusted_proxies        networks of proxies that say where calls come from, `10.0.0.0/8,::1`; `unix` for a socket
    forwarded_header       in which header they do: `x-forwarded-for` or `forwarded`
    share_port             whether several processes may listen on one port
    workers                processes that serve together under a supervisor, on one port each for gRPC and HTTP; 0: this
                           process serves by itself. Limits count in each of them. PostgreSQL only, beyond one
    worker_memory_mib      how large a worker may grow until another takes its place, in MiB; 0: as large as it likes
    edge                   `envoy`: an Envoy in front, on one port with TLS; left out: none
    edge_port              where that listens, on `host`; 0 takes a free one. The workers are on this machine's own then
    edge_hops              trusted proxies in front of the edge that say where calls come from
    edge_calls_per_second  of all callers together, at the edge
    tls_certificate, tls_key  PEM files for the edge; left out, where only this machine can call: made by itself
    calls_per_second       for one account, on average; four times as many at once
    anonymous_per_second   for one address without an account; five times as many at once
    guests_per_hour        new guests for one address. Left out: 10, and no limit where only this machine can call
    address_per_second     calls of all accounts from one address; four times as many at once
    acts_per_second        in one match, of all seats; four times as many at once
    wrong_codes_per_minute for one address
    wrong_tokens_per_minute tokens and keys from one address that do not hold
    streams_per_account    open at once
    watchers_per_match     streams of one match at once that are for none of its seats
    calls_at_once          running in this process, streams included
    largest_message        bytes of a request
    call_seconds           the longest a call may take that is no stream
    refusal_seconds        how long a call over a limit waits for its refusal at least; it waits up to twice as long
    heartbeat_seconds      the longest time without a message on a stream
    slow_reader_seconds    how long one message of a stream may take to be read
    notice_seconds         how long calls are still taken at the end after health says no, so that a proxy turns away
    drain_seconds          how long calls may still run at the end
    pack_after_seconds     how long after its end the journal of a match is packed
    expire_after_seconds   how long after its last change a match that has not started ends, at least a minute
    idle_after_seconds     how long after its last change a match under way ends that has no clock, at least an hour
    code_seconds           how long the code of a match lives
    open_matches_per_account  how many matches that are not over one account may host
    log_level, log_format  debug, info, warning, error; json, text, or auto: text in a terminal
    log_calls              the share of calls that get a line, 0 to 1; those that end in a fault or take long always do
    measured               whether the hidden method is there that benchmarks compare with
    """

    database: str = "var/chautari.db"
    pooler: bool | None = None
    hints: str = "postgresql"
    hints_url: str = ""
    key_file: str = ""
    key: str = ""
    providers_file: str = ""
    names_file: str = ""
    memory: bool = False
    host: str = "127.0.0.1"
    port: int = 50051
    http: bool = True
    http_port: int | None = None
    origins: str = ""
    connections: int = 10_000
    connections_per_address: int | None = None
    body_seconds: float = 10.0
    metrics_port: int = 0
    reflection: bool = True
    trusted_proxies: str = ""
    forwarded_header: str = "x-forwarded-for"
    share_port: bool = False
    workers: int = 0
    worker_memory_mib: int = 0
    edge: str = ""
    edge_port: int = 8443
    edge_hops: int = 0
    edge_calls_per_second: int = 10_000
    tls_certificate: str = ""
    tls_key: str = ""
    calls_per_second: int = 100
    anonymous_per_second: int = 20
    guests_per_hour: int | None = None
    address_per_second: int = 500
    acts_per_second: int = 100
    wrong_codes_per_minute: int = 10
    wrong_tokens_per_minute: int = 300
    streams_per_account: int = 8
    watchers_per_match: int = 5000
    calls_at_once: int = 10_000
    largest_message: int = 64 * 1024
    call_seconds: float = 10.0
    refusal_seconds: float = 1.0
    heartbeat_seconds: float = 20.0
    slow_reader_seconds: float = 10.0
    notice_seconds: float = 0.0
    drain_seconds: float = 5.0
    pack_after_seconds: float = 24 * 3600.0
    expire_after_seconds: float = 24 * 3600.0
    idle_after_seconds: float = 90 * 24 * 3600.0
    code_seconds: float = 24 * 3600.0
    open_matches_per_account: int = 20
    log_level: str = "info"
    log_format: str = "auto"
    log_calls: float = 1.0
    measured: bool = False

    def __post_init__(self) -> None:
        for name in _PORTS:
            if not 0 <= (getattr(self, name) or 0) <= 65535:
                raise BadConfig(f"{name} must be from 0 to 65535, not {getattr(self, name)}")
        for name in _MORE_THAN_0:
            if getattr(self, name) <= 0:
                raise BadConfig(f"{name} must be more than 0, not {getattr(self, name)}")
        for name in (field.name for field in fields(self)):
            value = getattr(self, name)
            if isinstance(value, (int, float)) and not value >= 0:
                raise BadConfig(f"{name} must be 0 or more, not {value}")
        if "://" in self.database and not self.database.startswith(("sqlite:///", *_POSTGRESQL)):
            raise BadConfig(
                "database must be the path of a SQLite file, sqlite:///PATH or postgresql://USER@HOST/NAME, not "
                f"{self.database!r}"
            )
        if self.hints not in ("postgresql", "none") and not all(
            server.strip().startswith(_NATS) for server in self.hints.split(",")
        ):
            raise BadConfig("hints must be postgresql, none or nats://HOST:PORT, with commas between several")
        if self.hints_url and not self.hints_url.startswith(_POSTGRESQL):
            raise BadConfig("hints_url must be postgresql://USER@HOST/NAME")
        _one_of("log_level", self.log_level, ("debug", "info", "warning", "error"))
        _one_of("log_format", self.log_format, ("auto", "json", "text"))
        _one_of("forwarded_header", self.forwarded_header, ("x-forwarded-for", "forwarded"))
        _one_of("edge", self.edge, ("", "envoy"))
        if self.workers > _MOST_WORKERS:
            raise BadConfig(f"workers must be from 0 to {_MOST_WORKERS}, not {self.workers}")
        for name in self.trusted_proxies.split(","):
            _check_network(name.strip())

    @classmethod
    def read(cls, environment: Mapping[str, str], **options: object) -> Self:
        """The defaults, over them the environment, over that the options that are not None; or BadConfig."""
        if _URL in environment:
            environment = {_DATABASE: environment[_URL], **environment}
        try:
            given = read_fields(cls, environment, _PREFIX)
        except ValueError as error:
            raise BadConfig(str(error)) from None
        given |= {name: value for name, value in options.items() if value is not None}
        return cls(**given)

    def environment(self) -> dict[str, str]:
        """The variables that say all this to another process."""
        return write_fields(self, _PREFIX)

    @property
    def database_url(self) -> str:
        """The database as a URL."""
        return self.database if "://" in self.database else f"sqlite:///{self.database}"

    @property
    def is_postgresql(self) -> bool:
        """Whether the database is PostgreSQL, which many replicas may share."""
        return self.database.startswith(_POSTGRESQL)

    @property
    def is_shared(self) -> bool:
        """Whether several processes may serve this database."""
        return self.is_postgresql and not self.memory

    @property
    def is_supervised(self) -> bool:
        """Whether a supervisor serves, by workers."""
        return bool(self.workers or self.edge)

    @property
    def is_local(self) -> bool:
        """Whether only this machine can call."""
        return self.host in _LOOPBACK or self.host.startswith("127.")

    @property
    def edge_folder(self) -> Path:
        """Where a certificate of our own is kept: beside the key that seals secrets, else with the SQLite file."""
        return (self.key_path if self.key_file or not self.is_postgresql else Path("var/x")).parent

    @property
    def database_path(self) -> Path:
        """The file of the database."""
        return Path(self.database_url.removeprefix("sqlite:///"))

    @property
    def shown_database(self) -> str:
        """The database as it may be shown: without a password."""
        if self.memory:
            return "memory"
        if not self.is_postgresql:
            return str(self.database_path)
        user, at, rest = self.database.partition("://")[2].rpartition("@")
        return f"postgresql://{user.partition(':')[0]}{at}{rest.partition('?')[0]}"

    @property
    def http_at(self) -> int:
        """The port of the HTTP front."""
        return self.http_port if self.http_port is not None else 8080 if self.port else 0

    @property
    def allowed_origins(self) -> tuple[str, ...]:
        """The pages that may call from a browser."""
        return tuple(origin.strip().rstrip("/") for origin in self.origins.split(",") if origin.strip())

    @property
    def key_path(self) -> Path:
        """The file of the key that seals secrets."""
        return Path(self.key_file) if self.key_file else self.database_path.with_suffix(".key")

    @property
    def guests(self) -> int:
        """How many new guests an hour one address may make; 0 for no limit."""
        if self.guests_per_hour is not None:
            return self.guests_per_hour
        return 0 if self.is_local else 10

    @property
    def address_connections(self) -> int:
        """How many connections of HTTP one address may have open; 0 for no limit."""
        if self.connections_per_address is not None:
            return self.connections_per_address
        return 0 if self.is_local else 1000


def _check_network(name: str) -> None:
    try:
        if name not in ("", "unix"):
            ip_network(name)
    except ValueError as error:
        raise BadConfig(
            f"trusted_proxies must be networks such as 10.0.0.0/8, with commas between them: {error}"
        ) from None


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise BadConfig(f"{name} must be one of {', '.join(allowed)}, not {value!r}")
