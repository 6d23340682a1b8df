"""What every store promises of API keys and revocations: see `app.account_ports`."""

import asyncio

import msgspec
import pytest

from chautari.app.account_ports import Gone, TooMany
from chautari.app.account_values import ApiKey
from chautari.app.ports import Store
from chautari.app.values import SECOND
from tests.store.conftest import SetClock
from tests.store.made import make_account, make_key, make_request, make_token, new_id


async def account(store: Store, family: str = "family") -> str:
    """A new account."""
    made = make_account()
    await store.add_account(made, make_token(made.id, family))
    return made.id


async def subjects(store: Store, since: int = 0) -> set[str]:
    """What is known to be revoked."""
    return {one.subject for one in await store.revocations(since)}


async def test_a_key_is_found_by_its_digest_and_listed(store: Store) -> None:
    sita, hari = await account(store), await account(store)
    first, second = make_key(sita, created_at=1), make_key(sita, created_at=2, expires_at=9, made_by=None)
    other = make_key(hari)
    for key in (first, second, other):
        assert await store.add_key(key, 5) == key
    assert await store.find_key(first.digest) == first
    assert await store.find_key(b"unknown") is None
    assert await store.keys_of(sita) == [second, first]
    assert await store.keys_of(new_id()) == []


async def test_title_and_expiry_of_a_key_change_and_its_use_is_noted(store: Store, clock: SetClock) -> None:
    sita = await account(store)
    key = make_key(sita)
    await store.add_key(key, 5)
    await store.save_key(msgspec.structs.replace(key, title="बोट २", expires_at=77, scopes=frozenset()))
    await store.note_key_used(key.id)
    wanted = msgspec.structs.replace(key, title="बोट २", expires_at=77, last_used_at=clock.time)
    assert await store.find_key(key.digest) == wanted
    await store.note_key_used(new_id())


async def test_a_repeated_request_gives_the_key_it_made_also_when_that_is_revoked(store: Store) -> None:
    sita, hari = await account(store), await account(store)
    request = make_request()
    key = make_key(sita, request=request)
    await store.add_key(key, 1)
    assert await store.add_key(make_key(sita, request=request), 1) == key
    assert await store.revoke_key(sita, key.id) == [key.id]
    again = await store.add_key(make_key(sita, request=request), 1)
    assert (again.id, again.revoked_at is None, again.request) == (key.id, False, request)
    another = make_key(hari, request=request)
    assert await store.add_key(another, 1) == another


async def test_an_account_has_so_many_keys_that_hold(store: Store, clock: SetClock) -> None:
    sita = await account(store)
    expired, held = make_key(sita, expires_at=clock.time), make_key(sita)
    await store.add_key(expired, 1)
    await store.add_key(held, 1)
    with pytest.raises(TooMany):
        await store.add_key(make_key(sita), 1)
    await store.revoke_key(sita, held.id)
    await store.add_key(make_key(sita), 1)


async def test_of_many_keys_made_at_once_no_more_are_kept_than_may_be(store: Store) -> None:
    sita = await account(store)
    made = await asyncio.gather(*(store.add_key(make_key(sita), 3) for _ in range(8)), return_exceptions=True)
    assert sum(isinstance(one, ApiKey) for one in made) == 3
    assert len(await store.keys_of(sita)) == 3


async def test_a_key_that_is_revoked_makes_no_other(store: Store) -> None:
    sita = await account(store)
    maker = make_key(sita)
    await store.add_key(maker, 5)
    child = make_key(sita, made_by=maker.id)
    assert await store.add_key(child, 5) == child
    grandchild, other = make_key(sita, made_by=child.id), make_key(sita)
    await store.add_key(grandchild, 5)
    await store.add_key(other, 5)
    assert await store.revoke_key(sita, maker.id) == sorted([maker.id, child.id, grandchild.id])
    assert await store.keys_of(sita) == [other]
    for made_by in (maker.id, new_id()):
        with pytest.raises(Gone):
            await store.add_key(make_key(sita, made_by=made_by), 5)


async def test_what_is_revoked_stays_so_and_is_told_for_a_while(store: Store, clock: SetClock) -> None:
    sita = await account(store, "phone")
    await store.add_token(make_token(sita, "laptop"))
    key = make_key(sita)
    await store.add_key(key, 5)
    await store.revoke_key(sita, key.id)
    revoked_at = clock.time
    clock.pass_seconds(10)
    for key_id in (key.id, new_id()):
        assert await store.revoke_key(sita, key_id) == []
    assert await store.revoke_key(await account(store), key.id) == []
    found = await store.find_key(key.digest)
    assert found is not None
    assert found.revoked_at == revoked_at
    assert await store.keys_of(sita) == []
    assert key.id in await subjects(store)
    clock.pass_seconds(10)
    assert sorted(await store.revoke_account(sita)) == ["laptop", "phone"]
    assert await store.revoke_account(sita) == []
    await store.revoke_family("another")
    assert await subjects(store, clock.time) == {"laptop", "phone", "another"}
    assert {"laptop", "phone", "another", key.id} <= await subjects(store)
    assert await subjects(store, clock.time + SECOND) == set()


async def test_a_token_that_was_revoked_has_no_further_successor(store: Store) -> None:
    sita = await account(store, "phone")
    token = make_token(sita, "phone")
    await store.add_token(token)
    second, third = make_token(sita, "phone"), make_token(sita, "phone")
    assert await store.add_successor(token.digest, second)
    assert await store.find_token(second.digest) == second
    await store.revoke_family("phone")
    assert not await store.add_successor(token.digest, third)
    assert await store.find_token(third.digest) is None


async def test_no_key_is_made_with_one_while_it_is_revoked(store: Store) -> None:
    sita = await account(store)
    maker = make_key(sita)
    await store.add_key(maker, 99)
    making = [store.add_key(make_key(sita, made_by=maker.id), 99) for _ in range(6)]
    done = await asyncio.gather(*making[:3], store.revoke_key(sita, maker.id), *making[3:], return_exceptions=True)
    assert all(isinstance(one, ApiKey | list | Gone) for one in done)
    assert await store.keys_of(sita) == []


async def test_no_token_outlives_a_sign_out_that_comes_at_the_same_time(store: Store) -> None:
    sita = await account(store, "phone")
    token = make_token(sita, "phone")
    await store.add_token(token)
    await asyncio.gather(
        *(store.add_successor(token.digest, make_token(sita, "phone")) for _ in range(4)),
        store.exchange_token(token.digest, make_token(sita, "phone")),
        store.revoke_family("phone"),
        *(store.add_successor(token.digest, make_token(sita, "phone")) for _ in range(4)),
    )
    assert await store.sign_ins_of(sita) == []
