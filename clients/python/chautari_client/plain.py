"""Facts, settings and records as plain Python values: the wire's numbers are floats, the table's are whole."""

from collections.abc import Mapping
from typing import Any

from google.protobuf.json_format import ParseDict
from google.protobuf.struct_pb2 import ListValue, Struct, Value


def to_plain(struct: Struct) -> dict[str, Any]:
    """What a Struct says: texts, whole numbers, true, false, None, lists and dicts."""
    return {name: _plain(value) for name, value in struct.fields.items()}


def to_struct(values: Mapping[str, object]) -> Struct:
    """A Struct that says this; each value goes with its own type (the text "4" is no number)."""
    struct = Struct()
    ParseDict(dict(values), struct)
    return struct


def _plain(value: Value) -> Any:
    match value.WhichOneof("kind"):
        case "number_value":
            number = value.number_value
            return int(number) if number.is_integer() else number
        case "string_value":
            return value.string_value
        case "bool_value":
            return value.bool_value
        case "list_value":
            return _list(value.list_value)
        case "struct_value":
            return to_plain(value.struct_value)
        case _:
            return None


def _list(values: ListValue) -> list[Any]:
    return [_plain(value) for value in values.values]
