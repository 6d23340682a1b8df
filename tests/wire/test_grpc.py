"""The gRPC front: bytes that are no message, methods that are not there, reflection, health, connections."""

import asyncio
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.rpc import code_pb2
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from chautari.v1 import accounts_pb2, play_pb2, server_pb2
from chautari.wire import nothing
from chautari.wire.grpc import GrpcOptions
from chautari.wire.grpc.call import host_of
from chautari.wire.methods import descriptors
from chautari.wire.ports import PortTaken
from tests.wire.served import Caller, Code, serving
from tests.wire.stand_in import standing_in

REFLECTIONS = ("grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection")
REQUEST = server_pb2.GetServerInfoRequest()


def text_field(number: int, value: bytes) -> bytes:
    """A short text field of a message, whether it holds text or not."""
    return bytes((number << 3 | 2, len(value))) + value


@pytest.mark.parametrize(
    ("method", "body"),
    [
        ("Play/Act", text_field(4, b"throw \xff\xfe")),
        ("Play/Act", text_field(1, b"matches/a")[:-2]),
        ("Play/Act", b"\xff" * 12),
        ("Play/Watch", text_field(1, b"\xc3\x28")),
        ("Accounts/UpdateAccount", text_field(1, text_field(3, b"\xed\xa0\x80"))),
    ],
)
async def test_bytes_that_are_no_message_are_refused(method: str, body: bytes) -> None:
    async with standing_in() as stand_in:
        refused = await stand_in.caller().refused(method, body)
        assert (refused.code, refused.reason) == (Code.INVALID_ARGUMENT, "REQUEST_INVALID")
        assert "UTF-8" in refused.message


async def test_message_that_is_too_large_is_refused_and_the_connection_stays() -> None:
    async with standing_in() as stand_in:
        caller = stand_in.caller()
        for size in (65_537, 200_000):
            refused = await caller.refused("Play/Act", b"\x22" + b"a" * (size - 1))
            assert (refused.code, refused.reason) == (Code.RESOURCE_EXHAUSTED, "MESSAGE_TOO_LARGE")
            assert refused.info.metadata["limit"] == "65536"
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await caller.send("/chautari.v1.Play/Act", b"a" * 300_000)
        assert caught.value.code() is Code.RESOURCE_EXHAUSTED
        await caller.call("Server/GetServerInfo", REQUEST)


async def test_no_calls_at_once_are_as_many_as_come() -> None:
    async with standing_in(calls_at_once=0) as stand_in:
        await stand_in.caller().call("Server/GetServerInfo", REQUEST)


async def test_message_of_just_the_size_is_read() -> None:
    async with standing_in(largest_message=100) as stand_in:
        update = accounts_pb2.UpdateAccountRequest(request_id="x" * 90)
        body = update.SerializeToString()
        padded = body + text_field(9, b"y" * (100 - len(body) - 2))
        assert len(padded) == 100
        assert (await stand_in.caller().refused("Accounts/UpdateAccount", padded)).reason == "REQUEST_INVALID"
        assert (await stand_in.caller().refused("Accounts/UpdateAccount", padded + b"\x00")).reason == (
            "MESSAGE_TOO_LARGE"
        )


@pytest.mark.parametrize("path", ["/chautari.v1.Play/Cheat", "/chautari.v1.Lobby/Find", "/x", nothing.PATH])
async def test_method_that_is_not_there(path: str) -> None:
    async with standing_in() as stand_in:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stand_in.caller().send(path, b"")
        assert caught.value.code() is Code.UNIMPLEMENTED
        details = dict(caught.value.trailing_metadata() or ())["grpc-status-details-bin"]
        assert isinstance(details, bytes)
        assert b"METHOD_UNKNOWN" in details


async def test_hidden_method_does_nothing_where_it_is_asked_for() -> None:
    async with standing_in(measured=True) as stand_in:
        caller = stand_in.caller()
        assert await caller.send(nothing.PATH, nothing.asking_for(600, 0.0, b"x" * 200)) == bytes(600)
        assert await caller.send(nothing.PATH, nothing.asking_for(7, 0.03, b"x" * 200)) == bytes(7)
        assert await caller.send(nothing.PATH, b"") == b""
        listed = await reflect(caller, REFLECTIONS[0], reflection_pb2.ServerReflectionRequest(list_services=""))
        assert "bench" not in str(listed)


async def reflect(
    caller: Caller, name: str, request: reflection_pb2.ServerReflectionRequest
) -> reflection_pb2.ServerReflectionResponse:
    """One question to reflection."""
    call = caller.channel.stream_stream(
        f"/{name}/ServerReflectionInfo",
        request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
    )(iter([request]))
    async for answer in call:
        assert isinstance(answer, reflection_pb2.ServerReflectionResponse)
        return answer
    raise AssertionError("no answer")


@pytest.mark.parametrize("name", REFLECTIONS)
async def test_reflection_tells_services_and_messages(name: str) -> None:
    async with standing_in() as stand_in:
        caller = stand_in.caller()
        listed = await reflect(caller, name, reflection_pb2.ServerReflectionRequest(list_services=""))
        assert {service.name for service in listed.list_services_response.service} == {
            *(descriptor.full_name for descriptor in descriptors()),
            *REFLECTIONS,
            "grpc.health.v1.Health",
        }
        found = await reflect(
            caller, name, reflection_pb2.ServerReflectionRequest(file_containing_symbol="chautari.v1.Play")
        )
        files = [FileDescriptorProto.FromString(one) for one in found.file_descriptor_response.file_descriptor_proto]
        assert "chautari/v1/play.proto" in {file.name for file in files}


@pytest.mark.parametrize("name", REFLECTIONS)
async def test_reflection_can_be_switched_off(name: str) -> None:
    async with standing_in(reflection=False) as stand_in:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await reflect(stand_in.caller(), name, reflection_pb2.ServerReflectionRequest(list_services=""))
        assert caught.value.code() is Code.UNIMPLEMENTED


async def test_health_of_each_service() -> None:
    async with standing_in() as stand_in:
        check: grpc.aio.UnaryUnaryMultiCallable[Any, Any] = stand_in.caller().channel.unary_unary(
            "/grpc.health.v1.Health/Check",
            request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
            response_deserializer=health_pb2.HealthCheckResponse.FromString,
        )
        for service in ("", *(descriptor.full_name for descriptor in descriptors())):
            answer = await check(health_pb2.HealthCheckRequest(service=service))
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await check(health_pb2.HealthCheckRequest(service="chautari.v1.Lobby"))
        assert caught.value.code() is Code.NOT_FOUND
        await stand_in.front.say_not_serving()
        for service in ("", "chautari.v1.Play"):
            answer = await check(health_pb2.HealthCheckRequest(service=service))
            assert answer.status == health_pb2.HealthCheckResponse.NOT_SERVING


async def test_port_that_is_taken() -> None:
    async with serving() as served:
        with pytest.raises(PortTaken, match=served.address):
            async with serving(port=int(served.address.rpartition(":")[2])):
                pass
        await (await served.guest()).call("Server/GetServerInfo", REQUEST)


def test_options_of_connections() -> None:
    assert dict(GrpcOptions().channel_arguments()) == {
        "grpc.max_receive_message_length": 4 * 65536,
        "grpc.max_concurrent_streams": 100,
        "grpc.http2.min_recv_ping_interval_without_data_ms": 20_000,
        "grpc.keepalive_permit_without_calls": 1,
        "grpc.keepalive_time_ms": 30_000,
        "grpc.keepalive_timeout_ms": 10_000,
        "grpc.max_connection_age_ms": 1_800_000,
        "grpc.max_connection_age_grace_ms": 1_200_000,
        "grpc.so_reuseport": 0,
        "grpc.max_allowed_incoming_connections": 10_000,
    }


async def test_client_may_ping_an_idle_connection() -> None:
    """With grpc's own default a client that pings more often than each five minutes is sent away."""
    async with standing_in(least_ping_seconds=0.1) as stand_in:
        caller = stand_in.caller(
            ("grpc.keepalive_time_ms", 200), ("grpc.keepalive_permit_without_calls", 1),
            ("grpc.http2.max_pings_without_data", 0),
        )  # fmt: skip
        call = caller.watch("matches/a")
        assert await call.read() is grpc.aio.EOF
        await caller.call("Server/GetServerInfo", REQUEST)
        await asyncio.sleep(1.5)
        await caller.call("Server/GetServerInfo", REQUEST)
        assert caller.channel.get_state() is grpc.ChannelConnectivity.READY


async def test_calls_at_once_are_bounded() -> None:
    async with serving(calls_at_once=1) as served:
        guest = await served.guest()
        match = await guest.create("bluff", players=2)
        call = guest.watch(match.name)
        assert (await call.read()).HasField("heartbeat")
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await guest.call("Server/GetServerInfo", REQUEST)
        assert caught.value.code().value[0] == code_pb2.RESOURCE_EXHAUSTED
        call.cancel()


@pytest.mark.parametrize(
    ("peer", "host"),
    [
        ("ipv4:10.1.2.3:5000", "10.1.2.3"),
        ("ipv6:%5B2001:db8:1:2:3:4:5:6%5D:5000", "2001:db8:1:2:3:4:5:6"),
        ("ipv6:[2001:db8:1:2::9]:5000", "2001:db8:1:2::9"),
        ("ipv6:[::1]:5000", "::1"),
        ("unix:/run/chautari", "unix"),
        ("unix-abstract:chautari", "unix"),
    ],
)
def test_host_of_a_peer(peer: str, host: str) -> None:
    assert host_of(peer) == host


async def test_view_of_a_match_over_the_wire_is_small_enough_for_a_phone() -> None:
    async with serving() as served:
        guest = await served.guest()
        match = await guest.create("bluff", seats=(0, 1, 2, 3), players=4)
        view = await guest.call("Play/View", play_pb2.ViewRequest(match=match.name, seat=0))
        assert view.ByteSize() < 16 * 1024
