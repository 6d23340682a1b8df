"""Plain values: JSON data as Struct and Value, moments, and the names of resources."""

from collections.abc import Mapping
from typing import Any, Final

from google.protobuf.struct_pb2 import ListValue, Struct, Value
from google.protobuf.timestamp_pb2 import Timestamp

from chautari.app.values import SECOND, Micros

_DEEPEST: Final = 8
"""Settings are flat; anything nested deeper is read as null, which no setting allows."""


def fill_struct(struct: Struct, data: Mapping[str, Any]) -> None:
    """Writes JSON data into an empty Struct."""
    struct.SetInParent()
    fields = struct.fields
    for name, value in data.items():
        fill_value(fields[name], value)


def fill_value(target: Value, value: Any) -> None:
    """Writes one JSON value into an empty Value."""
    kind = type(value)
    if kind is int or kind is float:
        target.number_value = value
    elif kind is str:
        target.string_value = value
    elif value is None:
        target.null_value = 0  # type: ignore[assignment]  # the only value of the enum
    elif kind is bool:
        target.bool_value = value
    elif isinstance(value, Mapping):
        fill_struct(target.struct_value, value)
    elif isinstance(value, (list, tuple)):
        target.list_value.SetInParent()
        values = target.list_value.values
        for item in value:
            fill_value(values.add(), item)
    else:
        fill_value(target, str(value) if isinstance(value, str) else int(value))  # a subclass of str or int


def read_struct(struct: Struct) -> dict[str, Any]:
    """The JSON data of a Struct. A whole number is an int, as the rules want it; anything else stays a float."""
    return {name: read_value(value) for name, value in struct.fields.items()}


def read_value(value: Value, depth: int = 0) -> Any:
    """One JSON value."""
    kind = value.WhichOneof("kind")
    if kind == "number_value":
        number = value.number_value
        return int(number) if number.is_integer() else number
    if kind == "string_value":
        return value.string_value
    if kind == "bool_value":
        return value.bool_value
    if depth > _DEEPEST or kind is None or kind == "null_value":
        return None
    if kind == "list_value":
        items: ListValue = value.list_value
        return [read_value(item, depth + 1) for item in items.values]
    return {name: read_value(item, depth + 1) for name, item in value.struct_value.fields.items()}


def fill_time(target: Timestamp, moment: Micros) -> None:
    """Writes a moment into an empty Timestamp."""
    target.seconds, micros = divmod(moment, SECOND)
    target.nanos = micros * 1000


def read_time(time: Timestamp) -> Micros:
    """The moment of a Timestamp."""
    return time.seconds * SECOND + time.nanos // 1000


def account_name(account_id: str | None) -> str:
    """`accounts/{account}`; empty where there is none."""
    return f"accounts/{account_id}" if account_id else ""


def id_of(name: str) -> str:
    """The id in the name of a resource, whose form the rules of its message have checked; empty for an empty name."""
    return name.rpartition("/")[2]
