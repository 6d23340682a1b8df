"""Builds `@chautari/client`: messages from the protos, then JavaScript and types in `dist`.

`uv run poe typescript` runs it, with the Node that comes with the development packages. What has not changed since the
last time is not done again; nothing that it writes is checked in.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from google.protobuf.descriptor_pb2 import FileDescriptorSet

if sys.platform != "win32":
    import fcntl

HERE: Final = Path(__file__).parent
IMAGE: Final = HERE.parents[1] / "service/chautari/_data/chautari.binpb"
_OURS: Final = ("chautari/", "google/protobuf/", "google/rpc/")
_GENERATED: Final = ("chautari/", "google/rpc/error_details.proto")


class CannotBuild(Exception):
    """The package was not built; the message says why."""


def build() -> None:
    """Makes `node_modules`, `gen` and `dist`; CannotBuild says what stands in the way."""
    install(HERE)
    with alone("build", HERE):
        _build()


def _build() -> None:
    sources = sorted(path for path in (HERE / "src").rglob("*.ts"))
    stamp = _hash([IMAGE, HERE / "package-lock.json", HERE / "tsconfig.json", Path(__file__), *sources])
    kept = HERE / "dist/.stamp"
    if kept.exists() and kept.read_text() == stamp:
        return
    _generate()
    shutil.rmtree(HERE / "dist", ignore_errors=True)
    node("node_modules/typescript/bin/tsc", "-p", "tsconfig.json")
    kept.write_text(stamp)


def install(folder: Path) -> None:
    """Brings the packages of a folder's lock file, unless they are there; CannotBuild where none can be had."""
    with alone("install", folder):
        _install(folder)


def _install(folder: Path) -> None:
    stamp, kept = _hash([folder / "package-lock.json"]), folder / "node_modules/.stamp"
    if kept.exists() and kept.read_text() == stamp:
        return
    run = _run(_script("npm"), "ci", "--ignore-scripts", "--no-audit", "--no-fund", cwd=folder)
    if run.returncode != 0:
        raise CannotBuild(
            f"npm could not bring the packages of {folder.name}: is the npm registry within reach?\n{run.stdout}"
        )
    kept.write_text(stamp)


@contextmanager
def alone(what: str, folder: Path) -> Iterator[None]:
    """Keeps other processes from doing the same with this folder meanwhile, where the system has locks of files."""
    name = sha256(f"{what} {folder}".encode()).hexdigest()[:16]
    with (Path(tempfile.gettempdir()) / f"chautari-{name}.lock").open("w") as lock:
        if sys.platform != "win32":
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def node(script: str, *arguments: str, cwd: Path = HERE) -> str:
    """Runs a script of Node in a folder, and gives what it printed; CannotBuild where it fails."""
    run = _run(_script("node"), script, *arguments, cwd=cwd)
    if run.returncode != 0:
        raise CannotBuild(f"{script} failed:\n{run.stdout}")
    return run.stdout


def plain_image() -> FileDescriptorSet:
    """The protos without the options that no client reads: a third of a page's size."""
    plain = FileDescriptorSet()
    for file in FileDescriptorSet.FromString(IMAGE.read_bytes()).file:
        if file.name.startswith(_OURS):
            _clear_options(file)
            imports = [name for name in file.dependency if name.startswith(_OURS)]
            del file.dependency[:]
            file.dependency.extend(imports)
            plain.file.append(file)
    return plain


def _generate() -> None:
    """Generates TypeScript."""
    from grpc_tools import protoc

    plain = plain_image()
    generated = HERE / "gen"
    shutil.rmtree(generated, ignore_errors=True)
    generated.mkdir()
    image = generated / "plain.binpb"
    image.write_bytes(plain.SerializeToString())
    plugin = generated / ("plugin.cmd" if sys.platform == "win32" else "plugin.sh")
    script = HERE / "node_modules/@bufbuild/protoc-gen-es/bin/protoc-gen-es"
    shell = "@" if sys.platform == "win32" else "#!/bin/sh\nexec "
    plugin.write_text(f'{shell}"{_script("node")}" "{script}"\n')
    plugin.chmod(0o755)
    names = [file.name for file in plain.file if file.name.startswith(_GENERATED)]
    failed = protoc.main(
        ["protoc", f"--descriptor_set_in={image}", f"--plugin=protoc-gen-es={plugin}", f"--es_out={generated}",
         "--es_opt=target=ts,import_extension=js", *names]
    )  # fmt: skip
    plugin.unlink()
    image.unlink()
    if failed:
        raise CannotBuild("protoc refused the protos; its reasons stand above")


def _clear_options(message: Any) -> None:
    """Takes the custom options out of a description and of all within it."""
    for field, value in list(message.ListFields()):
        if field.message_type is None:
            continue
        if field.name == "options":
            value.DiscardUnknownFields()
            for option, _ in list(value.ListFields()):
                if option.is_extension:
                    value.ClearExtension(option)
        else:
            for one in value if field.is_repeated else [value]:
                _clear_options(one)


def _script(name: str) -> str:
    """The path of a command beside the running Python, where Node is installed as a package of Python."""
    path = shutil.which(name, path=str(Path(sys.executable).parent))
    if path is None:
        raise CannotBuild(f"{name} is not installed beside {sys.executable}: `uv sync` brings it")
    return path


def _run(*command: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def _hash(files: Iterable[Path]) -> str:
    found = sha256()
    for path in files:
        content = path.read_bytes()
        found.update(f"{path.name} {len(content)}\n".encode() + content)
    return found.hexdigest()


if __name__ == "__main__":
    try:
        build()
    except CannotBuild as problem:
        raise SystemExit(str(problem)) from None
