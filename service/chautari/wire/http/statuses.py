"""The codes of `google.rpc.Code` as HTTP and the Connect protocol know them."""

from typing import Final

from google.rpc import code_pb2

CONNECT: Final[dict[int, tuple[str, int]]] = {
    code_pb2.CANCELLED: ("canceled", 499),
    code_pb2.UNKNOWN: ("unknown", 500),
    code_pb2.INVALID_ARGUMENT: ("invalid_argument", 400),
    code_pb2.DEADLINE_EXCEEDED: ("deadline_exceeded", 504),
    code_pb2.NOT_FOUND: ("not_found", 404),
    code_pb2.ALREADY_EXISTS: ("already_exists", 409),
    code_pb2.PERMISSION_DENIED: ("permission_denied", 403),
    code_pb2.RESOURCE_EXHAUSTED: ("resource_exhausted", 429),
    code_pb2.FAILED_PRECONDITION: ("failed_precondition", 400),
    code_pb2.ABORTED: ("aborted", 409),
    code_pb2.OUT_OF_RANGE: ("out_of_range", 400),
    code_pb2.UNIMPLEMENTED: ("unimplemented", 501),
    code_pb2.INTERNAL: ("internal", 500),
    code_pb2.UNAVAILABLE: ("unavailable", 503),
    code_pb2.DATA_LOSS: ("data_loss", 500),
    code_pb2.UNAUTHENTICATED: ("unauthenticated", 401),
}
"""The name of a code in the Connect protocol, and the HTTP status that the protocol and `google.rpc.Code` give it."""

_BY_REASON: Final = {
    "PATH_UNKNOWN": 404,
    "HTTP_METHOD_UNKNOWN": 405,
    "REQUEST_SLOW": 408,
    "MESSAGE_TOO_LARGE": 413,
    "CONTENT_TYPE_UNKNOWN": 415,
    "HEAD_TOO_LARGE": 431,
    "STORAGE_FULL": 507,
}
"""Where HTTP has a status of its own for a reason."""


def http_status(code: int, reason: str) -> int:
    """The status of a problem."""
    return _BY_REASON.get(reason) or CONNECT[code][1]
