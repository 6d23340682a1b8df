"""The OpenAPI document: a path for each `google.api.http` binding, as the REST front serves it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor, ServiceDescriptor

from chautari.wire.http.json_out import message_of
from chautari.wire.http.openapi.image import Image
from chautari.wire.http.openapi.overview import OVERVIEW
from chautari.wire.http.openapi.paths import Binding, bindings, parameter_schema
from chautari.wire.http.openapi.reasons import TITLES, Reasons, problem_schemas
from chautari.wire.http.openapi.rules import Schema
from chautari.wire.http.openapi.schemas import WELL_KNOWN, Schemas, reachable, short_name
from chautari.wire.methods import Method, Needs

Document = dict[str, Any]
Recorded = Mapping[str, Mapping[str, Any]]
"""Recorded calls by `operationId`: `request` (the body, where there is one) and `response`."""

VERSION: Final = "3.1.0"
PROBLEMS: Final = "problems"
"""The key of recorded problems, by reason, among the recorded calls."""
_DETAILS: Final = ("ErrorInfo", "BadRequest", "RetryInfo", "LocalizedMessage")
_ANY: Final = ("REQUEST_INVALID", "TOO_MANY_REQUESTS", "DRAINING", "STORAGE_AWAY", "FAULT")
"""What every call may be refused with, whatever its comment says."""
_BODY: Final = ("CONTENT_TYPE_UNKNOWN", "REQUEST_SLOW", "MESSAGE_TOO_LARGE")
_TOKEN: Final = ("TOKEN_MISSING", "TOKEN_INVALID", "TOKEN_EXPIRED", "SCOPE_MISSING")
_RETRIED: Final = (429, 503, 507)


@dataclass(frozen=True, slots=True)
class Facts:
    """What the protos do not know: the version of the program, and recorded calls for examples."""

    version: str
    recorded: Recorded = field(default_factory=dict)


def document(image: Image, methods: Mapping[str, Method], facts: Facts) -> Document:
    """The document, as plain data."""
    return _Writer(image, methods, facts).document()


class _Writer:
    def __init__(self, image: Image, methods: Mapping[str, Method], facts: Facts) -> None:
        self._image = image
        self._methods = methods
        self._facts = facts
        methods_here = [method for service in self._services() for method in service.methods]
        sent = reachable(method.output_type for method in methods_here)
        self._schemas = Schemas(image, sent - reachable(method.input_type for method in methods_here))
        self._reasons = Reasons(image)

    def document(self) -> Document:
        paths: dict[str, dict[str, Any]] = {}
        tags = []
        for service in self._services():
            tags.append({"name": service.name, "description": self._image.comments.get(service.full_name, "")})
            for method in service.methods:
                for binding in bindings(self._image, method):
                    paths.setdefault(binding.path, {})[binding.verb] = self._operation(method, binding)
        components = self._schemas.components | self._problems()
        return {
            "openapi": VERSION,
            "info": {
                "title": "Chautari",
                "version": self._facts.version,
                "summary": "A service for card games: start a table, share a link, play from any device.",
                "description": OVERVIEW,
                "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            },
            "servers": [{"url": "/"}],
            "security": [{"token": []}],
            "tags": tags,
            "paths": paths,
            "components": {
                "schemas": dict(sorted(components.items())),
                "securitySchemes": {
                    "token": {
                        "type": "http",
                        "scheme": "bearer",
                        "bearerFormat": "JWT",
                        "description": "The access token of a sign-in, or an API key.",
                    }
                },
                "headers": {
                    "RetryAfter": {
                        "description": "For how many seconds to wait before calling again.",
                        "schema": {"type": "integer", "minimum": 0},
                    }
                },
            },
        }

    def _services(self) -> list[ServiceDescriptor]:
        """The services that have methods here, in the order in which they are served."""
        names = dict.fromkeys(path.split("/")[1] for path in self._methods)
        return [self._image.pool.FindServiceByName(name) for name in names]

    def _problems(self) -> dict[str, Schema]:
        details: dict[str, Schema] = {}
        for name in _DETAILS:
            message = self._image.pool.FindMessageTypeByName(f"google.rpc.{name}")
            details[message.full_name] = self._schemas.message(message)
        nested = {name: schema for name, schema in self._schemas.components.items() if name.startswith("google.rpc.")}
        problems = problem_schemas(details)
        if recorded := self._facts.recorded.get(PROBLEMS):
            problems["Problem"]["examples"] = list(recorded.values())
        return {"ErrorReason": self._reasons.schema(), **nested, **problems}

    # One operation ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _operation(self, method: MethodDescriptor, binding: Binding) -> dict[str, Any]:
        served = self._methods[f"/{method.containing_service.full_name}/{method.name}"]
        comment = self._image.comments.get(method.full_name, "")
        name = f"{method.containing_service.name}_{method.name}{binding.number or ''}"
        recorded = self._facts.recorded.get(name, {})
        operation: dict[str, Any] = {
            "operationId": name,
            "tags": [method.containing_service.name],
            "summary": _first_sentence(comment),
            "description": comment,
        }
        if parameters := list(self._parameters(method, binding)):
            operation["parameters"] = parameters
        if binding.body:
            content: dict[str, Any] = {"schema": self._body(method.input_type, binding)}
            if "request" in recorded:
                content["example"] = recorded["request"]
            operation["requestBody"] = {"required": True, "content": {"application/json": content}}
        operation["responses"] = {
            "200": self._answer(method, recorded),
            **self._refusals(comment, served, method, binding),
        }
        operation["security"] = [
            *([] if served.needs is Needs.ACCOUNT else [{}]),
            *([] if served.needs is Needs.NOTHING else [{"token": [served.scope.value]}]),
        ]
        operation["x-grpc-method"] = served.path.removeprefix("/")
        return operation

    def _parameters(self, method: MethodDescriptor, binding: Binding) -> Iterator[dict[str, Any]]:
        request = method.input_type
        for variable in binding.variables:
            yield {
                "name": variable.name,
                "in": "path",
                "required": True,
                "description": self._image.comments.get(variable.field.full_name, ""),
                "schema": parameter_schema(self._schemas, variable),
            }
        if binding.body != "*":
            bound = {variable.field.full_name for variable in binding.variables}
            for one in request.fields:
                if one.full_name not in bound and one.name != binding.body:
                    yield from self._query(one, "")
        names = set(request.fields_by_name)
        if "request_id" in names:
            yield _header(
                "Idempotency-Key",
                "A UUID of the caller's, by which a repeated call is known; it stands for `requestId`.",
                {"type": "string", "format": "uuid"},
            )
        if stands_for := _matched(request, binding):
            yield _header(
                "If-Match",
                f"The `ETag` of the match that the caller saw; it stands for `{stands_for}`. If the match has gone on "
                "since, the call is refused with status 412.",
                {"type": "string", "pattern": '^(\\*|"[0-9]{1,9}")$'},
            )
        if "language" in names:
            yield _header(
                "Accept-Language",
                "The languages in which texts are liked, where `language` is empty.",
                {"type": "string", "maxLength": 256},
            )
        if method.server_streaming and "after_revision" in names:
            yield _header(
                "Last-Event-ID",
                "The last `id` that the caller has seen: `afterRevision`, and behind a hyphen `epoch`.",
                {"type": "string", "pattern": "^[0-9]{1,9}(-[0-9A-Za-z_.-]{1,64})?$"},
            )

    def _query(self, one: FieldDescriptor, prefix: str) -> Iterator[dict[str, Any]]:
        """A field as parameters in the address: a message as one for each of its fields."""
        message = one.message_type
        name = f"{prefix}{one.json_name}"
        if message is not None and message.full_name not in WELL_KNOWN:
            if not one.is_repeated and prefix.count(".") < 2:
                for inner in message.fields:
                    yield from self._query(inner, f"{name}.")
            return
        schema = self._schemas.field(one)
        described = schema.pop("description", "")
        found = {"name": name, "in": "query", "description": described, "schema": schema}
        if not prefix and "REQUIRED" in (self._image.option(one.full_name, "google.api.field_behavior") or ()):
            found["required"] = True
        yield found

    def _body(self, request: Descriptor, binding: Binding) -> Schema:
        if binding.body != "*":
            return self._schemas.value(request.fields_by_name[binding.body])
        bound = {variable.field.name for variable in binding.variables}
        if not bound:
            return self._schemas.ref(request)
        name = short_name(request.full_name).removesuffix("Request") + "Body"
        self._schemas.components.setdefault(name, self._schemas.message(request, bound))
        return {"$ref": f"#/components/schemas/{name}"}

    def _answer(self, method: MethodDescriptor, recorded: Mapping[str, Any]) -> dict[str, Any]:
        message = method.output_type
        told = self._image.comments.get(message.full_name, "") or "Done."
        schema = self._schemas.ref(message)
        if not method.server_streaming:
            content: dict[str, Any] = {"schema": schema}
            if "response" in recorded:
                content["example"] = recorded["response"]
            return {"description": told, "content": {"application/json": content}}
        lines = {"schema": schema, "x-stream": "One message a line; an empty line is a sign of life."}
        events: dict[str, Any] = {
            "schema": {
                "type": "string",
                "contentMediaType": "text/event-stream",
                "description": "The `data` of each event is a message, the `id` its revision and, behind a hyphen, the "
                "epoch. The last event is an `end`, or where the stream fails a `problem`.",
            },
            "x-event-data": schema,
        }
        if "response" in recorded:
            lines["example"] = recorded["response"]
        if "events" in recorded:
            events["example"] = recorded["events"]
        return {
            "description": f"A stream. {told}",
            "content": {"text/event-stream": events, "application/x-ndjson": lines},
        }

    def _refusals(self, comment: str, served: Method, method: MethodDescriptor, binding: Binding) -> dict[str, Any]:
        names = [reason.name for reason in self._reasons.named(comment)]
        names += _ANY if served.needs is Needs.NOTHING else (*_TOKEN, *_ANY)
        if binding.body:
            names += _BODY
        if not method.server_streaming:
            names.append("DEADLINE_PASSED")
        found: dict[str, Any] = {}
        by_status = self._reasons.by_status(names)
        if _matched(method.input_type, binding):
            by_status[412] = self._reasons.named("STALE_REVISION")
        for status, reasons in sorted(by_status.items()):
            listed = ", ".join(f"`{reason.name}`" for reason in reasons)
            found[str(status)] = {
                "description": f"{TITLES.get(status, 'Refused')}. Reasons: {listed}.",
                "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
            }
            if status in _RETRIED:
                found[str(status)]["headers"] = {"Retry-After": {"$ref": "#/components/headers/RetryAfter"}}
        found["default"] = {
            "description": "Any other refusal.",
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        return found


def _matched(request: Descriptor, binding: Binding) -> str:
    """The field that `If-Match` stands for; empty where it cannot be asked."""
    if binding.verb == "get":
        return ""
    if "revision" in request.fields_by_name:
        return "revision"
    body = request.fields_by_name.get(binding.body)
    return "etag" if body is not None and "etag" in message_of(body).fields_by_name else ""


def _header(name: str, description: str, schema: Schema) -> dict[str, Any]:
    return {"name": name, "in": "header", "description": description, "schema": schema}


def _first_sentence(comment: str) -> str:
    """The first sentence of a comment, on one line and without its full stop."""
    text = " ".join(comment.split("\n\n", maxsplit=1)[0].split())
    return re.split(r"(?<=[^.]{2})[.:](?:\s|$)", text, maxsplit=1)[0]
