"""What a program without an event loop does with its own account."""

from collections.abc import AsyncGenerator, Coroutine, Iterator, Sequence
from datetime import datetime
from typing import Any, Literal, TypeVar

from chautari.v1 import accounts_pb2, identities_pb2, keys_pb2, linked_identity_pb2
from chautari_client.naming import IdentityRef, KeyRef, ProviderRef
from chautari_client.own_account import OwnAccount, Scope

T = TypeVar("T")


class SyncOwnAccount:
    """The part of `SyncClient` that looks after the caller's own account."""

    _client: OwnAccount

    def sign_in_as_guest(self, name: str = "") -> accounts_pb2.Account:
        """Makes a guest and signs in as it."""
        return self._run(self._client.sign_in_as_guest(name))

    def sign_in(self, refresh_token: str) -> accounts_pb2.Account:
        """Signs in again with a refresh token."""
        return self._run(self._client.sign_in(refresh_token))

    @property
    def refresh_token(self) -> str:
        """What to keep for `sign_in`."""
        return self._client.refresh_token

    def account(self, name: str = "accounts/me") -> accounts_pb2.Account:
        """An account."""
        return self._run(self._client.account(name))

    def update_account(
        self, *, display_name: str | None = None, language: str | None = None, request_id: str | None = None
    ) -> accounts_pb2.Account:
        """Changes one's own name or language."""
        return self._run(
            self._client.update_account(display_name=display_name, language=language, request_id=request_id)
        )

    def sign_out(self, *, everywhere: bool = False) -> None:
        """Ends this sign-in, or all of the account."""
        self._run(self._client.sign_out(everywhere=everywhere))

    def providers(self) -> list[identities_pb2.Provider]:
        """The identity providers at which one may sign in."""
        return self._run(self._client.providers())

    def begin_identity(self, provider: ProviderRef) -> identities_pb2.BeginIdentityResponse:
        """Begins to sign in or to link at a provider."""
        return self._run(self._client.begin_identity(provider))

    def sign_in_with_identity(
        self, attempt: str, id_token: str, *, name: str = ""
    ) -> identities_pb2.SignInWithIdentityResponse:
        """Signs in as the account that the identity is linked to, else as a new one."""
        return self._run(self._client.sign_in_with_identity(attempt, id_token, name=name))

    def link_identity(self, attempt: str, id_token: str) -> linked_identity_pb2.LinkedIdentity:
        """Links an identity to one's own account."""
        return self._run(self._client.link_identity(attempt, id_token))

    def identities(self, *, page_size: int = 0) -> Iterator[linked_identity_pb2.LinkedIdentity]:
        """What one's own account is linked to."""
        return self._iterate(self._client.identities(page_size=page_size))

    def unlink_identity(self, identity: IdentityRef) -> None:
        """Unlinks an identity."""
        self._run(self._client.unlink_identity(identity))

    def merge_account(self, other_access_token: str) -> accounts_pb2.Account:
        """Merges another account into one's own."""
        return self._run(self._client.merge_account(other_access_token))

    def delete_account(self) -> None:
        """Deletes one's own account for good."""
        self._run(self._client.delete_account())

    def export_account(self) -> accounts_pb2.ExportAccountResponse:
        """All that the server knows of one's own account."""
        return self._run(self._client.export_account())

    @property
    def access_token(self) -> str:
        """The access token in use, else the API key."""
        return self._client.access_token

    def create_api_key(
        self, title: str, scopes: Sequence[Scope], *, expires: datetime | None = None, request_id: str | None = None
    ) -> keys_pb2.CreateApiKeyResponse:
        """Makes a key for programs; its secret is told once."""
        return self._run(self._client.create_api_key(title, scopes, expires=expires, request_id=request_id))

    def api_keys(self, *, page_size: int = 0) -> Iterator[keys_pb2.ApiKey]:
        """One's own keys, those created last first."""
        return self._iterate(self._client.api_keys(page_size=page_size))

    def api_key(self, key: KeyRef) -> keys_pb2.ApiKey:
        """A key as it is now."""
        return self._run(self._client.api_key(key))

    def update_api_key(
        self, key: KeyRef, *, title: str | None = None, expires: datetime | Literal["never"] | None = None,
        request_id: str | None = None,
    ) -> keys_pb2.ApiKey:  # fmt: skip
        """Changes the title of a key, or when it expires."""
        return self._run(self._client.update_api_key(key, title=title, expires=expires, request_id=request_id))

    def delete_api_key(self, key: KeyRef) -> None:
        """Deletes a key and all that were made with it."""
        self._run(self._client.delete_api_key(key))

    def _run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        raise NotImplementedError

    def _iterate(self, items: AsyncGenerator[T]) -> Iterator[T]:
        raise NotImplementedError
