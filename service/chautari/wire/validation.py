"""The rules that messages declare for their fields (protovalidate), compiled once for each message."""

from typing import Final

from google.protobuf.message import Message
from protovalidate import Validator

from chautari.wire.errors import Violation

_validator: Final = Validator()


def check_rules(request: Message) -> None:
    """Violation `REQUEST_INVALID` names each field that breaks a rule, and what it should be."""
    violations = _validator.collect_violations(request)
    if violations:
        raise Violation([(_path(violation.proto.field), violation.proto.message) for violation in violations])


def _path(field: object) -> str:
    """`account.display_name`, `seats[2]`."""
    path = ""
    for element in field.elements if field is not None else ():  # type: ignore[attr-defined]
        path += f".{element.field_name}"
        subscript = element.subscript
        if subscript is not None:
            path += f"[{subscript.value}]"
    return path.removeprefix(".")
