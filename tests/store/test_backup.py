"""Backups taken under load, restoring them, and the check that finds what is wrong with a database."""

import asyncio
import os
import shutil
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from chautari.app import replay
from chautari.app.audit import AuditQuestion, Note
from chautari.app.values import Match
from chautari.errors import ChautariError, Conflict, Malformed
from chautari.store import SqliteStore, backup, migrate
from chautari.store.backup import back_up, examine, restore
from chautari.store.checking import Checked, check
from tests.store.conftest import KEY
from tests.store.made import make_account, make_entry, make_match, make_token, play

RESTORING = Note(account_id=None, origin="console", method="RestoreDatabase", target="database", reason="a test")


def nobody(_: int, __: int) -> None:
    """Hears how far a check has come."""


def checked(path: Path) -> Checked:
    """The check of a database with all its journals."""
    return check(path, KEY, replay.faults, nobody)


async def filled(path: Path, *games: str) -> list[Match]:
    """A database with a match of each game, played to its end; the first is packed."""
    store = SqliteStore.open(path, KEY)
    over = []
    for seed, key in enumerate(games):
        match = None
        for match, entry in play(key, 3, seed):
            await (store.add_match(match, entry) if match.revision == 1 else store.commit(match, entry))
        assert match is not None
        over.append(match)
    if over:
        await store.pack(over[0].id)
    account = make_account()
    await store.add_account(account, make_token(account.id))
    await store.close()
    return over


async def test_a_backup_under_load_holds_all_that_was_acknowledged_and_replays(tmp_path: Path) -> None:
    path = tmp_path / "chautari.db"
    store = SqliteStore.open(path, KEY)
    acknowledged: dict[str, int] = {}
    stop = asyncio.Event()

    async def load(number: int) -> None:
        seed = number
        while not stop.is_set():
            for match, entry in play("gulam_chor", 3, seed):
                await (store.add_match(match, entry) if match.revision == 1 else store.commit(match, entry))
                acknowledged[match.id] = match.revision
                if stop.is_set():
                    return
            await store.pack(match.id)
            seed += 10

    loads = [asyncio.create_task(load(number)) for number in range(4)]
    while len(acknowledged) < 4:  # noqa: ASYNC110  # what it waits for are the loads
        await asyncio.sleep(0.01)
    taken = []
    for number in range(3):
        before = dict(acknowledged)
        target = tmp_path / f"backup{number}.db"
        made = await asyncio.to_thread(back_up, path, target)
        taken.append((target, before, made, dict(acknowledged)))
        await asyncio.sleep(0.05)
    stop.set()
    await asyncio.gather(*loads)
    await store.close()
    assert taken[0][1] != taken[-1][1], "play went on meanwhile"
    for target, before, made, after in taken:
        assert (made.revision, made.matches >= len(before)) == (migrate.head(), True)
        elsewhere = tmp_path / "elsewhere" / target.name
        restored = restore(elsewhere, target, KEY, RESTORING)
        assert (restored.kept, restored.backup.epoch) == (None, store.epoch)
        assert restored.epoch != store.epoch
        found = checked(elsewhere)
        assert (found.faults, found.unchecked) == ([], [])
        assert found.matches == made.matches
        again = SqliteStore.open(elsewhere, KEY)
        assert again.epoch == restored.epoch
        for match_id, revision in before.items():
            match = await again.find_match(match_id)
            assert match is not None
            assert revision <= match.revision <= after[match_id] + 1
        [noted] = await again.notes(AuditQuestion(), None, 9)
        assert (noted.note.method, noted.note.detail["epoch"]) == ("RestoreDatabase", restored.epoch)
        await again.close()


async def test_a_backup_is_one_whole_private_file_without_the_key(tmp_path: Path) -> None:
    path, target = tmp_path / "a b?#%.db", tmp_path / "बैकअप 1.db"
    await filled(path, "gulam_chor")
    made = back_up(path, target)
    assert made.bytes == target.stat().st_size
    assert (made.matches, made.accounts, made.path) == (1, 1, str(target))
    assert target.stat().st_mode & 0o077 == 0
    assert KEY not in target.read_bytes()
    assert KEY.hex().encode() not in target.read_bytes()
    assert sorted(os.listdir(tmp_path)) == sorted([path.name, f"{path.name}.lock", target.name])
    with pytest.raises(Conflict, match="is there already"):
        back_up(path, target)
    assert back_up(path, target, overwrite=True) == made
    with pytest.raises(Conflict, match="the database itself"):
        back_up(path, path, overwrite=True)
    with pytest.raises(Malformed, match="no database"):
        back_up(tmp_path / "nothing.db", tmp_path / "x.db")
    with pytest.raises(ChautariError, match="No such file"):
        back_up(path, tmp_path / "no" / "folder.db")
    assert not (tmp_path / "x.db").exists()


async def test_restoring_keeps_the_file_that_was_there(tmp_path: Path) -> None:
    path, target = tmp_path / "chautari.db", tmp_path / "backup.db"
    await filled(path, "gulam_chor")
    back_up(path, target)
    store = SqliteStore.open(path, KEY)
    later = make_match("sita")
    await store.add_match(later, make_entry(later))
    with pytest.raises(Conflict) as served:
        restore(path, target, KEY, RESTORING)
    assert served.value.reason == "DATABASE_IN_USE"
    await store.close()
    restored = restore(path, target, KEY, RESTORING)
    assert restored.kept is not None
    assert examine(Path(restored.kept)).matches == 2
    store = SqliteStore.open(path, KEY)
    assert await store.find_match(later.id) is None
    await store.close()
    restore(path, Path(restored.kept), KEY, RESTORING)
    store = SqliteStore.open(path, KEY)
    assert await store.find_match(later.id) is not None
    await store.close()


async def test_what_was_not_yet_in_the_file_does_not_come_into_the_restored_one(tmp_path: Path) -> None:
    """The service was killed: a write-ahead log lies beside the database."""
    path, target, killed = tmp_path / "chautari.db", tmp_path / "backup.db", tmp_path / "killed"
    await filled(path, "gulam_chor")
    back_up(path, target)
    store = SqliteStore.open(path, KEY)
    for _ in range(20):
        match = make_match("sita")
        await store.add_match(match, make_entry(match))
    killed.mkdir()
    for suffix in ("", "-wal", "-shm"):
        shutil.copy(f"{path}{suffix}", killed / f"chautari.db{suffix}")
    await store.close()
    restored = restore(killed / "chautari.db", target, KEY, RESTORING)
    assert examine(killed / "chautari.db").matches == 1
    assert restored.kept is not None
    assert examine(Path(restored.kept)).matches == 21
    assert checked(killed / "chautari.db").faults == []


async def test_a_backup_of_before_is_brought_up_to_date_when_it_is_served(tmp_path: Path) -> None:
    path, old = tmp_path / "chautari.db", tmp_path / "old.db"
    [match] = await filled(path, "gulam_chor")
    migrate.downgrade(f"sqlite:///{path}", "2026_11_29_first")
    back_up(path, old)
    restore(tmp_path / "new.db", old, KEY, RESTORING)
    store = SqliteStore.open(tmp_path / "new.db", KEY)
    found = await store.find_match(match.id)
    assert found is not None
    assert found.revision == match.revision
    assert await store.last_note() == 0
    await store.close()


async def test_what_cannot_be_restored_leaves_everything_as_it_is(tmp_path: Path) -> None:
    path, target = tmp_path / "chautari.db", tmp_path / "backup.db"
    await filled(path, "gulam_chor", "bluff")
    back_up(path, target)
    held = path.read_bytes()

    def spoilt(name: str, spoil: Callable[[Path], object]) -> Path:
        copy = Path(shutil.copy(target, tmp_path / name))
        spoil(copy)
        return copy

    def change(text: str) -> Callable[[Path], None]:
        def run(copy: Path) -> None:
            connection = sqlite3.connect(copy)
            connection.executescript(text)
            connection.close()

        return run

    def scratch(copy: Path) -> None:
        data = bytearray(copy.read_bytes())
        for place in range(4096 * 3, len(data), 4096):
            data[place : place + 64] = b"\xff" * 64
        copy.write_bytes(data)

    def halve(copy: Path) -> None:
        copy.write_bytes(copy.read_bytes()[: copy.stat().st_size // 2])

    cases = {
        "BAD_BACKUP": [
            spoilt("letter.db", lambda copy: copy.write_text("Dear Sita, " * 999)),
            spoilt("empty.db", lambda copy: copy.write_bytes(b"")),
            spoilt("scratched.db", scratch),
            spoilt("half.db", halve),
            spoilt("other.db", change("DROP TABLE match")),
            spoilt("orphan.db", change("DELETE FROM account; DELETE FROM match WHERE packed = 1")),
            tmp_path / "nothing.db",
            path,
        ],
        "BAD_DATABASE_REVISION": [spoilt("newer.db", change("UPDATE alembic_version SET version_num = '2999_x'"))],
    }
    for reason, sources in cases.items():
        for source in sources:
            with pytest.raises(Malformed) as refused:
                restore(path, source, KEY, RESTORING)
            assert refused.value.reason == reason, source.name
    with pytest.raises(Malformed) as refused:
        restore(path, target, bytes(32), RESTORING)
    assert refused.value.reason == "WRONG_SEAL_KEY"
    assert path.read_bytes() == held
    assert not [name for name in os.listdir(tmp_path) if name.endswith("draft") or ".before-" in name]


async def test_a_crash_half_way_leaves_the_old_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, target = tmp_path / "chautari.db", tmp_path / "backup.db"
    await filled(path, "gulam_chor")
    back_up(path, target)

    def fail(*_: object) -> None:
        raise RuntimeError("the power failed")

    monkeypatch.setattr(backup, "_finish", fail)
    with pytest.raises(RuntimeError):
        restore(path, target, KEY, RESTORING)
    with pytest.raises(RuntimeError):
        back_up(path, tmp_path / "other.db")
    monkeypatch.undo()
    assert not (tmp_path / "other.db").exists()
    assert not [name for name in os.listdir(tmp_path) if name.endswith("draft")]
    assert checked(path).faults == []
    restore(path, target, KEY, RESTORING)


# ── The check ─────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_database_in_order_has_no_faults_also_while_it_is_served(tmp_path: Path) -> None:
    path = tmp_path / "chautari.db"
    over = await filled(path, "gulam_chor", "bluff", "jutpatti")
    store = SqliteStore.open(path, KEY)
    seating = make_match("sita", None)
    await store.add_match(seating, make_entry(seating, events=b"\x90", action=""))
    await store.note(RESTORING)
    told: list[tuple[int, int]] = []
    found = check(path, KEY, replay.faults, lambda done, of: told.append((done, of)))
    await store.close()
    assert (found.faults, found.unchecked, found.matches, found.audit_entries) == ([], [], 4, 1)
    assert found.entries == 1 + sum(match.revision for match in over)
    assert told == [(number, 4) for number in range(1, 5)]
    with pytest.raises(Malformed, match="another key"):
        check(path, bytes(32), None, nobody)
    with pytest.raises(Malformed, match="no database"):
        check(tmp_path / "nothing.db", KEY, None, nobody)


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Match]:
    """A database with two matches that are over, the first of them packed; and the other."""
    path = tmp_path_factory.mktemp("two") / "chautari.db"
    with ThreadPoolExecutor(1) as apart:  # the loop of a test may be running here
        _, match = apart.submit(asyncio.run, filled(path, "gulam_chor", "gulam_chor")).result()
    return path, match


@pytest.mark.parametrize(
    ("tampering", "fault"),
    [
        ("DELETE FROM journal WHERE match_id = :id AND revision = 5", "missing: [5]"),
        ("UPDATE journal SET action = 'nonsense' WHERE match_id = :id AND revision = 5", "revision 5 is refused"),
        ("UPDATE journal SET events = x'90' WHERE match_id = :id AND revision = 5", "revision 5 has other events"),
        ("UPDATE journal SET events = x'ff' WHERE match_id = :id AND revision = 5", "an entry cannot be read"),
        ("UPDATE match SET snapshot = substr(snapshot, 2) WHERE id = :id", "its snapshot is not"),
        ("UPDATE match SET shuffles = 7 WHERE id = :id", "counts 7 shuffles"),
        ("UPDATE match SET revision = revision + 1 WHERE id = :id", "missing"),
        ("UPDATE match SET secret = (SELECT secret FROM match WHERE id != :id) WHERE id = :id", "does not open"),
        ("UPDATE match SET state = 'lost' WHERE id = :id", "row cannot be read"),
        ("DELETE FROM member WHERE match_id = :id", "list of its members"),
        ("UPDATE chair SET contribution = zeroblob(16) WHERE match_id = :id AND number = 0", "has other events"),
    ],
)
def test_what_is_wrong_is_found(two: tuple[Path, Match], tmp_path: Path, tampering: str, fault: str) -> None:
    path, match = Path(shutil.copy(two[0], tmp_path)), two[1]
    connection = sqlite3.connect(path)
    connection.execute(tampering, {"id": match.id})
    connection.commit()
    connection.close()
    found = checked(path)
    assert len(found.faults) == 1, found.faults
    assert fault in found.faults[0]
    assert match.id in found.faults[0]


async def test_a_damaged_pack_is_found(tmp_path: Path) -> None:
    path = tmp_path / "chautari.db"
    [match] = await filled(path, "gulam_chor")
    connection = sqlite3.connect(path)
    connection.execute("UPDATE packed SET blob = substr(blob, 1, length(blob) - 9)")
    connection.commit()
    connection.close()
    [fault] = checked(path).faults
    assert fault.startswith(f"match {match.id}: its journal cannot be read")
    assert check(path, KEY, None, nobody).faults == []


async def test_a_match_by_other_rules_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "chautari.db"
    [match] = await filled(path, "gulam_chor")
    connection = sqlite3.connect(path)
    connection.execute("UPDATE match SET rules_version = 99")
    connection.commit()
    connection.close()
    store = SqliteStore.open(path, KEY)
    found, entries = await store.find_match(match.id), await store.entries(match.id, 0, 1000)
    await store.close()
    assert found is not None
    with pytest.raises(replay.Unreplayed, match="99"):
        replay.faults(found, entries)
