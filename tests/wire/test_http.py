"""The HTTP front over a real socket: each protocol once, and what REST adds to the messages."""

from collections.abc import AsyncIterator

import pytest

from chautari.v1 import accounts_pb2, match_pb2, play_pb2
from tests.wire.over_http import Http, framed, frames, status_of, trailers
from tests.wire.served import Served, serving

CREATE = {"game": "games/gulam_chor", "seats": [0, 1, 2, 3], "settings": {"players": 4}}


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    """The service with its HTTP front."""
    async with serving(http=True) as served:
        yield served


async def signed_in(served: Served, name: str = "Sita") -> Http:
    """A connection with the token of a guest."""
    http = served.over_http()
    answer = await http.rest("POST", "/v1/accounts:createGuest", {"displayName": name})
    http.token = answer.json["tokens"]["accessToken"]
    return http


async def test_a_match_over_rest(served: Served) -> None:
    http = await signed_in(served)
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
    http = await signed_in(served)
    match = match_pb2.Match(name=(await http.rest("POST", "/v1/matches", CREATE)).json["name"]).name
    await http.send("GET", f"/v1/{match}:watch?seat=0&afterRevision=0", accept="text/event-stream")
    assert (await http.begin()).headers["content-type"] == "text/event-stream"
    first = (await http.part()).decode().split("\n")
    assert first[0] == "retry: 1000"
    assert first[2] == "id: 1"
    await http.close()
    await http.send("GET", f"/v1/{match}:watch", accept="text/event-stream", last_event_id="0")
    await http.begin()
    assert b"id: 1\n" in await http.part()
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
