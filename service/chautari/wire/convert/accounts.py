"""Accounts and their tokens between messages and values."""

from typing import Final

from chautari.app.account_values import Account, AccountKind
from chautari.app.accounts import Tokens
from chautari.v1 import accounts_pb2
from chautari.wire.convert.masks import changed_fields
from chautari.wire.convert.plain import account_name, fill_time

_KINDS: Final = {
    AccountKind.GUEST: accounts_pb2.ACCOUNT_KIND_GUEST,
    AccountKind.LINKED: accounts_pb2.ACCOUNT_KIND_LINKED,
    AccountKind.DELETED: accounts_pb2.ACCOUNT_KIND_DELETED,
    AccountKind.MERGED: accounts_pb2.ACCOUNT_KIND_MERGED,
}
_CHANGEABLE: Final = ("display_name", "language")


def account_to_proto(account: Account, *, own: bool) -> accounts_pb2.Account:
    """An account: to itself, or what others may know."""
    message = accounts_pb2.Account(
        name=account_name(account.id), kind=_KINDS[account.kind], display_name=account.display_name
    )
    if own:
        message.language = account.language
        fill_time(message.create_time, account.created_at)
    return message


def tokens_to_proto(tokens: Tokens) -> accounts_pb2.Tokens:
    """A pair of tokens."""
    message = accounts_pb2.Tokens(access_token=tokens.access, refresh_token=tokens.refresh)
    fill_time(message.access_expire_time, tokens.access_expires_at)
    fill_time(message.refresh_expire_time, tokens.refresh_expires_at)
    return message


def changes_from_proto(request: accounts_pb2.UpdateAccountRequest) -> tuple[str | None, str | None]:
    """The new display name and language, None where one is to stay; Violation where the mask names another field."""
    account = request.account
    changed = changed_fields(request.update_mask.paths, _CHANGEABLE, lambda name: bool(getattr(account, name)))
    return (
        account.display_name if "display_name" in changed else None,
        account.language if "language" in changed else None,
    )
