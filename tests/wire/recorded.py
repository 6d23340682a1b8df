"""Matches that are played at random through the use cases, and their records as their readers get them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from random import Random
from typing import Any

from chautari import engine
from chautari.app.caller import Caller
from chautari.app.live import restore
from chautari.app.new_matches import NewMatch
from chautari.app.noting import Operator
from chautari.app.records import RecordPage
from chautari.app.scopes import Scope
from chautari.app.service import App
from chautari.app.stopping import Ending
from chautari.app.values import Disclosure, Match, SeatingRule
from chautari.games import find_game
from chautari.v1 import play_pb2
from chautari.wire.convert.records import page_to_proto
from tests.app.tables import guest, running_app

NAMES = ("सीता", "राम", "Gītā", "क्‍षितिज", 'Hari "H"', "Maya; start", "O'Neil", "शुभ 🂡")
SERVER = "chautari 0.1.0"


@dataclass
class Played:
    """A match, and those who sit in it by seat."""

    app: App
    match: Match
    people: list[Caller]
    random: Random

    async def go_on(self, steps: int = 100_000, leaving: bool = False) -> None:
        """Plays at random, at most so many steps."""
        for _ in range(steps):
            found = await self.app.store.find_match(self.match.id)
            assert found is not None
            self.match = found
            position = restore(found).position
            assert position is not None
            if found.is_over:
                return
            if leaving and self.random.random() < 0.04:
                seat = self.random.choice([seat for seat in range(len(self.people)) if seat not in position.left])
                await self.app.matches.resign(self.people[seat], self.match.id, seat)
                continue
            seat, action = self._choose(position)
            if seat in position.left:
                await self.app.chores.perform(self.match.id)
            else:
                await self.app.playing.act(self.people[seat], self.match.id, seat, action)

    def _choose(self, position: engine.Position[Any]) -> tuple[int, str]:
        for seat in self.random.sample(position.turn, len(position.turn)):
            action = engine.sample(position, seat, self.random) or engine.timeout_action(position, seat)
            if action is not None:
                return seat, action
        raise AssertionError("nobody in turn can do anything")

    async def hand_on(self, seat: int) -> None:
        """Merges the account of a seat into another one, which sits there from now on."""
        survivor, app = await guest(self.app, "Nima"), self.app
        token, _ = await app._signer.sign(self.people[seat].account, "sign-in", app.store.clock())
        await app.closings.merge(survivor, "me", token)
        self.people[seat] = survivor

    async def record(self, seat: int | None = None) -> play_pb2.MatchRecord:
        """The record as this seat, or a spectator, gets it."""
        return await record_of(self.app, self.people[seat or 0], self.match, seat)


@asynccontextmanager
async def sitting(
    key: str, trial: int = 0, seed: int = 0, disclosure: Disclosure = Disclosure.FULL, **settings: Any
) -> AsyncIterator[Played]:
    """A match under way. Its seats are named in several scripts, and every other one adds to the shuffles."""
    game = find_game(key)
    chosen = {**game.trials[trial], **settings}
    players = game.read_settings(chosen).players
    async with running_app() as app:
        people = [await guest(app, NAMES[seat % len(NAMES)]) for seat in range(players)]
        match = await app.matches.create(
            people[0],
            NewMatch(game=key, settings=chosen, seats=(0,), disclosure=disclosure, title="शुक्रबार: the 1st"),
            None,
        )
        for seat, person in enumerate(people[1:], 1):
            own = bytes((seat, *range(16))) if seat % 2 else None
            match = await app.matches.join(person, link=match.link, seats=(seat,), contribution=own)
        yield Played(app, match, people, Random(f"{key} {trial} {seed}"))


async def played(
    key: str, trial: int = 0, seed: int = 0, disclosure: Disclosure = Disclosure.FULL, leaving: bool = False,
    **settings: Any,
) -> play_pb2.MatchRecord:  # fmt: skip
    """The record of a random match that is over, as a spectator gets it."""
    async with sitting(key, trial, seed, disclosure, **settings) as match:
        await match.go_on(leaving=leaving)
        return await match.record()


async def eventful(key: str = "gulam_chor", seed: int = 2, **settings: Any) -> play_pb2.MatchRecord:
    """The record of a match before whose start seats were taken, given up, taken from somebody and drawn by lot, and
    the host changed; then one seat is handed on, and somebody leaves it under way. It is a rematch, so that seats were
    held."""
    game = find_game(key)
    async with running_app() as app:
        people = [await guest(app, name) for name in NAMES[:3]]
        settings = {**game.trials[0], **settings, "players": 3}
        new = NewMatch(game=key, settings=settings, seats=(0,), title="one", seating=SeatingRule.RANDOM)
        match = await app.matches.create(people[0], new, None)
        for person in people[1:]:
            match = await app.matches.join(person, link=match.link)
        first = Played(app, match, sorted(people, key=lambda person: match.seats_of(person.account)), Random(seed))
        await first.go_on()
        match = await app.matches.rematch(people[1], match.id, contribution=b"dice" * 4)
        await app.matches.join(people[2], match_id=match.id)
        await app.hosting.hand_on(people[1], match.id, people[2].account)
        await app.hosting.remove(people[2], match.id, people[1].account)
        await app.hosting.readmit(people[2], match.id, people[1].account)
        await app.matches.join(people[1], link=match.link)
        await app.matches.leave(people[1], match.id)
        await app.matches.join(people[1], link=match.link)
        await app.hosting.hand_on(people[2], match.id, people[1].account)
        match = await app.matches.join(people[0], match_id=match.id, contribution=b"more dice" * 2)
        by_seat = sorted(people, key=lambda person: match.seats_of(person.account))
        second = Played(app, match, by_seat, Random(seed))
        await second.go_on(3)
        await second.hand_on(2)
        await app.matches.resign(by_seat[1], match.id, 1)
        await second.go_on()
        return await second.record()


async def stopped(ending: Ending, note: str = "सर्भर सर्छ", key: str = "bluff") -> play_pb2.MatchRecord:
    """The record of a match that an operator ended, under way or, where it is aborted, before its start."""
    operator = Operator(account_id="op", key_id="k1", origin="", scopes=frozenset(Scope))
    if ending is Ending.ABORT:
        async with running_app() as app:
            host = await guest(app)
            match = await app.matches.create(host, NewMatch(game=key, seats=(0,)), None)
            await app.operating.end_match(operator, match.id, ending, reason="a test", note=note)
            return await record_of(app, host, match)
    async with sitting(key) as match_:
        await match_.go_on(5)
        await match_.app.operating.end_match(operator, match_.match.id, ending, reason="a test", note=note)
        return await match_.record()


async def record_of(app: App, caller: Caller, match: Match, seat: int | None = None) -> play_pb2.MatchRecord:
    """The whole record as this caller gets it."""
    record = play_pb2.MatchRecord()
    async for item in app.records.download(caller, match.id, seat):
        if isinstance(item, RecordPage):
            record.MergeFrom(page_to_proto(item, SERVER))
    return record
