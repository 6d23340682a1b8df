"""The build of the TypeScript client, for the tests that need it built."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, Final

import pytest

CLIENT: Final = Path(__file__).parents[2] / "clients/typescript"


@pytest.fixture(scope="session")
def built() -> Any:
    """The build of the client, done. Where npm's registry is out of reach, and nothing is cached, this fails."""
    spec = spec_from_file_location("typescript_build", CLIENT / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    module.build()
    return module
