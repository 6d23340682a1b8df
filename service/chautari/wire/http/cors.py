"""Which pages of other origins may call from a browser: an allow-list (the CORS protocol of the Fetch standard)."""

from collections.abc import Iterable
from typing import Final

from chautari.wire.http.exchange import Exchange
from chautari.wire.http.problems import Headers

_ASKED: Final = (
    b"authorization, content-type, content-encoding, accept, accept-language, connect-protocol-version, "
    b"connect-timeout-ms, grpc-timeout, x-grpc-web, x-user-agent, idempotency-key, if-match, if-none-match, "
    b"last-event-id, traceparent, tracestate"
)
_SHOWN: Final = (
    b"grpc-status, grpc-message, grpc-status-details-bin, etag, retry-after, allow, content-encoding, www-authenticate"
)
_SECONDS: Final = b"7200"


class Origins:
    """The origins that may call, such as `https://play.example`; `*` for all. Tokens come in a header and never in a
    cookie, so no origin is given credentials."""

    def __init__(self, allowed: Iterable[str], methods: Iterable[str]) -> None:
        """methods: of HTTP, that are answered at one path or another."""
        self._allowed = frozenset(origin.encode() for origin in allowed)
        self._methods = ", ".join(methods).encode()

    def admit(self, exchange: Exchange) -> None:
        """Lets the page read the answer, if its origin is on the list."""
        if self._allowed:
            exchange.more.append((b"vary", b"Origin"))
        allowed = self._name(exchange)
        if allowed:
            exchange.more += [
                (b"access-control-allow-origin", allowed),
                (b"access-control-expose-headers", _SHOWN),
            ]

    def preflight(self, exchange: Exchange) -> Headers | None:
        """The answer to a browser that asks before it calls, beside what `admit` says; None where nobody asks so."""
        if exchange.method != "OPTIONS" or b"access-control-request-method" not in exchange.headers:
            return None
        headers: Headers = [(b"vary", b"Access-Control-Request-Method, Access-Control-Request-Headers")]
        if self._name(exchange):
            headers += [
                (b"access-control-allow-methods", self._methods),
                (b"access-control-allow-headers", _ASKED),
                (b"access-control-max-age", _SECONDS),
            ]
        return headers

    def _name(self, exchange: Exchange) -> bytes:
        origin = exchange.headers.get(b"origin", b"")
        if b"*" in self._allowed:
            return b"*"
        return origin if origin in self._allowed else b""
