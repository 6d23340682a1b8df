"""A client in Java: messages generated from the protos, compiled with the machine's JDK, and run against a server."""

import asyncio
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import pytest

from tests.wire.served import serving

_FOLDER: Final = Path(__file__).parent / "java"
_PACKAGES: Final = _FOLDER / "node_modules"
_CLASSES: Final = _PACKAGES / ".classes"
_RUNTIME: Final = _PACKAGES / "google-closure-compiler-java/compiler.jar"
"""Holds the runtime of protobuf under its own name, without which generated messages cannot be compiled."""

pytestmark = pytest.mark.xdist_group("typescript")


@pytest.fixture(scope="module")
def classes(built: Any) -> Path:
    """The compiled client. Only where a machine has no JDK, or there is no protoc for it, the test is passed over."""
    protoc = Path(sys.executable).with_name("protoc")
    if not (shutil.which("java") and shutil.which("javac")):
        pytest.skip("no JDK is installed here: java and javac are not on the path")
    if not protoc.exists():
        pytest.skip("protoc of protobuf 3.17 is packaged for Linux on x86-64 only")
    built.install(_FOLDER)
    image = built.plain_image().SerializeToString()
    stamp = sha256(image + (_FOLDER / "Smoke.java").read_bytes()).hexdigest()
    kept = _CLASSES / "stamp"
    if not kept.exists() or kept.read_text() != stamp:
        _compile(protoc, image, [file.name for file in built.plain_image().file])
        kept.write_text(stamp)
    return _CLASSES


def _compile(protoc: Path, image: bytes, names: list[str]) -> None:
    """Generates and compiles from nothing."""
    shutil.rmtree(_CLASSES, ignore_errors=True)
    sources = _CLASSES / "sources"
    sources.mkdir(parents=True)
    described = _CLASSES / "image.binpb"
    described.write_bytes(image)
    wanted = [name for name in names if not name.endswith("descriptor.proto")]
    _run(str(protoc), f"--descriptor_set_in={described}", f"--java_out=lite:{sources}", *wanted)
    # What the program does not reach is not compiled: javac follows it from its one file. The messages of Google's own
    # that the runtime holds are of another kind than these, so those that were generated go first.
    _run(
        "javac", "-J-XX:TieredStopAtLevel=1", "-proc:none", "-nowarn", "-g:none", "-encoding", "UTF-8",
        "-Xprefer:source", "-cp", str(_RUNTIME), "-sourcepath", str(sources), "-d", str(_CLASSES),
        str(_FOLDER / "Smoke.java"),
    )  # fmt: skip


def _run(*command: str) -> None:
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert run.returncode == 0, run.stdout


async def test_a_java_program_plays_and_watches(classes: Path) -> None:
    async with serving(http=True) as served:
        process = await asyncio.create_subprocess_exec(
            "java", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8",
            "-cp", f"{classes}{os.pathsep}{_RUNTIME}", "Smoke", served.http,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()
    assert output.decode().splitlines() == [
        "name आशा", "seats [1]", "acts true", "refused chautari NOT_SEATED", "watched true",
    ]  # fmt: skip
