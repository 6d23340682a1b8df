"""API keys over the wire: what a caller with one may do, and what happens to its streams when it is deleted."""

import asyncio
from typing import Any
from uuid import uuid4

import grpc
from google.protobuf.timestamp_pb2 import Timestamp

from chautari.app.keys import NewKey
from chautari.app.scopes import Scope
from chautari.v1 import accounts_pb2, keys_pb2, matches_pb2, play_pb2
from tests.wire.served import Caller, Code, Refused, Served, serving

READ, PLAY, BOT, OPERATE = keys_pb2.SCOPE_READ, keys_pb2.SCOPE_PLAY, keys_pb2.SCOPE_BOT, keys_pb2.SCOPE_OPERATE


def create(*scopes: keys_pb2.Scope, **fields: Any) -> keys_pb2.CreateApiKeyRequest:
    """The request for a key."""
    key = keys_pb2.ApiKey(title="Bot", scopes=scopes)
    return keys_pb2.CreateApiKeyRequest(parent="accounts/me", api_key=key, **fields)


async def with_key(served: Served, caller: Caller, *scopes: keys_pb2.Scope) -> tuple[Caller, keys_pb2.ApiKey]:
    """A caller that signs with a new key of this account."""
    made = await caller.call("Keys/CreateApiKey", create(*scopes))
    other = served.caller()
    other.token, other.account = made.secret, caller.account
    return other, made.api_key


async def test_a_program_plays_with_a_key() -> None:
    async with serving() as served:
        sita = await served.guest()
        bot, key = await with_key(served, sita, PLAY)
        assert list(key.scopes) == [READ, PLAY]
        match = await bot.create("bluff", seats=(0, 1), players=2)
        view = await bot.call("Play/View", play_pb2.ViewRequest(match=match.name, seat=0))
        assert view.match == match.name
        mine = await sita.call("Matches/ListMatches", matches_pb2.ListMatchesRequest(which="MATCH_LIST_MINE"))
        assert [one.name for one in mine.matches] == [match.name]
        assert (await bot.call("Accounts/GetAccount", accounts_pb2.GetAccountRequest(name="accounts/me"))).language


async def test_every_scope_may_be_asked_for_at_once() -> None:
    """An operator's key that has them all makes another; a sign-in lacks two, and is told which scope is missing."""
    async with serving() as served:
        sita = await served.guest()
        every = [READ, PLAY, BOT, keys_pb2.SCOPE_ORGANISE, OPERATE, keys_pb2.SCOPE_REVEAL]
        lacking = await sita.refused("Keys/CreateApiKey", create(*every))
        assert (lacking.reason, lacking.info.metadata["scope"] in ("operate", "reveal")) == ("SCOPE_MISSING", True)
        made = await served.app.keys.issue(sita.account.rpartition("/")[2], NewKey("All", frozenset(Scope)))
        operator = served.caller()
        operator.token = made.secret
        answer = await operator.call("Keys/CreateApiKey", create(*every))
        assert list(answer.api_key.scopes) == every


async def test_a_key_that_only_reads_changes_nothing() -> None:
    async with serving() as served:
        sita = await served.guest()
        match = await sita.create("bluff", seats=(0, 1), players=2)
        eye, key = await with_key(served, sita, READ)
        await eye.call("Play/View", play_pb2.ViewRequest(match=match.name, seat=0))
        for method, request in (
            ("Play/Act", play_pb2.ActRequest(match=match.name, seat=0, text="pass")),
            ("Matches/CreateMatch", matches_pb2.CreateMatchRequest(game="games/bluff")),
            ("Accounts/UpdateAccount", accounts_pb2.UpdateAccountRequest()),
            ("Keys/CreateApiKey", create(PLAY)),
            ("Keys/CreateApiKey", create(READ)),
            ("Keys/UpdateApiKey", keys_pb2.UpdateApiKeyRequest(api_key=keys_pb2.ApiKey(name=key.name, title="Eye"))),
            ("Keys/DeleteApiKey", keys_pb2.DeleteApiKeyRequest(name=key.name)),
        ):
            refused = await eye.refused(method, request)
            assert (refused.code, refused.reason) == (Code.PERMISSION_DENIED, "SCOPE_MISSING")
            assert refused.info.metadata["scope"] == "play"


async def test_what_makes_no_key() -> None:
    async with serving() as served:
        sita = await served.guest()
        for request in (
            create(),
            create(READ, READ),
            create(keys_pb2.SCOPE_UNSPECIFIED),
            create(99),  # type: ignore[arg-type]  # an enum of a newer client
            keys_pb2.CreateApiKeyRequest(parent="accounts/me"),
            keys_pb2.CreateApiKeyRequest(parent="me", api_key=create(READ).api_key),
            create(READ, request_id="1"),
        ):
            assert (await sita.refused("Keys/CreateApiKey", request)).reason == "REQUEST_INVALID"
        for moment, reason in (
            (Timestamp(seconds=5), "EXPIRY_INVALID"),
            (Timestamp(seconds=-5), "REQUEST_INVALID"),
            (Timestamp(seconds=2**62), "REQUEST_INVALID"),
            (Timestamp(seconds=253402300799, nanos=2**31 - 1), "REQUEST_INVALID"),
            (Timestamp(seconds=253402300799, nanos=999_999_999), "OK"),
        ):
            request = create(READ)
            request.api_key.expire_time.CopyFrom(moment)
            if reason == "OK":
                await sita.call("Keys/CreateApiKey", request)
            else:
                assert (await sita.refused("Keys/CreateApiKey", request)).reason == reason
        nameless = create(READ)
        nameless.api_key.title = "\u200b"
        assert (await sita.refused("Keys/CreateApiKey", nameless)).reason == "NAME_INVALID"
        assert (await sita.refused("Keys/CreateApiKey", create(OPERATE))).reason == "SCOPE_MISSING"
        without_scopes = await sita.refused("Keys/CreateApiKey", create())
        assert (without_scopes.reason, set(without_scopes.fields)) == ("REQUEST_INVALID", {"api_key.scopes"})
        which = keys_pb2.UpdateApiKeyRequest(api_key=keys_pb2.ApiKey(title="Bot"))
        assert set((await sita.refused("Keys/UpdateApiKey", which)).fields) == {"api_key.name"}


async def test_a_repeat_gives_the_key_without_its_secret_and_says_so() -> None:
    async with serving() as served:
        sita = await served.guest()
        request = create(BOT, request_id=str(uuid4()))
        first = await sita.call("Keys/CreateApiKey", request)
        again = await sita.call("Keys/CreateApiKey", request)
        assert first.secret
        assert not first.replayed
        assert (again.secret, again.replayed, again.api_key) == ("", True, first.api_key)
        request.api_key.title = "Another"
        assert (await sita.refused("Keys/CreateApiKey", request)).reason == "REQUEST_ID_REUSED"


async def test_a_key_is_renamed_listed_and_deleted() -> None:
    async with serving() as served:
        sita = await served.guest()
        _, key = await with_key(served, sita, READ)
        await with_key(served, sita, PLAY)
        change = keys_pb2.UpdateApiKeyRequest(api_key=keys_pb2.ApiKey(name=key.name, title="घर"))
        changed = await sita.call("Keys/UpdateApiKey", change)
        assert (changed.title, changed.HasField("expire_time")) == ("घर", False)
        change.update_mask.paths.append("*")
        change.api_key.expire_time.seconds = 4_000_000_000
        assert (await sita.call("Keys/UpdateApiKey", change)).expire_time.seconds == 4_000_000_000
        change.api_key.ClearField("expire_time")
        assert await sita.call("Keys/UpdateApiKey", change) == changed
        change.update_mask.paths.append("scopes")
        assert (await sita.refused("Keys/UpdateApiKey", change)).reason == "REQUEST_INVALID"
        assert (await sita.refused("Keys/UpdateApiKey", keys_pb2.UpdateApiKeyRequest())).reason == "REQUEST_INVALID"
        listed = keys_pb2.ListApiKeysRequest(parent="accounts/me", page_size=1)
        first = await sita.call("Keys/ListApiKeys", listed)
        listed.page_token = first.next_page_token
        second = await sita.call("Keys/ListApiKeys", listed)
        assert second.api_keys[0] == changed
        assert not second.next_page_token
        name = key.name.replace(sita.account, "accounts/me")
        for _ in range(2):
            await sita.call("Keys/DeleteApiKey", keys_pb2.DeleteApiKeyRequest(name=name))
        refused = await sita.refused("Keys/GetApiKey", keys_pb2.GetApiKeyRequest(name=name))
        assert (refused.code, refused.reason) == (Code.NOT_FOUND, "KEY_UNKNOWN")


async def ended(call: Any) -> tuple[Any, Refused]:
    """The last message of a stream, and the status behind it."""
    last = None
    try:
        while (message := await call.read()) is not grpc.aio.EOF:
            last = message
    except grpc.aio.AioRpcError as error:
        return last, Refused.of(error)
    raise AssertionError("it ended well")


async def test_streams_end_with_the_key_or_sign_in_that_opened_them() -> None:
    async with serving() as served:
        sita = await served.guest()
        match = await sita.create("bluff", seats=(0,), players=2)
        bot, key = await with_key(served, sita, READ)
        by_key, by_sign_in = bot.watch(match.name), sita.watch(match.name)
        mine = bot.stream("Play/WatchMine", play_pb2.WatchMineRequest())
        for call in (by_key, by_sign_in, mine):
            await call.read()
        await sita.call("Keys/DeleteApiKey", keys_pb2.DeleteApiKeyRequest(name=key.name))
        async with asyncio.timeout(30):
            for call in (by_key, mine):
                last, refused = await ended(call)
                assert last.end.cause == play_pb2.END_CAUSE_TOKEN
                assert (refused.code, refused.reason) == (Code.UNAUTHENTICATED, "TOKEN_INVALID")
        assert (await bot.refused("Play/View", play_pb2.ViewRequest(match=match.name))).reason == "TOKEN_INVALID"
        await sita.call("Play/View", play_pb2.ViewRequest(match=match.name))
        await sita.call("Accounts/SignOut", accounts_pb2.SignOutRequest())
        async with asyncio.timeout(30):
            last, refused = await ended(by_sign_in)
        assert (last.end.cause, refused.reason) == (play_pb2.END_CAUSE_TOKEN, "TOKEN_INVALID")
        assert (await sita.refused("Play/View", play_pb2.ViewRequest(match=match.name))).reason == "TOKEN_INVALID"
