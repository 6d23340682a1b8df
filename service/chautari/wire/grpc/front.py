"""The gRPC front: grpc.aio over the pipeline, with health, reflection and the limits of connections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn

import grpc
from google.rpc.status_pb2 import Status
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_status import rpc_status

from chautari.wire import errors, nothing
from chautari.wire.addresses import Proxies
from chautari.wire.errors import Failed
from chautari.wire.grpc import reflection
from chautari.wire.grpc.call import GrpcCall, header_of
from chautari.wire.languages import choose
from chautari.wire.methods import Method, descriptors
from chautari.wire.pipeline import Pipeline
from chautari.wire.ports import PortTaken, written

Context = grpc.aio.ServicerContext[Any, Any]

_ROOM: Final = 4
"""A message somewhat too large still gets in, so that its refusal can say what is allowed; grpc itself refuses, without
a word of ours, one that is so many times too large."""


@dataclass(frozen=True, slots=True)
class GrpcOptions:
    """How the front takes connections and messages. Sizes are in bytes, times in seconds.

    proxies: those that are believed in what they say of where a call comes from.
    calls_at_once, connections: 0 for as many as come. shares_port: whether several processes may listen on one port.
    measured: whether the hidden method is there that does nothing.
    """

    host: str = "127.0.0.1"
    port: int = 50051
    largest_message: int = 64 * 1024
    streams_per_connection: int = 100
    calls_at_once: int = 10_000
    connections: int = 10_000
    least_ping_seconds: float = 20.0
    ping_seconds: float = 30.0
    ping_timeout_seconds: float = 10.0
    connection_age_seconds: float = 30 * 60.0
    connection_grace_seconds: float = 20 * 60.0
    reflection: bool = True
    proxies: Proxies = Proxies()  # noqa: RUF009  # it is never changed
    shares_port: bool = False
    measured: bool = False

    def channel_arguments(self) -> list[tuple[str, int]]:
        """The options as grpc's core names them. The grace outlives an access token, which ends each stream before."""
        return [
            ("grpc.max_receive_message_length", _ROOM * self.largest_message),
            ("grpc.max_concurrent_streams", self.streams_per_connection),
            ("grpc.http2.min_recv_ping_interval_without_data_ms", _ms(self.least_ping_seconds)),
            ("grpc.keepalive_permit_without_calls", 1),
            ("grpc.keepalive_time_ms", _ms(self.ping_seconds)),
            ("grpc.keepalive_timeout_ms", _ms(self.ping_timeout_seconds)),
            ("grpc.max_connection_age_ms", _ms(self.connection_age_seconds)),
            ("grpc.max_connection_age_grace_ms", _ms(self.connection_grace_seconds)),
            ("grpc.so_reuseport", int(self.shares_port)),
            *([("grpc.max_allowed_incoming_connections", self.connections)] if self.connections else []),
        ]


class GrpcFront:
    """The gRPC server of one process."""

    def __init__(self, pipeline: Pipeline, methods: Mapping[str, Method], options: GrpcOptions) -> None:
        self._options = options
        self._names = [descriptor.full_name for descriptor in descriptors()]
        self._health = health.aio.HealthServicer()
        self._server = grpc.aio.server(
            options=options.channel_arguments(), maximum_concurrent_rpcs=options.calls_at_once or None
        )
        handlers = {path: _handler(pipeline, method, options) for path, method in methods.items()}
        if options.measured:
            handlers[nothing.PATH] = grpc.unary_unary_rpc_method_handler(_do_nothing)
        self._server.add_generic_rpc_handlers((_Methods(handlers),))
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        if options.reflection:
            reflection.add_to(self._server, [*self._names, health.SERVICE_NAME])
        self._server.add_generic_rpc_handlers((_Unknown(),))

    async def start(self) -> int:
        """Listens, and serves; returns the port. PortTaken where that cannot be done."""
        address = written(self._options.host, self._options.port)
        try:
            port = self._server.add_insecure_port(address)
        except RuntimeError:
            raise PortTaken(f"cannot listen on {address}: another program does, or it is not ours to use") from None
        await self._server.start()
        await self.say_serving(True)
        return port

    async def say_serving(self, is_serving: bool) -> None:
        """Tells whoever asks for its health whether calls should be sent here now."""
        status = health_pb2.HealthCheckResponse
        for name in ("", *self._names):
            await self._health.set(name, status.SERVING if is_serving else status.NOT_SERVING)

    async def say_not_serving(self) -> None:
        """Tells whoever asks for its health that no call should be sent here any more."""
        await self._health.enter_graceful_shutdown()

    async def stop(self, grace_seconds: float) -> None:
        """Takes no call any more, and ends those that still run after the grace."""
        await self._server.stop(grace_seconds)


class _Methods(grpc.GenericRpcHandler):
    """Ours, by path."""

    def __init__(self, handlers: Mapping[str, grpc.RpcMethodHandler[Any, Any]]) -> None:
        self._handlers = handlers

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[Any, Any] | None:
        return self._handlers.get(handler_call_details.method)


class _Unknown(grpc.GenericRpcHandler):
    """Everything else."""

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[Any, Any]:
        path = handler_call_details.method

        async def refuse(requests: object, context: Context) -> None:
            del requests
            await _abort(context, errors.method_unknown(path))

        return grpc.stream_stream_rpc_method_handler(refuse)


def _handler(pipeline: Pipeline, method: Method, options: GrpcOptions) -> grpc.RpcMethodHandler[Any, Any]:
    largest, proxies = options.largest_message, options.proxies

    async def unary(raw: bytes, context: Context) -> bytes:
        try:
            return await pipeline.unary(method, GrpcCall(raw, context, largest, proxies))
        except Failed as failure:
            await _abort(context, failure)

    async def stream(raw: bytes, context: Context) -> None:
        try:
            await pipeline.stream(method, GrpcCall(raw, context, largest, proxies), context.write)
        except Failed as failure:
            await _abort(context, failure)

    if method.open is None:
        return grpc.unary_unary_rpc_method_handler(unary)
    return grpc.unary_stream_rpc_method_handler(stream)


async def _abort(context: Context, failure: Failed) -> NoReturn:
    headers: Any = context.invocation_metadata() or ()
    status: Status = errors.said_in(choose(header_of(headers, "accept-language")), failure).status
    await context.abort_with_status(rpc_status.to_status(status))
    raise AssertionError("abort does not return")


async def _do_nothing(raw: bytes, context: Context) -> bytes:
    return nothing.answer(raw)


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
