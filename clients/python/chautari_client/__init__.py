"""Chautari from Python: a thin typed face over the gRPC API."""
