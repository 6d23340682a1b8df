"""Events as bytes, to compare them and to see that a journal can keep them."""

import msgspec

from chautari.engine import Event

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(list[Event])


def encode_events(events: list[Event]) -> bytes:
    """Events as a journal may keep them."""
    return _encoder.encode(events)


def decode_events(blob: bytes) -> list[Event]:
    """Events that have been kept."""
    return _decoder.decode(blob)
