"""Messages put together from parts that are encoded already: what many messages share is encoded once."""

from typing import Final

_SHORT: Final = tuple(bytes((number,)) for number in range(0x80))
_NUMBER: Final = 0
_WITH_LENGTH: Final = 2


def number(field: int, value: int) -> bytes:
    """A field that holds a whole number of at least 0; also 0 is written, where a plain field would be left out."""
    return _SHORT[field << 3 | _NUMBER] + varint(value)


def part(field: int, encoded: bytes) -> bytes:
    """A field that holds a message or a text, of its encoded form; the number of the field is below 16."""
    return _SHORT[field << 3 | _WITH_LENGTH] + varint(len(encoded)) + encoded


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
