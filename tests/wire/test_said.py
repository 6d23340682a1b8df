"""What a front refuses before there is a call is said in the language of the caller, in the form of each protocol."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, Final

import pytest
from google.rpc.error_details_pb2 import LocalizedMessage

from chautari.v1 import play_pb2
from chautari.wire.http import HttpFront, HttpOptions
from chautari.wire.pipeline import Timing
from tests.wire.over_http import Answer, Http, framed, frames, status_of, trailers
from tests.wire.served import Served, serving
from tests.wire.stand_in import TOKEN, standing_in

GUEST: Final = "/v1/accounts:createGuest"
CONNECT_GUEST: Final = "/chautari.v1.Accounts/CreateGuest"
WATCH: Final = "/chautari.v1.Play/Watch"
JSON: Final = "application/json"
NEPALI: Final = {
    "PATH_UNKNOWN": "यो ठेगानामा केही छैन।",
    "HTTP_METHOD_UNKNOWN": "यो ठेगानामा यसरी सोध्न मिल्दैन।",
    "CONTENT_TYPE_UNKNOWN": "अनुरोध यहाँ पढ्न नमिल्ने रूपमा आयो।",
    "METHOD_UNKNOWN": "यो सर्भरले यस्तो अनुरोध चिन्दैन।",
    "REQUEST_INVALID": "अनुरोधमा केही मिलेन।",
    "REQUEST_SLOW": "अनुरोध समयमा आइपुगेन: फेरि गर्नुहोस्।",
    "HEAD_TOO_LARGE": "अनुरोधको ठेगाना वा हेडर धेरै लामो छ।",
    "MESSAGE_TOO_LARGE": "अनुरोध धेरै ठूलो छ।",
    "TOO_MANY_CONNECTIONS": "यो ठेगानाबाट धेरै जडान खुला छन्: केही बन्द गर्नुहोस्।",
    "DEADLINE_PASSED": "धेरै समय लाग्यो: भयो कि भएन, हेर्नुहोस्।",
    "FAULT": "सर्भरमा गडबड भयो: एकछिनमा फेरि हेर्नुहोस्।",
}


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    """The service with its HTTP front."""
    async with serving(http=True, body_seconds=0.5) as served:
        yield served


def said(details: list[dict[str, Any]]) -> tuple[str, str, str]:
    """The reason, the language and what is said in it, of the details of a problem or of an error of Connect."""
    plain = [detail.get("debug", detail) for detail in details]
    [reason] = [detail["reason"] for detail in plain if "reason" in detail]
    [(locale, message)] = [(detail["locale"], detail["message"]) for detail in plain if "locale" in detail]
    return reason, locale, message


def nepali(answer: Answer | Any) -> str:
    """The reason of a refusal that is said in Nepali."""
    reason, locale, message = said((answer.json if isinstance(answer, Answer) else answer)["details"])
    assert (locale, message) == ("ne", NEPALI[reason])
    return reason


@pytest.mark.parametrize(
    ("method", "path", "headers", "body", "reason"),
    [
        ("GET", "/v1/nothing", {}, None, "PATH_UNKNOWN"),
        ("GET", "/nothing", {}, None, "PATH_UNKNOWN"),
        ("PUT", "/v1/games", {}, None, "HTTP_METHOD_UNKNOWN"),
        ("PUT", "/healthz", {}, None, "HTTP_METHOD_UNKNOWN"),
        ("PUT", CONNECT_GUEST, {}, None, "HTTP_METHOD_UNKNOWN"),
        ("POST", GUEST, {"content_type": "text/plain"}, b"x", "CONTENT_TYPE_UNKNOWN"),
        ("POST", CONNECT_GUEST, {"content_type": "text/plain"}, b"x", "CONTENT_TYPE_UNKNOWN"),
        ("POST", WATCH, {"content_type": JSON}, b"{}", "CONTENT_TYPE_UNKNOWN"),
        ("GET", "/chautari.v1.Games/ListGames?encoding=xml&message=", {}, None, "CONTENT_TYPE_UNKNOWN"),
        ("GET", "/chautari.v1.Games/ListGames?encoding=json", {}, None, "REQUEST_INVALID"),
        ("POST", "/chautari.v1.Play/Nothing", {"content_type": JSON}, b"{}", "METHOD_UNKNOWN"),
        ("POST", GUEST, {"content_type": JSON}, b"{", "REQUEST_INVALID"),
        ("POST", CONNECT_GUEST, {"content_type": JSON, "content_encoding": "gzip"}, b"{", "REQUEST_INVALID"),
        ("POST", GUEST, {"content_type": JSON, "content_encoding": "br"}, b"{}", "CONTENT_TYPE_UNKNOWN"),
        ("POST", CONNECT_GUEST, {"content_type": JSON, "connect_timeout_ms": "x"}, b"{}", "REQUEST_INVALID"),
        ("POST", GUEST, {"content_type": JSON, "idempotency_key": "x"}, b"{}", "REQUEST_INVALID"),
        ("GET", "/v1/games?nonsense=1", {}, None, "REQUEST_INVALID"),
        ("POST", GUEST, {"content_type": JSON}, bytes(70_000), "MESSAGE_TOO_LARGE"),
        ("POST", CONNECT_GUEST, {"content_type": JSON}, bytes(70_000), "MESSAGE_TOO_LARGE"),
        ("POST", GUEST, {"content_type": JSON, "content_length": "9"}, None, "REQUEST_SLOW"),
        ("POST", CONNECT_GUEST, {"content_type": JSON, "content_length": "9"}, None, "REQUEST_SLOW"),
        ("GET", "/v1/games", {"x": "a" * 20_000}, None, "HEAD_TOO_LARGE"),
        ("GET", "/v1/games", {"host": "two"}, None, "REQUEST_INVALID"),
    ],
)  # fmt: skip
async def test_problems_and_errors_of_connect(
    http: Http, method: str, path: str, headers: dict[str, str], body: bytes | None, reason: str
) -> None:
    liked = {"accept_language": "ne-NP, en;q=0.5"}
    assert nepali(await http.ask(method, path, body, **liked, **headers)) == reason
    reason_in_hindi, locale, _ = said(
        (await http.ask(method, path, body, accept_language="hi", **headers)).json["details"]
    )
    assert (reason_in_hindi, locale) == (reason, "hi")
    english = (await http.ask(method, path, body, **headers)).json
    assert said(english["details"]) == (reason, "en", english.get("detail") or english["message"])


@pytest.mark.parametrize(
    ("path", "body", "headers", "reason"),
    [
        ("/other.v1.Service/Do", framed(b""), {}, "METHOD_UNKNOWN"),
        (WATCH, b"\x01\0\0\0\0", {}, "CONTENT_TYPE_UNKNOWN"),
        (WATCH, b"nothing", {}, "REQUEST_INVALID"),
        (WATCH, framed(b""), {"grpc_timeout": "x", "connect_timeout_ms": "x"}, "REQUEST_INVALID"),
        (WATCH, framed(bytes(70_000)), {}, "MESSAGE_TOO_LARGE"),
    ],
)
async def test_ends_of_streams_and_trailers(
    served: Served, path: str, body: bytes, headers: dict[str, str], reason: str
) -> None:
    http = await served.web_guest()
    for content_type in ("application/connect+json", "application/grpc-web"):
        answer = await http.ask(
            "POST", path, body, content_type=content_type, accept_language="fr, ne;q=0.1", **headers
        )  # fmt: skip
        [(flags, end)] = frames(answer.body)
        if flags == 2:
            assert nepali(json.loads(end)["error"]) == reason
        else:
            status = status_of(trailers(end))
            told = LocalizedMessage()
            assert status.details[-1].Unpack(told)
            assert (told.locale, told.message) == ("ne", NEPALI[reason])


async def test_head_that_stops_or_cannot_be_read(http: Http) -> None:
    for rest in (b"x: y\r\n", b"x: y\r\nno header\r\n\r\n"):
        _, writer = await http.open()
        writer.write(b"GET /v1/games HTTP/1.1\r\nhost: x\r\nAccept-Language: fr\r\naccept-language: ne\r\n" + rest)
        assert nepali(await http.answer()) in ("REQUEST_SLOW", "REQUEST_INVALID")
    _, writer = await http.open()
    writer.write(b"\x16\x03\x01\r\n\r\n")
    assert said((await http.answer()).json["details"])[:2] == ("REQUEST_INVALID", "en"), "nothing of its head has come"


async def test_connection_too_many() -> None:
    async with serving(http=True, connections_per_address=1) as served:
        first, second = served.over_http(), served.over_http()
        assert (await first.ask("GET", "/v1/games")).status == 200
        assert nepali(await second.ask("GET", "/v1/games", accept_language="ne")) == "TOO_MANY_CONNECTIONS"


async def test_what_is_said_over_grpc_where_there_is_no_method(served: Served) -> None:
    caller = served.caller()
    caller.headers["accept-language"] = "ne"
    refused = await caller.refused("Play/Nothing", b"")
    assert refused.reason == "METHOD_UNKNOWN"
    assert refused.details["LocalizedMessage"].message == NEPALI["METHOD_UNKNOWN"]


async def test_faults_and_calls_that_take_too_long() -> None:
    async with standing_in(Timing(call=0.2)) as stand_in:
        front = HttpFront(stand_in.pipeline, stand_in.methods, HttpOptions(port=0))
        http = Http(f"http://127.0.0.1:{await front.start()}", TOKEN)

        async def waits(*_: Any) -> Any:
            await asyncio.sleep(60)

        async def fails(*_: Any) -> Any:
            raise ZeroDivisionError

        for answer, reason in ((waits, "DEADLINE_PASSED"), (fails, "FAULT")):
            stand_in.answer = answer
            refused = await http.rest("GET", "/v1/server", accept_language="ne")
            assert nepali(refused) == reason
        await http.close()
        await front.stop(0)


async def test_stream_that_is_cut_off_by_its_caller_s_time(served: Served) -> None:
    http = await served.web_guest()
    request = framed(play_pb2.WatchMineRequest())
    answer = await http.ask(
        "POST", "/chautari.v1.Play/WatchMine", request, content_type="application/connect+proto",
        connect_timeout_ms="100", accept_language="ne",
    )  # fmt: skip
    assert nepali(json.loads(frames(answer.body)[-1][1])["error"]) == "DEADLINE_PASSED"
