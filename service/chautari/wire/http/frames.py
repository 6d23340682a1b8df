"""Messages in a stream of bytes, as gRPC-Web and Connect cut it: a byte of flags, four of length, the message."""

from typing import Final

from chautari.wire.errors import Failed
from chautari.wire.http import refusals
from chautari.wire.http.exchange import TooLarge

PLAIN: Final = 0x00
PACKED: Final = 0x01
CONNECT_END: Final = 0x02
GRPC_WEB_END: Final = 0x80
_HEAD: Final = 5


def room(largest: int) -> int:
    """How many bytes a body may have that holds a message of so many."""
    return largest + _HEAD


def frame(flags: int, message: bytes) -> bytes:
    """A message in its frame."""
    return flags.to_bytes(1, "big") + len(message).to_bytes(4, "big") + message


def only_message(raw: bytes, largest: int) -> bytes | TooLarge:
    """The one message of a request; Failed where there is another number of them, or it is packed or cut."""
    if len(raw) < _HEAD:
        raise _invalid("it has no message")
    if raw[0] & PACKED:
        raise refusals.encoding_unknown("a compressed message")
    if raw[0] != PLAIN:
        raise _invalid("its flags are unknown")
    length = int.from_bytes(raw[1:_HEAD], "big")
    if length != len(raw) - _HEAD:
        raise _invalid("it must hold one whole message and nothing else")
    return raw[_HEAD:] if length <= largest else TooLarge(length, largest)


def _invalid(says: str) -> Failed:
    return refusals.invalid("", f"the body is no frame of this protocol: {says}")
