"""What a file system is asked for by hand."""

import os
from pathlib import Path


def sync(path: Path) -> None:
    """Brings a file, or the names in a folder, to the disk before anything else is done."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
