"""Accounts: guests, their tokens and their names."""

from google.protobuf.empty_pb2 import Empty

from chautari.app.accounts import Tokens
from chautari.app.caller import Caller
from chautari.app.service import App
from chautari.v1 import accounts_pb2
from chautari.wire.convert.accounts import account_to_proto, changes_from_proto, tokens_to_proto
from chautari.wire.convert.exports import export_to_proto
from chautari.wire.convert.plain import id_of
from chautari.wire.languages import choose
from chautari.wire.methods import Needs, Quota, method


class Accounts:
    """The service `Accounts`."""

    def __init__(self, app: App) -> None:
        self._accounts = app.accounts
        self._closings = app.closings
        self._exports = app.exports
        self._identities = app.identities

    @method(Needs.NOTHING, quota=lambda _: Quota.GUEST)
    async def create_guest(
        self, caller: Caller, request: accounts_pb2.CreateGuestRequest
    ) -> accounts_pb2.CreateGuestResponse:
        """Makes a guest and signs it in."""
        language = request.language or choose(caller.language)
        signed_in = await self._accounts.create_guest(request.display_name, language)
        return accounts_pb2.CreateGuestResponse(
            account=account_to_proto(signed_in.account, own=True), tokens=tokens_to_proto(signed_in.tokens)
        )

    @method(Needs.NOTHING, quota=lambda _: Quota.TOKEN)
    async def refresh_token(
        self, caller: Caller, request: accounts_pb2.RefreshTokenRequest
    ) -> accounts_pb2.RefreshTokenResponse:
        """Exchanges a refresh token for a new pair."""
        del caller
        tokens: Tokens = await self._accounts.refresh(request.refresh_token)
        return accounts_pb2.RefreshTokenResponse(tokens=tokens_to_proto(tokens))

    async def get_account(self, caller: Caller, request: accounts_pb2.GetAccountRequest) -> accounts_pb2.Account:
        """Gives an account; of others only what everybody may know."""
        account = await self._accounts.get(caller, id_of(request.name))
        return account_to_proto(account, own=account.id == caller.account)

    async def update_account(self, caller: Caller, request: accounts_pb2.UpdateAccountRequest) -> accounts_pb2.Account:
        """Changes the caller's own account."""
        display_name, language = changes_from_proto(request)
        account_id = id_of(request.account.name) or "me"
        return account_to_proto(await self._accounts.update(caller, account_id, display_name, language), own=True)

    @method(Needs.SIGN_IN, quota=lambda _: Quota.TOKEN)
    async def merge_accounts(self, caller: Caller, request: accounts_pb2.MergeAccountsRequest) -> accounts_pb2.Account:
        """Merges another account into the caller's."""
        account = await self._closings.merge(caller, id_of(request.name), request.other_access_token)
        return account_to_proto(account, own=True)

    @method(Needs.SIGN_IN)
    async def delete_account(self, caller: Caller, request: accounts_pb2.DeleteAccountRequest) -> Empty:
        """Deletes the caller's account."""
        await self._closings.delete(caller, id_of(request.name))
        return Empty()

    @method(Needs.SIGN_IN)
    async def export_account(
        self, caller: Caller, request: accounts_pb2.ExportAccountRequest
    ) -> accounts_pb2.ExportAccountResponse:
        """Gives all that is known of the caller's account."""
        export = await self._exports.export(caller, id_of(request.name), request.page_size, request.page_token)
        return export_to_proto(export, caller, self._identities.provider_of)

    @method(Needs.EITHER, quota=lambda _: Quota.TOKEN)
    async def sign_out(self, caller: Caller, request: accounts_pb2.SignOutRequest) -> accounts_pb2.SignOutResponse:
        """Ends a sign-in."""
        await self._accounts.sign_out(caller, request.refresh_token, request.everywhere)
        return accounts_pb2.SignOutResponse()
