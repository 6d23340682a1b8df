"""The rules of `buf.validate` as JSON Schema: what a field may hold, as far as a schema can say it."""

from collections.abc import Mapping
from math import ceil
from typing import Any, Final

Schema = dict[str, Any]

_IGNORED_WHEN_EMPTY: Final = "IGNORE_IF_ZERO_VALUE"
_FORMATS: Final = {
    "email": "email",
    "hostname": "hostname",
    "ip": "ip",
    "ipv4": "ipv4",
    "ipv6": "ipv6",
    "uri": "uri",
    "uri_ref": "uri-reference",
    "uuid": "uuid",
}
_BOUNDS: Final = {"gte": "minimum", "gt": "exclusiveMinimum", "lte": "maximum", "lt": "exclusiveMaximum"}
_UUID: Final = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"


def bounded(schema: Schema, kind: str, rules: Mapping[str, Any]) -> Schema:
    """The schema of a single value, with what the rules of its field say.

    kind: the name of its rules (`string`, `bytes`, `int32` …); rules: the option `buf.validate.field` as plain data.
    """
    own = rules.get(kind, {})
    empty = rules.get("ignore") == _IGNORED_WHEN_EMPTY
    if kind == "string":
        return {**schema, **_text(own, empty=empty)}
    if kind == "bytes":
        return {**schema, **_base64(own, empty=empty)}
    if kind == "enum":
        return schema
    return {**schema, **_number(own, empty=empty)}


def listed(schema: Schema, rules: Mapping[str, Any]) -> Schema:
    """The schema of a list, with what the rules of its field say of the list."""
    own = rules.get("repeated", {})
    names = {"min_items": "minItems", "max_items": "maxItems"}
    return {
        **schema,
        **{ours: int(own[name]) for name, ours in names.items() if name in own},
        **({"uniqueItems": True} if own.get("unique") else {}),
    }


def of_items(rules: Mapping[str, Any]) -> Mapping[str, Any]:
    """The rules of each item of a list."""
    items: Mapping[str, Any] = rules.get("repeated", {}).get("items", {})
    return items


def _text(own: Mapping[str, Any], *, empty: bool) -> Schema:
    found: Schema = {}
    if "len" in own:
        found["minLength"] = found["maxLength"] = int(own["len"])
    if "min_len" in own and not empty:
        found["minLength"] = int(own["min_len"])
    longest = own.get("max_len", own.get("max_bytes"))
    if longest is not None:
        found["maxLength"] = int(longest)
    if "pattern" in own:
        found["pattern"] = f"^$|{own['pattern']}" if empty else own["pattern"]
    for name, form in _FORMATS.items():
        if own.get(name):
            found["format"] = form
    if own.get("uuid") and empty:
        del found["format"]  # an empty text is none, and means none here
        found["pattern"] = f"^$|^{_UUID}$"
    if "in" in own:
        found["enum"] = [*([""] if empty else []), *own["in"]]
    if "const" in own:
        found["const"] = own["const"]
    return found


def _base64(own: Mapping[str, Any], *, empty: bool) -> Schema:
    """Bounds of bytes as bounds of their base64, which may end in `=` or not."""
    found: Schema = {}
    least = own.get("min_len", own.get("len"))
    most = own.get("max_len", own.get("len"))
    if most is not None:
        found["maxLength"] = ceil(int(most) / 3) * 4
    if least is not None:
        shortest = {"minLength": ceil(int(least) * 4 / 3)}
        found |= {"anyOf": [{"maxLength": 0}, shortest]} if empty else shortest
    return found


def _number(own: Mapping[str, Any], *, empty: bool) -> Schema:
    if empty and own:  # 0 stands for nothing given, whatever the bounds say
        return {"anyOf": [{"const": 0}, _number(own, empty=False)]}
    found: Schema = {ours: _plain(own[name]) for name, ours in _BOUNDS.items() if name in own}
    if "in" in own:
        found["enum"] = [_plain(value) for value in own["in"]]
    if "const" in own:
        found["const"] = _plain(own["const"])
    return found


def _plain(value: Any) -> Any:
    """A number as JSON has it; 64-bit integers come as texts."""
    return int(value) if isinstance(value, str) else value
