"""How many connections an address may have open: who is counted, what is told, and that nothing is left of it."""

import asyncio
from asyncio import StreamReader, StreamWriter
from contextlib import suppress
from typing import Any

import pytest

from chautari.config import Config
from chautari.configured import limits
from chautari.v1 import server_pb2
from chautari.wire.addresses import Proxies
from chautari.wire.http.connection import Doors
from chautari.wire.http.crowd import Crowd
from chautari.wire.http.listener import Listener
from tests.wire.over_http import Http
from tests.wire.served import CREATE, Served, serving

ASK = b"GET /v1/games HTTP/1.1\r\nhost: x\r\n\r\n"


async def test_who_has_too_many_connections_is_told_and_others_go_on() -> None:
    async with serving(http=True, connections_per_address=2) as served:
        playing = await served.web_guest()
        match = (await playing.rest("POST", "/v1/matches", CREATE)).json["name"]
        watching = served.over_http(playing.token)
        await watching.send("GET", f"/v1/{match}:watch?afterRevision=0", accept="application/x-ndjson")
        assert (await watching.begin()).status == 200
        for path, content_type in (("/v1/games", "application/json"), ("/chautari.v1.Play/Act", "application/proto")):
            third = served.over_http(playing.token)
            refused = await third.ask("POST", path, b"{}", content_type=content_type)
            assert (refused.status, refused.reason) == (429, "TOO_MANY_CONNECTIONS")
            assert refused.headers["connection"] == "close"
            assert int(refused.headers["retry-after"]) > 0
            [info] = [one for one in refused.json["details"] if one["@type"].endswith("ErrorInfo")]
            assert info["metadata"] == {"limit": "2"}
        assert (await playing.rest("POST", f"/v1/{match}:act", {"seat": 0, "text": "take"})).status == 200
        assert b"revision" in await watching.part(), "what was there first goes on"
        await watching.close()
        await _until_taken(served)


async def test_connections_of_a_trusted_proxy_are_not_counted() -> None:
    async with serving(http=True, connections_per_address=1, trusted_proxies="127.0.0.0/8") as served:
        several = [served.over_http() for _ in range(5)]
        for http in several:
            assert (await http.ask("GET", "/v1/games")).status == 200


async def test_a_flood_is_hung_up_on_and_leaves_nothing() -> None:
    listener, port = await _listener(Doors(most_of_one=2))
    lines = [await asyncio.open_connection("127.0.0.1", port) for _ in range(200)]
    answers = await asyncio.gather(*(_ask(*line) for line in lines))
    assert [answer.split(b" ")[1] for answer in answers[:2]] == [b"204"] * 2
    told = [answer for answer in answers[2:] if answer]
    assert all(answer.startswith(b"HTTP/1.1 429 ") for answer in told)
    assert 1 <= len(told) <= 16, "some are told, most are closed without a word"
    for _, writer in lines:
        writer.close()
    await _until_nobody_is_there(listener)
    await listener.stop(0)


async def test_one_too_many_that_says_nothing_is_closed() -> None:
    listener, port = await _listener(Doors(most_of_one=1, head_seconds=60))
    first = Http(f"http://127.0.0.1:{port}")
    assert (await first.ask("GET", "/")).status == 204
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    assert await asyncio.wait_for(reader.read(), 10) == b"", "long before the head of another would be late"
    writer.close()
    assert (await first.ask("GET", "/")).status == 204
    await first.close()
    await _until_nobody_is_there(listener)
    await listener.stop(0)


async def test_one_over_the_limit_of_all_counts_for_nobody_afterwards() -> None:
    listener, port = await _listener(Doors(most=1, most_of_one=5))
    first = Http(f"http://127.0.0.1:{port}")
    assert (await first.ask("GET", "/")).status == 204
    for _ in range(10):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        with suppress(ConnectionError):
            assert await asyncio.wait_for(reader.read(), 10) == b""
        writer.close()
    await first.close()
    await _until_nobody_is_there(listener)
    await listener.stop(0)


def test_addresses_of_a_home_count_as_one() -> None:
    crowd = Crowd(1, Proxies("10.9.0.0/16"))
    assert crowd.key("2001:db8::1") == crowd.key("2001:db8::2") != crowd.key("2001:db8:0:1::1")
    assert crowd.key("::ffff:192.0.2.1") == crowd.key("192.0.2.1") != crowd.key("192.0.2.2")
    assert (crowd.key("10.9.1.1"), Crowd(0, Proxies()).key("192.0.2.1")) == ("", "")
    assert [crowd.enter("a"), crowd.enter("a"), crowd.enter("b"), crowd.enter("")] == [0, 1, 0, 0]
    for key in ("a", "", "b"):
        crowd.leave(key)
    assert (len(crowd), crowd.enter("a")) == (1, 1)


@pytest.mark.parametrize(
    ("config", "most"),
    [
        (Config(), 0), (Config(host="0.0.0.0"), 1000), (Config(connections_per_address=7), 7),
        (Config(host="0.0.0.0", connections_per_address=0), 0),
    ],
)  # fmt: skip
def test_limit_is_off_where_only_this_machine_can_call(config: Config, most: int) -> None:
    assert config.address_connections == most
    shown = dict(limit[:2] for limit in limits(config))
    assert shown["Connections per address"] == (f"{most:,}" if most else "no limit")


@pytest.mark.parametrize(("http", "most"), [(True, 3), (False, 0)])
async def test_limit_is_told(http: bool, most: int) -> None:
    async with serving(http=http, connections_per_address=3) as served:
        info = await served.caller().call("Server/GetServerInfo", server_pb2.GetServerInfoRequest())
        assert info.limits.max_address_connections == most


async def test_grpc_takes_so_many_connections_in_all() -> None:
    async with serving(connections=2) as served:
        host, _, port = served.address.rpartition(":")
        lines = [await asyncio.open_connection(host, int(port)) for _ in range(6)]
        begun = await asyncio.gather(*(_settings(*line) for line in lines))
        assert [bool(frame) for frame in begun] == [True, True, False, False, False, False]
        for _, writer in lines:
            writer.close()
        async with asyncio.timeout(30):
            await served.caller().call("Server/GetServerInfo", server_pb2.GetServerInfoRequest())


async def _listener(doors: Doors) -> tuple[Listener, int]:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    listener = Listener(app, doors)
    return listener, await listener.start("127.0.0.1", 0, shares_port=False)


async def _ask(reader: StreamReader, writer: StreamWriter) -> bytes:
    """The first of an answer; nothing where the other side has hung up."""
    with suppress(ConnectionError):
        writer.write(ASK)
        return await asyncio.wait_for(reader.read(20), 10)
    return b""


async def _settings(reader: StreamReader, writer: StreamWriter) -> bytes:
    """The first frame of HTTP/2 that a server sends; nothing where it has hung up."""
    with suppress(ConnectionError):
        writer.write(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0")
        return await asyncio.wait_for(reader.read(9), 10)
    return b""


async def _until_taken(served: Served) -> None:
    """Until a new connection is taken, for the server hears of a closed one a moment later."""
    async with asyncio.timeout(30):
        while (await served.over_http().ask("GET", "/v1/games")).status != 200:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)


async def _until_nobody_is_there(listener: Listener) -> None:
    async with asyncio.timeout(30):
        while len(listener._crowd):  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)
