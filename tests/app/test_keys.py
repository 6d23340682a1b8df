"""API keys: made, used, revoked; what a key may not do; who finds out that it is gone."""

import asyncio
import re
import time
from typing import Any

import pytest

from chautari.app.caller import Caller
from chautari.app.keys import PREFIX, NewKey, has_checksum, new_key
from chautari.app.scopes import ACCOUNT_SCOPES, Scope
from chautari.app.service import App
from chautari.app.values import SECOND, Micros
from chautari.errors import (
    ChautariError,
    Exhausted,
    Forbidden,
    Malformed,
    NotFound,
    RequestReused,
    Unauthenticated,
)
from chautari.store.memory import MemoryStore
from tests.app.tables import guest, request, running_app
from tests.waiting import until

PLAY = NewKey("Bot", frozenset({Scope.PLAY}))


async def as_key(app: App, secret: str) -> Caller:
    """The caller that a key makes, as the pipeline does."""
    identity = await app.accounts.authenticate(secret)
    return Caller(identity.account_id, expires_at=identity.expires_at, scopes=identity.scopes, key_id=identity.key_id)


async def reason(awaitable: Any) -> str:
    """The reason of a refusal."""
    with pytest.raises(ChautariError) as refused:
        await awaitable
    return refused.value.reason


def test_a_key_is_recognised_by_its_form() -> None:
    keys = {new_key() for _ in range(50)}
    assert len(keys) == 50
    for key in keys:
        assert re.fullmatch("chautari_[0-9A-Za-z]{49}", key)
        assert key.startswith(PREFIX)
        assert len(key) == len(PREFIX) + 49
        assert key.isascii()
        assert has_checksum(key)
        swapped = key[:20] + ("A" if key[20] != "A" else "B") + key[21:]
        for other in (swapped, key[:-1], key + "A", key.lower(), "", PREFIX, PREFIX + "é" * 49, "xhautari_" + key[9:]):
            assert not has_checksum(other)


async def test_a_key_speaks_for_its_account_as_far_as_its_scopes_go() -> None:
    async with running_app() as app:
        sita = await guest(app)
        made = await app.keys.create(sita, "me", PLAY, None)
        assert made.secret
        assert not made.replayed
        caller = await as_key(app, made.secret)
        assert (caller.account, caller.key_id, caller.sign_in) == (sita.account, made.key.id, "")
        assert caller.scopes == {Scope.READ, Scope.PLAY}
        assert (await app.keys.get(sita, sita.account, made.key.id)).id == made.key.id
        assert made.secret not in repr(await app.keys.list_keys(sita, "me", 0, ""))


async def test_the_secret_is_told_once() -> None:
    async with running_app() as app:
        sita, key = await guest(app), request("a")
        first = await app.keys.create(sita, "me", PLAY, key)
        again = await app.keys.create(sita, "me", PLAY, key)
        assert (again.secret, again.replayed, again.key.id) == ("", True, first.key.id)
        with pytest.raises(RequestReused):
            await app.keys.create(sita, "me", PLAY, request("b").__class__(key.id, b"another"))
        assert len((await app.keys.list_keys(sita, "me", 0, ""))[0]) == 1


async def test_eight_repeats_at_once_make_one_key_and_tell_one_secret() -> None:
    async with running_app() as app:
        sita, key = await guest(app), request("a")
        made = await asyncio.gather(*(app.keys.create(sita, "me", PLAY, key) for _ in range(8)))
        assert len({one.key.id for one in made}) == 1
        assert sum(bool(one.secret) for one in made) == 1


async def test_only_the_account_itself_has_to_do_with_its_keys() -> None:
    async with running_app() as app:
        sita, hari = await guest(app), await guest(app)
        made = await app.keys.create(sita, "me", PLAY, None)
        for call in (
            app.keys.create(hari, sita.account, PLAY, None),
            app.keys.get(hari, sita.account, made.key.id),
            app.keys.list_keys(hari, sita.account, 0, ""),
            app.keys.update(hari, sita.account, made.key.id, title="Mine", expiry=None),
            app.keys.delete(hari, sita.account, made.key.id),
        ):
            assert await reason(call) == "NOT_SELF"
        assert await reason(app.keys.get(hari, "me", made.key.id)) == "KEY_UNKNOWN"
        await app.keys.delete(hari, "me", made.key.id)
        await as_key(app, made.secret)


async def test_nobody_makes_a_key_that_may_more_than_they_may() -> None:
    async with running_app() as app:
        sita = await guest(app)
        with pytest.raises(Forbidden) as refused:
            await app.keys.create(sita, "me", NewKey("Root", frozenset({Scope.OPERATE})), None)
        assert (refused.value.reason, refused.value.values) == ("SCOPE_MISSING", {"scope": "operate"})
        reader = await as_key(
            app, (await app.keys.create(sita, "me", NewKey("Eye", frozenset({Scope.READ})), None)).secret
        )
        assert await reason(app.keys.create(reader, "me", PLAY, None)) == "SCOPE_MISSING"
        child = await app.keys.create(reader, "me", NewKey("Eye 2", frozenset({Scope.READ})), None)
        assert child.key.made_by == reader.key_id


async def test_an_operators_key_is_made_by_an_operator_and_makes_others() -> None:
    async with running_app() as app:
        sita = await guest(app)
        made = await app.keys.issue(sita.account, NewKey("Root", frozenset({Scope.OPERATE})))
        caller = await as_key(app, made.secret)
        assert caller.scopes == {Scope.READ, Scope.OPERATE}
        await app.keys.create(caller, "me", NewKey("Root 2", frozenset({Scope.OPERATE})), None)


async def test_a_key_sees_and_deletes_only_itself_and_what_it_made() -> None:
    async with running_app() as app:
        sita = await guest(app)
        other = await app.keys.create(sita, "me", PLAY, None)
        first = await app.keys.create(sita, "me", PLAY, None)
        caller = await as_key(app, first.secret)
        second = await app.keys.create(caller, "me", PLAY, None)
        third = await app.keys.create(await as_key(app, second.secret), "me", PLAY, None)
        mine, _ = await app.keys.list_keys(caller, "me", 0, "")
        assert {key.id for key in mine} == {first.key.id, second.key.id, third.key.id}
        assert await reason(app.keys.get(caller, "me", other.key.id)) == "KEY_UNKNOWN"
        assert await reason(app.keys.delete(caller, "me", other.key.id)) == "NOT_MADE_BY_KEY"
        await as_key(app, other.secret)
        await app.keys.delete(caller, "me", third.key.id)
        await app.keys.delete(caller, "me", third.key.id)  # it is gone: passed over
        await app.keys.delete(sita, "me", other.key.id)
        await app.keys.delete(caller, "me", other.key.id)
        await app.keys.delete(sita, "me", first.key.id)
        for secret in (first.secret, second.secret, third.secret):
            assert await reason(app.accounts.authenticate(secret)) == "TOKEN_INVALID"


async def test_a_key_does_not_outlive_the_one_that_made_it() -> None:
    async with running_app() as app:
        sita = await guest(app)
        soon: Micros = app.store.clock() + 100 * SECOND
        first = await app.keys.create(sita, "me", NewKey("Bot", frozenset({Scope.PLAY}), soon), None)
        caller = await as_key(app, first.secret)
        for asked in (None, soon + SECOND):
            made = await app.keys.create(caller, "me", NewKey("Bot", frozenset({Scope.PLAY}), asked), None)
            assert made.key.expires_at == soon
        sooner = await app.keys.create(caller, "me", NewKey("Bot", frozenset({Scope.PLAY}), soon - SECOND), None)
        assert sooner.key.expires_at == soon - SECOND
        assert (await app.keys.update(caller, "me", first.key.id, title=None, expiry=(None,))).expires_at == soon


async def test_a_key_expires(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_app() as app:
        sita = await guest(app)
        now = app.store.clock()
        for past in (0, now - SECOND):
            with pytest.raises(Malformed) as refused:
                await app.keys.create(sita, "me", NewKey("Bot", frozenset({Scope.PLAY}), past), None)
            assert refused.value.reason == "EXPIRY_INVALID"
        made = await app.keys.create(sita, "me", NewKey("Bot", frozenset({Scope.PLAY}), now + 100 * SECOND), None)
        await as_key(app, made.secret)
        monkeypatch.setattr(app.keys, "_clock", lambda: now + 100 * SECOND)
        assert await reason(app.accounts.authenticate(made.secret)) == "TOKEN_EXPIRED"


async def test_a_key_made_with_another_is_shortened_with_it() -> None:
    async with running_app() as app:
        sita = await guest(app)
        first = await app.keys.create(sita, "me", PLAY, None)
        second = await app.keys.create(await as_key(app, first.secret), "me", PLAY, None)
        apart = await app.keys.create(sita, "me", PLAY, None)
        soon = app.store.clock() + 3600 * SECOND
        await app.keys.update(sita, "me", first.key.id, title=None, expiry=(soon,))
        assert (await app.keys.get(sita, "me", second.key.id)).expires_at == soon
        assert (await as_key(app, second.secret)).expires_at == soon
        assert (await app.keys.get(sita, "me", apart.key.id)).expires_at is None
        await app.keys.update(sita, "me", first.key.id, title=None, expiry=(None,))
        assert (await app.keys.get(sita, "me", second.key.id)).expires_at == soon


async def test_a_change_of_expiry_holds_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_app() as app:
        sita = await guest(app)
        made = await app.keys.create(sita, "me", PLAY, None)
        await as_key(app, made.secret)
        at = app.store.clock() + 100 * SECOND
        changed = await app.keys.update(sita, "me", made.key.id, title=" नयाँ ", expiry=(at,))
        assert (changed.title, changed.expires_at) == ("नयाँ", at)
        assert await reason(app.keys.update(sita, "me", made.key.id, title="\u202e", expiry=None)) == "NAME_INVALID"
        with pytest.raises(NotFound):
            await app.keys.update(sita, "me", "nothing", title="x", expiry=None)
        monkeypatch.setattr(app.keys, "_clock", lambda: at)
        assert await reason(app.accounts.authenticate(made.secret)) == "TOKEN_EXPIRED"


async def test_an_account_has_twenty_keys_at_most_and_they_come_in_pages() -> None:
    async with running_app() as app:
        sita = await guest(app)
        for _ in range(20):
            await app.keys.create(sita, "me", PLAY, None)
        with pytest.raises(Exhausted) as refused:
            await app.keys.create(sita, "me", PLAY, None)
        assert refused.value.reason == "TOO_MANY_KEYS"
        seen, token = await app.keys.list_keys(sita, "me", 15, "")
        rest, last = await app.keys.list_keys(sita, "me", 15, token)
        assert (len(seen), len(rest), last) == (15, 5, "")
        assert len({key.id for key in seen + rest}) == 20
        assert await reason(app.keys.list_keys(await guest(app), "me", 15, token)) == "PAGE_TOKEN_INVALID"


async def test_what_is_no_key_is_refused_without_a_look_at_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_app() as app:

        async def find(digest: bytes) -> None:
            raise AssertionError(digest)

        assert await reason(app.accounts.authenticate(new_key())) == "TOKEN_INVALID"
        monkeypatch.setattr(app.store, "find_key", find)
        for token in (PREFIX, PREFIX + "x" * 49, new_key()[:-1], PREFIX + "\ud800", new_key() + "\n"):
            assert await reason(app.accounts.authenticate(token)) == "TOKEN_INVALID"


async def test_a_key_is_looked_up_once_and_its_use_noted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_app() as app:
        sita = await guest(app)
        made = await app.keys.create(sita, "me", PLAY, None)
        looked: list[bytes] = []
        find = app.store.find_key

        async def counted(digest: bytes) -> Any:
            looked.append(digest)
            return await find(digest)

        monkeypatch.setattr(app.store, "find_key", counted)
        for _ in range(10):
            await app.accounts.authenticate(made.secret)
        assert len(looked) == 1
        used = (await app.keys.get(sita, "me", made.key.id)).last_used_at
        assert used is not None
        later = app.store.clock() + 31 * SECOND
        monkeypatch.setattr(app.keys, "_clock", lambda: later)
        await app.accounts.authenticate(made.secret)
        assert len(looked) == 2
        assert (await app.keys.get(sita, "me", made.key.id)).last_used_at == used


async def test_a_key_reads_also_where_its_use_cannot_be_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_app() as app:
        made = await app.keys.create(await guest(app), "me", PLAY, None)

        async def full(key_id: str) -> None:
            raise Exhausted("STORAGE_FULL", "no")

        monkeypatch.setattr(app.store, "note_key_used", full)
        await as_key(app, made.secret)


async def test_an_api_key_has_no_sign_in_to_end() -> None:
    async with running_app() as app:
        signed_in = await app.accounts.create_guest("Sita", "en")
        made = await app.keys.create(Caller(signed_in.account.id), "me", PLAY, None)
        caller = await as_key(app, made.secret)
        for everywhere in (False, True):
            assert await reason(app.accounts.sign_out(caller, "", everywhere)) == "SIGN_IN_NEEDED"
        await app.accounts.refresh(signed_in.tokens.refresh)


# ── Revocation ────────────────────────────────────────────────────────────────────────────────────────────────────────


class SharedStore(MemoryStore):
    """A store that several processes use."""

    exclusive = False

    async def close(self) -> None:
        """It goes on for the others."""


async def holds(app: App, token: str) -> bool:
    """Whether a token or key is taken."""
    try:
        await app.accounts.authenticate(token)
    except Unauthenticated:
        return False
    return True


async def test_what_one_process_revokes_another_refuses_soon() -> None:
    store = SharedStore()
    async with running_app(store=store) as here, running_app(store=store) as there:
        signed_in = await here.accounts.create_guest("Sita", "en")
        access = signed_in.tokens.access
        sita = Caller(signed_in.account.id, sign_in=(await here.accounts.authenticate(access)).sign_in)
        made = await here.keys.create(sita, "me", PLAY, None)
        for app in (here, there):
            assert await holds(app, access)
            assert await holds(app, made.secret)
        await here.keys.delete(sita, "me", made.key.id)
        assert not await holds(here, made.secret)
        await here.accounts.sign_out(sita, "", False)
        assert not await holds(here, access)

        async def refused() -> bool:
            return not await holds(there, made.secret) and not await holds(there, access)

        await until(refused)
    async with running_app(store=store) as later:
        assert not await holds(later, access)


async def test_signing_out_everywhere_ends_all_access_tokens_and_no_other_account_s() -> None:
    async with running_app() as app:
        first = await app.accounts.create_guest("Sita", "en")
        other = await app.accounts.create_guest("Hari", "en")
        renewed = await app.accounts.refresh(first.tokens.refresh)
        made = await app.keys.create(Caller(first.account.id), "me", PLAY, None)
        await app.accounts.sign_out(Caller(first.account.id), "", True)
        assert not await holds(app, first.tokens.access)
        assert not await holds(app, renewed.access)
        assert await holds(app, other.tokens.access)
        assert await holds(app, made.secret)


async def test_a_refresh_in_its_grace_minute_does_not_outlive_a_sign_out(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_app() as app:
        first = (await app.accounts.create_guest("Sita", "en")).tokens
        await app.accounts.refresh(first.refresh)
        find = app.store.find_token

        async def signed_out_meanwhile(digest: bytes) -> Any:
            found = await find(digest)
            if found is not None:
                await app.store.revoke_family(found.family)
            return found

        monkeypatch.setattr(app.store, "find_token", signed_out_meanwhile)
        with pytest.raises(Unauthenticated):
            await app.accounts.refresh(first.refresh)
        assert not app.store._tokens  # type: ignore[attr-defined]  # nothing is left to sign in with


async def test_an_access_token_signed_while_its_sign_in_ends_does_not_hold() -> None:
    async with running_app() as app:
        signed_in = await app.accounts.create_guest("Sita", "en")
        family = (await app.accounts.authenticate(signed_in.tokens.access)).sign_in
        await app.accounts.sign_out(Caller(signed_in.account.id, sign_in=family), "", False)
        late, _ = await app._signer.sign(signed_in.account.id, family, int(time.time() * SECOND), ACCOUNT_SCOPES)
        assert not await holds(app, late)
