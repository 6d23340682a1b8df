"""The store at the console: beside a service that writes all the time, and alone."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from chautari.app.audit import AuditQuestion
from chautari.app.bans import Ban
from chautari.errors import Conflict, Malformed
from chautari.store import SqliteStore, migrate
from chautari.store.console import ConsoleStore
from tests.store.conftest import KEY
from tests.store.made import following, make_account, make_entry, make_match, make_request, make_token
from tests.store.test_operate import made_note


async def test_two_processes_note_and_ban_while_matches_go_on(database: Path) -> None:
    """Nobody is refused for the other, and the log is one chain."""
    store = SqliteStore.open(database, KEY)
    stop = asyncio.Event()

    async def play() -> int:
        match = make_match("sita", "hari")
        await store.add_match(match, make_entry(match))
        while not stop.is_set():
            match = following(match)
            await store.commit(match, make_entry(match, account_id="sita", request=make_request()))
        return match.revision

    async def note(count: int) -> None:
        for _ in range(count):
            await store.note(made_note())

    def beside() -> None:
        async def work() -> None:
            console = ConsoleStore.open(database, KEY, alone=False)
            for number in range(20):
                await console.ban(Ban(f"a{number}", number + 1, None, "spam"), made_note(account_id=None))
            await console.close()

        asyncio.run(work())

    playing = [asyncio.create_task(play()) for _ in range(3)]
    await asyncio.gather(asyncio.to_thread(beside), asyncio.to_thread(beside), note(20))
    stop.set()
    assert min(await asyncio.gather(*playing)) > 1
    assert len(await store.bans()) == 20
    assert (await store.check_notes()).entries == 60
    assert (await store.check_notes()).broken == 0
    assert await store.last_note() == 60
    await store.close()


async def test_matches_are_written_alone(database: Path) -> None:
    store = SqliteStore.open(database, KEY)
    match = make_match("sita", "hari")
    await store.add_match(match, make_entry(match))
    with pytest.raises(Conflict) as served:
        ConsoleStore.open(database, KEY, alone=True)
    assert served.value.reason == "DATABASE_IN_USE"
    await store.close()
    alone = ConsoleStore.open(database, KEY, alone=True)
    with pytest.raises(Conflict):
        SqliteStore.open(database, KEY)
    changed = following(match)
    await alone.commit(changed, make_entry(changed), audit=made_note())
    found = await alone.find_match(match.id)
    assert found is not None
    assert (found.revision, await alone.last_note()) == (2, 1)
    await alone.close()
    beside = ConsoleStore.open(database, KEY, alone=False)
    with pytest.raises(AssertionError, match="alone"):
        beside.commit(following(changed), make_entry(following(changed)))
    await beside.close()


async def test_what_is_done_together_is_done_whole_or_not_at_all(database: Path) -> None:
    await SqliteStore.open(database, KEY).close()
    console = ConsoleStore.open(database, KEY, alone=False)
    account = make_account()
    with suppress(RuntimeError), console.together():
        await console.add_account(account, make_token(account.id))
        await console.note(made_note())
        raise RuntimeError("the power failed")
    assert await console.find_account(account.id) is None
    assert await console.last_note() == 0
    with console.together():
        await console.add_account(account, make_token(account.id))
        await console.note(made_note())
    assert await console.find_account(account.id) == account
    assert len(await console.notes(AuditQuestion(), None, 5)) == 1
    await console.close()


def test_what_is_no_database_of_this_program_is_refused(database: Path, tmp_path: Path) -> None:
    def refusal(path: Path, key: bytes = KEY) -> str:
        with pytest.raises(Malformed) as refused:
            ConsoleStore.open(path, key, alone=True)
        return refused.value.reason

    assert refusal(tmp_path / "nothing.db") == "BAD_DATABASE"
    assert not (tmp_path / "nothing.db").exists()
    assert refusal(database) == "WRONG_SEAL_KEY", "nobody has ever served it"
    migrate.downgrade(f"sqlite:///{database}", "2026_11_29_first")
    assert refusal(database) == "BAD_DATABASE_REVISION"
