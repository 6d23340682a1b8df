"""The client and its own account, at a real server."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from chautari.app.freshness import FRESH_SECONDS
from chautari_client import Client, NotAllowed, NotSignedIn
from tests.wire.served import pass_by, serving
from tests.wire.test_identities import trusting


async def test_a_program_calls_with_an_api_key() -> None:
    async with serving() as served, Client.connect(served.address) as owner:
        account = await owner.sign_in_as_guest("Asha")
        made = await owner.create_api_key("Bot", ["play"])
        async with Client.connect(served.address, api_key=made.secret) as bot:
            assert (await bot.account()).name == account.name
            match = await bot.create_match("bluff", players=2, seats=[0, 1])
            assert (await bot.view(match, 0)).match == match.name
            with pytest.raises(NotAllowed):
                await bot.create_api_key("More", ["organise"])
            await owner.delete_api_key(made.api_key)
            with pytest.raises(NotSignedIn):
                await bot.account()


async def test_keys_are_made_listed_and_changed() -> None:
    async with serving() as served, Client.connect(served.address) as owner:
        await owner.sign_in_as_guest("Asha")
        soon = datetime.now(UTC) + timedelta(days=1)
        first = (await owner.create_api_key("One", ["read"], expires=soon)).api_key
        second = (await owner.create_api_key("Two", ["bot", "organise"])).api_key
        assert [key.title async for key in owner.api_keys(page_size=1)] == ["Two", "One"]
        assert first.expire_time.ToDatetime(UTC) == soon
        changed = await owner.update_api_key(first, title="Eins", expires="never")
        assert (changed.title, changed.HasField("expire_time")) == ("Eins", False)
        assert (await owner.update_api_key(second.name, expires=soon)).HasField("expire_time")
        assert (await owner.api_key(second)).title == "Two"


async def test_a_sign_in_that_is_too_old_renews_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving() as served, Client.connect(served.address) as owner:
        await owner.sign_in_as_guest("Asha")
        refresh = owner.refresh_token
        pass_by(served, monkeypatch, FRESH_SECONDS + 1)
        keys = await asyncio.gather(*(owner.create_api_key(f"Bot {number}", ["play"]) for number in range(3)))
        assert len({key.secret for key in keys}) == 3
        assert owner.refresh_token != refresh, "one renewal for all, for a second would end the sign-in"
        await owner.delete_account()


async def test_a_merge_is_refused_where_the_other_sign_in_is_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving() as served, Client.connect(served.address) as phone, Client.connect(served.address) as laptop:
        await laptop.sign_in_as_guest("Asha")
        pass_by(served, monkeypatch, FRESH_SECONDS + 1)
        await phone.sign_in_as_guest("Bimal")
        with pytest.raises(NotSignedIn) as caught:
            await phone.merge_account(laptop.access_token)
        assert (caught.value.reason, caught.value.metadata["field"]) == ("SIGN_IN_OLD", "other_access_token")


async def test_a_guest_is_linked_to_an_identity_and_signs_in_with_it(tmp_path: Path) -> None:
    async with trusting(tmp_path) as (served, issuer), Client.connect(served.address) as phone:
        account = await phone.sign_in_as_guest("Asha")
        [provider] = await phone.providers()
        begun = await phone.begin_identity(provider)
        linked = await phone.link_identity(begun.attempt, issuer.token(begun.nonce))
        async with Client.connect(served.address) as laptop:
            begun = await laptop.begin_identity("home")
            signed_in = await laptop.sign_in_with_identity(begun.attempt, issuer.token(begun.nonce))
            assert (signed_in.account.name, signed_in.created) == (account.name, False)
            assert [one.name async for one in laptop.identities()] == [linked.name]
            await laptop.unlink_identity(linked)
            assert [one async for one in laptop.identities(page_size=1)] == []


async def test_a_guest_is_merged_exported_and_deleted() -> None:
    async with serving() as served, Client.connect(served.address) as phone, Client.connect(served.address) as laptop:
        guest = await phone.sign_in_as_guest("Asha")
        match = await phone.create_match("bluff", players=3, seats=[0])
        own = await laptop.sign_in_as_guest("Gita")
        assert (await laptop.merge_account(phone.access_token)).name == own.name
        export = await laptop.export_account()
        assert [one.name for one in export.matches] == [match.name]
        assert [one.name for one in export.merged_accounts] == [guest.name]
        with pytest.raises(NotSignedIn):
            await phone.account()
        await laptop.delete_account()
        assert laptop.access_token == ""
