"""Messages put together from parts that are encoded already: what many messages share is encoded once."""

from collections.abc import Mapping
from functools import lru_cache
from struct import Struct
from typing import Any, Final

_NUMBER: Final = 0
_WITH_LENGTH: Final = 2
_FIELDS: Final = range(16)
_SHORT: Final = tuple(bytes((number,)) for number in range(0x80))
_NUMBERS: Final = tuple([bytes((field << 3 | _NUMBER, value)) for value in range(0x80)] for field in _FIELDS)
_LENGTHS: Final = tuple([bytes((field << 3 | _WITH_LENGTH, length)) for length in range(0x80)] for field in _FIELDS)


def number(field: int, value: int) -> bytes:
    """A field, below 16, that holds a whole number of at least 0; 0 is written, where a plain field is left out."""
    if value < 0x80:
        return _NUMBERS[field][value]
    return _SHORT[field << 3 | _NUMBER] + varint(value)


def part(field: int, encoded: bytes) -> bytes:
    """A field that holds a message or a text, of its encoded form; the number of the field is below 16."""
    length = len(encoded)
    if length < 0x80:
        return _LENGTHS[field][length] + encoded
    return _SHORT[field << 3 | _WITH_LENGTH] + varint(length) + encoded


def varint(number: int) -> bytes:
    """A whole number as protobuf writes it."""
    if number < 0x80:
        return _SHORT[number]
    if number < 0x4000:
        return bytes((number & 0x7F | 0x80, number >> 7))
    groups = bytearray()
    while number > 0x7F:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    groups.append(number)
    return bytes(groups)


@lru_cache(maxsize=8192)
def text(field: int, value: str) -> bytes:
    """A field that holds a text which is met again and again, such as the name of a zone."""
    return part(field, value.encode())


# Struct and Value ─────────────────────────────────────────────────────────────────────────────────────────────────────

_NULL: Final = bytes((1 << 3 | _NUMBER, 0))
_BOOLEANS: Final = (bytes((4 << 3 | _NUMBER, 0)), bytes((4 << 3 | _NUMBER, 1)))
_FLOAT: Final = bytes((2 << 3 | 1,))
_STRING_VALUE, _STRUCT_VALUE, _LIST_VALUE = 3, 5, 6
_ENTRY, _KEY, _VALUE = 1, 1, 2
_little_endian: Final = Struct("<d").pack


def struct(data: Mapping[str, Any]) -> bytes:
    """A `Struct` of JSON data."""
    return b"".join([part(_ENTRY, text(_KEY, name) + part(_VALUE, _value(data[name]))) for name in data])


def _value(value: Any) -> bytes:
    """A `Value`. Subclasses of str and int are what they are written as."""
    kind = type(value)
    if kind is int:
        return _whole(value)
    if kind is str:
        return text(_STRING_VALUE, value)
    if value is None:
        return _NULL
    if kind is bool:
        return _BOOLEANS[value]
    if kind is float:
        return _FLOAT + _little_endian(value)
    if isinstance(value, Mapping):
        return part(_STRUCT_VALUE, struct(value))
    if isinstance(value, (list, tuple)):
        return part(_LIST_VALUE, b"".join([part(_ENTRY, _value(item)) for item in value]))
    return _value(str(value) if isinstance(value, str) else int(value))


@lru_cache(maxsize=2048)
def _whole(value: int) -> bytes:
    return _FLOAT + _little_endian(value)
