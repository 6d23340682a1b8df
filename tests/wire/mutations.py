"""Everything that can be changed in a message, one leaf at a time, made from its descriptor."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Value

M = TypeVar("M", bound=Message)
Path = tuple[str | int, ...]

_CARDS: Final = ("AS", "2C")


def _other_text(text: str) -> str:
    if len(text) == 2 and text[1] in "CDHS":
        return _CARDS[text == _CARDS[0]]
    return text + "x"


_INSTEAD: Final[dict[int, Callable[[Any], Any]]] = {
    FieldDescriptor.TYPE_STRING: _other_text,
    FieldDescriptor.TYPE_BYTES: lambda octets: bytes([octets[0] ^ 1]) + octets[1:] if octets else b"x",
    FieldDescriptor.TYPE_BOOL: lambda is_so: not is_so,
    FieldDescriptor.TYPE_DOUBLE: lambda number: number + 1,
    FieldDescriptor.TYPE_INT32: lambda number: number + 1,
    FieldDescriptor.TYPE_INT64: lambda number: number + 1,
    FieldDescriptor.TYPE_ENUM: lambda number: 1 if number != 1 else 2,
}


_MADE_UP: Final[dict[int, Any]] = {
    FieldDescriptor.TYPE_STRING: "AS",
    FieldDescriptor.TYPE_BYTES: b"x",
    FieldDescriptor.TYPE_INT32: 1,
}


@dataclass(frozen=True)
class Mutation:
    """One change. kind: the field, as `entries.events.said.text`; path: where, with the places in lists."""

    kind: str
    path: Path
    how: str
    change: Callable[[Any], None]

    def of(self, message: M) -> M:
        """The message with this change."""
        changed = type(message)()
        changed.CopyFrom(message)
        self.change(changed)
        return changed

    def __str__(self) -> str:
        return f"{'.'.join(map(str, self.path))}: {self.how}"


def mutations(message: Message, path: Path = (), kind: str = "") -> Iterator[Mutation]:
    """Each leaf of the message changed, those too that have their default; of lists and maps also one element taken
    away, and of lists one doubled. A message that is not there is not made."""
    for field in message.DESCRIPTOR.fields:
        name = f"{kind}.{field.name}" if kind else field.name
        here = (*path, field.name)
        value = getattr(message, field.name)
        if _is_map(field):
            for key in value:
                yield Mutation(name, (*here, key), "taken away", _at(here, _without(key)))
                yield from _of_value(value[key], (*here, key), name)
        elif field.is_repeated:
            if not value and field.message_type is None:
                yield Mutation(name, here, "made up", _at(here, _added(_MADE_UP[field.type])))
            for place in range(len(value)):
                yield Mutation(name, (*here, place), "taken away", _at(here, _without(place)))
                yield Mutation(name, (*here, place), "doubled", _at(here, _double(place)))
                if field.message_type is not None:
                    yield from mutations(value[place], (*here, place), name)
                else:
                    yield Mutation(name, (*here, place), "changed", _at(here, _element(place, _INSTEAD[field.type])))
        elif field.message_type is not None:
            if message.HasField(field.name):
                yield Mutation(name, here, "taken away", _at(path, _cleared(field.name)))
                yield from mutations(value, here, name)
        elif _is_chosen(message, field):
            if field.has_presence and message.HasField(field.name):
                yield Mutation(name, here, "taken away", _at(path, _cleared(field.name)))
            yield Mutation(name, here, "changed", _at(path, _setting(field.name, _INSTEAD[field.type])))


def _of_value(value: Any, path: Path, kind: str) -> Iterator[Mutation]:
    """A value of JSON is one leaf, whatever is in it."""
    if not isinstance(value, Value):
        yield Mutation(kind, path, "changed", _at(path[:-1], lambda found: found.update({path[-1]: value + "x"})))
        return

    def change(found: Value) -> None:
        kind = found.WhichOneof("kind")
        if kind == "number_value":
            found.number_value += 1
        elif kind == "string_value":
            found.string_value = _other_text(found.string_value)
        elif kind == "bool_value":
            found.bool_value = not found.bool_value
        else:
            found.string_value = "another"

    yield Mutation(kind, path, "changed", _at(path, change))


def _at(path: Path, change: Callable[[Any], Any]) -> Callable[[Message], None]:
    def run(message: Any) -> None:
        for step in path:
            message = getattr(message, step) if isinstance(step, str) and hasattr(message, step) else message[step]
        change(message)

    return run


def _setting(name: str, instead: Callable[[Any], Any]) -> Callable[[Any], None]:
    return lambda found: setattr(found, name, instead(getattr(found, name)))


def _element(place: int, instead: Callable[[Any], Any]) -> Callable[[Any], None]:
    def run(found: Any) -> None:
        found[place] = instead(found[place])

    return run


def _added(value: Any) -> Callable[[Any], Any]:
    return lambda found: found.append(value)


def _without(key: Any) -> Callable[[Any], Any]:
    return lambda found: found.pop(key)


def _cleared(name: str) -> Callable[[Any], Any]:
    return lambda found: found.ClearField(name)


def _double(place: int) -> Callable[[Any], None]:
    def run(found: Any) -> None:
        found.insert(place, found[place])

    return run


def _is_map(field: Any) -> bool:
    return bool(field.message_type is not None and field.message_type.GetOptions().map_entry)


def _is_chosen(message: Message, field: Any) -> bool:
    """Whether a leaf is no other choice than the one that was made."""
    group = field.containing_oneof
    return group is None or len(group.fields) == 1 or message.HasField(field.name)
