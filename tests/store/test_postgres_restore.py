"""A PostgreSQL database that was restored, copied or taken over by a standby has another epoch, and its log tells."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection
from typer.testing import CliRunner

from chautari.app.audit import AuditQuestion
from chautari.cli.app import make_app
from chautari.cli.own_postgres import as_nobody
from chautari.errors import Malformed, Unavailable
from chautari.main import tied
from chautari.store import audit
from chautari.store.postgres import PostgresStore
from tests.cluster import Cluster, running_cluster
from tests.ports import held_port
from tests.store.conftest import KEY
from tests.store.made import following
from tests.store.test_migrations import fill
from tests.store.test_port import add, commit
from tests.waiting import until


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[PostgresStore]:
    """A store on a database."""
    store = await PostgresStore.open(url, KEY)
    try:
        yield store
    finally:
        await store.close()


async def restorings(store: PostgresStore) -> list[str]:
    """The epochs that the audit log tells of, the latest first; the log is whole."""

    def read(connection: Connection) -> list[str]:
        entries = audit.entries(connection, AuditQuestion(method="RestoreDatabase"), None, 100)
        return [str(entry.note.detail["epoch"]) for entry in entries]

    return await store._read(read)


async def test_a_dump_that_is_restored_elsewhere_has_another_epoch(cluster: Cluster, tmp_path: Path) -> None:
    url, dump = cluster.url(cluster.make_database()), str(tmp_path / "dump")
    async with opened(url) as store:
        await fill(store)
        match, first = await add(store, "sita", "hari"), store.epoch
        cluster.tool("pg_dump", "--format=custom", f"--file={dump}", url)  # while it is served
        await commit(store, following(match))
    restored = cluster.url(cluster.make_database())
    cluster.tool("pg_restore", "--no-owner", f"--dbname={restored}", dump)
    with pytest.raises(Malformed, match="sealed with another key"):
        await PostgresStore.open(restored, bytes(32))
    stores = await asyncio.gather(*(PostgresStore.open(restored, KEY) for _ in range(3)))
    assert {store.epoch for store in stores} != {first}
    assert len({store.epoch for store in stores}) == 1
    assert await stores[0].find_match(match.id) == match
    assert await restorings(stores[0]) == [stores[0].epoch]
    await commit(stores[1], following(match))
    await asyncio.gather(*(store.close() for store in stores))
    async with opened(restored) as again, opened(url) as old:
        assert (again.epoch, old.epoch) == (stores[0].epoch, first)


async def test_a_dump_that_is_restored_in_place_has_another_epoch(cluster: Cluster, tmp_path: Path) -> None:
    url, dump = cluster.url(cluster.make_database()), str(tmp_path / "dump")
    async with opened(url) as store:
        first = store.epoch
    async with opened(url) as store:
        assert store.epoch == first
    cluster.tool("pg_dump", "--format=custom", f"--file={dump}", url)
    cluster.tool("pg_restore", "--clean", f"--dbname={url}", dump)
    async with opened(url) as store:
        assert store.epoch != first


async def test_a_copy_has_another_epoch(cluster: Cluster) -> None:
    name = cluster.make_database()
    async with opened(cluster.url(name)) as store:
        first = store.epoch
    cluster.run(f"CREATE DATABASE {name}_copy TEMPLATE {name}")
    async with opened(cluster.url(f"{name}_copy")) as copy, opened(cluster.url(name)) as same:
        assert copy.epoch != first
        assert same.epoch == first


async def test_what_cannot_be_noticed_is_said_by_a_command(cluster: Cluster) -> None:
    """As where a disk was put back to a former state; a replica that still serves notices and ends."""
    url, told = cluster.url(cluster.make_database()), []
    store = await PostgresStore.open(url, KEY, replaced=lambda: told.append(True))
    arguments = ["db", "renew", "--database", url, "--reason", "the disk was put back"]
    environment = {"CHAUTARI_KEY": KEY.hex()}
    renewed = await asyncio.to_thread(CliRunner().invoke, make_app(tied()), arguments, env=environment)
    assert renewed.exit_code == 0, renewed.output
    await until(lambda: bool(told))
    [epoch] = await restorings(store)
    assert f"Its epoch is now {epoch}:" in renewed.output
    await store.close()
    async with opened(url) as again:
        assert again.epoch == epoch != store.epoch


@contextmanager
def standby_of(primary: Cluster) -> Iterator[Cluster]:
    """A PostgreSQL that follows another."""
    base = Path(tempfile.mkdtemp(prefix="chautari-standby-"))
    primary.tool("pg_basebackup", "-R", "-D", str(base / "data"), "-d", primary.url(), "-c", "fast", "-X", "stream")
    as_nobody(base, *base.rglob("*"))
    with held_port() as port:
        cluster = Cluster(base, port, ["listen_addresses=127.0.0.1", "max_connections=200"])
        try:
            cluster.start()
            yield cluster
        finally:
            cluster.stop()
            shutil.rmtree(base, ignore_errors=True)


@pytest.mark.soak
async def test_a_standby_serves_reads_and_has_another_epoch_once_it_takes_over() -> None:
    with running_cluster() as primary:
        async with opened(primary.url()) as store:
            match, first = await add(store, "sita", "hari"), store.epoch
        with standby_of(primary) as standby:
            told: list[bool] = []
            store = await PostgresStore.open(standby.url(), KEY, replaced=lambda: told.append(True))
            assert (await store.find_match(match.id), store.epoch) == (match, first)
            with pytest.raises(Unavailable, match="takes no changes now"):
                await commit(store, following(match))
            primary.kill()
            standby.run("SELECT pg_promote()")
            async with opened(standby.url()) as other:
                assert other.epoch != first
                await commit(other, following(match))
            await until(lambda: bool(told))
            await store.close()
