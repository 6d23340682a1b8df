"""A real browser for the tests: the machine's Chromium, or the one that npm's registry has as a package."""

import os
import shutil
import tarfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from playwright.async_api import Browser, async_playwright

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
_PACKED: Final = Path(__file__).parent / "chromium"
_UNPACKED: Final = _PACKED / "node_modules/.unpacked"
_OPTIONS: Final = (
    "--no-sandbox",
    "--no-zygote",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def chromium(build: Any) -> tuple[Path, dict[str, str]]:
    """Chromium and what its environment needs besides: `CHAUTARI_CHROMIUM`, else one on the path, else the package.

    build: the build of the TypeScript client, which brings packages of npm.
    """
    named = os.environ.get("CHAUTARI_CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    if named:
        return Path(named), {}
    build.install(_PACKED)
    with build.alone("chromium", _PACKED):
        _unpack(build)
    return _UNPACKED / "chromium", {"LD_LIBRARY_PATH": str(_UNPACKED / "lib")}


def _unpack(build: Any) -> None:
    if _UNPACKED.exists():
        return
    draft = _UNPACKED.with_name(".draft")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    build.node("unpack.mjs", str(draft), cwd=_PACKED)
    for name in ("al2023.tar", "swiftshader.tar"):
        with tarfile.open(draft / name) as packed:
            packed.extractall(draft, filter="data")
        (draft / name).unlink()
    (draft / "chromium").chmod(0o755)
    draft.rename(_UNPACKED)


@asynccontextmanager
async def browsing(build: Any) -> AsyncIterator[Browser]:
    """A browser while it runs."""
    program, environment = chromium(build)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=program, args=list(_OPTIONS), env={**os.environ, **environment}
        )
        try:
            yield browser
        finally:
            await browser.close()
