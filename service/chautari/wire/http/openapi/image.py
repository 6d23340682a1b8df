"""The protos as data: descriptors, their comments and options, read from the image that the build leaves in `_data`."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from google.protobuf import descriptor_pb2
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.json_format import MessageToDict
from google.protobuf.message_factory import GetMessageClass

_FILE: Final = "chautari.binpb"
_OURS: Final = "chautari.v1."
_FIELD: Final = re.compile(r"`((?:\w+\.)*[a-z][a-z0-9]*(?:_[a-z0-9]+)+)`")
_NAMED_AS_IN_PROTOS: Final = (f"{_OURS}ErrorReason.", ".filter", ".order_by")
"""Comments of which the names are those of the protos over HTTP too: what errors tell, and what filters are made of."""


@dataclass(frozen=True, slots=True)
class Image:
    """Everything the protos say. Both mappings go by full name; that of an enum's value is `ENUM.VALUE`.

    comments   the comment of an element, without its slashes; those of files are there by the name of the file. They
               name fields as JSON does
    options    the options of an element as plain data, extensions in brackets: `[google.api.http]`
    """

    pool: DescriptorPool
    comments: Mapping[str, str]
    options: Mapping[str, dict[str, Any]]

    def option(self, name: str, extension: str) -> Any:
        """One extension of an element, None where it does not have it."""
        return self.options.get(name, {}).get(f"[{extension}]")


def read_image() -> Image:
    """Reads the image. It takes some hundredths of a second."""
    raw = files("chautari").joinpath("_data", _FILE).read_bytes()
    pool = DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(raw).file:
        pool.AddSerializedFile(file.SerializeToString())
    # Read a second time by the image's own description of itself, extensions are fields that have names.
    own = GetMessageClass(pool.FindMessageTypeByName("google.protobuf.FileDescriptorSet"))
    comments: dict[str, str] = {}
    options: dict[str, dict[str, Any]] = {}
    described: Any = own.FromString(raw)
    for file in described.file:
        names: dict[tuple[int, ...], str] = {(2,): file.name}
        for path, name, element in _elements(file):
            names[path] = name
            if element.HasField("options"):
                options[name] = MessageToDict(element.options, preserving_proto_field_name=True, descriptor_pool=pool)
        for location in file.source_code_info.location:
            told = names.get(tuple(location.path))
            text = location.leading_comments or location.trailing_comments
            if told is not None and text.strip():
                comments[told] = "\n".join(line.removeprefix(" ").rstrip() for line in text.strip().split("\n"))
    in_json = dict(_fields(described))
    return Image(pool, {name: _as_json(name, text, in_json) for name, text in comments.items()}, options)


def _fields(described: Any) -> Iterator[tuple[str, str]]:
    """The fields of our messages: what the protos call them, and what JSON does."""
    for file in described.file:
        for _, name, element in _elements(file):
            if name.startswith(_OURS) and hasattr(element, "json_name"):
                yield element.name, element.json_name


def _as_json(name: str, comment: str, in_json: Mapping[str, str]) -> str:
    """The comment of an element, with the fields that it names called as JSON calls them."""
    if name.startswith(_NAMED_AS_IN_PROTOS[0]) or name.endswith(_NAMED_AS_IN_PROTOS[1:]):
        return comment

    def called(found: re.Match[str]) -> str:
        return f"`{'.'.join(in_json.get(part, part) for part in found[1].split('.'))}`"

    return _FIELD.sub(called, comment)


_Element = tuple[tuple[int, ...], str, Any]
"""A path as descriptor.proto counts it, the full name of what is there, and its description."""


def _elements(file: Any) -> Iterator[_Element]:
    for number, message in enumerate(file.message_type):
        yield from _message((4, number), f"{file.package}.{message.name}", message)
    for number, enum in enumerate(file.enum_type):
        yield from _enum((5, number), f"{file.package}.{enum.name}", enum)
    for number, service in enumerate(file.service):
        path, name = (6, number), f"{file.package}.{service.name}"
        yield path, name, service
        for place, method in enumerate(service.method):
            yield (*path, 2, place), f"{name}.{method.name}", method


def _message(path: tuple[int, ...], name: str, message: Any) -> Iterator[_Element]:
    yield path, name, message
    for number, field in enumerate(message.field):
        yield (*path, 2, number), f"{name}.{field.name}", field
    for number, oneof in enumerate(message.oneof_decl):
        yield (*path, 8, number), f"{name}.{oneof.name}", oneof
    for number, nested in enumerate(message.nested_type):
        yield from _message((*path, 3, number), f"{name}.{nested.name}", nested)
    for number, enum in enumerate(message.enum_type):
        yield from _enum((*path, 4, number), f"{name}.{enum.name}", enum)


def _enum(path: tuple[int, ...], name: str, enum: Any) -> Iterator[_Element]:
    yield path, name, enum
    for number, value in enumerate(enum.value):
        yield (*path, 2, number), f"{name}.{value.name}", value
