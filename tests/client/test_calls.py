"""Calls: what is repeated and what is not, how tokens renew themselves, and what an error carries."""

import asyncio
import socket
import uuid
from contextlib import suppress

import grpc
import pytest

from chautari.v1 import play_pb2
from chautari_client import (
    Action,
    Argument,
    BeyondHead,
    ChautariError,
    Client,
    Exhausted,
    Faulty,
    Malformed,
    NotAllowed,
    NotSignedIn,
    Refused,
    RequestReused,
    Retry,
    Stale,
    TimedOut,
    Unavailable,
)
from tests.client.fake import Code, Fails, Fake, serving
from tests.ports import held_port

DONE = play_pb2.ActResponse(revision=7)


async def test_call_that_nobody_answered_is_made_again_with_one_request_id(client: Client, fake: Fake) -> None:
    fake.answers = [Fails(Code.UNAVAILABLE, "DRAINING"), Fails(Code.UNAVAILABLE), DONE]
    assert (await client.act("matches/m1", 0, "throw 7H")).revision == 7
    assert len(fake.acts) == 3
    assert len({act.request_id for act in fake.acts}) == 1
    assert uuid.UUID(fake.acts[0].request_id).version == 4


async def test_each_act_has_a_request_id_of_its_own(client: Client, fake: Fake) -> None:
    fake.answers = [DONE, DONE]
    await client.act("matches/m1", 0, "draw deck")
    await client.act("matches/m1", 0, "draw deck")
    assert len({act.request_id for act in fake.acts}) == 2


async def test_four_tries_are_all(client: Client, fake: Fake) -> None:
    fake.answers = [Fails(Code.UNAVAILABLE, "STORAGE_AWAY")] * 5
    with pytest.raises(Unavailable) as caught:
        await client.act("matches/m1", 0, "draw deck")
    assert caught.value.reason == "STORAGE_AWAY"
    assert len(fake.acts) == 4


async def test_deadline_is_tried_again(fake: Fake, address: str) -> None:
    fake.answers = [3600.0, DONE, DONE, DONE]
    async with Client.connect(address, timeout_seconds=1.0) as client:
        await client.sign_in_as_guest()
        assert (await client.act("matches/m1", 0, "draw deck")).revision == 7
    assert fake.acts[0].request_id == fake.acts[1].request_id


async def test_deadline_that_passes_each_time_is_told_as_such(fake: Fake, address: str) -> None:
    fake.answers = [3600.0, 3600.0]
    async with Client.connect(address, retry=Retry(tries=2, first_seconds=0.01), timeout_seconds=0.5) as client:
        while not client.refresh_token:  # on a busy machine even that may take longer
            with suppress(Unavailable):
                await client.sign_in_as_guest()
        with pytest.raises(TimedOut):
            await client.act("matches/m1", 0, "draw deck")


@pytest.mark.parametrize(
    ("code", "reason", "kind"),
    [
        (Code.FAILED_PRECONDITION, "RULE_BROKEN", Refused),
        (Code.INVALID_ARGUMENT, "MALFORMED_ACTION", Malformed),
        (Code.PERMISSION_DENIED, "NOT_SEATED", NotAllowed),
        (Code.ABORTED, "STALE_REVISION", Stale),
        (Code.ALREADY_EXISTS, "REQUEST_ID_REUSED", RequestReused),
        (Code.OUT_OF_RANGE, "BEYOND_HEAD", BeyondHead),
        (Code.RESOURCE_EXHAUSTED, "STORAGE_FULL", Exhausted),
        (Code.UNAUTHENTICATED, "TOKEN_REUSED", NotSignedIn),
        (Code.INTERNAL, "FAULT", Faulty),
        (Code.UNIMPLEMENTED, "METHOD_UNKNOWN", Faulty),
    ],
)
async def test_refusal_is_typed_and_never_repeated(
    client: Client, fake: Fake, code: grpc.StatusCode, reason: str, kind: type[ChautariError]
) -> None:
    fake.answers = [Fails(code, reason)]
    with pytest.raises(kind) as caught:
        await client.act("matches/m1", 0, "draw deck")
    assert type(caught.value) is kind
    assert caught.value.reason == reason
    assert len(fake.acts) == 1


async def test_error_carries_all_that_the_server_told(client: Client, fake: Fake) -> None:
    fake.answers = [
        Fails(
            Code.RESOURCE_EXHAUSTED, "TOO_MANY_REQUESTS", "slowly", metadata={"rule": "NOT_BACK", "limit": "5"},
            field="settings.rounds", wait=0.25,
        )
    ]  # fmt: skip
    with pytest.raises(Exhausted) as caught:
        await client.act("matches/m1", 0, "draw deck")
    error = caught.value
    assert (error.message, error.rule, error.metadata["limit"]) == ("slowly", "NOT_BACK", "5")
    assert error.violations == {"settings.rounds": "must be right"}
    assert error.retry_after == 0.25
    assert str(error) == "TOO_MANY_REQUESTS: slowly"


async def test_stale_says_the_current_revision(client: Client, fake: Fake) -> None:
    fake.answers = [Fails(Code.ABORTED, "STALE_REVISION", metadata={"revision": "12"})]
    with pytest.raises(Stale) as caught:
        await client.act("matches/m1", 0, "draw deck", revision=3)
    assert caught.value.revision == 12
    assert fake.acts[0].revision == 3


async def test_reason_of_somebody_else_is_none_of_ours(client: Client, fake: Fake) -> None:
    fake.answers = [Fails(Code.FAILED_PRECONDITION, "RULE_BROKEN", domain="example.com")]
    with pytest.raises(Refused) as caught:
        await client.act("matches/m1", 0, "draw deck")
    assert caught.value.reason == ""


async def test_retry_waits_as_long_as_the_server_told(client: Client, fake: Fake) -> None:
    fake.answers = [Fails(Code.UNAVAILABLE, "DRAINING", wait=0.3), DONE]
    before = asyncio.get_running_loop().time()
    await client.act("matches/m1", 0, "draw deck")
    assert asyncio.get_running_loop().time() - before >= 0.3


def test_pauses_grow_to_a_bound_and_are_never_alike() -> None:
    retry = Retry()
    for tried, longest in ((1, 0.1), (2, 0.4), (3, 1.6), (4, 2.0), (99, 2.0)):
        pauses = [retry.pause(tried) for _ in range(50)]
        assert all(longest / 2 <= pause <= longest + 1e-9 for pause in pauses)
        assert len(set(pauses)) > 40


async def test_expired_access_token_is_renewed_once_for_all_calls(client: Client, fake: Fake) -> None:
    fake.valid_token = "access-2"
    fake.answers = [DONE] * 5
    await asyncio.gather(*(client.act("matches/m1", 0, "draw deck") for _ in range(5)))
    assert fake.renewals == ["refresh-1"]
    assert client.refresh_token == "refresh-2"
    assert fake.tokens_seen.count("access-2") == 5


async def test_without_a_sign_in_nothing_is_renewed(fake: Fake, address: str) -> None:
    async with Client.connect(address) as client:
        with pytest.raises(NotSignedIn) as caught:
            await client.act("matches/m1", 0, "draw deck")
    assert caught.value.reason == "TOKEN_MISSING"
    assert fake.renewals == []


async def test_matches_are_paged(client: Client, fake: Fake) -> None:
    found = [match.name async for match in client.matches("open", game="bluff", page_size=2)]
    assert found == [f"matches/m{number}" for number in range(6)]
    assert [asked.page_token for asked in fake.lists] == ["", "2", "4"]
    assert {asked.game for asked in fake.lists} == {"games/bluff"}


async def test_action_travels_as_text_or_typed(client: Client, fake: Fake) -> None:
    fake.answers = [DONE, DONE]
    await client.act("matches/m1", 0, "throw 7H")
    typed = Action(verb="throw", arguments=[Argument(card="7H")])
    await client.act("matches/m1", 0, typed)
    assert fake.acts[0].text == "throw 7H"
    assert fake.acts[1].action == typed


async def test_settings_keep_their_types(client: Client, fake: Fake) -> None:
    await client.create_match("jutpatti", players="4", target=3, throw_back=True, joker=None)
    fields = fake.created[0].settings.fields
    kinds = {name: value.WhichOneof("kind") for name, value in fields.items()}
    assert kinds == {
        "players": "string_value", "target": "number_value", "throw_back": "bool_value", "joker": "null_value"
    }  # fmt: skip


async def test_nobody_there_is_unavailable() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
        async with Client.connect(address, retry=Retry(tries=2, first_seconds=0.01)) as client:
            with pytest.raises(Unavailable):
                await client.sign_in_as_guest()


async def test_client_is_back_when_the_server_is(fake: Fake) -> None:
    fake.answers = [DONE, DONE]
    with held_port() as port:
        async with serving(fake, port) as address:
            client = Client.connect(address, retry=Retry(tries=1000, first_seconds=0.05, most_seconds=0.2))
            await client.sign_in_as_guest()
            await client.act("matches/m1", 0, "draw deck")
        again = asyncio.create_task(client.act("matches/m1", 0, "draw deck"))
        await asyncio.sleep(0.2)
        async with serving(fake, port):
            assert (await again).revision == 7
            await client.close()
