"""Messages put together from parts that are encoded already: what many messages share is encoded once."""

from typing import Final

_SHORT: Final = tuple(bytes((number,)) for number in range(0x80))
_WITH_LENGTH: Final = 2


def part(field: int, encoded: bytes) -> bytes:
    """A field that holds a message, of its encoded form; `field` is its number, below 16."""
    return b"%c%b%b" % (field << 3 | _WITH_LENGTH, varint(len(encoded)), encoded)


def varint(number: int) -> bytes:
    """A whole number as protobuf writes it."""
    if number < 0x80:
        return _SHORT[number]
    groups = bytearray()
    while number > 0x7F:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    groups.append(number)
    return bytes(groups)
