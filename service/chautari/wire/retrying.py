"""When a call may be made again: the retry policy of the API, as service configs that gRPC's clients understand.

`python -m chautari.wire.retrying FOLDER` writes both documents; those in `protos/` are the published ones.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from google.api import annotations_pb2
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor

from chautari.wire.methods import descriptors

SAFE: Final = "service_config.json"
WITH_REQUEST_ID: Final = "service_config_with_request_id.json"
"""The documents: for everybody, and for who gives each call that takes one a `request_id`."""

_READS: Final = frozenset({"FindMatch", "FindAccounts", "FindMatches", "InspectMatch"})
"""They read only, and are bound to POST since what they ask with belongs into no address."""
_IDEMPOTENT: Final = frozenset({"LinkIdentity", "MergeAccounts", "RefreshToken", "SignOut"})
"""Changes that may be repeated without a `request_id`, beside those bound to DELETE."""
_POLICY: Final = {
    "maxAttempts": 4,
    "initialBackoff": "0.1s",
    "maxBackoff": "2s",
    "backoffMultiplier": 4,
    "retryableStatusCodes": ["UNAVAILABLE"],
}


def service_config(*, with_request_id: bool) -> dict[str, Any]:
    """The policy for each method that may be made again where nobody answered."""
    names = [
        {"service": service.full_name, "method": rpc.name}
        for service, rpc in _methods()
        if may_be_repeated(rpc) or (with_request_id and takes_request_id(rpc))
    ]
    return {"methodConfig": [{"name": names, "retryPolicy": _POLICY}]}


def may_be_repeated(rpc: MethodDescriptor) -> bool:
    """Whether a call has the same effect if it is made twice, whatever is in it."""
    return _http_verb(rpc) in ("get", "delete") or rpc.name in _READS | _IDEMPOTENT


def takes_request_id(rpc: MethodDescriptor) -> bool:
    """Whether a call has the same effect if it is made twice with one `request_id`."""
    return "request_id" in rpc.input_type.fields_by_name


def documents() -> dict[str, str]:
    """Both documents by their file names."""
    return {
        SAFE: _written(service_config(with_request_id=False)),
        WITH_REQUEST_ID: _written(service_config(with_request_id=True)),
    }


def _written(config: dict[str, Any]) -> str:
    """A document with a line for each method."""
    [one] = config["methodConfig"]
    names = ",\n".join(f"        {json.dumps(name)}" for name in one["name"])
    return (
        f'{{\n  "methodConfig": [\n    {{\n      "name": [\n{names}\n      ],\n'
        f'      "retryPolicy": {json.dumps(one["retryPolicy"])}\n    }}\n  ]\n}}\n'
    )


def _methods() -> Iterator[tuple[ServiceDescriptor, MethodDescriptor]]:
    for service in descriptors():
        for rpc in service.methods:
            yield service, rpc


def _http_verb(rpc: MethodDescriptor) -> str | None:
    options: Any = rpc.GetOptions()
    verb: str | None = options.Extensions[annotations_pb2.http].WhichOneof("pattern")
    return verb


if __name__ == "__main__":
    for name, text in documents().items():
        Path(sys.argv[1], name).write_text(text)
