"""An Envoy that lives as long as its worker of the tests, in front of services that come and go on two ports."""

from collections.abc import Iterator

import pytest

from chautari.processes import Replica
from tests.envoy import Envoy, running_envoy
from tests.ports import held_port


@pytest.fixture(scope="session")
def envoy() -> Iterator[Envoy]:
    """The Envoy, in front of one replica."""
    with held_port() as grpc, held_port() as http, running_envoy((Replica(grpc, http),), often=0.2) as running:
        yield running
