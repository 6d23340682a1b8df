"""Requests as nobody should send them: good ones with fields that are extreme, wrong, missing, huge, or no text at all.

Everything is made from the descriptors, so that a new field is damaged as those before it.
"""

import json
import random
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

_TEXTS: Final = (
    "", "x", "x" * 65, "x" * 5_000, "\x00", "\n", "a\u202eb", "\u200b", "é" * 64, "🂡" * 65, "../../etc/passwd",
    "matches/", "matches/a", "matches/../a", "games/bluff", "accounts/me", "accounts/a/keys/b", "*", "%2F", "' OR 1",
    "0" * 40, "9" * 4_000, "-1", "1e999", "NaN", "null", "true", "{}", "[" * 500, "draw deck", "lay K", "K7M2QX",
    "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-4fff-bfff-ffffffffffff", "en", "ne-NP", "x-" * 20,
)  # fmt: skip
_NUMBERS: Final = (0, 1, -1, 2, 7, 63, 64, 65, 255, 1_000, 65_536, 2**31 - 1, -(2**31), 2**32 - 1, 2**63 - 1, -(2**63))
_DOUBLES: Final = (0.0, -0.0, 1.5, 1e308, -1e308, 5e-324, float("inf"), float("-inf"), float("nan"), 2.0**53 + 2)
_BYTES: Final = (b"", b"x", b"x" * 15, b"x" * 16, b"x" * 64, b"x" * 65, b"\xff" * 5_000)
_JSON: Final[tuple[Any, ...]] = (
    None, True, False, 0, -1, 1.5, 1e308, 2**63, -(2**70), "", "x", "9" * 400, "\x00", "\ud7ff", [], {}, [[]], {"": {}},
    [None], {"x": None}, ["x"] * 200, {"@type": "x"}, "AAAA", "====", "2026-13-40T99:99:99Z", "1s", "-1e9s", "a,b.c,,d",
)  # fmt: skip
_WIDTHS: Final = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
    FieldDescriptor.CPPTYPE_ENUM: (-(2**31), 2**31 - 1),
}
_DEEP: Final = 300


def damage(message: Message, chance: random.Random) -> None:
    """Changes one to three fields of a request, at any depth."""
    for _ in range(chance.randrange(1, 4)):
        _damage_field(message, chance)


def _damage_field(message: Message, chance: random.Random, depth: int = 0) -> None:
    fields: list[FieldDescriptor] = [*message.DESCRIPTOR.fields]
    if not fields:
        return
    field = chance.choice(fields)
    if chance.random() < 0.15:
        message.ClearField(field.name)
    elif field.message_type is not None and field.message_type.GetOptions().map_entry:
        _fill_map(message, field, chance, depth)
    elif field.is_repeated:
        values = getattr(message, field.name)
        if values and chance.random() < 0.4:
            values.append(values[0]) if field.message_type is None else values.add().CopyFrom(values[0])
        for _ in range(chance.choice((1, 1, 2, 70, 300))):
            if field.message_type is None:
                values.append(_scalar(field, chance))
            elif depth < 8:
                _damage_field(values.add(), chance, depth + 1)
    elif field.message_type is None:
        setattr(message, field.name, _scalar(field, chance))
    elif depth < 8:
        part = getattr(message, field.name)
        part.SetInParent()
        _damage_field(part, chance, depth + 1)


def _fill_map(message: Message, field: FieldDescriptor, chance: random.Random, depth: int) -> None:
    entries = getattr(message, field.name)
    assert field.message_type is not None
    value = field.message_type.fields_by_name["value"]
    for _ in range(chance.choice((1, 1, 2, 100))):
        key = chance.choice((*entries, *_TEXTS, *("players", "rounds", "cards") * 8))
        if value.message_type is None:
            entries[key] = _scalar(value, chance)
        elif depth < 8:
            _damage_field(entries[key], chance, depth + 1)


def _scalar(field: FieldDescriptor, chance: random.Random) -> Any:
    kind = field.cpp_type
    if kind == FieldDescriptor.CPPTYPE_STRING:
        return chance.choice(_BYTES if field.type == FieldDescriptor.TYPE_BYTES else _TEXTS)
    if kind == FieldDescriptor.CPPTYPE_BOOL:
        return chance.random() < 0.5
    if kind in (FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT):
        return chance.choice(_DOUBLES)
    least, most = _WIDTHS[kind]
    return min(most, max(least, chance.choice(_NUMBERS)))


def damaged_bytes(message: Message, chance: random.Random) -> bytes:
    """A damaged request on the wire; now and then with what no message can hold."""
    damage(message, chance)
    raw = message.SerializeToString()
    numbers = [field.number for field in message.DESCRIPTOR.fields] or [1]
    match chance.randrange(24):
        case 0:  # fields that nobody knows, of each wire type
            return raw + _key(1999, 0) + b"\x01" + _key(1999, 2) + b"\x03abc" + _key(1999, 5) + b"abcd"
        case 1:  # bytes that are no text, or no message
            return raw + _key(chance.choice(numbers), 2) + b"\x04\xff\xfe\xc3\x28"
        case 2:  # another wire type than the field has
            return raw + _key(chance.choice(numbers), chance.choice((0, 1, 3, 4, 5, 6, 7))) + chance.randbytes(9)
        case 3:
            return raw[: chance.randrange(len(raw) + 1)]
        case 4:  # a number that does not end, a length beyond the end
            return raw + _key(chance.choice(numbers), chance.choice((0, 2))) + b"\xff" * 11
        case 5:  # a message in a message in a message
            return raw + _nested(chance.choice(numbers), chance.choice((20, 90, 110, _DEEP)))
        case 6:
            return raw + raw
        case 7:
            return raw + _key(1999, 3) * 200  # groups that do not end
        case _:
            return raw


def _key(number: int, wire_type: int) -> bytes:
    return _varint(number << 3 | wire_type)


def _nested(number: int, depth: int) -> bytes:
    """`Value` in `ListValue` in `Value`, as deep as this, in a field of this number."""
    body = b""
    for level in range(depth):
        body = _key(6 if level % 2 else 1, 2) + _varint(len(body)) + body
    entry = _key(1, 2) + b"\x01a" + _key(2, 2) + _varint(len(body)) + body
    struct = _key(1, 2) + _varint(len(entry)) + entry
    return _key(number, 2) + _varint(len(struct)) + struct


def _varint(number: int) -> bytes:
    out = b""
    while number > 127:
        out += bytes((number & 127 | 128,))
        number >>= 7
    return out + bytes((number,))


def damaged_json(message: Message, chance: random.Random) -> bytes:
    """A damaged request as JSON; now and then text that is no JSON, or JSON that is no request."""
    data: Any = MessageToDict(message)
    for _ in range(chance.randrange(1, 4)):
        data = _damage_json(data, chance)
    text = json.dumps(data)
    match chance.randrange(24):
        case 0:
            return b"[" * 5_000
        case 1:
            return b'{"a":' * _DEEP + b"1" + b"}" * _DEEP
        case 2:
            return text.encode()[: chance.randrange(len(text) + 1)]
        case 3:
            return text.encode("utf-16")
        case 4:
            return text.replace('"', "'").encode()
        case 5:
            return b"\xff\xfe" + text.encode()
        case 6:
            return text.replace(":", ': 1e99999, "x":', 1).encode()
        case 7:
            return (text[:-1] + "," + text[1:]).encode()
        case _:
            return text.encode()


def _damage_json(data: Any, chance: random.Random) -> Any:
    if isinstance(data, dict) and data and chance.random() < 0.9:
        name = chance.choice([*data])
        changed = dict(data)
        match chance.randrange(6):
            case 0:
                del changed[name]
            case 1:
                changed[name + "_"] = changed.pop(name)
            case 2:
                changed[name.swapcase()] = changed[name]
            case _:
                changed[name] = _damage_json(changed[name], chance)
        return changed
    if isinstance(data, list) and data and chance.random() < 0.5:
        return [*data[:-1], _damage_json(data[-1], chance)]
    return chance.choice((*_JSON, *_TEXTS))
