"""Calls that were recorded from a real server, as examples: `uv run poe examples` records them anew."""

import json
from importlib.resources import files
from typing import Any, Final

FILE: Final = "examples.json"


def read_recorded() -> dict[str, dict[str, Any]]:
    """Requests and answers by `operationId`; nothing where none were recorded."""
    found = files("chautari.wire.http.openapi").joinpath(FILE)
    return dict(json.loads(found.read_text("utf-8"))) if found.is_file() else {}
