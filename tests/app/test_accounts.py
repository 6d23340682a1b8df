"""Accounts: guests, tokens, and what is refused."""

import asyncio
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode

import msgspec
import pytest
from joserfc import jwt
from joserfc.jwk import ECKey

from chautari.app.caller import Caller
from chautari.app.freshness import FRESH_SECONDS
from chautari.app.keys import NewKey
from chautari.app.revocations import Revocations
from chautari.app.scopes import Scope
from chautari.app.tokens import Signer
from chautari.app.values import SECOND
from chautari.errors import Forbidden, Malformed, NotFound, Unauthenticated
from chautari.store import MemoryStore
from tests.app.tables import guest, running_app


async def test_a_guest_signs_in_with_one_call() -> None:
    async with running_app() as app:
        signed_in = await app.accounts.create_guest("  सीता  ", "ne")
        assert signed_in.account.display_name == "सीता"
        identity = await app.accounts.authenticate(signed_in.tokens.access)
        assert identity.account_id == signed_in.account.id
        assert await app.accounts.get(Caller(identity.account_id), "me") == signed_in.account


async def test_each_guest_login_makes_another_guest() -> None:
    async with running_app() as app:
        one, other = [await app.accounts.create_guest("", "en") for _ in range(2)]
        assert one.account.id != other.account.id
        assert one.account.display_name


async def test_a_refresh_token_changes_at_each_use() -> None:
    async with running_app() as app:
        first = (await app.accounts.create_guest("Ram", "en")).tokens
        second = await app.accounts.refresh(first.refresh)
        third = await app.accounts.refresh(second.refresh)
        assert len({first.refresh, second.refresh, third.refresh}) == 3


async def test_a_refresh_whose_answer_was_lost_may_be_repeated_at_once() -> None:
    async with running_app() as app:
        first = (await app.accounts.create_guest("Ram", "en")).tokens
        await app.accounts.refresh(first.refresh)
        again = await app.accounts.refresh(first.refresh)
        await app.accounts.refresh(again.refresh)


async def test_a_used_refresh_token_that_comes_later_revokes_its_sign_in(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_app() as app:
        first = (await app.accounts.create_guest("Ram", "en")).tokens
        second = await app.accounts.refresh(first.refresh)
        later = app.store.clock() + 61 * SECOND
        monkeypatch.setattr(app.accounts, "_clock", lambda: later)
        with pytest.raises(Unauthenticated, match="revoked") as refused:
            await app.accounts.refresh(first.refresh)
        assert refused.value.reason == "TOKEN_REUSED"
        with pytest.raises(Unauthenticated):
            await app.accounts.refresh(second.refresh)


async def test_two_refreshes_at_once_give_tokens_that_both_hold() -> None:
    async with running_app() as app:
        first = (await app.accounts.create_guest("Ram", "en")).tokens
        tokens = await asyncio.gather(*(app.accounts.refresh(first.refresh) for _ in range(3)))
        assert len({token.refresh for token in tokens}) == 3


async def test_signing_out_ends_the_sign_in() -> None:
    async with running_app() as app:
        signed_in = await app.accounts.create_guest("Ram", "en")
        await app.accounts.sign_out(Caller(signed_in.account.id), signed_in.tokens.refresh, False)
        with pytest.raises(Unauthenticated):
            await app.accounts.refresh(signed_in.tokens.refresh)


async def test_nobody_signs_another_account_out() -> None:
    async with running_app() as app:
        signed_in = await app.accounts.create_guest("Ram", "en")
        await app.accounts.sign_out(await guest(app), signed_in.tokens.refresh, False)
        await app.accounts.refresh(signed_in.tokens.refresh)


async def test_only_the_account_itself_changes_its_name() -> None:
    async with running_app() as app:
        one, other = await guest(app, "One"), await guest(app, "Other")
        assert (await app.accounts.update(one, "me", "Uno", None)).display_name == "Uno"
        with pytest.raises(Forbidden):
            await app.accounts.update(one, other.account, "Mine", None)
        with pytest.raises(NotFound):
            await app.accounts.get(one, "nobody")


@pytest.mark.parametrize(
    "name",
    [
        "a\x00b",
        "a\u202eb",
        "\u2066x\u2069",
        "x" * 65,
        "a\nb",
        "\u200b",
        "\u00ad",
        "a" + "\u0301" * 8,
        "\ue000",
        "\u2028x",
    ],
)
async def test_names_that_deceive_or_cannot_be_seen_are_refused(name: str) -> None:
    async with running_app() as app:
        with pytest.raises(Malformed) as refused:
            await app.accounts.create_guest(name, "en")
        assert refused.value.reason == "NAME_INVALID"
        assert refused.value.field == "display_name"


@pytest.mark.parametrize("name", ["सीता", "र्‍याली", "ഗുലാൻ", "Zoë", "Ann-Lee O'Hara", "🂡 ace", "刘"])
async def test_names_of_every_script_are_kept(name: str) -> None:
    async with running_app() as app:
        assert (await app.accounts.create_guest(name, "en")).account.display_name == name


async def _refused(app: object, token: str) -> str:
    with pytest.raises(Unauthenticated) as refused:
        await app.accounts.authenticate(token)  # type: ignore[attr-defined]
    return refused.value.reason


async def test_a_changed_foreign_or_unsigned_token_is_refused() -> None:
    async with running_app() as app:
        signed_in = await app.accounts.create_guest("Ram", "en")
        head, body, signature = signed_in.tokens.access.split(".")
        claims = json.loads(urlsafe_b64decode(body + "=="))
        header = json.loads(urlsafe_b64decode(head + "=="))

        def part(value: object) -> str:
            return urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

        other_key = ECKey.generate_key("P-256")
        forged = [
            f"{head}.{part({**claims, 'sub': 'somebody'})}.{signature}",
            f"{part({**header, 'alg': 'none'})}.{body}.",
            f"{part({**header, 'alg': 'HS256'})}.{body}.{signature}",
            f"{part({**header, 'kid': 'unknown'})}.{body}.{signature}",
            jwt.encode({"alg": "ES256", "kid": header["kid"]}, claims, other_key),
            f"{head}.{body}",
            f"{part([])}.{body}.{signature}",
            f"{urlsafe_b64encode(b'[' * 5000).decode()}.{body}.{signature}",
            "",
            "x.y.z",
            "\ud800",
        ]
        for token in forged:
            assert await _refused(app, token) == "TOKEN_INVALID", token


async def test_an_expired_token_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_app() as app:
        signed_in = await app.accounts.create_guest("Ram", "en")
        await app.accounts.authenticate(signed_in.tokens.access)
        monkeypatch.setattr(app.store, "clock", lambda: signed_in.tokens.access_expires_at)
        assert await _refused(app, signed_in.tokens.access) == "TOKEN_EXPIRED"


async def test_a_key_that_has_signed_for_long_enough_is_followed_by_another() -> None:
    async with running_app() as app:
        old = (await app.accounts.create_guest("Ram", "en")).tokens.access
        signer = app._signer
        assert signer._newest is not None
        signer._newest = msgspec.structs.replace(signer._newest, created_at=0)
        new = (await app.accounts.create_guest("Hari", "en")).tokens.access
        assert len(await app.accounts.public_keys()) == 2
        await app.accounts.authenticate(old)
        await app.accounts.authenticate(new)
        assert all("d" not in key for key in await app.accounts.public_keys())


async def test_signing_out_without_a_refresh_token_ends_the_sign_in_of_the_access_token() -> None:
    async with running_app() as app:
        signed_in = await app.accounts.create_guest("Ram", "en")
        identity = await app.accounts.authenticate(signed_in.tokens.access)
        caller = Caller(identity.account_id, sign_in=identity.sign_in)
        await app.accounts.sign_out(caller, "", False)
        with pytest.raises(Unauthenticated):
            await app.accounts.refresh(signed_in.tokens.refresh)


async def test_whoever_holds_a_refresh_token_may_end_its_sign_in_without_another() -> None:
    async with running_app() as app:
        signed_in = await app.accounts.create_guest("Ram", "en")
        await app.accounts.sign_out(Caller(None), signed_in.tokens.refresh, False)
        with pytest.raises(Unauthenticated) as again:
            await app.accounts.sign_out(Caller(None), signed_in.tokens.refresh, False)
        assert again.value.reason == "TOKEN_INVALID"
        with pytest.raises(Unauthenticated) as nobody:
            await app.accounts.sign_out(Caller(None), "", False)
        assert nobody.value.reason == "TOKEN_MISSING"


async def test_what_gives_an_account_away_takes_a_young_token(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_app() as app:
        sita, other = [await app.accounts.create_guest("", "en") for _ in range(2)]

        async def caller(token: str) -> Caller:
            who = await app.accounts.authenticate(token)
            return Caller(who.account_id, expires_at=who.expires_at, sign_in=who.sign_in)

        now = app.store.clock()
        survivor = await caller(other.tokens.access)
        old, _ = await app._signer.sign(sita.account.id, "stolen", now - (FRESH_SECONDS + 1) * SECOND)
        thief, owner = await caller(old), await caller(sita.tokens.access)
        new = NewKey("For ever", frozenset({Scope.PLAY}))
        for call in (
            app.closings.delete(thief, "me"),
            app.closings.merge(thief, "me", other.tokens.access),
            app.closings.merge(survivor, "me", old),
            app.identities.link(thief, "me", "a", "t"),
            app.identities.unlink(thief, "me", "a"),
            app.keys.create(thief, "me", new, None),
        ):
            with pytest.raises(Unauthenticated) as refused:
                await call
            assert refused.value.reason == "SIGN_IN_OLD"
        made = await app.keys.create(owner, "me", new, None)
        await app.keys.create(Caller(sita.account.id, key_id=made.key.id), "me", new, None)
        refreshed = await app.accounts.refresh(sita.tokens.refresh)
        await app.closings.merge(survivor, "me", refreshed.access)
        assert (await app.accounts.get(owner, "me")).id == other.account.id


async def test_a_token_signed_with_a_key_that_another_replica_has_just_made_holds_here_at_once() -> None:
    store = MemoryStore()
    here, there = (Signer(store, Revocations(store, store.clock, shared=True)) for _ in range(2))
    assert await here.public_keys() == []  # it has looked a moment before
    token, _ = await there.sign("gita", "sign-in", store.clock())
    assert (await here.check(token)).account_id == "gita"
