"""What bad input gets over the wire: a clear refusal with its reason and field, and never a fault."""

import sqlite3
import time
from collections.abc import Awaitable
from contextlib import closing

import grpc
import pytest

from chautari_client import (
    BeyondHead,
    ChautariError,
    Client,
    Exhausted,
    Faulty,
    Malformed,
    NotAllowed,
    NotFound,
    NotSignedIn,
    Refused,
    Stale,
)
from chautari_client.errors import from_rpc_error
from tests.e2e.conftest import Guests
from tests.e2e.raw import Raw, text_field
from tests.e2e.server import Server

MATCH = "matches/" + "a" * 20


async def refused(call: Awaitable[object], kind: type[ChautariError], reason: str) -> ChautariError:
    """The refusal that a call must get."""
    with pytest.raises(ChautariError) as caught:
        await call
    assert (type(caught.value), caught.value.reason) == (kind, reason), caught.value
    return caught.value


@pytest.fixture
async def client(server: Server, guests: Guests) -> Client:
    """A guest."""
    return (await guests(server.address))[0]


async def test_unknown_game(client: Client) -> None:
    error = await refused(client.create_match("whist"), Malformed, "GAME_UNKNOWN")
    assert "game" in error.violations
    assert "bluff" in error.message
    await refused(client.game("whist"), NotFound, "GAME_UNKNOWN")
    await refused(client.rules("whist"), NotFound, "GAME_UNKNOWN")


@pytest.mark.parametrize(
    ("settings", "field", "allowed"),
    [
        ({"players": "4"}, "settings.players", "from 2 to 6"),
        ({"players": 99}, "settings.players", "from 2 to 6"),
        ({"players": 2.5}, "settings.players", "from 2 to 6"),
        ({"players": True}, "settings.players", "from 2 to 6"),
        ({"players": None}, "settings.players", "from 2 to 6"),
        ({"players": [4]}, "settings.players", "from 2 to 6"),
        ({"players": {"a": 1}}, "settings.players", "from 2 to 6"),
        ({"players": 1e300}, "settings.players", "from 2 to 6"),
        ({"form": "sideways"}, "settings.form", "stay"),
        ({"play_on": "true"}, "settings.play_on", "true or false"),
        ({"play_on": 1}, "settings.play_on", "true or false"),
        ({"colour": "red"}, "settings.colour", "players"),
        ({"": 1}, "settings.", "players"),
    ],
)
async def test_bad_setting_names_the_field_and_what_is_allowed(
    client: Client, settings: dict[str, object], field: str, allowed: str
) -> None:
    error = await refused(client.create_match("bluff", settings), Malformed, "BAD_SETTING")
    assert field in error.violations
    assert allowed in error.message


async def test_foreign_match_is_as_one_that_is_not_there(client: Client, server: Server, guests: Guests) -> None:
    [other] = await guests(server.address)
    match = await other.create_match("jutpatti", players=2, seats=[0])

    def calls(name: str) -> list[Awaitable[object]]:
        return [
            client.get_match(name), client.view(name), client.act(name, 0, "draw deck"), client.leave(name),
            client.start(name), client.resign(name, 0), client.rematch(name), client.record(name), client.join(name),
            anext(client.watch(name)),
        ]  # fmt: skip

    for foreign, missing in zip(calls(match.name), calls(MATCH), strict=True):
        first = await refused(foreign, NotAllowed, "NO_ACCESS")
        other_error = await refused(missing, NotAllowed, "NO_ACCESS")
        assert (first.message, first.metadata) == (other_error.message, other_error.metadata)


async def test_foreign_seat(client: Client, server: Server, guests: Guests) -> None:
    [other] = await guests(server.address)
    match = await client.create_match("jutpatti", players=2, seats=[0])
    await other.join(code=match.code)
    for seat in (1, 7):
        await refused(client.act(match, seat, "draw deck"), NotAllowed, "NOT_SEATED")
        await refused(client.view(match, seat), NotAllowed, "NOT_SEATED")
        await refused(anext(client.watch(match, seat)), NotAllowed, "NOT_SEATED")
        await refused(client.record(match, seat), NotAllowed, "NOT_SEATED")
    await refused(client.act(match, -1, "draw deck"), NotAllowed, "NOT_SEATED")
    await refused(client.view(match, -1), Malformed, "REQUEST_INVALID")


async def test_stale_revision_and_cursor_beyond_the_head(client: Client) -> None:
    match = await client.create_match("jutpatti", players=2, seats=[0, 1])
    error = await refused(client.act(match, 0, "draw deck", revision=99), Stale, "STALE_REVISION")
    assert isinstance(error, Stale)
    assert error.revision == match.revision
    beyond = await refused(anext(client.watch(match, after=match.revision + 1)), BeyondHead, "BEYOND_HEAD")
    assert isinstance(beyond, BeyondHead)
    assert beyond.revision == match.revision
    await refused(anext(client.watch(match, after=-1)), Malformed, "REQUEST_INVALID")


async def test_actions_are_judged_by_the_rules_in_their_order(client: Client) -> None:
    match = await client.create_match("jutpatti", players=2, seats=[0, 1])
    for seat, action, kind, reason in (
        (1, "steal", Refused, "UNKNOWN_ACTION"),
        (1, "draw deck", Refused, "NOT_YOUR_TURN"),
        (0, "draw", Malformed, "MALFORMED_ACTION"),
        (0, "draw cellar", Malformed, "MALFORMED_ACTION"),
        (0, "draw pile", Refused, "RULE_BROKEN"),
        (0, "", Refused, "UNKNOWN_ACTION"),
        (0, "   ", Refused, "UNKNOWN_ACTION"),
        (0, "draw\x00deck", Refused, "UNKNOWN_ACTION"),
        (0, "draw " + "9" * 5000, Malformed, "MALFORMED_ACTION"),
    ):
        await refused(client.act(match, seat, action), kind, reason)
    assert (await client.get_match(match)).revision == match.revision
    waiting = await client.create_match("jutpatti", players=2, seats=[0])
    await refused(client.act(waiting, 0, "draw deck"), Refused, "MATCH_NOT_STARTED")


async def test_wrong_full_and_expired_codes(server: Server, guests: Guests) -> None:
    host, other, late = await guests(server.address, count=3)
    await refused(other.join(code="ZZZZZZ"), NotFound, "CODE_UNKNOWN")
    await refused(other.find_match(code="ZZZZZZ"), NotFound, "CODE_UNKNOWN")
    await refused(other.join(link="no such link"), NotFound, "CODE_UNKNOWN")
    await refused(other.join(code="Z" * 33), Malformed, "REQUEST_INVALID")
    await refused(other.join(), Malformed, "REQUEST_INVALID")
    match = await host.create_match("jutpatti", players=2, seats=[0], start="by_host")
    spaced = f" {match.code[:3].lower()}-{match.code[3:].lower()} "
    assert (await other.find_match(code=spaced)).name == match.name
    await refused(other.join(code=match.code, seats=[0]), Refused, "SEAT_TAKEN")
    await refused(other.join(code=match.code, seats=[2]), Malformed, "SEAT_UNKNOWN")
    await refused(other.join(code=match.code, count=2), Refused, "MATCH_FULL")
    await other.join(code=match.code)
    await refused(late.join(code=match.code), Refused, "MATCH_FULL")
    await host.start(match)
    await refused(late.join(link=match.link), Refused, "MATCH_STARTED")
    await refused(late.join(code=match.code), Refused, "MATCH_STARTED")
    await refused(late.find_match(code=match.code), Refused, "MATCH_STARTED")
    assert (await other.join(code=spaced)).match.name == match.name
    await refused(other.start(match), NotAllowed, "NOT_HOST")
    await refused(host.leave(match), Refused, "MATCH_STARTED")
    await refused(host.rematch(match), Refused, "MATCH_NOT_OVER")


async def test_expired_code(server: Server, guests: Guests) -> None:
    host, other = await guests(server.address, count=2)
    match = await host.create_match("jutpatti", players=2, seats=[0])
    with closing(sqlite3.connect(server.database, timeout=10)) as database, database:
        past = int(time.time() * 1e6) - 1
        database.execute("UPDATE match SET code_expires_at = ? WHERE code = ?", (past, match.code))
    await refused(other.find_match(code=match.code), Refused, "CODE_EXPIRED")
    await refused(other.join(code=match.code), Refused, "CODE_EXPIRED")


@pytest.mark.parametrize(
    "name", ["a\x07b", "a\x00", "abc\u202edef", "\u2066x\u2069", "\u200b", "\n", "a\u2028b", "x" * 65]
)
async def test_names_with_control_or_direction_characters(server: Server, client: Client, name: str) -> None:
    async with Client.connect(server.address) as guest:
        with pytest.raises(Malformed) as caught:
            await guest.sign_in_as_guest(name)
    assert caught.value.reason in ("NAME_INVALID", "REQUEST_INVALID")
    assert "display_name" in caught.value.violations
    with pytest.raises(Malformed) as caught:
        await client.create_match("bluff", title=name)
    assert "title" in caught.value.violations
    with pytest.raises(Malformed):
        await client.update_account(display_name=name)


async def test_names_in_other_scripts_are_welcome(client: Client) -> None:
    for name in ("सीता", "क्‍षत्रिय", "Æðelþryð", "👩‍🚀", "O'Brien-Łukasz"):
        assert (await client.update_account(display_name=f"  {name} ")).display_name == name


async def test_message_of_more_than_64_kib(server: Server, client: Client) -> None:
    match = await client.create_match("bluff", players=2, seats=[0, 1])
    error = await refused(client.act(match, 0, "lay " + "A" * 70_000), Exhausted, "MESSAGE_TOO_LARGE")
    assert error.metadata["limit"] == "65536"
    assert (await client.view(match, 0)).revision == match.revision  # the connection goes on


@pytest.mark.parametrize(
    ("method", "body"),
    [
        ("Play/Act", text_field(1, MATCH.encode()) + text_field(4, b"throw \xff\xfe")),
        ("Play/Act", text_field(1, b"\xc3\x28")),
        ("Accounts/CreateGuest", text_field(1, b"\xed\xa0\x80")),
        ("Matches/CreateMatch", text_field(1, b"games/bluff") + text_field(3, b"\x80")),
        ("Play/Act", b"\xff\xff\xff\xff\xff"),
        ("Play/Act", text_field(1, b"matches/x")[:-3]),
        ("Play/View", b"\x0a\x05ab"),
    ],
)
async def test_bytes_that_are_no_message(server: Server, method: str, body: bytes) -> None:
    async with Raw(server.address) as raw:
        await raw.sign_in()
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await raw.send(method, body)
    error = from_rpc_error(caught.value)
    assert isinstance(error, Malformed), error
    assert error.reason == "REQUEST_INVALID"


async def test_request_that_breaks_the_rules_of_its_message(client: Client) -> None:
    error = await refused(client.get_match("matches/../etc"), Malformed, "REQUEST_INVALID")
    assert "name" in error.violations
    await refused(client.act(MATCH, 0, "x", request_id="not-a-uuid"), Malformed, "REQUEST_INVALID")
    await refused(client.create_match("bluff", seats=[0, 0]), Malformed, "REQUEST_INVALID")
    await refused(client.create_match("bluff", contribution=b"short"), Malformed, "REQUEST_INVALID")
    await refused(anext(client.matches(page_size=-1)), Malformed, "REQUEST_INVALID")
    await refused(client.create_match("bluff", seats=[6]), Malformed, "SEAT_UNKNOWN")


async def test_tokens_that_do_not_hold(server: Server) -> None:
    async with Raw(server.address) as raw:
        for token, reason in (
            ("", "TOKEN_MISSING"),
            ("x", "TOKEN_INVALID"),
            ("eyJhbGciOiJub25lIn0.e30.", "TOKEN_INVALID"),
        ):
            raw.token = token
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await raw.create("bluff")
            error = from_rpc_error(caught.value)
            assert (type(error), error.reason) == (NotSignedIn, reason)


async def test_method_that_is_not_there(server: Server) -> None:
    async with Raw(server.address) as raw:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await raw.send("Play/Cheat", b"")
    error = from_rpc_error(caught.value)
    assert (type(error), error.code) == (Faulty, grpc.StatusCode.UNIMPLEMENTED)
