"""API keys between messages and values."""

from typing import Final

from chautari.app.account_values import ApiKey
from chautari.app.keys import NewKey
from chautari.app.scopes import Scope
from chautari.app.values import Micros
from chautari.v1 import keys_pb2
from chautari.wire.convert.masks import changed_fields
from chautari.wire.convert.plain import fill_time, read_time

SCOPES: Final = {
    Scope.READ: keys_pb2.SCOPE_READ,
    Scope.PLAY: keys_pb2.SCOPE_PLAY,
    Scope.BOT: keys_pb2.SCOPE_BOT,
    Scope.ORGANISE: keys_pb2.SCOPE_ORGANISE,
    Scope.OPERATE: keys_pb2.SCOPE_OPERATE,
    Scope.REVEAL: keys_pb2.SCOPE_REVEAL,
}
_SCOPES_BACK: Final = {number: scope for scope, number in SCOPES.items()}
_CHANGEABLE: Final = ("title", "expire_time")


def key_to_proto(key: ApiKey) -> keys_pb2.ApiKey:
    """A key, without its secret."""
    message = keys_pb2.ApiKey(
        name=_key_name(key.account_id, key.id), title=key.title, made_by=_key_name(key.account_id, key.made_by),
        scopes=[number for scope, number in SCOPES.items() if scope in key.scopes],
    )  # fmt: skip
    fill_time(message.create_time, key.created_at)
    if key.expires_at is not None:
        fill_time(message.expire_time, key.expires_at)
    if key.last_used_at is not None:
        fill_time(message.last_used_time, key.last_used_at)
    return message


def new_key_from_proto(message: keys_pb2.ApiKey) -> NewKey:
    """What a key is to be."""
    return NewKey(message.title, frozenset(_SCOPES_BACK[number] for number in message.scopes), _expiry(message))


def key_changes_from_proto(request: keys_pb2.UpdateApiKeyRequest) -> tuple[str | None, tuple[Micros | None] | None]:
    """The new title, and the new time of expiry in a tuple, None where one is to stay.

    Violation where the mask names another field.
    """
    key = request.api_key
    is_set = {"title": bool(key.title), "expire_time": key.HasField("expire_time")}
    changed = changed_fields(request.update_mask.paths, _CHANGEABLE, is_set.__getitem__)
    return (key.title if "title" in changed else None, (_expiry(key),) if "expire_time" in changed else None)


def ids_of(name: str) -> tuple[str, str]:
    """Account and key of `accounts/{account}/keys/{key}`."""
    _, account_id, _, key_id = name.split("/")
    return account_id, key_id


def _expiry(message: keys_pb2.ApiKey) -> Micros | None:
    return read_time(message.expire_time) if message.HasField("expire_time") else None


def _key_name(account_id: str, key_id: str | None) -> str:
    return f"accounts/{account_id}/keys/{key_id}" if key_id else ""
