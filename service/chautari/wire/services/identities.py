"""Identities of providers: signing in with them, and linking them to one's account."""

from google.protobuf.empty_pb2 import Empty

from chautari.app.caller import Caller
from chautari.app.service import App
from chautari.v1 import identities_pb2, linked_identity_pb2
from chautari.wire.convert.accounts import account_to_proto, tokens_to_proto
from chautari.wire.convert.identities import begun_to_proto, identity_to_proto, provider_to_proto
from chautari.wire.convert.keys import ids_of
from chautari.wire.convert.plain import id_of
from chautari.wire.languages import choose
from chautari.wire.methods import Needs, Quota, method


class Identities:
    """The service `Identities`."""

    def __init__(self, app: App) -> None:
        self._identities = app.identities

    @method(Needs.NOTHING)
    async def list_providers(
        self, caller: Caller, request: identities_pb2.ListProvidersRequest
    ) -> identities_pb2.ListProvidersResponse:
        """Lists the providers that are trusted."""
        del caller
        found, token = self._identities.list_providers(request.page_size, request.page_token)
        return identities_pb2.ListProvidersResponse(providers=map(provider_to_proto, found), next_page_token=token)

    @method(Needs.EITHER)
    async def begin_identity(
        self, caller: Caller, request: identities_pb2.BeginIdentityRequest
    ) -> identities_pb2.BeginIdentityResponse:
        """Begins an attempt."""
        return begun_to_proto(self._identities.begin(caller, id_of(request.provider)))

    @method(Needs.EITHER, quota=lambda _: Quota.TOKEN)
    async def sign_in_with_identity(
        self, caller: Caller, request: identities_pb2.SignInWithIdentityRequest
    ) -> identities_pb2.SignInWithIdentityResponse:
        """Signs in with an ID token."""
        language = request.language or choose(caller.language)
        signed_in = await self._identities.sign_in(
            caller, request.attempt, request.id_token, request.display_name, language
        )
        return identities_pb2.SignInWithIdentityResponse(
            account=account_to_proto(signed_in.account, own=True), tokens=tokens_to_proto(signed_in.tokens),
            created=signed_in.is_new,
        )  # fmt: skip

    @method(Needs.SIGN_IN, quota=lambda _: Quota.TOKEN)
    async def link_identity(
        self, caller: Caller, request: identities_pb2.LinkIdentityRequest
    ) -> linked_identity_pb2.LinkedIdentity:
        """Links an identity to the caller's account."""
        linked = await self._identities.link(caller, id_of(request.parent), request.attempt, request.id_token)
        return identity_to_proto(linked, self._identities.provider_of(linked.issuer))

    async def list_identities(
        self, caller: Caller, request: identities_pb2.ListIdentitiesRequest
    ) -> identities_pb2.ListIdentitiesResponse:
        """Lists what is linked to the caller's account."""
        found, token = await self._identities.list_identities(
            caller, id_of(request.parent), request.page_size, request.page_token
        )
        return identities_pb2.ListIdentitiesResponse(
            identities=[identity_to_proto(one, self._identities.provider_of(one.issuer)) for one in found],
            next_page_token=token,
        )

    @method(Needs.SIGN_IN)
    async def unlink_identity(self, caller: Caller, request: identities_pb2.UnlinkIdentityRequest) -> Empty:
        """Forgets an identity of the caller's account."""
        await self._identities.unlink(caller, *ids_of(request.name))
        return Empty()
