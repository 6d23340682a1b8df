"""The gRPC front."""

from chautari.wire.grpc.front import GrpcFront, GrpcOptions

__all__ = ["GrpcFront", "GrpcOptions"]
