"""What is otherwise in one message than in another, leaf by leaf."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf.message import Message

_LONGEST: Final = 60


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing in a record that does not hold. revision: of its entry, None where it is of the match.

    found, expected: as text; expected is empty where the message alone says what is wrong.
    """

    revision: int | None
    field: str
    found: str
    expected: str

    def __str__(self) -> str:
        place = "" if self.revision is None else f"revision {self.revision}, "
        if not self.expected:
            return f"{place}{self.field}: {self.found}"
        return f"{place}{self.field}: {self.found}, not {self.expected}"


def differences(revision: int | None, found: Message, expected: Message, path: str = "") -> Iterator[Difference]:
    """Each leaf that differs, in the order of the fields; a list of another length is one difference."""
    if found == expected:
        return
    for field in found.DESCRIPTOR.fields:
        name = f"{path}{field.name}"
        one, other = getattr(found, field.name), getattr(expected, field.name)
        if _is_map(field):
            for key in sorted({*one, *other}):
                if key not in one or key not in other:
                    yield Difference(revision, f"{name}.{key}", _there(key in one), _there(key in other))
                else:
                    yield from _pair(revision, one[key], other[key], f"{name}.{key}")
        elif field.is_repeated:
            if len(one) != len(other):
                yield Difference(revision, name, f"{len(one)} of them", str(len(other)))
            for place, (mine, yours) in enumerate(zip(one, other, strict=False)):
                yield from _pair(revision, mine, yours, f"{name}[{place}]")
        elif field.has_presence and found.HasField(field.name) != expected.HasField(field.name):
            is_there = found.HasField(field.name)
            yield Difference(revision, name, _there(is_there), _there(not is_there))
        else:
            yield from _pair(revision, one, other, name, field)


def _pair(revision: int | None, one: Any, other: Any, name: str, field: Any = None) -> Iterator[Difference]:
    if isinstance(one, Message):
        yield from differences(revision, one, other, name + ".")
    elif one != other:
        yield Difference(revision, name, _text(one, field), _text(other, field))


def _is_map(field: Any) -> bool:
    return bool(field.message_type is not None and field.message_type.GetOptions().map_entry)


def _there(is_there: bool) -> str:
    return "is there" if is_there else "missing"


def _text(value: Any, field: Any) -> str:
    if isinstance(value, bytes):
        shown = value.hex() or "nothing"
    elif field is not None and field.enum_type is not None:
        known = field.enum_type.values_by_number.get(value)
        shown = known.name if known is not None else str(value)
    elif isinstance(value, float) and value.is_integer():
        shown = str(int(value))
    else:
        shown = repr(value) if isinstance(value, str) else str(value)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
