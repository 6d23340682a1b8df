"""Calls to copy: a curl for each operation, from what was recorded, or else the least that its schema asks for."""

import json
from collections.abc import Mapping
from typing import Any, Final

Document = Mapping[str, Any]

_VALUES: Final = {
    "game": "bluff",
    "account": "me",
    "match": "$MATCH",
}
_DEPTH: Final = 4


def curl(document: Document, verb: str, path: str, operation: Mapping[str, Any]) -> str:
    """A command that calls an operation. It expects `$CHAUTARI`, `$TOKEN` and `$MATCH` to be set."""
    streams = "text/event-stream" in operation["responses"]["200"]["content"]
    url = path
    query: list[str] = []
    for parameter in operation.get("parameters", ()):
        name = parameter["name"]
        if parameter["in"] == "path":
            url = url.replace(f"{{{name}}}", _VALUES.get(name, name.upper()))
        elif parameter["in"] == "query" and (parameter.get("required") or name == "afterRevision"):
            query.append(f"{name}={_least(document, parameter['schema'], 0)}")
    options = ["curl", *(["-N"] if streams else []), *([f"-X {verb.upper()}"] if verb not in ("get", "post") else [])]
    lines = [f'{" ".join(options)} "$CHAUTARI{url}{"?" + "&".join(query) if query else ""}"']
    if {} not in operation["security"]:
        lines.append('-H "authorization: Bearer $TOKEN"')
    if streams:
        lines.append('-H "accept: text/event-stream"')
    if any(parameter["name"] == "Idempotency-Key" for parameter in operation.get("parameters", ())):
        lines.append('-H "idempotency-key: $(uuidgen)"')
    body = operation.get("requestBody")
    if body is not None:
        lines.append('-H "content-type: application/json"')
        content = body["content"]["application/json"]
        example = content.get("example")
        text = json.dumps(_least(document, content["schema"], 0) if example is None else example, ensure_ascii=False)
        lines.append("-d '" + text.replace("'", "'\\''") + "'")
    return " \\\n  ".join(lines)


def _least(document: Document, schema: Mapping[str, Any], depth: int) -> Any:
    """A value that a schema allows: what is required, and no more."""
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][min(1, len(schema["enum"]) - 1)]
    kind = schema.get("type")
    if kind == "object" and depth < _DEPTH:
        properties = schema.get("properties", {})
        first: list[str] = next((each["required"] for each in schema.get("oneOf", ()) if "required" in each), [])
        names = dict.fromkeys([*schema.get("required", ()), *first])
        return {name: _least(document, properties[name], depth + 1) for name in names if name in properties}
    plain: dict[str, Any] = {"integer": schema.get("minimum", 0), "number": 0, "boolean": True, "array": []}
    return plain.get(str(kind), "…")
