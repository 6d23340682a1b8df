"""What only Envoy in front does: whose address counts, and what is said where no replica does."""

import asyncio
import ssl
import sys

import grpc
import pytest

from chautari.processes import Replica
from chautari.v1 import accounts_pb2, server_pb2
from tests.envoy import Envoy, running_envoy
from tests.ports import held_port
from tests.wire.behind import serving_behind
from tests.wire.over_http import Answer, Http
from tests.wire.served import Caller, Code

ASK = server_pb2.GetServerInfoRequest()


def over_tls(envoy: Envoy) -> Http:
    """A connection to Envoy."""
    return Http(f"https://{envoy.address}", tls=ssl.create_default_context(cadata=envoy.root.decode()))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has all of 127.0.0.0/8 by itself")
async def test_address_of_the_caller_counts_and_not_what_it_claims(envoy: Envoy) -> None:
    async with serving_behind(envoy, guests_per_hour=1) as served:
        tls = ssl.create_default_context(cadata=envoy.root.decode())

        async def ask(source: str, claimed: str) -> Answer:
            http = served.over_http()
            http._reader, http._writer = await asyncio.open_connection(
                "127.0.0.1", envoy.port, ssl=tls, local_addr=(source, 0)
            )
            return await http.rest("POST", "/v1/accounts:createGuest", {}, x_forwarded_for=claimed)

        assert (await ask("127.0.0.2", "192.0.2.1")).status == 200
        assert (await ask("127.0.0.2", "192.0.2.2")).reason == "TOO_MANY_REQUESTS"
        assert (await ask("127.0.0.3", "192.0.2.2")).status == 200


async def test_answer_of_the_service_passes_unchanged(envoy: Envoy) -> None:
    async with serving_behind(envoy, origins="https://play.example") as served:
        http = served.over_http()
        preflight = await http.ask(
            "OPTIONS", "/v1/matches", origin="https://play.example", access_control_request_method="POST"
        )
        assert preflight.headers["access-control-allow-origin"] == "https://play.example"
        gone = await http.ask("GET", "/v1/nothing")
        assert (gone.status, gone.reason) == (404, "PATH_UNKNOWN")
        wrong = await http.rest("DELETE", "/v1/games")
        assert (wrong.status, wrong.reason) == (405, "HTTP_METHOD_UNKNOWN")
        assert "allow" in wrong.headers
        assert "server" not in wrong.headers
        assert not [name for name in wrong.headers if name.startswith("x-envoy")]


async def test_body_that_nobody_takes_is_refused_before_the_service_has_it(envoy: Envoy) -> None:
    async with serving_behind(envoy) as served:
        http = served.over_http()
        refused = await http.rest("POST", "/v1/accounts:createGuest", {"displayName": "ताश" * 100_000})
        assert (refused.status, refused.reason) == (413, "MESSAGE_TOO_LARGE")
        assert refused.headers["content-type"] == "application/problem+json"


async def test_older_http_and_what_is_none_are_refused_as_problems(envoy: Envoy) -> None:
    async with serving_behind(envoy) as served:
        for request, status, reason in (
            (b"GET /v1/games HTTP/1.0\r\n\r\n", 426, "REQUEST_INVALID"),
            (b"GET /v1/games HTTP/1.1\r\n\r\n", 400, "REQUEST_INVALID"),
            (b"GET /v1/games HTTP/1.1\r\nhost: x\r\nx: " + b"y" * 40_000 + b"\r\n\r\n", 431, "HEAD_TOO_LARGE"),
        ):
            http = served.over_http()
            _, writer = await http.open()
            writer.write(request)
            refused = await http.answer()
            assert (refused.status, refused.reason) == (status, reason)
            assert refused.json["details"][-1]["locale"] == "en"


async def test_figures_are_for_nobody_outside_however_their_path_is_written(envoy: Envoy) -> None:
    [replica] = envoy.replicas
    async with serving_behind(envoy, metrics_port=replica.http) as served:
        for path in ("/metrics", "/%6Detrics", "/x/../metrics", "/x/%2e%2e/metrics", "//metrics", "/x%2f..%2fmetrics"):
            assert (await served.over_http().ask("GET", path)).status == 404


async def test_where_there_is_no_replica_callers_are_told_to_try_again() -> None:
    with held_port() as one, held_port() as two, running_envoy((Replica(one, two),)) as envoy:
        http = over_tls(envoy)
        answer = await http.rest("POST", "/v1/accounts:createGuest", {})
        await http.close()
        assert (answer.status, answer.reason) == (503, "NO_REPLICA")
        assert answer.headers["retry-after"] == "1"
        assert answer.json["details"][1]["retryDelay"] == "1s"
        caller = Caller(envoy.address, root=envoy.root)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await caller.call("Server/GetServerInfo", ASK)
        await caller.channel.close()
        assert caught.value.code() is Code.UNAVAILABLE
        assert "{" not in str(caught.value.details()), "no JSON for people"


async def test_calls_beyond_what_replicas_can_bear_are_refused_at_the_edge() -> None:
    with held_port() as one, held_port() as two, running_envoy((Replica(one, two),), calls_per_second=1) as envoy:
        async with serving_behind(envoy) as served:
            caller, http = served.caller(), served.over_http()
            codes = set()
            for _ in range(200):
                try:
                    await caller.call("Server/GetServerInfo", ASK)
                except grpc.aio.AioRpcError as error:
                    codes.add(error.code())
                    break
            assert codes == {Code.RESOURCE_EXHAUSTED}
            answers = [await http.rest("POST", "/v1/accounts:createGuest", {}) for _ in range(20)]
    refused = [answer for answer in answers if answer.status != 200]
    assert {(answer.status, answer.reason, answer.headers["retry-after"]) for answer in refused} == {
        (429, "TOO_MANY_REQUESTS", "1")
    }


async def test_request_that_is_too_large_over_grpc_is_refused_by_the_service(envoy: Envoy) -> None:
    async with serving_behind(envoy) as served:
        caller = served.caller()
        refused = await caller.refused(
            "Accounts/CreateGuest", accounts_pb2.CreateGuestRequest(display_name="a" * 90_000)
        )
        assert refused.reason == "MESSAGE_TOO_LARGE"
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await caller.call("Accounts/CreateGuest", accounts_pb2.CreateGuestRequest(display_name="a" * 900_000))
        assert caught.value.code() is Code.RESOURCE_EXHAUSTED


async def test_replica_may_be_a_name() -> None:
    with held_port() as one, held_port() as two, running_envoy((Replica(one, two, "localhost"),)) as envoy:
        async with serving_behind(envoy) as served:
            assert (await served.over_http().ask("GET", "/v1/server")).status == 200
            await served.caller().call("Server/GetServerInfo", ASK)
