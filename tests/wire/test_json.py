"""The JSON of messages against the library's own: what is written is read there, and the other way round."""

import json
import math
from collections.abc import Iterable
from typing import Any

import pytest
from google.protobuf import json_format
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.struct_pb2 import Struct, Value
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chautari.v1 import games_pb2, matches_pb2, play_pb2
from chautari.wire.errors import Violation
from chautari.wire.http.json_in import fill, parse
from chautari.wire.http.json_out import SHORT, WHOLE
from chautari.wire.methods import descriptors

F = FieldDescriptor
KINDS: list[type[Message]] = sorted(
    {
        GetMessageClass(kind)
        for service in descriptors()
        for rpc in service.methods
        for kind in (rpc.input_type, rpc.output_type)
    },
    key=lambda kind: kind.DESCRIPTOR.full_name,
)
_TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=8)
_SCALARS: dict[int, st.SearchStrategy[Any]] = {
    F.CPPTYPE_INT32: st.integers(-(2**31), 2**31 - 1),
    F.CPPTYPE_UINT32: st.integers(0, 2**32 - 1),
    F.CPPTYPE_INT64: st.integers(-(2**63), 2**63 - 1),
    F.CPPTYPE_UINT64: st.integers(0, 2**64 - 1),
    F.CPPTYPE_BOOL: st.booleans(),
    F.CPPTYPE_DOUBLE: st.floats(allow_nan=False),
    F.CPPTYPE_FLOAT: st.floats(width=32, allow_nan=False),
}
_JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=6,
)


def _make(draw: Any, descriptor: Any, depth: int) -> Message:
    message = GetMessageClass(descriptor)()
    name = descriptor.full_name
    if name == "google.protobuf.Struct":
        assert isinstance(message, Struct)
        message.update(draw(st.dictionaries(_TEXT, _JSON, max_size=3)))
    elif name == "google.protobuf.Value":
        assert isinstance(message, Value)
        json_format.ParseDict(draw(_JSON), message)
    elif name in ("google.protobuf.Timestamp", "google.protobuf.Duration"):
        message.seconds = draw(st.integers(0, 4_000_000_000))  # type: ignore[attr-defined]
        message.nanos = draw(st.sampled_from([0, 5, 1000, 999_999_000]))  # type: ignore[attr-defined]
    elif name == "google.protobuf.FieldMask":
        message.paths.extend(draw(st.lists(st.sampled_from(["language", "display_name", "a.b_c"]), max_size=3)))  # type: ignore[attr-defined]
    else:
        for field in _chosen(draw, descriptor.fields):
            _set(draw, message, field, depth)
    return message


def _chosen(draw: Any, fields: Iterable[FieldDescriptor]) -> list[FieldDescriptor]:
    return [field for field in fields if draw(st.booleans())]


def _set(draw: Any, message: Message, field: FieldDescriptor, depth: int) -> None:
    kind: Any = field.message_type
    if field.cpp_type != F.CPPTYPE_MESSAGE:
        values = draw(st.lists(_value(field), max_size=3)) if field.is_repeated else draw(_value(field))
        if field.is_repeated:
            getattr(message, field.name).extend(values)
        else:
            setattr(message, field.name, values)
    elif depth > 3:
        return
    elif kind.GetOptions().map_entry:
        value = kind.fields_by_name["value"]
        for name in draw(st.lists(_value(kind.fields_by_name["key"]), max_size=2)):
            if value.cpp_type == F.CPPTYPE_MESSAGE:
                getattr(message, field.name)[name].CopyFrom(_make(draw, value.message_type, depth + 1))
            else:
                getattr(message, field.name)[name] = draw(_value(value))
    elif field.is_repeated:
        for _ in range(draw(st.integers(0, 2))):
            getattr(message, field.name).append(_make(draw, kind, depth + 1))
    else:
        getattr(message, field.name).CopyFrom(_make(draw, kind, depth + 1))


def _value(field: Any) -> st.SearchStrategy[Any]:
    if field.cpp_type == F.CPPTYPE_ENUM:
        return st.sampled_from([value.number for value in field.enum_type.values])
    if field.type == F.TYPE_BYTES:
        return st.binary(max_size=8)
    return _SCALARS.get(field.cpp_type, _TEXT)


@st.composite
def messages(draw: Any) -> Message:
    """Any request or answer of the API."""
    return _make(draw, draw(st.sampled_from(KINDS)).DESCRIPTOR, 0)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(messages())
def test_json_is_that_of_the_library(message: Message) -> None:
    short = json_format.MessageToDict(message)
    assert json.loads(SHORT.to_json(message)) == json.loads(json.dumps(short))
    whole = json_format.MessageToDict(message, always_print_fields_with_no_presence=True)
    assert json.loads(WHOLE.to_json(message)) == json.loads(json.dumps(whole))
    for text in (SHORT.to_json(message), WHOLE.to_json(message)):
        again = type(message)()
        fill(again, parse(text))
        assert again == message
        assert json_format.Parse(text, type(message)()) == message
    named = type(message)()
    fill(named, json_format.MessageToDict(message, preserving_proto_field_name=True))
    assert named == message


@pytest.mark.parametrize(
    "text",
    ['"1"', "1.0", "1e0", "01", '" 1"', '"1_0"', '"0x1"', "1.5", "true", "[]", '"1.0"', "null", "1e400", '"\\u0967"'],
)
def test_numbers_are_read_as_the_library_reads_them_or_more_strictly(text: str) -> None:
    def read(reads: Any) -> Any:
        message = play_pb2.ActRequest()
        try:
            reads(message)
        except (Violation, json_format.ParseError):
            return None
        return message.seat

    raw = f'{{"seat": {text}}}'.encode()
    ours = read(lambda message: fill(message, parse(raw)))
    theirs = read(lambda message: json_format.Parse(raw, message))
    assert ours in (theirs, None)


def test_numbers_that_json_has_no_sign_for() -> None:
    value = Value(number_value=math.inf)
    assert SHORT.to_json(value) == b'"Infinity"'
    assert SHORT.to_json(Value(number_value=2.0)) == b"2"
    assert SHORT.to_json(Value(number_value=1e300)) == b"1e300"


@pytest.mark.parametrize("settings", ['{"a": %s}', '{"a": [{"b": -%s}]}'])
def test_number_that_no_double_holds_is_refused(settings: str) -> None:
    data = parse(b'{"settings": %b}' % (settings % ("9" * 400)).encode())
    with pytest.raises(Violation) as caught:
        fill(matches_pb2.CreateMatchRequest(), data)
    assert caught.value.field == "settings"
    assert "no larger than a double" in caught.value.message


def test_unknown_value_of_an_enum_is_a_number() -> None:
    message = play_pb2.StreamEnd(cause=99)  # type: ignore[arg-type]
    assert SHORT.to_json(message) == b'{"cause":99}'
    again = play_pb2.StreamEnd()
    fill(again, {"cause": 99})
    assert again == message


def test_fields_that_are_told_apart_from_their_default_are_left_out_and_others_are_not() -> None:
    assert json.loads(WHOLE.to_json(play_pb2.Presence())) == {"seat": 0, "online": False}
    assert json.loads(WHOLE.to_json(play_pb2.Step())) == {"cause": "CAUSE_UNSPECIFIED", "events": []}


def test_fields_of_the_future_are_passed_over_only_where_generated_clients_call() -> None:
    data = {"game": "games/bluff", "mood": "merry", "settings": {"players": 4}}
    request = matches_pb2.CreateMatchRequest()
    fill(request, data, lenient=True)
    assert request.game == "games/bluff"
    with pytest.raises(Violation) as caught:
        fill(games_pb2.GetGameRequest(), {"mood": "merry"})
    assert caught.value.field == "mood"


def test_what_is_wrong_is_shown_as_it_was_written() -> None:
    for written, shown in (
        ('"1e3"', '"1e3"'), ('"null"', '"null"'), ('" 1"', '" 1"'), ("1e300", "1e300"), ("true", "true"),
    ):  # fmt: skip
        with pytest.raises(Violation, match="page_size: must be a whole number") as refused:
            fill(matches_pb2.ListMatchesRequest(), parse(f'{{"pageSize": {written}}}'.encode()))
        assert refused.value.message.endswith(f"not {shown}")
