"""What a program does with its own account: sign in and out, and keep API keys."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from datetime import datetime
from typing import Final, Literal

from chautari.v1 import accounts_pb2, identities_pb2, keys_pb2, linked_identity_pb2
from chautari.v1.accounts_pb2_grpc import AccountsStub
from chautari.v1.identities_pb2_grpc import IdentitiesStub
from chautari.v1.keys_pb2_grpc import KeysStub
from chautari_client.connection import Connection
from chautari_client.errors import NotSignedIn
from chautari_client.naming import IdentityRef, KeyRef, ProviderRef, name_of, provider_name, request_id_of

Scope = Literal["read", "play", "bot", "organise", "operate"]
"""What an API key may be used for."""

_SCOPES: Final[Mapping[Scope, keys_pb2.Scope]] = {
    "read": keys_pb2.SCOPE_READ,
    "play": keys_pb2.SCOPE_PLAY,
    "bot": keys_pb2.SCOPE_BOT,
    "organise": keys_pb2.SCOPE_ORGANISE,
    "operate": keys_pb2.SCOPE_OPERATE,
}


class OwnAccount:
    """The part of `Client` that looks after the caller's own account."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._accounts = AccountsStub(connection.channel)
        self._identities = IdentitiesStub(connection.channel)
        self._keys = KeysStub(connection.channel)

    async def sign_in_as_guest(self, name: str = "") -> accounts_pb2.Account:
        """Makes a guest and signs in as it; with no name the server makes one up."""
        request = accounts_pb2.CreateGuestRequest(display_name=name)
        answer = await self._connection.call(self._accounts.CreateGuest, request, signed=False)
        self._connection.tokens = answer.tokens
        return answer.account

    async def sign_in(self, refresh_token: str) -> accounts_pb2.Account:
        """Signs in again with the `refresh_token` of an earlier sign-in, which is spent by it."""
        request = accounts_pb2.RefreshTokenRequest(refresh_token=refresh_token)
        answer = await self._connection.call(self._accounts.RefreshToken, request, signed=False)
        self._connection.tokens = answer.tokens
        return await self.account()

    @property
    def refresh_token(self) -> str:
        """What to keep, in a safe place, for `sign_in`; it changes whenever tokens are renewed. Empty: nobody is in."""
        return self._connection.tokens.refresh_token if self._connection.tokens is not None else ""

    async def account(self, name: str = "accounts/me") -> accounts_pb2.Account:
        """An account; one's own if no name is given."""
        return await self._connection.call(self._accounts.GetAccount, accounts_pb2.GetAccountRequest(name=name))

    async def update_account(
        self, *, display_name: str | None = None, language: str | None = None, request_id: str | None = None
    ) -> accounts_pb2.Account:
        """Changes one's own name or language; what is None stays."""
        request = accounts_pb2.UpdateAccountRequest(
            account=accounts_pb2.Account(name="accounts/me", display_name=display_name or "", language=language or ""),
            request_id=request_id_of(request_id),
        )
        changes = {"display_name": display_name, "language": language}
        request.update_mask.paths.extend(name for name, value in changes.items() if value is not None)
        return await self._connection.call(self._accounts.UpdateAccount, request)

    async def sign_out(self, *, everywhere: bool = False) -> None:
        """Ends this sign-in, or all of the account."""
        request = accounts_pb2.SignOutRequest(refresh_token=self.refresh_token, everywhere=everywhere)
        await self._connection.call(self._accounts.SignOut, request)
        self._connection.tokens = None

    async def providers(self) -> list[identities_pb2.Provider]:
        """The identity providers at which one may sign in."""
        request = identities_pb2.ListProvidersRequest()
        found: list[identities_pb2.Provider] = []
        while True:
            answer = await self._connection.call(self._identities.ListProviders, request, signed=False)
            found += answer.providers
            if not answer.next_page_token:
                return found
            request.page_token = answer.next_page_token

    async def begin_identity(self, provider: ProviderRef) -> identities_pb2.BeginIdentityResponse:
        """Begins to sign in or to link at a provider: use the `nonce` there, then bring the ID token and the `attempt`.

        Who is signed in now must still be when the attempt is completed.
        """
        request = identities_pb2.BeginIdentityRequest(provider=provider_name(provider))
        return await self._connection.call(self._identities.BeginIdentity, request)

    async def sign_in_with_identity(
        self, attempt: str, id_token: str, *, name: str = ""
    ) -> identities_pb2.SignInWithIdentityResponse:
        """Signs in as the account that the identity is linked to, else as a new one (`created`), called `name`."""
        request = identities_pb2.SignInWithIdentityRequest(attempt=attempt, id_token=id_token, display_name=name)
        answer = await self._connection.call(self._identities.SignInWithIdentity, request)
        self._connection.tokens = answer.tokens
        return answer

    async def link_identity(self, attempt: str, id_token: str) -> linked_identity_pb2.LinkedIdentity:
        """Links an identity to one's own account, which keeps its id."""
        request = identities_pb2.LinkIdentityRequest(parent="accounts/me", attempt=attempt, id_token=id_token)
        return await self._connection.call(self._identities.LinkIdentity, request)

    async def identities(self, *, page_size: int = 0) -> AsyncGenerator[linked_identity_pb2.LinkedIdentity]:
        """What one's own account is linked to, in the order in which it was; pages are fetched as they are needed."""
        request = identities_pb2.ListIdentitiesRequest(parent="accounts/me", page_size=page_size)
        while True:
            answer = await self._connection.call(self._identities.ListIdentities, request)
            for identity in answer.identities:
                yield identity
            if not answer.next_page_token:
                return
            request.page_token = answer.next_page_token

    async def unlink_identity(self, identity: IdentityRef) -> None:
        """Unlinks an identity; without any an account is a guest again."""
        request = identities_pb2.UnlinkIdentityRequest(name=name_of(identity))
        await self._connection.call(self._identities.UnlinkIdentity, request)

    async def merge_account(self, other_access_token: str) -> accounts_pb2.Account:
        """Merges another account into one's own, such as that of a guest who has signed in on the same device.

        other_access_token: of the account that ends; `access_token` of a client that is signed in to it.
        """
        request = accounts_pb2.MergeAccountsRequest(name="accounts/me", other_access_token=other_access_token)
        return await self._connection.call(self._accounts.MergeAccounts, request)

    async def delete_account(self) -> None:
        """Deletes one's own account for good, and leaves its matches."""
        tokens = self._connection.tokens
        try:
            request = accounts_pb2.DeleteAccountRequest(name="accounts/me")
            await self._connection.call(self._accounts.DeleteAccount, request)
        except NotSignedIn:
            if tokens is None:
                raise  # else the first of several tries has done it, and its answer was lost
        self._connection.tokens = None

    async def export_account(self) -> accounts_pb2.ExportAccountResponse:
        """All that the server knows of one's own account, all pages in one."""
        request = accounts_pb2.ExportAccountRequest(name="accounts/me", page_size=200)
        export = await self._connection.call(self._accounts.ExportAccount, request)
        while export.next_page_token:
            request.page_token = export.next_page_token
            page = await self._connection.call(self._accounts.ExportAccount, request)
            export.matches.extend(page.matches)
            export.next_page_token = page.next_page_token
        return export

    @property
    def access_token(self) -> str:
        """The access token in use, else the API key; empty where nobody is signed in. It lives for minutes."""
        return self._connection.access_token

    async def create_api_key(
        self, title: str, scopes: Sequence[Scope], *, expires: datetime | None = None, request_id: str | None = None
    ) -> keys_pb2.CreateApiKeyResponse:
        """Makes a key for programs. The `secret` of the answer is told once: keep it in a safe place.

        expires: None for a key that does not expire by itself; a time without a zone is in UTC. If the answer says
        `replayed` an earlier try had made the key and its answer, with the secret, was lost: delete it, make another.
        """
        key = keys_pb2.ApiKey(title=title, scopes=[_SCOPES[scope] for scope in scopes])
        if expires is not None:
            key.expire_time.FromDatetime(expires)
        request = keys_pb2.CreateApiKeyRequest(parent="accounts/me", api_key=key, request_id=request_id_of(request_id))
        return await self._connection.call(self._keys.CreateApiKey, request)

    async def api_keys(self, *, page_size: int = 0) -> AsyncGenerator[keys_pb2.ApiKey]:
        """One's own keys, those created last first; pages are fetched as they are needed."""
        request = keys_pb2.ListApiKeysRequest(parent="accounts/me", page_size=page_size)
        while True:
            answer = await self._connection.call(self._keys.ListApiKeys, request)
            for key in answer.api_keys:
                yield key
            if not answer.next_page_token:
                return
            request.page_token = answer.next_page_token

    async def api_key(self, key: KeyRef) -> keys_pb2.ApiKey:
        """A key as it is now."""
        return await self._connection.call(self._keys.GetApiKey, keys_pb2.GetApiKeyRequest(name=name_of(key)))

    async def update_api_key(
        self, key: KeyRef, *, title: str | None = None, expires: datetime | Literal["never"] | None = None,
        request_id: str | None = None,
    ) -> keys_pb2.ApiKey:  # fmt: skip
        """Changes the title of a key, or when it expires; what is None stays."""
        request = keys_pb2.UpdateApiKeyRequest(
            api_key=keys_pb2.ApiKey(name=name_of(key), title=title or ""), request_id=request_id_of(request_id)
        )
        if title is not None:
            request.update_mask.paths.append("title")
        if expires is not None:
            request.update_mask.paths.append("expire_time")
            if expires != "never":
                request.api_key.expire_time.FromDatetime(expires)
        return await self._connection.call(self._keys.UpdateApiKey, request)

    async def delete_api_key(self, key: KeyRef) -> None:
        """Deletes a key and all that were made with it: they are refused at once."""
        await self._connection.call(self._keys.DeleteApiKey, keys_pb2.DeleteApiKeyRequest(name=name_of(key)))
