"""The paths of REST, read from the `google.api.http` options of the methods."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote

from google.api import annotations_pb2
from google.api.http_pb2 import HttpRule
from google.protobuf.descriptor import MethodDescriptor

from chautari.wire.methods import Method, descriptors

_PARTS: Final = re.compile(r"\{([\w.]+)(?:=([^}]*))?\}|([^{}]+)")
_VERBS: Final = ("get", "put", "post", "delete", "patch")
_NEEDLESS: Final = re.compile(r"%(2[dD]|2[eE]|3[0-9]|4[1-9a-fA-F]|5[0-9aA]|5[fF]|6[1-9a-fA-F]|7[0-9aA]|7[eE])")
"""An escape of a letter, a digit, or one of `-._~`, which means what it stands for (RFC 3986 section 6.2.2.2)."""
_ESCAPED: Final = re.compile(r"(%2[fF])")


@dataclass(frozen=True, slots=True)
class Binding:
    """One way to call a method.

    http_method  GET and so on
    template     the path as the proto has it, `/v1/{match=matches/*}:act`
    body         the field that the body is; `*` for the whole request, empty where there is no body
    variables    the fields that the path holds
    response     the field of the answer that is sent in its place; empty for all of it
    """

    rpc: MethodDescriptor
    method: Method
    http_method: str
    template: str
    body: str
    variables: tuple[str, ...]
    response: str


@dataclass(slots=True)
class Resource:
    """A path with what may be done there. pattern: what the path looks like, still escaped."""

    pattern: re.Pattern[str]
    bindings: dict[str, Binding] = field(default_factory=dict)

    @property
    def allowed(self) -> list[str]:
        """The HTTP methods that are answered there."""
        found = list(self.bindings)
        if "GET" in found:
            found.insert(found.index("GET") + 1, "HEAD")
        return [*found, "OPTIONS"]


class Paths:
    """Every path, found by what it looks like."""

    def __init__(self, bindings: Iterable[Binding]) -> None:
        self._resources: dict[tuple[str, int], list[Resource]] = {}
        for binding in bindings:
            self._add(binding)

    def find(self, path: str) -> tuple[Resource, tuple[str, ...]] | None:
        """What is at a path, which comes as it was sent, and the text of each variable in it; None for nothing."""
        path = _NEEDLESS.sub(lambda escape: chr(int(escape[1], 16)), path)
        for resource in self._resources.get(_shape(path), ()):
            found = resource.pattern.fullmatch(path)
            if found is not None:
                return resource, tuple(_read(text) for text in found.groups())
        return None

    def allowed(self) -> list[str]:
        """The HTTP methods that are answered at one path or another: GET and POST, which pages and calls take, among
        them."""
        return sorted({name for resources in self._resources.values() for one in resources for name in one.allowed})

    def _add(self, binding: Binding) -> None:
        pattern = _pattern(binding.template)
        resources = self._resources.setdefault(_shape(_PARTS.sub(_example, binding.template)), [])
        resource = next((known for known in resources if known.pattern == pattern), None)
        if resource is None:
            resource = Resource(pattern)
            # A path that is spelled out comes before one that a variable would take.
            resources.insert(len(resources) if binding.variables else 0, resource)
        if binding.http_method in resource.bindings:
            raise TypeError(f"two methods answer {binding.http_method} {binding.template}")
        resource.bindings[binding.http_method] = binding


def bindings_of(methods: Mapping[str, Method]) -> list[Binding]:
    """Every binding of every method, in the order of the protos."""
    found: list[Binding] = []
    for service in descriptors():
        for rpc in service.methods:
            rule: HttpRule = rpc.GetOptions().Extensions[annotations_pb2.http]  # type: ignore[index]
            found += _bindings(rule, rpc, methods[f"/{service.full_name}/{rpc.name}"])
    return found


def _bindings(rule: HttpRule, rpc: MethodDescriptor, method: Method) -> Iterator[Binding]:
    for one in (rule, *rule.additional_bindings):
        verb = one.WhichOneof("pattern")
        if verb in _VERBS:
            template = getattr(one, verb)
            variables = tuple(name for name, _, _ in _PARTS.findall(template) if name)
            yield Binding(rpc, method, verb.upper(), template, one.body, variables, one.response_body)


def _shape(path: str) -> tuple[str, int]:
    """The verb behind the last colon, and how many segments there are."""
    last = path.rpartition("/")[2]
    return last.partition(":")[2], path.count("/")


def _example(part: re.Match[str]) -> str:
    return part[3] if part[3] else (part[2] or "*")


def _pattern(template: str) -> re.Pattern[str]:
    """`*` is one segment, and has no colon, for behind it comes a verb. There are no `**` here."""
    text = ""
    for name, inner, literal in _PARTS.findall(template):
        if name:
            parts = ("[^/:]+" if part == "*" else re.escape(part) for part in (inner or "*").split("/"))
            text += f"({'/'.join(parts)})"
        else:
            text += re.escape(literal)
    if "**" in template:
        raise TypeError(f"{template}: a variable of several segments is not supported")
    return re.compile(text)


def _read(text: str) -> str:
    """What a variable of several segments says: escapes are read, but not that of the slash, which would change what
    the path means (AIP-127)."""
    if "/" not in text:
        return unquote(text)
    return "".join(part if _ESCAPED.fullmatch(part) else unquote(part) for part in _ESCAPED.split(text))
