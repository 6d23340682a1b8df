"""The reasons of refusals, as the document lists them: what each means, and with which status it comes."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from google.rpc import code_pb2

from chautari.wire.http.openapi.image import Image
from chautari.wire.http.openapi.rules import Schema
from chautari.wire.http.statuses import http_status

_ENUM: Final = "chautari.v1.ErrorReason"
_PREFIX: Final = "ERROR_REASON_"
_WORDS: Final = re.compile(r"\b[A-Z][A-Z0-9_]+[A-Z0-9]\b")
CODES: Final = tuple(code_pb2.Code.keys())
TITLES: Final[Mapping[int, str]] = {
    400: "The request, or the state it meets, does not allow it",
    401: "No access token, or one that does not hold",
    403: "The caller may not do this, or it might not exist",
    404: "There is no such thing",
    405: "The path takes other methods: the header `allow` lists them",
    408: "The request did not come in time; nothing was done",
    409: "The match has gone on, or the `request_id` belongs to another request",
    412: "The match is not at the revision that `if-match` names",
    413: "The request is larger than the server takes",
    415: "The body is of a type that is not read here",
    429: "Too often, or too much: wait as `retry-after` says, where it is there",
    431: "The headers are larger than the server takes",
    500: "A fault of the server",
    501: "This server does not know the method",
    503: "Not now: wait as `retry-after` says, and call again with the same `request_id`",
    504: "It took too long; it may have been done",
    507: "The disk of the server is full: nothing is written, reading goes on",
}


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason: its name, what it means, the codes it comes with, and the statuses of HTTP for them."""

    name: str
    about: str
    codes: tuple[str, ...]
    statuses: tuple[int, ...]


class Reasons:
    """All reasons, in the order of the proto."""

    def __init__(self, image: Image) -> None:
        self.all: dict[str, Reason] = {}
        for value in image.pool.FindEnumTypeByName(_ENUM).values:
            name = value.name.removeprefix(_PREFIX)
            about = image.comments.get(f"{_ENUM}.{value.name}", "")
            codes = tuple(code for code in _WORDS.findall(about) if code in CODES)
            if value.number:
                statuses = dict.fromkeys(http_status(code_pb2.Code.Value(code), name) for code in codes)
                self.all[name] = Reason(name, about, codes, tuple(statuses))

    def named(self, text: str) -> list[Reason]:
        """The reasons that a text names, each once, in the order of the text."""
        return [self.all[name] for name in dict.fromkeys(_WORDS.findall(text)) if name in self.all]

    def by_status(self, names: Iterable[str]) -> dict[int, list[Reason]]:
        """The reasons of these names under each status that they may come with, statuses rising."""
        found: dict[int, list[Reason]] = {}
        for reason in (self.all[name] for name in dict.fromkeys(names) if name in self.all):
            for status in reason.statuses:
                found.setdefault(status, []).append(reason)
        return dict(sorted(found.items()))

    def schema(self) -> Schema:
        """The schema of a reason."""
        told = "\n".join(f"- `{reason.name}`: {' '.join(reason.about.split())}" for reason in self.all.values())
        return {
            "type": "string",
            "description": "Why a call was refused. Programs read this; one that they do not know they treat by its "
            f"status.\n\n{told}",
            "enum": list(self.all),
            "x-enum-descriptions": [reason.about for reason in self.all.values()],
        }


def problem_schemas(details: Mapping[str, Schema]) -> dict[str, Schema]:
    """The schema of a problem (RFC 9457), with the details of google.rpc as members of their own."""
    kinds = {f"type.googleapis.com/{name}": name for name in details}
    problem: dict[str, Any] = {
        "type": "object",
        "description": "A refusal, as RFC 9457 has it.",
        "required": ["type", "title", "status", "detail", "reason", "code", "details"],
        "properties": {
            "type": {"type": "string", "format": "uri-reference", "description": "The page of the reason here."},
            "title": {"type": "string", "description": "The reason for people, the same for each refusal of its kind."},
            "status": {"type": "integer", "minimum": 400, "maximum": 599, "description": "The status of HTTP."},
            "detail": {"type": "string", "description": "What was wrong, for people."},
            "code": {"type": "string", "enum": list(CODES), "description": "The status code of gRPC."},
            "reason": {"$ref": "#/components/schemas/ErrorReason", "description": "Why, for programs."},
            "details": {
                "type": "array",
                "items": {
                    "oneOf": [{"$ref": f"#/components/schemas/{name}"} for name in details],
                    "discriminator": {
                        "propertyName": "@type",
                        "mapping": {kind: f"#/components/schemas/{name}" for kind, name in kinds.items()},
                    },
                },
                "description": "The details of `google.rpc.Status`, the same as over gRPC: an `ErrorInfo` always, "
                "whose `metadata` holds the values that `detail` speaks of; a `BadRequest` where fields were wrong, "
                "which are called there as in the protos (`page_token`); a `RetryInfo` where waiting helps; and a "
                "`LocalizedMessage`, which says in the language asked for what `detail` says in English.",
            },
        },
    }
    for kind, name in kinds.items():
        schema = details[name]
        schema["properties"] = {"@type": {"const": kind, "type": "string"}, **schema.get("properties", {})}
        schema["required"] = ["@type", *schema.get("required", [])]
    return {"Problem": problem, **details}
