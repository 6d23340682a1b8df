"""Slapjack over several connections: slaps sent at the same moment give one winner, and the others a clear answer."""

import asyncio

from google.protobuf.json_format import MessageToDict

from chautari_client import ActResponse, Client, Refused
from tests.e2e.conftest import Guests
from tests.e2e.server import Server

PLAYERS = 4
RACES = 3


async def flip_until_a_jack(clients: list[Client], match: str) -> int | None:
    """Flips in turn until a jack lies on top; its number, or None where the match is over."""
    while True:
        view = await clients[0].view(match, 0)
        flipper = MessageToDict(view.facts)["flipper"]
        if view.turn.phase != "play" or flipper is None:
            return None
        await clients[int(flipper)].act(match, int(flipper), "flip")
        after = await clients[0].view(match, 0)
        pile = next(zone for zone in after.zones if zone.name == "pile")
        if pile.cards and pile.cards[-1].startswith("J"):
            return int(MessageToDict(after.facts)["flips"])


async def test_of_slaps_at_once_the_first_to_be_committed_wins(server: Server, guests: Guests) -> None:
    clients = await guests(server.address, count=PLAYERS)
    match = (await clients[0].create_match("slapjack", players=PLAYERS, slap_in="always", seats=[0])).name
    link = (await clients[0].get_match(match)).link
    for seat, client in enumerate(clients[1:], 1):
        await client.join(link=link, seats=[seat])

    for _ in range(RACES):
        flip = await flip_until_a_jack(clients, match)
        if flip is None:
            break
        before = await clients[0].view(match, 0)
        answers = await asyncio.gather(
            *(client.act(match, seat, f"slap {flip}") for seat, client in enumerate(clients)), return_exceptions=True
        )
        won = [seat for seat, answer in enumerate(answers) if isinstance(answer, ActResponse)]
        late = [answer for answer in answers if isinstance(answer, Refused)]
        assert len(won) == 1
        assert len(late) == PLAYERS - 1
        assert {refusal.reason for refusal in late} <= {"NOT_YOUR_TURN", "RULE_BROKEN", "MATCH_OVER"}

        after = await clients[0].view(match, 0)
        assert after.revision == before.revision + 1
        pile = len(next(zone for zone in before.zones if zone.name == "pile").cards)
        stacks = [MessageToDict(view.facts)["score"] for view in (before, after)]
        gained = [now - then for then, now in zip(*stacks, strict=True)]
        assert gained == [pile if seat == won[0] else 0 for seat in range(PLAYERS)]
