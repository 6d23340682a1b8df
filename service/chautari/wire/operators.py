"""What the commands of operators call: each method of `Operate` by its name, with plain data in and out.

The same over a connection to a server, and at the console, where the service's own functions are called.
"""

import time
from collections.abc import Mapping
from typing import Any, Final
from uuid import uuid4

import grpc
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.json_format import ParseError as NotParsed
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from chautari.app.caller import Caller
from chautari.errors import ChautariError, Malformed, Unavailable
from chautari.v1 import keys_pb2, operate_pb2
from chautari.wire.errors import CODES
from chautari.wire.methods import function_name
from chautari.wire.services.operate import Operate
from chautari.wire.validation import check_rules

_TRIES: Final = 4
_FIRST_WAIT_SECONDS: Final = 0.2
_CALL_SECONDS: Final = 20.0
_LARGEST: Final = 64 * 1024 * 1024
_RPCS: Final = operate_pb2.DESCRIPTOR.services_by_name["Operate"].methods_by_name


class Refused(ChautariError):
    """What a server refused, with its reason."""


def request_of(method: str, fields: Mapping[str, Any]) -> Any:
    """The request of a method of `Operate`, with an id of its own where it takes one; Malformed `REQUEST_INVALID`."""
    kind: type[Message] = GetMessageClass(_RPCS[method].input_type)
    try:
        request = ParseDict(dict(fields), kind())
    except NotParsed as error:
        raise Malformed("REQUEST_INVALID", f"this cannot be asked: {error}") from error
    check_rules(request)
    if "request_id" in kind.DESCRIPTOR.fields_by_name:
        request.request_id = str(uuid4())  # type: ignore[attr-defined]
    return request


def plain(message: Message) -> dict[str, Any]:
    """A message as plain data, with the names of its proto."""
    return MessageToDict(message, preserving_proto_field_name=True)


class Here:
    """Operators' methods at the console."""

    def __init__(self, service: Operate) -> None:
        self._service = service

    async def call(self, method: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Calls a method by its name, such as `BanAccount`; raises what the service refuses."""
        function = getattr(self._service, function_name(method))
        return plain(await function(Caller(None), request_of(method, fields)))


class There:
    """Operators' methods at a server. tls: whether it speaks TLS; key: an API key with the scope `operate`."""

    def __init__(self, server: str, key: str, *, tls: bool) -> None:
        options = [("grpc.max_receive_message_length", _LARGEST)]
        if tls:
            self._channel = grpc.secure_channel(server, grpc.ssl_channel_credentials(), options=options)
        else:
            self._channel = grpc.insecure_channel(server, options=options)
        self._headers = (("authorization", f"Bearer {key}"),)

    def close(self) -> None:
        """Ends the connection."""
        self._channel.close()

    def call(self, method: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Calls a method by its name; raises what the server refuses, Unavailable where it does not answer."""
        answer: type[Message] = GetMessageClass(_RPCS[method].output_type)
        return plain(self._send(f"/chautari.v1.Operate/{method}", request_of(method, fields), answer))

    def create_key(self, scopes: list[str], title: str, expire_time: str) -> dict[str, Any]:
        """Makes a key of the same account, with scopes that this key has itself."""
        fields: dict[str, Any] = {"title": title, "scopes": [f"SCOPE_{scope.upper()}" for scope in scopes]}
        if expire_time:
            fields["expire_time"] = expire_time
        request = ParseDict(
            {"parent": "accounts/me", "api_key": fields, "request_id": str(uuid4())}, keys_pb2.CreateApiKeyRequest()
        )
        return plain(self._send("/chautari.v1.Keys/CreateApiKey", request, keys_pb2.CreateApiKeyResponse))

    def _send(self, path: str, request: Message, answer: type[Message]) -> Message:
        """Sends a request that may be repeated: it carries an id, or changes nothing."""
        send = self._channel.unary_unary(
            path, request_serializer=type(request).SerializeToString, response_deserializer=answer.FromString
        )
        wait = _FIRST_WAIT_SECONDS
        for left in reversed(range(_TRIES)):
            try:
                reply: Message = send(request, metadata=self._headers, timeout=_CALL_SECONDS)
            except grpc.RpcError as error:
                refused = _refusal(error)
                if not left or not isinstance(refused, Unavailable):
                    raise refused from None
                time.sleep(wait)
                wait *= 2
            else:
                return reply
        raise AssertionError("the last try returns or raises")


def _refusal(error: Any) -> ChautariError:
    """One of our exceptions, as the server raised it."""
    found = dict(error.trailing_metadata() or ())
    status = Status.FromString(found.get("grpc-status-details-bin", b""))
    for detail in status.details:
        info = ErrorInfo()
        if detail.Unpack(info):
            kind = next((kind for kind, code in CODES if code == status.code), None)
            if kind is not None and kind is not Unavailable:
                return Refused(info.reason, f"{status.message} ({info.reason})", **dict(info.metadata))
            break
    return Unavailable("STORAGE_AWAY", f"the server does not answer ({error.code().name}): {error.details()}")
