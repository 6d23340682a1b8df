"""The same call three times at once, with one `request_id`: it takes effect once, and each gets the same answer."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable

import pytest
from google.protobuf.message import Message

from chautari_client import ActResponse, Client, Refused, RequestReused
from tests.e2e.conftest import Guests
from tests.e2e.server import Server


async def three_times(call: Callable[[str], Awaitable[Message]]) -> list[Message]:
    """The answers to three calls at once under one new id."""
    request_id = str(uuid.uuid4())
    return list(await asyncio.gather(*(call(request_id) for _ in range(3))))


def told(answer: ActResponse) -> bytes:
    """An answer without what tells a repeat from the first call, and without how things stood when it was sent."""
    copy = ActResponse.FromString(answer.SerializeToString())
    copy.ClearField("replayed")
    copy.update.step.ClearField("head")
    return copy.SerializeToString(deterministic=True)


async def table_for_two(guests: Guests, server: Server) -> tuple[list[Client], str, str]:
    """Two people at a match of Bluff, which goes on for long, and what seat 0 may lay; then seat 1 answers."""
    clients = await guests(server.address, count=2)
    match = await clients[0].create_match("bluff", players=2, seats=[0])
    await clients[1].join(code=match.code)
    held = (await clients[0].view(match, 0)).options[0].arguments[1].selection.cards
    return clients, match.name, f"lay K {held[0]}"


async def test_act(server: Server, guests: Guests) -> None:
    clients, match, lay = await table_for_two(guests, server)
    before = (await clients[0].get_match(match)).revision
    request_id = str(uuid.uuid4())
    calls = (clients[0].act(match, 0, lay, request_id=request_id) for _ in range(3))
    answers = await asyncio.gather(*calls)
    assert {told(answer) for answer in answers} == {told(answers[0])}
    assert sorted(answer.replayed for answer in answers) == [False, True, True]
    assert (await clients[0].get_match(match)).revision == before + 1
    assert (await clients[0].view(match, 0)).turn.phase == "answer"


async def test_repeat_gets_the_same_answer_when_the_match_has_gone_on(server: Server, guests: Guests) -> None:
    clients, match, lay = await table_for_two(guests, server)
    request_id = str(uuid.uuid4())
    first = await clients[0].act(match, 0, lay, request_id=request_id)
    await clients[1].act(match, 1, "accept")
    again = await clients[0].act(match, 0, lay, request_id=request_id)
    assert told(again) == told(first)
    assert again.replayed
    assert not again.update.step.HasField("head")


async def test_another_request_under_the_id_is_refused(server: Server, guests: Guests) -> None:
    clients, match, lay = await table_for_two(guests, server)
    request_id = str(uuid.uuid4())
    await clients[0].act(match, 0, lay, request_id=request_id)
    with pytest.raises(RequestReused):
        await clients[0].act(match, 0, lay.replace("K", "Q", 1), request_id=request_id)
    with pytest.raises(RequestReused):
        await clients[0].resign(match, 0, request_id=request_id)
    assert (await clients[0].view(match, 0)).turn.phase == "answer"


async def test_ids_of_two_accounts_have_nothing_to_do_with_each_other(server: Server, guests: Guests) -> None:
    clients, match, lay = await table_for_two(guests, server)
    request_id = str(uuid.uuid4())
    await clients[0].act(match, 0, lay, request_id=request_id)
    assert not (await clients[1].act(match, 1, "accept", request_id=request_id)).replayed


async def test_id_of_a_refused_call_may_be_used_again(server: Server, guests: Guests) -> None:
    clients, match, lay = await table_for_two(guests, server)
    request_id = str(uuid.uuid4())
    with pytest.raises(Refused) as caught:
        await clients[0].act(match, 0, "pass", request_id=request_id)
    assert (caught.value.reason, caught.value.rule) == ("RULE_BROKEN", "LEADER_LAYS")
    assert not (await clients[0].act(match, 0, lay, request_id=request_id)).replayed


async def test_join_that_took_the_last_seat_may_be_repeated(server: Server, guests: Guests) -> None:
    """It started the match, to which nobody sits down any more: the repeat is known by its id all the same."""
    host, other, stranger = await guests(server.address, count=3)
    match = await host.create_match("jutpatti", players=2, seats=[0])
    request_id = str(uuid.uuid4())
    first = await other.join(code=match.code, request_id=request_id)
    again = await other.join(code=match.code, request_id=request_id)
    assert (again.match.name, list(again.match.my_seats)) == (first.match.name, [1])
    assert again.match.revision == first.match.revision
    with pytest.raises(Refused) as late:
        await stranger.join(code=match.code, request_id=request_id)
    assert late.value.reason == "MATCH_STARTED"
    assert (await other.join(code=match.code)).match.revision == first.match.revision
    with pytest.raises(RequestReused):
        await other.join(code="ZZZZZZ", request_id=request_id)


async def test_create_join_start_resign_and_rematch(server: Server, guests: Guests) -> None:
    host, other = await guests(server.address, count=2)
    created = await three_times(
        lambda rid: host.create_match("jutpatti", players=2, seats=[0], start="by_host", request_id=rid)
    )
    assert len({getattr(match, "name", "") for match in created}) == 1
    assert len([match async for match in host.matches()]) == 1
    match = await anext(host.matches())

    joined = await three_times(lambda rid: other.join(code=match.code, request_id=rid))
    assert {tuple(answer.match.my_seats) for answer in joined} == {(1,)}  # type: ignore[attr-defined]
    await three_times(lambda rid: host.start(match, request_id=rid))
    await three_times(lambda rid: other.resign(match, 1, request_id=rid))
    over = await host.get_match(match)
    assert list(over.result.placing) == [1, 2]
    again = await three_times(lambda rid: host.rematch(match, request_id=rid))
    assert len({getattr(following, "name", "") for following in again}) == 1
    record = await host.record(match)
    assert [entry.revision for entry in record.entries] == [1, 2, 3, 4]


async def test_sixteen_writers_on_one_match_lose_nothing(server: Server, guests: Guests) -> None:
    """Sixteen calls at once, each of its own: one seat is in turn, so one of them wins, and the others are refused."""
    clients, match, lay = await table_for_two(guests, server)
    before = (await clients[0].get_match(match)).revision
    answers = await asyncio.gather(
        *(clients[0].act(match, 0, lay) for _ in range(16)), return_exceptions=True
    )  # fmt: skip
    done = [answer for answer in answers if isinstance(answer, ActResponse)]
    assert len(done) == 1
    assert {getattr(answer, "reason", "") for answer in answers if not isinstance(answer, ActResponse)} == {
        "UNKNOWN_ACTION"
    }
    assert (await clients[0].get_match(match)).revision == before + 1
