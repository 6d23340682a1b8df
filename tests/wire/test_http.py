"""The HTTP front over a real socket: each protocol once, and what REST adds to the messages."""

import gzip
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest

from chautari.v1 import accounts_pb2, match_pb2, play_pb2
from chautari.wire.http.bindings import bindings_of
from chautari.wire.http.caching import is_secret
from tests.wire.made import methods
from tests.wire.over_http import Answer, framed, frames, status_of, trailers
from tests.wire.served import CREATE, Served, serving


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    """The service with its HTTP front."""
    async with serving(http=True) as served:
        yield served


async def test_a_match_over_rest(served: Served) -> None:
    http = await served.web_guest()
    made = await http.rest("POST", "/v1/matches", CREATE)
    assert made.status == 200
    match = made.json["name"]
    assert made.headers["etag"] == '"1"'
    assert made.json["seats"][0]["number"] == 0, "what has its default is written too"
    acted = await http.rest("POST", f"/v1/{match}:act", {"seat": 0, "text": "take"}, if_match='"1"')
    assert (acted.status, acted.json["revision"], acted.headers["etag"]) == (200, 2, '"2"')
    stale = await http.rest("POST", f"/v1/{match}:act", {"seat": 1, "text": "take"}, if_match='"1"')
    assert (stale.status, stale.reason) == (412, "STALE_REVISION")
    assert stale.headers["content-type"] == "application/problem+json"
    aborted = await http.rest("POST", f"/v1/{match}:act", {"seat": 1, "text": "take", "revision": 1})
    assert (aborted.status, aborted.reason) == (409, "STALE_REVISION")
    view = await http.rest("GET", f"/v1/{match}:view?seat=1")
    assert (view.status, view.headers["cache-control"], view.json["seat"]) == (200, "no-store", 1)


async def test_match_is_changed_only_as_it_was_seen(served: Served) -> None:
    http = await served.web_guest()
    made = await http.rest("POST", "/v1/matches", {**CREATE, "start": "START_RULE_BY_HOST"})
    path, seen = f"/v1/{made.json['name']}", made.headers["etag"]
    changed = await http.rest("PATCH", path, {"title": "Friday"}, if_match=seen)
    assert (changed.status, changed.json["title"], changed.headers["etag"]) == (200, "Friday", '"2"')
    stale = await http.rest("PATCH", path, {"title": "Sunday"}, if_match=seen)
    assert (stale.status, stale.reason) == (412, "STALE_REVISION")
    for any_match in ({}, {"if_match": "*"}):  # what fails is no condition of HTTP's
        aborted = await http.rest("PATCH", path, {"title": "Sunday", "etag": "1"}, **any_match)
        assert (aborted.status, aborted.reason) == (409, "STALE_REVISION")
    both = await http.rest("PATCH", path, {"title": "Sunday", "etag": "2"}, if_match='"2"')
    assert (both.status, both.json["title"]) == (200, "Sunday")
    differ = await http.rest("PATCH", path, {"title": "Monday", "etag": "1"}, if_match='"3"')
    assert (differ.status, differ.json["details"][0]["metadata"]["field"]) == (400, "match.etag")
    for other in (f"{path}:start", "/v1/accounts/me"):
        refused = await http.rest("POST" if other != "/v1/accounts/me" else "PATCH", other, {}, if_match='"3"')
        assert (refused.status, refused.json["details"][0]["metadata"]["field"]) == (400, "If-Match")


async def test_unary_calls_over_connect(served: Served) -> None:
    http = served.over_http()
    request = accounts_pb2.CreateGuestRequest(display_name="Gita")
    path = "/chautari.v1.Accounts/CreateGuest"
    binary = await http.ask("POST", path, request.SerializeToString(), content_type="application/proto")
    assert (binary.status, binary.headers["content-type"]) == (200, "application/proto")
    assert accounts_pb2.CreateGuestResponse.FromString(binary.body).account.display_name == "Gita"
    text = await http.rest("POST", path, {"displayName": "Rita", "fromTheFuture": 1})
    assert text.json["account"]["displayName"] == "Rita"
    refused = await http.rest("POST", "/chautari.v1.Play/View", {"match": "matches/abc"})
    assert (refused.status, refused.json["code"], refused.reason) == (401, "unauthenticated", "TOKEN_MISSING")


async def test_challenge_tells_a_token_that_does_not_hold_from_none(served: Served) -> None:
    for path in ("/v1/accounts/me", '/chautari.v1.Accounts/GetAccount?encoding=json&message={"name":"accounts/me"}'):
        missing = await served.over_http().ask("GET", path)
        assert missing.headers["www-authenticate"] == 'Bearer realm="chautari"'
        wrong = await served.over_http("nobody's").ask("GET", path)
        assert (wrong.status, wrong.reason) == (401, "TOKEN_INVALID")
        assert wrong.headers["www-authenticate"] == 'Bearer realm="chautari", error="invalid_token"'


async def test_unary_calls_over_grpc_web(served: Served) -> None:
    http = served.over_http()
    request = framed(accounts_pb2.CreateGuestRequest(display_name="Gita"))
    answer = await http.ask(
        "POST", "/chautari.v1.Accounts/CreateGuest", request, content_type="application/grpc-web+proto"
    )
    (plain, message), (end, block) = frames(answer.body)
    assert (answer.status, plain, end) == (200, 0, 0x80)
    assert accounts_pb2.CreateGuestResponse.FromString(message).account.display_name == "Gita"
    assert trailers(block) == {"grpc-status": "0"}
    refused = await http.ask("POST", "/chautari.v1.Play/View", framed(b""), content_type="application/grpc-web+proto")
    [(end, block)] = frames(refused.body)
    assert trailers(block)["grpc-status"] == "16"
    assert "access token" in status_of(trailers(block)).message


async def test_streams(served: Served) -> None:
    http = await served.web_guest()
    match = match_pb2.Match(name=(await http.rest("POST", "/v1/matches", CREATE)).json["name"]).name
    await http.send("GET", f"/v1/{match}:watch?seat=0&afterRevision=0", accept="text/event-stream")
    assert (await http.begin()).headers["content-type"] == "text/event-stream"
    first = (await http.part()).decode().split("\n")
    assert first[0] == "retry: 1000"
    assert first[2].startswith("id: 1-")
    await http.close()
    await http.send("GET", f"/v1/{match}:watch", accept="text/event-stream", last_event_id="0")
    await http.begin()
    assert b"id: 1-" in await http.part()
    await http.close()
    request = framed(play_pb2.WatchRequest(match=match, after_revision=0))
    await http.send("POST", "/chautari.v1.Play/Watch", request, content_type="application/connect+proto")
    await http.begin()
    [(flags, message)] = frames(await http.part())
    assert (flags, play_pb2.Update.FromString(message).revision) == (0, 1)
    await http.close()
    beyond = framed(play_pb2.WatchRequest(match=match, after_revision=99))
    answer = await http.ask("POST", "/chautari.v1.Play/Watch", beyond, content_type="application/connect+proto")
    [(flags, message)] = frames(answer.body)
    assert (answer.status, flags) == (200, 2)
    assert b'"code":"out_of_range"' in message


async def test_what_a_page_of_another_origin_may_do() -> None:
    async with serving(http=True, origins="https://play.example, https://other.example") as served:
        http = served.over_http()
        asked = {"access_control_request_method": "POST", "access_control_request_headers": "content-type"}
        path = "/chautari.v1.Accounts/CreateGuest"
        allowed = await http.ask("OPTIONS", path, None, origin="https://play.example", **asked)
        assert (allowed.status, allowed.headers["access-control-allow-origin"]) == (204, "https://play.example")
        assert allowed.names.count("access-control-allow-origin") == 1, "a browser takes no second one"
        may_send = allowed.headers["access-control-allow-headers"].split(", ")
        assert {"authorization", "content-encoding", "idempotency-key", "if-match", "tracestate"} <= set(may_send)
        served_at_all = await http.ask("OPTIONS", "*")
        assert allowed.headers["access-control-allow-methods"] == served_at_all.headers["allow"]
        denied = await http.ask("OPTIONS", path, None, origin="https://evil.example", **asked)
        assert "access-control-allow-origin" not in denied.headers
        answer = await http.rest("POST", path, {}, origin="https://play.example")
        assert answer.headers["access-control-allow-origin"] == "https://play.example"
        assert "grpc-status-details-bin" in answer.headers["access-control-expose-headers"]
        assert "Origin" in answer.headers["vary"]
        assert "access-control-allow-credentials" not in answer.headers
        refused = await http.rest("POST", "/v1/nothing", {}, origin="https://play.example")
        assert refused.headers["access-control-allow-origin"] == "https://play.example"
        other = await http.rest("GET", "/v1/games", origin="https://evil.example")
        assert (other.status, "access-control-allow-origin" in other.headers) == (200, False)


async def test_catalogue_may_be_kept_and_what_is_private_may_not(served: Served) -> None:
    http = served.over_http()
    games = await http.rest("GET", "/v1/games")
    assert games.headers["cache-control"] == "public, max-age=300"
    again = await http.rest("GET", "/v1/games", if_none_match=games.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    other = await http.rest("GET", "/v1/games", if_none_match='"other"', accept_language="ne")
    assert other.status == 200
    signed = await served.web_guest()
    assert (await signed.rest("GET", "/v1/games")).headers["cache-control"] == "private, max-age=300"
    for path in ("/v1/accounts/me", "/v1/matches", "/v1/server", "/v1/matches/abc"):
        assert (await signed.rest("GET", path)).headers["cache-control"] == "no-store"
    match = (await signed.rest("POST", "/v1/matches", CREATE)).json["name"]
    view = await signed.rest("POST", "/chautari.v1.Play/View", {"match": match, "seat": 0})
    assert (view.status, view.headers["cache-control"]) == (200, "no-store")


async def test_record_of_a_match_that_is_over_is_kept_for_ever(served: Served) -> None:
    http = await served.web_guest()
    match = (await http.rest("POST", "/v1/matches", CREATE)).json["name"]
    running = await http.rest("GET", f"/v1/{match}:record")
    assert running.headers["cache-control"] == "no-store"
    for seat in range(3):
        assert (await http.rest("POST", f"/v1/{match}:resign", {"seat": seat})).status == 200
    over = await http.rest("GET", f"/v1/{match}:record")
    assert over.json["state"] == "MATCH_STATE_FINISHED"
    assert over.headers["cache-control"] == "private, max-age=31536000, immutable"
    assert "Authorization" in over.headers["vary"], "another who signs in on the same device may see other cards"


def test_no_answer_that_holds_tokens_or_a_new_key_is_packed() -> None:
    holding = {path for path, method in methods().items() if _holds_a_secret(method.response.DESCRIPTOR)}
    assert {"/chautari.v1.Identities/SignInWithIdentity", "/chautari.v1.Keys/CreateApiKey"} <= holding
    assert [path for path in sorted(holding) if not is_secret(methods()[path])] == []


def _holds_a_secret(answer: Any) -> bool:
    """The `secret` of a match is told to everybody once it is over."""
    kinds = {field.message_type.name for field in answer.fields if field.message_type is not None}
    return "Tokens" in kinds or ("secret" in answer.fields_by_name and answer.name not in ("Match", "MatchRecord"))


async def test_large_answers_are_packed_for_who_takes_that_and_secrets_never(served: Served) -> None:
    http = await served.web_guest()
    games = await http.ask("GET", "/v1/games", accept_encoding="br, gzip;q=0.8")
    assert games.headers["content-encoding"] == "gzip"
    assert b"games/bluff" in gzip.decompress(games.body)
    plain = await http.ask("GET", "/v1/games", accept_encoding="gzip;q=0")
    assert plain.body == gzip.decompress(games.body)
    unary = await http.rest("POST", "/chautari.v1.Games/ListGames", {}, accept_encoding="gzip")
    assert unary.headers["content-encoding"] == "gzip"
    for accepted, is_packed in (("*;q=0, gzip", True), ("gzip;q=0, *", False), ("*", True), ("br, *;q=0", False)):
        answer = await http.ask("GET", "/v1/games", accept_encoding=accepted)
        assert ("content-encoding" in answer.headers) is is_packed
    guest = await http.rest("POST", "/v1/accounts:createGuest", {}, accept_encoding="gzip")
    assert "content-encoding" not in guest.headers


async def test_head_and_options(served: Served) -> None:
    http = await served.web_guest()
    whole, head = await http.ask("GET", "/v1/games"), await http.ask("HEAD", "/v1/games")
    assert (head.status, head.body) == (200, b"")
    assert {**head.headers, "date": ""} == {**whole.headers, "date": ""}
    match = (await http.rest("POST", "/v1/matches", CREATE)).json["name"]
    stream = await http.ask("HEAD", f"/v1/{match}:watch", accept="text/event-stream")
    assert (stream.status, stream.headers["content-type"]) == (200, "text/event-stream")
    assert (await http.ask("HEAD", f"/v1/{match}:watch?seat=9")).status == 403
    server = await http.ask("OPTIONS", "*")
    bound = {binding.http_method for binding in bindings_of(methods())}
    assert (server.status, set(server.headers["allow"].split(", "))) == (204, bound | {"HEAD", "OPTIONS"})
    for path, allow in (
        ("/v1/games", "GET, HEAD, OPTIONS"),
        ("/v1/matches", "POST, GET, HEAD, OPTIONS"),
        ("/v1/accounts/me", "GET, HEAD, PATCH, DELETE, OPTIONS"),
        ("/chautari.v1.Play/Act", "POST, OPTIONS"),
        ("/chautari.v1.Play/View", "GET, HEAD, POST, OPTIONS"),
        ("/healthz", "GET, HEAD, OPTIONS"),
    ):
        options = await http.ask("OPTIONS", path)
        assert (options.status, set(options.headers["allow"].split(", "))) == (204, set(allow.split(", ")))
        refused = await http.ask("TRACE", path)
        assert (refused.status, refused.reason) == (405, "HTTP_METHOD_UNKNOWN")
        assert set(refused.headers["allow"].split(", ")) == set(allow.split(", "))


async def test_idempotency_key_is_the_request_id(served: Served) -> None:
    http = await served.web_guest()
    key = str(uuid4())
    first = await http.rest("POST", "/v1/matches", CREATE, idempotency_key=key)
    again = await http.rest("POST", "/v1/matches", CREATE, idempotency_key=f'"{key.upper()}"')
    assert first.json["name"] == again.json["name"]
    both = await http.rest("POST", "/v1/matches", {**CREATE, "requestId": key}, idempotency_key=key)
    assert both.json["name"] == first.json["name"]
    other = await http.rest("POST", "/v1/matches", {**CREATE, "seats": [0]}, idempotency_key=key)
    assert (other.status, other.reason) == (409, "REQUEST_ID_REUSED")


async def test_action_that_cannot_be_read_names_the_field_in_which_it_came(served: Served) -> None:
    http = await served.web_guest()
    match = (await http.rest("POST", "/v1/matches", CREATE)).json["name"]
    typed = {"verb": "take", "arguments": [{"name": "place", "word": "x"}]}
    for field, move in (("text", "take x"), ("action", typed)):
        answer = await http.rest("POST", f"/v1/{match}:act", {"seat": 0, field: move})
        assert (answer.status, answer.reason) == (400, "MALFORMED_ACTION")
        [wrong] = [each for each in answer.json["details"] if "fieldViolations" in each]
        assert [each["field"] for each in wrong["fieldViolations"]] == [field]


def localized(answer: Answer) -> dict[str, str]:
    """What a refusal says to people."""
    [said] = [each for each in answer.json["details"] if each["@type"].endswith("LocalizedMessage")]
    return dict(said)


async def test_refusal_says_it_in_the_language_of_the_caller(served: Served) -> None:
    http = await served.web_guest()
    match = (await http.rest("POST", "/v1/matches", CREATE)).json["name"]
    act = {"match": match, "seat": 1, "text": "take"}
    for liked, locale in (("ne-NP, en;q=0.5", "ne"), ("fr, hi;q=0.8", "hi"), ("fr", "en"), ("", "en")):
        stream = await http.rest("GET", f"/v1/{match}:watch?seat=9", accept_language=liked)
        assert (stream.reason, localized(stream)["locale"]) == ("NOT_SEATED", locale)
        rest = await http.rest("POST", f"/v1/{match}:act", act, accept_language=liked)
        connect = await http.rest("POST", "/chautari.v1.Play/Act", act, accept_language=liked)
        said = localized(rest)
        assert (rest.reason, said["locale"]) == ("NOT_YOUR_TURN", locale)
        assert (said["message"] == rest.json["detail"]) is (locale == "en")
        assert [each["debug"]["locale"] for each in connect.json["details"] if "locale" in each["debug"]] == [locale]


async def test_who_calls_too_often_is_told_when_to_come_back() -> None:
    async with serving(http=True, anonymous_per_second=1) as served:
        http = served.over_http()
        for _ in range(6):
            answer = await http.rest("GET", "/v1/games")
        assert (answer.status, answer.reason) == (429, "TOO_MANY_REQUESTS")
        assert answer.headers["retry-after"] == "1"
        connect = await http.rest("POST", "/chautari.v1.Games/ListGames", {})
        assert (connect.status, connect.headers["retry-after"]) == (429, "1")


async def test_address_that_a_trusted_proxy_saw_is_the_one_that_counts() -> None:
    async with serving(http=True, anonymous_per_second=1, trusted_proxies="127.0.0.0/8") as served:
        http = served.over_http()
        for number in range(8):
            assert (await http.rest("GET", "/v1/games", x_forwarded_for=f"1.1.1.1, 10.0.0.{number}")).status == 200
    async with serving(http=True, anonymous_per_second=1) as served:
        http = served.over_http()
        answers = [await http.rest("GET", "/v1/games", x_forwarded_for=f"10.0.0.{number}") for number in range(8)]
        assert answers[-1].status == 429
