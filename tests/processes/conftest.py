"""A PostgreSQL for services of several processes."""

from collections.abc import Iterator

import pytest

from tests.cluster import Cluster, running_cluster

KEY = "5a" * 32


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL that runs."""
    with running_cluster() as running:
        yield running


@pytest.fixture
def url(cluster: Cluster) -> str:
    """An empty database there."""
    return cluster.url(cluster.make_database())
