"""The Connect protocol by GET: unary calls without side effects, with the message in the query, so that browsers and
caches can keep answers (connectrpc.com/docs/protocol, Unary-Get-Request).
"""

import re
from base64 import urlsafe_b64decode
from typing import Final
from urllib.parse import parse_qsl

from chautari.wire.errors import Failed
from chautari.wire.http import refusals
from chautari.wire.http.caching import headers_of, is_secret, is_unchanged
from chautari.wire.http.call import JSON, PROTO, ReadCall
from chautari.wire.http.connect import refuse, seconds_told
from chautari.wire.http.exchange import Exchange, TooLarge, unpacked
from chautari.wire.http.packing import is_packable, packed
from chautari.wire.methods import Method
from chautari.wire.pipeline import Pipeline

_CODECS: Final = {"json": JSON, "proto": PROTO}
_VERSION: Final = "v1"
_OURS: Final = ("connect", "encoding", "base64", "message", "compression")
_MOST_PARAMETERS: Final = 200
_BASE64: Final = re.compile(r"[A-Za-z0-9_-]*={0,2}").fullmatch


async def answer(pipeline: Pipeline, method: Method, exchange: Exchange) -> None:
    """Answers a call whose message is in the query; parameters that the protocol does not know are passed over."""
    try:
        parameters = _parameters(exchange)
        codec = _CODECS.get(parameters.get("encoding", ""))
        if codec is None:
            await exchange.refuse(refusals.codec_unknown(parameters.get("encoding", ""), _CODECS))
            return
        call = ReadCall(exchange, _message(parameters, exchange.largest), codec, seconds_told(exchange))
        body = await pipeline.unary(method, call)
    except Failed as failure:
        await refuse(exchange, failure)
        return
    headers = headers_of(exchange, method, call.answer, body)
    may_pack = is_packable(headers, body, secret=is_secret(method))
    if is_unchanged(exchange, headers):
        await exchange.answer(304, headers, b"")
        return
    headers.append((b"content-type", b"application/" + codec.name.encode()))
    await exchange.answer(200, headers, packed(exchange, headers, body) if may_pack else body)


def _parameters(exchange: Exchange) -> dict[str, str]:
    """The parameters of the protocol, whose characters stand for bytes."""
    query: str = exchange.scope["query_string"].decode("latin-1")
    try:
        pairs = parse_qsl(query, keep_blank_values=True, encoding="latin-1", max_num_fields=_MOST_PARAMETERS)
    except ValueError:
        raise refusals.invalid("", f"the query has more than {_MOST_PARAMETERS} parameters") from None
    found: dict[str, str] = {}
    for name, text in pairs:
        if name in found:
            raise refusals.invalid(name, "this parameter is given more than once")
        if name in _OURS:
            found[name] = text
    if found.get("connect", _VERSION) != _VERSION:
        raise refusals.invalid("connect", f"must be {_VERSION}, the version of the protocol")
    return found


def _message(parameters: dict[str, str], largest: int) -> bytes | TooLarge:
    """The message as it was before it was put into the query."""
    text = parameters.get("message")
    if text is None:
        raise refusals.invalid("message", "is missing: it holds the request, and may be empty")
    raw = _read_base64(text) if parameters.get("base64") == "1" else text.encode("latin-1")
    message = unpacked(raw, parameters.get("compression", ""), largest)
    return TooLarge(len(message), largest) if isinstance(message, bytes) and len(message) > largest else message


def _read_base64(text: str) -> bytes:
    if not _BASE64(text) or len(text.rstrip("=")) % 4 == 1:
        raise refusals.invalid("message", "is no base64 in the form that is safe in addresses")
    bare = text.rstrip("=")
    return urlsafe_b64decode(bare + "=" * (-len(bare) % 4))
