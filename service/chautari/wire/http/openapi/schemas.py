"""Messages and enums as JSON Schema (draft 2020-12), in the JSON form of proto3."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor, OneofDescriptor

from chautari.wire.http.openapi.image import Image
from chautari.wire.http.openapi.rules import Schema, bounded, listed, of_items

PACKAGE: Final = "chautari.v1."
_F = FieldDescriptor

_INTEGER: Final[Schema] = {"type": "integer", "format": "int32"}
_UNSIGNED: Final[Schema] = {"type": "integer", "format": "uint32", "minimum": 0}
_LONG: Final[Schema] = {"type": "string", "format": "int64", "pattern": r"^-?[0-9]{1,20}$"}
_SCALARS: Final[dict[int, tuple[str, Schema]]] = {
    _F.TYPE_BOOL: ("bool", {"type": "boolean"}),
    _F.TYPE_STRING: ("string", {"type": "string"}),
    _F.TYPE_BYTES: ("bytes", {"type": "string", "format": "byte", "contentEncoding": "base64"}),
    _F.TYPE_INT32: ("int32", _INTEGER),
    _F.TYPE_SINT32: ("sint32", _INTEGER),
    _F.TYPE_SFIXED32: ("sfixed32", _INTEGER),
    _F.TYPE_UINT32: ("uint32", _UNSIGNED),
    _F.TYPE_FIXED32: ("fixed32", _UNSIGNED),
    _F.TYPE_INT64: ("int64", _LONG),
    _F.TYPE_SINT64: ("sint64", _LONG),
    _F.TYPE_SFIXED64: ("sfixed64", _LONG),
    _F.TYPE_UINT64: ("uint64", _LONG),
    _F.TYPE_FIXED64: ("fixed64", _LONG),
    _F.TYPE_FLOAT: ("float", {"type": "number", "format": "float"}),
    _F.TYPE_DOUBLE: ("double", {"type": "number", "format": "double"}),
}
"""By the number of a type: the name of its rules, and its schema."""

WELL_KNOWN: Final[dict[str, Schema]] = {
    "google.protobuf.Timestamp": {"type": "string", "format": "date-time"},
    "google.protobuf.Duration": {"type": "string", "pattern": r"^-?[0-9]{1,12}(\.[0-9]{1,9})?s$"},
    "google.protobuf.FieldMask": {"type": "string"},
    "google.protobuf.Struct": {"type": "object", "additionalProperties": True},
    "google.protobuf.Value": {},
    "google.protobuf.ListValue": {"type": "array", "items": {}},
    "google.protobuf.Empty": {"type": "object"},
    "google.protobuf.Any": {
        "type": "object",
        "required": ["@type"],
        "properties": {"@type": {"type": "string"}},
        "additionalProperties": True,
    },
    "google.protobuf.BoolValue": {"type": ["boolean", "null"]},
    "google.protobuf.StringValue": {"type": ["string", "null"]},
    "google.protobuf.BytesValue": {"type": ["string", "null"], "contentEncoding": "base64"},
    "google.protobuf.Int32Value": {"type": ["integer", "null"]},
    "google.protobuf.UInt32Value": {"type": ["integer", "null"], "minimum": 0},
    "google.protobuf.Int64Value": {"type": ["string", "null"]},
    "google.protobuf.UInt64Value": {"type": ["string", "null"]},
    "google.protobuf.FloatValue": {"type": ["number", "null"]},
    "google.protobuf.DoubleValue": {"type": ["number", "null"]},
}
"""Messages with a JSON form of their own."""


class Schemas:
    """Collects the schemas that a document speaks of, in `components`, by name.

    whole: the messages that only the server sends, which it writes with every field that has a default.
    """

    def __init__(self, image: Image, whole: Collection[str] = ()) -> None:
        self._image = image
        self._whole = whole
        self.components: dict[str, Schema] = {}

    def ref(self, message: Descriptor) -> Schema:
        """A message where it is used: a reference, or the schema itself where its JSON form is its own."""
        if message.full_name in WELL_KNOWN:
            return dict(WELL_KNOWN[message.full_name])
        name = short_name(message.full_name)
        if name not in self.components:
            self.components[name] = {}  # a message may hold itself
            self.components[name] = self.message(message)
        return {"$ref": f"#/components/schemas/{name}"}

    def message(self, message: Descriptor, without: Collection[str] = ()) -> Schema:
        """The schema of a message; `without`: fields that come by another way, with all of their oneof."""
        gone = _bound(message, without)
        fields = [field for field in message.fields if field.name not in gone]
        oneofs = [one for one in message.oneofs if len(one.fields) > 1 and one.fields[0].name not in gone]
        schema: Schema = {"type": "object"}
        told = [self.comment(message.full_name), *(self._told_of(oneof) for oneof in oneofs)]
        if comment := "\n\n".join(filter(None, told)):
            schema["description"] = comment
        if fields:
            schema["properties"] = {field.json_name: self.field(field) for field in fields}
        is_whole = message.full_name in self._whole
        if required := [
            field.json_name for field in fields if self._is_required(field) or (is_whole and not field.has_presence)
        ]:
            schema["required"] = required
        choices = [self._choice(oneof) for oneof in oneofs]
        if len(choices) == 1:
            schema |= choices[0]
        elif choices:
            schema["allOf"] = choices
        return schema

    def field(self, field: FieldDescriptor) -> Schema:
        """The schema of a field, with its comment."""
        schema = self.value(field)
        if comment := self.comment(field.full_name):
            schema["description"] = comment
        if "OUTPUT_ONLY" in self._behaviour(field):
            schema["readOnly"] = True
        if "INPUT_ONLY" in self._behaviour(field):
            schema["writeOnly"] = True
        return schema

    def _told_of(self, oneof: OneofDescriptor) -> str:
        """The comment of a oneof, which JSON has no name for: it goes by its fields."""
        comment = self.comment(f"{oneof.containing_type.full_name}.{oneof.name}")
        *names, last = [f"`{field.json_name}`" for field in oneof.fields]
        return f"At most one of {', '.join(names)} and {last} is there. {comment}" if comment else ""

    def comment(self, name: str) -> str:
        """The comment of an element of ours; the words of others are told where they wrote them."""
        return self._image.comments.get(name, "") if name.startswith(PACKAGE) else ""

    def value(self, field: FieldDescriptor) -> Schema:
        """The schema of what a field holds."""
        rules = self._image.option(field.full_name, "buf.validate.field") or {}
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            return {"type": "object", "additionalProperties": self.value(field.message_type.fields_by_name["value"])}
        if field.is_repeated:
            return listed({"type": "array", "items": self._single(field, of_items(rules))}, rules)
        return self._single(field, rules)

    def _single(self, field: FieldDescriptor, rules: Mapping[str, Any]) -> Schema:
        if field.message_type is not None:
            return self.ref(field.message_type)
        if field.enum_type is not None:
            return self.enum(field.enum_type) | _numbers_left_out(field.enum_type, rules.get("enum", {}))
        kind, schema = _SCALARS[field.type]
        return bounded(schema, kind, rules)

    def enum(self, enum: EnumDescriptor) -> Schema:
        """An enum where it is used; its values are texts."""
        name = short_name(enum.full_name)
        if enum.full_name == "google.protobuf.NullValue":
            return {"type": "null"}
        if name not in self.components:
            values = [value.name for value in enum.values]
            comments = [self._image.comments.get(f"{enum.full_name}.{value}", "") for value in values]
            told = "\n".join(
                f"- `{value}`: {' '.join(comment.split())}" for value, comment in zip(values, comments, strict=True)
            )
            about = self._image.comments.get(enum.full_name, "")
            self.components[name] = {
                "type": "string",
                "description": f"{about}\n\n{told}".strip(),
                "enum": values,
                "x-enum-descriptions": comments,
            }
        return {"$ref": f"#/components/schemas/{name}"}

    def _choice(self, oneof: OneofDescriptor) -> Schema:
        """A oneof: exactly one of its fields is there, or, where none need be, none of them.

        No property of the JSON form tells which, so there is nothing that a discriminator could name.
        """
        names = [field.json_name for field in oneof.fields]
        branches: list[Schema] = [
            {
                "title": field.json_name,
                "required": [field.json_name],
                "properties": {field.json_name: self.value(field)},
            }
            for field in oneof.fields
        ]
        if not (self._image.option(oneof.full_name, "buf.validate.oneof") or {}).get("required"):
            branches.append({"title": "nothing", "not": {"anyOf": [{"required": [name]} for name in names]}})
        return {"oneOf": branches}

    def _is_required(self, field: FieldDescriptor) -> bool:
        rules = self._image.option(field.full_name, "buf.validate.field") or {}
        return "REQUIRED" in self._behaviour(field) or bool(rules.get("required"))

    def _behaviour(self, field: FieldDescriptor) -> list[str]:
        behaviour: list[str] = self._image.option(field.full_name, "google.api.field_behavior") or []
        return behaviour


def _numbers_left_out(enum: EnumDescriptor, own: Mapping[str, Any]) -> Schema:
    """The values of an enum that a field does not take."""
    names = [enum.values_by_number[number].name for number in own.get("not_in", ())]
    return {"not": {"enum": names}} if names else {}


def reachable(messages: Iterable[Descriptor]) -> set[str]:
    """The full names of these messages and of all that they hold."""
    found: set[str] = set()
    waiting = list(messages)
    while waiting:
        message = waiting.pop()
        if message.full_name not in found and message.full_name not in WELL_KNOWN:
            found.add(message.full_name)
            waiting += [field.message_type for field in message.fields if field.message_type is not None]
    return found


def short_name(full_name: str) -> str:
    """The name of a component: that of the message, without our package."""
    return full_name.removeprefix(PACKAGE)


def _bound(message: Descriptor, names: Collection[str]) -> set[str]:
    """The fields of these names, and all that exclude them."""
    found = set(names)
    for oneof in message.oneofs:
        members = {field.name for field in oneof.fields}
        if members & found:
            found |= members
    return found
