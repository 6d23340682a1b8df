"""Many who read one match at once, some of whom cannot take a step now and then, fail, come or go: each is sent every
revision once, in order, and as it may see it, whether it is put before it or comes out of its stream."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing, suppress
from random import Random

import pytest

from chautari.app import events as journal
from chautari.app.caller import Caller
from chautari.app.new_matches import NewMatch
from chautari.app.parking import Forms, Post, Send
from chautari.app.service import App
from chautari.app.updates import Beat, Step
from chautari.app.values import SECOND, Match, Privacy
from tests.app.tables import guest, legal_action, running_app


class Reader:
    """Somebody who takes most of what is put before it. first: the revision that it began with."""

    def __init__(self, app: App, caller: Caller, match: Match, seat: int | None, random: Random) -> None:
        self.seat = seat
        self.got: list[Step] = []
        self.given = 0
        self.first: int | None = None
        self.gone = False
        self._random = random
        self._is_busy, self._fails = random.choice((0.0, 0.1, 0.5, 1.0)), random.choice((0.0, 0.0, 0.1))
        self._post = Post()
        self._post.give = self._give
        self.task = asyncio.ensure_future(self._read(app, caller, match.id))

    def _give(self, step: Step, forms: Forms) -> Send | None:
        def write(form: bytes) -> None:
            if self._random.random() < self._fails:
                raise OSError
            self.got.append(step)
            self.given += 1

        return None if self._random.random() < self._is_busy else (write, b"")

    async def _read(self, app: App, caller: Caller, match_id: str) -> None:
        async with aclosing(app.watching.watch(caller, match_id, self.seat, None, post=self._post)) as messages:
            async for message in messages:
                if self.first is None and isinstance(message, Beat):
                    self.first = message.revision
                if isinstance(message, Step):
                    self.got.append(message)
                if self._random.random() < 0.3:
                    await asyncio.sleep(0)

    def reached(self) -> int | None:
        """The last revision that it has."""
        return self.got[-1].revision if self.got else self.first

    def close(self) -> None:
        """Hangs up."""
        self.gone = True
        self.task.cancel()


async def play(app: App, match: Match, people: list[Caller], come: Callable[[], None], random: Random) -> None:
    """Acts in bursts, with hardly any time between, while somebody comes now and then."""
    for _ in range(30):
        for _ in range(random.choice((1, 1, 2, 3))):
            seat, action = await legal_action(app, match, people)
            await app.playing.act(people[seat], match.id, seat, action)
        for _ in range(random.choice((0, 1, 2, 5))):
            await asyncio.sleep(0)
        if random.random() < 0.5:
            come()


async def have_come_to(revision: int, readers: list[Reader]) -> None:
    """Waits until all who are still there have this revision; not for ever: what they have is looked at then."""
    with suppress(TimeoutError):
        async with asyncio.timeout(60):
            while not all(one.gone or one.reached() == revision for one in readers):  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)


@pytest.mark.parametrize("delay", [0, 60 * SECOND])
async def test_each_is_sent_every_revision_once_and_as_it_may_see_it(delay: int) -> None:
    random = Random(delay)
    async with running_app(heartbeat_seconds=60) as app:
        people, others = [await guest(app) for _ in range(3)], [await guest(app) for _ in range(5)]
        new = NewMatch(
            game="gulam_chor",
            settings={"players": 3, "rounds": 50},
            seats=(0,),
            privacy=Privacy.PUBLIC,
            spectator_delay=delay,
        )
        match = await app.matches.create(people[0], new, None)
        for person in people[1:]:
            match = await app.matches.join(person, link=match.link)
        members: list[Reader] = []
        spectators: list[Reader] = []

        def come() -> None:
            seat = random.randrange(3)
            own = seat if random.random() < 0.7 else None
            members.append(Reader(app, people[seat], match, own, random))
            spectators.append(Reader(app, random.choice(others), match, None, random))
            if len(members) > 80:
                random.choice(members).close()

        for _ in range(80):
            come()
        await asyncio.sleep(0.02)
        await play(app, match, people, come, random)
        entries = {entry.revision: entry for entry in await app.store.entries(match.id, 0, 1000)}
        sees_now = [*members, *([] if delay else spectators)]
        await have_come_to(max(entries), sees_now)
        for reader in sees_now:
            revisions = [step.revision for step in reader.got]
            if reader.first is not None and not reader.gone:
                assert revisions == list(range(reader.first + 1, max(entries) + 1))
            assert revisions == sorted(set(revisions))
            for step in reader.got:
                assert step.events == journal.redact(journal.of(entries[step.revision]), reader.seat)
        assert sum(reader.given for reader in members) > 100, "many steps were put straight before them"
        if delay:
            assert not any(reader.got for reader in spectators), "it is too soon for who sees the match late"
        for reader in (*members, *spectators):
            reader.close()
        await asyncio.gather(*(reader.task for reader in (*members, *spectators)), return_exceptions=True)
