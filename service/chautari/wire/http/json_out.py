"""Messages as JSON, by the rules of ProtoJSON.

The library's own `json_format` does the same in three times the time; a property of the tests holds this to it.
"""

from base64 import b64encode
from collections.abc import Callable
from typing import Any, Final

import msgspec
from google.protobuf import json_format
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.descriptor_pool import Default
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.struct_pb2 import ListValue, Struct, Value

_SAFE: Final = 2**53
_F: Final = FieldDescriptor
_Write = Callable[[Any], Any]


class Writer:
    """Writes messages as JSON. What belongs to a kind of message is looked up once.

    whole: fields that have their default are written too, unless they tell whether they are set. Generated clients add
    them by themselves; programs written by hand would trip over a seat 0 that is not there.
    """

    def __init__(self, *, whole: bool) -> None:
        self._whole = whole
        self._kinds: dict[Any, _Write] = {}
        self._special: dict[str, _Write] = _SPECIAL | {"google.protobuf.Any": self._any}
        self._encode = msgspec.json.Encoder().encode

    def to_json(self, message: Message) -> bytes:
        """A message as JSON."""
        return self._encode(self.plain(message))

    def plain(self, message: Message) -> Any:
        """A message as JSON data."""
        return self._of(message.DESCRIPTOR)(message)

    def _of(self, descriptor: Any) -> _Write:
        """What writes messages of a kind."""
        known = self._kinds.get(descriptor)
        if known is None:
            special = self._special.get(descriptor.full_name)
            known = self._kinds[descriptor] = self._object(descriptor) if special is None else special
        return known

    def _object(self, descriptor: Any) -> _Write:
        defaults: dict[str, Any] = {}
        if self._whole:
            plain = (field for field in descriptor.fields if not field.has_presence)
            defaults = {field.json_name: self._default(field) for field in plain}
        fields: dict[FieldDescriptor, tuple[str, _Write]] = {}

        def write(message: Message) -> dict[str, Any]:
            found = defaults.copy()
            for field, value in message.ListFields():
                known = fields.get(field)
                if known is None:
                    known = fields[field] = (field.json_name, self._field(field))
                found[known[0]] = known[1](value)
            return found

        return write

    def _default(self, field: FieldDescriptor) -> Any:
        if is_map(field):
            return {}
        return [] if field.is_repeated else self._value(field)(field.default_value)

    def _field(self, field: FieldDescriptor) -> _Write:
        if is_map(field):
            key, value = (message_of(field).fields_by_name[name] for name in ("key", "value"))
            write = self._value(value)
            text = _bool_text if key.type == _F.TYPE_BOOL else str
            return lambda entries: {text(name): write(entries[name]) for name in entries}
        write = self._value(field)
        if field.is_repeated:
            return list if write is _same else lambda items: [write(item) for item in items]
        return write

    def _value(self, field: FieldDescriptor) -> _Write:
        kind = field.cpp_type
        if kind == _F.CPPTYPE_MESSAGE:
            return self._of(message_of(field))
        if kind == _F.CPPTYPE_ENUM:
            kinds = enum_of(field)
            if kinds.full_name == "google.protobuf.NullValue":
                return _nothing
            names = {value.number: value.name for value in reversed(kinds.values)}
            return lambda number: names.get(number, number)
        if kind in (_F.CPPTYPE_INT64, _F.CPPTYPE_UINT64):
            return str
        if kind in (_F.CPPTYPE_FLOAT, _F.CPPTYPE_DOUBLE):
            return _number
        return _base64 if field.type == _F.TYPE_BYTES else _same

    def _any(self, packed: AnyMessage) -> Any:
        message = GetMessageClass(Default().FindMessageTypeByName(packed.TypeName()))()
        packed.Unpack(message)
        return {"@type": packed.type_url, **self._of(message.DESCRIPTOR)(message)}


def is_map(field: FieldDescriptor) -> bool:
    """Whether a field is a map."""
    return field.cpp_type == _F.CPPTYPE_MESSAGE and bool(message_of(field).GetOptions().map_entry)


def message_of(field: FieldDescriptor) -> Any:
    """The message that a field holds."""
    return field.message_type


def enum_of(field: FieldDescriptor) -> Any:
    """The enum of which a field holds a value."""
    return field.enum_type


def _same(value: Any) -> Any:
    return value


def _nothing(value: Any) -> None:
    del value


def _bool_text(value: bool) -> str:
    return "true" if value else "false"


def _base64(value: bytes) -> str:
    return b64encode(value).decode()


def _number(value: float) -> Any:
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return int(value) if value.is_integer() and abs(value) < _SAFE else value


def _plain_struct(struct: Struct) -> Any:
    return {name: _plain_value(value) for name, value in struct.fields.items()}


def _plain_value(value: Value) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "number_value":
        return _number(value.number_value)
    if kind == "struct_value":
        return _plain_struct(value.struct_value)
    if kind == "list_value":
        return _plain_list(value.list_value)
    return None if kind is None or kind == "null_value" else getattr(value, kind)


def _plain_list(values: ListValue) -> Any:
    return [_plain_value(value) for value in values.values]


def _plain_text(message: Any) -> str:
    """A well-known type whose JSON form is a text: moments, spans, masks."""
    text: str = message.ToJsonString()
    return text


def _plain_wrapped(message: Message) -> Any:
    return json_format.MessageToDict(message)


_WRAPPERS: Final = tuple(
    f"google.protobuf.{name}Value"
    for name in ("Bool", "Bytes", "Double", "Float", "Int32", "Int64", "String", "UInt32", "UInt64")
)
_TEXTS: Final = ("google.protobuf.Timestamp", "google.protobuf.Duration", "google.protobuf.FieldMask")
_SPECIAL: Final[dict[str, _Write]] = {
    "google.protobuf.Struct": _plain_struct,
    "google.protobuf.Value": _plain_value,
    "google.protobuf.ListValue": _plain_list,
    **dict.fromkeys(_TEXTS, _plain_text),
    **dict.fromkeys(_WRAPPERS, _plain_wrapped),
}

SHORT: Final = Writer(whole=False)
"""As generated clients write: of the Connect protocol and gRPC-Web."""
WHOLE: Final = Writer(whole=True)
"""As REST answers."""
