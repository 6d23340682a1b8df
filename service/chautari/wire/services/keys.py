"""API keys of one's account."""

from collections.abc import Awaitable

from google.protobuf.empty_pb2 import Empty

from chautari.app.caller import Caller
from chautari.app.keys import MadeKey
from chautari.app.noting import Operator
from chautari.app.scopes import Scope, with_included
from chautari.app.service import App
from chautari.v1 import keys_pb2
from chautari.wire.convert.keys import ids_of, key_changes_from_proto, key_to_proto, new_key_from_proto
from chautari.wire.convert.plain import id_of
from chautari.wire.methods import method
from chautari.wire.requests import request_key


class Keys:
    """The service `Keys`."""

    def __init__(self, app: App) -> None:
        self._keys = app.keys
        self._operating = app.operating

    @method(changes=True)
    async def create_api_key(
        self, caller: Caller, request: keys_pb2.CreateApiKeyRequest
    ) -> keys_pb2.CreateApiKeyResponse:
        """Makes a key."""
        key = request_key("CreateApiKey", request)
        new = new_key_from_proto(request.api_key)
        scopes = with_included(new.scopes)

        def make() -> Awaitable[MadeKey]:
            return self._keys.create(caller, id_of(request.parent), new, key)

        if Scope.OPERATE in scopes and Scope.OPERATE in caller.scopes:
            made = await self._operating.make_key(Operator.of(caller), scopes, new.title, make)
        else:
            made = await make()
        return keys_pb2.CreateApiKeyResponse(api_key=key_to_proto(made.key), secret=made.secret, replayed=made.replayed)

    async def get_api_key(self, caller: Caller, request: keys_pb2.GetApiKeyRequest) -> keys_pb2.ApiKey:
        """Gives a key."""
        return key_to_proto(await self._keys.get(caller, *ids_of(request.name)))

    async def list_api_keys(self, caller: Caller, request: keys_pb2.ListApiKeysRequest) -> keys_pb2.ListApiKeysResponse:
        """Lists the keys."""
        found, token = await self._keys.list_keys(caller, id_of(request.parent), request.page_size, request.page_token)
        return keys_pb2.ListApiKeysResponse(api_keys=map(key_to_proto, found), next_page_token=token)

    @method(changes=True)
    async def update_api_key(self, caller: Caller, request: keys_pb2.UpdateApiKeyRequest) -> keys_pb2.ApiKey:
        """Changes title or time of expiry."""
        title, expiry = key_changes_from_proto(request)
        account_id, key_id = ids_of(request.api_key.name)
        return key_to_proto(await self._keys.update(caller, account_id, key_id, title=title, expiry=expiry))

    @method(changes=True)
    async def delete_api_key(self, caller: Caller, request: keys_pb2.DeleteApiKeyRequest) -> Empty:
        """Deletes a key."""
        await self._keys.delete(caller, *ids_of(request.name))
        return Empty()
