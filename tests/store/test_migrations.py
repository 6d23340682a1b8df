"""The migrations: up, down and up again, without a difference from the tables, and each on its own."""

import ast
import re
import sqlite3
from collections.abc import Iterable
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine, event

import chautari.store
from chautari.app.account_values import SigningKey
from chautari.app.audit import Note
from chautari.app.bans import Ban
from chautari.app.ports import Store
from chautari.app.values import MatchState
from chautari.errors import Conflict, Malformed, Unavailable
from chautari.store import SqliteStore, migrate
from chautari.store.connect import connect, driver_of, transaction
from chautari.store.match_rows import under_code
from chautari.store.matches import CHANGING
from chautari.store.tables import metadata
from tests.store.conftest import KEY
from tests.store.made import (
    following,
    make_account,
    make_attempt,
    make_entry,
    make_identity,
    make_key,
    make_match,
    make_request,
    make_token,
    play,
)

VERSIONS = Path(chautari.store.__file__).parent / "migrations" / "versions"


@pytest.fixture
async def filled(tmp_path: Path) -> Path:
    """A database with something in every table."""
    path = tmp_path / "store.db"
    store = SqliteStore.open(path, KEY)
    await fill(store)
    await store.close()
    return path


async def fill(store: Store) -> None:
    """Puts something into every table."""
    account = make_account()
    await store.add_account(account, make_token(account.id))
    await store.add_key(make_key(account.id), most=1)
    await store.revoke_family("another")
    left = make_account()
    await store.add_account(left, make_token(left.id))
    await store.merge_account(left.id, account.id, 5)
    await store.link_identity(make_identity(account.id), 5, make_attempt())
    await store.add_signing_key(SigningKey(kid="k", private="{}", created_at=1, expires_at=2**52))
    note = Note(account_id=account.id, method="BanAccount", reason="spam", request=make_request())
    await store.ban(Ban(account.id, 1, None, "spam"), note)
    match = make_match(account.id, None, code="K7M2QX")
    await store.add_match(match, make_entry(match, account_id=account.id, request=make_request()))
    await store.commit(following(match), make_entry(following(match)))
    begun = make_match(account.id, None, code="BEGUN2", code_expires_at=2**52)
    await store.add_match(begun, make_entry(begun))
    begun = following(begun, state=MatchState.PLAYING, started_at=5)
    await store.commit(begun, make_entry(begun))
    played = None
    for played, entry in play("jutpatti", 2, 1, deck_runs=1):
        await (store.add_match(played, entry) if played.revision == 1 else store.commit(played, entry))
    assert played is not None
    await store.pack(played.id)


def url(path: Path) -> str:
    """The URL of a database."""
    return f"sqlite:///{path}"


def schema(path: Path) -> dict[str, str]:
    """Tables and indexes by name, as the database writes them, laid out alike."""
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql NOT NULL AND name != 'alembic_version'")
    found = {
        name: re.sub(r"\s+", " ", sql).replace("( ", "(").replace(" )", ")").replace('"', "").strip()
        for name, sql in rows
    }
    connection.close()
    return found


def rows(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """All that is in the tables."""
    connection = sqlite3.connect(path)
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    found = {
        table: sorted(connection.execute(f'SELECT * FROM "{table}"'), key=repr)
        for table in tables
        if table != "alembic_version"
    }
    connection.close()
    return found


def steps() -> list[tuple[str | None, str]]:
    """Each migration with the one before it, the first first."""
    found: dict[str | None, str] = {}
    for script in sorted(VERSIONS.glob("*.py")):
        names = {
            target.id: ast.literal_eval(node.value)
            for node in ast.parse(script.read_text()).body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        assert names["down_revision"] not in found, "two follow the same one"
        found[names["down_revision"]] = names["revision"]
    line: list[tuple[str | None, str]] = []
    before: str | None = None
    while before in found:
        line.append((before, found[before]))
        before = found[before]
    assert len(line) == len(found)
    return line


def test_a_filled_database_goes_up_down_and_up(filled: Path) -> None:
    assert all(rows(filled).values())
    first = schema(filled)
    assert migrate.current(url(filled)) == migrate.head()
    migrate.downgrade(url(filled), migrate.BASE)
    assert schema(filled) == {}
    assert migrate.current(url(filled)) is None
    migrate.upgrade(url(filled))
    assert schema(filled) == first
    assert migrate.current(url(filled)) == migrate.head()


def test_what_a_step_down_keeps_is_there_after_the_step_up(filled: Path) -> None:
    for before, after in reversed(steps()):
        migrate.downgrade(url(filled), before or migrate.BASE)
        kept, first = rows(filled), schema(filled)
        migrate.upgrade(url(filled), after)
        migrate.downgrade(url(filled), before or migrate.BASE)
        assert (rows(filled), schema(filled)) == (kept, first)


def test_matches_of_before_get_what_spectators_and_hosts_need(filled: Path) -> None:
    migrate.downgrade(url(filled), "2026_11_30_api_keys")
    connection = sqlite3.connect(filled)
    connection.execute("UPDATE match SET privacy = 'public' WHERE state = 'finished'")
    [changed] = connection.execute("SELECT max(at) FROM journal JOIN match ON id = match_id WHERE state = 'seating'")
    connection.commit()
    connection.close()
    migrate.upgrade(url(filled))
    connection = sqlite3.connect(filled)
    names = "state, audience, seating, spectator_delay, due_kind, due_at"
    found = connection.execute(f"SELECT {names} FROM match ORDER BY state").fetchall()
    assert found[0][:5] == ("finished", "everyone", "rotated", 0, None)
    assert found[-1] == ("seating", "members", "rotated", 0, "expire", changed[0] + 86_400_000_000)
    assert {row[0] for row in connection.execute("SELECT since FROM chair")} == {0}
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()


def test_the_program_before_shows_no_code_of_a_match_that_has_begun(filled: Path) -> None:
    migrate.downgrade(url(filled), "2026_11_30_watched")
    connection = sqlite3.connect(filled)
    found = connection.execute("SELECT state, code, code_expires_at IS NULL FROM match ORDER BY state").fetchall()
    connection.close()
    assert found == [("finished", None, 1), ("playing", None, 1), ("seating", "K7M2QX", 1)]


def test_the_migrations_build_what_the_tables_say(tmp_path: Path) -> None:
    migrated, made = tmp_path / "migrated.db", tmp_path / "made.db"
    migrate.upgrade(url(migrated))
    connection = connect(migrated)
    assert compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), metadata) == []
    connection.close()
    connection = connect(made)
    with transaction(connection):
        metadata.create_all(connection)
    connection.close()
    assert schema(migrated) == schema(made)


def test_a_migration_stands_alone_and_tells_why() -> None:
    for script in VERSIONS.glob("*.py"):
        assert re.fullmatch(r"20\d\d_\d\d_\d\d_[a-z0-9_]+\.py", script.name)
        tree = ast.parse(script.read_text())
        assert ast.get_docstring(tree)
        assert {name.split(".")[0] for name in imported(tree)} <= {"alembic", "sqlalchemy", "typing"}


def imported(tree: ast.AST) -> Iterable[str]:
    """The modules that a program imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


RELEASED: str | None = None
"""The last migration of the last release: what follows it runs while replicas of that release still serve."""

_NARROWING = ("drop_column", "drop_table", "drop_constraint", "rename_table", "alter_column", "create_check_constraint")


def narrowing(source: str) -> list[str]:
    """What a migration does in `upgrade` that the release before may not survive, unless it says that it `contracts`
    and from which release on nobody needs it any more."""
    tree = ast.parse(source)
    named = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    if "contracts" in named:
        return []
    [up] = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "upgrade"]
    calls = [node for node in ast.walk(up) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    found = [call.func.attr for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr in _NARROWING]
    for call in calls:
        if not (isinstance(call.func, ast.Attribute) and call.func.attr == "add_column"):
            continue
        for column in (node for node in ast.walk(call) if isinstance(node, ast.Call)):
            given = {keyword.arg: keyword.value for keyword in column.keywords}
            null = given.get("nullable")
            if isinstance(null, ast.Constant) and null.value is False and "server_default" not in given:
                found.append("add_column without a server_default")
    return found


def test_after_a_release_a_migration_expands_or_says_that_it_contracts() -> None:
    line = [after for _, after in steps()]
    later = line if RELEASED is None else line[line.index(RELEASED) + 1 :]
    for script in VERSIONS.glob("*.py"):
        if RELEASED is not None and ast.literal_eval(_value(script, "revision")) in later:
            assert not narrowing(script.read_text()), script.name


def _value(script: Path, name: str) -> str:
    [found] = re.findall(rf"^{name} = (.*)$", script.read_text(), re.M)
    return str(found)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("op.add_column('t', sa.Column('c', sa.Text(), nullable=True))", []),
        ("op.add_column('t', sa.Column('c', sa.Text(), nullable=False, server_default='x'))", []),
        ("op.add_column('t', sa.Column('c', sa.Text(), nullable=False))", ["add_column without a server_default"]),
        ("op.drop_column('t', 'c')", ["drop_column"]),
        ("op.create_table('u'); op.alter_column('t', 'c', nullable=False)", ["alter_column"]),
    ],
)
def test_what_narrows_is_noticed(body: str, found: list[str]) -> None:
    assert narrowing(f"def upgrade():\n    {body}\n") == found
    assert narrowing(f"contracts = '0.2'\ndef upgrade():\n    {body}\n") == []


def test_migrations_follow_one_another_in_one_line() -> None:
    line = steps()
    assert [before for before, _ in line] == [None, *(revision for _, revision in line[:-1])]
    assert line[-1][1] == migrate.head()


def test_a_migration_that_fails_leaves_the_database_as_it_was(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, held = schema(filled), rows(filled)

    def fail(connection: object, *_: object) -> None:
        migrate.downgrade_here(connection, migrate.BASE)  # type: ignore[arg-type] # it is one
        raise RuntimeError("half way")

    with pytest.raises(RuntimeError):
        migrate.with_lock(url(filled), fail)
    assert (schema(filled), rows(filled)) == (first, held)


async def test_a_database_that_is_served_is_not_migrated(filled: Path) -> None:
    store = SqliteStore.open(filled, KEY)
    with pytest.raises(Conflict, match="has this database open"):
        migrate.downgrade(url(filled), migrate.BASE)
    assert migrate.current(url(filled)) == migrate.head()
    await store.close()


def test_a_database_of_a_newer_program_is_refused(filled: Path) -> None:
    connection = sqlite3.connect(filled)
    connection.execute("UPDATE alembic_version SET version_num = '2999_01_01_future'")
    connection.commit()
    connection.close()
    for change in (lambda: SqliteStore.open(filled, KEY), lambda: migrate.upgrade(url(filled))):
        with pytest.raises(Malformed, match="2999_01_01_future") as refused:
            change()
        assert refused.value.reason == "BAD_DATABASE_REVISION"


def test_what_names_no_database_is_refused(tmp_path: Path) -> None:
    for wrong in ("", "store.db", "sqlite://", "sqlite:///:memory:", "mysql://x/y"):
        with pytest.raises(Malformed) as refused:
            migrate.upgrade(wrong)
        assert refused.value.reason == "BAD_DATABASE_URL"
    with pytest.raises(Malformed) as refused:
        migrate.downgrade(url(tmp_path / "store.db"), "nonsense")
    assert refused.value.reason == "BAD_DATABASE_REVISION"
    assert migrate.current(url(tmp_path / "nothing.db")) is None
    assert not (tmp_path / "nothing.db").exists()


def test_a_file_that_is_no_database_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "a ? % letter.db"
    path.write_text("Dear Sita, " * 200)
    for change in (lambda: SqliteStore.open(path, KEY), lambda: migrate.change_tables(path, migrate.upgrade_here)):
        with pytest.raises(Malformed, match="cannot be opened as a database") as refused:
            change()
        assert refused.value.reason == "BAD_DATABASE"
    assert path.read_text() == "Dear Sita, " * 200
    path.unlink()
    migrate.change_tables(path, migrate.upgrade_here)
    assert path.exists()


def test_an_old_sqlite_is_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 34, 1))
    with pytest.raises(Unavailable, match=r"3\.35 is wanted"):
        SqliteStore.open(tmp_path / "store.db", KEY)


async def test_the_lists_read_an_index_in_its_order(filled: Path) -> None:
    """What an account lists must cost the same however many matches it has played."""
    store = SqliteStore.open(filled, KEY)
    asked: list[tuple[str, tuple[object, ...]]] = []

    def note(_1: object, _2: object, statement: str, values: tuple[object, ...], *_: object) -> None:
        if statement.startswith("SELECT"):
            asked.append((statement, values))

    event.listen(Engine, "before_cursor_execute", note)
    await store.standings("sita", 5)
    for my_turn in (False, True):
        await store.matches_of("sita", active=not my_turn, my_turn=my_turn, game=None, before=(5, "x"), limit=5)
    await store.open_matches(but_of="nobody", game=None, before=(5, "x"), limit=5)
    await store.matches_of("sita", active=False, my_turn=False, game="bluff", before=None, limit=5)
    await store.playing_matches(but_of="nobody", now=5, game=None, before=(5, "x"), limit=5)
    event.remove(Engine, "before_cursor_execute", note)
    await store.close()
    planner = sqlite3.connect(filled)
    plans = [[row[3] for row in planner.execute(f"EXPLAIN QUERY PLAN {asks}", values)] for asks, values in asked]
    planner.close()
    assert [plan[0].split(" (")[0] for plan in plans] == [
        "SEARCH member USING COVERING INDEX ix_member_active",
        "SEARCH member USING COVERING INDEX ix_member_active",
        "SEARCH member USING COVERING INDEX ix_member_active",
        "SEARCH match USING INDEX ix_match_open",
        "SEARCH member USING PRIMARY KEY",
        "SEARCH match USING INDEX ix_match_playing",
        "SEARCH match USING INDEX ix_match_late",
    ]
    *in_order, of_the_last_hour = plans
    assert not [line for plan in in_order for line in plan if "TEMP B-TREE" in line]
    assert not [line for line in of_the_last_hour if line.startswith("SCAN")]


async def test_a_code_is_found_by_its_index_which_acts_leave_alone(filled: Path) -> None:
    connection = connect(filled)
    condition = under_code("K7M2QX", 5).compile(connection, compile_kwargs={"literal_binds": True})
    driver = driver_of(connection)
    [[*_, plan]] = driver.execute(f"EXPLAIN QUERY PLAN SELECT * FROM match WHERE {condition}").fetchall()
    assert plan.startswith("SEARCH match USING INDEX ix_match_code")
    [[page]] = driver.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'ix_match_code'").fetchall()
    changes = ", ".join(f"{column} = NULL" for column in CHANGING)
    steps = driver.execute(f"EXPLAIN UPDATE match SET {changes} WHERE id = '' AND revision = 1").fetchall()
    written = {step[3] for step in steps if step[1] == "OpenWrite"}
    assert written
    assert page not in written
    connection.close()
