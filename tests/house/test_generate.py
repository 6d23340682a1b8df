"""What the build makes of the protos (decisions/002)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from hatch_build import generate

FERRY = """
syntax = "proto3";
package chautari.v1;
import "buf/validate/validate.proto";
message Ferry { string name = 1 [(buf.validate.field).string.min_len = 3]; }
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout with one proto, generated."""
    (tmp_path / "protos/chautari/v1").mkdir(parents=True)
    (tmp_path / "service/chautari").mkdir(parents=True)
    (tmp_path / "service/chautari/__init__.py").touch()
    (tmp_path / "protos/chautari/v1/ferry.proto").write_text(FERRY)
    generate(tmp_path)
    return tmp_path


def written(root: Path) -> dict[str, int]:
    """The files that the build wrote, and when."""
    return {
        path.relative_to(root / "service/chautari").as_posix(): path.stat().st_mtime_ns
        for folder in ("v1", "_data")
        for path in (root / "service/chautari" / folder).iterdir()
    }


def test_each_proto_gives_messages_and_stubs_with_their_types(root: Path) -> None:
    modules = {f"v1/ferry_pb2{kind}" for kind in (".py", ".pyi", "_grpc.py", "_grpc.pyi")}
    assert set(written(root)) == modules | {"v1/__init__.py", "_data/chautari.binpb"}


def test_rules_hold_although_no_package_buf_is_imported(root: Path) -> None:
    program = """
import sys, protovalidate
from chautari.v1.ferry_pb2 import Ferry
try:
    protovalidate.validate(Ferry(name="x"))
except protovalidate.ValidationError as error:
    print(error.violations[0].proto.rule_id, "buf" in sys.modules)
"""
    environment = {**os.environ, "PYTHONPATH": str(root / "service")}
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["string.min_len", "False"]


def test_image_holds_rules_and_error_details(root: Path) -> None:
    image = FileDescriptorSet.FromString((root / "service/chautari/_data/chautari.binpb").read_bytes())
    names = {file.name for file in image.file}
    assert {"buf/validate/validate.proto", "google/rpc/status.proto", "google/rpc/error_details.proto"} <= names


def test_generating_again_touches_nothing(root: Path) -> None:
    before = written(root)
    generate(root)
    assert written(root) == before


def test_removed_proto_takes_its_modules_along(root: Path) -> None:
    (root / "protos/chautari/v1/ferry.proto").unlink()
    generate(root)
    assert set(written(root)) == {"v1/__init__.py", "_data/chautari.binpb"}


def test_refused_proto_leaves_what_was_there(root: Path) -> None:
    before = written(root)
    (root / "protos/chautari/v1/ferry.proto").write_text("message Raft")
    with pytest.raises(SystemExit):
        generate(root)
    assert written(root) == before
