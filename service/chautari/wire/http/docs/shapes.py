"""Schemas in words: what a field holds, and what bounds it."""

from collections.abc import Mapping
from html import escape
from typing import Any, Final

from chautari.wire.http.docs.markup import Markup, table

Schema = Mapping[str, Any]

_REF: Final = "#/components/schemas/"
_BOUNDS: Final = (
    ("minimum", "at least {}"),
    ("exclusiveMinimum", "more than {}"),
    ("maximum", "at most {}"),
    ("exclusiveMaximum", "less than {}"),
    ("minLength", "{} characters or more"),
    ("maxLength", "at most {} characters"),
    ("minItems", "{} or more"),
    ("maxItems", "at most {}"),
)


def name_of(schema: Schema) -> str:
    """The component that a schema refers to; empty where it is none."""
    reference: str = schema.get("$ref", "")
    return reference.removeprefix(_REF)


def type_of(schema: Schema) -> str:
    """What a schema holds, as HTML."""
    if name := name_of(schema):
        return f'<a href="#{escape(anchor_of(name))}">{escape(name)}</a>'
    if schema.get("type") == "array":
        return f"list of {type_of(schema['items'])}"
    inner = schema.get("additionalProperties")
    if isinstance(inner, Mapping):
        return f"map of text to {type_of(inner)}"
    if schema.get("format") == "date-time":
        return "time (RFC 3339)"
    if schema.get("contentEncoding") == "base64":
        return "bytes (base64)"
    kinds: dict[str, str] = {
        "string": "text",
        "integer": "whole number",
        "number": "number",
        "boolean": "true or false",
    }
    kind: str | list[str] = schema.get("type", "any JSON")
    if isinstance(kind, list):
        return " or ".join(kinds.get(each, each) for each in kind)
    return kinds.get(kind, kind)


def bounds_of(schema: Schema) -> str:
    """What bounds it, as HTML; empty where nothing does."""
    told = [text.format(schema[name]) for name, text in _BOUNDS if name in schema]
    pattern = str(schema.get("pattern", "")).removeprefix("^$|")
    if "{8}-[0-9a-fA-F]{4}" in pattern:
        told.append("UUID")
    elif pattern:
        told.append(f"matches <code>{escape(pattern, quote=False)}</code>")
    if schema.get("uniqueItems"):
        told.append("each once")
    if schema.get("format") in ("uuid", "uri", "email"):
        told.append(str(schema["format"]).upper())
    return ", ".join(told)


def fields_table(schema: Schema, markup: Markup, label: str) -> str:
    """The fields of a message."""
    choices = [each for each in schema.get("oneOf", ()) if "required" in each]
    choices += [one for part in schema.get("allOf", ()) for one in part.get("oneOf", ()) if "required" in one]
    alternatives = {name for each in choices for name in each["required"]}
    rows = []
    for name, field in schema.get("properties", {}).items():
        marks = [
            word
            for word, holds in (
                ("required", "readOnly" not in field and name in schema.get("required", ())),
                ("one of", name in alternatives),
                ("set by the server", field.get("readOnly", False)),
            )
            if holds
        ]
        shown = f"<code>{escape(name)}</code>" + "".join(f" <small>{mark}</small>" for mark in marks)
        rows.append([shown, _typed(field), markup.blocks(field.get("description", ""))])
    return table(["Field", "Type", "Meaning"], rows, label) if rows else "<p>No fields.</p>"


def parameters_table(parameters: list[Mapping[str, Any]], markup: Markup, label: str) -> str:
    """What comes in the path, the query and the headers."""
    rows = []
    for each in parameters:
        marks = f" <small>{each['in']}{', required' if each.get('required') else ''}</small>"
        shown = f"<code>{escape(each['name'])}</code>{marks}"
        rows.append([shown, _typed(each["schema"]), markup.blocks(each.get("description", ""))])
    return table(["Parameter", "Type", "Meaning"], rows, label)


def anchor_of(component: str) -> str:
    """Where a message or an enum is told of."""
    return "type-" + component.replace(".", "-")


def _typed(schema: Schema) -> str:
    bounds = bounds_of(schema) or bounds_of(schema.get("items", {}))
    return f"{type_of(schema)}<br><small>{bounds}</small>" if bounds else type_of(schema)
