"""The migrations on PostgreSQL: up, down and up again with the same rows; and older replicas beside a newer one."""

import asyncio
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, inspect, text
from typer.testing import CliRunner

from chautari.cli.app import make_app
from chautari.errors import Malformed
from chautari.main import tied
from chautari.store import migrate
from chautari.store.postgres import PostgresStore
from chautari.store.postgres_tables import change_tables
from chautari.store.tables import metadata
from tests.cluster import Cluster
from tests.store.conftest import KEY
from tests.store.made import following, make_account, make_entry, make_request, make_token, play
from tests.store.test_migrations import fill, steps
from tests.store.test_port import add, commit, revisions

_NEWER = """
ALTER TABLE match ADD COLUMN flavour text NOT NULL DEFAULT 'plain';
ALTER TABLE journal ADD COLUMN weight integer;
ALTER TABLE account ADD COLUMN motto text NOT NULL DEFAULT '';
CREATE TABLE hat (account_id text PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE);
CREATE INDEX ix_match_flavour ON match (flavour);
UPDATE alembic_version SET version_num = '2999_01_01_hats'
"""
"""What a newer release does to the tables."""
_WAITING = "SELECT query FROM pg_stat_activity WHERE wait_event_type = 'Lock'"


@pytest.fixture
def url(cluster: Cluster) -> str:
    """An empty database."""
    return cluster.url(cluster.make_database())


def rows(connection: Connection) -> dict[str, str]:
    """A hash of all rows of each table."""
    found = {}
    for table in sorted(inspect(connection).get_table_names()):
        if table != "alembic_version":
            columns = sorted(column["name"] for column in inspect(connection).get_columns(table))
            listed = ", ".join(f'"{column}"' for column in columns)
            lines = sorted(repr(tuple(row)) for row in connection.execute(text(f'SELECT {listed} FROM "{table}"')))
            found[table] = f"{len(lines)} {sha256(repr((columns, lines)).encode()).hexdigest()}"
    return found


def schema(connection: Connection) -> dict[str, Any]:
    """Tables, indexes and constraints, as the database tells them."""
    looked = inspect(connection)
    return {
        table: (
            [(column["name"], str(column["type"]), column["nullable"]) for column in looked.get_columns(table)],
            sorted(map(repr, looked.get_indexes(table))),
            sorted(map(repr, looked.get_foreign_keys(table))),
            looked.get_pk_constraint(table),
            sorted(map(repr, looked.get_unique_constraints(table))),
        )
        for table in sorted(looked.get_table_names())
        if table != "alembic_version"
    }


def ordered(found: dict[str, Any]) -> dict[str, Any]:
    """The same whatever the order of the columns, which an older table that is built anew may change."""
    return {table: (sorted(parts[0]), *parts[1:]) for table, parts in found.items()}


async def test_a_filled_database_goes_down_and_up_step_by_step_with_the_same_rows(url: str) -> None:
    store = await PostgresStore.open(url, KEY)
    await fill(store)
    await store.close()
    assert not [table for table, told in (await change_tables(url, rows)).items() if told.startswith("0 ")]
    first = await change_tables(url, schema)
    for before, after in reversed(steps()):

        def step(connection: Connection, before: str | None = before, after: str = after) -> None:
            migrate.downgrade_here(connection, before or migrate.BASE)
            kept, known = rows(connection), ordered(schema(connection))
            migrate.upgrade_here(connection, after)
            migrate.downgrade_here(connection, before or migrate.BASE)
            assert rows(connection) == kept
            assert ordered(schema(connection)) == known

        await change_tables(url, step)
    assert await change_tables(url, schema) == {}
    await change_tables(url, migrate.upgrade_here)
    assert await change_tables(url, schema) == first
    again = await PostgresStore.open(url, KEY)
    await fill(again)
    await again.close()


async def test_the_migrations_build_what_the_tables_say(url: str) -> None:
    def compare(connection: Connection) -> object:
        migrate.upgrade_here(connection)
        return compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), metadata)

    assert await change_tables(url, compare) == []


async def test_many_replicas_start_at_once_on_an_empty_database(url: str) -> None:
    stores = await asyncio.gather(*(PostgresStore.open(url, KEY) for _ in range(6)))
    assert len({store.epoch for store in stores}) == 1
    await asyncio.gather(*(store.close() for store in stores))


async def test_an_older_replica_goes_on_beside_a_newer_one(url: str) -> None:
    """The tables are widened under it, while it serves and has prepared its statements."""
    store = await PostgresStore.open(url, KEY)
    match = await add(store, "sita", "hari")
    stop = asyncio.Event()

    async def keep_acting() -> int:
        nonlocal match
        done = 0
        while not stop.is_set() or done < 20:
            match = following(match)
            await commit(store, match, request=make_request(), chairs=done % 3 == 0)
            assert await store.find_match(match.id) == match
            done += 1
        return done

    acting = asyncio.ensure_future(keep_acting())
    await asyncio.sleep(0.05)
    await change_tables(url, lambda connection: [connection.execute(text(part)) for part in _NEWER.split(";")])
    stop.set()
    assert await acting >= 20
    account = make_account()
    await store.add_account(account, make_token(account.id))
    played = None
    for played, entry in play("jutpatti", 2, 1, deck_runs=1):
        await (store.add_match(played, entry) if played.revision == 1 else store.commit(played, entry))
    assert played is not None
    await store.pack(played.id)
    await store.matches_of("sita", active=False, my_turn=False, game=None, before=None, limit=5)
    assert await store.find_account(account.id) == account
    assert await revisions(store, match.id) == list(range(1, match.revision + 1))
    await store.commit(following(match), make_entry(following(match)))
    await store.close()
    with pytest.raises(Malformed, match="2999_01_01_hats, a migration that this one lacks") as refused:
        await PostgresStore.open(url, KEY)
    assert refused.value.reason == "BAD_DATABASE_REVISION"


changes: list[Callable[[Connection], None]] = [
    migrate.upgrade_here, lambda connection: migrate.downgrade_here(connection, migrate.BASE)
]  # fmt: skip


@pytest.mark.parametrize("change", changes, ids=["up", "down"])
async def test_tables_of_a_newer_program_are_left_alone(
    cluster: Cluster, url: str, change: Callable[[Connection], None]
) -> None:
    await change_tables(url, migrate.upgrade_here)
    cluster.run("UPDATE alembic_version SET version_num = '2999_01_01_hats'", url.rpartition("/")[2])
    with pytest.raises(Malformed, match="2999_01_01_hats"):
        await change_tables(url, change)
    assert await change_tables(url, migrate.current_here) == "2999_01_01_hats"


async def test_a_change_of_tables_waits_for_who_uses_them_a_little_at_a_time(cluster: Cluster, url: str) -> None:
    """A long transaction of somebody else's does not stop all others behind the change that waits for it."""
    store = await PostgresStore.open(url, KEY)
    match = await add(store, "sita", "hari")
    held = await store._engine.connect()
    await held.execute(text("SELECT count(*) FROM match"))
    changing = asyncio.ensure_future(
        change_tables(url, lambda connection: connection.execute(text("ALTER TABLE match ADD COLUMN hat text")))
    )
    async with asyncio.timeout(60):
        while "ALTER TABLE" not in await asyncio.to_thread(cluster.run, _WAITING):  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0.01)
        await commit(store, following(match))  # it got its turn
        assert not changing.done()
        await held.rollback()
        await changing
    await held.close()
    await store.close()


async def test_a_change_of_tables_that_waits_for_who_waits_for_it_is_made_anew(cluster: Cluster, url: str) -> None:
    store = await PostgresStore.open(url, KEY)
    held = await store._engine.connect()
    await held.execute(text("SET deadlock_timeout = '1min'"))  # the change finds it out, and is the one to give way
    await held.execute(text("SELECT count(*) FROM journal"))

    def change(connection: Connection) -> None:
        connection.execute(text("ALTER TABLE match ADD COLUMN hat text"))
        connection.execute(text("ALTER TABLE journal ADD COLUMN hat text"))

    changing = asyncio.ensure_future(change_tables(url, change))
    async with asyncio.timeout(60):
        while "ALTER TABLE journal" not in await asyncio.to_thread(cluster.run, _WAITING):  # noqa: ASYNC110  # as above
            await asyncio.sleep(0.01)
        await held.execute(text("SELECT count(*) FROM match"))
        await held.rollback()
        await changing
    await held.execute(text("SELECT hat FROM match JOIN journal USING (hat)"))
    await held.close()
    await store.close()


def test_the_commands_look_at_and_change_the_tables(cluster: Cluster, url: str) -> None:
    app = make_app(tied())
    steps: list[tuple[list[str], int, str]] = [
        (["current"], 0, "base (this program wants"),
        (["upgrade"], 0, f"The tables are at revision {migrate.head()}."),
        (["current"], 0, "(the latest)"),
        (["downgrade", "base"], 0, "The tables are at revision base."),
        (["upgrade", "nonsense"], 1, "the tables cannot be changed so"),
    ]
    for arguments, status, said in steps:
        done = CliRunner().invoke(app, ["db", *arguments, "--database", url])
        assert done.exit_code == status, done.output
        assert said in done.output
    cluster.run("INSERT INTO alembic_version VALUES ('2999_01_01_hats')", url.rpartition("/")[2])
    done = CliRunner().invoke(app, ["db", "current", "--database", url])
    assert "2999_01_01_hats (of a newer program; this one ends with" in done.output
