"""The service in this process, called through Envoy."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.envoy import Envoy
from tests.wire.served import Served, serving


@asynccontextmanager
async def serving_behind(envoy: Envoy, **config: Any) -> AsyncIterator[Served]:
    """The service on the ports that Envoy sends calls to; `http` is there in any case."""
    [replica] = envoy.replicas
    ports = {"port": replica.grpc, "http_port": replica.http}
    async with serving(**{**config, "http": True, "trusted_proxies": "127.0.0.1/32", **ports}) as served:
        served.address, served.http, served.root = envoy.address, f"https://{envoy.address}", envoy.root
        yield served
