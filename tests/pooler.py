"""A real PgBouncer in transaction mode, where this machine has one or Debian's packages can be had.

It is looked for in `$CHAUTARI_PGBOUNCER` and on the path; else the packages are downloaded and unpacked, not installed.
"""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from chautari.cli.own_postgres import as_nobody, binary
from tests.cluster import Cluster
from tests.ports import held_port

_PACKAGES = ("pgbouncer", "libc-ares2", "libevent-2.1-7")
_KEPT = Path(tempfile.gettempdir()) / f"chautari-pgbouncer-{os.geteuid()}"
_SETTINGS = """
[databases]
* = host=127.0.0.1 port={port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {size}
max_client_conn = 500
server_idle_timeout = 60
server_login_retry = 1
query_wait_timeout = 3
logfile = {base}/log
"""


@cache
def _program() -> tuple[str, Path]:
    """The program, and the folder of the libraries that came with it."""
    found = os.environ.get("CHAUTARI_PGBOUNCER") or shutil.which("pgbouncer")
    if found is not None:
        return found, Path("/nonexistent")
    if not (_KEPT / "usr").exists():
        _unpack()
    [libraries] = {path.parent for path in _KEPT.glob("usr/lib/*/libcares.so*")}
    return str(_KEPT / "usr/sbin/pgbouncer"), libraries


def _unpack() -> None:
    draft = Path(tempfile.mkdtemp(prefix="chautari-pgbouncer-draft-"))
    draft.chmod(0o755)
    try:
        download = ["apt-get", "download", *_PACKAGES]
        subprocess.run(download, cwd=draft, check=True, capture_output=True, timeout=60)
        for package in draft.glob("*.deb"):
            subprocess.run(["dpkg", "-x", str(package), str(draft)], check=True, capture_output=True)
        draft.rename(_KEPT)
    except (OSError, subprocess.SubprocessError) as error:
        shutil.rmtree(draft, ignore_errors=True)
        if not (_KEPT / "usr").exists():  # else another process of the tests was faster
            pytest.skip(f"there is no pgbouncer here, nor can Debian's package be had: {type(error).__name__}")


@contextmanager
def running_pooler(cluster: Cluster, *, size: int = 4) -> Iterator[int]:
    """Its port. It lends so few connections to a database that they pass from hand to hand."""
    program, libraries = _program()
    base = Path(tempfile.mkdtemp(prefix="chautari-pooler-"))
    with held_port() as own:
        (base / "ini").write_text(_SETTINGS.format(port=cluster.port, own=own, base=base, size=size))
        as_owner = as_nobody(base, base / "ini")
        process = subprocess.Popen(
            [*as_owner, program, "-q", str(base / "ini")], cwd=base, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={**os.environ, "LD_LIBRARY_PATH": str(libraries)},
        )  # fmt: skip
        try:
            ready = [binary("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(own), "-U", "postgres"]
            end = time.monotonic() + 60
            while subprocess.run(ready, check=False).returncode != 0:
                assert process.poll() is None, (base / "log").read_text()
                assert time.monotonic() < end
                time.sleep(0.05)
            yield own
        finally:
            process.terminate()
            process.wait(20)
            shutil.rmtree(base, ignore_errors=True)
