"""Reflection, by which a tool such as grpcurl learns the methods and messages: version 1, and the alpha it came from.

The package of grpc has the alpha only. The two have the same messages under two names.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import grpc
from grpc_reflection.v1alpha import reflection, reflection_pb2

NAME: Final = "grpc.reflection.v1.ServerReflection"


def add_to(server: grpc.aio.Server, names: Iterable[str]) -> None:
    """Lets these services, and reflection itself, be looked at."""
    servicer = reflection.aio.ReflectionServicer([*names, NAME, reflection.SERVICE_NAME])
    handler: grpc.RpcMethodHandler[Any, Any] = grpc.stream_stream_rpc_method_handler(
        servicer.ServerReflectionInfo,
        request_deserializer=reflection_pb2.ServerReflectionRequest.FromString,
        response_serializer=reflection_pb2.ServerReflectionResponse.SerializeToString,
    )
    for name in (NAME, reflection.SERVICE_NAME):
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(name, {"ServerReflectionInfo": handler}),)
        )
