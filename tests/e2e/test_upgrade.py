"""Replicas of two releases on one database, as while an upgrade rolls: nobody is told anything wrong by the older one.

What the newer release does is done to the tables by hand: the servers here are all of the older one.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from chautari.store import migrate
from chautari_client import Client, Retry, Unavailable, per_move
from tests.e2e.conftest import QUICK_TO_RECONNECT, Guests
from tests.e2e.killing import check_all, seat, verify_all
from tests.e2e.load import Load
from tests.e2e.replicas import Pair, running_pair
from tests.e2e.server import NotReady

NEWER = """
ALTER TABLE match ADD COLUMN flavour text NOT NULL DEFAULT 'plain';
ALTER TABLE journal ADD COLUMN weight integer;
ALTER TABLE account ADD COLUMN motto text NOT NULL DEFAULT '';
CREATE TABLE hat (account_id text PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE);
UPDATE alembic_version SET version_num = '2999_01_01_hats'
"""
"""What a newer release does to the tables."""
MOVE_SECONDS = 3.0
AT_ONCE = Retry(tries=1, give_up_seconds=0.0)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """Two replicas and their PostgreSQL, whose tables each test leaves as they were."""
    with running_pair(tmp_path_factory.mktemp("pair")) as running:
        yield running


def change(pair: Pair, statement: str) -> None:
    """Changes the database behind the backs of the replicas."""
    pair.cluster.run(statement, pair.url.rpartition("/")[2])


async def test_replicas_go_on_as_tables_widen_and_do_not_start_on_them_again(
    pair: Pair, guests: Guests, tmp_path: Path
) -> None:
    load = Load()
    tables = [await seat(game, guests, *pair.addresses) for game in ("gulam_chor", "jutpatti")]
    first, second = pair.servers
    async with asyncio.TaskGroup() as group:
        for number, table in enumerate(tables):
            group.create_task(load.play(table.game, [client for _, client in table.clients], number))
        await load.reach(30)
        await asyncio.to_thread(change, pair, NEWER)
        await load.reach(60)
        assert await asyncio.to_thread(first.stop) == 0
        with pytest.raises(NotReady, match=f"2999_01_01_hats, a migration that this one lacks.*{migrate.head()}"):
            await asyncio.to_thread(first.start)
        # As the newer replica would be, which knows the tables.
        change(pair, f"UPDATE alembic_version SET version_num = '{migrate.head()}'")
        await asyncio.to_thread(first.start)
        await load.reach(60)
        load.done = True
    await verify_all(load, tmp_path)
    async with second.store() as store:
        await check_all(store, load)
    change(pair, "ALTER TABLE match DROP flavour; ALTER TABLE journal DROP weight; ALTER TABLE account DROP motto")
    change(pair, "DROP TABLE hat")


AT_ALL_TIMES = ("newer rules", "another thing due", "another event")
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


@pytest.mark.parametrize(
    "news", [name if name in AT_ALL_TIMES else pytest.param(name, marks=pytest.mark.soak) for name in NEWS]
)
async def test_what_a_newer_release_has_made_of_a_match_is_left_to_its_replicas(news: str, pair: Pair) -> None:
    table, there, back = NEWS[news]
    async with Client.connect(pair.addresses[0], retry=AT_ONCE, options=QUICK_TO_RECONNECT) as client:
        await client.sign_in_as_guest()
        clock = per_move(MOVE_SECONDS, away_after=0)
        match, other = [
            await client.create_match("gulam_chor", players=2, seats=[0, 1], clock=clock) for _ in range(2)
        ]  # fmt: skip
        name = match.name.removeprefix("matches/")
        change(pair, statement(table, there, name, 1))
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
            assert (told.value.reason, bool(told.value.retry_after)) == ("MATCH_NEWER", True), number
        async with asyncio.timeout(60):  # what is due in other matches is done all the same
            while (await client.view(other, 0)).revision < 3:  # noqa: ASYNC110  # the servers do it by themselves
                await asyncio.sleep(0.05)
        change(pair, statement(table, back, name, -1))
        for played in (match, other):
            await client.resign(played, 0)
            assert (await client.record(played)).complete
