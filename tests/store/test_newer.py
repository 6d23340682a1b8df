"""What a newer release has written, while it serves beside this one: it is told so, and left alone.

Of rows of matches see `tests/e2e/test_upgrade.py`.
"""

import sqlite3
from collections.abc import Awaitable
from pathlib import Path

import pytest
import zstandard

from chautari.app import events as journal
from chautari.app.account_values import Renaming
from chautari.app.events import SeatTaken
from chautari.app.scopes import Scope
from chautari.errors import Unavailable
from chautari.store import SqliteStore, packing
from tests.store.conftest import KEY, SetClock
from tests.store.made import make_account, make_entry, make_key, make_match, make_token

PACKED = packing.pack([make_entry(make_match("sita"), events=journal.encode([SeatTaken(0, "sita", "Sita")]))])


def change(path: Path, statement: str, *values: object) -> None:
    """Changes the file behind the back of the store."""
    with sqlite3.connect(path) as connection:
        connection.execute(statement, values)
    connection.close()


def altered(old: bytes, new: bytes) -> bytes:
    """The packed journal with other bytes in what is compressed."""
    return PACKED[:1] + zstandard.compress(zstandard.decompress(PACKED[1:]).replace(old, new))


async def left_alone(asked: Awaitable[object], reason: str) -> None:
    """It is refused so that the next try may reach a newer replica."""
    with pytest.raises(Unavailable) as told:
        await asked
    assert told.value.reason == reason


async def test_an_account_of_another_kind(database: Path) -> None:
    store = SqliteStore.open(database, KEY)
    account = make_account()
    await store.add_account(account, make_token(account.id))
    change(database, "UPDATE account SET kind = 'robot'")
    await left_alone(store.find_account(account.id), "ACCOUNT_NEWER")
    await left_alone(store.delete_account(account.id, "Gone", 5), "ACCOUNT_NEWER")
    change(database, "UPDATE account SET kind = 'guest'")
    assert await store.find_account(account.id) == account
    await store.close()


async def test_a_key_with_another_scope_is_for_the_others(database: Path) -> None:
    store = SqliteStore.open(database, KEY)
    account = make_account()
    await store.add_account(account, make_token(account.id))
    key = make_key(account.id, scopes=frozenset({Scope.PLAY}))
    await store.add_key(key, 5)
    change(database, "UPDATE api_key SET scopes = 'play sing'")
    assert await store.find_key(key.digest) == key
    await store.save_key(key)
    with sqlite3.connect(database) as connection:
        assert connection.execute("SELECT scopes FROM api_key").fetchone() == ("play sing",)
    connection.close()
    await store.close()


async def test_another_end_of_an_account_does_not_keep_this_release_from_its_own(database: Path) -> None:
    clock = SetClock()
    store = SqliteStore.open(database, KEY, clock)
    ids = []
    for due_at in (clock.time - 9, clock.time - 5):
        account = make_account()
        await store.add_account(account, make_token(account.id))
        await store.delete_account(account.id, "Gone", due_at)
        ids.append(account.id)
    change(database, "UPDATE closing SET kind = 'asleep' WHERE account_id = ?", ids[0])
    assert [closing.account_id for closing in await store.claim_closings(1, 60)] == ids[1:]
    assert await store.claim_closings(1, 60) == []
    await left_alone(store.find_closing(ids[0]), "ACCOUNT_NEWER")
    await store.close()


@pytest.mark.parametrize(
    "blob",
    [bytes((packing.FORM + 1,)) + PACKED[1:], altered(b"\xa4seat", b"\xa4sing")],
    ids=["another form", "another cause"],
)
async def test_a_journal_that_is_packed_in_another_way(database: Path, blob: bytes) -> None:
    store = SqliteStore.open(database, KEY)
    match = make_match("sita")
    await store.add_match(match, make_entry(match))
    await store.pack(match.id)
    change(database, "INSERT INTO packed VALUES (?, 1, ?)", match.id, blob)
    await left_alone(store.entries(match.id, 0, 99), "MATCH_NEWER")
    await store.close()


def test_a_packed_form_of_before_is_refused() -> None:
    with pytest.raises(ValueError, match="packed in form 0, this version reads 1"):
        packing.unpack("m", b"\x00" + PACKED[1:])


@pytest.mark.parametrize("is_packed", [False, True])
async def test_another_event_is_not_renamed(database: Path, is_packed: bool) -> None:
    store = SqliteStore.open(database, KEY)
    match = make_match("sita")
    sung = b"\x91\x93\x63\x00\xa4sita"
    await store.add_match(match, make_entry(match, events=journal.encode([]) if is_packed else sung))
    if is_packed:
        blob = packing.pack([make_entry(match, events=sung)])
        change(database, "INSERT INTO packed VALUES (?, 1, ?)", match.id, blob)
    await left_alone(store.rename_in_match(match.id, Renaming("sita", "sita", "Gone")), "MATCH_NEWER")
    found = await store.find_match(match.id)
    assert found is not None
    assert found.chairs == match.chairs
    await store.close()
