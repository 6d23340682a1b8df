"""Replicas of two releases on one database, as while an upgrade rolls: nobody is told anything wrong by the older one.

What the newer release does is done to the tables by hand: the servers here are all of the older one.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import pytest

from chautari.store import migrate
from chautari.v1 import match_pb2
from chautari_client import Client, Retry, Unavailable, per_move
from tests.e2e.conftest import QUICK_TO_RECONNECT, Guests
from tests.e2e.killing import check_all, seat, verify_all
from tests.e2e.load import Load
from tests.e2e.replicas import Pair
from tests.e2e.server import NotReady

NEWER = """
ALTER TABLE match ADD COLUMN flavour text NOT NULL DEFAULT 'plain';
ALTER TABLE journal ADD COLUMN weight integer;
ALTER TABLE account ADD COLUMN motto text NOT NULL DEFAULT '';
CREATE TABLE hat (account_id text PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE);
UPDATE alembic_version SET version_num = '2999_01_01_hats'
"""
"""What a newer release does to the tables."""
SAME_VERSION = f"UPDATE alembic_version SET version_num = '{migrate.head()}'"
OLDER = f"""
ALTER TABLE match DROP flavour;
ALTER TABLE journal DROP weight;
ALTER TABLE account DROP motto;
DROP TABLE hat;
{SAME_VERSION}
"""
MOVE_SECONDS = 3.0
AT_ONCE = Retry(tries=1, give_up_seconds=0.0)


def change(pair: Pair, statement: str) -> None:
    """Changes the database behind the backs of the replicas."""
    pair.cluster.run(statement, pair.url.rpartition("/")[2])


async def test_replicas_go_on_as_tables_widen_and_do_not_start_on_them_again(
    pair: Pair, guests: Guests, tmp_path: Path
) -> None:
    load = Load()
    tables = [await seat(game, guests, *pair.addresses) for game in ("gulam_chor", "jutpatti")]
    first, second = pair.servers
    async with AsyncExitStack() as stack, asyncio.TaskGroup() as group:
        for number, table in enumerate(tables):
            group.create_task(load.play(table.game, [client for _, client in table.clients], number))
        await load.reach(30)
        await asyncio.to_thread(change, pair, NEWER)
        stack.callback(change, pair, OLDER)
        await load.reach(60)
        assert await asyncio.to_thread(first.stop) == 0
        with pytest.raises(NotReady, match=f"2999_01_01_hats, a migration that this one lacks.*{migrate.head()}"):
            await asyncio.to_thread(first.start)
        change(pair, SAME_VERSION)  # as the newer replica would be, which knows the tables
        await asyncio.to_thread(first.start)
        await load.reach(60)
        load.done = True
    await verify_all(load, tmp_path)
    async with second.store() as store:
        await check_all(store, load)


NEWS = {
    "another game": ("match", "game = 'hat_and_coat'", "game = 'gulam_chor'"),
    "newer rules": ("match", "rules_version = rules_version + 1", "rules_version = rules_version - 1"),
    "another thing due": ("match", "due_kind = 'doff_hat'", "due_kind = 'clock'"),
    "another state": ("match", "state = 'dancing'", "state = 'playing'"),
    "another state of a seat": ("chair", "state = 'dancing'", "state = 'taken'"),
    "another cause": ("journal", "cause = 'hat'", "cause = 'seating'"),
    "another event": ("journal", r"events = '\x919163' || events", "events = substr(events, 4)"),
}
"""What only a newer release writes: the table, the change, and the way back."""


def statement(table: str, change: str, match: str, by: int) -> str:
    """Makes a change of a match, by which its revision grows; of its journal only the first entry changes."""
    if table == "journal":
        return f"UPDATE journal SET {change} WHERE match_id = '{match}' AND revision = 1"
    column = "id" if table == "match" else "match_id"
    count = f"UPDATE match SET revision = revision + {by} WHERE id = '{match}'"
    return f"UPDATE {table} SET {change} WHERE {column} = '{match}'; {count}"


async def test_what_a_newer_release_has_made_of_a_match_is_left_to_its_replicas(pair: Pair) -> None:
    """Each of the news in a match of its own, all at once."""
    async with AsyncExitStack() as stack:
        people = {}
        for news in NEWS:
            people[news] = Client.connect(pair.addresses[0], retry=AT_ONCE, options=QUICK_TO_RECONNECT)
            await stack.enter_async_context(people[news])
            await people[news].sign_in_as_guest()
        clock = per_move(MOVE_SECONDS, away_after=0)
        create = partial(Client.create_match, game="gulam_chor", players=2, seats=[0, 1], clock=clock)
        matches = {news: await create(client) for news, client in people.items()}
        other = await create(client := people[next(iter(NEWS))])
        names = {news: match.name.removeprefix("matches/") for news, match in matches.items()}
        for news, name in names.items():
            table, there, _ = NEWS[news]
            change(pair, statement(table, there, name, 1))
        try:
            await asyncio.gather(*(is_left(news, people[news], match) for news, match in matches.items()))
            async with asyncio.timeout(60):  # what is due in other matches is done all the same
                while (await client.view(other, 0)).revision < 3:  # noqa: ASYNC110  # the servers do it by themselves
                    await asyncio.sleep(0.05)
        finally:
            for news, name in names.items():
                table, _, back = NEWS[news]
                change(pair, statement(table, back, name, -1))
        for resigning, match in [*((people[news], match) for news, match in matches.items()), (client, other)]:
            await resigning.resign(match, 0)
            assert (await resigning.record(match)).complete


async def is_left(news: str, client: Client, match: match_pb2.Match) -> None:
    """Whatever is asked of such a match, the answer is that a newer release has it."""
    table, there, _ = NEWS[news]
    asks: list[Callable[[], Awaitable[object]]] = [
        lambda: client.record(match),
        lambda: anext(client.watch(match, 0, after=0)),
    ]
    if table != "journal":  # what happened before is read by nobody else
        asks += [
            lambda: client.view(match, 0),
            lambda: client.get_match(match),
            lambda: client.act(match, 0, "take"),
            lambda: client.resign(match, 0),
            lambda: anext(client.matches()),
            lambda: client.rematch(match),
        ]
    if "state = 'dancing'" in there and table == "match":
        asks.append(lambda: anext(client.watch_mine()))  # which tells nothing else that may be new
    for number, ask in enumerate(asks):
        with pytest.raises(Unavailable) as told:
            await ask()
        assert (told.value.reason, bool(told.value.retry_after)) == ("MATCH_NEWER", True), (news, number)
