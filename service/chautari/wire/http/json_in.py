"""Messages from JSON, by the rules of ProtoJSON. What is wrong is told by the path of its field: `seats[2]`."""

from base64 import b64decode
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
from google.protobuf import json_format
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Struct

from chautari.wire.errors import Violation
from chautari.wire.http.json_out import enum_of, is_map, message_of

DEEPEST: Final = 100
"""As many levels as a message may have in any form."""

_F: Final = FieldDescriptor
_decoder: Final = msgspec.json.Decoder()
_Read = Callable[[Any, str], Any]


def parse(raw: bytes) -> Any:
    """JSON as data; Violation where it is none, or is nested too deep."""
    try:
        return _decoder.decode(raw)
    except RecursionError:
        raise _too_deep("") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        says = str(error).removeprefix("JSON is malformed: ")
        raise Violation([("", f"the body cannot be read as JSON: {says[:1].lower()}{says[1:]}")]) from None


def fill(message: Message, data: Any, path: str = "", *, lenient: bool = False, depth: int = 0) -> None:
    """Writes JSON data into an empty message. lenient: fields that the message does not have are passed over."""
    if depth > DEEPEST:
        raise _too_deep(path)
    if message.DESCRIPTOR.full_name.startswith("google.protobuf."):
        _fill_known(message, data, path, depth)
        return
    if not isinstance(data, Mapping):
        raise _wrong(path, "an object", data)
    fields = _fields(message.DESCRIPTOR)
    seen: set[str] = set()
    for name, value in data.items():
        field = fields.get(name)
        where = f"{path}.{name}" if path else name
        if field is None:
            if lenient:
                continue
            raise Violation([(where, f"{message.DESCRIPTOR.name} has no field of this name")])
        where = f"{path}.{field.name}" if path else field.name
        group = field.containing_oneof.name if field.containing_oneof is not None else field.name
        if value is None and not _takes_null(field):
            continue
        if group in seen:
            raise Violation([(where, "this field, or another of which only one may be set, is given twice")])
        seen.add(group)
        _fill_field(message, field, value, where, lenient, depth)


def _fill_field(message: Message, field: FieldDescriptor, value: Any, path: str, lenient: bool, depth: int) -> None:
    if is_map(field):
        _fill_map(getattr(message, field.name), field, value, path, lenient, depth)
    elif field.is_repeated:
        if not isinstance(value, list):
            raise _wrong(path, "a list", value)
        items = getattr(message, field.name)
        if field.cpp_type == _F.CPPTYPE_MESSAGE:
            for index, item in enumerate(value):
                fill(items.add(), item, f"{path}[{index}]", lenient=lenient, depth=depth + 1)
        else:
            read = _reader(field)
            items.extend([read(item, f"{path}[{index}]") for index, item in enumerate(value)])
    elif field.cpp_type == _F.CPPTYPE_MESSAGE:
        part = getattr(message, field.name)
        part.SetInParent()
        fill(part, value, path, lenient=lenient, depth=depth + 1)
    else:
        setattr(message, field.name, _reader(field)(value, path))


def _fill_map(entries: Any, field: FieldDescriptor, data: Any, path: str, lenient: bool, depth: int) -> None:
    if not isinstance(data, dict):
        raise _wrong(path, "an object", data)
    key, value = (message_of(field).fields_by_name[name] for name in ("key", "value"))
    for name, item in data.items():
        where = f"{path}.{name}"
        known = {"true": True, "false": False}.get(name, name) if key.type == _F.TYPE_BOOL else name
        read_name = _reader(key)(known, where)
        if value.cpp_type == _F.CPPTYPE_MESSAGE:
            fill(entries[read_name], item, where, lenient=lenient, depth=depth + 1)
        else:
            entries[read_name] = _reader(value)(item, where)


def _fill_known(message: Message, data: Any, path: str, depth: int) -> None:
    """A type that has a JSON form of its own."""
    if isinstance(message, Struct) and not isinstance(data, dict):
        raise _wrong(path, "an object", data)
    _check_depth(data, path, depth)
    try:
        json_format.ParseDict(data, message)
    except (json_format.ParseError, ValueError, TypeError, AttributeError, OverflowError):
        raise _wrong(path, _KNOWN.get(message.DESCRIPTOR.name, "such a value"), data) from None


def _check_depth(data: Any, path: str, depth: int) -> None:
    if depth > DEEPEST:
        raise _too_deep(path)
    for part in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        if isinstance(part, (dict, list)):
            _check_depth(part, path, depth + 1)


# ── One value ─────────────────────────────────────────────────────────────────────────────────────────────────────────

_known_fields: Final[dict[Any, dict[str, FieldDescriptor]]] = {}
_readers: Final[dict[FieldDescriptor, _Read]] = {}
_KNOWN: Final = {
    "Struct": "an object, and its numbers no larger than a double can be",
    "Value": "JSON, and its numbers no larger than a double can be",
    "Timestamp": "a time such as 2026-01-31T12:00:00Z",
    "Duration": "a span such as 1.5s",
    "FieldMask": "names of fields such as displayName,language",
}
_INTEGERS: Final = {
    _F.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    _F.CPPTYPE_UINT32: (0, 2**32 - 1),
    _F.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    _F.CPPTYPE_UINT64: (0, 2**64 - 1),
}
_FLOATS: Final = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
_LARGEST_FLOAT: Final = 3.4028234663852886e38


def _fields(descriptor: Any) -> dict[str, FieldDescriptor]:
    """Each field under both of its names."""
    known = _known_fields.get(descriptor)
    if known is None:
        known = {field.name: field for field in descriptor.fields} | {f.json_name: f for f in descriptor.fields}
        _known_fields[descriptor] = known
    return known


def _takes_null(field: FieldDescriptor) -> bool:
    if field.cpp_type == _F.CPPTYPE_MESSAGE:
        return bool(message_of(field).full_name == "google.protobuf.Value")
    return field.cpp_type == _F.CPPTYPE_ENUM and bool(enum_of(field).full_name == "google.protobuf.NullValue")


def _reader(field: FieldDescriptor) -> _Read:
    known = _readers.get(field)
    if known is None:
        known = _readers[field] = _make_reader(field)
    return known


def _make_reader(field: FieldDescriptor) -> _Read:
    kind = field.cpp_type
    if kind in _INTEGERS:
        least, most = _INTEGERS[kind]
        return lambda value, path: _integer(value, path, least, most)
    if kind in (_F.CPPTYPE_FLOAT, _F.CPPTYPE_DOUBLE):
        most_float = _LARGEST_FLOAT if kind == _F.CPPTYPE_FLOAT else float("inf")
        return lambda value, path: _float(value, path, most_float)
    if kind == _F.CPPTYPE_ENUM:
        numbers = {value.name: value.number for value in enum_of(field).values}
        return lambda value, path: _enum(value, path, numbers)
    if kind == _F.CPPTYPE_BOOL:
        return _bool
    return _bytes if field.type == _F.TYPE_BYTES else _text


def _integer(value: Any, path: str, least: int, most: int) -> int:
    number: Any = value
    if isinstance(value, str):
        try:
            number = int(value) if value.isascii() and value == value.strip() and "_" not in value else None
        except ValueError:
            number = None
    elif isinstance(value, float) and value.is_integer():
        number = int(value)
    if type(number) is not int or not least <= number <= most:
        raise _wrong(path, f"a whole number from {least} to {most}", value)
    return number


def _float(value: Any, path: str, most: float) -> float:
    number: float | None = None
    if isinstance(value, str):
        try:
            number = _FLOATS[value] if value in _FLOATS else float(value) if _is_plain_number(value) else None
        except ValueError:
            number = None
    elif type(value) in (int, float):
        number = float(value)
    if number is None or (abs(number) > most and number not in _FLOATS.values()):
        raise _wrong(path, "a number", value)
    return number


def _is_plain_number(text: str) -> bool:
    return bool(text) and not set(text) - set("0123456789+-.eE")


def _enum(value: Any, path: str, numbers: Mapping[str, int]) -> int:
    if isinstance(value, str) and value in numbers:
        return numbers[value]
    if type(value) is int and -(2**31) <= value < 2**31:
        return value  # a value that this version does not know is kept, as in the binary form
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**31:
        return int(value)
    raise _wrong(path, f"one of {', '.join(numbers)}", value)


def _bool(value: Any, path: str) -> bool:
    if value is True or value is False:
        return value
    raise _wrong(path, "true or false", value)


def _text(value: Any, path: str) -> str:
    if not isinstance(value, str):
        raise _wrong(path, "a text", value)
    return value


def _bytes(value: Any, path: str) -> bytes:
    if isinstance(value, str):
        text = value.replace("-", "+").replace("_", "/").rstrip("=")
        try:
            return b64decode(text + "=" * (-len(text) % 4), validate=True)
        except ValueError:
            pass
    raise _wrong(path, "base64", value)


def _wrong(path: str, wanted: str, value: Any) -> Violation:
    shown = "null" if value is None else msgspec.json.encode(value).decode(errors="replace")
    return Violation([(path, f"must be {wanted}, not {shown if len(shown) <= 60 else shown[:60] + '…'}")])


def _too_deep(path: str) -> Violation:
    return Violation([(path, f"is nested more than {DEEPEST} levels deep")])
