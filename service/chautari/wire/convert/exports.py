"""The export of an account as messages."""

from collections.abc import Callable

from chautari.app.caller import Caller
from chautari.app.exports import Export
from chautari.app.providers import Provider
from chautari.v1 import accounts_pb2
from chautari.wire.convert.accounts import account_to_proto
from chautari.wire.convert.identities import identity_to_proto
from chautari.wire.convert.keys import key_to_proto
from chautari.wire.convert.matches import match_to_proto
from chautari.wire.convert.plain import account_name, fill_time


def export_to_proto(
    export: Export, caller: Caller, provider_of: Callable[[str], Provider | None]
) -> accounts_pb2.ExportAccountResponse:
    """A page of an export."""
    message = accounts_pb2.ExportAccountResponse(
        identities=[identity_to_proto(one, provider_of(one.issuer)) for one in export.identities],
        api_keys=map(key_to_proto, export.keys),
        matches=[match_to_proto(match, caller) for match in export.matches],
        next_page_token=export.next_page_token,
    )
    if export.account is not None:
        message.account.CopyFrom(account_to_proto(export.account, own=True))
    for sign_in in export.sign_ins:
        fill_time(message.sign_ins.add().refresh_expire_time, sign_in.expires_at)
    for closing in export.merged:
        merged = message.merged_accounts.add(name=account_name(closing.account_id))
        fill_time(merged.merge_time, closing.at)
    return message
