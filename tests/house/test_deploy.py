"""What lies in deploy/: tools that know containers have nothing against it, and its parts fit each other."""

import re
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest
import yaml

from chautari.config import Config

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
SCRIPTS = Path(sysconfig.get_path("scripts"))


@pytest.mark.parametrize(
    "command",
    [
        ["hadolint", str(DEPLOY / "Containerfile")],
        ["check-jsonschema", "--builtin-schema", "vendor.compose-spec", str(DEPLOY / "compose.yaml")],
    ],
    ids=lambda command: str(command[0]),
)
def test_tool_finds_nothing(command: list[str]) -> None:
    done = subprocess.run([str(SCRIPTS / command[0]), *command[1:]], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_envoy_knows_the_replicas_of_the_compose_file() -> None:
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    envoy = yaml.safe_load((DEPLOY / "envoy" / "envoy.yaml").read_text())
    replicas = {name for name in compose["services"] if name.startswith("replica")}
    assert len(replicas) == 2
    for cluster, port in zip(envoy["static_resources"]["clusters"], (Config().port, Config().http_at), strict=True):
        [endpoints] = cluster["load_assignment"]["endpoints"]
        found = [_address(one) for one in endpoints["lb_endpoints"]]
        assert {address["address"] for address in found} == replicas
        assert {address["port_value"] for address in found} == {port}
    [public] = compose["services"]["envoy"]["ports"]
    assert public.endswith(f":{envoy['static_resources']['listeners'][0]['address']['socket_address']['port_value']}")


def _address(endpoint: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = endpoint["endpoint"]["address"]["socket_address"]
    return found


def test_replicas_are_configured_by_variables_that_there_are() -> None:
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    told = compose["services"]["replica-1"]["environment"]
    given = {name.replace("DATABASE_URL", "DATABASE"): str(value) for name, value in told.items()}
    config = Config.read({name: re.sub(r"\$\{[^}]*\}", "x", value) for name, value in given.items()})
    assert config.is_shared
    assert set(given) <= {f"CHAUTARI_{name}" for name in (field.upper() for field in Config.__dataclass_fields__)}
    grace = float(compose["services"]["replica-1"]["stop_grace_period"].removesuffix("s"))
    assert grace > config.notice_seconds + config.drain_seconds


def test_example_environment_has_all_that_the_compose_file_asks_for() -> None:
    asked = set(re.findall(r"\$\{(\w+)", (DEPLOY / "compose.yaml").read_text()))
    told = set(re.findall(r"^(\w+)=", (DEPLOY / "example.env").read_text(), re.MULTILINE))
    assert asked == told
