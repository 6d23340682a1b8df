"""In which form things are sent and taken over HTTP: types and their parameters, ways to pack, and weak tags."""

import gzip
import json
from base64 import b64decode
from collections.abc import AsyncIterator

import pytest

from chautari.v1 import play_pb2
from chautari.wire.http.negotiation import kind_of, weight_of, weights
from tests.wire.over_http import Http, framed, frames, reason_of, status_of, trailers
from tests.wire.served import CREATE, Served, serving

INFO = "/chautari.v1.Server/GetServerInfo"


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    """The service with its HTTP front."""
    async with serving(http=True) as served:
        yield served


@pytest.mark.parametrize(
    ("accepted", "weight"),
    [
        ("", 0.0),
        ("text/event-stream", 1.0),
        ("Text/Event-Stream ; Q=0.5", 0.5),
        ("*/*, text/*;q=0.2", 0.2),
        ("text/*, text/event-stream;q=0", 0.0),
        ("*/*;q=0.1", 0.1),
        ("text/event-stream;q=high", 0.0),
        ("text/event-stream;charset=utf-8;q=0.3", 0.3),
    ],
)
def test_what_is_named_comes_before_what_stands_for_more(accepted: str, weight: float) -> None:
    assert weight_of("text/event-stream", weights(accepted)) == weight


@pytest.mark.parametrize(
    ("content_type", "kind"),
    [
        ("Application/JSON", "application/json"),
        ("application/json; profile=x", "application/json"),
        ('application/json ; x=y; Charset="UTF-8";', "application/json"),
        ("application/json; x=y; charset=latin1", ""),
        ("application/json, application/json", "application/json, application/json"),
        ("", ""),
    ],
)
def test_parameters_that_mean_nothing_are_passed_over_and_another_charset_is_not(content_type: str, kind: str) -> None:
    assert kind_of(content_type) == kind


async def test_both_ways_to_send_json_take_the_same_types(http: Http) -> None:
    for content_type, is_taken in (
        ("application/json; odata=verbose", True),
        ("application/json; charset=utf-8; x=y", True),
        ("application/json; x=y; charset=latin1", False),
        ("application/jsonx", False),
    ):
        for path in ("/v1/accounts:createGuest", "/chautari.v1.Accounts/CreateGuest"):
            answer = await http.ask("POST", path, b"{}", content_type=content_type)
            assert answer.status == (200 if is_taken else 415)


async def test_stream_comes_in_the_form_that_is_liked_best(served: Served) -> None:
    http = await served.web_guest()
    match = (await http.rest("POST", "/v1/matches", CREATE)).json["name"]
    for accepted, events in (
        ("text/event-stream", True),
        ("Text/Event-Stream", True),
        ("text/event-stream, */*", True),
        ("text/*", True),
        ("application/x-ndjson;q=0.5, text/event-stream", True),
        ("application/x-ndjson, text/event-stream;q=0.5", False),
        ("text/event-stream;q=0", False),
        ("*/*", False),
        ("application/xml", False),
    ):
        asked = await http.ask("HEAD", f"/v1/{match}:watch", accept=accepted)
        assert asked.headers["content-type"] == ("text/event-stream" if events else "application/x-ndjson"), accepted


async def test_body_may_be_packed_by_the_old_name_and_another_way_is_told(http: Http) -> None:
    packed = gzip.compress(b"{}")
    taken = await http.ask("POST", INFO, packed, content_type="application/json", content_encoding="x-gzip")
    assert taken.status == 200
    for path, status in (("/v1/accounts:createGuest", 415), (INFO, 501)):
        for encoding in ("br", "zstd", "gzip, gzip"):
            refused = await http.ask("POST", path, packed, content_type="application/json", content_encoding=encoding)
            assert (refused.status, refused.headers["accept-encoding"]) == (status, "gzip")
    other = await http.ask("POST", INFO, b"{}", content_type="text/plain")
    assert "accept-encoding" not in other.headers


async def test_stream_of_connect_that_says_how_its_messages_are_packed(served: Served) -> None:
    http = await served.web_guest()
    match = (await http.rest("POST", "/v1/matches", CREATE)).json["name"]
    request = framed(play_pb2.WatchRequest(match=match))
    for encoding in ("br", "gzip"):
        refused = await http.ask(
            "POST", "/chautari.v1.Play/Watch", request, content_type="application/connect+proto",
            connect_content_encoding=encoding,
        )  # fmt: skip
        error = json.loads(frames(refused.body)[0][1])["error"]
        assert (error["code"], reason_of(error)) == ("unimplemented", "CONTENT_TYPE_UNKNOWN")
    await http.send(
        "POST", "/chautari.v1.Play/Watch", request, content_type="application/connect+proto",
        connect_content_encoding="identity", connect_accept_encoding="br",
    )  # fmt: skip
    await http.begin()
    assert frames(await http.part())[0][0] == 0
    await http.close()


async def test_grpc_web_is_answered_as_text_where_only_that_is_taken(http: Http) -> None:
    for path, code in ((INFO, "0"), ("/chautari.v1.Play/View", "16")):
        answer = await http.ask(
            "POST", path, framed(b""), content_type="application/grpc-web+proto", accept="application/grpc-web-text"
        )
        assert answer.headers["content-type"] == "application/grpc-web-text+proto"
        pieces = answer.body.replace(b"=", b"=|").replace(b"=|=|", b"==|").split(b"|")
        last = frames(b"".join(b64decode(piece) for piece in pieces))[-1][1]
        assert trailers(last)["grpc-status"] == code
        assert code == "0" or "access token" in status_of(trailers(last)).message


@pytest.mark.parametrize(
    ("accept", "text"),
    [
        ("application/grpc-web, application/grpc-web-text", False),
        ("application/grpc-web-text;q=0", False),
        ("application/grpc-web-text+proto, */*;q=0.1", True),
    ],
)
async def test_grpc_web_is_not_answered_as_text_where_another_form_is_liked_as_much(
    http: Http, accept: str, text: bool
) -> None:
    answer = await http.ask("POST", INFO, framed(b""), content_type="application/grpc-web+proto", accept=accept)
    assert ("-text" in answer.headers["content-type"]) is text


async def test_tag_of_what_may_be_packed_is_weak(http: Http) -> None:
    for path in ("/v1/games", "/openapi.json", "/docs"):
        plain, packed = await http.ask("GET", path), await http.ask("GET", path, accept_encoding="gzip")
        assert packed.headers["content-encoding"] == "gzip"
        tag = packed.headers["etag"]
        assert tag == plain.headers["etag"]
        assert tag.startswith('W/"')
        for asked in (tag, tag.removeprefix("W/"), f'"x", {tag}', "*"):
            again = await http.ask("GET", path, if_none_match=asked, accept_encoding="gzip")
            assert (again.status, again.headers["etag"], again.headers["vary"]) == (304, tag, plain.headers["vary"])
        assert (await http.ask("GET", path, if_none_match='"x", W/"y"')).status == 200
