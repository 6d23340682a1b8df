"""The store on PostgreSQL through a real PgBouncer that lends its few connections for one transaction at a time."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from chautari.app.account_values import SigningKey
from chautari.app.ports import Overtaken, RequestSeen
from chautari.app.values import DueKind
from chautari.errors import Malformed
from chautari.store import migrate
from chautari.store.postgres import PostgresStore
from chautari.store.postgres_tables import change_tables
from tests.cluster import Cluster
from tests.e2e.proxy import Proxy
from tests.store.conftest import KEY
from tests.store.made import following, make_account, make_entry, make_request, make_token, play
from tests.store.test_port import add, commit, revisions
from tests.store.test_postgres import assert_one_round_trip


@pytest.fixture
def url(cluster: Cluster, pooler: int) -> str:
    """An empty database, through it."""
    return f"postgresql://postgres@127.0.0.1:{pooler}/{cluster.make_database()}"


@pytest.fixture
async def stores(url: str) -> AsyncIterator[list[PostgresStore]]:
    """Three replicas, started at once on an empty database."""
    stores = await asyncio.gather(*(PostgresStore.open(url, KEY) for _ in range(3)))
    yield stores
    await asyncio.gather(*(store.close() for store in stores))


async def test_a_pooler_is_noticed_and_may_be_named(stores: list[PostgresStore], cluster: Cluster, url: str) -> None:
    assert [store.pooled for store in stores] == [True] * 3
    assert len({store.epoch for store in stores}) == 1
    direct = await PostgresStore.open(cluster.url(url.rpartition("/")[2]), KEY)
    assert not direct.pooled
    named = await PostgresStore.open(url, KEY, pooled=True)
    assert named.epoch == direct.epoch
    await direct.close()
    await named.close()


async def test_three_replicas_do_hot_and_cold_through_it(stores: list[PostgresStore]) -> None:
    """Many more at once than it has connections, so that each statement may be on another one than the last."""

    async def one(number: int) -> None:
        store, other = stores[number % 3], stores[(number + 1) % 3]
        account = make_account()
        await store.add_account(account, make_token(account.id, family=f"{number}"))
        match = await add(other, account.id, None)
        for _ in range(8):
            before, match = match, following(match)
            request = make_request()
            entry = make_entry(match, account_id=account.id, request=request)
            again = make_entry(following(match), account_id=account.id, request=request)
            await asyncio.gather(store.commit(match, entry), other.find_account(account.id))
            assert await other.find_match(match.id) == match
            with pytest.raises(RequestSeen):
                await other.commit(following(match), again)
            with pytest.raises(Overtaken):
                await other.commit(following(before), make_entry(following(before)))
        await commit(store, match := following(match), chairs=True)
        assert await revisions(other, match.id) == list(range(1, match.revision + 1))
        assert [found.id for found in await other.matches_of(
            account.id, active=True, my_turn=False, game=None, before=None, limit=5
        )] == [match.id]  # fmt: skip

    await asyncio.gather(*(one(number) for number in range(12)))
    await stores[0].add_signing_key(SigningKey(kid="k", private="{}", created_at=1, expires_at=2**52))
    await stores[1].claim_due((DueKind.CLOCK,), 5, 1_000_000)


async def test_a_whole_match_is_played_and_packed_through_it(stores: list[PostgresStore]) -> None:
    played = None
    for number, (played, entry) in enumerate(play("jutpatti", 2, 1, deck_runs=1)):
        store = stores[number % 3]
        await (store.add_match(played, entry) if played.revision == 1 else store.commit(played, entry))
    assert played is not None
    await stores[0].pack(played.id)
    assert len(await stores[1].entries(played.id, 0, 10_000)) == played.revision


async def test_an_act_is_one_round_trip_through_it(pooler: int, url: str) -> None:
    async with Proxy("127.0.0.1", pooler) as proxy:
        store = await PostgresStore.open(url.replace(f"127.0.0.1:{pooler}", proxy.address), KEY)
        assert store.pooled
        await assert_one_round_trip(store, proxy)
        await store.close()


async def test_the_tables_are_changed_through_it(url: str) -> None:
    await change_tables(url, migrate.upgrade_here)
    assert await change_tables(url, migrate.current_here) == migrate.head()
    await change_tables(url, lambda connection: migrate.downgrade_here(connection, migrate.BASE))
    assert await change_tables(url, migrate.current_here) is None
    with pytest.raises(Malformed):
        await change_tables(url, lambda connection: migrate.upgrade_here(connection, "nonsense"))
