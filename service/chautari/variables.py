"""The fields of a dataclass as variables of the environment: a prefix, and the name of the field in capitals."""

from collections.abc import Mapping
from dataclasses import fields
from types import UnionType
from typing import TYPE_CHECKING, Any, Final, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_TRUE: Final = ("1", "true", "yes", "on")
_FALSE: Final = ("0", "false", "no", "off")


def read_fields(kind: "type[DataclassInstance]", environment: Mapping[str, str], prefix: str) -> dict[str, Any]:
    """The values of the fields that have a variable; ValueError names one that is not of its field's type."""
    hints = get_type_hints(kind)
    names = {field.name: prefix + field.name.upper() for field in fields(kind)}
    return {
        field: _parse(name, environment[name], hints[field]) for field, name in names.items() if name in environment
    }


def write_fields(value: "DataclassInstance", prefix: str) -> dict[str, str]:
    """The variables that `read_fields` reads the same from; a field that is None has none."""
    values = {prefix + field.name.upper(): getattr(value, field.name) for field in fields(value)}
    return {name: _write(each) for name, each in values.items() if each is not None}


def _write(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _parse(name: str, text: str, kind: Any) -> Any:
    if get_origin(kind) is UnionType:
        kind = get_args(kind)[0]
    if kind is bool:
        if text.lower() in (*_TRUE, *_FALSE):
            return text.lower() in _TRUE
        raise ValueError(f"{name} must be true or false, not {text!r}")
    try:
        return kind(text)
    except ValueError:
        raise ValueError(f"{name} must be a {'whole ' if kind is int else ''}number, not {text!r}") from None
