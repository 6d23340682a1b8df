"""The Connect protocol by GET: what is answered so, what is refused, and what may be kept of it."""

import gzip
import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import AsyncIterator
from urllib.parse import quote, urlencode

import pytest

from chautari.v1 import games_pb2, match_pb2, play_pb2
from tests.wire.over_http import Answer, Http
from tests.wire.served import CREATE, Served, serving

GAMES = "/chautari.v1.Games/ListGames"
GAME = "/chautari.v1.Games/GetGame"
BLUFF = json.dumps({"name": "games/bluff"})


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    """The service with its HTTP front."""
    async with serving(http=True) as served:
        yield served


async def ask(http: Http, path: str, **parameters: str | bytes) -> Answer:
    """Asks by GET with these parameters."""
    return await http.ask("GET", f"{path}?{urlencode(parameters)}")


async def test_a_message_comes_in_every_form_that_the_protocol_has(http: Http) -> None:
    raw = games_pb2.GetGameRequest(name="games/bluff").SerializeToString()
    padded, bare = urlsafe_b64encode(raw), urlsafe_b64encode(raw).rstrip(b"=")
    for parameters in (
        {"connect": "v1", "encoding": "json", "message": BLUFF},
        {"message": BLUFF, "encoding": "json", "from_the_future": "1", "base64": "0"},
        {"encoding": "json", "message": urlsafe_b64encode(BLUFF.encode()), "base64": "1", "compression": "identity"},
        {"encoding": "json", "message": urlsafe_b64encode(gzip.compress(BLUFF.encode())), "base64": "1",
         "compression": "gzip"},
    ):  # fmt: skip
        answer = await ask(http, GAME, **parameters)
        assert (answer.status, answer.headers["content-type"]) == (200, "application/json"), parameters
        assert answer.json["key"] == "bluff"
    for message in (padded, bare):
        answer = await ask(http, GAME, encoding="proto", message=message, base64="1")
        assert (answer.status, answer.headers["content-type"]) == (200, "application/proto")
        assert games_pb2.Game.FromString(answer.body).key == "bluff"
    assert games_pb2.Game.FromString((await ask(http, GAME, encoding="proto", message=raw)).body).key == "bluff"
    for parameters in ({"encoding": "proto"}, {"encoding": "json"}, {"encoding": "json", "compression": "gzip"}):
        assert (await ask(http, GAMES, message="", **parameters)).status == 200, "a message may be empty"


async def test_texts_of_any_script_and_their_blanks_come_through(http: Http) -> None:
    for text in ("games/\u0924\u093e\u0938", "games/a b+c&d"):
        message = json.dumps({"name": text}, ensure_ascii=False)
        for quoted in (quote(message), urlencode({"": message})[1:]):
            refused = await http.ask("GET", f"{GAME}?encoding=json&message={quoted}")
            assert (refused.status, refused.reason) == (400, "REQUEST_INVALID")
            assert "name: " in refused.json["message"]
    refused = await http.ask("GET", f"{GAMES}?encoding=json&message={quote(json.dumps({'pageToken': 'a b+c'}))}")
    assert refused.reason == "PAGE_TOKEN_INVALID"


@pytest.mark.parametrize("encoding", ["", "xml", "JSON", "connect+json"])
async def test_encoding_that_is_not_known_gets_415(http: Http, encoding: str) -> None:
    parameters = {"encoding": encoding} if encoding else {}
    answer = await ask(http, GAMES, message="{}", **parameters)
    assert (answer.status, answer.reason) == (415, "CONTENT_TYPE_UNKNOWN")
    assert "json, proto" in answer.json["detail"]


async def test_method_with_side_effects_gets_405(http: Http) -> None:
    for path in ("Accounts/CreateGuest", "Play/Act", "Play/Watch", "Matches/FindMatch"):
        answer = await ask(http, f"/chautari.v1.{path}", encoding="json", message="{}")
        assert (answer.status, answer.reason) == (405, "HTTP_METHOD_UNKNOWN")
        assert answer.headers["allow"] == "POST, OPTIONS"
    assert (await ask(http, "/chautari.v1.Games/Nothing", encoding="json", message="{}")).status == 404


@pytest.mark.parametrize(
    ("query", "status", "says"),
    [
        ("encoding=json", 400, "message: is missing"),
        ("encoding=json&message={}&connect=v2", 400, "connect: must be v1"),
        ("encoding=json&message={}&message={}", 400, "message: this parameter is given more than once"),
        ("encoding=json&message=&message=", 400, "message: this parameter is given more than once"),
        ("encoding=proto&message=&base64=1&base64=1", 400, "base64: this parameter is given more than once"),
        ("encoding=json&message={", 400, "cannot be read as JSON"),
        ("encoding=json&message=[]", 400, "must be an object"),
        ("encoding=json&message=%ff%fe", 400, "cannot be read as JSON"),
        ("encoding=proto&message=%ff%fe", 400, "cannot be read as GetGameRequest"),
        ("encoding=proto&base64=1&message=a", 400, "message: is no base64"),
        ("encoding=proto&base64=1&message=%2B%2F%2B%2F", 400, "message: is no base64"),
        ("encoding=proto&base64=1&message=ab%3Dcd", 400, "message: is no base64"),
        ("encoding=proto&base64=1&message=====", 400, "message: is no base64"),
        ("encoding=proto&base64=1&message=abcd&compression=gzip", 400, "is no gzip"),
        ("encoding=json&message={}&compression=br", 501, "gzip"),
        ("encoding=json&message={}&" + "&".join(f"p{number}=" for number in range(300)), 400, "parameters"),
    ],
)
async def test_query_that_cannot_be_read(http: Http, query: str, status: int, says: str) -> None:
    answer = await http.ask("GET", f"{GAME}?{query}")
    assert (answer.status, answer.headers["content-type"]) == (status, "application/json")
    assert says in answer.json["message"]
    assert answer.headers["cache-control"] == "no-store", "caches would keep some errors by themselves"


async def test_too_much_is_refused_packed_or_not(http: Http) -> None:
    packed = urlsafe_b64encode(gzip.compress(bytes(1024 * 1024)))
    bomb = await ask(http, GAMES, encoding="proto", base64="1", compression="gzip", message=packed)
    assert (bomb.status, bomb.reason) == (429, "MESSAGE_TOO_LARGE")
    long = await ask(http, GAMES, encoding="json", message="{}" + " " * 20_000)
    assert (long.status, long.reason) == (431, "HEAD_TOO_LARGE")


async def test_message_over_the_limit_is_refused_also_where_heads_may_be_longer() -> None:
    async with serving(http=True, largest_message=1024) as served:
        answer = await ask(served.over_http(), GAMES, encoding="json", message="{}" + " " * 1023)
        assert (answer.status, answer.reason) == (429, "MESSAGE_TOO_LARGE")


async def test_caller_is_known_and_held_to_limits_as_by_post(served: Served) -> None:
    nobody = served.over_http()
    query = urlencode({"encoding": "json", "message": '{"match": "matches/abc"}'})
    missing = await nobody.ask("GET", f"/chautari.v1.Play/View?{query}&token=abc")
    assert (missing.status, missing.json["code"], missing.reason) == (401, "unauthenticated", "TOKEN_MISSING")
    assert missing.headers["www-authenticate"].startswith("Bearer")
    hidden = await (await served.web_guest()).ask("GET", f"/chautari.v1.Play/View?{query}")
    assert (hidden.status, hidden.reason) == (403, "NO_ACCESS")
    late = await nobody.ask("GET", f"{GAMES}?encoding=json&message={{}}", connect_timeout_ms="soon")
    assert (late.status, late.reason) == (400, "REQUEST_INVALID")


async def test_calls_of_an_address_are_counted() -> None:
    async with serving(http=True, anonymous_per_second=1) as served:
        http = served.over_http()
        answers = [await ask(http, GAMES, encoding="json", message="{}") for _ in range(6)]
        assert [answer.status for answer in answers] == [200, 200, 200, 200, 200, 429]
        assert int(answers[5].headers["retry-after"]) > 0


async def test_catalogue_may_be_kept_and_what_is_private_may_not(served: Served) -> None:
    http = served.over_http()
    path = f"{GAMES}?connect=v1&encoding=json&message={{}}"
    games = await http.ask("GET", path)
    assert games.headers["cache-control"] == "public, max-age=300"
    again = await http.ask("GET", path, if_none_match=games.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    assert again.headers["vary"] == games.headers["vary"] == "Accept-Language, Authorization, Accept-Encoding"
    packed = await http.ask("GET", path, accept_encoding="gzip")
    assert gzip.decompress(packed.body) == games.body
    signed = await served.web_guest()
    assert (await signed.ask("GET", path)).headers["cache-control"] == "private, max-age=300"
    for method, message in (
        ("Accounts/GetAccount", '{"name": "accounts/me"}'),
        ("Accounts/ExportAccount", '{"name": "accounts/me"}'),
        ("Matches/ListMatches", "{}"),
        ("Server/GetServerInfo", "{}"),
    ):
        answer = await ask(signed, f"/chautari.v1.{method}", encoding="json", message=message)
        assert (answer.status, answer.headers["cache-control"]) == (200, "no-store")


async def test_view_is_never_kept_and_a_record_only_when_its_match_is_over(served: Served) -> None:
    http = await served.web_guest()
    match = (await http.rest("POST", "/v1/matches", CREATE)).json["name"]
    view = b64encode(play_pb2.ViewRequest(match=match, seat=1).SerializeToString(), b"-_")
    seen = await ask(http, "/chautari.v1.Play/View", encoding="proto", base64="1", message=view)
    assert (seen.status, seen.headers["cache-control"]) == (200, "no-store")
    record = urlsafe_b64encode(play_pb2.RecordRequest(match=match).SerializeToString())
    running = await ask(http, "/chautari.v1.Play/Record", encoding="proto", base64="1", message=record)
    assert running.headers["cache-control"] == "no-store"
    for seat in range(3):
        assert (await http.rest("POST", f"/v1/{match}:resign", {"seat": seat})).status == 200
    over = await ask(http, "/chautari.v1.Play/Record", encoding="proto", base64="1", message=record)
    assert play_pb2.MatchRecord.FromString(over.body).state == match_pb2.MATCH_STATE_FINISHED
    assert over.headers["cache-control"] == "private, max-age=31536000, immutable"
    assert "Authorization" in over.headers["vary"]


async def test_head_is_the_same_without_the_answer(http: Http) -> None:
    path = f"{GAMES}?encoding=proto&message="
    whole, head = await http.ask("GET", path), await http.ask("HEAD", path)
    assert (head.status, head.body) == (200, b"")
    assert {**head.headers, "date": ""} == {**whole.headers, "date": ""}


async def test_page_of_an_allowed_origin_may_ask() -> None:
    async with serving(http=True, origins="https://play.example") as served:
        http = served.over_http()
        answer = await http.ask("GET", f"{GAMES}?encoding=json&message={{}}", origin="https://play.example")
        assert answer.headers["access-control-allow-origin"] == "https://play.example"
        assert answer.headers["vary"].endswith("Origin")
        other = await http.ask("GET", f"{GAMES}?encoding=json&message={{}}")
        assert other.headers["vary"].endswith("Origin"), "a cache would give it to the page, which may not read it"
