"""The OpenAPI document: it is valid, says what the protos say, and what the server really answers keeps its schemas."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from chautari.wire.http.openapi.image import Image, read_image
from chautari.wire.http.openapi.reasons import Reasons
from chautari.wire.http.openapi.recorded import read_recorded
from chautari.wire.http.openapi.rules import bounded, listed
from chautari.wire.methods import descriptors
from tests.wire.recording import Recorder, examples, record
from tests.wire.served import serving

Document = dict[str, Any]


@pytest.fixture(scope="module")
def image() -> Image:
    """The protos."""
    return read_image()


@pytest.fixture(scope="module")
def run() -> tuple[Document, Recorder]:
    """The document as it is served, and what the same server said when every method was called."""

    async def ask() -> tuple[Document, Recorder]:
        async with serving(http=True, anonymous_per_second=0) as served:
            answer = await served.over_http().ask("GET", "/openapi.json")
            assert answer.status == 200
            return answer.json, await record(served)

    return asyncio.run(ask())


@pytest.fixture(scope="module")
def written(run: tuple[Document, Recorder]) -> Document:
    """The document as it is served."""
    return run[0]


def test_fields_are_named_as_json_names_them(image: Image) -> None:
    comments = image.comments
    assert "`perSeat`" in comments["chautari.v1.ZoneDeclaration.indexed"]
    assert "`TimeControl.awayAfter`" in comments["chautari.v1.Seat.away"]
    assert "`create_time desc`" in comments["chautari.v1.ListMatchesRequest.order_by"]
    assert "`request_id`" in comments["chautari.v1.ErrorReason.ERROR_REASON_REQUEST_ID_REUSED"]
    names = {
        field.name for file in ("view", "match", "games", "play", "event", "matches", "declaration", "option")
        for message in image.pool.FindFileByName(f"chautari/v1/{file}.proto").message_types_by_name.values()
        for field in message.fields if "_" in field.name
    }  # fmt: skip
    told = [
        name for name, comment in comments.items()
        if name.startswith("chautari.v1.") and not name.startswith("chautari.v1.ErrorReason.")
        and not name.endswith((".filter", ".order_by")) and any(f"`{field}`" in comment for field in names)
    ]  # fmt: skip
    assert told == []


def test_what_a_stranger_must_know_is_told(written: Document) -> None:
    overview = written["info"]["description"]
    assert all(text in overview for text in ("`7H`", "`XX`", "`??`", "card order", "epoch"))
    assert "Folding" in written["components"]["schemas"]["Event"]["description"]
    assert "word by word" in written["components"]["schemas"]["Action"]["description"]


def test_what_is_said_of_a_oneof_is_told_of_its_fields(written: Document) -> None:
    schemas = written["components"]["schemas"]
    assert (
        "At most one of `perMove`, `bank`, `daysPerMove` and `none` is there." in schemas["TimeControl"]["description"]
    )
    assert "Not set: any value of the type may be tried" in schemas["ArgumentChoice"]["description"]
    assert "At most" not in schemas["JoinMatchBody"]["description"]


def operations(written: Document) -> dict[str, dict[str, Any]]:
    """Every operation, by its id."""
    found: dict[str, dict[str, Any]] = {}
    for verbs in written["paths"].values():
        for operation in verbs.values():
            assert operation["operationId"] not in found
            found[operation["operationId"]] = operation
    return found


def strict(schema: Any) -> Any:
    """The schemas without leave for fields that they do not tell of."""
    if isinstance(schema, dict):
        found = {key: strict(value) for key, value in schema.items()}
        if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
            found.setdefault("additionalProperties", False)
        return found
    return [strict(each) for each in schema] if isinstance(schema, list) else schema


def problems_with(written: Document, schema: dict[str, Any], value: Any, *ignored: str) -> list[str]:
    """What a value has against a schema; `ignored`: the rules that do not count."""
    whole = {**schema, "components": strict(written["components"])}
    errors = Draft202012Validator(whole).iter_errors(value)
    return [f"{error.json_path}: {error.message}" for error in errors if error.validator not in ignored]


def said(written: Document, calls: dict[str, dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Every request and answer of a recording, with the schema that it must keep."""
    for name, call in calls.items():
        operation = operations(written)[name]
        if "request" in call:
            yield f"{name} request", operation["requestBody"]["content"]["application/json"]["schema"], call["request"]
        content = operation["responses"]["200"]["content"]
        answer = content.get("application/json") or content["application/x-ndjson"]
        for line in call.get("lines", [call["response"]]):
            yield f"{name} answer", answer["schema"], line


def test_document_is_valid(written: Document) -> None:
    assert [error.message for error in OpenAPIV31SpecValidator(written).iter_errors()] == []
    assert written["openapi"].startswith("3.1")


def test_every_binding_is_an_operation(written: Document, image: Image) -> None:
    expected = set()
    for service in descriptors():
        for rpc in service.methods:
            rule = image.option(rpc.full_name, "google.api.http")
            count = 1 + len(rule.get("additional_bindings", []))
            expected |= {f"{service.name}_{rpc.name}{number or ''}" for number in (0, *range(2, count + 1))}
    assert set(operations(written)) == expected


def test_everything_is_told_of(written: Document) -> None:
    for name, operation in operations(written).items():
        assert operation["summary"], name
        assert operation["description"], name
        for parameter in operation.get("parameters", ()):
            assert parameter["description"], (name, parameter["name"])
    for name, schema in written["components"]["schemas"].items():
        if not name.startswith("google."):
            assert schema["description"], name
            for field, inner in schema.get("properties", {}).items():
                assert inner.get("description"), (name, field)


def test_what_the_server_answers_keeps_the_schemas(run: tuple[Document, Recorder]) -> None:
    written, made = run
    for name, schema, value in said(written, made.calls):
        assert problems_with(written, schema, value) == [], name
    for problem in made.problems:
        assert problems_with(written, {"$ref": "#/components/schemas/Problem"}, problem) == [], problem["reason"]
    assert set(examples(made)) >= set(read_recorded()), "`uv run poe examples` records them anew"


def test_recorded_examples_keep_the_schemas(written: Document) -> None:
    """A field that answers have got since they were recorded does not make them wrong."""
    recorded = read_recorded()
    problems = recorded.pop("problems")
    for name, schema, value in said(written, recorded):
        found = problems_with(written, schema, value, *(["required"] if name.endswith("answer") else []))
        assert found == [], f"{name}: `uv run poe examples` records it anew"
    for reason, problem in problems.items():
        assert problems_with(written, {"$ref": "#/components/schemas/Problem"}, problem) == [], reason
    shown = operations(written)["Play_Act"]
    assert shown["requestBody"]["content"]["application/json"]["example"] == recorded["Play_Act"]["request"]
    watched = operations(written)["Play_Watch"]["responses"]["200"]["content"]["text/event-stream"]["example"]
    assert watched.startswith("retry: ")


def test_a_path_says_what_its_field_says(written: Document) -> None:
    act = written["paths"]["/v1/matches/{match}:act"]["post"]
    path = next(each for each in act["parameters"] if each["in"] == "path")
    assert (path["name"], path["schema"]["pattern"]) == ("match", "^[a-z0-9]{1,40}$")
    body = written["components"]["schemas"]["ActBody"]
    assert "match" not in body["properties"]
    assert body["required"] == ["seat"]
    join = written["components"]["schemas"]["JoinMatchBody"]["properties"]
    assert not {"name", "code", "link"} & set(join), "the path says which match it is"


@pytest.mark.parametrize(
    ("value", "is_right"),
    [
        ({"code": "K7M2QX"}, True),
        ({"code": "K7M2QX", "link": "x"}, False),
        ({}, False),
        ({"code": ""}, False),
        ({"code": "A", "seats": [0, 0]}, False),
        ({"code": "A", "seats": [-1]}, False),
        ({"code": "A", "count": 65}, False),
        ({"code": "A", "contribution": ""}, True),
        ({"code": "A", "contribution": "AAAA"}, False),
        ({"code": "A", "contribution": "A" * 22}, True),
        ({"code": "A", "requestId": ""}, True),
        ({"code": "A", "requestId": "x"}, False),
    ],
)
def test_rules_of_the_protos_are_rules_of_the_schemas(written: Document, value: Any, is_right: bool) -> None:
    found = problems_with(written, {"$ref": "#/components/schemas/JoinMatchRequest"}, value)
    assert (not found) is is_right, found


@pytest.mark.parametrize(
    ("kind", "rules", "expected"),
    [
        ("string", {"string": {"len": "4"}}, {"minLength": 4, "maxLength": 4}),
        ("string", {"string": {"max_bytes": "9"}}, {"maxLength": 9}),
        ("string", {"string": {"in": ["a"]}, "ignore": "IGNORE_IF_ZERO_VALUE"}, {"enum": ["", "a"]}),
        ("string", {"string": {"const": "a"}}, {"const": "a"}),
        ("string", {"string": {"email": True}}, {"format": "email"}),
        ("bytes", {"bytes": {"len": "3"}}, {"minLength": 4, "maxLength": 4}),
        ("int64", {"int64": {"gt": "1", "lt": "5"}}, {"exclusiveMinimum": 1, "exclusiveMaximum": 5}),
        ("int32", {"int32": {"in": [1, 2]}}, {"enum": [1, 2]}),
        ("int32", {"int32": {"gte": 5}, "ignore": "IGNORE_IF_ZERO_VALUE"}, {"anyOf": [{"const": 0}, {"minimum": 5}]}),
        ("enum", {"enum": {"defined_only": True}}, {}),
    ],
)
def test_rules_as_json_schema(kind: str, rules: dict[str, Any], expected: dict[str, Any]) -> None:
    assert bounded({}, kind, rules) == expected


def test_rules_of_lists() -> None:
    rules = {"repeated": {"min_items": "1", "max_items": "2", "unique": True}}
    assert listed({}, rules) == {"minItems": 1, "maxItems": 2, "uniqueItems": True}


def test_refusals_are_told_by_status(written: Document) -> None:
    answers = operations(written)["Play_Act"]["responses"]
    assert "RULE_BROKEN" in answers["400"]["description"]
    assert "NOT_SEATED" in answers["403"]["description"]
    for name in ("Play_Act", "Matches_UpdateMatch"):
        operation = operations(written)[name]
        assert operation["responses"]["412"]["description"].endswith("Reasons: `STALE_REVISION`.")
        assert "If-Match" in {each["name"] for each in operation["parameters"]}
    assert "412" not in operations(written)["Matches_StartMatch"]["responses"]
    assert answers["507"]["headers"]["Retry-After"]
    assert "401" not in operations(written)["Server_GetServerInfo"]["responses"]


def test_every_reason_has_a_status(image: Image) -> None:
    for reason in Reasons(image).all.values():
        assert reason.statuses, f"the comment of {reason.name} names no code"


def test_streams_and_their_headers(written: Document) -> None:
    watch = operations(written)["Play_Watch"]
    assert set(watch["responses"]["200"]["content"]) == {"text/event-stream", "application/x-ndjson"}
    assert {"afterRevision", "Last-Event-ID"} <= {each["name"] for each in watch["parameters"]}
    create = operations(written)["Matches_CreateMatch"]
    assert "Idempotency-Key" in {each["name"] for each in create["parameters"]}


def test_security_is_that_of_the_methods(written: Document) -> None:
    found = {name: operation["security"] for name, operation in operations(written).items()}
    assert found["Accounts_CreateGuest"] == [{}]
    assert found["Games_ListGames"] == [{}, {"token": ["read"]}]
    assert found["Play_Act"] == [{"token": ["play"]}]
