"""What a `request_id` stands for: the id, and a digest of everything else that the call asked for."""

from hashlib import sha256
from typing import Any

from chautari.app.values import RequestKey


def request_key(method: str, request: Any) -> RequestKey | None:
    """The key of a request that carries an id; None where it carries none. The id is taken out of the message."""
    if not request.request_id:
        return None
    request_id = bytes.fromhex(request.request_id.replace("-", ""))
    request.request_id = ""
    return RequestKey(request_id, sha256(method.encode() + request.SerializeToString(deterministic=True)).digest())
