"""The gRPC front."""

from chautari.wire.grpc.front import Front, Options, PortTaken

__all__ = ["Front", "Options", "PortTaken"]
