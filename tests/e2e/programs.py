"""Programs that play: each with a connection of its own, and a picture of the table that it keeps by folding.

They know no game: they choose at random among what the options of their view say. `python -m tests.e2e.programs ADDRESS
CODE SEED` is one as a process of its own: it joins by the code, plays, and prints what became of it.
"""

import asyncio
import json
import random
import sys
import uuid
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from chautari.v1 import match_pb2, option_pb2, play_pb2, view_pb2
from chautari_client import Client, Refused, Stale, Table, Unavailable, Update, View

SHORT: dict[str, dict[str, object]] = {
    "bluff": {"players": 3, "lay_limit": 50, "max_cards": 4},
    "dehla_pakad": {"max_hands": 1},
    "gulam_chor": {"players": 3, "rounds": 2},
    "jutpatti": {"players": 2, "cards": 5, "target": 1, "deck_runs": 2},
}
"""Settings that make short matches of the four games, and their players."""
PLAYERS = {"bluff": 3, "dehla_pakad": 4, "gulam_chor": 3, "jutpatti": 2}


def drawn(view: View) -> View:
    """A view without what a fold does not tell: clocks and the server's time come with a head, presence by itself."""
    copy = view_pb2.View()
    copy.CopyFrom(view)
    copy.ClearField("server_time")
    copy.ClearField("clocks")
    for seat in copy.seats:
        seat.online = False
    return copy


def pick(options: Sequence[option_pb2.Option], chance: random.Random) -> list[str]:
    """What to try, in this order: something at random, then what the options say is legal."""
    option = chance.choice(options)
    listed = [action for each in options for action in (each.actions or [each.example]) if action]
    if option.actions:
        return [chance.choice(option.actions), *listed]
    words = [option.verb]
    for choice in option.arguments:
        if choice.optional and chance.random() < 0.5:
            break
        words += _words(choice, chance)
    return [" ".join(words), *listed]


def _words(choice: option_pb2.ArgumentChoice, chance: random.Random) -> list[str]:
    match choice.WhichOneof("domain"):
        case "values":
            return [chance.choice(choice.values.values)]
        case "range":
            return [str(chance.randrange(choice.range.min, choice.range.max + 1, choice.range.step))]
        case "selection":
            cards = choice.selection
            count = chance.randint(cards.min, max(cards.min, min(cards.max, len(cards.cards))))
            return chance.sample(list(cards.cards), count)
        case other:
            raise AssertionError(f"no game here has an argument that is {other}")


@dataclass
class Program:
    """One program at one seat, or looking on. It goes on through every cut and restart, and keeps what it was told.

    updates   each step that its watch brought, by revision
    compared  how often its picture was held against a fresh view, which it always equalled
    done      each act that was acknowledged, by request id: its revision and its text
    refused   the request ids of acts that were refused
    """

    client: Client
    match: str
    seat: int | None
    chance: random.Random
    updates: dict[int, Update] = field(default_factory=dict)
    compared: int = 0
    done: dict[bytes, tuple[int, str]] = field(default_factory=dict)
    refused: set[bytes] = field(default_factory=set)

    async def play(self) -> match_pb2.MatchResult:
        """Plays the seat to the end of the match."""
        table = Table(await self._look())
        await self._act(table)
        async with aclosing(self.client.watch(self.match, self.seat, after=table.revision)) as updates:
            async for update in updates:
                if update.HasField("end"):
                    assert update.end.cause == play_pb2.END_CAUSE_MATCH_OVER
                if not update.HasField("step"):
                    continue
                assert update.revision == table.revision + 1, "a gap, a repeat, or another order"
                assert table.apply(update)
                assert not table.needs_view
                self.updates[update.revision] = update
                if table.is_current or table.is_over:
                    await self._compare(table)
                    await self._act(table)
        assert table.is_over
        return table.view.result

    async def _compare(self, table: Table) -> None:
        fresh = await self._look()
        if fresh.revision == table.revision:
            assert drawn(table.view) == drawn(fresh)
            self.compared += 1
        else:
            assert fresh.revision > table.revision, "a view is older than what was told before"

    async def _act(self, table: Table) -> None:
        if self.seat is None or not table.is_my_turn or not table.options:
            return
        for action in pick(table.options, self.chance):
            request_id = uuid.uuid4()
            try:
                revision = await self._insist(action, table.revision, str(request_id))
            except Refused as refused:
                self.refused.add(request_id.bytes)
                if isinstance(refused, Stale):
                    return
                if refused.reason != "RULE_BROKEN":
                    raise
            else:
                self.done[request_id.bytes] = (revision, action)
                return

    async def _look(self) -> View:
        while True:
            try:
                return await self.client.view(self.match, self.seat)
            except Unavailable:
                continue

    async def _insist(self, action: str, revision: int, request_id: str) -> int:
        """Asks until there is an answer; returns the revision that the act made."""
        assert self.seat is not None
        while True:
            try:
                answer = await self.client.act(self.match, self.seat, action, revision=revision, request_id=request_id)
            except Unavailable:
                continue
            return answer.revision


@dataclass
class Strict(Program):
    """A program that leaves all trying again to its client: a call that fails after that ends it."""

    async def _look(self) -> View:
        return await self.client.view(self.match, self.seat)

    async def _insist(self, action: str, revision: int, request_id: str) -> int:
        assert self.seat is not None
        return (await self.client.act(self.match, self.seat, action, revision=revision, request_id=request_id)).revision


def told(update: Update) -> bytes:
    """A step without how things stood when it was sent, and by which database: the journal knows neither."""
    copy = Update.FromString(update.SerializeToString())
    copy.step.ClearField("head")
    copy.ClearField("epoch")
    return copy.SerializeToString(deterministic=True)


async def _main(address: str, code: str, seed: str) -> None:
    async with Client.connect(address) as client:
        await client.sign_in_as_guest(f"Program {seed}")
        joined = await client.join(code=code)
        program = Program(client, joined.match.name, joined.match.my_seats[0], random.Random(seed))
        result = await program.play()
    print(json.dumps({"seat": program.seat, "compared": program.compared, "placing": list(result.placing)}))


if __name__ == "__main__":
    asyncio.run(_main(*sys.argv[1:]))
