"""Identities over the wire, and what a server that trusts no provider says."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from chautari.cli.serve import CannotServe
from chautari.errors import Malformed
from chautari.v1 import accounts_pb2, identities_pb2, keys_pb2
from tests.app.issuer import CLIENT, Issuer, running_issuer
from tests.wire.served import Caller, Code, Served, serving

HOME = identities_pb2.BeginIdentityRequest(provider="providers/home")


@asynccontextmanager
async def trusting(folder: Path) -> AsyncIterator[tuple[Served, Issuer]]:
    """A service that trusts an issuer."""
    async with running_issuer() as issuer:
        file = folder / "providers.toml"
        file.write_text(f'[home]\nname = "घर"\nissuer = "{issuer.url}"\naudiences = ["{CLIENT}"]\n')
        async with serving(providers_file=str(file)) as served:
            yield served, issuer


async def sign_in(caller: Caller, issuer: Issuer, **claims: Any) -> Any:
    """Signs in with a new attempt."""
    begun = await caller.call("Identities/BeginIdentity", HOME)
    request = identities_pb2.SignInWithIdentityRequest(
        attempt=begun.attempt, id_token=issuer.token(begun.nonce, **claims)
    )
    return await caller.call("Identities/SignInWithIdentity", request)


async def test_providers_are_told_to_everybody(tmp_path: Path) -> None:
    async with trusting(tmp_path) as (served, issuer):
        answer = await served.caller().call("Identities/ListProviders", identities_pb2.ListProvidersRequest())
        [provider] = answer.providers
        assert (provider.name, provider.display_name, provider.issuer) == ("providers/home", "घर", issuer.url)
        assert list(provider.client_ids) == [CLIENT]


async def test_a_guest_links_signs_in_elsewhere_and_unlinks(tmp_path: Path) -> None:
    async with trusting(tmp_path) as (served, issuer):
        sita = await served.guest()
        begun = await sita.call("Identities/BeginIdentity", HOME)
        request = identities_pb2.LinkIdentityRequest(
            parent="accounts/me", attempt=begun.attempt, id_token=issuer.token(begun.nonce)
        )
        linked = await sita.call("Identities/LinkIdentity", request)
        assert linked.name.startswith(f"{sita.account}/identities/")
        assert (linked.provider, linked.provider_name, linked.subject) == ("providers/home", "घर", "sita")
        phone = served.caller()
        answer = await sign_in(phone, issuer)
        assert (answer.account.name, answer.created) == (sita.account, False)
        assert answer.account.kind == accounts_pb2.ACCOUNT_KIND_LINKED
        phone.token = answer.tokens.access_token
        listed = identities_pb2.ListIdentitiesRequest(parent="accounts/me")
        [one] = (await phone.call("Identities/ListIdentities", listed)).identities
        assert one.HasField("last_used_time")
        await phone.call("Identities/UnlinkIdentity", identities_pb2.UnlinkIdentityRequest(name=one.name))
        assert not (await sita.call("Identities/ListIdentities", listed)).identities
        assert (await sign_in(served.caller(), issuer)).created


async def test_what_is_wrong_with_an_id_token_is_told(tmp_path: Path) -> None:
    async with trusting(tmp_path) as (served, issuer):
        caller = served.caller()
        begun = await caller.call("Identities/BeginIdentity", HOME)
        request = identities_pb2.SignInWithIdentityRequest(
            attempt=begun.attempt, id_token=issuer.token(begun.nonce, aud="another")
        )
        refused = await caller.refused("Identities/SignInWithIdentity", request)
        assert (refused.code, refused.reason) == (Code.UNAUTHENTICATED, "ID_TOKEN_INVALID")
        assert refused.info.metadata["part"] == "aud"
        issuer.away, request.id_token = True, "x" * 20_000
        assert (await caller.refused("Identities/SignInWithIdentity", request)).reason == "REQUEST_INVALID"


async def test_an_api_key_neither_links_nor_unlinks(tmp_path: Path) -> None:
    async with trusting(tmp_path) as (served, _):
        sita = await served.guest()
        new = keys_pb2.ApiKey(title="Bot", scopes=[keys_pb2.SCOPE_PLAY])
        made = await sita.call("Keys/CreateApiKey", keys_pb2.CreateApiKeyRequest(parent="accounts/me", api_key=new))
        sita.token = made.secret
        for method, request in (
            ("LinkIdentity", identities_pb2.LinkIdentityRequest(parent="accounts/me", attempt="a", id_token="b")),
            ("UnlinkIdentity", identities_pb2.UnlinkIdentityRequest(name="accounts/me/identities/a")),
        ):
            refused = await sita.refused(f"Identities/{method}", request)
            assert (refused.code, refused.reason) == (Code.PERMISSION_DENIED, "SIGN_IN_NEEDED")


async def test_a_server_that_trusts_nobody_knows_no_provider() -> None:
    async with serving() as served:
        caller = served.caller()
        answer = await caller.call("Identities/ListProviders", identities_pb2.ListProvidersRequest())
        assert not answer.providers
        assert (await caller.refused("Identities/BeginIdentity", HOME)).reason == "PROVIDER_UNKNOWN"


async def test_a_file_that_is_wrong_or_missing_keeps_the_server_from_starting(tmp_path: Path) -> None:
    file = tmp_path / "providers.toml"
    with pytest.raises((OSError, CannotServe)):
        async with serving(providers_file=str(file)):
            pass
    file.write_text("[home]")
    with pytest.raises(Malformed):
        async with serving(providers_file=str(file)):
            pass
