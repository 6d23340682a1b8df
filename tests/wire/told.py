"""What the protos say that a method may be refused with, and whether it was refused with anything else."""

import re
from functools import cache
from typing import Final

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from prometheus_client import CollectorRegistry

from chautari.v1.errors_pb2 import ErrorReason
from tests.wire.made import IMAGE

_REASONS: Final = frozenset(name.removeprefix("ERROR_REASON_") for name in ErrorReason.DESCRIPTOR.values_by_name)
_SERVICE: Final = 6  # the number of `service` in a FileDescriptorProto
_METHOD: Final = 2  # that of `method` in a service
_PACKAGE: Final = 2
_NO_REASONS: Final = ("OK", "CANCELLED")


def untold(figures: CollectorRegistry) -> list[str]:
    """The reasons that calls were refused with and that no comment names, each with its method."""
    told, of_any = _told()
    return [
        f"{sample.labels['method']}: {sample.labels['outcome']}"
        for metric in figures.collect()
        if metric.name == "chautari_calls"
        for sample in metric.samples
        if sample.labels["outcome"] not in (*_NO_REASONS, *of_any, *told[sample.labels["method"]])
    ]


@cache
def _told() -> tuple[dict[str, frozenset[str]], frozenset[str]]:
    """By the path of a method the reasons that it or its service names, and those that any method may give."""
    image = FileDescriptorSet.FromString(IMAGE.read_bytes())
    told: dict[str, frozenset[str]] = {}
    of_any: frozenset[str] = frozenset()
    for file in image.file:
        comments = _comments(file)
        if file.name == "chautari/v1/errors.proto":
            of_any |= _reasons(comments[_PACKAGE,])
        for at, service in enumerate(file.service):
            of_all = _reasons(comments[_SERVICE, at]) if file.package == "chautari.v1" else frozenset()
            if service.name == "Accounts":  # which says for all how a token is refused
                of_any |= of_all
            for place, method in enumerate(service.method):
                own = _reasons(comments.get((_SERVICE, at, _METHOD, place), ""))
                told[f"/{file.package}.{service.name}/{method.name}"] = own | of_all
    return told, of_any


def _comments(file: FileDescriptorProto) -> dict[tuple[int, ...], str]:
    return {tuple(location.path): location.leading_comments for location in file.source_code_info.location}


def _reasons(comment: str) -> frozenset[str]:
    return frozenset(re.findall(r"\b[A-Z][A-Z0-9_]+\b", comment)) & _REASONS
