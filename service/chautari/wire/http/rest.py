"""REST: resources under `/v1` as the protos bind them, with messages as JSON and failures as problem details."""

from typing import Any, Final

from google.protobuf.message import Message

from chautari.wire.errors import Failed
from chautari.wire.http import refusals, watching
from chautari.wire.http.bindings import Binding, Paths
from chautari.wire.http.caching import headers_of, is_secret, is_unchanged
from chautari.wire.http.call import HttpCall
from chautari.wire.http.exchange import Exchange, TooLarge
from chautari.wire.http.json_out import WHOLE
from chautari.wire.http.negotiation import kind_of
from chautari.wire.http.packing import is_packable, packed
from chautari.wire.http.parameters import Parts, read_key, read_revision
from chautari.wire.methods import Method
from chautari.wire.pipeline import Pipeline

_JSON: Final = "application/json"
_READS: Final = ("GET", "HEAD")
_PRECONDITION_FAILED: Final = 412


class RestCall(HttpCall):
    """A call whose request comes in parts. answer: what it was answered with, for the headers."""

    __slots__ = ("answer", "parts")

    def __init__(self, exchange: Exchange, raw: bytes | TooLarge, parts: Parts) -> None:
        self.exchange = exchange
        self.header = exchange.header
        self.address = exchange.address
        self.parts = parts
        self.answer: Any = None
        self._raw = raw
        self._seconds = None
        self.giving = None

    def request(self, kind: type[Message]) -> Message:
        """The request; Malformed where it cannot be read, Exhausted where it is too large."""
        if isinstance(self._raw, TooLarge):
            raise self._raw.error()
        reads = self.exchange.method in _READS
        key = "" if reads else read_key(self.header("idempotency-key"))
        revision = None if reads else read_revision(self.header("if-match"))
        message = self.parts.request(kind, self._raw, key, revision)
        watching.resume(self.exchange, message)
        return message

    def reply(self, method: Method, answer: Message | bytes) -> bytes:
        """The answer as JSON."""
        self.answer = method.response.FromString(answer) if isinstance(answer, bytes) else answer
        return WHOLE.to_json(self.answer)


class Rest:
    """The resources, and what answers them."""

    def __init__(self, pipeline: Pipeline, paths: Paths) -> None:
        self._pipeline = pipeline
        self._paths = paths

    async def answer(self, exchange: Exchange) -> bool:
        """Answers a call, or gives False where nothing is at its path."""
        found = self._paths.find(exchange.scope["raw_path"].decode("ascii"))
        if found is None:
            return False
        resource, variables = found
        method = "GET" if exchange.method == "HEAD" else exchange.method
        binding = resource.bindings.get(method)
        if binding is not None:
            await self._call(exchange, binding, dict(zip(binding.variables, variables, strict=True)))
        else:
            allow = (b"allow", ", ".join(resource.allowed).encode())
            if exchange.method == "OPTIONS":
                await exchange.answer(204, [allow], b"")
            else:
                failure = refusals.http_method_unknown(exchange.method, resource.allowed)
                await exchange.refuse(failure, more=[allow])
        return True

    async def _call(self, exchange: Exchange, binding: Binding, variables: dict[str, str]) -> None:
        try:
            raw = await self._body(exchange, binding)
            call = RestCall(exchange, raw, Parts(binding, variables, exchange.scope["query_string"].decode("latin-1")))
            if binding.method.open is not None:
                await watching.stream(self._pipeline, binding.method, call)
                return
            body = await self._pipeline.unary(binding.method, call)
        except Failed as failure:
            stale = failure.reason == "STALE_REVISION" and exchange.header("if-match").strip() not in ("", "*")
            await exchange.refuse(failure, _PRECONDITION_FAILED if stale else None)
            return
        headers = headers_of(exchange, binding.method, call.answer, body)
        may_pack = is_packable(headers, body, secret=is_secret(binding.method))
        if is_unchanged(exchange, headers):
            await exchange.answer(304, headers, b"")
            return
        headers.append((b"content-type", _JSON.encode()))
        await exchange.answer(200, headers, packed(exchange, headers, body) if may_pack else body)

    async def _body(self, exchange: Exchange, binding: Binding) -> bytes | TooLarge:
        if not binding.body:
            return b""
        raw = await exchange.body()
        given = exchange.header("content-type")
        if raw and kind_of(given) != _JSON:
            raise refusals.content_type_unknown(given, [_JSON])
        return raw
