"""The service in this process, over a store in memory and a real socket, and a caller who sees each status."""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import grpc
import pytest
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.struct_pb2 import Struct
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, LocalizedMessage, RetryInfo
from google.rpc.status_pb2 import Status
from prometheus_client import CollectorRegistry

from chautari.app.service import App
from chautari.app.values import SECOND
from chautari.config import Config
from chautari.running import running
from chautari.v1 import accounts_pb2, match_pb2, matches_pb2, play_pb2
from chautari.wire.methods import descriptors
from tests.wire.over_http import Http
from tests.wire.told import untold

Code = grpc.StatusCode
RESPONSES: Final[dict[str, type[Message]]] = {
    f"{service.name}/{rpc.name}": GetMessageClass(rpc.output_type)
    for service in descriptors()
    for rpc in service.methods
}
"""The answer of each method, by the name of service and method."""
CREATE: Final[dict[str, Any]] = {"game": "games/gulam_chor", "seats": [0, 1, 2, 3], "settings": {"players": 4}}
"""What REST asks for a match that begins at once, of one account on all seats."""
_DETAILS: Final = (ErrorInfo, BadRequest, RetryInfo, LocalizedMessage)


@dataclass
class Refused:
    """A status and its details, as a caller sees them."""

    code: grpc.StatusCode
    message: str
    status: Status
    details: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, error: grpc.aio.AioRpcError) -> "Refused":
        """What came with an error of grpc."""
        found = dict(error.trailing_metadata() or ())
        status = Status.FromString(found["grpc-status-details-bin"])
        assert status.code == error.code().value[0]
        assert status.message == error.details()
        refused = cls(error.code(), str(error.details()), status)
        for detail in status.details:
            for kind in _DETAILS:
                if detail.TypeName() == kind.DESCRIPTOR.full_name:
                    message = kind()
                    detail.Unpack(message)
                    assert kind.__name__ not in refused.details, "each kind of detail comes once"
                    refused.details[kind.__name__] = message
        assert refused.info.domain == "chautari"
        return refused

    @property
    def info(self) -> ErrorInfo:
        """The ErrorInfo that each error has."""
        info: ErrorInfo = self.details["ErrorInfo"]
        return info

    @property
    def reason(self) -> str:
        """Its reason."""
        return self.info.reason

    @property
    def fields(self) -> dict[str, str]:
        """The fields of its BadRequest."""
        bad = self.details.get("BadRequest", BadRequest())
        return {violation.field: violation.description for violation in bad.field_violations}

    @property
    def wait(self) -> float | None:
        """The seconds of its RetryInfo, None where it has none."""
        retry = self.details.get("RetryInfo")
        return None if retry is None else retry.retry_delay.ToMilliseconds() / 1000


class Caller:
    """A connection and, once signed in, a token."""

    def __init__(self, address: str, options: tuple[tuple[str, Any], ...] = (), root: bytes | None = None) -> None:
        self.address = address
        options = (("grpc.use_local_subchannel_pool", 1), *options)
        if root is None:
            self.channel = grpc.aio.insecure_channel(address, options=options)
        else:
            self.channel = grpc.aio.secure_channel(address, grpc.ssl_channel_credentials(root), options=options)
        self.token = ""
        self.account = ""
        self.headers: dict[str, str] = {}

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """The headers of each call."""
        token = (("authorization", f"Bearer {self.token}"),) if self.token else ()
        return (*token, *self.headers.items())

    async def sign_in(self, name: str = "Sita") -> None:
        """Becomes a guest."""
        answer = await self.call("Accounts/CreateGuest", accounts_pb2.CreateGuestRequest(display_name=name))
        self.token, self.account = answer.tokens.access_token, answer.account.name

    async def call(self, method: str, request: Message, seconds: float = 30.0) -> Any:
        """Calls `Play/View` and the like."""
        return RESPONSES[method].FromString(
            await self.send(f"/chautari.v1.{method}", request.SerializeToString(), seconds)
        )

    async def send(self, path: str, body: bytes, seconds: float = 30.0) -> bytes:
        """Sends any bytes to any path."""
        call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = self.channel.unary_unary(path)
        return await call(body, metadata=self.metadata, timeout=seconds)

    async def refused(self, method: str, request: Message | bytes, seconds: float = 30.0) -> Refused:
        """The refusal that a call must get."""
        body = request if isinstance(request, bytes) else request.SerializeToString()
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await self.send(f"/chautari.v1.{method}", body, seconds)
        return Refused.of(caught.value)

    def stream(self, method: str, request: Message) -> Any:
        """Opens a stream; `read` gives its messages."""
        call: grpc.aio.UnaryStreamMultiCallable[bytes, Any] = self.channel.unary_stream(
            f"/chautari.v1.{method}", response_deserializer=RESPONSES[method].FromString
        )
        return call(request.SerializeToString(), metadata=self.metadata)

    async def create(self, game: str, seats: tuple[int, ...] = (), **settings: object) -> match_pb2.Match:
        """A new match."""
        request = matches_pb2.CreateMatchRequest(game=f"games/{game}", settings=struct(settings), seats=seats)
        match: match_pb2.Match = await self.call("Matches/CreateMatch", request)
        return match

    def watch(self, match: str, **fields: Any) -> Any:
        """Watches a match."""
        return self.stream("Play/Watch", play_pb2.WatchRequest(match=match, **fields))


def struct(values: dict[str, Any]) -> Struct:
    """Plain values as a Struct."""
    message = Struct()
    message.update(values)
    return message


@dataclass
class Served:
    """A service that runs, and those who call it. root: the certificate to trust, where it is called with TLS."""

    address: str
    app: App
    http: str = ""
    root: bytes | None = None
    callers: list[Caller] = field(default_factory=list)
    web: list[Http] = field(default_factory=list)
    figures: CollectorRegistry = field(default_factory=CollectorRegistry)

    def count(self, path: str, outcome: str) -> float:
        """How many calls of a method ended so."""
        return self.figures.get_sample_value("chautari_calls_total", {"method": path, "outcome": outcome}) or 0.0

    def caller(self, *options: tuple[str, Any]) -> Caller:
        """Another connection."""
        self.callers.append(Caller(self.address, options, self.root))
        return self.callers[-1]

    def is_watched(self, match: str) -> bool:
        """Whether a stream of this match is open."""
        return self.app.watching._feeds.find(match.removeprefix("matches/")) is not None

    def over_http(self, token: str = "") -> Http:
        """Another connection to the HTTP front."""
        tls = None if self.root is None else ssl.create_default_context(cadata=self.root.decode())
        self.web.append(Http(self.http, token, tls))
        return self.web[-1]

    async def web_guest(self, name: str = "Sita") -> Http:
        """Another connection to the HTTP front, with the token of a guest."""
        http = self.over_http()
        answer = await http.rest("POST", "/v1/accounts:createGuest", {"displayName": name})
        http.token = answer.json["tokens"]["accessToken"]
        return http

    async def guest(self, name: str = "Sita") -> Caller:
        """Another connection, signed in."""
        caller = self.caller()
        await caller.sign_in(name)
        return caller


def pass_by(served: Served, monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Lets so much time pass for the service."""
    clock: Any = served.app.store
    now = clock._clock.now
    monkeypatch.setattr(clock._clock, "now", lambda: now() + round(seconds * SECOND))


@asynccontextmanager
async def serving(**config: Any) -> AsyncIterator[Served]:
    """The service with this configuration; drained at the end. Each refusal must be one that the protos name."""
    quiet = {"memory": True, "port": 0, "http": False, "log_calls": 0.0, "drain_seconds": 2.0, "refusal_seconds": 0.0}
    served: Served | None = None
    try:
        async with running(Config(**{**quiet, **config})) as service:
            http = "" if service.http_port is None else f"http://127.0.0.1:{service.http_port}"
            served = Served(f"127.0.0.1:{service.port}", service.app, http, figures=service.figures)
            yield served
        assert not untold(service.figures), "a method was refused with a reason that its proto does not name"
    finally:
        for caller in served.callers if served is not None else ():
            await caller.channel.close()
        for connection in served.web if served is not None else ():
            await connection.close()
