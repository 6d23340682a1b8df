"""What every store promises of identities: see `app.account_ports`."""

import asyncio

import msgspec
import pytest

from chautari.app.account_ports import Gone, TooMany
from chautari.app.account_values import Account, AccountKind
from chautari.app.ports import Store
from tests.store.conftest import SetClock
from tests.store.made import make_account, make_attempt, make_identity, make_token

LINKED = AccountKind.LINKED


async def account(store: Store) -> Account:
    """A new guest."""
    made = make_account()
    await store.add_account(made, make_token(made.id))
    return made


async def kind(store: Store, account_id: str) -> AccountKind:
    """What an account is now."""
    found = await store.find_account(account_id)
    assert found is not None
    return found.kind


async def test_an_unknown_identity_makes_an_account_and_a_known_one_leads_to_it(store: Store) -> None:
    new = msgspec.structs.replace(make_account(), kind=LINKED)
    token, identity = make_token(new.id), make_identity(new.id, last_used_at=5)
    assert await store.sign_in_with(new, identity, token, make_attempt()) == new
    assert await store.find_account(new.id) == new
    assert await store.find_token(token.digest) == token
    assert await store.identities_of(new.id) == [identity]
    other = make_account()
    second = make_token(other.id)
    assert await store.sign_in_with(other, make_identity(other.id, last_used_at=9), second, make_attempt()) == new
    assert await store.find_account(other.id) is None
    assert await store.find_token(second.digest) == msgspec.structs.replace(second, account_id=new.id)
    assert await store.identities_of(new.id) == [msgspec.structs.replace(identity, last_used_at=9)]


async def test_an_attempt_is_spent_once_but_for_a_while(store: Store, clock: SetClock) -> None:
    attempt = make_attempt(again_until=clock.time + 10_000_000)

    async def sign_in() -> Account:
        new = make_account()
        return await store.sign_in_with(new, make_identity(new.id), make_token(new.id), attempt)

    first = await sign_in()
    clock.pass_seconds(9)
    assert await sign_in() == first
    clock.pass_seconds(1)
    with pytest.raises(Gone):
        await sign_in()
    with pytest.raises(Gone):
        await store.link_identity(make_identity(first.id, "another"), 5, attempt)
    assert [one.subject for one in await store.identities_of(first.id)] == ["sita"]


async def test_a_guest_is_linked_and_is_a_guest_again_without_identities(store: Store) -> None:
    guest = await account(store)
    first, second = make_identity(guest.id, "a"), make_identity(guest.id, "b", linked_at=2_000_000)
    for identity in (second, first):
        assert await store.link_identity(identity, 2, make_attempt()) == identity
    assert await store.identities_of(guest.id) == [first, second]
    with pytest.raises(TooMany):
        await store.link_identity(make_identity(guest.id, "c"), 2, make_attempt())
    other = await account(store)
    await store.unlink_identity(other.id, first.id)
    await store.unlink_identity(guest.id, first.id)
    assert await kind(store, guest.id) is LINKED
    for _ in range(2):
        await store.unlink_identity(guest.id, second.id)
    assert await store.identities_of(guest.id) == []
    assert await kind(store, guest.id) is AccountKind.GUEST


async def test_an_identity_that_is_linked_is_given_as_it_is(store: Store) -> None:
    owner, other = await account(store), await account(store)
    identity = make_identity(owner.id)
    await store.link_identity(identity, 5, make_attempt())
    for account_id in (owner.id, other.id):
        assert await store.link_identity(make_identity(account_id), 5, make_attempt()) == identity
    assert await store.identities_of(other.id) == []
    assert await kind(store, other.id) is AccountKind.GUEST
    elsewhere = make_identity(other.id, issuer="https://elsewhere.example")
    assert await store.link_identity(elsewhere, 5, make_attempt()) == elsewhere


async def test_of_many_who_link_one_identity_at_once_one_gets_it(store: Store) -> None:
    accounts = [await account(store) for _ in range(6)]
    linked = await asyncio.gather(*(store.link_identity(make_identity(one.id), 5, make_attempt()) for one in accounts))
    assert len({identity.id for identity in linked}) == 1
    kinds = [await kind(store, one.id) for one in accounts]
    assert kinds.count(LINKED) == 1
