"""Two replicas on one PostgreSQL: whatever one commits the other shows, and either may die."""

import asyncio
import random
from collections import Counter
from contextlib import suppress

import pytest

from chautari.v1 import match_pb2
from chautari_client import ActResponse, Client, Refused
from tests.e2e.conftest import Guests
from tests.e2e.operators import Operator
from tests.e2e.programs import PLAYERS, SHORT, Program, told
from tests.e2e.records import check_record
from tests.e2e.replicas import KEY, Pair
from tests.e2e.test_slaps import flip_until_a_jack
from tests.waiting import until

SLAPPERS = 8


@pytest.mark.parametrize("game", ["jutpatti", "dehla_pakad"])
async def test_seats_on_two_replicas_play_a_match_and_see_the_same(game: str, pair: Pair, guests: Guests) -> None:
    addresses = [pair.addresses[seat % 2] for seat in range(PLAYERS[game])]
    clients = await guests(*addresses)
    onlookers = await guests(*pair.addresses)
    match = await clients[0].create_match(game, SHORT[game], seats=[0], privacy="public")
    looking = [
        asyncio.create_task(Program(onlooker, match.name, None, random.Random(9)).play()) for onlooker in onlookers
    ]
    for client in clients[1:]:
        await client.join(code=match.code)
    programs = [Program(client, match.name, seat, random.Random(seat)) for seat, client in enumerate(clients)]
    await asyncio.gather(*(program.play() for program in programs))
    await asyncio.wait_for(asyncio.gather(*looking), 60)
    seen = [
        {update.revision: told(update) async for update in onlooker.watch(match, after=0) if update.HasField("step")}
        for onlooker in onlookers
    ]
    assert seen[0] == seen[1]
    check_record(await clients[0].record(match), await clients[0].view(match, 0))


async def slap_through_two_replicas(pair: Pair, guests: Guests, rounds: int) -> Counter[str]:
    """Eight people slap at one moment, again and again, match after match; the reasons that all but one were told."""
    clients = await guests(*(pair.addresses[seat % 2] for seat in range(SLAPPERS)))
    told: Counter[str] = Counter()
    while told["won"] < rounds:
        match = (await clients[0].create_match("slapjack", players=SLAPPERS, slap_in="always", seats=[0])).name
        link = (await clients[0].get_match(match)).link
        for seat, client in enumerate(clients[1:], 1):
            await client.join(link=link, seats=[seat])
        while told["won"] < rounds and (flip := await flip_until_a_jack(clients, match)) is not None:
            before = (await clients[1].view(match, 1)).revision
            answers = await asyncio.gather(
                *(client.act(match, seat, f"slap {flip}") for seat, client in enumerate(clients)),
                return_exceptions=True,
            )
            won = [answer for answer in answers if isinstance(answer, ActResponse)]
            late = [answer for answer in answers if isinstance(answer, Refused)]
            assert (len(won), len(late)) == (1, SLAPPERS - 1), answers
            assert {refusal.reason for refusal in late} <= {"NOT_YOUR_TURN", "RULE_BROKEN", "MATCH_OVER"}
            assert {(await client.view(match, seat)).revision for seat, client in enumerate(clients)} == {before + 1}
            assert won[0].revision == before + 1
            told.update(["won"], **Counter(refusal.reason for refusal in late))
        for seat, client in enumerate(clients):
            if (await client.get_match(match)).state == match_pb2.MATCH_STATE_PLAYING:
                with suppress(Refused):  # it may be over by now
                    await client.resign(match, seat)
        check_record(await clients[0].record(match), await clients[0].view(match, 0))
    return told


async def test_of_slaps_through_two_replicas_one_wins(pair: Pair, guests: Guests) -> None:
    await slap_through_two_replicas(pair, guests, 3)


@pytest.mark.soak
async def test_of_five_hundred_slaps_through_two_replicas_one_wins(pair: Pair, guests: Guests) -> None:
    told = await slap_through_two_replicas(pair, guests, 500)
    print(f"500 races of {SLAPPERS} through two replicas: one winner each, the others were told {dict(told)}")


async def test_a_replica_dies_and_the_other_goes_on(pair: Pair, guests: Guests) -> None:
    """Programs of the one that dies go to the other; what was acknowledged is there, once."""
    first, second = pair.servers
    steady = (await guests(second.address))[0]
    [doomed] = await guests(first.address)
    match = await doomed.create_match("gulam_chor", {"players": 2, "rounds": 3}, seats=[0])
    await steady.join(code=match.code)
    revision = (await steady.get_match(match)).revision
    for _ in range(6):
        turn = (await doomed.view(match, 0)).turn
        if not turn.must:
            break
        seat = turn.must[0]
        acted = await (doomed if seat == 0 else steady).act(match, seat, "take")
        assert acted.revision > revision
        revision = acted.revision
    first.kill()
    try:
        await _goes_on(steady, match.name, revision)
    finally:
        first.start()
    [back] = await guests(first.address)
    assert (await back.server_info()).version


async def test_what_operators_decide_at_one_replica_or_at_the_console_holds_at_the_other(
    pair: Pair, guests: Guests
) -> None:
    first, second = pair.servers
    operator = Operator(first.address, pair.url, CHAUTARI_KEY=KEY)
    operator.key = (await operator.here("key", "create", "--scope", "operate"))["secret"]
    sita, hari = await guests(first.address, second.address)
    match = await sita.create_match("jutpatti", {"players": 2, "cards": 5}, seats=[0])
    await hari.join(code=match.code)
    account = (await hari.account()).name
    await operator.there("ban", account, "--reason", "spam")
    await until(lambda: _is_refused(hari, "ACCOUNT_BANNED"))  # the other replica hears of it within seconds
    await until(lambda: _is_over(sita, match.name))
    await operator.here("lift", account, "--reason", "said sorry")
    await until(lambda: _is_refused(hari, "OK"))
    other = await sita.create_match("jutpatti", {"players": 3}, seats=[0])
    ended = await operator.here("end", other.name, "--reason", "maintenance", "--note", "later")
    assert ended["result"]["note"] == "later"
    assert (await sita.get_match(other.name)).state == match_pb2.MATCH_STATE_ABORTED
    entries = await operator.here("audit", "--limit", "100")
    assert [entry["number"] for entry in entries] == list(range(len(entries), 0, -1))
    assert (await operator.there("audit", "--check"))["entries"] == len(entries) + 1


async def _is_refused(client: Client, reason: str) -> bool:
    """Whether a call is refused for this reason; `OK`: it is not."""
    try:
        await client.account()
    except Refused as refused:
        return refused.reason == reason
    return reason == "OK"


async def _is_over(client: Client, match: str) -> bool:
    return (await client.get_match(match)).state == match_pb2.MATCH_STATE_FINISHED


async def _goes_on(steady: Client, match: str, revision: int) -> None:
    view = await steady.view(match, 1)
    assert view.revision == revision
    if view.turn.must and view.turn.must[0] == 1:
        assert (await steady.act(match, 1, "take")).revision == revision + 1
