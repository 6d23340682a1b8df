"""API keys that are made at the console, with plain data in and out as of the method of the API."""

from collections.abc import Iterable
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from chautari.app import console_keys
from chautari.app.noting import Operator
from chautari.app.ports import Store
from chautari.app.scopes import read_scopes
from chautari.errors import Malformed
from chautari.v1 import keys_pb2
from chautari.wire.convert.keys import key_to_proto
from chautari.wire.convert.plain import read_time
from chautari.wire.operators import plain


async def create_key(
    store: Store, who: Operator, page_key: bytes, *, scopes: Iterable[str], title: str, account: str, name: str,
    expire_time: str, reason: str,
) -> dict[str, Any]:  # fmt: skip
    """Makes a key: `api_key` and `secret`. Those of `app.console_keys`; Malformed `SCOPE_UNKNOWN`, `EXPIRY_INVALID`."""
    expires_at = None
    if expire_time:
        moment = Timestamp()
        try:
            moment.FromJsonString(expire_time)
        except ValueError as error:
            raise Malformed("EXPIRY_INVALID", f"no moment: {error}", field="expire_time") from error
        expires_at = read_time(moment)
    made = await console_keys.create_key(
        store, who, page_key, scopes=read_scopes(" ".join(scopes)), title=title, account_id=account, name=name,
        expires_at=expires_at, reason=reason,
    )  # fmt: skip
    return plain(keys_pb2.CreateApiKeyResponse(api_key=key_to_proto(made.key), secret=made.secret))
