"""Every way in behind one face, so that a test can be run over each: gRPC, REST, Connect, gRPC-Web, and the streams.

REST is called as the protos bind it, from the descriptors and with the library's own JSON, so that the front is not
tested with itself.
"""

import gzip
import json
import re
from base64 import b64decode, b64encode, urlsafe_b64encode
from collections.abc import AsyncIterator, Iterable
from typing import Any, Final, Protocol
from urllib.parse import quote, urlencode

import grpc
from google.api import annotations_pb2
from google.protobuf import any_pb2, json_format
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.descriptor_pb2 import MethodOptions
from google.protobuf.message import Message
from google.rpc import code_pb2, error_details_pb2
from google.rpc.status_pb2 import Status

from chautari.wire.methods import descriptors
from tests.wire.over_http import Answer, Http, framed, read_frames, status_of, trailers
from tests.wire.served import RESPONSES, Caller, Refused, Served

METHODS: Final[dict[str, MethodDescriptor]] = {
    f"{service.name}/{rpc.name}": rpc for service in descriptors() for rpc in service.methods
}
_DETAILS: Final = {f"google.rpc.{kind}" for kind in error_details_pb2.DESCRIPTOR.message_types_by_name}
_CONNECT: Final = {name.lower().replace("cancelled", "canceled"): number for name, number in code_pb2.Code.items()}


class Failure(Exception):
    """A call was refused. status: as it would be over gRPC; http: the status of HTTP, where it was an answer's."""

    def __init__(self, status: Status, http: int = 0) -> None:
        super().__init__(f"{code_pb2.Code.Name(status.code)}: {status.message}")
        self.status = status
        self.http = http
        [info] = [detail for detail in status.details if detail.TypeName() == "google.rpc.ErrorInfo"]
        self.info = error_details_pb2.ErrorInfo.FromString(info.value)
        self.reason = self.info.reason


class Transport(Protocol):
    """One way in."""

    name: str

    async def call(self, method: str, request: Message) -> Any:
        """Calls `Play/View` and the like; Failure where it is refused."""

    def stream(self, method: str, request: Message) -> AsyncIterator[Any]:
        """Reads a stream to its end; Failure where it is refused or does not end well."""

    async def close(self) -> None:
        """Hangs up."""


class OverGrpc:
    """gRPC itself."""

    name = "grpc"

    def __init__(self, served: Served, token: str) -> None:
        self._caller: Caller = served.caller()
        self._caller.token = token

    async def call(self, method: str, request: Message) -> Any:
        """Calls a method."""
        try:
            return await self._caller.call(method, request)
        except grpc.aio.AioRpcError as error:
            raise Failure(Refused.of(error).status) from None

    async def stream(self, method: str, request: Message) -> AsyncIterator[Any]:
        """Reads a stream."""
        call = self._caller.stream(method, request)
        try:
            async for message in call:
                yield message
        except grpc.aio.AioRpcError as error:
            raise Failure(Refused.of(error).status) from None
        finally:
            call.cancel()

    async def close(self) -> None:
        """Hangs up."""
        await self._caller.channel.close()


class _OverHttp:
    """What the ways over HTTP share: a connection for calls, and one for each stream."""

    name = ""

    def __init__(self, served: Served, token: str) -> None:
        self.served = served
        self.http: Http = served.over_http(token)

    def another(self) -> Http:
        """A connection for a stream."""
        return self.served.over_http(self.http.token)

    async def close(self) -> None:
        """Hangs up."""
        await self.http.close()


class OverConnect(_OverHttp):
    """The Connect protocol, with messages in binary form or JSON."""

    def __init__(self, served: Served, token: str, codec: str) -> None:
        super().__init__(served, token)
        self.name = f"connect-{codec}"
        self._codec = codec

    async def call(self, method: str, request: Message) -> Any:
        """Calls a method."""
        answer = await self.http.ask(
            "POST", f"/chautari.v1.{method}", self._encode(request), content_type=f"application/{self._codec}",
            connect_protocol_version="1",
        )  # fmt: skip
        return self._answered(method, answer)

    def _answered(self, method: str, answer: Answer) -> Any:
        if answer.status != 200:
            assert answer.headers["content-type"] == "application/json"
            raise _connect_failure(answer.json, answer.status)
        assert answer.headers["content-type"] == f"application/{self._codec}"
        return self._decode(method, answer.body)

    async def stream(self, method: str, request: Message) -> AsyncIterator[Any]:
        """Reads a stream."""
        http = self.another()
        kind = f"application/connect+{self._codec}"
        await http.send("POST", f"/chautari.v1.{method}", framed(self._encode(request)), content_type=kind)
        try:
            begun = await http.begin()
            assert (begun.status, begun.headers["content-type"]) == (200, kind)
            async for flags, message in read_frames(http.parts()):
                if flags == 2:
                    end = json.loads(message)
                    if "error" in end:
                        raise _connect_failure(end["error"])
                    return
                yield self._decode(method, message)
            raise AssertionError("a stream of the Connect protocol ends with a message that says how")
        finally:
            await http.close()

    def _encode(self, request: Message) -> bytes:
        if self._codec == "proto":
            return request.SerializeToString()
        return json_format.MessageToJson(request).encode()

    def _decode(self, method: str, raw: bytes) -> Any:
        if self._codec == "proto":
            return RESPONSES[method].FromString(raw)
        return json_format.Parse(raw, RESPONSES[method]())


class OverConnectGet(OverConnect):
    """The Connect protocol, by GET where the method has no side effects: JSON as it is, the binary form packed."""

    def __init__(self, served: Served, token: str, codec: str) -> None:
        super().__init__(served, token, codec)
        self.name = f"connect-get-{codec}"

    async def call(self, method: str, request: Message) -> Any:
        """Calls a method."""
        if METHODS[method].GetOptions().idempotency_level != MethodOptions.NO_SIDE_EFFECTS:
            return await super().call(method, request)
        return self._answered(method, await self.http.ask("GET", f"/chautari.v1.{method}?{self._query(request)}"))

    def _query(self, request: Message) -> str:
        raw = self._encode(request)
        if self._codec == "json":
            return urlencode({"connect": "v1", "encoding": "json", "message": raw})
        message = urlsafe_b64encode(gzip.compress(raw)).rstrip(b"=")
        return urlencode(
            {"connect": "v1", "base64": "1", "compression": "gzip", "encoding": "proto", "message": message}
        )


class OverGrpcWeb(_OverHttp):
    """gRPC-Web, in binary form or as text."""

    def __init__(self, served: Served, token: str, *, text: bool) -> None:
        super().__init__(served, token)
        self.name = "grpc-web-text" if text else "grpc-web"
        self._kind = f"application/{self.name}+proto"
        self._text = text

    async def call(self, method: str, request: Message) -> Any:
        """Calls a method."""
        [answer] = [message async for message in self._messages(self.http, method, request)]
        return answer

    async def stream(self, method: str, request: Message) -> AsyncIterator[Any]:
        """Reads a stream."""
        http = self.another()
        try:
            async for message in self._messages(http, method, request):
                yield message
        finally:
            await http.close()

    async def _messages(self, http: Http, method: str, request: Message) -> AsyncIterator[Any]:
        body = framed(request)
        await http.send(
            "POST", f"/chautari.v1.{method}", b64encode(body) if self._text else body, content_type=self._kind
        )
        begun = await http.begin()
        assert (begun.status, begun.headers["content-type"]) == (200, self._kind)
        found: dict[str, str] | None = None
        async for flags, message in read_frames(http.parts(), text=self._text):
            assert found is None, "nothing comes behind the trailers"
            if flags == 0x80:
                found = trailers(message)
            else:
                yield RESPONSES[method].FromString(message)
        assert found is not None
        if found["grpc-status"] != "0":
            status = status_of(found)
            assert str(status.code) == found["grpc-status"]
            raise Failure(status)


class OverRest(_OverHttp):
    """REST; streams as server-sent events or as lines of JSON."""

    def __init__(self, served: Served, token: str, *, events: bool) -> None:
        super().__init__(served, token)
        self.name = "rest-events" if events else "rest-lines"
        self._events = events

    async def call(self, method: str, request: Message) -> Any:
        """Calls a method."""
        http_method, path, body = _bound(method, request)
        answer = await self.http.rest(http_method, path, body)
        if answer.status != 200:
            raise _problem(answer.json, answer)
        return json_format.Parse(answer.body, RESPONSES[method]())

    async def stream(self, method: str, request: Message) -> AsyncIterator[Any]:
        """Reads a stream."""
        http = self.another()
        _, path, _ = _bound(method, request)
        await http.send("GET", path, accept="text/event-stream" if self._events else "application/x-ndjson")
        try:
            begun = await http.begin()
            if begun.status != 200:
                body = await (await http.open())[0].readexactly(int(begun.headers["content-length"]))
                raise _problem(json.loads(body), begun)
            left, end = b"", b"\n\n" if self._events else b"\n"
            async for part in http.parts():
                whole, mark, left = (left + part).rpartition(end)
                for message in self._read((whole + mark).decode()):
                    if "problem" in message:
                        raise _problem(message["problem"])
                    yield json_format.ParseDict(message, RESPONSES[method]())
            assert not left, "the last event or line is cut"
        finally:
            await http.close()

    def _read(self, part: str) -> Iterable[dict[str, Any]]:
        if not self._events:
            yield from (json.loads(line) for line in part.split("\n") if line)
            return
        for event in part.split("\n\n"):
            fields = dict(line.split(": ", 1) for line in event.split("\n") if line)
            if "data" in fields:
                data = json.loads(fields["data"])
                assert fields.get("id", "").partition("-")[0] in ("", str(data.get("revision")))
                assert (fields.get("event") == "end") == ("end" in data)
                yield {"problem": data} if fields.get("event") == "problem" else data


def every_way(served: Served, token: str) -> list[Transport]:
    """All of them, gRPC first."""
    return [
        OverGrpc(served, token),
        OverConnect(served, token, "proto"),
        OverConnect(served, token, "json"),
        OverConnectGet(served, token, "proto"),
        OverConnectGet(served, token, "json"),
        OverGrpcWeb(served, token, text=False),
        OverGrpcWeb(served, token, text=True),
        OverRest(served, token, events=True),
        OverRest(served, token, events=False),
    ]


def _bound(method: str, request: Message) -> tuple[str, str, Any]:
    """HTTP method, path with query, and body of a call, by the first binding that the request fills."""
    options: Any = METHODS[method].GetOptions()
    rule = options.Extensions[annotations_pb2.http]
    plain = json_format.MessageToDict(request, preserving_proto_field_name=True)
    for one in (rule, *rule.additional_bindings):
        verb = one.WhichOneof("pattern")
        template = getattr(one, verb)
        names = re.findall(r"\{([\w.]+)=?[^}]*\}", template)
        if all(_get(plain, name) for name in names):
            break
    else:
        names = re.findall(r"\{([\w.]+)=?[^}]*\}", template)
    rest = json.loads(json.dumps(plain))
    path = template
    for name in names:
        value = _get(plain, name) or "matches/-"
        path = re.sub(r"\{" + re.escape(name) + r"=?[^}]*\}", quote(value, safe="/%").replace("\\", "\\\\"), path)
        _drop(rest, name)
    if one.body == "*":
        return verb.upper(), path, rest
    body = rest.pop(one.body, {}) if one.body else None
    query = urlencode(_flat(rest), doseq=True)
    return verb.upper(), f"{path}?{query}" if query else path, body


def _get(data: dict[str, Any], path: str) -> Any:
    value: Any = data
    for part in path.split("."):
        value = value.get(part, {})
    return value


def _drop(data: dict[str, Any], path: str) -> None:
    *parents, last = path.split(".")
    for parent in parents:
        data = data.get(parent, {})
    data.pop(last, None)


def _flat(data: dict[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name, value in data.items():
        if isinstance(value, dict):
            found += _flat(value, f"{prefix}{name}.")
        else:
            found.append((prefix + name, str(value).lower() if isinstance(value, bool) else value))
    return found


def _connect_failure(error: dict[str, Any], http: int = 0) -> Failure:
    status = Status(code=_CONNECT[error["code"]], message=error["message"])
    for detail in error["details"]:
        assert detail["type"] in _DETAILS
        value = b64decode(detail["value"] + "=" * (-len(detail["value"]) % 4))
        status.details.append(any_pb2.Any(type_url=f"type.googleapis.com/{detail['type']}", value=value))
    return Failure(status, http)


def _problem(data: dict[str, Any], answer: Answer | None = None) -> Failure:
    if answer is not None:
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.status == data["status"]
    assert data["type"] == f"/errors/{data['reason']}"
    status = Status(code=code_pb2.Code.Value(data["code"]), message=data["detail"])
    for detail in data["details"]:
        json_format.ParseDict(detail, status.details.add())
    return Failure(status, answer.status if answer else 0)
