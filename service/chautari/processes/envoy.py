"""The configuration of an Envoy in front of the service: `envoy.yaml`, a template, filled in."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from ipaddress import ip_address
from pathlib import Path
from string import Template
from typing import Any, Final

_REPLIES: Final = {
    400: ("REQUEST_INVALID", "INVALID_ARGUMENT", "this is no request that can be passed on"),
    404: ("PATH_UNKNOWN", "NOT_FOUND", "there is nothing at this path; see /openapi.json"),
    408: ("REQUEST_SLOW", "DEADLINE_EXCEEDED", "the request did not come in time; nothing was done"),
    413: ("MESSAGE_TOO_LARGE", "RESOURCE_EXHAUSTED", "the message is larger than what is taken here"),
    426: ("REQUEST_INVALID", "INVALID_ARGUMENT", "HTTP/1.1 or HTTP/2 is spoken here"),
    429: ("TOO_MANY_REQUESTS", "RESOURCE_EXHAUSTED", "the service is busy: try again in a moment"),
    431: ("HEAD_TOO_LARGE", "RESOURCE_EXHAUSTED", "path and headers are too long"),
    502: ("NO_REPLICA", "UNAVAILABLE", "the service gave no answer; the call may have been done"),
    503: ("NO_REPLICA", "UNAVAILABLE", "the service cannot be reached now; the call may have been done"),
    504: ("DEADLINE_PASSED", "DEADLINE_EXCEEDED", "the call took too long; it may have been done"),
}
"""What Envoy says by itself: the reason, the code and the text of a problem."""
_AGAIN: Final = (429, 502, 503)
"""Where a retry helps, in a second."""
_DETAIL: Final = "type.googleapis.com/google.rpc."


@dataclass(frozen=True, slots=True)
class Replica:
    """A process of the service, or a name behind which there are several."""

    grpc: int
    http: int
    host: str = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class EdgePlan:
    """What Envoy is told. Times are in seconds, sizes in bytes.

    certificate, key  PEM files
    admin             the path of a socket for its own pages, or `host:port`
    hops              trusted proxies that stand before it
    largest           of a body over HTTP
    connections       at once
    calls_per_second  of all callers together; 0 for as many as come
    heartbeat         how often a stream says something at least
    call              how long a call that is no stream may take
    stream            how long a stream may last
    often             how often replicas are asked for their health
    """

    replicas: tuple[Replica, ...]
    certificate: Path
    key: Path
    admin: str
    host: str = "127.0.0.1"
    port: int = 8443
    hops: int = 0
    largest: int = 256 * 1024
    connections: int = 10_000
    calls_per_second: int = 10_000
    heartbeat: float = 20.0
    call: float = 10.0
    stream: float = 3900.0
    often: float = 1.0


_MOST: Final = 1_000_000
"""Calls a second that stand for no limit."""


def bootstrap(plan: EdgePlan) -> str:
    """The configuration, as YAML to read."""
    each = max(1, (plan.calls_per_second or _MOST) // 10)
    text = files("chautari.processes").joinpath("envoy.yaml").read_text("utf-8")
    return Template(text).substitute(
        admin=_flow(_admin(plan.admin)),
        address=_flow(_address(plan.host, plan.port)),
        certificate=_flow(str(plan.certificate)),
        key=_flow(str(plan.key)),
        connections=plan.connections,
        hops=plan.hops,
        heartbeat=f"{plan.heartbeat:g}",
        idle=f"{3 * plan.heartbeat + 1:g}",
        gone=round(2000 * plan.heartbeat),
        burst=20 * each,
        tokens=each,
        largest=plan.largest,
        longest=f"{plan.stream:g}",
        call=f"{plan.call + 5:g}",
        often=f"{plan.often:g}",
        discovery=_discovery(plan),
        grpc=_flow(_endpoints((replica.host, replica.grpc) for replica in plan.replicas)),
        http=_flow(_endpoints((replica.host, replica.http) for replica in plan.replicas)),
        replies="".join(f"\n                    - {_flow(_mapper(status))}" for status in _REPLIES),
    )


def _flow(value: Any) -> str:
    """A value in one line; JSON is YAML."""
    return json.dumps(value)


def _admin(where: str) -> dict[str, Any]:
    if where.startswith(("/", "@")):
        return {"pipe": {"path": where, "mode": 0o600}}
    host, _, port = where.rpartition(":")
    return _address(host, int(port))


def _address(host: str, port: int) -> dict[str, Any]:
    both = {"ipv4_compat": True} if host == "::" else {}
    return {"socket_address": {"address": host, "port_value": port, **both}}


def _endpoints(replicas: Iterable[tuple[str, int]]) -> list[dict[str, Any]]:
    return [{"endpoint": {"address": _address(host, port)}} for host, port in replicas]


def _discovery(plan: EdgePlan) -> str:
    """How replicas are found. A name is looked up again and again: one that is started anew may have moved."""
    if all(_is_address(replica.host) for replica in plan.replicas):
        return "type: STATIC"
    kind = {
        "@type": "type.googleapis.com/envoy.extensions.clusters.dns.v3.DnsCluster",
        "dns_refresh_rate": "1s",
        "dns_lookup_family": "V4_PREFERRED",
    }
    return f"cluster_type: {_flow({'name': 'envoy.cluster.dns', 'typed_config': kind})}"


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _mapper(status: int) -> dict[str, Any]:
    """What takes the place of Envoy's own words; not over gRPC, where they become the message of the status."""
    reason, code, says = _REPLIES[status]
    details: list[dict[str, Any]] = [{"@type": _DETAIL + "ErrorInfo", "reason": reason, "domain": "chautari"}]
    if status in _AGAIN:
        details.append({"@type": _DETAIL + "RetryInfo", "retryDelay": "1s"})
    details.append({"@type": _DETAIL + "LocalizedMessage", "locale": "en", "message": says})
    problem = {
        "type": f"/errors/{reason}",
        "title": reason.replace("_", " ").capitalize(),
        "status": status,
        "detail": says,
        "reason": reason,
        "code": code,
        "details": details,
    }
    mapper: dict[str, Any] = {
        "filter": {
            "and_filter": {
                "filters": [
                    {
                        "status_code_filter": {
                            "comparison": {"op": "EQ", "value": {"default_value": status, "runtime_key": f"r{status}"}}
                        }
                    },
                    {
                        "header_filter": {
                            "header": {
                                "name": "content-type",
                                "string_match": {"prefix": "application/grpc"},
                                "invert_match": True,
                                "treat_missing_header_as_empty": True,
                            }
                        }
                    },
                ]
            }
        },
        "body_format_override": {"json_format": problem, "content_type": "application/problem+json"},
    }
    if status in _AGAIN:
        mapper["headers_to_add"] = [
            {"header": {"key": "retry-after", "value": "1"}, "append_action": "OVERWRITE_IF_EXISTS_OR_ADD"}
        ]
    return mapper
