"""The methods of the API: each RPC of the descriptors with the function that answers it.

A service is an object with a method for each RPC, of the same name in small letters (`CreateMatch`: `create_match`).
A unary one takes the caller and the request and gives the answer; a streaming one gives a `Feed`.
"""

import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, TypeVar

from google.api import annotations_pb2
from google.protobuf.descriptor import FileDescriptor, MethodDescriptor, ServiceDescriptor
from google.protobuf.descriptor_pb2 import MethodOptions
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from chautari.app.caller import Caller
from chautari.app.parking import Post
from chautari.app.scopes import Scope
from chautari.v1 import (
    accounts_pb2,
    games_pb2,
    hosting_pb2,
    identities_pb2,
    keys_pb2,
    matches_pb2,
    operate_pb2,
    play_pb2,
    server_pb2,
)

FILES: Final[tuple[FileDescriptor, ...]] = (
    games_pb2.DESCRIPTOR,
    accounts_pb2.DESCRIPTOR,
    identities_pb2.DESCRIPTOR,
    keys_pb2.DESCRIPTOR,
    matches_pb2.DESCRIPTOR,
    hosting_pb2.DESCRIPTOR,
    play_pb2.DESCRIPTOR,
    operate_pb2.DESCRIPTOR,
    server_pb2.DESCRIPTOR,
)
"""The protos that declare services."""


class Needs(Enum):
    """What a caller has to show."""

    NOTHING = "nothing"
    """A token is not even looked at."""
    EITHER = "either"
    """A token that holds tells who calls; without one, anybody may."""
    ACCOUNT = "account"
    """A token or an API key."""
    SIGN_IN = "sign_in"
    """The access token of a sign-in: an API key does not do."""


class Quota(Enum):
    """What a call uses up beside the number of calls: of its address, or of a match."""

    GUEST = "guest"
    CODE = "code"
    """Counts where the code is that of no match that can be joined."""
    TOKEN = "token"
    """Counts where a token in the request does not hold."""
    MATCH = "match"
    """Counts for the match, not for the address, where the caller may act in it."""


@dataclass(frozen=True, slots=True)
class Feed:
    """A stream as a service opens it: what comes, and how each item is encoded. match_id: for its last message.

    spectates: whether it counts among those that only watch the match.
    post: where items are put straight before the reader, for a transport that takes them so.
    """

    items: AsyncGenerator[Any]
    encode: Callable[[Any], bytes]
    match_id: str = ""
    revision: int = 0
    spectates: bool = False
    post: Post | None = None


Answer = Callable[[Caller, Any], Awaitable[Message | bytes]]
"""A unary method; bytes are the encoded answer."""
Open = Callable[[Caller, Any], Feed]
"""A streaming method."""
QuotaOf = Callable[[Any], Quota | None]
AtDoor = Callable[[Caller | None, str, str], Awaitable[None]]
IsPlain = Callable[[Any], bool]
"""Whether a request is so plain that it keeps the rules of its message; others are held to them one by one."""


@dataclass(frozen=True, slots=True)
class Method:
    """One RPC. Exactly one of `answer` and `open` is set. scope: what a token or key that comes with it must allow.

    changes: whether any scope does beside READ, where `scope` is READ.
    by_get: whether the Connect protocol may ask it by GET, for the protos say that it has no side effects.
    at_door: is told of each call that is refused before the method is reached: who called, the path, the reason.
    """

    path: str
    request: type[Message]
    response: type[Message]
    needs: Needs
    scope: Scope
    quota: QuotaOf | None
    is_plain: IsPlain | None
    answer: Answer | None
    open: Open | None
    at_door: AtDoor | None = None
    changes: bool = False
    by_get: bool = False


@dataclass(frozen=True, slots=True)
class _Marks:
    needs: Needs = Needs.ACCOUNT
    quota: QuotaOf | None = None
    is_plain: IsPlain | None = None
    scope: Scope | None = None
    changes: bool = False


F = TypeVar("F", bound=Callable[..., Any])


def method(
    needs: Needs = Needs.ACCOUNT, quota: QuotaOf | None = None, is_plain: IsPlain | None = None,
    scope: Scope | None = None, changes: bool = False,
) -> Callable[[F], F]:  # fmt: skip
    """Marks a method of a service that does not simply need an account, or is called far more than others.

    scope: where it is not READ for what is asked by GET and PLAY for all else. changes: it is for keys of any scope,
    but not for those that only read.
    """

    def mark(function: F) -> F:
        function.__chautari_method__ = _Marks(needs, quota, is_plain, Scope.READ if changes else scope, changes)  # type: ignore[attr-defined]
        return function

    return mark


def methods_of(services: Iterable[object]) -> dict[str, Method]:
    """All methods by path, `/chautari.v1.Play/Act`; TypeError where an RPC of the protos has no function."""
    by_name = {type(service).__name__: service for service in services}
    methods: dict[str, Method] = {}
    for descriptor in descriptors():
        service = by_name.get(descriptor.name)
        for rpc in descriptor.methods:
            function = getattr(service, function_name(rpc.name), None)
            if function is None:
                raise TypeError(f"nothing answers {descriptor.full_name}.{rpc.name}")
            one = _method(descriptor, rpc, function)
            methods[one.path] = one
    return methods


def descriptors() -> list[ServiceDescriptor]:
    """The services that the protos declare."""
    return [service for file in FILES for service in file.services_by_name.values()]


def _method(service: ServiceDescriptor, rpc: MethodDescriptor, function: Callable[..., Any]) -> Method:
    marks: _Marks = getattr(function, "__chautari_method__", _Marks())
    streams = rpc.server_streaming
    return Method(
        path=f"/{service.full_name}/{rpc.name}",
        request=GetMessageClass(rpc.input_type),
        response=GetMessageClass(rpc.output_type),
        needs=marks.needs,
        scope=marks.scope or _usual_scope(rpc),
        quota=marks.quota,
        is_plain=marks.is_plain,
        answer=None if streams else function,
        open=function if streams else None,
        at_door=getattr(getattr(function, "__self__", None), "at_door", None),
        changes=marks.changes,
        by_get=not streams and rpc.GetOptions().idempotency_level == MethodOptions.NO_SIDE_EFFECTS,
    )


def _usual_scope(rpc: MethodDescriptor) -> Scope:
    """What only looks is bound to GET."""
    options: Any = rpc.GetOptions()
    return Scope.READ if options.Extensions[annotations_pb2.http].get else Scope.PLAY


def function_name(rpc: str) -> str:
    """The function of a service that answers an RPC: `CreateMatch` is `create_match`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", rpc).lower()
