"""Requests from the parts of a REST call: variables of the path, parameters of the query, the body, and headers."""

from typing import Any, Final
from urllib.parse import parse_qsl
from uuid import UUID

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from chautari.wire.errors import Violation
from chautari.wire.http.bindings import Binding
from chautari.wire.http.json_in import fill, parse
from chautari.wire.http.json_out import is_map, message_of

_F: Final = FieldDescriptor
_MOST_PARAMETERS: Final = 200
_SECRETS: Final = frozenset(("access_token", "token", "api_key", "apikey", "key", "authorization", "password"))
_TEXT_FORMS: Final = ("Timestamp", "Duration", "FieldMask")


class Parts:
    """What a REST call brings, beside its headers."""

    __slots__ = ("binding", "query", "variables")

    def __init__(self, binding: Binding, variables: dict[str, str], query: str) -> None:
        self.binding = binding
        self.variables = variables
        self.query = query

    def request(self, kind: type[Message], body: bytes, key: str, revision: int | None) -> Message:
        """The request; Violation names what cannot be read. key, revision: what headers told of them."""
        message = kind()
        if self.binding.body:
            data = parse(body) if body.strip() else {}
            fill(message, data if self.binding.body == "*" else {self.binding.body: data})
        if self.query:
            more: dict[str, Any] = {}
            self._read_query(kind.DESCRIPTOR, more)
            others = kind()
            fill(others, more)
            message.MergeFrom(others)
        for name, text in self.variables.items():
            _set_variable(message, name, text)
        if key:
            _set_key(message, key)
        if revision is not None:
            _set_revision(message, self.binding.body, revision)
        return message

    def _read_query(self, descriptor: Any, data: dict[str, Any]) -> None:
        try:
            pairs = parse_qsl(
                self.query, keep_blank_values=True, strict_parsing=False, errors="strict",
                max_num_fields=_MOST_PARAMETERS,
            )  # fmt: skip
        except ValueError:
            raise Violation([("", f"the query is no UTF-8, or has more than {_MOST_PARAMETERS} parameters")]) from None
        values: dict[tuple[str, ...], tuple[FieldDescriptor, list[str]]] = {}
        for name, text in pairs:
            path, field = self._field(descriptor, name)
            values.setdefault(path, (field, []))[1].append(text)
        for path, (field, texts) in values.items():
            if len(texts) > 1 and not field.is_repeated:
                raise Violation([(".".join(path), "this parameter is given more than once")])
            target = data
            for part in path[:-1]:
                target = target.setdefault(part, {})
            read = [_value(field, text, ".".join(path)) for text in texts]
            target[path[-1]] = read if field.is_repeated else read[0]

    def _field(self, descriptor: Any, name: str) -> tuple[tuple[str, ...], FieldDescriptor]:
        """The field that a parameter names, and its path in the names of the proto."""
        path: list[str] = []
        field: FieldDescriptor | None = None
        within: Any = descriptor
        for part in name.split("."):
            fields = within.fields if within is not None else ()
            field = next((one for one in fields if part in (one.name, one.json_name)), None)
            if field is None or (path and is_map(field)):
                break
            path.append(field.name)
            is_message = field.cpp_type == _F.CPPTYPE_MESSAGE and not field.is_repeated
            within = field.message_type if is_message and not _has_text_form(field) else None
        if field is None or within is not None or (field.cpp_type == _F.CPPTYPE_MESSAGE and not _has_text_form(field)):
            raise _unknown(name)
        whole = ".".join(path)
        if self.binding.body == "*" or path[0] == self.binding.body:
            raise Violation([(whole, "belongs in the body and not in the query")])
        if whole in self.binding.variables:
            raise Violation([(whole, "is told by the path, and not by the query")])
        return tuple(path), field


def _set_key(message: Any, key: str) -> None:
    """`Idempotency-Key` is the request_id, where the method has one."""
    if "request_id" not in message.DESCRIPTOR.fields_by_name:
        return
    if message.request_id and message.request_id.lower() != key:
        raise Violation([("request_id", "differs from the Idempotency-Key: send one of them, or both alike")])
    message.request_id = key


def _set_revision(message: Any, body: str, revision: int) -> None:
    """`If-Match` is the revision that the caller saw: of an act, or the etag of the resource that is the body."""
    if "revision" in message.DESCRIPTOR.fields_by_name:
        if message.HasField("revision") and message.revision != revision:
            raise _differs("revision")
        message.revision = revision
        return
    changed: Any = getattr(message, body, None)
    if changed is None or "etag" not in changed.DESCRIPTOR.fields_by_name:
        raise Violation([("If-Match", "cannot be asked of this method")])
    if changed.etag not in ("", str(revision)):
        raise _differs(f"{body}.etag")
    changed.etag = str(revision)


def _differs(field: str) -> Violation:
    return Violation([(field, "differs from If-Match: send one of them, or both alike")])


def read_key(text: str) -> str:
    """The `Idempotency-Key` as a request_id; Violation where it is no UUID. It may stand in quotes."""
    if not text:
        return ""
    bare = text.strip()
    bare = bare[1:-1] if len(bare) > 1 and bare[0] == bare[-1] == '"' else bare
    try:
        key = str(UUID(bare))
    except ValueError:
        key = ""
    if key != bare.lower():
        raise Violation([("Idempotency-Key", "must be a UUID, such as 5f1c6a3e-8f0b-4e43-9a57-0d6f6f0e1c11")])
    return key


def read_revision(text: str) -> int | None:
    """The revision in `If-Match`; None where the header is missing, or is `*`."""
    bare = text.strip()
    if not bare or bare == "*":
        return None
    digits = bare[1:-1]
    if (
        len(bare) < 3
        or bare[0] != '"'
        or bare[-1] != '"'
        or not (digits.isascii() and digits.isdigit())
        or len(digits) > 9
    ):
        raise Violation([("If-Match", 'must be the one ETag of a match, such as "12"')])
    return int(digits)


def _set_variable(message: Message, path: str, text: str) -> None:
    *parents, name = path.split(".")
    for parent in parents:
        message = getattr(message, parent)
    told = getattr(message, name)
    if told and told != text:
        raise Violation([(path, f"is {told!r} in the body and {text!r} in the path")])
    other = _other_of_its_oneof(message, name)
    if other:
        raise Violation([(other, f"goes not with the {name} in the path: only one of them may be set")])
    setattr(message, name, text)


def _other_of_its_oneof(message: Any, name: str) -> str:
    """The field that is set where only this or that one may be; empty where there is none."""
    oneof = message.DESCRIPTOR.fields_by_name[name].containing_oneof
    other: str | None = None if oneof is None else message.WhichOneof(oneof.name)
    return "" if other in (None, name) else str(other)


def _has_text_form(field: FieldDescriptor) -> bool:
    kind = message_of(field).full_name
    known: str = kind.removeprefix("google.protobuf.")
    return known != kind and (known in _TEXT_FORMS or (known.endswith("Value") and known not in _OPEN))


_OPEN: Final = ("Value", "ListValue")


def _value(field: FieldDescriptor, text: str, path: str) -> Any:
    """What a parameter says, as JSON would."""
    kind = message_of(field).name if field.cpp_type == _F.CPPTYPE_MESSAGE else ""
    if field.cpp_type == _F.CPPTYPE_BOOL or kind == "BoolValue":
        if text not in ("true", "false"):
            raise Violation([(path, f"must be true or false, not {text[:60]!r}")])
        return text == "true"
    if field.cpp_type == _F.CPPTYPE_ENUM and text.lstrip("-").isdecimal() and text.isascii() and len(text) < 12:
        return int(text)
    return text


def _unknown(name: str) -> Violation:
    if name.lower() in _SECRETS:
        return Violation([(name, "belongs in the header Authorization: what is in an address is seen by others")])
    return Violation([(name[:60], "there is no such parameter")])
