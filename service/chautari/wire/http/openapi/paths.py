"""The bindings of methods as paths of OpenAPI: `/v1/{name=matches/*}:join` is `/v1/matches/{match}:join`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor

from chautari.wire.http.openapi.image import Image
from chautari.wire.http.openapi.rules import Schema
from chautari.wire.http.openapi.schemas import Schemas

_VERBS: Final = ("get", "put", "post", "delete", "patch")
_VARIABLE: Final = re.compile(r"\{([\w.]+)(?:=([^}]*))?\}")
_PREFIXED: Final = re.compile(r"^\^(?P<head>[^\[\](){}*+?|\\]*)(?P<tail>.*)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Variable:
    """A part of a path. head: what stands before it in the field's value, such as `matches/`."""

    name: str
    field: FieldDescriptor
    head: str


@dataclass(frozen=True, slots=True)
class Binding:
    """One way to call a method. number: 0 for the first, then 2, 3 …; body: `*`, a field, or nothing."""

    verb: str
    path: str
    template: str
    variables: tuple[Variable, ...]
    body: str
    number: int


def bindings(image: Image, method: MethodDescriptor) -> Iterator[Binding]:
    """The bindings of a method, the first one first."""
    rule = image.option(method.full_name, "google.api.http")
    if rule is None:
        return
    for number, one in enumerate([rule, *rule.get("additional_bindings", [])], start=1):
        verb = next(verb for verb in _VERBS if verb in one)
        path, variables = _read(method, one[verb])
        yield Binding(verb, path, one[verb], variables, one.get("body", ""), number if number > 1 else 0)


def parameter_schema(schemas: Schemas, variable: Variable) -> Schema:
    """The schema of a part of a path: that of the field, without what the path says already."""
    schema: dict[str, Any] = schemas.field(variable.field)
    schema.pop("description", None)
    schema.pop("readOnly", None)
    pattern = schema.get("pattern", "").removeprefix("^$|")
    matched = _PREFIXED.match(pattern)
    if variable.head and matched is not None and matched["head"] == variable.head:
        schema["pattern"] = "^" + matched["tail"]
    elif variable.head:
        schema["pattern"] = "^[^/]+$"
    return schema


def _read(method: MethodDescriptor, template: str) -> tuple[str, tuple[Variable, ...]]:
    variables: list[Variable] = []

    def replaced(found: re.Match[str]) -> str:
        field = _field(method, found[1])
        shape = found[2]
        if not shape:
            variables.append(Variable(field.json_name, field, ""))
            return f"{{{field.json_name}}}"
        head, star, rest = shape.rpartition("*")
        if not star or rest or "*" in head:
            raise ValueError(f"{method.full_name}: {template} has a variable that is more than one name")
        name = _singular(head.rstrip("/").rpartition("/")[2])
        variables.append(Variable(name, field, head))
        return f"{head}{{{name}}}"

    return _VARIABLE.sub(replaced, template), tuple(variables)


def _field(method: MethodDescriptor, path: str) -> FieldDescriptor:
    outer, _, rest = path.partition(".")
    field = method.input_type.fields_by_name[outer]
    for name in rest.split(".") if rest else ():
        assert field.message_type is not None
        field = field.message_type.fields_by_name[name]
    return field


def _singular(collection: str) -> str:
    """`matches` is one `match`, `accounts` one `account`."""
    if collection.endswith(("ches", "shes", "sses", "xes")):
        return collection[:-2]
    if collection.endswith("ies"):
        return collection[:-3] + "y"
    return collection.removesuffix("s")
