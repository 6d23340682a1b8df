"""What HTTP itself can get wrong, before any method is called. Each has a reason and details like all errors."""

from collections.abc import Iterable

from google.rpc import code_pb2

from chautari.wire import errors
from chautari.wire.errors import Failed


def path_unknown(path: str) -> Failed:
    """Nothing is there."""
    return errors.make(code_pb2.NOT_FOUND, "PATH_UNKNOWN", f"there is nothing at {path}; see /openapi.json", {})


def http_method_unknown(method: str, allowed: Iterable[str]) -> Failed:
    """Something is there, and cannot be asked so."""
    allow = ", ".join(allowed)
    return errors.make(
        code_pb2.UNIMPLEMENTED, "HTTP_METHOD_UNKNOWN", f"{method} is not answered here: use {allow}", {"allow": allow}
    )


def content_type_unknown(given: str, wanted: Iterable[str]) -> Failed:
    """The body is of a type that is not read here."""
    types = ", ".join(wanted)
    says = f"a body of type {given} is not read here" if given else "the body needs a Content-Type"
    return errors.make(code_pb2.INVALID_ARGUMENT, "CONTENT_TYPE_UNKNOWN", f"{says}: send {types}", {"accepted": types})


def codec_unknown(given: str, wanted: Iterable[str]) -> Failed:
    """The query says that its message is in a form that is not read here, or does not say in which."""
    names = ", ".join(wanted)
    says = f"a message in the encoding {given[:60]} is not read here" if given else "the query names no encoding"
    return errors.make(
        code_pb2.INVALID_ARGUMENT, "CONTENT_TYPE_UNKNOWN", f"{says}: give it as one of {names}", {"accepted": names}
    )


def encoding_unknown(given: str) -> Failed:
    """The body is packed in a way that is not read here."""
    says = f"a body packed as {given} is not read here: send it as it is, or as gzip where it is no stream"
    return errors.make(code_pb2.UNIMPLEMENTED, "CONTENT_TYPE_UNKNOWN", says, {"accepted": "gzip, identity"})


def request_slow(seconds: float) -> Failed:
    """The body did not come."""
    return errors.make(
        code_pb2.DEADLINE_EXCEEDED, "REQUEST_SLOW", f"the request did not come within {seconds:g} seconds; nothing was "
        "done", {},
    )  # fmt: skip


def head_too_large(limit: int) -> Failed:
    """The request line and headers are too long."""
    return errors.make(
        code_pb2.RESOURCE_EXHAUSTED, "HEAD_TOO_LARGE", f"path and headers may have {limit} bytes", {"limit": str(limit)}
    )


def not_http() -> Failed:
    """What came is no request of HTTP/1.1."""
    return errors.make(
        code_pb2.INVALID_ARGUMENT, "REQUEST_INVALID", "this is no HTTP/1.1 request (gRPC has a port of its own)", {}
    )


def no_host() -> Failed:
    """A request of HTTP/1.1 says to which host it goes, once and so that it can be read (RFC 9112 section 3.2)."""
    return errors.make(
        code_pb2.INVALID_ARGUMENT, "REQUEST_INVALID", "an HTTP/1.1 request needs one header Host that names a host", {}
    )


def invalid(field: str, says: str) -> Failed:
    """A header or a parameter that cannot be read."""
    return errors.failed(errors.Violation([(field, says)]))
