"""What bad input gets over HTTP: a clear refusal with its reason, on whichever protocol, and never a fault."""

import asyncio
import gzip
import json
from asyncio import StreamWriter
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Final

import pytest

from chautari.v1 import accounts_pb2, matches_pb2
from chautari.wire.http.bindings import _NEEDLESS
from tests.wire.over_http import Answer, Http, framed, frames, reason_of, status_of, trailers
from tests.wire.served import Served, serving

GUEST: Final = "/v1/accounts:createGuest"
CONNECT_GUEST: Final = "/chautari.v1.Accounts/CreateGuest"
KEY: Final = "5f1c6a3e-8f0b-4e43-9a57-0d6f6f0e1c11"
MB: Final = 1024 * 1024


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    """The service with its HTTP front."""
    async with serving(http=True, body_seconds=0.5) as served:
        yield served


@pytest.fixture
async def http(served: Served) -> Http:
    """A connection of a guest."""
    http = served.over_http()
    http.token = (await http.rest("POST", GUEST, {})).json["tokens"]["accessToken"]
    return http


async def send_10_mb(writer: StreamWriter, *, chunked: bool) -> None:
    """Sends it as fast as it is taken, until the other side hangs up."""
    part = bytes(64 * 1024)
    with suppress(ConnectionError):
        for _ in range(10 * MB // len(part)):
            if writer.is_closing():
                return
            writer.write(b"%x\r\n%b\r\n" % (len(part), part) if chunked else part)
            await writer.drain()


async def test_body_of_10_mb_is_refused_and_not_read(served: Served) -> None:
    for path, content_type in (
        (GUEST, "application/json"),
        (CONNECT_GUEST, "application/json"),
        (CONNECT_GUEST, "application/proto"),
        (CONNECT_GUEST, "application/grpc-web+proto"),
    ):
        for chunked in (False, True):
            http = served.over_http()
            told = {"transfer-encoding": "chunked"} if chunked else {"content-length": str(10 * MB)}
            _, writer = await http.open()
            writer.write(http.head("POST", path, {"content-type": content_type, **told}))
            sending = asyncio.create_task(send_10_mb(writer, chunked=chunked))
            answer = await http.answer()
            await sending
            if "grpc-web" in content_type:
                [(_, block)] = frames(answer.body)
                assert trailers(block)["grpc-status"] == "8"
                assert "65536" in status_of(trailers(block)).message
            else:
                assert (answer.status, answer.reason) == (413 if path == GUEST else 429, "MESSAGE_TOO_LARGE")


async def test_client_that_sends_all_of_10_mb_before_it_reads_gets_the_answer(served: Served) -> None:
    for path in (GUEST, CONNECT_GUEST):
        for chunked in (False, True):
            http = served.over_http()
            told = {"transfer-encoding": "chunked"} if chunked else {"content-length": str(10 * MB)}
            _, writer = await http.open()
            writer.write(http.head("POST", path, {"content-type": "application/json", **told}))
            part = bytes(64 * 1024)
            for _ in range(10 * MB // len(part)):
                writer.write(b"%x\r\n%b\r\n" % (len(part), part) if chunked else part)
                await writer.drain()
            writer.write(b"0\r\n\r\n" if chunked else b"")
            assert (await http.answer()).reason == "MESSAGE_TOO_LARGE"


async def test_client_that_asks_first_need_not_send_a_large_body(http: Http) -> None:
    answer = await http.ask(
        "POST", GUEST, None, content_length=str(10 * MB), content_type="application/json", expect="100-continue"
    )
    assert (answer.status, answer.reason) == (413, "MESSAGE_TOO_LARGE")


async def test_client_that_asks_first_is_told_to_go_on(http: Http) -> None:
    _, writer = await http.open()
    await http.send("POST", GUEST, None, content_length="2", content_type="application/json", expect="100-continue")
    assert (await http.begin()).status == 100
    writer.write(b"{}")
    assert (await http.answer()).status == 200


async def test_json_nested_too_deep(http: Http) -> None:
    for depth in [101, 1000, 20_000]:
        for opening in ['{"a":', "["]:
            closing = "}" if opening.startswith("{") else "]"
            nested = opening * depth + "1" + closing * depth
            body = f'{{"game":"games/bluff","settings":{{"a":{nested}}}}}'.encode()
            for path in ("/v1/matches", "/chautari.v1.Matches/CreateMatch"):
                answer = await http.ask("POST", path, body, content_type="application/json")
                reason = answer.reason
                assert (answer.status, reason) == ((413 if path.startswith("/v1") else 429), "MESSAGE_TOO_LARGE") or (
                    answer.status,
                    reason,
                ) == (400, "REQUEST_INVALID")


async def test_message_nested_too_deep(http: Http) -> None:
    inner = b""
    for _ in range(1000):
        inner = b"\x32" + _varint(len(inner)) + inner  # list_value of Value
        inner = b"\x0a" + _varint(len(inner)) + inner  # values of ListValue
    entry = b"\x0a\x01a\x12" + _varint(len(inner)) + inner
    struct = b"\x0a" + _varint(len(entry)) + entry
    field = matches_pb2.CreateMatchRequest.SETTINGS_FIELD_NUMBER << 3 | 2
    body = bytes([field]) + _varint(len(struct)) + struct
    answer = await http.ask("POST", "/chautari.v1.Matches/CreateMatch", body, content_type="application/proto")
    assert (answer.status, answer.reason) == (400, "REQUEST_INVALID")


def _varint(number: int) -> bytes:
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


async def test_body_that_cannot_be_read(http: Http) -> None:
    for body, says in [
        (b"{", "JSON"),
        (b"[]", "must be an object"),
        (b"null", "must be an object"),
        (b'{"displayName": 4}', "display_name: must be a text"),
        (b'{"displayName": "\xff"}', "JSON"),
        (b'{"displayName": "\\ud800"}', ""),
        (b'{"displayname": "Sita"}', "displayname: CreateGuestRequest has no field"),
        (b'{"displayName": "a", "display_name": "b"}', "given twice"),
        (b'{"displayName": NaN}', "JSON"),
        (b"{} {}", "JSON"),
        (b"nope", "read as JSON: invalid character"),
    ]:
        answer = await http.ask("POST", GUEST, body, content_type="application/json")
        assert (answer.status, answer.reason) == (400, "REQUEST_INVALID")
        assert says in answer.json["detail"]


async def test_body_of_another_type(http: Http) -> None:
    for content_type in ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1", ""]:
        headers = {"content_type": content_type} if content_type else {}
        for path in (GUEST, CONNECT_GUEST):
            answer = await http.ask("POST", path, b"{}", **headers)
            assert (answer.status, answer.reason) == (415, "CONTENT_TYPE_UNKNOWN")
            assert "application/json" in answer.json["detail"]


async def test_stream_is_not_called_as_a_unary_method_nor_the_other_way_round(http: Http) -> None:
    answer = await http.rest("POST", "/chautari.v1.Play/Watch", {})
    assert (answer.status, answer.headers["accept-post"].split(", ")[0]) == (415, "application/connect+proto")
    answer = await http.ask("POST", CONNECT_GUEST, framed(b""), content_type="application/connect+proto")
    assert answer.status == 415


async def test_unknown_value_names_its_field(http: Http) -> None:
    for answer in (
        await http.rest("GET", "/v1/matches?which=MATCH_LIST_ALL"),
        await http.rest("POST", "/chautari.v1.Matches/ListMatches", {"which": "MATCH_LIST_ALL"}),
    ):
        assert (answer.status, answer.reason) == (400, "REQUEST_INVALID")
        shown = json.dumps(answer.json)
        assert "which: must be one of MATCH_LIST_UNSPECIFIED" in shown


async def test_path(http: Http) -> None:
    for path, status, reason in [
        ("/v1/matches/a%2Fb", 400, "REQUEST_INVALID"),
        ("/v1/matches/a%2fb:view", 400, "REQUEST_INVALID"),
        ("/v1/matches%2Fabc", 404, "PATH_UNKNOWN"),
        ("/v1/matches/abc/def", 404, "PATH_UNKNOWN"),
        ("/v1/matches/", 404, "PATH_UNKNOWN"),
        ("/v1/matches/abc:fold", 404, "PATH_UNKNOWN"),
        ("/v1/matches/..%2F..%2Fetc", 400, "REQUEST_INVALID"),
        ("/v1/matches/%ff", 400, "REQUEST_INVALID"),
        ("/v1/matches/%E0%A4%A8", 400, "REQUEST_INVALID"),
        ("/v2/matches", 404, "PATH_UNKNOWN"),
        ("/v1/matches?pageSize=x", 400, "REQUEST_INVALID"),
        ("/v1/matches?pageSize=1&pageSize=2", 400, "REQUEST_INVALID"),
        ("/v1/matches?pageSize=-1", 400, "REQUEST_INVALID"),
        ("/v1/matches?pageSize=99999999999", 400, "REQUEST_INVALID"),
        ("/v1/matches?nonsense=1", 400, "REQUEST_INVALID"),
        ("/v1/matches?which.a=1", 400, "REQUEST_INVALID"),
        ("/v1/matches?" + "&".join(f"a{number}=1" for number in range(300)), 400, "REQUEST_INVALID"),
        ("/v1/matches?game=%ff", 400, "REQUEST_INVALID"),
        ("/v1/matches?access_token=abc", 400, "REQUEST_INVALID"),
        ("/v1/matches/abc:view?match=matches/def", 400, "REQUEST_INVALID"),
        ("/chautari.v1.Play/Nothing", 404, "PATH_UNKNOWN"),
    ]:
        answer = await http.ask("GET", path)
        assert (answer.status, answer.reason) == (status, reason)
        assert answer.headers["content-type"] == "application/problem+json"


async def test_needless_escapes_mean_what_they_stand_for(http: Http) -> None:
    for path, reason in (
        ("/v1/%6datches/a%62c:%76iew", "NO_ACCESS"),
        ("/v1/matches/abc%3aview", "REQUEST_INVALID"),
        ("/v1%2fmatches/abc:view", "PATH_UNKNOWN"),
    ):
        assert (await http.ask("GET", path)).reason == reason
    assert (await http.ask("GET", "/%761/game%73")).status == 200
    needless = "".join(chr(number) for number in range(256) if _NEEDLESS.fullmatch(f"%{number:02x}"))
    assert needless == "-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~"


async def test_method_that_is_not_there_is_refused_in_its_protocol(http: Http) -> None:
    connect = await http.rest("POST", "/chautari.v1.Play/Nothing", {})
    assert (connect.status, connect.reason) == (501, "METHOD_UNKNOWN")
    web = await http.ask("POST", "/other.v1.Service/Do", framed(b""), content_type="application/grpc-web")
    [(_, block)] = frames(web.body)
    assert trailers(block)["grpc-status"] == "12"
    stream = await http.ask("POST", "/other.v1.Service/Do", framed(b""), content_type="application/connect+json")
    [(flags, end)] = frames(stream.body)
    assert (flags, reason_of(json.loads(end)["error"])) == (2, "METHOD_UNKNOWN")


async def test_frames_that_are_none(http: Http) -> None:
    for body in (b"", bytes(3), framed(b"") * 2, b"\x01\0\0\0\0", b"\0\0\0\0\x09abc", b"\x80\0\0\0\0"):
        web = await http.ask("POST", CONNECT_GUEST, body, content_type="application/grpc-web+proto")
        [(_, block)] = frames(web.body)
        is_packed = body[:1] == b"\x01"
        assert trailers(block)["grpc-status"] == ("12" if is_packed else "3")
        stream = await http.ask("POST", "/chautari.v1.Play/Watch", body, content_type="application/connect+proto")
        [(_, end)] = frames(stream.body)
        assert json.loads(end)["error"]["code"] == ("unimplemented" if is_packed else "invalid_argument")


async def test_request_that_does_not_come(http: Http) -> None:
    for path in (GUEST, CONNECT_GUEST):
        answer = await http.ask("POST", path, None, content_length="10", content_type="application/json")
        assert answer.reason == "REQUEST_SLOW"
        assert answer.status == (408 if path == GUEST else 504)


async def test_head_that_is_too_long(http: Http) -> None:
    answer = await http.ask("GET", "/v1/games", None, x="a" * 20_000)
    assert (answer.status, answer.reason) == (431, "HEAD_TOO_LARGE")
    answer = await http.ask("GET", "/v1/games?" + "a" * 20_000)
    assert (answer.status, answer.reason) == (431, "HEAD_TOO_LARGE")


async def test_head_that_does_not_come(http: Http) -> None:
    _, writer = await http.open()
    writer.write(b"GET /v1/games HTTP/1.1\r\nhost: here\r\n")
    answer = await http.answer()
    assert (answer.status, answer.reason) == (408, "REQUEST_SLOW")
    assert answer.headers["connection"] == "close"
    reader, _ = await http.open()
    assert await reader.read() == b""  # nothing was begun, so there is nothing to answer


async def test_request_names_one_host(http: Http) -> None:
    for head in (b"GET /healthz HTTP/1.1\r\n\r\n", b"GET /healthz HTTP/1.1\r\nhost: a\r\nHost: b\r\n\r\n"):
        _, writer = await http.open()
        writer.write(head)
        answer = await http.answer()
        assert (answer.status, answer.reason) == (400, "REQUEST_INVALID")
        assert "Host" in answer.json["detail"]
    _, writer = await http.open()
    writer.write(b"GET /healthz HTTP/1.0\r\n\r\n")
    assert (await http.answer()).status == 200


async def test_what_is_no_http(http: Http) -> None:
    for junk in [
        b"\x16\x03\x01\x02\x00\x01\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\n\r\n",
    ]:
        _, writer = await http.open()
        writer.write(junk)
        answer = await http.answer()
        assert (answer.status, answer.reason) == (400, "REQUEST_INVALID")


async def test_packed_bodies(http: Http) -> None:
    async def ask(body: bytes, encoding: str) -> Answer:
        return await http.ask("POST", CONNECT_GUEST, body, content_type="application/proto", content_encoding=encoding)

    raw = accounts_pb2.CreateGuestRequest(display_name="Gita").SerializeToString()
    assert (await ask(gzip.compress(raw), "gzip")).status == 200
    assert (await ask(raw, "identity")).status == 200
    assert (await ask(gzip.compress(bytes(10 * MB)), "gzip")).reason == "MESSAGE_TOO_LARGE"
    assert (await ask(gzip.compress(raw)[:-2], "gzip")).reason == "REQUEST_INVALID"
    assert (await ask(gzip.compress(raw) + b"more", "gzip")).reason == "REQUEST_INVALID"
    assert (await ask(b"nothing", "gzip")).reason == "REQUEST_INVALID"
    assert (await ask(b"", "gzip")).status == 200, "nothing is nothing in any encoding"
    other = await ask(raw, "br")
    assert (other.json["code"], other.reason) == ("unimplemented", "CONTENT_TYPE_UNKNOWN")
    assert "gzip" in other.json["message"]


async def test_headers_that_cannot_be_read(http: Http) -> None:
    for headers, says in [
        ({"idempotency_key": "one"}, "Idempotency-Key: must be a UUID"),
        ({"idempotency_key": "{" + KEY + "}"}, "Idempotency-Key: must be a UUID"),
        ({"if_match": "12"}, "If-Match: must be the one ETag"),
        ({"if_match": 'W/"12"'}, "If-Match: must be the one ETag"),
        ({"if_match": '"1", "2"'}, "If-Match: must be the one ETag"),
    ]:
        answer = await http.rest("POST", "/v1/matches/abc:act", {"text": "take"}, **headers)
        assert (answer.status, answer.reason) == (400, "REQUEST_INVALID")
        assert says in answer.json["detail"]


async def test_two_that_differ_and_fields_that_are_wrong(http: Http) -> None:
    for body, headers, field in [
        ({"match": "matches/def", "text": "x"}, {}, "match"),
        ({"requestId": KEY.replace("5", "6")}, {"idempotency_key": KEY}, "request_id"),
        ({"revision": 1}, {"if_match": '"2"'}, "revision"),
        ({"text": "a", "action": {"verb": "a"}}, {}, "action"),
        ({"seat": 1.5}, {}, "seat"),
        ({"seat": 2**31}, {}, "seat"),
        ({"seat": True}, {}, "seat"),
        ({"validateOnly": 1}, {}, "validate_only"),
        ({"action": {"arguments": [1]}}, {}, "action.arguments[0]"),
    ]:
        answer = await http.rest("POST", "/v1/matches/abc:act", body, **headers)
        assert (answer.status, answer.reason) == (400, "REQUEST_INVALID")
        assert answer.json["details"][0]["metadata"]["field"] == field


async def test_match_is_joined_by_its_name_or_by_a_code_and_not_by_both(http: Http) -> None:
    for field in ("code", "link"):
        answer = await http.rest("POST", "/v1/matches/abc:join", {field: "x"})
        assert (answer.status, answer.reason) == (400, "REQUEST_INVALID")
        assert answer.json["details"][0]["metadata"]["field"] == field
    same = await http.rest("POST", "/v1/matches/abc:join", {"name": "matches/abc"})
    assert same.reason == "NO_ACCESS"


async def test_last_event_that_is_no_revision(http: Http) -> None:
    for told in ["x", "-1", "99999999999"]:
        answer = await http.rest("GET", "/v1/matches/abc:watch", accept="text/event-stream", last_event_id=told)
        assert (answer.status, answer.reason) == (400, "REQUEST_INVALID")


async def test_time_that_cannot_be_read(http: Http) -> None:
    for name, told in [
        ("connect_timeout_ms", "1.5"),
        ("connect_timeout_ms", "12345678901"),
        ("connect_protocol_version", "2"),
        ("grpc_timeout", "5"),
        ("grpc_timeout", "-1S"),
    ]:
        web = name == "grpc_timeout"
        answer = await http.ask(
            "POST", "/chautari.v1.Server/GetServerInfo", framed(b"") if web else b"",
            content_type="application/grpc-web" if web else "application/proto", **{name: told},
        )  # fmt: skip
        if web:
            [(_, block)] = frames(answer.body)
            assert trailers(block)["grpc-status"] == "3"
        else:
            assert (answer.status, answer.reason) == (400, "REQUEST_INVALID")
