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


@dataclass(frozen=True, slots=True)
class Variable:
    """One part of a path that stands for something.

    shape  of the whole value of the field, `accounts/*/keys/*`; empty where the part is all of it
    place  of this part in the shape, counted in segments
    """

    name: str
    field: FieldDescriptor
    shape: str = ""
    place: int = 0


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
    """The schema of a part of a path: that of the field, or what its pattern says of this part."""
    schema: dict[str, Any] = schemas.field(variable.field)
    schema.pop("description", None)
    schema.pop("readOnly", None)
    if not variable.shape:
        return schema
    whole = variable.shape.split("/")
    pattern = schema.get("pattern", "").removeprefix("^$|").removeprefix("^").removesuffix("$").split("/")
    fits = len(pattern) == len(whole) and all(part in ("*", told) for part, told in zip(whole, pattern, strict=True))
    return {"type": "string", "pattern": f"^{pattern[variable.place]}$" if fits else "^[^/]+$"}


def _read(method: MethodDescriptor, template: str) -> tuple[str, tuple[Variable, ...]]:
    variables: list[Variable] = []

    def replaced(found: re.Match[str]) -> str:
        field = _field(method, found[1])
        shape: str = found[2] or ""
        if not shape or shape == "*":
            variables.append(Variable(field.json_name, field))
            return f"{{{field.json_name}}}"
        parts = shape.split("/")
        for place, part in enumerate(parts):
            if part == "*":
                name = _singular(parts[place - 1]) if place else field.json_name
                variables.append(Variable(name, field, shape, place))
                parts[place] = f"{{{name}}}"
            elif "*" in part:
                raise ValueError(f"{method.full_name}: {template} has a variable that is no name")
        return "/".join(parts)

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
