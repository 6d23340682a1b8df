"""What the tests of the wire share: services that end at once, a connection to them, and an Envoy in front of some."""

from collections.abc import Iterator

import pytest

from chautari import running
from chautari.processes import Replica
from tests.envoy import Envoy, running_envoy
from tests.ports import held_port
from tests.wire.over_http import Http
from tests.wire.served import Served


@pytest.fixture(autouse=True)
def nobody_comes_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service hardly waits for calls of its last moment; where a test makes one, it has the service wait for it."""
    monkeypatch.setattr(running, "_LINGER_SECONDS", 0.01)


@pytest.fixture
def http(served: Served) -> Http:
    """A connection of nobody in particular."""
    return served.over_http()


@pytest.fixture(scope="session")
def envoy() -> Iterator[Envoy]:
    """The Envoy, in front of one replica, as long as its worker of the tests lives; services come and go behind it."""
    with held_port() as grpc, held_port() as http, running_envoy((Replica(grpc, http),), often=0.2) as edge:
        yield edge
