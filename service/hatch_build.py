"""Generates what is not checked in: the protobuf modules in `chautari/v1` and the descriptors in `chautari/_data`,
beside copies of the retry policy.

Hatch runs this for a wheel and for an editable install; `python service/hatch_build.py` does the same by hand.
decisions/002 says why it is done this way.
"""

from __future__ import annotations

import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

IMAGE = "chautari.binpb"
"""The descriptors of all our protos and of all they import, with comments and validation rules."""

DETAILS = ("google/rpc/status.proto", "google/rpc/error_details.proto")
"""No proto of ours imports the error details, yet whoever reads the image must be able to decode them."""


def generate(root: Path) -> None:
    """Makes `v1` and `_data` from the protos under `root`; when that fails, what was there before stays."""
    protos = sorted(path.relative_to(root / "protos").as_posix() for path in (root / "protos").rglob("*.proto"))
    package = root / "service" / "chautari"
    with tempfile.TemporaryDirectory() as scratch:
        modules, data = Path(scratch, "modules"), Path(scratch, "data")
        modules.mkdir()
        data.mkdir()
        _describe(root / "protos", protos, data / IMAGE)
        for policy in (root / "protos").glob("*.json"):
            (data / policy.name).write_bytes(policy.read_bytes())
        if protos:
            _write_modules(data / IMAGE, protos, modules)
        generated = modules / "chautari" / "v1"
        generated.mkdir(parents=True, exist_ok=True)
        (generated / "__init__.py").write_text('"""Generated from protos/; edit those."""\n')
        _mirror(generated, package / "v1")
        _mirror(data, package / "_data")


def _describe(source: Path, protos: Iterable[str], image: Path) -> None:
    """Compiles the protos to one set of descriptors."""
    rules = image.with_name("rules.binpb")
    rules.write_bytes(_validation_rules())
    _protoc(
        f"--descriptor_set_in={rules}",
        *(f"-I{folder}" for folder in (source, *_import_folders())),
        f"--descriptor_set_out={image}",
        "--include_imports",
        "--include_source_info",
        *protos,
        *DETAILS,
    )
    rules.unlink()


def _validation_rules() -> bytes:
    """The descriptors of buf/validate/validate.proto and its imports.

    No package ships that file as text; protovalidate holds its descriptor, in a private module (hence its pin).
    """
    from google.protobuf import descriptor_pb2, duration_pb2, field_mask_pb2, timestamp_pb2
    from protovalidate._gen.buf.validate.validate_pb import Rule

    found = descriptor_pb2.FileDescriptorSet()
    for module in (descriptor_pb2, duration_pb2, field_mask_pb2, timestamp_pb2):
        found.file.add().ParseFromString(module.DESCRIPTOR.serialized_pb)
    found.file.add().ParseFromString(Rule.desc().file.proto.to_binary())
    return found.SerializeToString()


def _import_folders() -> Iterator[Path]:
    """Where google/api, google/rpc and google/protobuf lie as text."""
    import google.api
    import grpc_tools

    yield Path(next(iter(google.api.__path__))).parents[1]
    yield Path(next(iter(grpc_tools.__path__))) / "_proto"


def _write_modules(image: Path, protos: Iterable[str], modules: Path) -> None:
    """Writes messages, their types, and the gRPC stubs with theirs.

    They must not import a top-level package `buf`, which nobody installs: the import of the validation rules is dropped
    and the rules themselves stay, as options unknown to Python's protobuf but not to protovalidate.
    """
    from google.protobuf import descriptor_pb2

    kept = descriptor_pb2.FileDescriptorSet()
    for file in descriptor_pb2.FileDescriptorSet.FromString(image.read_bytes()).file:
        if not file.name.startswith("buf/"):
            imports = [name for name in file.dependency if not name.startswith("buf/")]
            file.ClearField("dependency")
            file.dependency.extend(imports)
            kept.file.append(file)
    without_rules = modules / "without_rules.binpb"
    without_rules.write_bytes(kept.SerializeToString())
    _protoc(
        f"--descriptor_set_in={without_rules}",
        f"--python_out={modules}",
        f"--pyi_out={modules}",
        f"--grpc_python_out={modules}",
        f"--plugin=protoc-gen-mypy_grpc={_script('protoc-gen-mypy_grpc')}",
        f"--mypy_grpc_out=quiet:{modules}",
        *protos,
    )


def _script(name: str) -> str:
    """The path of a command that a package installed beside the running Python."""
    path = shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)
    if path is None:
        raise SystemExit(f"{name} is not installed beside {sys.executable}")
    return path


def _protoc(*arguments: str) -> None:
    from grpc_tools import protoc

    if protoc.main(["protoc", *arguments]) != 0:
        raise SystemExit("protoc refused the protos; its reasons stand above")


def _mirror(source: Path, target: Path) -> None:
    """Makes the folder `target` hold what `source` holds, leaving alone the files that are the same already."""
    target.mkdir(parents=True, exist_ok=True)
    names = {path.name for path in source.iterdir()}
    for path in target.iterdir():
        if path.name not in names and path.name != "__pycache__":
            path.unlink()
    for name in names:
        content = (source / name).read_bytes()
        if not (target / name).exists() or (target / name).read_bytes() != content:
            (target / name).write_bytes(content)


class Hook(BuildHookInterface[Any]):
    """What hatch calls."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Generates before a wheel is packed or installed for editing; an sdist holds the protos instead."""
        if self.target_name != "sdist":
            generate(Path(self.root))


if __name__ == "__main__":
    generate(Path(__file__).parents[1])
