"""The configuration of Envoy: what it takes, how it routes, and that the written example is the template."""

import json
import re
import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from google.api import annotations_pb2
from google.rpc import code_pb2

from chautari.processes import EdgePlan, Replica, bootstrap, certificate_for
from chautari.v1.errors_pb2 import ErrorReason
from chautari.wire.http.statuses import http_status
from chautari.wire.methods import descriptors
from tests.envoy import envoy_program
from tests.processes.example import EXAMPLE, example

PLAN = EdgePlan(
    replicas=(Replica(50051, 8080), Replica(50052, 8081)), certificate=Path("/c.pem"), key=Path("/k.pem"), admin="/a"
)
STREAMS = [
    f"/{service.full_name}/{rpc.name}" for service in descriptors() for rpc in service.methods if rpc.server_streaming
]


@cache
def routes() -> list[dict[str, Any]]:
    """The routes, in order."""
    listener = yaml.safe_load(bootstrap(PLAN))["static_resources"]["listeners"][0]
    manager = listener["filter_chains"][0]["filters"][0]["typed_config"]
    found: list[dict[str, Any]] = manager["route_config"]["virtual_hosts"][0]["routes"]
    return found


def route(path: str, method: str = "POST", content_type: str = "") -> dict[str, Any]:
    """The route that a request takes, as Envoy chooses it."""
    headers = {":method": method, "content-type": content_type}
    for one in routes():
        match = one["match"]
        right = path.startswith(match["prefix"]) if "prefix" in match else _fits(match["safe_regex"], path)
        if right and all(
            _fits(header["string_match"]["safe_regex"], headers[header["name"]]) for header in match.get("headers", ())
        ):
            return one
    raise AssertionError(f"no route for {path}")


def _fits(pattern: dict[str, str], text: str) -> bool:
    return re.fullmatch(pattern["regex"], text) is not None


@pytest.mark.parametrize(
    "plan",
    [
        PLAN,
        replace(PLAN, host="0.0.0.0", port=443, admin="127.0.0.1:9901", hops=1),
        replace(PLAN, replicas=(Replica(50051, 8080, "chautari.internal"),), calls_per_second=0, heartbeat=0.25),
        replace(PLAN, host="::", calls_per_second=3, often=0.2, certificate=Path('/a "quoted" नाम.pem')),
    ],
    ids=["plain", "open", "names", "odd"],
)
def test_envoy_takes_it(plan: EdgePlan, tmp_path: Path) -> None:
    certificate, key = certificate_for(tmp_path)
    named = certificate.rename(tmp_path / plan.certificate.name)
    (tmp_path / "envoy.yaml").write_text(bootstrap(replace(plan, certificate=named, key=key)))
    command = [envoy_program(), "--mode", "validate", "-c", str(tmp_path / "envoy.yaml"), "--disable-hot-restart"]
    done = subprocess.run([*command, "--log-level", "warn"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "deprecated" not in done.stderr.lower()


def test_example_is_the_template_filled_in() -> None:
    assert EXAMPLE.read_text("utf-8") == example(), "python -m tests.processes.example writes it"


@pytest.mark.parametrize("path", STREAMS)
def test_stream_has_no_time_limit_but_idleness_on_any_way(path: str) -> None:
    ways = [route(path, content_type="application/grpc"), route(path, content_type="application/grpc-web+proto")]
    assert [way["route"]["cluster"] for way in ways] == ["grpc", "http"]
    for way in ways:
        assert way["route"]["timeout"] == "0s"
        assert way["route"]["max_stream_duration"]["max_stream_duration"] == "3900s"


def test_stream_over_rest_has_none_either() -> None:
    found = set()
    for service in descriptors():
        for rpc in service.methods:
            options: Any = rpc.GetOptions()
            rule = options.Extensions[annotations_pb2.http]
            verb = rule.WhichOneof("pattern")
            path = re.sub(r"\{[^}]*\}", "matches/abc", getattr(rule, verb))
            if route(path, verb.upper())["name"] == "rest-streams":
                found.add(f"/{service.full_name}/{rpc.name}")
    assert found == set(STREAMS)


@pytest.mark.parametrize(
    ("content_type", "cluster"),
    [
        ("application/grpc", "grpc"), ("application/grpc+proto", "grpc"), ("application/grpc;charset=x", "grpc"),
        ("application/grpc-web", "http"), ("application/grpc-web-text+proto", "http"), ("application/proto", "http"),
        ("application/json", "http"), ("", "http"),
    ],
)  # fmt: skip
def test_grpc_is_known_by_its_content_type(content_type: str, cluster: str) -> None:
    assert route("/chautari.v1.Play/Act", content_type=content_type)["route"]["cluster"] == cluster


def test_only_what_is_not_begun_or_only_reads_is_tried_again() -> None:
    for one in routes():
        tried = one.get("route", {}).get("retry_policy", {}).get("retry_on", "")
        if one.get("name") == "reads":
            assert "retriable-status-codes" in tried
        else:
            assert set(tried.split(",")) <= {"", "connect-failure", "refused-stream", "reset-before-request"}
    assert route("/v1/matches/a:act", "POST")["name"] == "http"
    assert route("/v1/matches/a:view", "GET")["name"] == "reads"


def test_figures_are_not_shown_to_the_world() -> None:
    assert route("/metrics", "GET")["direct_response"]["status"] == 404


def test_idle_streams_are_left_alone_for_longer_than_two_heartbeats() -> None:
    text = bootstrap(replace(PLAN, heartbeat=7))
    assert "stream_idle_timeout: 22s" in text


def test_what_envoy_says_by_itself_is_a_problem_of_the_contract() -> None:
    config = yaml.safe_load(bootstrap(PLAN))
    manager = config["static_resources"]["listeners"][0]["filter_chains"][0]["filters"][0]["typed_config"]
    for mapper in manager["local_reply_config"]["mappers"]:
        problem = mapper["body_format_override"]["json_format"]
        assert f"ERROR_REASON_{problem['reason']}" in ErrorReason.keys()  # noqa: SIM118  # it is no dict
        assert problem["details"][-1]["message"] == problem["detail"], "it is said to people too"
        if problem["status"] not in (426, 502):  # the service speaks older HTTP, and stands before nobody
            assert http_status(code_pb2.Code.Value(problem["code"]), problem["reason"]) == problem["status"]
        assert json.dumps(problem).isascii()
