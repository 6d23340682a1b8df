"""What each part is told of the configuration, in the part's own terms.

Like `main` it ties rooms together.
"""

from dataclasses import fields
from math import ceil
from pathlib import Path
from typing import Final

from chautari.app.name_words import NameWords, read_words, usual_words
from chautari.app.new_matches import Terms
from chautari.app.providers import Fetch, Provider, read_providers
from chautari.app.values import SECOND
from chautari.config import VERSION, Config
from chautari.wire.addresses import Proxies
from chautari.wire.grpc import GrpcOptions
from chautari.wire.http import Doors, HttpOptions, Reading
from chautari.wire.limits import Allowed, Rate
from chautari.wire.services import Facts

_NO_LIMITS: Final = (
    "port", "http_port", "metrics_port", "workers", "worker_memory_mib", "edge_port", "edge_hops", "notice_seconds",
    "drain_seconds", "pack_after_seconds", "log_calls",
)  # fmt: skip
"""Numbers that bound nobody."""


def terms(config: Config) -> Terms:
    """The terms of new matches."""
    return Terms(
        code=int(config.code_seconds * SECOND),
        expire=int(max(config.expire_after_seconds, 60.0) * SECOND) if config.expire_after_seconds else 0,
        idle=int(max(config.idle_after_seconds, 3600.0) * SECOND) if config.idle_after_seconds else 0,
        open_at_most=config.open_matches_per_account,
    )


def name_words(config: Config) -> NameWords:
    """The words that no name may hold."""
    return read_words(Path(config.names_file).read_text("utf-8")) if config.names_file else usual_words()


def providers(config: Config) -> tuple[tuple[Provider, ...], Fetch | None]:
    """The identity providers that are trusted, and what gets their keys."""
    found = read_providers(Path(config.providers_file).read_text("utf-8")) if config.providers_file else ()
    if not found:
        return (), None
    from chautari.wire.fetch import fetch  # a client of HTTP, which nothing else here needs

    return found, fetch


def allowed(config: Config) -> Allowed:
    """How often each caller may call, and how much at once."""
    return Allowed(
        calls=Rate(4 * config.calls_per_second, 4),
        address=Rate(4 * config.address_per_second, 4),
        anonymous=Rate(5 * config.anonymous_per_second, 5),
        guests=Rate(config.guests, 3600),
        codes=Rate(config.wrong_codes_per_minute, 60),
        tokens=Rate(config.wrong_tokens_per_minute, 60),
        acts=Rate(4 * config.acts_per_second, 4),
        streams=config.streams_per_account,
        watchers=config.watchers_per_match,
    )


def grpc_options(config: Config) -> GrpcOptions:
    """How the gRPC front takes connections and requests."""
    return GrpcOptions(
        host=config.host,
        port=config.port,
        largest_message=config.largest_message,
        calls_at_once=config.calls_at_once,
        connections=config.connections,
        reflection=config.reflection,
        proxies=_proxies(config),
        shares_port=config.share_port,
        measured=config.measured,
    )


def http_options(config: Config) -> HttpOptions:
    """How the HTTP front does."""
    proxies = _proxies(config)
    return HttpOptions(
        host=config.host,
        port=config.http_at,
        reading=Reading(config.largest_message, config.body_seconds, proxies),
        doors=Doors(
            most=config.connections,
            most_of_one=config.address_connections,
            head_seconds=config.body_seconds,
            gone_seconds=gone_seconds(config),
            proxies=proxies,
        ),
        origins=config.allowed_origins,
        shares_port=config.share_port,
        measured=config.measured,
    )


def gone_seconds(config: Config) -> float:
    """After how long of not a word a reader is gone: two signs of life, and never before it is too slow."""
    return max(2 * config.heartbeat_seconds, 3 * config.slow_reader_seconds)


def _proxies(config: Config) -> Proxies:
    return Proxies(config.trusted_proxies, config.forwarded_header)


def facts(config: Config) -> Facts:
    """What the server says of itself to clients."""
    new = terms(config)
    return Facts(
        version=VERSION,
        max_message_bytes=config.largest_message,
        max_streams=GrpcOptions().streams_per_connection,
        address_connections=config.address_connections if config.http else 0,
        max_call_seconds=round(config.call_seconds),
        heartbeat_seconds=ceil(config.heartbeat_seconds),
        allowed=allowed(config),
        open_matches=new.open_at_most,
        code_seconds=new.code // SECOND,
        seating_seconds=new.expire // SECOND,
        idle_seconds=new.idle // SECOND,
    )


def limits(config: Config) -> list[tuple[str, str, str]]:
    """What callers are held to, for people: the name of each limit, its value, and what it bounds."""
    found = []
    held = {"guests_per_hour": config.guests, "connections_per_address": config.address_connections}
    for name, about in _about(Config).items():
        value = held.get(name, getattr(config, name))
        if isinstance(value, (int, float)) and not isinstance(value, bool) and name not in _NO_LIMITS:
            unit = " s" if name.endswith("_seconds") else " bytes" if "message" in name else ""
            shown = f"{value:,g}" if isinstance(value, float) else f"{value:,}"
            label = name.removesuffix("_seconds").replace("_", " ").capitalize()
            found.append((label, f"{shown}{unit}" if value else "no limit", about))
    return found


def _about(kind: type[Config]) -> dict[str, str]:
    """What the docstring says of each field."""
    names = {field.name for field in fields(kind)}
    found: dict[str, str] = {}
    last = ""
    for line in (kind.__doc__ or "").splitlines():
        words = line.split()
        told = [word.rstrip(",") for word in words]
        count = next((number for number, word in enumerate(told) if word not in names), len(told))
        if count:
            last = told[count - 1]
            found |= dict.fromkeys(told[:count], " ".join(words[count:]))
        elif last and words:
            found[last] += " " + " ".join(words)
    return found
