"""The list of public matches under way, of each store: who is in it, for whom, and since when."""

from typing import Any

import asyncpg
from sqlalchemy import event

from chautari.app.audit import Note
from chautari.app.bans import Ban
from chautari.app.filters import read_filter
from chautari.app.ports import Store
from chautari.app.values import SECOND, Match, MatchState, Privacy
from chautari.store.postgres import PostgresStore
from tests.store.conftest import KEY, SetClock
from tests.store.made import following
from tests.store.test_port import OVER, add, commit

BEGUN = 1_000 * SECOND


async def add_playing(store: Store, *account_ids: str | None, delay: int = 0, **changed: Any) -> Match:
    """A public match under way; delay: in seconds."""
    values = {"privacy": Privacy.PUBLIC, "state": MatchState.PLAYING, "started_at": BEGUN, "must": 1}
    return await add(store, *account_ids, **values | {"spectator_delay": delay * SECOND} | changed)


async def playing(store: Store, seconds: float = 0, who: str = "nobody", **asked: Any) -> list[str]:
    """The titles in the list so long after the start."""
    question: dict[str, Any] = {"game": None, "before": None, "limit": 100} | asked
    now = BEGUN + round(seconds * SECOND)
    return [match.title for match in await store.playing_matches(but_of=who, now=now, **question)]


async def test_only_public_matches_under_way_are_listed_to_others(store: Store) -> None:
    await add_playing(store, "sita", "hari", title="one", created_at=1)
    await add_playing(store, "gita", "hari", title="two", created_at=2)
    await add_playing(store, "gita", "hari", title="private", privacy=Privacy.PRIVATE)
    await add(store, "sita", None, title="seating", privacy=Privacy.PUBLIC)
    over = await add_playing(store, "sita", "hari", title="over")
    await commit(store, following(over, **OVER))
    assert await playing(store) == ["two", "one"]
    assert await playing(store, who="sita") == ["two"]
    assert await playing(store, who="hari") == []


async def test_the_list_comes_page_by_page_in_both_orders(store: Store) -> None:
    delays = (0, 30, 0, 30, 60, 0)
    made = [
        await add_playing(store, "sita", title=f"{number}", created_at=number // 2, id=f"id{number}", delay=delay)
        for number, delay in enumerate(delays)
    ]
    for number in (1, 3):
        await commit(store, following(made[number], **OVER | {"ended_at": BEGUN + 50 * SECOND}))
    for rising in (False, True):
        expected = [match.title for match in (made if rising else made[::-1])]
        found: list[str] = []
        before = None
        while page := await playing(store, 60, before=before, limit=2, rising=rising):
            found += page
            last = made[int(page[-1])]
            before = (last.created_at, last.id)
        assert found == expected


async def test_with_a_delay_a_match_comes_and_goes_late(store: Store) -> None:
    match = await add_playing(store, "sita", title="late", delay=60)
    assert (await playing(store, 59.999), await playing(store, 60)) == ([], ["late"])
    match = await commit(store, following(match, **OVER | {"ended_at": BEGUN + 100 * SECOND}))
    assert (await playing(store, 159.999), await playing(store, 160)) == (["late"], [])
    [stored] = await store.playing_matches(but_of="nobody", now=BEGUN + 120 * SECOND, game=None, before=None, limit=1)
    assert (stored.state, stored.secret, stored.snapshot) == (MatchState.FINISHED, b"", None)


async def test_the_longest_delay_is_waited_for(store: Store) -> None:
    match = await add_playing(store, "sita", title="late", delay=3600)
    await commit(store, following(match, **OVER | {"ended_at": BEGUN + SECOND}))
    assert (await playing(store, 3600.999), await playing(store, 3601)) == (["late"], [])


async def test_a_match_that_ended_before_its_start_was_never_under_way(store: Store) -> None:
    closed = {"state": MatchState.ABORTED, "started_at": None, "ended_at": BEGUN, "must": 0}
    await add_playing(store, "sita", None, delay=60, **closed)
    assert await playing(store, 30) == []


async def test_it_may_be_of_one_game_and_filtered(store: Store) -> None:
    await add_playing(store, "sita", title="a", created_at=1, game="bluff")
    await add_playing(store, "hari", title="b", created_at=2, game="jutpatti")
    assert await playing(store, game="bluff") == ["a"]
    found = {"game = jutpatti": ["b"], "host = sita": ["a"], "game = bluff OR host = hari": ["b", "a"]}
    for wanted, titles in found.items():
        assert await playing(store, wanted=read_filter(wanted)) == titles


async def test_matches_of_banned_hosts_are_left_out_while_they_are_banned(store: Store, clock: SetClock) -> None:
    await add_playing(store, "sita", "hari", title="sita's", created_at=1)
    await add_playing(store, "hari", "sita", title="hari's", created_at=2)
    note = Note(account_id="op", method="BanAccount", target="accounts/sita", reason="spam")
    await store.ban(Ban("sita", clock(), clock() + 60 * SECOND, "spam"), note)
    for seconds, titles in ((59, ["hari's"]), (60, ["hari's", "sita's"])):
        clock.time = 1_790_000_000 * SECOND + seconds * SECOND
        assert await playing(store, (clock() - BEGUN) / SECOND) == titles


async def test_replicas_that_look_round_do_not_read_all_matches_there_are(postgresql_tables: str) -> None:
    store = await PostgresStore.open(postgresql_tables, KEY)
    mine, other = await add(store, "looks round", None), await add(store, "hari", None)
    asked: list[tuple[str, tuple[Any, ...]]] = []
    event.listen(store._engine.sync_engine, "before_cursor_execute", lambda *told: asked.append(told[2:4]))
    assert await store.revisions([other.id], ["looks round"]) == {mine.id: 1, other.id: 1}
    await store.close()
    [(statement, values)] = [one for one in asked if "revision" in one[0]]
    outside = await asyncpg.connect(postgresql_tables)
    await outside.execute("SET enable_seqscan = off")  # as if the tables were large
    plan = [row[0] for row in await outside.fetch(f"EXPLAIN {statement}", *values)]
    await outside.close()
    assert [line for line in plan if "Seq Scan" in line] == []
