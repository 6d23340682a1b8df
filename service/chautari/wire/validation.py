"""The rules that messages declare for their fields (protovalidate), compiled once for each message.

That a Timestamp and a Duration are what they say is a rule of every message: JSON cannot write others, and over gRPC
they would come as moments that the answer could not tell.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from protovalidate import Validator

from chautari.wire.errors import Violation

_validator: Final = Validator()


def check_rules(request: Message) -> None:
    """Violation `REQUEST_INVALID` names each field that breaks a rule, and what it should be."""
    wrong = list(_wrong_times(request, "")) if _timed(request.DESCRIPTOR) else []
    violations = _validator.collect_violations(request)
    if violations or wrong:
        raise Violation(wrong + [(_field(violation.proto), _says(violation, request)) for violation in violations])


@cache
def _timed(kind: Descriptor, within: tuple[Descriptor, ...] = ()) -> tuple[FieldDescriptor, ...]:
    """The fields of a message that are a Timestamp or a Duration, or may hold one; maps have none here."""
    return tuple(
        field
        for field in kind.fields
        if field.message_type is not None
        and field.message_type not in within
        and (field.message_type.full_name in _CHECKS or _timed(field.message_type, (*within, kind)))
    )


def _wrong_times(message: Message, path: str) -> Iterator[tuple[str, str]]:
    for field in _timed(message.DESCRIPTOR):
        value: Any = getattr(message, field.name)
        if field.is_repeated:
            parts = [(f"{path}{field.name}[{index}]", part) for index, part in enumerate(value)]
        else:
            parts = [(path + field.name, value)] if message.HasField(field.name) else []
        for name, part in parts:
            says = _CHECKS.get(part.DESCRIPTOR.full_name)
            if says is None:
                yield from _wrong_times(part, f"{name}.")
            elif not _is_time(part):
                yield name, says


def _is_time(value: Any) -> bool:
    seconds: int = value.seconds
    nanos: int = value.nanos
    if value.DESCRIPTOR.name == "Timestamp":
        return _FIRST <= seconds <= _LAST and 0 <= nanos < _NANOS
    return abs(seconds) <= _LONGEST and abs(nanos) < _NANOS and not (seconds * nanos < 0)


_NANOS: Final = 1_000_000_000
_FIRST: Final = -62_135_596_800  # the year 1
_LAST: Final = 253_402_300_799  # the end of the year 9999
_LONGEST: Final = 315_576_000_000
_CHECKS: Final = {
    "google.protobuf.Timestamp": "must be a moment in the years 1 to 9999, with 0 to 999999999 nanos",
    "google.protobuf.Duration": "must be a span of at most 10000 years, with nanos under 1000000000 and of one sign",
}


def _says(violation: Any, request: Message) -> str:
    """What the field should be, in words that need no knowledge of the rules of messages."""
    said: str = violation.proto.message
    if violation.proto.rule_id == "string.pattern":
        pattern = violation.rule_value
        if pattern == _LANGUAGE:
            return "must be a language such as ne or ne-NP"
        form, names = _PART.subn(lambda part: f"{part[1]}/{{{_ONE[part[1]]}}}", pattern.strip("^$"))
        signs = "".join(more for _, more in _PART.findall(pattern))
        made_of = f"small letters, digits and {signs}" if signs else "small letters and digits"
        return f"must be of the form {form}, in {made_of}" if names else said
    choice = request.DESCRIPTOR.oneofs_by_name.get(_path(violation.proto.field))
    if violation.proto.rule_id == "required" and choice is not None:
        return f"one of {', '.join(field.name for field in choice.fields)} must be given"
    return said


_LANGUAGE: Final = "^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}$"
_PART: Final = re.compile(r"([a-z]+)/\[a-z0-9([_-]?)\]\{[^}]+\}")
_ONE: Final = {
    "accounts": "account", "games": "game", "identities": "identity", "keys": "key", "matches": "match",
    "providers": "provider",
}  # fmt: skip


def _field(violation: Any) -> str:
    """The field that is wrong. A rule of ours about a part of it has the path of that part as its id."""
    path = _path(violation.field)
    own: str = violation.rule_id
    return own if path and own.startswith(f"{path}.") else path


def _path(field: object) -> str:
    """`account.display_name`, `seats[2]`."""
    path = ""
    for element in field.elements if field is not None else ():  # type: ignore[attr-defined]
        path += f".{element.field_name}"
        subscript = element.subscript
        if subscript is not None:
            path += f"[{subscript.value}]"
    return path.removeprefix(".")
