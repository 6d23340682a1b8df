"""An application over a store in memory, and short ways to sit people down in it."""

import asyncio
import secrets
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Any
from uuid import uuid4

from chautari import engine
from chautari.app.caller import Caller
from chautari.app.new_matches import NewMatch
from chautari.app.service import App, LocalBus
from chautari.app.updates import End, Step
from chautari.app.values import SECOND, DueKind, Match, RequestKey, SeatState
from chautari.store.memory import MemoryStore


@asynccontextmanager
async def running_app(*, heartbeat_seconds: float = 5.0, store: Any = None, **more: Any) -> AsyncIterator[App]:
    """An application that has been started, and is drained and closed afterwards."""
    app = App(
        MemoryStore() if store is None else store,
        LocalBus(),
        heartbeat_seconds=heartbeat_seconds,
        **{"page_key": secrets.token_bytes(32)} | more,
    )
    await app.start()
    try:
        yield app
    finally:
        await app.drain()
        await app.close()


async def guest(app: App, name: str = "Sita") -> Caller:
    """A new guest as a caller."""
    return Caller((await app.accounts.create_guest(name, "en")).account.id)


async def started(app: App, game: str, players: int, **settings: Any) -> tuple[Match, list[Caller]]:
    """A match under way, with one guest on each seat in order."""
    people = [await guest(app, f"Guest {number}") for number in range(players)]
    match = await app.matches.create(
        people[0], NewMatch(game=game, settings={"players": players, **settings}, seats=(0,)), None
    )
    for seat, person in enumerate(people[1:], 1):
        match = await app.matches.join(person, link=match.link, seats=(seat,))
    return match, people


def request(what: object = "") -> RequestKey:
    """A new request id, for a request of this content."""
    return RequestKey(uuid4().bytes, sha256(repr(what).encode()).digest())


async def legal_action(app: App, match: Match, people: list[Caller]) -> tuple[int, str]:
    """A seat in turn and its first legal action."""
    view = await app.playing.view(people[0], match.id, 0)
    assert view.view is not None
    seat = view.view.must[0]
    options = (await app.playing.view(people[seat], match.id, seat)).options
    return seat, options[0].actions[0] if options[0].actions else options[0].example


async def play_out(app: App, match: Match, people: list[Caller], limit: int = 5000) -> int:
    """Plays first legal actions until the match is over; returns its last revision."""
    for _ in range(limit):
        state = await app.matches.get(people[0], match.id)
        if state.is_over:
            return state.revision
        seat, action = await legal_action(app, match, people)
        await app.playing.act(people[seat], match.id, seat, action)
    raise AssertionError("the match does not end")


def watched(app: App, match: Match) -> int:
    """How many streams of a match there are."""
    feed = app.watching._feeds.find(match.id)
    return feed.streams if feed is not None else 0


async def collect(stream: AsyncGenerator[Any], until: int) -> list[Any]:
    """The steps and the end of a stream, up to a revision."""
    found = []
    async with asyncio.timeout(60):
        async for message in stream:
            if isinstance(message, (Step, End)):
                found.append(message)
                if isinstance(message, End) or message.revision >= until:
                    break
    await stream.aclose()
    return found


def fold(picture: engine.Picture, step: Step) -> engine.Picture:
    """Folds what a step holds of the rules' events."""
    return engine.fold(picture, [event for event in step.events if isinstance(event, engine.Event)])


async def has_left(app: App, match: Match, seat: int) -> bool:
    """Whether a seat has left the match."""
    found = await app.store.find_match(match.id)
    return found is not None and found.chairs[seat].state is SeatState.LEFT


async def let_pass(app: App, clock: Any, seconds: float) -> None:
    """Lets time pass in which the service is alive: to leap over it would be an outage. clock: with `pass_seconds`."""
    for _ in range(int(seconds // 4)):
        clock.pass_seconds(4)
        await app.store.pulse()
    clock.pass_seconds(seconds % 4)
    await app.store.pulse()


async def due(app: App) -> list[str]:
    """The matches of which something is due now, claimed."""
    return [claim.match_id for claim in (await app.store.claim_due(tuple(DueKind), 99, 30 * SECOND)).claimed]
